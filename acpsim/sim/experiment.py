"""Many runs: replications, sweeps over parameters, and what they say together.

Owns: `experiment`. Replication `i` of every variant runs with seed `seed + i`, and streams are
split by name, so that variants share their random numbers and differ only in what was changed
(common random numbers). Runs may be spread over processes; the result is the same.
"""

from __future__ import annotations

import concurrent.futures
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from acpsim.errors import UsageError
from acpsim.sim.distributions import sampler
from acpsim.sim.figures import PERCENTILES, Figures, summarise
from acpsim.sim.model import Model, override
from acpsim.sim.run import Run, run
from acpsim.sim.statistics import Interval, paired, replications
from acpsim.sim.streams import Streams
from acpsim.wire.edition import Edition


@dataclass(frozen=True, slots=True)
class Sweep:
    """One parameter and the values that it takes."""

    key: str
    values: tuple[float, ...]


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
        return Sweep(
            key, tuple(float(value) for value in np.linspace(float(low), float(high), count))
        )
    except ValueError as error:
        raise UsageError(f"{where}: {rest!r} is no range; give FROM:TO:STEPS or A,B,…") from error


def measure_once(model: Model, *, seed: int, edition: Edition) -> Measured:
    """One run with all its figures, and no trace."""
    service = model.reconcile.service
    draws = None if service is None else sampler(service, Streams(seed).generator("reconcile"))
    figures = Figures(draws)
    done = run(model, seed=seed, edition=edition, measure=figures)
    values = figures.values()
    summaries = {name: summarise(series) for name, series in values.items()}
    return Measured(
        run=done,
        means={name: figure.interval.mean for name, figure in summaries.items()},
        percentiles={name: figure.percentiles for name, figure in summaries.items()},
        averages=figures.averages(done.sim_time_s, done.counts.get("overtaken", 0)),
        counts={name: len(series) for name, series in values.items()},
        single={name: figure.interval for name, figure in summaries.items()},
    )


def variants(model: Model, sweeps: Sequence[Sweep]) -> Iterator[tuple[dict[str, float], Model]]:
    """Every combination of the swept values, the last sweep fastest."""
    for values in itertools.product(*(sweep.values for sweep in sweeps)):
        parameters = {sweep.key: value for sweep, value in zip(sweeps, values, strict=True)}
        changed = model
        for key, value in parameters.items():
            changed = override(changed, key, _natural(changed, key, value), where="--sweep")
        yield parameters, changed


def _natural(model: Model, key: str, value: float) -> float | int:
    """A whole number where the parameter counts things."""
    held: object = model
    for part in key.split("."):
        held = getattr(held, part, None)
    return int(value) if isinstance(held, int) and value == int(value) else value


def experiment(
    model: Model,
    *,
    seed: int,
    edition: Edition,
    replications_count: int = 1,
    sweeps: Sequence[Sweep] = (),
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Point]:
    """Run every variant with every seed. `progress` is told (runs done, runs in all)."""
    points = list(variants(model, sweeps))
    tasks = [(changed, seed + at) for _, changed in points for at in range(replications_count)]
    one = partial(_task, edition)
    results: list[Measured] = []
    with _executor(jobs) as pool:
        for done in pool(one, tasks):
            results.append(done)
            if progress is not None:
                progress(len(results), len(tasks))
    rows = [
        results[at * replications_count : (at + 1) * replications_count]
        for at in range(len(points))
    ]
    return [
        _point(parameters, row, rows[0]) for (parameters, _), row in zip(points, rows, strict=True)
    ]


def _task(edition: Edition, task: tuple[Model, int]) -> Measured:
    model, seed = task
    return measure_once(model, seed=seed, edition=edition)


class _executor:  # noqa: N801 (used as a function)
    """`map`, here or over a pool of processes; results come in the order of the tasks."""

    def __init__(self, jobs: int) -> None:
        self._pool = concurrent.futures.ProcessPoolExecutor(jobs) if jobs > 1 else None

    def __enter__(self) -> Callable[..., Iterator[Measured]]:
        return map if self._pool is None else self._pool.map

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)


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
        if runs is not first and not any(map(math.isnan, [*series, *others])):
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
