"""Pictures: whole, the same for the same seed, and refused in one line where they cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpsim.errors import UsageError
from acpsim.sim.experiment import Point, experiment, parse_sweep
from acpsim.sim.model import load_model, override
from acpsim.views import plots
from acpsim.wire.edition import DRAFT
from tests.sim.runs import read, traces


@pytest.fixture(scope="module")
def points() -> list[Point]:
    model = override(load_model("overload"), "sessions", 5)
    sweep = parse_sweep("reconcile.service.mean_s=0.001,0.02")
    return experiment(model, seed=1, edition=DRAFT, replications_count=2, sweeps=[sweep])


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_a_sweep_is_drawn(points: list[Point], tmp_path: Path, ending: str, magic: bytes) -> None:
    path = tmp_path / f"load{ending}"

    plots.sweep(points, "update_visible_s", str(path), caption="a caption")

    assert path.read_bytes().startswith(magic)


@pytest.mark.slow
def test_a_time_line_is_drawn(tmp_path: Path) -> None:
    events = read(traces(load_model("tiny-permission"), seed=0, edition=DRAFT)["client"]).events
    path = tmp_path / "line.svg"

    plots.time_line(events, str(path), caption="acpsim sim tiny-permission")

    drawn = path.read_text(encoding="utf-8")
    assert "acpsim sim tiny-permission" in drawn or "<svg" in drawn


def test_an_unknown_ending_is_refused(points: list[Point], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no picture format; one of \.png, \.svg, \.pdf"):
        plots.sweep(points, "update_visible_s", str(tmp_path / "x.gif"), caption="")


def test_a_figure_that_was_not_measured_is_refused(points: list[Point], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--figure nothing: not measured here; one of"):
        plots.sweep(points, "nothing", str(tmp_path / "x.png"), caption="")
