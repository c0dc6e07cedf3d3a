"""Figures of simulations as pictures: the only module that imports matplotlib, when it draws.

Owns: one style for all (colours that the colour-blind tell apart, units on the axes, the command
and seed in the corner) and the pictures: a figure over a swept parameter or over the offered load,
with its percentiles and the point where the client saturates; the same over two parameters; and
the time line of one session. Each is the bytes of a file; `form_of` knows what its name asks for.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from acpsim.errors import UsageError
from acpsim.sim.experiment import Point
from acpsim.views.escape import visible
from acpsim.views.simulated import MEANINGS
from acpsim.views.timeline import Line, line_of
from acpsim.wire.trace import Event

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

BLUE, ORANGE, GREEN, GREY, RED = "#0072B2", "#E69F00", "#009E73", "#999999", "#D55E00"
"""Okabe and Ito's palette: told apart by everyone, also in grey."""
LINES: Final = ((BLUE, "o", "-"), (RED, "s", "--"), (GREEN, "^", ":"), (ORANGE, "D", "-."))
"""What tells lines of one picture apart: colour, and for those who see none, mark and dash."""
STATES: Final = {"running": BLUE, "requires_action": ORANGE, "unknown": GREEN, "idle": "#cccccc"}
FORMATS: Final = ("png", "svg", "pdf")
LOAD: Final = "offered_load"
LOAD_VARIES: Final = 1.25
"""How far the largest offered load lies above the smallest where a sweep is one of the load."""
BEYOND: Final = 1.6
"""How many times as far as all that was measured saturation lies where it is not drawn to scale."""
LOGARITHMIC: Final = 50.0
"""The largest latency over the smallest from which on only a logarithmic axis shows both."""
NAMED_APART: Final = 0.05
"""How far apart points are, as a share of the axis, if both say their parameter on top."""
WRITTEN_MAX: Final = 100
"""Cells of a map up to which each has its number written in."""
UNITS: Final = {"_s": "seconds", "_hz": "a second", "_Bps": "bytes a second", "_share": "share"}


def form_of(path: str) -> str:
    """The format that a file's name asks for. Raises `UsageError`."""
    form = Path(path).suffix.removeprefix(".")
    if form not in FORMATS:
        known = ", ".join(f".{name}" for name in FORMATS)
        raise UsageError(f"--plot {path}: no picture format; one of {known}")
    return form


def check_names(figure: str | None, against: str | None, keys: Sequence[str]) -> None:
    """Raise `UsageError` for a figure that nobody measures; better before a run than after it."""
    if figure is not None and figure not in MEANINGS:
        raise UsageError(f"--figure {figure}: no such figure; one of {', '.join(MEANINGS)}")
    if against is not None and against not in {*keys, *MEANINGS}:
        known = ", ".join([*keys, *MEANINGS])
        raise UsageError(f"--against {against}: no such figure or parameter; one of {known}")


def draw(
    points: Sequence[Point],
    figure: str | None = None,
    *,
    form: str,
    caption: str,
    against: str | None = None,
    events: Iterable[Event] = (),
) -> bytes:
    """The picture that fits: of what was swept, or of `events` where nothing was."""
    if not points[0].parameters:
        return time_line(events, form=form, caption=caption)
    chosen = figure or default_figure(points)
    keys = list(points[0].parameters)
    if len(keys) == 2 and not against:
        return heat_map(points, chosen, form=form, caption=caption)
    return sweep(points, chosen, form=form, caption=caption, against=against)


def default_figure(points: Sequence[Point]) -> str:
    """What is drawn if nobody says: the latency that the user feels."""
    return "update_visible_s" if "update_visible_s" in points[0].figures else "acceptance_s"


