"""What was measured of a reconciliation core, as one picture: latency, growth, an open loop.

Owns: which panels there are for what was measured. The style is that of `plots`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from acpsim.errors import UsageError
from acpsim.measure.core import Growth
from acpsim.measure.openloop import OpenLoop
from acpsim.measure.session import Measured
from acpsim.views.plots import BLUE, GREEN, GREY, LINES, ORANGE, RED, form_of, panels, saved

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw", "form_of"]

MICRO: Final = 1e6


def draw(measured: Sequence[Measured], *, form: str, caption: str) -> bytes:
    """A panel for each kind of measurement that has a picture. Raises `UsageError` if none has."""
    by_part: dict[str, list[Measured]] = {}
    for each in measured:
        by_part.setdefault(each.part, []).append(each)
    drawn = [(part, PANELS[part]) for part in PANELS if part in by_part]
    if not drawn:
        raise UsageError(f"--plot: nothing to draw; measure one of {', '.join(PANELS)}")
    picture, axes = panels(len(drawn))
    for (part, panel), one in zip(drawn, axes, strict=True):
        panel(one, by_part[part])
    return saved(picture, form, caption)


def _latency(axes: Axes, measured: Sequence[Measured]) -> None:
    table: Any = measured[0].result
    names = list(table)[::-1]
    marks = (("50", BLUE, "o"), ("90", GREEN, "s"), ("99", ORANGE, "^"), ("99.9", RED, "D"))
    for at, name in enumerate(names):
        times = [value * MICRO for value in table[name].percentiles_s.values()]
        axes.plot([times[0], times[-1]], [at, at], color=GREY, linewidth=1)
    for place, (label, colour, mark) in enumerate(marks):
        xs = [list(table[name].percentiles_s.values())[place] * MICRO for name in names]
        axes.plot(xs, range(len(names)), mark, color=colour, label=f"p{label}", markersize=5)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xscale("log")
    axes.set_xlabel("time for one update (microseconds)")
    axes.set_title("by variant", fontsize=9, loc="left")
    axes.legend(frameon=False, fontsize=8, ncols=4, loc="lower right", bbox_to_anchor=(1, 1))


def _growth(axes: Axes, measured: Sequence[Measured]) -> None:
    for each, (colour, mark, dash) in zip(measured, LINES, strict=False):
        found = each.result
        assert isinstance(found, Growth)
        held = [point.held for point in found.points]
        label = f"{each.text}: exponent {found.exponent.mean:.3f}"
        axes.plot(
            held, [point.update_s * MICRO for point in found.points],
            color=colour, marker=mark, linestyle=dash, label=label, markersize=5,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("items held")
    axes.set_ylabel("time for one more update (microseconds)")
    axes.set_title("the cost of length", fontsize=9, loc="left")
    axes.legend(frameon=False, fontsize=8)


def _open_loop(axes: Axes, measured: Sequence[Measured]) -> None:
    found = measured[0].result
    assert isinstance(found, OpenLoop)
    loads = [load.load for load in found.loads]
    for label, values, (colour, mark, dash) in (
        ("measured", [load.mean_s for load in found.loads], LINES[0]),
        ("Lindley's recursion", [load.recursion_s for load in found.loads], LINES[2]),
        ("Pollaczek and Khinchine", [load.formula_s for load in found.loads], LINES[3]),
    ):
        axes.plot(
            loads, [value * MICRO for value in values],
            color=colour, marker=mark, linestyle=dash, label=label, markersize=5,
        )  # fmt: skip
    axes.axvline(1.0, color=RED, linewidth=1.2, label="saturation")
    axes.set_yscale("log")
    axes.set_xlabel(f"offered load (1 is {found.saturation_hz:,.0f} updates a second)")
    axes.set_ylabel("mean time until reconciled (microseconds)")
    axes.set_title(f"open loop, arrivals {found.arrivals}", fontsize=9, loc="left")
    axes.legend(frameon=False, fontsize=8)


PANELS: Final[dict[str, Callable[[Any, Sequence[Measured]], None]]] = {
    "latency": _latency,
    "growth": _growth,
    "open-loop": _open_loop,
}
"""Part → what draws it."""
