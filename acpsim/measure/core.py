"""Throughput, latency, cost over length: what one subject costs on one workload.

Owns: the measurements that time calls one after the other. Each begins with a round that does not
count; the garbage collector is let run once before and stays away from what is timed, unless a
measurement is of its cost too (`growth`). Intervals are Student's t over rounds.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import math
from collections.abc import Iterator, Sequence
from time import perf_counter, perf_counter_ns
from typing import Any, Final

import numpy as np

from acpsim.measure.subject import Subject, Take, batches
from acpsim.measure.workload import SESSION, Workload, chunks, messages
from acpsim.sim.statistics import CONFIDENCE, Interval, replications, student_t

ROUNDS: Final = 7
QUANTILES: Final = (50.0, 90.0, 99.0, 99.9)
VARIANT_MIN: Final = 50
"""Updates of a variant below which its tail is not said."""
GROWTH_FROM: Final = 1_000
"""Held items from which on the cost of starting no longer shows in the exponent."""
BLOCK: Final = 32
"""Updates that are timed at a time; few enough that the length stays what it is."""
BLOCKS: Final = 16
FILL: Final = 10_000
"""Updates that are made and told at a time to get to a length."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """Updates and bytes a second, with their intervals over rounds."""

    updates_hz: Interval
    bytes_hz: Interval
    rounds: tuple[float, ...]
    """Updates a second of each round."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Seconds for one update: count, mean, and by percentile."""

    count: int
    mean_s: float
    percentiles_s: dict[float, float]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """With `held` items: seconds for one more update, and for a snapshot of them all."""

    held: int
    update_s: float
    snapshot_s: float | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """The cost of a conversation over its length.

    `exponent` is that of the whole conversation's cost over its length: 1 where an update costs the
    same however much is held, 2 where it costs as much as is held. `complete` is false where time
    ran out before the greatest length.
    """

    kind: str
    points: tuple[Length, ...]
    exponent: Interval
    complete: bool


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Collects garbage now, and not again until the block ends."""
    gc.collect()
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def throughput(
    subject: Subject, work: Workload, *, rounds: int = ROUNDS, objects: bool = False
) -> Throughput:
    """How many updates a second; `objects`: of updates that are read already."""
    rates = []
    for at in range(rounds + 1):
        seconds = once(subject, work, objects=objects)
        if at:
            rates.append(len(work.lines) / seconds)
    factor = work.bytes / len(work.lines)
    return Throughput(
        updates_hz=replications(rates),
        bytes_hz=replications([rate * factor for rate in rates]),
        rounds=tuple(rates),
    )


def once(subject: Subject, work: Workload, *, objects: bool = False) -> float:
    """Seconds for all of a workload, from nothing held."""
    given: Sequence[Any]
    if objects:
        given, take = [subject.prepare(line) for line in work.lines], subject.take_objects()
    else:
        given, take = batches(work.lines, subject.batch), subject.take()
    with undisturbed():
        start = perf_counter()
        for each in given:
            take(each)
        return perf_counter() - start


def latency(subject: Subject, work: Workload, *, rounds: int = 3) -> dict[str, Latency]:
    """Seconds for each update by itself: under `all`, and by variant where there are enough.

    The clock's own time is taken off. Of each update the least of the rounds counts: what the
    machine did to one round is not the subject's.
    """
    times = np.full(len(work.lines), np.inf)
    for at in range(rounds + 1):
        here = _each(subject, work)
        if at:
            times = np.minimum(times, here)
    found = {"all": _summary(times)}
    variants = np.asarray(work.variants())
    for name in sorted(set(variants.tolist())):
        chosen = times[variants == name]
        if len(chosen) >= VARIANT_MIN:
            found[name] = _summary(chosen)
    return found


def _each(subject: Subject, work: Workload) -> np.ndarray[Any, np.dtype[np.float64]]:
    take, given = subject.take(), list(_singly(subject, work))
    clock = perf_counter_ns
    found = np.empty(len(given))
    with undisturbed():
        tick = min(_tick() for _ in range(100))
        for at, each in enumerate(given):
            before = clock()
            take(each)
            found[at] = clock() - before
    return np.maximum(found - tick, 0.0) * 1e-9


def _singly(subject: Subject, work: Workload) -> Iterator[Any]:
    for line in work.lines:
        yield line if subject.batch == 1 else [line]


def _tick() -> int:
    before = perf_counter_ns()
    return perf_counter_ns() - before


def _summary(times: np.ndarray[Any, np.dtype[np.float64]]) -> Latency:
    return Latency(
        count=len(times),
        mean_s=float(times.mean()),
        percentiles_s={q: float(np.percentile(times, q)) for q in QUANTILES},
    )


LENGTHS: Final = {"chunks": chunks, "messages": messages}
"""What grows: the pieces of one message, or the messages of a session."""


def growth(
    subject: Subject, *, kind: str = "chunks", held_max: int = 1_000_000, seconds: float = 60.0
) -> Growth:
    """What one more update costs with 100, then 1,000 to `held_max` items held, two sizes for a
    factor of ten.

    Timed is always the same block of updates, several times over, and the least counts: reading
    many new lines for the first time costs more each, and that is the memory's doing. Stops early
    once `seconds` are spent: a subject whose cost grows with what it holds never gets to the end.
    """
    marks = [100, *(round(10 ** (3 + at / 2)) for at in range(100))]
    sizes = [size for size in marks if size <= held_max]
    block = batches(LENGTHS[kind](BLOCK, 0), subject.batch)
    begun = perf_counter()
    take, held, points = subject.take(), 0, list[Length]()
    for size in sizes:
        for at in range(held, size, FILL):
            lines = LENGTHS[kind](min(FILL, size - at), at)
            for each in batches(lines, subject.batch):
                take(each)
            if perf_counter() - begun > seconds:
                break
        else:
            points.append(_at_length(subject, take, block, size))
            held = size + BLOCKS * BLOCK
        if perf_counter() - begun > seconds:
            break
    return Growth(
        kind=kind,
        points=tuple(points),
        exponent=exponent(
            [point.held for point in points], [point.held * point.update_s for point in points]
        ),
        complete=len(points) == len(sizes),
    )


def _at_length(subject: Subject, take: Take, block: Sequence[Any], held: int) -> Length:
    with undisturbed():
        update_s = min(_spent(take, block) for _ in range(BLOCKS)) / BLOCK
        before = perf_counter()
        shown = subject.snapshot(SESSION)
        snapshot_s = perf_counter() - before
    return Length(held=held, update_s=update_s, snapshot_s=None if shown is None else snapshot_s)


def _spent(take: Take, given: Sequence[Any]) -> float:
    start = perf_counter()
    for each in given:
        take(each)
    return perf_counter() - start


def exponent(sizes: Sequence[int], totals: Sequence[float]) -> Interval:
    """The slope of log total over log size by least squares, from `GROWTH_FROM` on.

    Where fewer than three points lie there, of all points.
    """
    chosen = [at for at, size in enumerate(sizes) if size >= GROWTH_FROM]
    if len(chosen) < 3:
        chosen = list(range(len(sizes)))
    if len(chosen) < 2:
        return Interval(math.nan, math.nan, CONFIDENCE, len(chosen))
    x = np.log([sizes[at] for at in chosen])
    y = np.log([max(totals[at], 1e-9) for at in chosen])
    slope, intercept = np.polyfit(x, y, 1)
    freedom = len(chosen) - 2
    if freedom == 0:
        return Interval(float(slope), math.nan, CONFIDENCE, len(chosen))
    residual = float(((y - slope * x - intercept) ** 2).sum()) / freedom
    error = math.sqrt(residual / float(((x - x.mean()) ** 2).sum()))
    return Interval(float(slope), student_t(CONFIDENCE, freedom) * error, CONFIDENCE, len(chosen))
