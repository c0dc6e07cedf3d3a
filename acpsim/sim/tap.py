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

import heapq
import math
from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

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

    __slots__ = ("direction", "message", "number", "raw", "received_s", "sent_s", "state")

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


class _Trace:
    """One observer's lines, written in its order as soon as they are certain."""

    __slots__ = ("_write", "heap")

    def __init__(self, write: Write) -> None:
        self._write = write
        self.heap: list[tuple[float, int, Record | None]] = []

    def expect(self, at_s: float, number: int, record: Record | None) -> None:
        heapq.heappush(self.heap, (at_s, number, record))

    def flush(self, now_s: float) -> None:
        """Write every line up to `now_s` whose message's fate is known."""
        heap = self.heap
        while heap and heap[0][0] <= now_s:
            at_s, _, record = heap[0]
            if record is not None and record.state == _SENT:
                return
            heapq.heappop(heap)
            self._line(at_s, record)

    def give_up(self, now_s: float) -> None:
        """Nothing more will arrive: write what is left as far as this observer saw it."""
        for _, _, record in self.heap:
            if record is not None and record.state == _SENT:
                record.state = _LOST
                record.received_s = now_s
        self.flush(math.inf)

    def _line(self, at_s: float, record: Record | None) -> None:
        if record is None:
            self._write(b'{"t":%.6f,"dir":"lost"}\n' % at_s)
            return
        if record.state == _LOST and at_s > record.received_s:
            return  # It had not come as far as this observer when the connection broke.
        direction = b"c2a" if record.direction == "c2a" else b"a2c"
        if record.state == _RECEIVED:
            self._write(
                b'{"t":%.6f,"dir":"%b","msg":%b,"sent":%.6f,"recv":%.6f}\n'
                % (at_s, direction, record.raw, record.sent_s, record.received_s)
            )
        else:
            self._write(
                b'{"t":%.6f,"dir":"%b","msg":%b,"sent":%.6f}\n'
                % (at_s, direction, record.raw, record.sent_s)
            )


class Tap:
    """Where all messages of a run pass. `writers` says which observers' traces are wanted."""

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
        self._numbers = 0
        self._unflushed = 0

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
            sender.expect(record.sent_s, number, record)
        wire = self._wire
        if wire is not None:
            sent_s = record.sent_s
            at_s = (sent_s + record.received_s) / 2 if in_order else sent_s
            heapq.heappush(wire.heap, (at_s, number, record))

    def receive(self, record: Record) -> None:
        """The message has arrived, now."""
        record.state = _RECEIVED
        receiver = self._agent if record.direction == "c2a" else self._client
        if receiver is not None:
            self._numbers += 1
            receiver.expect(record.received_s, self._numbers, record)
        self._unflushed += 1
        if self._unflushed >= FLUSH_EVERY:
            self._unflushed = 0
            for trace in self._traces.values():
                trace.flush(record.received_s)

    def lose(self, record: Record, now_s: float) -> None:
        """The message will never arrive: its sender has it, and the wire if it came so far."""
        record.state = _LOST
        record.received_s = now_s

    def cut(self, now_s: float) -> None:
        """The connection broke here."""
        self._numbers += 1
        for trace in self._traces.values():
            trace.expect(now_s, self._numbers, None)
            trace.flush(now_s)

    def finish(self, now_s: float) -> None:
        """Write all that is left. A message still in flight counts as lost."""
        for trace in self._traces.values():
            trace.give_up(now_s)
