"""Figures of simulations as pictures: the only module that imports matplotlib, when it draws.

Owns: one style for all (colours that the colour-blind tell apart, units on the axes, the command
and seed in the corner) and the pictures: a figure over a swept parameter with its percentile bands
and, for a client with a queue, the point where it saturates; and the time line of one session. The
file's ending chooses the format: .png, .svg or .pdf.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from acpsim.errors import UsageError
from acpsim.files import write_whole
from acpsim.sim.experiment import Point
from acpsim.views.escape import visible
from acpsim.views.simulated import MEANINGS
from acpsim.wire import methods, updates
from acpsim.wire.trace import Event

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

BLUE, ORANGE, GREEN, GREY, RED = "#0072B2", "#E69F00", "#009E73", "#999999", "#D55E00"
"""Okabe and Ito's palette: told apart by everyone, also in grey."""
STATES: Final = {"running": BLUE, "requires_action": ORANGE, "idle": GREY}
FORMATS: Final = (".png", ".svg", ".pdf")
SATURATED: Final = 0.99
"""The utilisation from which on a queue counts as saturated."""
EVENTS_MAX: Final = 2000
"""Messages drawn in a time line: more would be one black bar."""


def _picture(width: float = 8.0, height: float = 4.5) -> tuple[Picture, Axes]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(width, height), layout="constrained")
    axes = picture.subplots()
    axes.grid(visible=True, color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return picture, axes


def _save(picture: Picture, path: str, caption: str) -> None:
    """Write the picture whole, with its command in the corner and no date in it."""
    suffix = Path(path).suffix
    if suffix not in FORMATS:
        raise UsageError(f"--plot {path}: no picture format; one of {', '.join(FORMATS)}")
    picture.supxlabel(visible(caption), fontsize=7, color="#666666", x=0.99, ha="right")
    out = io.BytesIO()
    dateless: dict[str, dict[str, Any]] = {
        ".svg": {"Date": None},
        ".pdf": {"CreationDate": None},
        ".png": {"Software": None},
    }
    picture.savefig(out, format=suffix[1:], dpi=150, metadata=dateless[suffix])
    write_whole(path, out.getvalue())


def sweep(points: Sequence[Point], figure: str, path: str, *, caption: str) -> None:
    """A figure over the first swept parameter: mean with interval, p50, p90 and p99 as bands.

    Where the client has a queue, the offered load stands on top and saturation is marked.
    """
    known = sorted({name for point in points for name in point.figures})
    if figure not in known:
        raise UsageError(f"--figure {figure}: not measured here; one of {', '.join(known)}")
    key = next(iter(points[0].parameters))
    xs = [point.parameters[key] for point in points]
    picture, axes = _picture()
    _bands(axes, xs, [point.percentiles.get(figure, {}) for point in points])
    means = [point.figures[figure].mean for point in points]
    widths = [_finite(point.figures[figure].half_width) for point in points]
    axes.errorbar(xs, means, yerr=widths, color=BLUE, marker="o", capsize=3, label="mean, 95 %")
    _saturation(axes, xs, points)
    if min(means) >= 0:
        axes.set_ylim(bottom=0)
    axes.set_xlabel(visible(key))
    axes.set_ylabel(f"{figure}\n({MEANINGS[figure]})", fontsize=8)
    axes.legend(frameon=False)
    _save(picture, path, caption)


def _bands(axes: Axes, xs: list[float], percentiles: list[dict[int, float]]) -> None:
    if not all(percentiles):
        return
    columns = {at: [held[at] for held in percentiles] for at in percentiles[0]}
    axes.fill_between(xs, columns[50], columns[90], color=GREEN, alpha=0.25, label="p50 to p90")
    axes.fill_between(xs, columns[90], columns[99], color=ORANGE, alpha=0.2, label="p90 to p99")


def _saturation(axes: Axes, xs: list[float], points: Sequence[Point]) -> None:
    """Mark where the client's utilisation reaches one, on its own axis."""
    loads = [point.figures.get("reconciler_utilisation") for point in points]
    held = [load.mean for load in loads if load is not None]
    if len(held) != len(points):
        return
    top = axes.twinx()
    top.plot(xs, held, color=GREY, linestyle="--")
    axes.plot([], [], color=GREY, linestyle="--", label="utilisation of the client")
    top.spines["top"].set_visible(False)
    top.set_ylim(0, 1.05)
    top.set_ylabel("utilisation of the client", color="#666666")
    full = [x for x, load in zip(xs, held, strict=True) if load >= SATURATED]
    if full:
        axes.axvline(full[0], color=RED, linewidth=1, label=f"saturated from {full[0]:g}")


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def time_line(events: Iterable[Event], path: str, *, caption: str) -> None:
    """One session over time: foreground state as bars, messages of each direction as ticks."""
    picture, axes = _picture(height=2.8)
    session = ""
    ticks: dict[str, list[float]] = {"c2a": [], "a2c": []}
    state, since, last = "idle", 0.0, 0.0
    drawn = 0
    for event in events:
        named = getattr(getattr(event.message, "params", None), "session_id", "")
        session = session or (named if isinstance(named, str) else "")
        if named != session or event.dir == "lost" or drawn >= EVENTS_MAX:
            continue
        drawn += 1
        last = event.t
        ticks[event.dir].append(event.t)
        if isinstance(event.message, methods.SessionUpdate):
            update = event.message.params.update
            if isinstance(update, updates.StateUpdate) and update.state in STATES:
                axes.broken_barh([(since, event.t - since)], (0.75, 0.5), color=STATES[state])
                state, since = update.state, event.t
    axes.broken_barh([(since, max(last - since, 0.0))], (0.75, 0.5), color=STATES[state])
    axes.eventplot(
        [ticks["c2a"], ticks["a2c"]], lineoffsets=[2, 0.25], linelengths=0.4, colors=["k", "k"],
        linewidths=0.5,
    )  # fmt: skip
    axes.set_yticks([0.25, 1, 2], ["agent → client", "foreground state", "client → agent"])
    axes.set_xlabel(f"time in session {visible(session, 40)}, seconds")
    for name, colour in STATES.items():
        axes.plot([], [], color=colour, linewidth=6, label=name)
    axes.legend(frameon=False, ncols=3, loc="upper right", bbox_to_anchor=(1, 1.2))
    _save(picture, path, caption)
