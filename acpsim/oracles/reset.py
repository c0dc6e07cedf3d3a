"""The oracle that `reset` leaves nothing behind.

Owns: `judge_reset`. It is asked where a conversation failed in a process that had seen others, and
holds in one that has not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.verdict import Verdict
from acpsim.targets.target import Target
from acpsim.wire.trace import Event

RESET: Final = "reset"
"""The name of the oracle."""
LEFT: Final = "the state of an earlier case is left after reset"


def judge_reset(events: Sequence[Event], target: Target, *, reference: Target) -> Verdict | None:
    """The verdict where the conversation holds once, and no longer when it is told again after a
    `reset`. One that fails the first time gets the verdict of agreement.
    """
    first = judge_agreement(events, target, reference=reference)
    if first is not None:
        return first
    again = judge_agreement(events, target, reference=reference)
    if again is None:
        return None
    return replace(
        again,
        oracle=RESET,
        rules=(),
        text=f"{LEFT}: told a second time, after a reset, this conversation fails: {again.text}",
        events=tuple(events),
    )
