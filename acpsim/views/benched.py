"""What was measured of a reconciliation core, as a table and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

from acpsim.measure.core import Growth, Latency, Throughput
from acpsim.measure.memory import Memory
from acpsim.measure.openloop import OpenLoop
from acpsim.measure.session import Measured
from acpsim.measure.versus import Ratio
from acpsim.sim.statistics import Interval
from acpsim.views.escape import visible
from acpsim.wire.cells import JsonObject

MEBIBYTE = 1024 * 1024


def seconds(value: float) -> str:
    """A time in the unit that suits it, three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def lines(measured: Measured) -> Iterator[str]:
    """One measurement, in words."""
    yield ""
    yield f"{measured.part}: {visible(measured.text)}"
    match measured.result:
        case Throughput() as found:
            yield f"  {_interval(found.updates_hz, ',.0f')} updates a second"
            mebibytes = found.bytes_hz.mean / MEBIBYTE
            yield f"  {mebibytes:,.1f} MiB a second, {len(found.rounds)} rounds"
        case Growth() as found:
            yield from _growth(found)
        case Memory(bytes_each=None):
            yield "  nothing that could be counted"
        case Memory() as found:
            yield f"  {found.bytes_each:,.0f} bytes for each of {found.items:,} items"
        case OpenLoop() as found:
            yield from _open_loop(found)
        case Ratio() as found:
            yield (
                f"  {found.ratio:.3g} times its rate (95 %: {found.low:.3g} to {found.high:.3g}, "
                f"{found.rounds} rounds)"
            )
        case table:
            yield from _latency(table)


def _interval(value: Interval, form: str) -> str:
    if math.isnan(value.half_width):
        return f"{value.mean:{form}}"
    return f"{value.mean:{form}} ± {value.half_width:{form}}"


def _latency(table: dict[str, Latency]) -> Iterator[str]:
    width = max(len(name) for name in table)
    tails = "".join(f" {f'p{percent:g}':>9}" for percent in table["all"].percentiles_s)
    yield f"  {'':<{width}} {'updates':>8} {'mean':>9}{tails}"
    for name, found in table.items():
        tail = "".join(f" {seconds(value):>9}" for value in found.percentiles_s.values())
        yield f"  {name:<{width}} {found.count:>8,} {seconds(found.mean_s):>9}{tail}"


def _growth(found: Growth) -> Iterator[str]:
    yield f"  {'held':>10} {'one update':>12} {'snapshot':>12}"
    for point in found.points:
        shown = "" if point.snapshot_s is None else seconds(point.snapshot_s)
        yield f"  {point.held:>10,} {seconds(point.update_s):>12} {shown:>12}"
    more = "" if found.complete else "; it was stopped: more takes too long"
    yield f"  the whole conversation costs its length to the power of {_power(found)}{more}"


def _power(found: Growth) -> str:
    return _interval(found.exponent, ".3f") if found.points else "nobody knows"


def _open_loop(found: OpenLoop) -> Iterator[str]:
    yield (
        f"  one update takes {seconds(found.service_s)} in the mean (squared variation "
        f"{found.variation:.2f}); it saturates at {found.saturation_hz:,.0f} updates a second"
    )
    yield f"  arrivals are {found.arrivals}, with a burstiness of {found.burstiness:.3g}"
    yield (
        f"  {'load':>6} {'mean':>9} {'p50':>9} {'p90':>9} {'p99':>9} "
        f"{'recursion':>10} {'formula':>9} {'held up':>8}"
    )
    for load in found.loads:
        tail = "".join(f" {seconds(value):>9}" for value in load.percentiles_s.values())
        yield (
            f"  {load.load:>6.2f} {seconds(load.mean_s):>9}{tail} "
            f"{seconds(load.recursion_s):>10} {seconds(load.formula_s):>9} {load.held_up:>8.1%}"
        )
    yield from (f"  {line}" for line in reasons(found))


def reasons(found: OpenLoop) -> Iterator[str]:
    """Why measurement, recursion and formula differ, where they do."""
    if found.burstiness > 1.5 or found.burstiness < 0.67:
        yield (
            "the formula (Pollaczek and Khinchine) takes arrivals at random; these come "
            + ("in bursts, and wait longer" if found.burstiness > 1 else "evenly, and wait less")
        )
    held = [load for load in found.loads if load.held_up > 0.01]
    if held:
        yield (
            "where it was held up, the machine did something else meanwhile: measured times are "
            "longer than the recursion's by that"
        )


def document(measured: Iterable[Measured]) -> list[JsonObject]:
    """`bench --format json`: times in seconds, rates a second."""
    return [{"part": each.part, "of": each.text, **_document(each.result)} for each in measured]


def _document(result: Any) -> JsonObject:
    match result:
        case Throughput() as found:
            return {
                "updates_hz": _interval_document(found.updates_hz),
                "bytes_hz": _interval_document(found.bytes_hz),
                "rounds": list(found.rounds),
            }
        case Growth() as found:
            return {
                "exponent": _interval_document(found.exponent),
                "complete": found.complete,
                "points": [
                    {"held": p.held, "update_s": p.update_s, "snapshot_s": p.snapshot_s}
                    for p in found.points
                ],
            }
        case Memory() as found:
            return {"items": found.items, "bytes_each": found.bytes_each}
        case OpenLoop() as found:
            return {
                "service_s": found.service_s,
                "variation": found.variation,
                "burstiness": found.burstiness,
                "arrivals": found.arrivals,
                "saturation_hz": found.saturation_hz,
                "loads": [
                    {
                        "load": load.load,
                        "mean_s": load.mean_s,
                        "percentiles_s": _percentiles(load.percentiles_s),
                        "recursion_s": load.recursion_s,
                        "formula_s": load.formula_s,
                        "held_up": load.held_up,
                    }
                    for load in found.loads
                ],
            }
        case Ratio() as found:
            return {"ratio": found.ratio, "low": found.low, "high": found.high}
    return {
        "variants": {
            name: {
                "count": each.count,
                "mean_s": each.mean_s,
                "percentiles_s": _percentiles(each.percentiles_s),
            }
            for name, each in result.items()
        }
    }


def _percentiles(found: dict[float, float]) -> JsonObject:
    return {f"{percent:g}": value for percent, value in found.items()}


def _interval_document(value: Interval) -> JsonObject:
    half = None if math.isnan(value.half_width) else value.half_width
    return {"mean": value.mean, "half_width": half, "confidence": value.confidence}
