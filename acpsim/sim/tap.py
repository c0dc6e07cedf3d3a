"""What observers see of a run: the same conversation as the client, the agent and the wire saw it.

Owns: `Tap` and the three traces. Each message has the time at which it was sent and the time at
which it was received; an observer's order is that of its own times:

- `agent` and `client` see what they send when they send it and what they receive when it arrives;
- `wire` sits between them: half-way on a link that keeps order, else where a message departs,
  before any overtaking.

A line is written once its message has arrived or is lost, so that `recv` is always right; what is
held meanwhile is what is in flight, never the trace.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import Direction

Observer: TypeAlias = Literal["client", "agent", "wire"]
OBSERVERS: Final[tuple[Observer, ...]] = ("client", "agent", "wire")

Write: TypeAlias = Callable[[bytes], object]

FLUSH_EVERY: Final = 256
"""Arrivals between two looks at what can be written: what is held stays small, and cheap."""

_SENT, _RECEIVED, _LOST = 0, 1, 2


class Record:
    """One message on its way. `received_s` is when it was lost, once it is lost."""

    __slots__ = (
        *("direction", "followers", "message", "number", "raw", "received_s", "sent_s", "state"),
    )

    def __init__(
        self, direction: Direction, message: JsonObject, raw: bytes, sent_s: float, arrives_s: float
    ) -> None:
        self.direction = direction
        self.message = message
        self.raw = raw
        self.sent_s = sent_s
        self.received_s = arrives_s
        self.number = 0
        self.state = _SENT
        self.followers: list[Passed] | None = None
        """Messages that arrive in the same moment, right behind it, with nobody acting on them."""


class Passed(NamedTuple):
    """A message that will arrive for certain, with nobody acting on that: it needs no `Record`."""

    direction: Direction
    raw: bytes
    sent_s: float
    received_s: float


class _Trace:
    """One observer's lines, written in its order as soon as they are certain.

    What is held is put in order only when lines are written: it comes nearly in order, and sorting
    that costs less than keeping a heap.
    """

    __slots__ = ("_write", "expect", "held")

    def __init__(self, write: Write) -> None:
        self._write = write
        self.held: list[tuple[float, int, Record | Passed | None]] = []
        self.expect = self.held.append
        """Takes when, a number that tells messages of one moment apart, and what."""

    def flush(self, now_s: float) -> None:
        """Write every line up to `now_s` whose message's fate is known."""
        held = self.held
        held.sort()
        write, done = self._write, 0
        try:
            for at_s, _, seen in held:
                if at_s > now_s or (isinstance(seen, Record) and seen.state == _SENT):
                    break
                done += 1
                line = _line(at_s, seen)
                if line:
                    write(line)
        finally:
            # Also when Ctrl-C comes in between: no line is written twice.
            del held[:done]

    def give_up(self, now_s: float) -> None:
        """Nothing more will arrive: write what is left as far as this observer saw it."""
        for at, (at_s, number, seen) in enumerate(self.held):
            if isinstance(seen, Passed) and seen.received_s > now_s:
                seen = Record(seen.direction, {}, seen.raw, seen.sent_s, now_s)
                self.held[at] = (at_s, number, seen)
            if isinstance(seen, Record) and seen.state == _SENT:
                seen.state = _LOST
                seen.received_s = now_s
        self.flush(math.inf)


def _line(at_s: float, seen: Record | Passed | None) -> bytes:
    """The line of what was seen; empty for what did not come as far as this observer."""
    if seen is None:
        return b'{"t":%.6f,"dir":"lost"}\n' % at_s
    if type(seen) is Passed or seen.state == _RECEIVED:  # type: ignore[union-attr]
        return b'{"t":%.6f,"dir":"%b","msg":%b,"sent":%.6f,"recv":%.6f}\n' % (
            (at_s, _NAMES[seen.direction], seen.raw, seen.sent_s, seen.received_s)
        )
    if at_s > seen.received_s:
        return b""  # It was under way when the connection broke.
    return b'{"t":%.6f,"dir":"%b","msg":%b,"sent":%.6f}\n' % (
        (at_s, _NAMES[seen.direction], seen.raw, seen.sent_s)
    )


