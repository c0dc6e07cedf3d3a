"""Many runs: replications, sweeps over parameters, and what they say together.

Owns: `experiment`. Replication `i` of every variant runs with seed `seed + i`, and streams are
split by name, so that variants share their random numbers and differ only in what was changed
(common random numbers). Runs may be spread over processes; the result is the same.
"""

from __future__ import annotations

import itertools
import math
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

import numpy as np

from acpsim.errors import UsageError
from acpsim.sim.figures import PERCENTILES, Figures, summarise
from acpsim.sim.model import Model, override
from acpsim.sim.queueing import Little
from acpsim.sim.run import Run, run
from acpsim.sim.statistics import Interval, paired, replications
from acpsim.sim.tap import Observer, Write
from acpsim.wire.edition import Edition

Progress: TypeAlias = Callable[[int, int, int], None]
"""Told runs done, runs in all, and the messages of the run that goes on (0: not known)."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """One parameter and the values that it takes."""

    key: str
    values: tuple[float, ...]
    stepped: bool = False
    """Whether the values are steps through a range: what counts things takes whole ones."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run and its figures: the mean and the percentiles of each, its averages over time."""

    run: Run
    means: dict[str, float]
    percentiles: dict[str, dict[int, float]]
    averages: dict[str, float]
    counts: dict[str, int]
    single: dict[str, Interval] = field(default_factory=dict)
    """The batch-means interval of each figure within this run."""
    laws: dict[str, Little] = field(default_factory=dict)
    """For each queue of the run, what Little's law is about."""


@dataclass(frozen=True, slots=True)
class Point:
    """One variant of a model: its parameters, its runs, and each figure over the replications.

    `against_first` is the paired interval of each figure's difference from the first variant.
    """

    parameters: dict[str, float]
    runs: list[Measured]
    figures: dict[str, Interval]
    percentiles: dict[str, dict[int, float]]
    against_first: dict[str, Interval]


class Points(list[Point]):
    """The variants in their order; those that were not reached are missing.

    Of a run that was stopped half-way the figures count only where its variant has no other.
    """

    interrupted: bool = False
    """Whether Ctrl-C ended the experiment, so that these are the figures so far."""


def parse_sweep(text: str) -> Sweep:
    """`KEY=FROM:TO:STEPS` or `KEY=A,B,C` → `Sweep`. Raises `UsageError`."""
    key, _, rest = text.partition("=")
    where = f"--sweep {text}"
    if not key or not rest:
        raise UsageError(f"{where}: give KEY=FROM:TO:STEPS or KEY=A,B,…")
    try:
        if ":" not in rest:
            return Sweep(key, tuple(float(part) for part in rest.split(",")))
        low, high, steps = rest.split(":")
        count = int(steps)
        if count < 1:
            raise ValueError(steps)
        through = np.linspace(float(low), float(high), count)
        return Sweep(key, tuple(float(value) for value in through), stepped=True)
    except ValueError as error:
        raise UsageError(f"{where}: {rest!r} is no range; give FROM:TO:STEPS or A,B,…") from error


