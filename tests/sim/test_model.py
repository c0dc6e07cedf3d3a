"""What is wrong in a model file is said in one line: file, key, what is allowed."""

from __future__ import annotations

import pytest

from acpsim.errors import UsageError
from acpsim.sim.model import load_model, override, parse_model, shipped_models
from acpsim.sim.written import written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sessions = 0", "m.toml: sessions: expected whole number >= 1"),
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
        (
            '[link.c2a]\norder = "lifo"',
            "m.toml: link.c2a.order: no such value 'lifo'; one of fifo, streams, any",
        ),
        ("[agent]\nsteps = [3, 1]", "m.toml: agent.steps: least 3 is more than most 1"),
        ("[agent.activities]\nmessage = 0", "m.toml: agent.activities: all weights are 0"),
        ("[client]\ncancel = 1.5", "m.toml: client.cancel: expected number <= 1.0"),
        (
            "[client]\ncancel_when = 'never'",
            "m.toml: client.cancel_when: no such value 'never'; one of any, before-insertion",
        ),
        (
            "[agent.activities]\nsleep = 1",
            "m.toml: agent.activities: no such value 'sleep'; one of message, thought, tool",
        ),
        (
            "[client]\nthink = 3",
            "m.toml: client.think: expected table, got whole number; give a distribution, as {",
        ),
        ("client = 3", "m.toml: client: expected table, got whole number"),
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


def test_an_activity_that_a_model_does_not_have_yet_can_be_set() -> None:
    model = override(load_model("tiny-echo"), "agent.activities.tool", 2)

    assert model.agent.activities["tool"] == 2


def test_a_service_time_that_is_not_there_has_no_mean_to_set() -> None:
    with pytest.raises(UsageError, match=r"service is not set; give service, a distribution, as"):
        override(load_model("tiny-echo"), "reconcile.service.mean_s", 1)


@pytest.mark.parametrize("name", shipped_models())
def test_a_model_written_out_is_the_same_model(name: str) -> None:
    model = load_model(name)

    assert parse_model("\n".join(written(model)), where="written") == model


def test_every_parameter_says_what_it_means() -> None:
    lines = list(written(load_model("plain-chat")))
    silent = [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if "=" in line and not line.startswith("#") and not before.startswith("# ")
    ]

    assert [line.split(" = ")[0] for line in silent] == ["name", "text"]