def sweep(
    points: Sequence[Point],
    figure: str,
    *,
    form: str,
    caption: str,
    against: str | None = None,
) -> bytes:
    """A figure over a parameter or another figure: mean with interval, p50, p90 and p99.

    Without `against` a sweep that changes the offered load is drawn over it, any other over its
    parameter. Where the client has a queue, its saturation is marked. A second parameter gives
    a line for each of its values.
    """
    _known(points, figure, "--figure")
    first, *second = points[0].parameters
    key = against or (LOAD if _sweeps_load(points, first) else first)
    if key not in points[0].parameters:
        _known(points, key, "--against")
    picture, axes = _picture()
    if second:
        groups = _groups(points, second[0] if key != second[0] else first)
        for at, (label, group) in enumerate(groups.items()):
            _line(axes, group, key, figure, style=LINES[at % len(LINES)], label=label)
    else:
        _percentiles(axes, points, key, figure)
        _line(axes, points, key, figure, style=LINES[0], label="mean, 95 % interval")
        if key != first:
            _name_points(axes, points, key, first)
    _saturation(axes, points, key)
    _latency_axis(axes, points, figure)
    axes.set_xlabel(_axis(key))
    axes.legend(frameon=False, fontsize=8)
    return saved(picture, form, caption)


def _known(points: Sequence[Point], name: str, option: str) -> None:
    known = sorted({held for point in points for held in point.figures})
    if not all(name in point.figures for point in points):
        raise UsageError(f"{option} {name}: not measured here; one of {', '.join(known)}")


def _sweeps_load(points: Sequence[Point], key: str) -> bool:
    """Whether the first parameter moves the client's load, up or down all the way."""
    if len(points) < 2 or not all(LOAD in point.figures for point in points):
        return False
    ordered = sorted(points, key=lambda point: point.parameters[key])
    loads = [point.figures[LOAD].mean for point in ordered]
    if min(loads) <= 0 or max(loads) < LOAD_VARIES * min(loads):
        return False
    return len(points[0].parameters) > 1 or loads in (sorted(loads), sorted(loads, reverse=True))


def _groups(points: Sequence[Point], key: str) -> dict[str, list[Point]]:
    groups: dict[str, list[Point]] = {}
    for point in points:
        groups.setdefault(f"{key} = {point.parameters[key]:g}", []).append(point)
    return groups


def _at(point: Point, key: str) -> float:
    found = point.parameters.get(key)
    return point.figures[key].mean if found is None else found


def _line(
    axes: Axes,
    points: Sequence[Point],
    key: str,
    figure: str,
    *,
    style: tuple[str, str, str],
    label: str,
) -> None:
    held = sorted(points, key=lambda point: _at(point, key))
    colour, mark, dash = style
    axes.errorbar(
        [_at(point, key) for point in held],
        [point.figures[figure].mean for point in held],
        yerr=[_finite(point.figures[figure].half_width) for point in held],
        color=colour, marker=mark, linestyle=dash, capsize=3, markersize=5, label=visible(label),
    )  # fmt: skip


def _percentiles(axes: Axes, points: Sequence[Point], key: str, figure: str) -> None:
    held = sorted(points, key=lambda point: _at(point, key))
    if not all(point.percentiles.get(figure) for point in held):
        return
    xs = [_at(point, key) for point in held]
    p50, p90, p99 = (
        [point.percentiles[figure][percent] for point in held] for percent in (50, 90, 99)
    )
    axes.fill_between(xs, p90, p99, color=ORANGE, alpha=0.18, linewidth=0)
    axes.fill_between(xs, p50, p90, color=GREEN, alpha=0.25, linewidth=0)
    for name, ys, colour, dash in (
        ("p99", p99, ORANGE, ":"), ("p90", p90, GREEN, "--"), ("p50", p50, "black", "-.")
    ):  # fmt: skip
        axes.plot(xs, ys, color=colour, linestyle=dash, linewidth=1.2, label=name)


def _name_points(axes: Axes, points: Sequence[Point], key: str, parameter: str) -> None:
    """Say on top which value of the parameter each point is."""
    top = axes.secondary_xaxis("top")
    named: list[Point] = []
    xs = [_at(point, key) for point in points]
    least = (max(xs) - min(xs)) * NAMED_APART
    for point in sorted(points, key=lambda point: _at(point, key)):
        if not named or _at(point, key) - _at(named[-1], key) >= least:
            named.append(point)
    labels = [f"{point.parameters[parameter]:.4g}" for point in named]
    top.set_xticks([_at(point, key) for point in named], labels, fontsize=7, rotation=35, ha="left")
    top.set_xlabel(_axis(parameter), fontsize=8)
    top.spines["top"].set_visible(False)


