"""What a run is asked for: how long things took, how much was open, who waited.

Owns: `Figures`, which hears a run (`measure.Measure`) and keeps the observations, and `summarise`,
which says what each is worth: warm-up cut off by MSER-5, mean with a batch-means interval,
percentiles. Observations are lists of seconds in the order in which they came; shares and averages
over time are single numbers.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from acpsim.sim.measure import Measure
from acpsim.sim.queueing import Little, Server, TimeAverage, Watched
from acpsim.sim.statistics import Interval, batch_means, warm_up
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import TERMINAL_STATUSES

PERCENTILES: Final = (50, 90, 99)

FIGURES: Final[dict[str, str]] = {
    "acceptance_s": "from a prompt to its response",
    "echo_gap_s": "from a prompt's response to its message's echo, at the client; negative: before",
    "cancel_to_idle_s": "from session/cancel to the idle that confirms it, at the client",
    "running_s": "how long the client saw one stretch as running",
    "requires_action_s": "how long it saw one as blocked on the user",
    "idle_s": "how long it saw the session idle between two stretches",
    "transit_s": "from sending a message to receiving it",
    "update_wait_s": "from an update's arrival to the start of its reconciliation",
    "update_visible_s": "from an update's arrival until the user sees it",
}
"""Figures that are observed again and again, and what each says."""

AVERAGES: Final[dict[str, str]] = {
    "in_flight_messages": "messages on their way, on average over time",
    "open_prompts": "prompts that were not answered, on average over time",
    "open_entities": "tool calls, terminals and compactions that had not ended, over time",
    "in_reconciler_updates": "updates waiting or being reconciled, on average over time",
    "reconciler_utilisation": "share of time in which the client reconciled",
    "echo_first_share": "share of messages whose echo came before their response",
    "overtaken_messages": "messages that arrived before one that was sent earlier the same way",
    "offered_updates_hz": "updates that arrived a second, while the middle half of them did",
    "offered_load": "that times the mean time for one: from 1 on the client cannot keep up",
}
"""Figures that are one number for a run, and what each says."""

QUEUES: Final[dict[str, str]] = {
    "c2a": "messages on their way to the agent",
    "a2c": "messages on their way to the client",
    "prompts": "prompts that were not answered",
    "reconciler": "updates that waited for the client or were being reconciled",
}
"""Everything in a run that somebody enters and leaves."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What one observed figure came to, in its unit; `cut` observations were warm-up."""

    interval: Interval
    percentiles: dict[int, float]
    least: float
    most: float
    cut: int


class Figures(Measure):
    """Keeps what a run tells."""

    __slots__ = ("_open", "arrivals_s", "entities", "observed", "server", "watched")

    def __init__(self) -> None:
        self.observed: dict[str, array[float]] = defaultdict(lambda: array("d"))
        self.server: Server | None = None
        self.watched: dict[str, Watched] = {
            name: Watched() for name in QUEUES if name != "reconciler"
        }
        self.entities = TimeAverage()
        self.arrivals_s = array("d")
        """When each update was heard of."""
        self._open: set[tuple[str, str, str]] = set()

    def reconciles(self, server: Server) -> None:
        self.server = server

    def accepted(self, waited_s: float, *, ok: bool) -> None:
        if ok:
            self.observed["acceptance_s"].append(waited_s)

    def echo_gap(self, gap_s: float) -> None:
        self.observed["echo_gap_s"].append(gap_s)

    def foreground(self, state: str, lasted_s: float) -> None:
        if f"{state}_s" in FIGURES:
            self.observed[f"{state}_s"].append(lasted_s)

    def cancel_confirmed(self, waited_s: float) -> None:
        self.observed["cancel_to_idle_s"].append(waited_s)

    def entered(self, queue: str, now_s: float) -> None:
        self.watched[queue].enter(now_s)

    def left(self, queue: str, now_s: float, stayed_s: float) -> None:
        self.watched[queue].leave(now_s, stayed_s)

    def arrived(self, queue: str, now_s: float, stayed_s: float) -> None:
        self.watched[queue].leave(now_s, stayed_s)
        self.observed["transit_s"].append(stayed_s)

    def update(self, now_s: float, session: str, update: JsonObject) -> None:
        self.arrivals_s.append(now_s)
        self._track(now_s, session, update)

    def _track(self, now_s: float, session: str, update: JsonObject) -> None:
        """Note whether an entity that can end is open now."""
        variant = update["sessionUpdate"]
        if variant == "tool_call_update":
            key, ended = update["toolCallId"], update.get("status") in TERMINAL_STATUSES
        elif variant == "compaction_update":
            key, ended = update["compactionId"], update.get("status") in TERMINAL_STATUSES
        elif variant == "terminal_update":
            key, ended = update["terminalId"], update.get("exitStatus") is not None
        else:
            return  # Nothing else has an end of its own.
        entity = (session, variant, key)
        if ended and entity in self._open:
            self._open.discard(entity)
            self.entities.change(-1, now_s)
        elif not ended and entity not in self._open:
            self._open.add(entity)
            self.entities.change(1, now_s)

    def values(self) -> dict[str, Sequence[float]]:
        """Every figure's observations, in the order of `FIGURES`."""
        found: dict[str, Sequence[float]] = dict(self.observed)
        if self.server is not None:
            found["update_wait_s"] = self.server.waits_s
            found["update_visible_s"] = self.server.sojourns_s
        return {name: found[name] for name in FIGURES if found.get(name)}

    def averages(self, now_s: float, overtaken: int) -> dict[str, float]:
        """The figures that are one number, in the order of `AVERAGES`."""
        gaps = self.observed.get("echo_gap_s", ())
        inside = {name: queue.inside.mean(now_s) for name, queue in self.watched.items()}
        server = self.server
        arrived_hz = middle_rate_hz(self.arrivals_s if server is None else server.arrivals_s)
        found = {
            "in_flight_messages": inside["c2a"] + inside["a2c"],
            "open_prompts": inside["prompts"],
            "open_entities": self.entities.mean(now_s),
            "overtaken_messages": float(overtaken),
            "offered_updates_hz": arrived_hz,
        }
        if gaps:
            found["echo_first_share"] = sum(gap < 0 for gap in gaps) / len(gaps)
        if server is not None:
            found["in_reconciler_updates"] = server.number_in_system()
            found["reconciler_utilisation"] = server.utilisation()
            found["offered_load"] = arrived_hz * server.service_s()
        return {name: found[name] for name in AVERAGES if name in found}

    def laws(self, now_s: float) -> dict[str, Little]:
        """Little's law for every queue of the run, which ended now."""
        found = {name: queue.law(now_s) for name, queue in self.watched.items()}
        if self.server is not None:
            found["reconciler"] = self.server.law()
        return found


def middle_rate_hz(times_s: Sequence[float]) -> float:
    """How many came a second while the middle half of them came: neither warm-up nor tail."""
    count = len(times_s)
    first, last = count // 4, (3 * count) // 4
    lasted_s = times_s[last] - times_s[first] if last > first else 0.0
    return (last - first) / lasted_s if lasted_s > 0 else 0.0


def summarise(values: Sequence[float]) -> Figure:
    """What a series of observations is worth; it has at least one."""
    series = np.asarray(values, dtype=np.float64)
    cut = warm_up(series)
    steady = series[cut:]
    quantiles = np.percentile(steady, PERCENTILES)
    return Figure(
        interval=batch_means(steady),
        percentiles=dict(zip(PERCENTILES, map(float, quantiles), strict=True)),
        least=float(steady.min()),
        most=float(steady.max()),
        cut=cut,
    )
