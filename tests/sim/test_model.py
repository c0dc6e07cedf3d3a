"""What is wrong in a model file is said in one line: file, key, what is allowed."""

from __future__ import annotations

import pytest

from acpsim.errors import UsageError
from acpsim.sim.model import load_model, override, parse_model, shipped_models


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sessions = 0", "m.toml: sessions: expected `int` >= 1"),
        ("colour = 1", "m.toml: colour: no such key; one of name, text, sessions"),
        ("[client]\nthinks = 1", "m.toml: client.thinks: no such key; one of prompts, think"),
        (
            '[client]\nthink = {kind = "expo"}',
            "m.toml: client.think.kind: 'expo' is no distribution",
        ),
        (
            '[client]\nthink = {kind = "exponential", mean = 1}',
            "m.toml: client.think.mean: exponential has no such parameter; it takes mean_s",
        ),
        (
            '[client]\nthink = {kind = "uniform", min_s = 2, max_s = 1}',
            "m.toml: client.think.min_s: is larger than max_s",
        ),
        (
            '[client]\nthink = {kind = "pareto", min_s = 1.0, alpha = 0}',
            "m.toml: client.think.alpha: 0 is too small; above 0",
        ),
        (
            '[client]\nthink = {kind = "empirical", values_s = []}',
            "m.toml: client.think: empirical takes a list values_s that is not empty",
        ),
        ('[link.c2a]\norder = "lifo"', "m.toml: link.c2a.order: invalid enum value 'lifo'"),
        ("[agent]\nsteps = [3, 1]", "m.toml: agent.steps: least 3 is more than most 1"),
        ("[agent.activities]\nmessage = 0", "m.toml: agent.activities: all weights are 0"),
        ("[client]\ncancel = 1.5", "m.toml: client.cancel: expected `float` <= 1.0"),
        ('sometimes = ["rain"]', "m.toml: sometimes: no such property 'rain'; one of background"),
        ('always = ["rain"]', "m.toml: always: no such property 'rain'; one of every"),
        ("sessions =", "m.toml: is no TOML"),
    ],
)
def test_a_wrong_model_is_refused_with_file_key_and_what_is_allowed(
    text: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(text, where="m.toml")

    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_model_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(
        UsageError, match=r"nosuch: no such model; give a \.toml file or one of agent"
    ):
        load_model("nosuch")


@pytest.mark.parametrize("name", shipped_models())
def test_a_shipped_model_says_what_it_is_for(name: str) -> None:
    model = load_model(name)

    assert model.name == name
    assert model.text
    assert model.always


def test_one_key_names_both_directions_of_the_link() -> None:
    changed = override(parse_model("", where="m"), "link.latency.value_s", 0.25)

    assert changed.link.c2a.latency["value_s"] == 0.25
    assert changed.link.a2c.latency["value_s"] == 0.25


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("client.colour", "--set client.colour: no parameter 'colour'; one of prompts"),
        ("clients.think", "--set clients.think: no table 'clients' here; one of session_gap"),
    ],
)
def test_a_parameter_that_is_not_there_is_answered_with_those_that_are(
    key: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        override(parse_model("", where="m"), key, 1)

    assert str(caught.value).startswith(message)
