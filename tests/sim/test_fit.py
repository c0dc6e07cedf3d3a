"""A model fitted to a conversation speaks at its pace."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acpsim.sim.distributions import mean_s, sampler
from acpsim.sim.fit import Delays, fit, model_text
from acpsim.sim.model import parse_model
from acpsim.wire.edition import DRAFT
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


TEXT = """
sessions = 20
[client]
prompts = 8
think = { kind = "exponential", mean_s = 1.5 }
permission_delay = { kind = "gamma", mean_s = 0.8, shape = 3.0 }
[agent]
steps = [1, 3]
activities = { message = 2, tool = 2 }
tool_asks = 0.5
first_token = { kind = "lognormal", median_s = 0.4, sigma = 0.5 }
chunk_gap = { kind = "exponential", mean_s = 0.03 }
tool = { kind = "exponential", mean_s = 0.6 }
[link.c2a]
latency = { kind = "constant", value_s = 0.0 }
[link.a2c]
latency = { kind = "constant", value_s = 0.0 }
"""


@pytest.mark.slow
def test_simulated_again_the_figures_agree() -> None:
    first = Delays()
    model = parse_model(TEXT, where="original")
    first.read(read(traces(model, seed=1, edition=DRAFT)["client"]).events)
    fits = {name: fit(values) for name, values in first.values.items() if values}

    text = model_text(fits, sources=["original"], prompts=8)
    again = Delays()
    fitted = parse_model(f"sessions = 20\n{text}", where="fitted")
    again.read(read(traces(fitted, seed=2, edition=DRAFT)["client"]).events)

    for name in ("client.think", "agent.chunk_gap"):
        expected = float(np.mean(first.values[name]))
        assert float(np.mean(again.values[name])) == pytest.approx(expected, rel=0.2)


def test_the_written_model_says_how_good_each_fit_is() -> None:
    fits = {"client.think": fit(list(np.random.default_rng(1).exponential(1.0, 500)))}

    text = model_text(fits, sources=["calls.jsonl"], prompts=3)

    assert "500 values" in text
    assert "Kolmogorov-Smirnov distance" in text
    assert parse_model(text, where="m").client.prompts == 3
    assert not math.isnan(fits["client.think"].mean_s)
