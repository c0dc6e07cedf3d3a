"""Queues: the client's reconciler, which takes a while for each update, and what all queues obey.

Owns: `Server`, first come first served, one at a time; `Reconciler`, the client that stands behind
one; and `Watched`, any queue as it is seen from outside, for Little's law. Waiting times follow
Lindley's recursion, so that a customer costs no simulated event; the number inside is integrated
over time apart from that, so that Little's law is a check and not a definition.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import simpy
from simpy.events import Timeout

from acpsim.sim.distributions import Draws
from acpsim.wire.cells import JsonObject


@dataclass(frozen=True, slots=True)
class Little:
    """What Little's law is about: how many were inside, how many came, how long each stayed."""

    number: float
    """Customers inside, on average over time."""
    rate_hz: float
    """Customers that came a second."""
    stay_s: float
    """How long one stayed, on average over the customers; so far, if it is still inside."""

    @property
    def expected(self) -> float:
        """How many have to be inside on average, by the law."""
        return self.rate_hz * self.stay_s


class TimeAverage:
    """The average over time of a number that changes in steps."""

    __slots__ = ("_area", "_since_s", "_started_s", "most", "value")

    def __init__(self, now_s: float = 0.0) -> None:
        self.value = 0
        self.most = 0
        self._area = 0.0
        self._started_s = self._since_s = now_s

    def change(self, by: int, now_s: float) -> None:
        """The number changes, now."""
        self._area += self.value * (now_s - self._since_s)
        self._since_s = now_s
        self.value += by
        self.most = max(self.most, self.value)

    def mean(self, now_s: float) -> float:
        """The average from the start until now."""
        lasted_s = now_s - self._started_s
        if lasted_s <= 0:
            return float(self.value)
        return (self._area + self.value * (now_s - self._since_s)) / lasted_s


class Watched:
    """A queue whose customers are seen to come and to leave."""

    __slots__ = ("_came_s", "_stayed_s", "count", "inside")

    def __init__(self) -> None:
        self.inside = TimeAverage()
        self.count = 0
        self._stayed_s = 0.0
        self._came_s = 0.0
        """The sum of the arrival times of those that are inside."""

    def enter(self, now_s: float) -> None:
        self.inside.change(1, now_s)
        self.count += 1
        self._came_s += now_s

    def leave(self, now_s: float, stayed_s: float) -> None:
        """A customer leaves, who says how long it was there."""
        self.inside.change(-1, now_s)
        self._stayed_s += stayed_s
        self._came_s -= now_s - stayed_s

    def law(self, now_s: float) -> Little:
        """All that happened until now."""
        if not self.count or now_s <= 0:
            return Little(0.0, 0.0, 0.0)
        stayed_s = self._stayed_s + self.inside.value * now_s - self._came_s
        return Little(self.inside.mean(now_s), self.count / now_s, stayed_s / self.count)


