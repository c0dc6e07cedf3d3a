"""An open loop: updates that come when they come, whether or not the client is ready.

Owns: `open_loop`, a real run whose arrivals are those of a model or of chance, squeezed or
stretched to an offered load; and what theory says of the same load. The time of an update counts
from when it was due, not from when somebody got round to it: a stall is felt by all that wait
behind it, and hiding that is coordinated omission.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

import numpy as np

from acpsim.measure.core import undisturbed
from acpsim.measure.subject import Subject
from acpsim.measure.workload import Workload

LOADS: Final = (0.3, 0.6, 0.9)
PERCENTILES: Final = (50.0, 90.0, 99.0)
ROUNDS: Final = 25
UPDATES_MAX: Final = 2_000
LATE_S: Final = 20e-6
"""Behind its time by which an arrival may be given before the run counts as held up."""

Numbers = np.ndarray[Any, np.dtype[np.float64]]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """One load. Times are seconds from when an update was due until it was reconciled.

    `mean_s` and `percentiles_s` are measured. `recursion_s` is the mean by Lindley's recursion over
    the same arrivals with the service times of an undisturbed run; `formula_s` the mean by
    Pollaczek and Khinchine, which holds for arrivals at random. `held_up` is the share of updates
    in whose time the machine did something else for longer than any update takes.
    """

    load: float
    mean_s: float
    percentiles_s: dict[float, float]
    recursion_s: float
    formula_s: float
    held_up: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OpenLoop:
    """All loads on one subject. `service_s` is the mean service time, `variation` its squared
    coefficient of variation; `burstiness` that of the times between arrivals: 1 at random.
    """

    service_s: float
    variation: float
    burstiness: float
    arrivals: str
    loads: tuple[Loaded, ...]

    @property
    def saturation_hz(self) -> float:
        """Updates a second at which the queue grows without end."""
        return 1.0 / self.service_s if self.service_s > 0 else math.inf


def open_loop(
    subject: Subject,
    work: Workload,
    *,
    loads: Sequence[float] = LOADS,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> OpenLoop:
    """Runs each load for real. Arrivals are the workload's own if it knows them, else at random.

    A run is short, `UPDATES_MAX` at most, and of the rounds of one load the one with the least mean
    counts: on a machine that others use too, the wait for the processor would be all there is.
    """
    work = _short(work)
    service = service_times(subject, work)
    gaps = _gaps(work, seed)
    mean_s = float(service.mean())
    squared = float((service**2).mean())
    return OpenLoop(
        service_s=mean_s,
        variation=float(service.var()) / mean_s**2,
        burstiness=float(gaps.var() / gaps.mean() ** 2),
        arrivals="the model's" if work.arrivals_s else "at random",
        loads=tuple(
            _loaded(subject, work, load, gaps * (mean_s / load), service, squared, rounds)
            for load in loads
        ),
    )


def service_times(subject: Subject, work: Workload, *, rounds: int = ROUNDS) -> Numbers:
    """Seconds for each update, with what the loop around it costs; shape (updates,).

    All are due at once, so that the time from one to the next is the service. Of each update the
    least of the rounds counts.
    """
    found = np.full(len(work.lines), np.inf)
    for at in range(rounds + 1):
        ends = _run(subject, work, np.zeros(len(work.lines)))
        if at:
            found = np.minimum(found, np.diff(ends, prepend=ends[0]))
    found[0] = found[1:].mean() if len(found) > 1 else found[0]
    return np.asarray(np.maximum(found, 0.0))


def _short(work: Workload) -> Workload:
    return Workload(
        name=work.name,
        lines=work.lines[:UPDATES_MAX],
        arrivals_s=work.arrivals_s[:UPDATES_MAX],
    )


def _gaps(work: Workload, seed: int) -> Numbers:
    """Times between arrivals, with a mean of one; the first is zero."""
    if work.arrivals_s:
        gaps = np.diff(np.asarray(work.arrivals_s), prepend=0.0)
    else:
        chance = random.Random(seed)
        gaps = np.asarray([chance.expovariate(1.0) for _ in work.lines])
    mean = float(gaps.mean())
    return gaps / mean if mean > 0 else np.ones(len(gaps))


def _loaded(
    subject: Subject,
    work: Workload,
    load: float,
    gaps: Numbers,
    service: Numbers,
    squared: float,
    rounds: int,
) -> Loaded:
    due = np.cumsum(gaps)
    best: Numbers | None = None
    for _ in range(rounds):
        here = _run(subject, work, due)
        if best is None or here.mean() < best.mean():
            best = here
    assert best is not None
    rate = load / float(service.mean())
    return Loaded(
        load=load,
        mean_s=float(best.mean()),
        percentiles_s={q: float(np.percentile(best, q)) for q in PERCENTILES},
        recursion_s=float((lindley(due, service) + service).mean()),
        formula_s=float(service.mean()) + rate * squared / (2 * (1 - load)),
        held_up=float((best > lindley(due, service) + service + service.max() + LATE_S).mean()),
    )


def _run(subject: Subject, work: Workload, due: Numbers) -> Numbers:
    """Seconds from when each update was due until it was taken."""
    take, clock = subject.take(), perf_counter
    times, found = due.tolist(), np.empty(len(due))
    lines: Sequence[Any] = work.lines if subject.batch == 1 else [[line] for line in work.lines]
    with undisturbed():
        start = clock() + 0.001
        for at, line in enumerate(lines):
            when = start + times[at]
            while clock() < when:
                pass  # sleeping wakes too late for times of microseconds
            take(line)
            found[at] = clock() - when
    return found


def lindley(due: Numbers, service: Numbers) -> Numbers:
    """How long each waits before its service begins, first come first served; shape (n,).

    Lindley's recursion as a running minimum: the wait is how far the work that came stands above
    the least that it ever stood.
    """
    work = np.concatenate([[0.0], np.cumsum(service)[:-1]]) - due
    return work - np.minimum.accumulate(work)
