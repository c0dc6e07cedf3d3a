"""Distributions: from a file, and stretched to a mean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acpsim.errors import UsageError
from acpsim.sim.distributions import mean_s, read_values, sampler, with_mean
from acpsim.sim.model import assign, load_model, override, parse_model

SPECS: list[dict[str, Any]] = [
    {"kind": "constant", "value_s": 0.4},
    {"kind": "uniform", "min_s": 0.2, "max_s": 0.9},
    {"kind": "exponential", "mean_s": 0.4},
    {"kind": "lognormal", "median_s": 0.5, "sigma": 1.0},
    {"kind": "gamma", "mean_s": 0.3, "shape": 4.0},
    {"kind": "pareto", "min_s": 0.1, "alpha": 3.5},
    {"kind": "empirical", "values_s": [0.1, 0.2, 0.6]},
]
WITH_FILE = '[client]\nthink = { kind = "empirical", file = "think.txt" }\n'


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec["kind"]))
def test_any_distribution_can_be_stretched_to_a_mean(spec: dict[str, Any]) -> None:
    stretched = with_mean(spec, 2.0)

    assert stretched["kind"] == spec["kind"]
    assert mean_s(stretched) == pytest.approx(2.0)
    assert np.mean([sampler(stretched, np.random.default_rng(1))() for _ in range(3)]) > 0


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: str(spec["kind"]))
def test_draws_have_the_mean_that_is_said(spec: dict[str, Any]) -> None:
    draw = sampler(spec, np.random.default_rng(3))

    assert np.mean([draw() for _ in range(20_000)]) == pytest.approx(mean_s(spec), rel=0.05)


def test_what_has_no_mean_becomes_a_constant() -> None:
    spec = {"kind": "pareto", "min_s": 0.1, "alpha": 0.9}

    assert with_mean(spec, 0.5) == {"kind": "constant", "value_s": 0.5}


def test_the_mean_of_a_constant_can_be_set_and_swept() -> None:
    model = override(load_model("plain-chat"), "link.latency.mean_s", 0.25)

    assert mean_s(model.link.a2c.latency) == 0.25


def test_a_mean_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"--set link\.latency\.mean_s: -1 is no duration"):
        override(load_model("plain-chat"), "link.latency.mean_s", -1)


def test_values_come_from_a_file_beside_the_model(tmp_path: Path) -> None:
    (tmp_path / "think.txt").write_text("# measured\n0.5\n1.25, 2\n\n0\n")
    (tmp_path / "mine.toml").write_text(WITH_FILE)

    model = load_model(str(tmp_path / "mine.toml"))

    assert model.client.think == {"kind": "empirical", "values_s": [0.5, 1.25, 2.0, 0.0]}


def test_values_of_a_file_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("think.txt").write_text("3")

    model = assign(
        parse_model("", where="m"), 'client.think={ kind = "empirical", file = "think.txt" }'
    )

    assert mean_s(model.client.think) == 3.0


def test_a_file_that_is_not_there_is_named_with_its_key(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(WITH_FILE, where="m.toml", folder=tmp_path)

    said = "m.toml: client.think.file: think.txt: cannot be read: no such file or directory"
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\nfast\n", "f: line 2: 'fast' is no duration in seconds"),
        ("-1", "f: line 1: '-1' is no duration in seconds"),
        ("nan", "f: line 1: 'nan' is no duration in seconds"),
        ("1e999", "f: line 1: '1e999' is no duration in seconds"),
        ("# nothing\n", "f: holds no duration; give one number in seconds a line"),
    ],
)
def test_what_is_no_list_of_durations_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_values(text, "f")

    assert str(caught.value) == said
