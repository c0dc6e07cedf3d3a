"""One direction of the connection: when what was sent arrives, and what does not.

Owns: `Link`. Delay lives here and never in client or agent. Three orders are known:

- `fifo`: nothing overtakes anything (stdio).
- `streams`: responses travel on a stream of their own, so that they and everything else overtake
  each other; within each of the two nothing does (HTTP transports, an SDK's dispatch queues).
- `any`: updates of different entities overtake each other too, by at most `window_s`. Messages of
  one *lane* (an entity) keep their order, and so does everything of a session with a message that
  names no lane: a state report, a request, the answer that closes or opens a session.

A link costs one scheduled event for each message; it is no process. Where nobody acts on a
message's arrival, it costs not even that: when it arrives is known as it is sent. What is in flight
when the connection is cut is lost, and says so to the tap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias

import simpy

from acpsim.sim.distributions import Draws
from acpsim.sim.measure import Measure
from acpsim.sim.tap import Passed, Record, Tap
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import Direction

Order: TypeAlias = Literal["fifo", "streams", "any"]
Receiver: TypeAlias = Callable[[JsonObject], None]

RESPONSES: Final = "responses"
"""The lane of responses where the order is `streams`."""
REST: Final = "rest"
"""The lane of requests and notifications where the order is `streams`."""

LATEST: Final = "\0latest"
"""The key under which a session's latest arrival is kept; no lane has such a name."""

_PRUNE_AT: Final = 4096
"""Lanes remembered before those whose last message has arrived are forgotten."""


class Delivery(simpy.Event):
    """A message's arrival: an event that is triggered from the start, as a time-out is."""

    __slots__ = ()

    def __init__(
        self,
        env: simpy.Environment,
        record: Record,
        deliver: Callable[[simpy.Event], None],
        delay_s: float,
    ) -> None:
        # As `simpy.events.Timeout` sets itself up, with its one callback in place.
        self.env = env
        self.callbacks = [deliver]
        self._value = record
        self._ok = True
        env.schedule(self, delay=delay_s)