_NAMES: Final[dict[Direction, bytes]] = {"c2a": b"c2a", "a2c": b"a2c"}


class Tap:
    """Where all messages of a run pass. `writers` says which observers' traces are wanted."""

    waits: bool = False
    """Whether it wants to be told of each arrival at its time, also where nobody else does."""

    def __init__(self, writers: Mapping[Observer, Write], header: Mapping[str, object]) -> None:
        self.messages = 0
        self._traces: dict[Observer, _Trace] = {}
        for observer in OBSERVERS:
            if observer in writers:
                write = writers[observer]
                head = {"acpsim": "trace/1", "observer": observer, **header}
                write(msgspec.json.encode(head) + b"\n")
                self._traces[observer] = _Trace(write)
        self._client = self._traces.get("client")
        self._agent = self._traces.get("agent")
        self._wire = self._traces.get("wire")
        self._ends = self._client is not None or self._agent is not None
        self._numbers = 0
        self._unflushed = 0
        self._flush_at = FLUSH_EVERY

    def send(self, record: Record, *, in_order: bool) -> None:
        """A message leaves one end; it will arrive at `received_s` unless it is lost.

        `in_order` says that its link keeps order, so that half-way is a point that it passes in
        order too.
        """
        self.messages += 1
        self._numbers = number = self._numbers + 1
        record.number = number
        sender = self._client if record.direction == "c2a" else self._agent
        if sender is not None:
            sender.expect((record.sent_s, number, record))
        wire = self._wire
        if wire is not None:
            sent_s = record.sent_s
            at_s = (sent_s + record.received_s) / 2 if in_order else sent_s
            wire.expect((at_s, number, record))

    def receive(self, record: Record) -> None:
        """The message has arrived, now."""
        record.state = _RECEIVED
        receiver = self._agent if record.direction == "c2a" else self._client
        if receiver is not None:
            self._numbers += 1
            receiver.expect((record.received_s, self._numbers, record))
            if record.followers is not None:
                for follower in record.followers:
                    self._numbers += 1
                    receiver.expect((follower.received_s, self._numbers, follower))
        self._unflushed += 1
        if self._unflushed >= self._flush_at:
            self._flush(record.received_s)

    def passes(self, seen: Passed, leader: Record | None) -> None:
        """A message leaves on a link that keeps order. `leader` arrives in the same moment before
        it, and is heard.
        """
        self.messages += 1
        number = self._numbers + 1
        self._numbers = number + 1
        _, _, sent_s, received_s = seen
        if self._wire is not None:
            self._wire.expect(((sent_s + received_s) / 2, number, seen))
        if self._ends:
            self._at_the_ends(seen, number, leader)
        self._unflushed += 1
        if self._unflushed >= self._flush_at:
            self._flush(sent_s)

    def _at_the_ends(self, seen: Passed, number: int, leader: Record | None) -> None:
        ends = (self._client, self._agent)
        sender, receiver = ends if seen.direction == "c2a" else ends[::-1]
        if sender is not None:
            sender.expect((seen.sent_s, number, seen))
        if receiver is None:
            return
        if leader is None:
            receiver.expect((seen.received_s, number + 1, seen))
        elif leader.followers is None:
            leader.followers = [seen]
        else:
            leader.followers.append(seen)

    def _flush(self, now_s: float) -> None:
        """Write what can be written. The more is left, the later the next look: a look costs as
        much as it looks at.
        """
        self._unflushed = 0
        self._flush_at = FLUSH_EVERY
        for trace in self._traces.values():
            trace.flush(now_s)
            self._flush_at = max(self._flush_at, len(trace.held))

    def lose(self, record: Record, now_s: float) -> None:
        """The message will never arrive: its sender has it, and the wire if it came so far."""
        record.state = _LOST
        record.received_s = now_s

    def cut(self, now_s: float) -> None:
        """The connection broke here."""
        self._numbers += 1
        for trace in self._traces.values():
            trace.expect((now_s, self._numbers, None))
            trace.flush(now_s)

    def finish(self, now_s: float) -> None:
        """Write all that is left. A message still in flight counts as lost."""
        for trace in self._traces.values():
            trace.give_up(now_s)
