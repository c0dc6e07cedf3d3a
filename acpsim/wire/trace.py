"""The record of a conversation: events, their header, and the JSON lines they are kept in.

Owns: the trace file as the contracts describe it, and `TraceReader`, which reads one, or a bare log
of messages, without ever holding more than a line. What a line has that cannot be read is a
diagnostic with its number, and reading goes on. Writing an event and reading it again gives the
same event, and writing that the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.direction import Directions
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from acpsim.wire.event import Diagnostic, Event, EventDirection, event, is_raw, lost
from acpsim.wire.frames import Line, decode_line, decode_loose, keys_of, read_whole
from acpsim.wire.jsonrpc import (
    Direction,
    Flaw,
    Malformed,
)
from acpsim.wire.lines import LINE_BYTES_MAX, mended, numbered, repeated_key
from acpsim.wire.methods import AnyMessage
from acpsim.wire.parse import NOT_STRICT, reader, why_unreadable
from acpsim.wire.shapes import json_word

__all__ = [
    "Diagnostic",
    "Event",
    "EventDirection",
    "Header",
    "Observer",
    "Trace",
    "TraceReader",
    "encode_event",
    "encode_header",
    "encode_trace",
    "event",
    "lost",
    "read_trace",
    "write_trace",
]

Observer: TypeAlias = Literal["wire", "client", "agent"]

FORMAT: Final = "trace/1"

DIAGNOSTICS_MAX: Final = 10_000
"""How many diagnostics a reader keeps: a large file of something else must not fill the memory."""


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


_decode: Final = msgspec.json.Decoder().decode
_encode: Final = msgspec.json.Encoder().encode


class TraceReader:
    """Iterates over the events of a trace, once; holds no line that it has passed.

    `edition` is the header's unless one is given, `draft` without either; it and `header` are
    known once the first event is. `diagnostics` grows while it reads: about lines, not about what
    messages say. Raises nothing of its own.
    """

    def __init__(
        self, stream: BinaryIO | Iterable[bytes], *, edition: Edition | None = None
    ) -> None:
        self._stream = stream
        self._given = edition
        self.header = Header()
        self.edition = edition or DRAFT
        self._reader = reader(self.edition)
        self.diagnostics: list[Diagnostic] = []
        self.messages = 0
        """How many events so far were messages."""
        self._number = 0
        self._line = b""
        """The line that is being read."""
        self._mended: tuple[str, ...] = ()
        """What had to be done to its text."""
        self._t = 0.0
        self._started = False
        self._directions: Directions | None = None

    def __iter__(self) -> Iterator[Event]:
        for number, line in numbered(self._stream):
            self._number = number
            if line is None:
                self._remark(f"is longer than {LINE_BYTES_MAX} bytes: skipped")
                continue
            self._line, self._mended = line, ()
            told = self._read()
            self._started = True
            if told is not None:
                self.messages += told.message is not None
                yield told

    def _remark(self, text: str) -> None:
        kept = len(self.diagnostics)
        if kept < DIAGNOSTICS_MAX:
            last = kept == DIAGNOSTICS_MAX - 1
            text = "more remarks than this are not kept" if last else text
            self.diagnostics.append(Diagnostic(line=self._number, text=text))

    def _read(self) -> Event | None:
        whole = read_whole(self._line, self._reader.looks)
        if whole is None:
            return self._read_carefully()
        quick, raw = whole
        return Event(
            dir=quick.dir,
            message=quick.msg,
            raw=raw,
            line=self._number,
            t=self._time(quick.t),
            sent=quick.sent,
            recv=quick.recv,
        )

    def _read_carefully(self) -> Event | None:
        try:
            frame = decode_line(self._line)
        except NOT_STRICT:
            loose = self._read_closely()
            if loose is None:
                return None
            frame = loose
        direction = _WAYS.get(frame.dir)
        if direction is not None:
            return self._framed(frame, direction)
        if frame.dir == "lost":
            return lost(line=self._number, t=self._time(frame.t))
        if frame.acpsim is not UNSET:
            self._head()
        elif frame.dir is UNSET and frame.msg is UNSET:
            return self._bare()
        else:
            seen = "no dir" if frame.dir is UNSET else f"the dir {frame.dir!r}"
            self._remark(f"has {seen}; c2a, a2c and lost are known: skipped")
        return None

    def _framed(self, frame: Line, direction: Direction) -> Event | None:
        t = self._time(frame.t)
        if frame.msg is not UNSET:
            text = bytes(frame.msg)
        elif frame.raw is not UNSET:
            text = frame.raw.encode()
        else:
            self._remark("has neither msg nor raw: skipped")
            return None
        message, flaws, raw = self._reader.take(text)
        if frame.msg is not UNSET:
            self._say_what_is_odd(message, flaws, frame)
            if type(message) is Malformed and message.value is UNSET:
                return None
        return Event(
            dir=direction,
            message=message,
            raw=raw,
            flaws=self._all_flaws(flaws) if self._mended else flaws,
            line=self._number,
            t=t,
            sent=frame.sent,
            recv=frame.recv,
        )

    def _bare(self) -> Event | None:
        message, flaws, raw = self._reader.take(self._line.strip())
        self._say_what_is_odd(message, flaws, None)
        if isinstance(message, Malformed) and message.kind == "unreadable":
            if not is_raw(message):
                self._remark("is neither an event nor a JSON-RPC message: skipped")
            return None
        if self._directions is None:
            self._directions = Directions(self.edition)
        direction, doubt = self._directions.of(message, self._number)
        if doubt is not None:
            self._remark(doubt)
        flaws = self._all_flaws(flaws)
        return Event(
            dir=direction, message=message, raw=raw, flaws=flaws, line=self._number, t=self._t
        )

    def _all_flaws(self, flaws: tuple[Flaw, ...]) -> tuple[Flaw, ...]:
        return (*(Flaw("$", text) for text in self._mended), *flaws)

    def _say_what_is_odd(
        self, message: AnyMessage, flaws: tuple[Flaw, ...], frame: Line | None
    ) -> None:
        if is_raw(message):
            self._remark(flaws[-1].text)
            return
        for flaw in flaws:
            if flaw.path == "$" and flaw.dropped:
                self._remark(flaw.text)
        # A line with as many keys as its message has fields needs no search for one that stands
        # twice, which takes longer than all else.
        if self._line.count(b'":') != keys_of(message, frame):
            key = repeated_key(self._line)
            if key is not None:
                self._remark(f"has the key {key!r} twice in one object; the last counts")

    def _read_closely(self) -> Line | None:
        """A line that does not decode as it should: mended, and each field for itself."""
        self._line, self._mended = mended(self._line)
        for text in self._mended:
            self._remark(text)
        try:
            loose = decode_loose(self._line)
        except NOT_STRICT:
            self._remark(f"{_why_no_object(self._line)}: skipped")
            return None
        told: dict[str, Any] = {"acpsim": loose.acpsim, "msg": loose.msg}
        for name, kind, word in _FIELDS:
            raw = getattr(loose, name)
            if raw is UNSET:
                continue
            try:
                told[name] = msgspec.json.decode(raw, type=kind)
            except NOT_STRICT:
                self._remark(f"{name} is not {word}: left out")
        return Line(**told)

    def _time(self, t: float | UnsetType) -> float:
        if t is UNSET:
            return self._t
        if t < self._t:
            self._remark(f"t goes back, from {self._t:g} to {t:g}")
        self._t = t
        return t

    def _head(self) -> None:
        if self._started:
            self._remark("is a header, but not the first line: ignored")
            return
        try:
            value: JsonObject = _decode(self._line)
        except NOT_STRICT as error:
            self._remark(f"{why_unreadable(error)}: skipped")
            return
        said = value["acpsim"]
        if said != FORMAT:
            said = repr(said) if isinstance(said, str) else json_word(said)
            self._remark(f"says that it is {said}; it is read as {FORMAT!r}")
        told: JsonObject = {}
        for name, fits, word in _HEADER:
            if name in value and fits(value[name]):
                told[name] = value[name]
            elif name in value:
                self._remark(f"{name} is not {word}: left out")
        extra = {name: entry for name, entry in value.items() if name not in _HEADER_NAMES}
        self.header = Header(**told, extra=extra)
        self._choose_edition()

    def _choose_edition(self) -> None:
        name = self.header.edition
        if self._given is not None or name is UNSET:
            return
        if name not in EDITIONS:
            known = ", ".join(EDITIONS)
            self._remark(f"no edition {name!r}, known are {known}: read as draft")
        self.edition = EDITIONS.get(name, DRAFT)
        self._reader = reader(self.edition)


_WAYS: Final[dict[str | UnsetType, Direction]] = {"c2a": "c2a", "a2c": "a2c"}
_FIELDS: Final[tuple[tuple[str, Any, str], ...]] = (
    ("dir", str, "a string"),
    ("raw", str, "a string"),
    ("t", float, "a number"),
    ("sent", float | None, "a number"),
    ("recv", float | None, "a number"),
)
_HEADER: Final[tuple[tuple[str, Callable[[Json], bool], str], ...]] = (
    ("edition", lambda value: isinstance(value, str), "a string"),
    ("observer", lambda value: value in ("wire", "client", "agent"), "wire, client or agent"),
    ("complete", lambda value: isinstance(value, bool), "true or false"),
)
_HEADER_NAMES: Final = frozenset({"acpsim", "edition", "observer", "complete"})


def _why_no_object(line: bytes) -> str:
    try:
        return f"is {json_word(_decode(line))}, not an object"
    except NOT_STRICT as error:
        return why_unreadable(error)


def read_trace(stream: BinaryIO | Iterable[bytes], *, edition: Edition | None = None) -> Trace:
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
    head: JsonObject = {"acpsim": FORMAT}
    if header.edition is not UNSET:
        head["edition"] = header.edition
    head |= {"observer": header.observer, "complete": header.complete, **header.extra}
    return _encode(head) + b"\n"


def encode_event(entry: Event) -> bytes:
    """One line of a trace file."""
    line: JsonObject = {"t": entry.t, "dir": entry.dir}
    if is_raw(entry.message):
        line["raw"] = entry.raw.decode(errors="replace")
    elif entry.dir != "lost":
        # A line end can only stand between the tokens of JSON text, where any space would do.
        line["msg"] = Raw(entry.raw.replace(b"\n", b" ").replace(b"\r", b" "))
    if entry.sent is not None:
        line["sent"] = entry.sent
    if entry.recv is not None:
        line["recv"] = entry.recv
    return _encode(line) + b"\n"


def write_trace(stream: BinaryIO, trace: Trace) -> None:
    """Write a trace file."""
    for line in encode_trace(trace):
        stream.write(line)