class Link:
    """One direction of one connection.

    `latency` and `jitter` draw seconds; `bandwidth_Bps` (bytes a second) is `None` for a link
    that is never the bottleneck. `window_s` bounds how far a message may be overtaken when the
    order is `any`.
    """

    __slots__ = (
        "_busy_until",
        "_cuttable",
        "_env",
        "_fifo",
        "_heard_last",
        "_jitter",
        "_lanes",
        "_latency",
        "_measure",
        "_order",
        "_receive",
        "_stalled_until",
        "_tap",
        "_window_s",
        "arrival_max",
        "bandwidth_Bps",
        "direction",
        "heard",
        "in_flight",
        "overtakings",
        "plain",
    )

    def __init__(
        self,
        env: simpy.Environment,
        direction: Direction,
        *,
        latency: Draws,
        tap: Tap,
        measure: Measure | None = None,
        jitter: Draws | None = None,
        bandwidth_Bps: float | None = None,  # noqa: N803 (a unit)
        order: Order = "fifo",
        window_s: float = 0.0,
        cuttable: bool = True,
    ) -> None:
        self._env = env
        self._cuttable = cuttable
        self._latency = latency
        self._jitter = jitter
        self._order = order
        self._fifo = order == "fifo"
        self._window_s = window_s
        self._tap = tap
        self._measure = measure
        self._receive: Receiver = _nobody
        self._lanes: dict[tuple[str, str], float] = {}
        self._heard_last: Record | None = None
        self._busy_until = 0.0
        self._stalled_until = 0.0
        self.arrival_max = 0.0
        """When the last of what was sent arrives."""
        self.bandwidth_Bps = bandwidth_Bps
        self.direction: Direction = direction
        self.heard: frozenset[str] | None = None
        """The variants of updates on whose arrival somebody acts; `None`: on all."""
        self.plain = self._fifo and jitter is None and bandwidth_Bps is None
        """Whether an arrival depends on nothing but latency and what was sent before."""
        self.in_flight: dict[int, Record] = {}
        self.overtakings = 0
        """Messages that arrived before one that was sent earlier on this link."""

    def connect(self, receive: Receiver) -> None:
        """Say who gets what arrives. The message is shared: receivers read it and keep it as is."""
        self._receive = receive

    def stall(self, duration_s: float) -> None:
        """Nothing departs for a while; what is sent meanwhile departs at its end."""
        self._stalled_until = max(self._stalled_until, self._env.now + duration_s)

    def cut(self) -> None:
        """The connection is gone: what is in flight never arrives."""
        for record in self.in_flight.values():
            self._tap.lose(record, self._env.now)
            if self._measure is not None:
                now_s: float = self._env.now
                self._measure.left(self.direction, now_s, now_s - record.sent_s)
        self.in_flight.clear()
        self._lanes.clear()
        self.arrival_max = self._busy_until = self._stalled_until = 0.0
        self._heard_last = None

    def send(
        self,
        message: JsonObject,
        raw: bytes,
        *,
        session: str,
        lane: str | None,
        heard: bool = True,
    ) -> None:
        """Send `message`, whose JSON text is `raw`; `heard` if somebody acts on its arrival.

        `lane` names, within the session, what the message may not overtake when the order is `any`;
        with `None` it overtakes nothing of its session and nothing of its session overtakes it.
        """
        now: float = self._env.now
        departure = now if now > self._stalled_until else self._stalled_until
        if self.bandwidth_Bps is not None:
            departure = max(departure, self._busy_until) + len(raw) / self.bandwidth_Bps
            self._busy_until = departure
        arrival = departure + self._latency()
        if self._jitter is not None:
            arrival += self._jitter()
        fifo = self._fifo
        if not fifo:
            arrival = self._in_order(arrival, message, session, lane)
        if arrival >= self.arrival_max:
            self.arrival_max = arrival
        elif fifo:
            arrival = self.arrival_max
        else:
            self.overtakings += 1
        if not heard and fifo:
            self._pass(raw, now, arrival)
            return
        record = Record(self.direction, message, raw, now, arrival)
        self._heard_last = record
        self._tap.send(record, in_order=fifo)
        if self._cuttable:
            self.in_flight[record.number] = record
        if self._measure is not None:
            self._measure.entered(self.direction, now)
        Delivery(self._env, record, self._deliver, arrival - now)

    def pass_on(self, raw: bytes) -> None:
        """As `send`, for what nobody hears on a link that is `plain`: a stream of text pays for
        nothing that it does not use.
        """
        now: float = self._env.now
        departure = now if now > self._stalled_until else self._stalled_until
        arrival = departure + self._latency()
        if arrival < self.arrival_max:
            arrival = self.arrival_max
        else:
            self.arrival_max = arrival
        self._pass(raw, now, arrival)

    def _pass(self, raw: bytes, now: float, arrival: float) -> None:
        leader = self._heard_last
        if leader is not None and leader.received_s != arrival:
            leader = None
        self._tap.passes(Passed(self.direction, raw, now, arrival), leader)

    def _in_order(
        self, arrival: float, message: JsonObject, session: str, lane: str | None
    ) -> float:
        lanes = self._lanes
        if self._order == "streams":
            key = (REST, "") if "method" in message else (RESPONSES, "")
            arrival = lanes[key] = max(arrival, lanes.get(key, 0.0))
            return arrival
        arrival = max(arrival, self.arrival_max - self._window_s, lanes.get((session, ""), 0.0))
        latest = max(arrival, lanes.get((session, LATEST), 0.0))
        if lane is None:
            arrival = lanes[session, ""] = latest
        else:
            arrival = lanes[session, lane] = max(arrival, lanes.get((session, lane), 0.0))
        lanes[session, LATEST] = max(latest, arrival)
        if len(lanes) > _PRUNE_AT:
            now = self._env.now
            self._lanes = {name: last for name, last in lanes.items() if last > now}
        return arrival

    def _deliver(self, event: simpy.Event) -> None:
        record: Record = event.value  # type: ignore[assignment]
        if self._cuttable and self.in_flight.pop(record.number, None) is None:
            return  # Lost when the connection was cut.
        self._tap.receive(record)
        if self._measure is not None:
            stayed_s = record.received_s - record.sent_s
            self._measure.arrived(self.direction, record.received_s, stayed_s)
        self._receive(record.message)


def _nobody(message: JsonObject) -> None:
    raise AssertionError("a link delivers only once it is connected")
