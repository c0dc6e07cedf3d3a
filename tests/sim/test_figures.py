"""What a run is asked for, and what many runs say together."""

from __future__ import annotations

import json

import pytest

from acpsim.errors import UsageError
from acpsim.sim.experiment import experiment, measure_once, parse_sweep
from acpsim.sim.figures import AVERAGES, FIGURES, Figures
from acpsim.sim.model import load_model, override, parse_model
from acpsim.sim.queueing import TimeAverage
from acpsim.sim.run import run
from acpsim.wire.edition import DRAFT


def test_a_time_average_weighs_by_how_long_each_value_stood() -> None:
    average = TimeAverage()
    average.change(2, 1.0)
    average.change(-1, 3.0)

    assert average.mean(4.0) == pytest.approx((0 * 1 + 2 * 2 + 1 * 1) / 4)
    assert average.most == 2


def test_littles_law_holds_for_the_messages_in_flight() -> None:
    figures = Figures()
    done = run(load_model("cancel-race"), seed=1, edition=DRAFT, measure=figures)
    transit = figures.values()["transit_s"]

    expected = sum(transit) / done.sim_time_s

    assert figures.averages(done.sim_time_s, 0)["in_flight_messages"] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_littles_law_holds_for_the_reconciler_of_every_run(seed: int) -> None:
    model = override(load_model("overload"), "sessions", 8)
    measured = measure_once(model, seed=seed, edition=DRAFT)
    count = measured.counts["update_visible_s"]

    held = measured.averages["in_reconciler_updates"]

    assert count > 100
    assert held > 0
    assert 0 < measured.averages["reconciler_utilisation"] < 1


def test_the_sign_of_the_gap_says_who_came_first() -> None:
    text = "[agent]\nresponse_delay = {kind = 'constant', value_s = 0.2}\n[client]\nprompts = 4\n"
    figures = Figures()
    done = run(parse_model(text, where="m"), seed=0, edition=DRAFT, measure=figures)

    assert figures.values()["echo_gap_s"] == pytest.approx([-0.2] * 4)
    assert figures.averages(done.sim_time_s, 0)["echo_first_share"] == 1.0


def test_the_time_from_cancel_to_idle_is_two_ways_and_the_abort() -> None:
    figures = Figures()
    run(load_model("tiny-cancel"), seed=0, edition=DRAFT, measure=figures)

    assert figures.values()["cancel_to_idle_s"] == pytest.approx([0.001 + 0.05 + 0.001])


def test_more_latency_is_seen_against_the_same_random_numbers() -> None:
    sweep = parse_sweep("link.latency.value_s=0.001,0.101")
    points = experiment(
        load_model("plain-chat"), seed=3, edition=DRAFT, replications_count=4, sweeps=[sweep]
    )
    difference = points[1].against_first["acceptance_s"]

    assert difference.mean == pytest.approx(0.2)
    assert difference.half_width == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("text", "values"),
    [("a.b=1:3:3", (1.0, 2.0, 3.0)), ("a=5", (5.0,)), ("a=1,10,100", (1.0, 10.0, 100.0))],
)
def test_a_sweep_is_a_range_or_a_list(text: str, values: tuple[float, ...]) -> None:
    assert parse_sweep(text).values == values


@pytest.mark.parametrize("text", ["a", "a=", "=1", "a=1:2", "a=1:2:0", "a=x"])
def test_a_sweep_that_is_neither_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match="--sweep"):
        parse_sweep(text)


def test_every_figure_says_what_it_is() -> None:
    assert all({**FIGURES, **AVERAGES}.values())
    assert json.dumps({**FIGURES, **AVERAGES})


def test_steps_through_a_range_are_whole_where_they_count_things() -> None:
    sweep = parse_sweep("client.prompts=1:4:3")
    points = experiment(load_model("tiny-echo"), seed=0, edition=DRAFT, sweeps=[sweep])

    assert [point.parameters["client.prompts"] for point in points] == [1, 2, 4]


def test_a_number_that_counts_nothing_is_refused_where_it_was_given_itself() -> None:
    sweep = parse_sweep("client.prompts=1,1.5")
    with pytest.raises(UsageError, match=r"client\.prompts: expected whole number"):
        experiment(load_model("tiny-echo"), seed=0, edition=DRAFT, sweeps=[sweep])
