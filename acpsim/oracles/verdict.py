"""What an oracle says when it objects.

Owns: `Verdict` and what makes two of them the same fault.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from acpsim.oracles.compare import Difference
from acpsim.targets.target import TargetFailure
from acpsim.wire.cells import Json
from acpsim.wire.trace import Event


class FaultKey(NamedTuple):
    """Equal for two verdicts that are the same fault: who objects, against what, and where."""

    oracle: str
    rules: tuple[str, ...]
    place: str


class Verdict(Struct, frozen=True, kw_only=True):
    """One objection to a target.

    `oracle` is `agreement`, `law:NAME` or `crash:KIND`. `events` is the conversation that shows it:
    the one that was judged, or the one that a law made of it, and the one to judge again when the
    fault is shrunk. `variant` is the second conversation that a law held it against, if any.
    `after` is the index in `events` of the message after which the fault first shows; `kind` is
    what that message is.
    """

    oracle: str
    text: str
    rules: tuple[str, ...] = ()
    session: str | None = None
    difference: Difference | None = None
    events: tuple[Event, ...] = ()
    variant: tuple[Event, ...] = ()
    after: int | None = None
    kind: str | None = None
    before: Json | UnsetType = UNSET
    """What stood at the place of the difference before that message."""
    misrouted: bool = False
    """What another session holds too much of is missing in the one that the message was for."""
    signature: str = ""
    """For a crash: equal for two failures of one cause."""
    last_words: str = ""

    @property
    def key(self) -> FaultKey:
        """What tells distinct faults apart."""
        if self.difference is not None:
            return FaultKey(self.oracle, self.rules, self.difference.place)
        return FaultKey(self.oracle, self.rules, self.signature or self.kind or "")


def crash(failure: TargetFailure, events: tuple[Event, ...]) -> Verdict:
    """The verdict on a target that gave no usable answer in this conversation."""
    return Verdict(
        oracle=f"crash:{failure.kind}",
        text=failure.text,
        events=events,
        signature=failure.signature,
        last_words=failure.last_words,
    )
