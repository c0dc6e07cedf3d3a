"""What a simulation came to, as text, as one JSON document, as CSV.

Owns: how figures are worded: a mean with its interval, percentiles, the unit in the name.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from acpsim.sim.experiment import Measured, Point, Points
from acpsim.sim.figures import AVERAGES, FIGURES, PERCENTILES
from acpsim.sim.misbehave import MISBEHAVIOURS, broke
from acpsim.sim.plan import Plan
from acpsim.sim.properties import ALWAYS, SOMETIMES
from acpsim.sim.run import Run
from acpsim.sim.statistics import Interval
from acpsim.views.escape import visible
from acpsim.views.text import counted
from acpsim.wire.cells import JsonObject

INTERRUPTED: Final = (
    "interrupted: these are the figures so far; a trace ends with the connection lost"
)
MEANINGS: Final = {**FIGURES, **AVERAGES}


def started(version: str, plan: Plan) -> str:
    """The first line: all that is needed to have the run again."""
    times = "" if plan.replications == 1 else f", {plan.replications} replications"
    name = visible(plan.name)
    return (
        f"acpsim {version}: simulating {name}, edition {plan.edition.name}, seed {plan.seed}{times}"
    )


def ran(run: Run) -> Iterator[str]:
    """What happened in one run."""
    yield f"{counted(run.messages, 'message')} in {run.sim_time_s:.2f} simulated seconds"
    happened = ", ".join(f"{name} {count}" for name, count in run.counts.items() if count)
    if happened:
        yield f"happened: {happened}"
    for name in run.broken:
        yield f"always {name}: broken ({ALWAYS[name][0]})"
    for name in run.never:
        yield f"sometimes {name}: never happened in this run ({SOMETIMES[name]})"
    for name in unbroken([run]):
        yield f"misbehave {name}: there was no occasion to break it in this run"


def ran_all(runs: Sequence[Run]) -> Iterator[str]:
    """What many runs say together of what always and what sometimes holds."""
    messages = sum(run.messages for run in runs)
    yield f"{counted(len(runs), 'run')}, {counted(messages, 'message')}"
    for name in sorted({name for run in runs for name in run.broken}):
        times = sum(name in run.broken for run in runs)
        yield f"always {name}: broken in {times} of {len(runs)} runs ({ALWAYS[name][0]})"
    for name in sorted({name for run in runs for name in run.never}):
        times = sum(name in run.never for run in runs)
        often = "none" if times == len(runs) else f"{len(runs) - times}"
        yield f"sometimes {name}: happened in {often} of {len(runs)} runs ({SOMETIMES[name]})"
    for name in unbroken(runs):
        yield f"misbehave {name}: there was no occasion to break it in any of these runs"


def unbroken(runs: Sequence[Run]) -> list[str]:
    """The rules that were to be broken and in no run were."""
    return [
        rule
        for rule in MISBEHAVIOURS
        if broke(rule) in runs[0].counts and not any(run.counts.get(broke(rule)) for run in runs)
    ]


def measured(values: Points) -> Iterator[str]:
    """What came of an experiment: what happened in it, and its figures."""
    runs = [one.run for point in values for one in point.runs]
    if runs:
        yield from ran(runs[0]) if len(runs) == 1 else ran_all(runs)
    yield from points(values)
    if values.interrupted:
        yield INTERRUPTED if runs else "interrupted before the first run had ended: no figures"


def points(values: Iterable[Point]) -> Iterator[str]:
    """Every variant's figures as a table."""
    for point in values:
        if point.parameters:
            yield ", ".join(f"{key} = {value:g}" for key, value in point.parameters.items())
        for name in MEANINGS:
            interval = point.figures.get(name)
            if interval is None or math.isnan(interval.mean):
                continue
            percentiles = point.percentiles.get(name, {})
            shown = "  ".join(f"p{at} {value:.4g}" for at, value in percentiles.items())
            yield f"  {name:<24} {_interval(interval):<24} {shown}".rstrip()


def _interval(interval: Interval) -> str:
    if math.isnan(interval.half_width):
        return f"{interval.mean:.4g}"
    return f"{interval.mean:.4g} ± {interval.half_width:.2g}"


def _numbers(interval: Interval) -> JsonObject:
    return {
        "mean": _number(interval.mean),
        "half_width": _number(interval.half_width),
        "confidence": interval.confidence,
        "count": interval.count,
    }


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def answer(plan: Plan, values: Points) -> JsonObject:
    """All of an experiment."""
    return {
        "model": plan.name,
        "edition": plan.edition.name,
        "seed": plan.seed,
        "replications": plan.replications,
        "command": plan.command(),
        "interrupted": values.interrupted,
        "points": [point_document(point) for point in values],
    }


def run_document(measured: Measured) -> JsonObject:
    """One run; for each of its queues, the two sides of Little's law."""
    run = measured.run
    return {
        "messages": run.messages,
        "sim_time_s": run.sim_time_s,
        "counts": run.counts,
        "broken": run.broken,
        "never": run.never,
        "interrupted": run.interrupted,
        "queues": {
            name: {"inside": law.number, "rate_hz": law.rate_hz, "stay_s": law.stay_s}
            for name, law in measured.laws.items()
        },
    }


def point_document(point: Point) -> JsonObject:
    """One variant."""
    return {
        "parameters": point.parameters,
        "figures": {
            name: {
                **_numbers(interval),
                "percentiles": {
                    str(at): value for at, value in point.percentiles.get(name, {}).items()
                },
            }
            for name, interval in point.figures.items()
        },
        "against_first": {
            name: _numbers(interval) for name, interval in point.against_first.items()
        },
        "runs": [run_document(one) for one in point.runs],
    }


def table(values: Sequence[Point]) -> str:
    """All variants as CSV: a row for each variant and figure.

    The last two columns are its difference from the first variant, with common random numbers.
    """
    keys = list(values[0].parameters) if values else []
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    percentiles = [f"p{at}" for at in PERCENTILES]
    against = ["against_first", "against_first_half_width"]
    writer.writerow([*keys, "figure", "mean", "half_width", "count", *percentiles, *against])
    for point in values:
        for name in MEANINGS:
            interval = point.figures.get(name)
            if interval is None:
                continue
            held = point.percentiles.get(name, {})
            paired = point.against_first.get(name)
            row: list[object] = [*(point.parameters[key] for key in keys), name]
            row += [_number(interval.mean), _number(interval.half_width), interval.count]
            row += [held.get(at) for at in PERCENTILES]
            if paired is not None:
                row += [_number(paired.mean), _number(paired.half_width)]
            writer.writerow(row + [None] * (len(keys) + 9 - len(row)))
    return out.getvalue()
