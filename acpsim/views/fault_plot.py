"""A caught fault as a picture: the few messages between agent and client, and what came of them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

from msgspec import UNSET

from acpsim.fuzz.campaign import Fault
from acpsim.views.escape import shown, visible
from acpsim.views.message import summary
from acpsim.views.plots import BLUE, GREEN, GREY, RED, panels, saved
from acpsim.wire.cells import Json

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLIENT: Final = 0.0
AGENT: Final = 1.0
VALUE_MAX: Final = 90
"""Characters of a value that differs."""


def draw(fault: Fault, *, form: str, caption: str) -> bytes:
    """The picture of a fault, as the bytes of a file."""
    count = len(fault.events)
    picture, (axes,) = panels(1, width=8.0, height=1.9 + 0.36 * count)
    axes.set_axis_off()
    axes.set_xlim(-0.35, 1.35)
    axes.set_ylim(count + 3.1, -2.6)
    _heading(axes, fault)
    for lane, name in ((CLIENT, "client"), (AGENT, "agent")):
        axes.plot([lane, lane], [-0.3, count - 0.4], color=GREY, linewidth=1)
        axes.text(lane, -0.5, name, ha="center", fontsize=9, color="black")
    for at, event in enumerate(fault.events):
        last = at == count - 1
        _arrow(axes, at, event.dir, visible(summary(event), 60), colour=RED if last else BLUE)
    _outcome(axes, fault, count)
    return saved(picture, form, caption)


def _heading(axes: Axes, fault: Fault) -> None:
    for at, line in enumerate(textwrap.wrap(visible(fault.text), 92)[:2]):
        axes.text(-0.33, -2.2 + 0.65 * at, line, fontsize=9, weight="bold")


def _arrow(axes: Axes, at: int, direction: str, label: str, *, colour: str) -> None:
    if direction == "lost":
        axes.plot([CLIENT, AGENT], [at, at], color=RED, linestyle=":", linewidth=1.5)
        axes.text(0.5, at - 0.12, "the connection is lost", ha="center", fontsize=8, color=RED)
        return
    start, end = (CLIENT, AGENT) if direction == "c2a" else (AGENT, CLIENT)
    axes.annotate(
        "", xy=(end, at), xytext=(start, at),
        arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.2},
    )  # fmt: skip
    axes.text(0.5, at - 0.12, label, ha="center", fontsize=8, family="monospace", color="black")


def _outcome(axes: Axes, fault: Fault, count: int) -> None:
    place = visible(fault.path or "", 80)
    axes.text(-0.33, count + 0.5, f"then, at {place}", fontsize=9)
    for at, (name, value, colour) in enumerate(
        (("expected", fault.expected, GREEN), ("the reducer has", fault.actual, RED))
    ):
        text = f"{name:<16} {_value(value)}"
        y = count + 1.25 + 0.7 * at
        axes.text(-0.33, y, text, fontsize=9, family="monospace", color=colour)


def _value(value: Json) -> str:
    return "(nothing)" if value is UNSET else visible(shown(value, None), VALUE_MAX)
