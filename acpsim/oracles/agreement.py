"""The target against the reference, seen through the same interface.

Owns: which sessions are compared, the verdict on the first difference, and the search for the
message after which it first shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, first_difference
from acpsim.oracles.explain import explain
from acpsim.oracles.verdict import Verdict, crash
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.cells import JsonObject
from acpsim.wire.trace import Event

Events: TypeAlias = tuple[Event, ...]

AGREEMENT: Final = "agreement"

UNTOUCHED: Final[JsonObject] = {
    "timeline": [],
    "messages": {
        "user_message": {},
        "agent_message": {},
        "agent_thought": {},
        "session_message": {},
    },
    "toolCalls": {},
    "terminals": {},
    "plans": {},
    "compactions": {},
    "subagents": {},
    "foreground": {
        "state": "idle",
        "confirmed": True,
        "stopReason": None,
        "error": None,
        "usage": None,
        "completions": 0,
    },
    "prompts": [],
    "permissions": [],
    "commands": [],
    "configOptions": [],
    "info": {"title": None, "updatedAt": None, "meta": None},
    "usage": None,
    "notices": [],
    "unknown": [],
    "closed": False,
}
"""A session of which nothing is known yet ("Canonical snapshot")."""


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
        return _located_crash(verdict, target) if locate else verdict
    if found is None:
        return None
    told = told[:end]
    session, difference = found
    verdict = Verdict(
        oracle=AGREEMENT,
        text=f"session {session}: {difference.path} is not what the protocol makes of it",
        session=session,
        difference=difference,
        events=told,
    )
    return explain(_located(verdict, target, reference)) if locate else verdict


def _first_end(
    events: Events, ends: Sequence[int], target: Target, *, reference: Target, names: talk.Named
) -> tuple[int, tuple[str, Difference] | None]:
    """The first of these places at which the two differ, and how; the last if they never do."""
    reference.reset()
    target.reset()
    start = 0
    for end in ends:
        reference.apply(events[start:end])
        target.apply(events[start:end])
        start = end
        found = _compare(target, reference, names)
        if found is not None:
            return end, found
    return start, None


def _compare(
    target: Target, reference: Target, sessions: talk.Named
) -> tuple[str, Difference] | None:
    for session in sessions.addressed:
        if _same_bytes(session, target, reference):
            continue
        expected, actual = reference.snapshot(session), target.snapshot(session)
        found = first_difference(expected, actual, target.sections)
        if found is not None:
            return session, found
    for session in sessions.mentioned:
        expected, actual = reference.snapshot(session), target.snapshot(session)
        found = first_difference(_or_untouched(expected), _or_untouched(actual), target.sections)
        if found is not None and not _only_edition(found):
            return session, found
    never = _never_named(sessions)
    found = first_difference(None, target.snapshot(never), target.sections)
    return None if found is None else (never, found)


def _same_bytes(session: str, target: Target, reference: Target) -> bool:
    """A quick yes, from two targets that can give a snapshot as text without decoding it."""
    one = getattr(reference, "snapshot_bytes", None)
    other = getattr(target, "snapshot_bytes", None)
    if one is None or other is None:
        return False
    return bool(one(session) == other(session))


def _or_untouched(snapshot: JsonObject | None) -> JsonObject:
    return UNTOUCHED if snapshot is None else snapshot


def _only_edition(found: Difference) -> bool:
    """A part that only one edition has, and of which nothing is known."""
    return found.expected in (UNSET, None) and found.actual in (UNSET, None)


def _never_named(sessions: talk.Named) -> str:
    name = "never-named"
    while name in sessions.addressed or name in sessions.mentioned:
        name += "-"
    return name


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


def _located(verdict: Verdict, target: Target, reference: Target) -> Verdict:
    """The verdict with the difference as it first shows at that message."""
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
    return replace(
        verdict,
        difference=shown.get(length, verdict.difference),
        after=length - 1,
        kind=talk.kind_of(events, length - 1),
    )


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
    sections = _sections_of(verdict.difference, target.sections)
    if expected is None and actual is None:
        return None
    return first_difference(_or_untouched(expected), _or_untouched(actual), sections)


def _sections_of(difference: Difference | None, sections: Sequence[str]) -> list[str]:
    if difference is None or not difference.steps:
        return list(sections)
    section = difference.steps[0]
    return [path for path in sections if path.partition(".")[0] == section]


def _located_crash(verdict: Verdict, target: Target) -> Verdict:
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
    return explain(replace(verdict, after=length - 1, kind=kind))
