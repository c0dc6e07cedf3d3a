"""A model fitted to a conversation speaks at its pace."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from acpsim.sim.distributions import mean_s, sampler
from acpsim.sim.experiment import experiment
from acpsim.sim.fit import DELAYS, Delays, fit
from acpsim.sim.fitted import Shape, model_text
from acpsim.sim.model import parse_model
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
from tests.sim.runs import read, traces

SPECS = [
    {"kind": "exponential", "mean_s": 0.4},
    {"kind": "lognormal", "median_s": 0.5, "sigma": 1.0},
    {"kind": "gamma", "mean_s": 0.3, "shape": 4.0},
    {"kind": "pareto", "min_s": 0.1, "alpha": 2.5},
    {"kind": "uniform", "min_s": 0.2, "max_s": 0.9},
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec["kind"]))
def test_what_was_drawn_from_a_distribution_is_fitted_by_it(spec: dict[str, object]) -> None:
    draw = sampler(spec, np.random.default_rng(5))

    found = fit([draw() for _ in range(3000)])

    assert found.spec["kind"] == spec["kind"]
    assert found.distance < 0.03
    assert mean_s(found.spec) == pytest.approx(mean_s(spec), rel=0.1)


def test_equal_values_are_a_constant() -> None:
    assert fit([0.25] * 20).spec == {"kind": "constant", "value_s": 0.25}


def test_few_values_are_kept_as_they_are() -> None:
    assert fit([0.1, 0.4, 0.2]).spec == {"kind": "empirical", "values_s": [0.1, 0.2, 0.4]}


def test_a_tail_without_a_mean_is_not_believed() -> None:
    """Gaps between chunks of recorded conversations, most of them next to nothing."""
    gaps = [1e-6] * 12 + [10.0**-at for at in (5, 4.5, 4, 3.5, 3, 2.5, 2, 1.5)]

    assert fit(gaps).spec["kind"] != "pareto"


def test_two_heaps_that_nothing_fits_are_kept_as_they_are() -> None:
    assert fit([0.001] * 200 + [5.0] * 100 + [0.002] * 100).spec["kind"] == "empirical"


def test_a_fit_whose_mean_is_another_is_not_believed() -> None:
    """Figures are means: what is simulated with the fit has to agree with what was measured."""
    generator = np.random.default_rng(7)
    for scale in (0.5, 1.5, 2.5):
        values = generator.lognormal(-3.0, scale, 12)
        assert mean_s(fit(values).spec) == pytest.approx(float(values.mean()), rel=0.2)


def test_many_values_that_nothing_fits_are_kept_as_few_with_their_mean() -> None:
    values = [0.001] * 200 + [5.0] * 100 + [0.002] * 100

    found = fit(values)

    assert len(found.spec["values_s"]) == 40
    assert mean_s(found.spec) == pytest.approx(float(np.mean(values)), rel=1e-5)
    assert found.distance == pytest.approx(0.0, abs=1e-9)  # Each heap is so many whole shares.


def delays_of(text: str) -> dict[str, list[float]]:
    delays = Delays()
    delays.read(conversation(text, edition=DRAFT))
    return {name: values for name, values in delays.values.items() if values}


def test_a_refused_prompt_takes_no_other_prompts_time() -> None:
    """Lines are a hundredth of a second apart."""
    found = delays_of("""
setup
> #1 prompt "no"
< #1 error -32000 "sign in"
> #2 prompt "yes"
< #2 ok u1
< user_message u1 "yes"
""")

    assert found["agent.hook"] == pytest.approx([0.01])


def test_a_prompt_that_waits_for_other_work_says_nothing_of_the_hook() -> None:
    found = delays_of("""
setup
> #1 prompt "a"
< #1 ok u1
< user_message u1 "a"
< running
> #2 prompt "b"
< idle end_turn
< #2 ok u2
< user_message u2 "b"
""")

    assert found["agent.hook"] == pytest.approx([0.01])


def test_speech_after_a_tool_call_says_nothing_of_the_first_token() -> None:
    found = delays_of("""
setup
< running
< tool_call_update t1 {"title": "T", "status": "pending"}
< agent_message m1 "done"
< idle end_turn
""")

    assert "agent.first_token" not in found


def test_a_permission_that_a_cancel_answers_is_not_the_users_delay() -> None:
    found = delays_of("""