class Server:
    """One server and its queue. All times in seconds.

    With `keep` it remembers when each customer came and how long it waited and stayed.
    """

    __slots__ = (
        "_area",
        "_busy_s",
        "_departures",
        "_dropped_s",
        "_free_s",
        "_keep",
        "_last_s",
        "_service",
        "arrivals_s",
        "count",
        "served",
        "sojourns_s",
        "waits_s",
    )

    def __init__(self, service: Draws, *, keep: bool = True) -> None:
        self._service = service
        self._keep = keep
        self._free_s = 0.0
        self._busy_s = 0.0
        self._departures: deque[float] = deque()
        self._area = 0.0
        self._last_s = 0.0
        self._dropped_s = 0.0
        self.count = 0
        """Customers that came."""
        self.served = 0
        """Customers that were, or will be, served."""
        self.arrivals_s = array("d")
        self.waits_s = array("d")
        """From arrival to the start of service, one for each customer that is served."""
        self.sojourns_s = array("d")
        """From arrival to the end of service, one for each customer that is served."""

    def arrive(self, now_s: float) -> float:
        """A customer arrives; returns when it will have been served. Arrivals come in order."""
        self._advance(now_s)
        start_s = now_s if now_s > self._free_s else self._free_s
        service_s = self._service()
        self._free_s = start_s + service_s
        self._busy_s += service_s
        self._departures.append(self._free_s)
        self.count += 1
        self.served += 1
        if self._keep:
            self.arrivals_s.append(now_s)
            self.waits_s.append(start_s - now_s)
            self.sojourns_s.append(self._free_s - now_s)
        return self._free_s

    def drop(self, now_s: float) -> None:
        """Whoever waits or is being served leaves, now, without having been served."""
        self._advance(now_s)
        left = len(self._departures)
        if not left:
            return
        self._busy_s -= self._free_s - now_s
        self._free_s = now_s
        self.served -= left
        if self._keep:
            self._dropped_s += left * now_s - sum(self.arrivals_s[-left:])
            del self.waits_s[-left:], self.sojourns_s[-left:]
        self._departures.clear()

    def _advance(self, now_s: float) -> None:
        """Integrate the number in the system up to now."""
        departures = self._departures
        while departures and departures[0] <= now_s:
            left_s = departures[0]
            self._area += len(departures) * (left_s - self._last_s)
            self._last_s = left_s
            departures.popleft()
        self._area += len(departures) * (now_s - self._last_s)
        self._last_s = now_s

    @property
    def free_s(self) -> float:
        """When the last customer so far will have been served."""
        return self._free_s

    def number_in_system(self) -> float:
        """The time average of customers waiting or served, until the last one has left."""
        self._advance(max(self._free_s, self._last_s))
        return self._area / self._last_s if self._last_s > 0 else 0.0

    def utilisation(self) -> float:
        """The share of time in which the server was busy, until the last customer left."""
        end_s = self.end_s()
        return self._busy_s / end_s if end_s > 0 else 0.0

    def service_s(self) -> float:
        """How long one customer took, on average."""
        return self._busy_s / self.served if self.served else 0.0

    def end_s(self) -> float:
        """When the last customer so far will have left."""
        return max(self._free_s, self._last_s)

    def law(self) -> Little:
        """All that happened until the last customer left; for a server that keeps."""
        end_s = self.end_s()
        if not self.count or end_s <= 0:
            return Little(0.0, 0.0, 0.0)
        stayed_s = sum(self.sojourns_s) + self._dropped_s
        return Little(self.number_in_system(), self.count / end_s, stayed_s / self.count)


class Reconciler:
    """What a client does with arriving messages before its user sees them: they wait in line.

    An update takes the server's time; everything else waits for the updates before it and takes
    none. With `acts` the client hears of a message once it is reconciled, so that its user answers
    late what he saw late; without, at once, and the queue only tells what the user would see.
    """

    __slots__ = ("_acts", "_env", "_handle", "_line", "server")

    def __init__(
        self,
        env: simpy.Environment,
        server: Server,
        handle: Callable[[JsonObject], None],
        *,
        acts: bool,
    ) -> None:
        self._env = env
        self._handle = handle
        self._acts = acts
        self._line: deque[JsonObject | None] = deque()
        """Messages that wait, oldest first; `None` for one that was dropped."""
        self.server = server

    def receive(self, message: JsonObject) -> None:
        """A message arrives."""
        now_s: float = self._env.now
        server = self.server
        if message.get("method") == "session/update":
            seen_s = server.arrive(now_s)
        else:
            seen_s = max(server.free_s, now_s)
        if not self._acts or (seen_s <= now_s and not self._line):
            self._handle(message)
            return
        self._line.append(message)
        Timeout(self._env, max(seen_s - now_s, 0.0)).callbacks.append(self._seen)

    def _seen(self, _: simpy.Event) -> None:
        # In the order of the line, whatever a rounded delay made of two equal times.
        message = self._line.popleft()
        if message is not None:
            self._handle(message)

    def drop(self) -> None:
        """The connection is gone, and with it what nobody has looked at."""
        self.server.drop(self._env.now)
        self._line = deque([None] * len(self._line))


def waiting_md1(rate_hz: float, service_s: float) -> float:
    """The mean wait in an M/D/1 queue, in seconds (Pollaczek-Khinchine)."""
    load = rate_hz * service_s
    return load * service_s / (2 * (1 - load))


def waiting_mm1(rate_hz: float, service_s: float) -> float:
    """The mean wait in an M/M/1 queue, in seconds."""
    load = rate_hz * service_s
    return load * service_s / (1 - load)
