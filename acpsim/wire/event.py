"""One thing that happened on a connection, as it is handed from the wire to everybody else.

Owns: `Event`, how one is made from a message, and `Diagnostic`, a remark about one.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction, Flaw, Malformed
from acpsim.wire.methods import AnyMessage
from acpsim.wire.parse import NOT_STRICT, json_text, reader, unreadable

EventDirection: TypeAlias = Literal["c2a", "a2c", "lost"]


class Event(Struct, frozen=True, gc=False, kw_only=True):
    """One line of a trace: a message and its direction, or the loss of the connection."""

    dir: EventDirection
    message: AnyMessage | None = None
    """`None` where the connection was lost."""
    raw: bytes = b""
    """The message's JSON text; what was sent instead, where that is no JSON."""
    flaws: tuple[Flaw, ...] = ()
    line: int = 0
    """Where the event stands in its trace, from 1; 0 for nowhere."""
    t: float = 0.0
    sent: float | None = None
    recv: float | None = None

    def json(self) -> Json:
        """The message as a fresh JSON value; `UNSET` where there is none."""
        try:
            return msgspec.json.decode(self.raw)
        except NOT_STRICT:
            return UNSET

    def as_json(self) -> JsonObject:
        """The event as targets get it, fresh."""
        if self.dir == "lost":
            return {"dir": "lost"}
        if is_raw(self.message):
            return {"dir": self.dir, "raw": self.raw.decode(errors="replace")}
        return {"dir": self.dir, "msg": self.json()}


def is_raw(message: AnyMessage | None) -> bool:
    """Whether a line is kept as text, because it was no JSON object."""
    return (
        isinstance(message, Malformed)
        and message.kind == "unreadable"
        and not isinstance(message.value, dict)
    )


def event(
    direction: Direction,
    msg: JsonObject | bytes,
    *,
    edition: Edition,
    line: int = 0,
    t: float = 0.0,
) -> Event:
    """The event of a message, given as JSON text or as a JSON value (which is copied)."""
    if not isinstance(msg, bytes):
        try:
            msg = json_text(msg)
        except (TypeError, ValueError, RecursionError) as error:
            message, flaws = unreadable(f"is no JSON value: {error}")
            return Event(dir=direction, message=message, flaws=flaws, line=line, t=t)
    message, flaws, raw = reader(edition).take(msg)
    return Event(dir=direction, message=message, raw=raw, flaws=flaws, line=line, t=t)


def lost(*, line: int = 0, t: float = 0.0) -> Event:
    """The event that the connection broke."""
    return Event(dir="lost", line=line, t=t)


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A remark about something unreadable or unusable, at a line of the trace (0: none)."""

    line: int
    text: str