def _saturation(axes: Axes, points: Sequence[Point], key: str) -> None:
    """Mark where the offered load reaches one: from there on the queue grows as long as it may."""
    if not all(LOAD in point.figures for point in points):
        return
    at = 1.0 if key == LOAD else _crossing(points, key)
    if at is None:
        return
    if at > max(_at(point, key) for point in points) * BEYOND:
        axes.plot([], [], color=RED, linewidth=1.2, label=f"saturation at {at:.3g}, further right")
        return
    axes.axvline(at, color=RED, linewidth=1.2)
    low, high = axes.get_xlim()
    if at < high:
        axes.axvspan(at, high, color=RED, alpha=0.06, linewidth=0)
        axes.set_xlim(low, high)
    axes.plot([], [], color=RED, linewidth=1.2, label=f"saturation at {at:.3g}")


def _crossing(points: Sequence[Point], key: str) -> float | None:
    """Where between two points the offered load passes one, on a straight line."""
    if len(points[0].parameters) > 1:
        return None
    held = sorted((_at(point, key), point.figures[LOAD].mean) for point in points)
    for (x0, load0), (x1, load1) in itertools.pairwise(held):
        if (load0 - 1.0) * (load1 - 1.0) <= 0 and load0 != load1:
            return x0 + (x1 - x0) * (1.0 - load0) / (load1 - load0)
    return None


def _latency_axis(axes: Axes, points: Sequence[Point], figure: str) -> None:
    means = [point.figures[figure].mean for point in points]
    tops = [point.percentiles.get(figure, {}).get(99, 0.0) for point in points]
    if min(means) > 0 and max(*means, *tops) > LOGARITHMIC * min(means):
        axes.set_yscale("log")
    elif min(means) >= 0:
        axes.set_ylim(bottom=0)
    axes.set_ylabel(f"{_axis(figure)}\n{MEANINGS[figure]}", fontsize=8)


def heat_map(points: Sequence[Point], figure: str, *, form: str, caption: str) -> bytes:
    """A figure over two parameters: colour and number for each pair; saturated ones are framed."""
    _known(points, figure, "--figure")
    first, second = points[0].parameters
    xs = sorted({point.parameters[first] for point in points})
    ys = sorted({point.parameters[second] for point in points})
    cells = [[math.nan] * len(xs) for _ in ys]
    picture, axes = _picture(height=5.5)
    axes.grid(visible=False)
    full = False
    for point in points:
        x, y = xs.index(point.parameters[first]), ys.index(point.parameters[second])
        cells[y][x] = point.figures[figure].mean
        if LOAD in point.figures and point.figures[LOAD].mean >= 1:
            full = True
            frame = _rectangle((x - 0.47, y - 0.47), 0.94, 0.94, RED)
            axes.add_patch(frame)
    norm = _norm(cells)
    image = axes.imshow(cells, origin="lower", aspect="auto", cmap="cividis", norm=norm)
    if len(points) <= WRITTEN_MAX:
        _write_cells(axes, cells, norm)
    axes.set_xticks(range(len(xs)), [f"{x:.4g}" for x in xs])
    axes.set_yticks(range(len(ys)), [f"{y:.4g}" for y in ys])
    axes.set_xlabel(_axis(first))
    axes.set_ylabel(_axis(second))
    bar = picture.colorbar(image, ax=axes)
    bar.set_label(f"{_axis(figure)}\n{MEANINGS[figure]}", fontsize=8)
    if full:
        axes.plot([], [], color=RED, label="saturated: offered load of 1 or more")
        axes.legend(frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))
    return saved(picture, form, caption)


