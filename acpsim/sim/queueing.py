"""A server with a queue: the client's reconciler, which takes a while for each update.

Owns: `Server`, first come first served, one at a time. Waiting times follow Lindley's recursion, so
that a customer costs no simulated event; the number in the system is integrated over time apart
from that, so that Little's law is a check and not a definition.
"""

from __future__ import annotations

from collections import deque

from acpsim.sim.distributions import Draws


class Server:
    """One server and its queue. All times in seconds."""

    __slots__ = (
        "_area",
        "_busy_s",
        "_departures",
        "_free_s",
        "_last_s",
        "_service",
        "sojourns_s",
        "waits_s",
    )

    def __init__(self, service: Draws) -> None:
        self._service = service
        self._free_s = 0.0
        self._busy_s = 0.0
        self._departures: deque[float] = deque()
        self._area = 0.0
        self._last_s = 0.0
        self.waits_s: list[float] = []
        """From arrival to the start of service, one for each customer."""
        self.sojourns_s: list[float] = []
        """From arrival to the end of service, one for each customer."""

    def arrive(self, now_s: float) -> float:
        """A customer arrives; returns when it will have been served. Arrivals come in order."""
        self._advance(now_s)
        start_s = now_s if now_s > self._free_s else self._free_s
        service_s = self._service()
        self._free_s = start_s + service_s
        self._busy_s += service_s
        self._departures.append(self._free_s)
        self.waits_s.append(start_s - now_s)
        self.sojourns_s.append(self._free_s - now_s)
        return self._free_s

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

    def number_in_system(self) -> float:
        """The time average of customers waiting or served, until the last one has left."""
        self._advance(max(self._free_s, self._last_s))
        return self._area / self._last_s if self._last_s > 0 else 0.0

    def utilisation(self) -> float:
        """The share of time in which the server was busy, until the last customer left."""
        end_s = max(self._free_s, self._last_s)
        return self._busy_s / end_s if end_s > 0 else 0.0

    def end_s(self) -> float:
        """When the last customer so far will have left."""
        return max(self._free_s, self._last_s)


def waiting_md1(rate_hz: float, service_s: float) -> float:
    """The mean wait in an M/D/1 queue, in seconds (Pollaczek-Khinchine)."""
    load = rate_hz * service_s
    return load * service_s / (2 * (1 - load))


def waiting_mm1(rate_hz: float, service_s: float) -> float:
    """The mean wait in an M/M/1 queue, in seconds."""
    load = rate_hz * service_s
    return load * service_s / (1 - load)
