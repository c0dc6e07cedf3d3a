"""The record of a conversation: events, their header, and the JSON lines they are kept in.

First version (reading of bare logs and tolerance of bad bytes come next).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from acpsim.wire.jsonrpc import Direction, Flaw
from acpsim.wire.methods import AnyMessage
from acpsim.wire.parse import read_message, read_value

EventDirection: TypeAlias = Literal["c2a", "a2c", "lost"]
Observer: TypeAlias = Literal["wire", "client", "agent"]


class Event(Struct, frozen=True, kw_only=True):
    """One line of a trace: a message and its direction, or the loss of the connection."""

    dir: EventDirection
    message: AnyMessage | None = None
    raw: bytes = b""
    flaws: tuple[Flaw, ...] = ()
    line: int = 0
    t: float = 0.0
    sent: float | None = None
    recv: float | None = None

    def json(self) -> Any:
        """The message as a fresh JSON value."""
        return msgspec.json.decode(self.raw)

    def as_json(self) -> JsonObject:
        """The event as targets get it, fresh."""
        if self.dir == "lost":
            return {"dir": "lost"}
        return {"dir": self.dir, "msg": self.json()}


def event(
    direction: Direction,
    msg: JsonObject | bytes,
    *,
    edition: Edition,
    line: int = 0,
    t: float = 0.0,
) -> Event:
    """The event of a message, given as JSON text or as a JSON value (which is copied)."""
    if isinstance(msg, bytes):
        raw, reading = msg, read_message(msg, edition)
    else:
        reading = read_value(msg, edition)
        raw = msgspec.json.encode(msg)
    return Event(
        dir=direction, message=reading.message, raw=raw, flaws=reading.flaws, line=line, t=t
    )


def lost(*, line: int = 0, t: float = 0.0) -> Event:
    """The event that the connection broke."""
    return Event(dir="lost", line=line, t=t)


class Diagnostic(Struct, frozen=True, kw_only=True):
    """A remark about something unreadable or unusable, at a line of the trace (0: none)."""

    line: int
    text: str


class Header(Struct, frozen=True, kw_only=True):
    """What the first line of a trace may say."""

    edition: str | UnsetType = UNSET
    observer: Observer = "wire"
    complete: bool = False
    extra: JsonObject = msgspec.field(default_factory=dict)


class Trace(Struct, frozen=True, kw_only=True):
    """A whole trace in memory."""

    header: Header
    edition: Edition
    events: list[Event]
    diagnostics: list[Diagnostic]


_KNOWN: Final = ("acpsim", "edition", "observer", "complete")


class TraceReader:
    """Iterates over the events of a trace, line by line; holds no line that it has passed."""

    def __init__(self, stream: Iterable[bytes], *, edition: Edition | None = None) -> None:
        self._stream = stream
        self._given = edition
        self.header = Header()
        self.edition = edition or DRAFT
        self.diagnostics: list[Diagnostic] = []
        self.messages = 0

    def __iter__(self) -> Iterator[Event]:
        for number, line in enumerate(self._stream, 1):
            try:
                value = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                self.diagnostics.append(Diagnostic(line=number, text=f"not JSON: {error}"))
                continue
            if not isinstance(value, dict):
                self.diagnostics.append(Diagnostic(line=number, text="not a JSON object"))
            elif "acpsim" in value:
                self._head(value)
            elif value.get("dir") == "lost":
                yield lost(line=number, t=float(value.get("t", 0.0)))
            elif isinstance(value.get("msg"), dict):
                self.messages += 1
                yield event(
                    value["dir"],
                    value["msg"],
                    edition=self.edition,
                    line=number,
                    t=float(value.get("t", 0.0)),
                )

    def _head(self, value: JsonObject) -> None:
        extra = {key: entry for key, entry in value.items() if key not in _KNOWN}
        self.header = Header(
            edition=value.get("edition", UNSET),
            observer=value.get("observer", "wire"),
            complete=bool(value.get("complete", False)),
            extra=extra,
        )
        if self._given is None:
            self.edition = EDITIONS.get(str(self.header.edition), DRAFT)


def read_trace(stream: Iterable[bytes], *, edition: Edition | None = None) -> Trace:
    """Read a whole trace."""
    reader = TraceReader(stream, edition=edition)
    events = list(reader)
    return Trace(
        header=reader.header,
        edition=reader.edition,
        events=events,
        diagnostics=reader.diagnostics,
    )


def encode_trace(trace: Trace) -> Iterator[bytes]:
    """The lines of a trace file: the header, then each event with its message as it came."""
    yield encode_header(trace.header)
    for entry in trace.events:
        yield encode_event(entry)


def encode_header(header: Header) -> bytes:
    """The first line of a trace file."""
    head: JsonObject = {"acpsim": "trace/1"}
    if header.edition is not UNSET:
        head["edition"] = header.edition
    head |= {"observer": header.observer, "complete": header.complete, **header.extra}
    return msgspec.json.encode(head) + b"\n"


def encode_event(entry: Event) -> bytes:
    """One line of a trace file."""
    line: JsonObject = {"t": entry.t, "dir": entry.dir}
    if entry.dir != "lost":
        line["msg"] = msgspec.Raw(entry.raw)
    if entry.sent is not None:
        line["sent"] = entry.sent
    if entry.recv is not None:
        line["recv"] = entry.recv
    return msgspec.json.encode(line) + b"\n"


def write_trace(stream: BinaryIO, trace: Trace) -> None:
    """Write a trace file."""
    for line in encode_trace(trace):
        stream.write(line)