def _rectangle(corner: tuple[float, float], width: float, height: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle(corner, width, height, fill=False, edgecolor=colour, linewidth=2.5)


def _norm(cells: Sequence[Sequence[float]]) -> Any:
    """From values to colours; by orders of magnitude where a plain scale would show two colours."""
    from matplotlib.colors import LogNorm, Normalize

    known = [value for row in cells for value in row if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    return (LogNorm if low > 0 and high > LOGARITHMIC * low else Normalize)(low, high)


def _write_cells(axes: Axes, cells: Sequence[Sequence[float]], norm: Any) -> None:
    for y, row in enumerate(cells):
        for x, value in enumerate(row):
            if math.isfinite(value):
                colour = "black" if norm(value) > 0.5 else "white"
                axes.text(x, y, f"{value:.3g}", ha="center", va="center", color=colour, fontsize=8)


def time_line(events: Iterable[Event], *, form: str, caption: str) -> bytes:
    """One session over time: its foreground state as bars, its messages as marks by what they are.

    Raises `UsageError` where no message names a session.
    """
    line: Line = line_of(events)
    if not line.session:
        raise UsageError("--plot: no session to draw: no message names one")
    picture, axes = _picture(height=3.6)
    rows = [name for name in line.marks if line.marks[name]]
    for at, name in enumerate(rows):
        axes.plot(line.marks[name], [at] * len(line.marks[name]), "|", color="black", markersize=11)
    top = len(rows)
    for state, since_s, until_s in line.states:
        bar = [(since_s, max(until_s - since_s, 0.0))]
        axes.broken_barh(bar, (top - 0.3, 0.6), color=STATES[state])
    for at_s in line.lost:
        axes.axvline(at_s, color=RED, linewidth=1.5)
    axes.set_yticks(range(top + 1), [*rows, "foreground state"], fontsize=8)
    axes.set_ylim(-0.6, top + 0.6)
    axes.set_xlabel(f"simulated time in session {visible(line.session, 40)}, as the client saw it"
                    " (seconds)")  # fmt: skip
    seen = {state for state, _, _ in line.states}
    for name, colour in STATES.items():
        if name in seen:
            axes.plot([], [], color=colour, linewidth=6, label=name)
    if line.lost:
        axes.plot([], [], color=RED, linewidth=1.5, label="connection lost")
    axes.legend(frameon=False, ncols=5, fontsize=8, loc="lower right", bbox_to_anchor=(1, 1))
    return saved(picture, form, caption)


def _axis(name: str) -> str:
    """A figure's or parameter's name with its unit, as an axis says it."""
    if name == LOAD:
        return "offered load: updates a second × mean service time (1 saturates)"
    unit = next((text for suffix, text in UNITS.items() if name.endswith(suffix)), "")
    return f"{visible(name)} ({unit})" if unit else visible(name)


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def panels(count: int, *, width: float = 6.0, height: float = 4.5) -> tuple[Picture, list[Axes]]:
    """A picture of `count` panels side by side, in the style of all."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(width * count, height), layout="constrained")
    found = picture.subplots(1, count, squeeze=False)[0]
    for axes in found:
        axes.grid(visible=True, color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    return picture, list(found)


def _picture(width: float = 8.0, height: float = 4.5) -> tuple[Picture, Axes]:
    picture, (axes,) = panels(1, width=width, height=height)
    return picture, axes


def saved(picture: Picture, form: str, caption: str) -> bytes:
    """The picture's file, with its command in the corner and no date in it."""
    import matplotlib

    picture.supxlabel(visible(caption, 170), fontsize=6, color="#666666", x=0.99, ha="right")
    dateless: dict[str, dict[str, Any]] = {
        "svg": {"Date": None},
        "pdf": {"CreationDate": None},
        "png": {"Software": None},
    }
    out = io.BytesIO()
    # SVG ids are salted at random otherwise: the same picture shall be the same file.
    with matplotlib.rc_context({"svg.hashsalt": "acpsim", "svg.fonttype": "none"}):
        picture.savefig(out, format=form, dpi=150, metadata=dateless[form])
    return out.getvalue()
