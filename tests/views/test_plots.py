"""Pictures: what is on them, the same for the same seed, and refused early where they cannot be."""

from __future__ import annotations

import re

import pytest

from acpsim.errors import UsageError
from acpsim.sim.experiment import Points, experiment, parse_sweep
from acpsim.sim.model import load_model, override
from acpsim.views import plots
from acpsim.views.timeline import line_of
from acpsim.wire.edition import DRAFT
from tests.sim.runs import read, traces

CAPTION = "acpsim sim overload --seed 1"


def swept(*sweeps: str) -> Points:
    model = override(load_model("overload"), "sessions", 5)
    model = override(model, "client.prompts", 1)
    parsed = [parse_sweep(text) for text in sweeps]
    return experiment(model, seed=1, edition=DRAFT, replications_count=2, sweeps=parsed)


@pytest.fixture(scope="module")
def loads() -> Points:
    return swept("reconcile.service.mean_s=0.001,0.01,0.05")


@pytest.fixture(scope="module")
def pairs() -> Points:
    return swept("reconcile.service.mean_s=0.001,0.05", "link.latency.mean_s=0.01,0.1")


def texts(svg: bytes) -> str:
    """All that is written on a picture, a line for each text."""
    return "\n".join(re.findall(r"<text[^>]*>([^<]*)</text>", svg.decode()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_a_sweep_is_drawn_in_each_format(loads: Points, form: str, magic: bytes) -> None:
    drawn = plots.sweep(loads, "update_visible_s", form=form, caption=CAPTION)

    assert drawn.startswith(magic)


@pytest.mark.slow
def test_a_sweep_of_the_load_is_drawn_over_it_with_the_saturation_point(loads: Points) -> None:
    written = texts(plots.draw(loads, form="svg", caption=CAPTION))

    assert "offered load: updates a second × mean service time (1 saturates)" in written
    assert "saturation at 1" in written
    assert "update_visible_s (seconds)" in written
    assert {"p50", "p90", "p99", "mean, 95 % interval"} <= set(written.split("\n"))
    assert "reconcile.service.mean_s (seconds)" in written
    assert CAPTION in written


@pytest.mark.slow
def test_over_its_parameter_the_saturation_point_lies_where_the_load_passes_one(
    loads: Points,
) -> None:
    drawn = plots.draw(loads, form="svg", caption="", against="reconcile.service.mean_s")

    at = re.search(r"saturation at ([0-9.e-]+)", texts(drawn))
    assert at is not None
    below, above = (point for point in loads[:2]), loads[2]
    assert all(point.figures["offered_load"].mean < 1 for point in below)
    assert above.figures["offered_load"].mean > 1
    assert 0.01 < float(at.group(1)) < 0.05


@pytest.mark.slow
def test_saturation_that_lies_far_off_is_said_and_not_drawn_to_scale() -> None:
    points = swept("reconcile.service.mean_s=0.0001,0.0003,0.001")

    assert "saturation at 1, further right" in texts(plots.draw(points, form="svg", caption=""))


@pytest.mark.slow
def test_two_parameters_are_a_map_with_its_numbers(pairs: Points) -> None:
    written = texts(plots.draw(pairs, form="svg", caption=CAPTION))

    cells = [f"{point.figures['update_visible_s'].mean:.3g}" for point in pairs]
    assert all(cell in written.split("\n") for cell in cells)
    assert "link.latency.mean_s (seconds)" in written
    assert "saturated: offered load of 1 or more" in written


@pytest.mark.slow
def test_two_parameters_over_a_figure_are_a_line_for_each_value(pairs: Points) -> None:
    written = texts(plots.draw(pairs, form="svg", caption="", against="offered_load"))

    assert {"link.latency.mean_s = 0.01", "link.latency.mean_s = 0.1"} <= set(written.split("\n"))


@pytest.mark.slow
def test_the_same_seed_draws_the_same_file(loads: Points) -> None:
    first, second = (plots.draw(loads, form="svg", caption=CAPTION) for _ in range(2))

    assert first == second


@pytest.mark.slow
def test_a_time_line_names_its_session_its_states_and_its_command() -> None:
    events = read(traces(load_model("tiny-permission"), seed=0, edition=DRAFT)["client"]).events

    written = texts(plots.time_line(events, form="svg", caption=CAPTION))

    assert "in session sess_1" in written
    assert {"running", "requires_action", "idle", "prompts", "permission requests"} <= set(
        written.split("\n")
    )
    assert CAPTION in written


def test_after_a_lost_connection_no_state_is_known() -> None:
    events = read(traces(load_model("reconnect"), seed=0, edition=DRAFT)["client"]).events
    line = line_of(events)

    assert line.lost
    assert all(
        not since_s < at_s < until_s for _, since_s, until_s in line.states for at_s in line.lost
    )


def test_no_session_is_no_picture() -> None:
    with pytest.raises(UsageError, match="--plot: no session to draw"):
        plots.time_line([], form="png", caption="")


def test_an_unknown_ending_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no picture format; one of \.png, \.svg, \.pdf"):
        plots.form_of("x.gif")


def test_a_figure_that_was_not_measured_is_refused(loads: Points) -> None:
    with pytest.raises(UsageError, match="--figure cancel_to_idle_s: not measured here; one of"):
        plots.draw(loads, "cancel_to_idle_s", form="png", caption="")


@pytest.mark.parametrize(
    ("figure", "against", "said"),
    [("nothing", None, "--figure nothing: no such figure; one of acceptance_s"),
     (None, "nothing", "--against nothing: no such figure or parameter; one of a.key")],
)  # fmt: skip
def test_a_figure_that_nobody_measures_is_refused_before_a_run(
    figure: str | None, against: str | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        plots.check_names(figure, against, ["a.key"])
