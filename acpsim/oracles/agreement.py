"""The target against the reference, seen through the same interface.

Owns: which sessions are compared, and the verdict on the first difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, first_difference, or_untouched
from acpsim.oracles.explain import explain, in_batches
from acpsim.oracles.locate import Differences, located, located_crash
from acpsim.oracles.verdict import Verdict, crash
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.cells import JsonObject
from acpsim.wire.trace import Event

Events: TypeAlias = tuple[Event, ...]


class ReferenceFailed(RuntimeError):
    """The reference raised. That is our mistake, whatever the peer sent."""


AGREEMENT: Final = "agreement"

ONE_BY_ONE_MAX: Final = 24
"""Messages up to which a fault is tried once more one by one: a shrunk one has far fewer."""


def judge_agreement(
    events: Sequence[Event],
    target: Target,
    *,
    reference: Target,
    sessions: talk.Named | None = None,
    cuts: Sequence[int] = (),
    locate: bool = True,
) -> Verdict | None:
    """The first difference between what the two hold after the conversation, or `None`.

    A fault may heal before the end: the two are compared after `cuts` messages too (in rising
    order), and a verdict that comes from there is about the conversation up to there.

    Compared are all sessions that a message names, in the order of their appearance, and one that
    none names; `sessions` says which, where that is known already. With `locate`, further runs find
    the message after which the difference first shows, and the verdict says what rule that breaks;
    without, it says only where. A target that fails gets a verdict `crash:KIND`. The reference is
    ours: its failure is raised.
    """
    told = tuple(events)
    names = sessions or talk.named(told)
    ends = [*(cut for cut in cuts if 0 < cut < len(told)), len(told)]
    try:
        end, found = _first_end(told, ends, target, reference=reference, names=names)
    except TargetFailure as failure:
        verdict = crash(failure, told)
        return explain(located_crash(verdict, target)) if locate else verdict
    if found is None:
        return None
    session, difference = found
    verdict = Verdict(
        oracle=AGREEMENT,
        text=f"session {session}: {difference.path} is not what the protocol makes of it",
        session=session,
        difference=difference,
        events=told[:end],
    )
    if not locate:
        return verdict

    def after(prefix: Sequence[Event]) -> Differences:
        try:
            _run(prefix, target, reference)
            return list(differences(target, reference, names))
        except TargetFailure:
            return []

    def held(prefix: Sequence[Event], session: str) -> JsonObject | None:
        try:
            target.reset()
            target.apply(prefix)
            return target.snapshot(session)
        except TargetFailure:
            return None

    shown = explain(located(verdict, after, held))
    if shown.after is None or shown.after >= ONE_BY_ONE_MAX:
        return shown
    said = tuple(told[: shown.after + 1])
    return in_batches(shown) if _holds_one_by_one(said, target, reference, names) else shown


def _holds_one_by_one(events: Events, target: Target, reference: Target, names: talk.Named) -> bool:
    """Whether the two agree where the target gets each message by itself."""
    try:
        for one in (reference, target):
            one.reset()
            for event in events:
                one.apply([event])
        return next(differences(target, reference, names), None) is None
    except TargetFailure:
        return False


def _run(events: Sequence[Event], target: Target, reference: Target) -> None:
    for one in (reference, target):
        one.reset()
        one.apply(events)


def _first_end(
    events: Events, ends: Sequence[int], target: Target, *, reference: Target, names: talk.Named
) -> tuple[int, tuple[str, Difference] | None]:
    """The first of these places at which the two differ, and how; the last if they never do."""
    reference.reset()
    target.reset()
    start = 0
    for end in ends:
        try:
            reference.apply(events[start:end])
        except TargetFailure as failure:
            raise ReferenceFailed(failure.text) from failure
        target.apply(events[start:end])
        start = end
        found = next(differences(target, reference, names), None)
        if found is not None:
            return end, found
    return start, None


def differences(
    target: Target, reference: Target, sessions: talk.Named
) -> Iterator[tuple[str, Difference]]:
    """The first difference of each session in which the two differ as they stand.

    One session that no message names is looked at too. Raises `TargetFailure`.
    """
    yield from differences_in(target, reference, sessions.addressed)
    for session in sessions.mentioned:
        expected, actual = reference.snapshot(session), target.snapshot(session)
        found = first_difference(or_untouched(expected), or_untouched(actual), target.sections)
        if found is not None:
            yield session, found
    never = _never_named(sessions)
    found = first_difference(None, target.snapshot(never), target.sections)
    if found is not None:
        yield never, found


def differences_in(
    target: Target, reference: Target, sessions: Iterable[str]
) -> Iterator[tuple[str, Difference]]:
    """The same for these sessions alone, to each of which some message belongs."""
    for session in sessions:
        if _same_bytes(session, target, reference):
            continue
        expected, actual = reference.snapshot(session), target.snapshot(session)
        found = first_difference(expected, actual, target.sections)
        if found is not None:
            yield session, found


def _same_bytes(session: str, target: Target, reference: Target) -> bool:
    """A quick yes, from two targets that can give a snapshot as text without decoding it."""
    one = getattr(reference, "snapshot_bytes", None)
    other = getattr(target, "snapshot_bytes", None)
    if one is None or other is None:
        return False
    return bool(one(session) == other(session))


def _never_named(sessions: talk.Named) -> str:
    name = "never-named"
    while name in sessions.addressed or name in sessions.mentioned:
        name += "-"
    return name