setup
< #a1 permission - yes/no
> #a1 cancelled
< #a2 permission - yes/no
> #a2 selected yes
""")

    assert found["client.permission_delay"] == pytest.approx([0.01])


SHAPED = """
setup
> #1 prompt "a"
< #1 ok u1
< user_message u1 "a"
< running
< agent_thought_chunk m1 "x"
< agent_message_chunk m1 "x"
< agent_message_chunk m1 "y"
< tool_call_update t1 {"title": "T", "status": "pending"}
< #a1 permission t1 yes/no
> #a1 selected no
< tool_call_update t1 {"status": "failed"}
< agent_message m2 "whole"
< idle end_turn
> #2 prompt "b"
< #2 ok u2
< user_message u2 "b"
< running
> cancel
< idle cancelled
"""


def test_how_often_what_happens_is_counted() -> None:
    shape = Shape()
    shape.read(conversation(SHAPED, edition=DRAFT))

    assert shape.client() == {
        "prompts": 2,
        "cancel": 0.5,
        "cancel_when": "running",
        "permission_allow": 0.0,
    }
    assert shape.agent() == {
        "steps": [4, 4],
        "activities": {"message": 2, "thought": 1, "tool": 1},
        "tool_asks": 1.0,
        "whole_messages": pytest.approx(1 / 3, abs=1e-3),
        "chunks": [1, 2],
    }


TEXT = """
sessions = 80
[client]
prompts = 8
think = { kind = "exponential", mean_s = 1.5 }
cancel = 0.5
cancel_after = { kind = "exponential", mean_s = 0.5 }
permission_delay = { kind = "gamma", mean_s = 0.8, shape = 3.0 }
[agent]
hook = { kind = "uniform", min_s = 0.05, max_s = 0.15 }
response_delay = { kind = "exponential", mean_s = 0.05 }
steps = [1, 3]
activities = { message = 2, tool = 2, permission = 1 }
tool_asks = 0.5
first_token = { kind = "lognormal", median_s = 0.4, sigma = 0.5 }
chunk_gap = { kind = "exponential", mean_s = 0.03 }
tool = { kind = "exponential", mean_s = 0.6 }
abort = { kind = "exponential", mean_s = 0.2 }
[link.c2a]
latency = { kind = "constant", value_s = 0.0 }
[link.a2c]
latency = { kind = "constant", value_s = 0.0 }
"""


@dataclass(frozen=True)
class Pair:
    """What was recorded, and what a model fitted to it says: delays and figures."""

    recorded: Delays
    again: Delays
    figures: dict[str, float]
    figures_again: dict[str, float]


@pytest.fixture(scope="module")
def pair() -> Pair:
    original = parse_model(TEXT, where="original")
    recorded, shape = Delays(), Shape()
    events = read(traces(original, seed=1, edition=DRAFT)["client"]).events
    recorded.read(events)
    shape.read(events)
    fits = {name: fit(values) for name, values in recorded.values.items() if values}
    fitted = parse_model(model_text(fits, shape, sources=["a.jsonl"]), where="fitted")
    again = Delays()
    for seed in (2, 3):
        again.read(read(traces(fitted, seed=seed, edition=DRAFT)["client"]).events)
    points = (
        experiment(model, seed=seed, edition=DRAFT, replications_count=count)[0].figures
        for model, seed, count in ((original, 1, 1), (fitted, 2, 2))
    )
    figures, figures_again = (
        {name: interval.mean for name, interval in found.items()} for found in points
    )
    return Pair(recorded, again, figures, figures_again)


@pytest.mark.slow
@pytest.mark.parametrize("name", DELAYS)
def test_simulated_again_the_delays_agree(pair: Pair, name: str) -> None:
    original, fitted = pair.recorded.values[name], pair.again.values[name]

    assert len(fitted) > 100
    assert float(np.mean(fitted)) == pytest.approx(float(np.mean(original)), rel=0.25, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("acceptance_s", "echo_gap_s", "cancel_to_idle_s", "running_s"),
        *("requires_action_s", "idle_s"),
    ],
)
def test_simulated_again_the_figures_agree(pair: Pair, name: str) -> None:
    assert pair.figures_again[name] == pytest.approx(pair.figures[name], rel=0.25)


def test_the_written_model_says_how_good_each_fit_is() -> None:
    fits = {"client.think": fit(list(np.random.default_rng(1).exponential(1.0, 500)))}
    shape = Shape()
    shape.sessions, shape.prompts = 2, 6

    text = model_text(fits, shape, sources=["calls.jsonl"])

    assert "# from idle to the next prompt: 500 values, mean " in text
    assert "exponential at a Kolmogorov-Smirnov distance of 0.0" in text.replace("\n# ", " ")
    assert parse_model(text, where="m").client.prompts == 3


def test_the_written_model_is_made_to_be_read() -> None:
    values = list(np.random.default_rng(1).choice([0.001, 2.0, 5.0], 300))
    fits = {"agent.tool": fit(values), "client.think": fit([0.1, 0.4])}

    text = model_text(fits, Shape(), sources=[f"call{number}.jsonl" for number in range(300)])

    assert max(map(len, text.splitlines())) <= 100
    assert "call0.jsonl, call1.jsonl, call2.jsonl, call3.jsonl and\n# 296 more." in text
