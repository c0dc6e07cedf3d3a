"""After which message a fault first shows: beginnings of the conversation are run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, look
from acpsim.oracles.verdict import Verdict
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.cells import JsonObject
from acpsim.wire.trace import Event

Differences: TypeAlias = list[tuple[str, Difference]]
"""The first difference in each session that differs."""


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


def located(
    verdict: Verdict,
    differences: Callable[[Sequence[Event]], Differences],
    held: Callable[[Sequence[Event], str], JsonObject | None],
) -> Verdict:
    """The verdict with the message after which the two first differ, and how they differ there.

    `differences` tells how they differ after a beginning of the conversation, `held` what the
    target holds of a session then. What is missing in
    the session that a message is for may have landed in one that it is not for: then the verdict
    is about that one, because that is the cause.
    """
    events = verdict.events
    shown: dict[int, Differences] = {}

    def fails(count: int) -> bool:
        shown[count] = differences(events[:count])
        return bool(shown[count])

    length = first_failing(len(events), fails)
    there = shown.get(length) or differences(events[:length])
    if length == 0 or not there:
        return verdict
    own = talk.session_of(events[length - 1])
    elsewhere = [entry for entry in there if own is not None and entry[0] != own]
    session, found = (elsewhere or there)[0]
    return replace(
        verdict,
        session=session,
        difference=found,
        after=length - 1,
        kind=talk.kind_of(events, length - 1),
        before=look(held(events[: length - 1], session), found.steps),
        misrouted=bool(elsewhere) and len(elsewhere) < len(there),
    )


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