def measure_once(
    model: Model,
    *,
    seed: int,
    edition: Edition,
    writers: Mapping[Observer, Write] | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Measured:
    """One run with all its figures; a trace only for those `writers` that are given."""
    figures = Figures()
    done = run(
        model, seed=seed, edition=edition, measure=figures, writers=writers, progress=progress
    )
    values = figures.values()
    summaries = {name: summarise(series) for name, series in values.items()}
    return Measured(
        run=done,
        means={name: figure.interval.mean for name, figure in summaries.items()},
        percentiles={name: figure.percentiles for name, figure in summaries.items()},
        averages=figures.averages(done.sim_time_s, done.counts.get("overtaken", 0)),
        counts={name: len(series) for name, series in values.items()},
        single={name: figure.interval for name, figure in summaries.items()},
        laws=figures.laws(done.sim_time_s),
    )


def variants(model: Model, sweeps: Sequence[Sweep]) -> Iterator[tuple[dict[str, float], Model]]:
    """Every combination of the swept values, the last sweep fastest."""
    columns = [_natural(model, sweep) for sweep in sweeps]
    for values in itertools.product(*columns):
        parameters = {sweep.key: value for sweep, value in zip(sweeps, values, strict=True)}
        changed = model
        for key, value in parameters.items():
            changed = override(changed, key, value, where="--sweep")
        yield parameters, changed


def _natural(model: Model, sweep: Sweep) -> list[float]:
    """The values of a sweep, whole numbers where the parameter counts things."""
    held: object = model
    for part in sweep.key.split("."):
        held = getattr(held, part, None)
    if not isinstance(held, int) or isinstance(held, bool):
        return list(sweep.values)
    if sweep.stepped:
        return list(dict.fromkeys(round(value) for value in sweep.values))
    return [int(value) if value == int(value) else value for value in sweep.values]


def experiment(
    model: Model,
    *,
    seed: int,
    edition: Edition,
    replications_count: int = 1,
    sweeps: Sequence[Sweep] = (),
    jobs: int = 1,
    writers: Mapping[Observer, Write] | None = None,
    progress: Progress | None = None,
) -> Points:
    """Run every variant with every seed; `writers` get the traces of the very first run.

    Ctrl-C ends it: what was finished until then is returned, and says so.
    """
    found = list(variants(model, sweeps))
    tasks = [(changed, seed + at) for _, changed in found for at in range(replications_count)]
    results: list[Measured] = []
    points = Points()
    try:
        for done in _results(tasks, edition, jobs=jobs, writers=writers, progress=progress):
            results.append(done)
            if done.run.interrupted:
                points.interrupted = True
                break
            if progress is not None:
                progress(len(results), len(tasks), 0)
    except KeyboardInterrupt:
        points.interrupted = True
    for at, (parameters, _) in enumerate(found):
        row = results[at * replications_count : (at + 1) * replications_count]
        if row and len(row) > 1 and row[-1].run.interrupted:
            row.pop()
        if row:
            points.append(_point(parameters, row, results[: len(row)]))
    return points


def _results(
    tasks: Sequence[tuple[Model, int]],
    edition: Edition,
    *,
    jobs: int,
    writers: Mapping[Observer, Write] | None,
    progress: Progress | None,
) -> Iterator[Measured]:
    """The tasks' results in their order, made here or in `jobs` processes."""
    here = len(tasks) if jobs == 1 or len(tasks) == 1 else 1 if writers else 0
    for at, (model, seed) in enumerate(tasks[:here]):
        inner = None if progress is None else _within(progress, at, len(tasks))
        traced = writers if at == 0 else None
        yield measure_once(model, seed=seed, edition=edition, writers=traced, progress=inner)
    if here < len(tasks):
        # Leaving the block stops the processes at once: nothing that they do is half-written.
        with multiprocessing.Pool(jobs, initializer=_leave_interrupts) as pool:
            yield from pool.imap(partial(_task, edition), tasks[here:])


def _within(progress: Progress, done: int, total: int) -> Callable[[float, int], None]:
    return lambda _, messages: progress(done, total, messages)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; the one that waits for the results acts on it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _task(edition: Edition, task: tuple[Model, int]) -> Measured:
    model, seed = task
    return measure_once(model, seed=seed, edition=edition)


def _point(parameters: dict[str, float], runs: list[Measured], first: list[Measured]) -> Point:
    names = {name: None for one in runs for name in (*one.means, *one.averages)}
    figures: dict[str, Interval] = {}
    against: dict[str, Interval] = {}
    for name in names:
        series = [_value(one, name) for one in runs]
        known = [value for value in series if not math.isnan(value)]
        figures[name] = (
            runs[0].single[name]
            if len(runs) == 1 and name in runs[0].single
            else replications(known)
        )
        others = [_value(one, name) for one in first]
        if runs[0] is not first[0] and not any(map(math.isnan, [*series, *others])):
            against[name] = paired(others, series)
    percentiles = {
        name: {
            at: float(
                np.mean([one.percentiles[name][at] for one in runs if name in one.percentiles])
            )
            for at in PERCENTILES
        }
        for name in names
        if any(name in one.percentiles for one in runs)
    }
    return Point(parameters, runs, figures, percentiles, against)


def _value(one: Measured, name: str) -> float:
    return one.means.get(name, one.averages.get(name, math.nan))
