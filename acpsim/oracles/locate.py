"""After which message a fault first shows: beginnings of the conversation are run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, first_difference, or_untouched
from acpsim.oracles.verdict import Verdict
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.trace import Event


def first_failing(count: int, fails: Callable[[int], bool]) -> int:
    """The length of a shortest prefix that fails, found by halving; the whole is known to fail.

    Faults may heal: then it is one of the prefixes at which the target turns from right to wrong.
    """
    good, bad = 0, count
    while bad - good > 1:
        middle = (good + bad) // 2
        if fails(middle):
            bad = middle
        else:
            good = middle
    return bad


def located(verdict: Verdict, target: Target, reference: Target) -> Verdict:
    """The verdict with the message after which the difference first shows, as it shows there."""
    events = verdict.events
    shown: dict[int, Difference] = {}

    def fails(count: int) -> bool:
        found = _differs(events[:count], target, reference, verdict)
        if found is not None:
            shown[count] = found
        return found is not None

    length = first_failing(len(events), fails)
    if length == 0:
        return verdict
    found = replace(
        verdict,
        difference=shown.get(length, verdict.difference),
        after=length - 1,
        kind=talk.kind_of(events, length - 1),
    )
    return _spilled(found, target, reference)


def _spilled(verdict: Verdict, target: Target, reference: Target) -> Verdict:
    """The verdict about another session than the message's, if one differs there too.

    What is missing in the session that a message is for may have landed in one that it is not for,
    and that is the cause.
    """
    assert verdict.after is not None
    prefix = verdict.events[: verdict.after + 1]
    own = talk.session_of(prefix[-1])
    if own is None or own != verdict.session:
        return verdict
    _differs(prefix, target, reference, verdict)  # both hold the prefix now
    for session in talk.addressed(prefix):
        expected, actual = reference.snapshot(session), target.snapshot(session)
        found = first_difference(or_untouched(expected), or_untouched(actual), target.sections)
        if session != own and found is not None:
            return replace(verdict, session=session, difference=found)
    return verdict


def _differs(
    prefix: Sequence[Event], target: Target, reference: Target, verdict: Verdict
) -> Difference | None:
    """The difference in the verdict's session after this prefix.

    Only in the section of the difference sought: another fault may show earlier, elsewhere.
    """
    assert verdict.session is not None
    reference.reset()
    reference.apply(prefix)
    try:
        target.reset()
        target.apply(prefix)
        actual = target.snapshot(verdict.session)
    except TargetFailure:
        return None
    expected = reference.snapshot(verdict.session)
    if verdict.difference is not None and not verdict.difference.steps:
        return first_difference(expected, actual, target.sections)
    sections = _sections_of(verdict.difference, target.sections)
    return first_difference(or_untouched(expected), or_untouched(actual), sections)


def _sections_of(difference: Difference | None, sections: Sequence[str]) -> list[str]:
    if difference is None:
        return list(sections)
    section = difference.steps[0]
    return [path for path in sections if path.partition(".")[0] == section]


def located_crash(verdict: Verdict, target: Target) -> Verdict:
    """The verdict with the message at which the target fails."""

    def fails(count: int) -> bool:
        try:
            target.reset()
            target.apply(verdict.events[:count])
            for session in talk.addressed(verdict.events[:count]):
                target.snapshot(session)
        except TargetFailure as failure:
            return failure.kind == verdict.oracle.removeprefix("crash:")
        return False

    length = first_failing(len(verdict.events), fails)
    if length == 0:
        return verdict
    kind = talk.kind_of(verdict.events, length - 1)
    return replace(verdict, after=length - 1, kind=kind)
