"""What a simulation came to, as text, as one JSON document, as CSV.

Owns: how figures are worded: a mean with its interval, percentiles, the unit in the name.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator

from acpsim.sim.experiment import Point
from acpsim.sim.figures import AVERAGES, FIGURES, PERCENTILES
from acpsim.sim.properties import ALWAYS, SOMETIMES
from acpsim.sim.run import Run
from acpsim.sim.statistics import Interval
from acpsim.views.text import counted
from acpsim.wire.cells import JsonObject

MEANINGS = {**FIGURES, **AVERAGES}


def started(version: str, model: str, edition: str, seed: int, replications: int) -> str:
    """The first line: all that is needed to have the run again."""
    times = "" if replications == 1 else f", {replications} replications"
    return f"acpsim {version}: simulating {model}, edition {edition}, seed {seed}{times}"


def ran(run: Run) -> Iterator[str]:
    """What happened in a run."""
    yield f"{counted(run.messages, 'message')} in {run.sim_time_s:.2f} simulated seconds"
    happened = ", ".join(f"{name} {count}" for name, count in run.counts.items() if count)
    if happened:
        yield f"happened: {happened}"
    for name in run.broken:
        yield f"always {name}: broken ({ALWAYS[name][0]})"
    for name in run.never:
        yield f"sometimes {name}: never happened in this run ({SOMETIMES[name]})"
    if run.interrupted:
        yield "interrupted: the trace ends with the connection lost; the figures are those so far"


def measured(values: list[Point]) -> Iterator[str]:
    """What came of an experiment; of a single run, what happened in it too."""
    runs = [one.run for point in values for one in point.runs]
    if len(runs) == 1:
        yield from ran(runs[0])
    yield from points(values)


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


def run_document(run: Run) -> JsonObject:
    """One run."""
    return {
        "messages": run.messages,
        "sim_time_s": run.sim_time_s,
        "counts": run.counts,
        "broken": run.broken,
        "never": run.never,
        "interrupted": run.interrupted,
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
        "runs": [run_document(measured.run) for measured in point.runs],
    }


def table(values: list[Point]) -> str:
    """All variants as CSV: a row for each variant and figure."""
    keys = list(values[0].parameters) if values else []
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    percentiles = [f"p{at}" for at in PERCENTILES]
    writer.writerow([*keys, "figure", "mean", "half_width", "count", *percentiles])
    for point in values:
        for name in MEANINGS:
            interval = point.figures.get(name)
            if interval is None:
                continue
            held = point.percentiles.get(name, {})
            writer.writerow(
                [
                    *(point.parameters[key] for key in keys),
                    name,
                    _number(interval.mean),
                    _number(interval.half_width),
                    interval.count,
                    *(held.get(at) for at in PERCENTILES),
                ]
            )
    return out.getvalue()
