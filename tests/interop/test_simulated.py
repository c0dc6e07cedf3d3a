"""Every message that the simulator generates passes the official SDK's validators."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acpsim.sim.model import Model, load_model, override, shipped_models
from acpsim.sim.run import run
from acpsim.wire.edition import EDITIONS

from .conftest import Validators
from .test_validators import SCHEMAS

pytestmark = [pytest.mark.interop, pytest.mark.slow]

SEEDS = 200
RESULTS = {
    "initialize": "zInitializeResponse",
    "session/new": "zNewSessionResponse",
    "session/resume": "zResumeSessionResponse",
    "session/prompt": "zPromptResponse",
    "session/close": "zCloseSessionResponse",
    "session/request_permission": "zRequestPermissionResponse",
}


def short(name: str) -> Model:
    """A shipped model cut short: many seeds, a few prompts each."""
    model = load_model(name)
    model = override(model, "sessions", min(model.sessions, 2))
    return override(model, "client.prompts", min(model.client.prompts, 2))


def questions(name: str) -> dict[str, tuple[str, Any]]:
    """Each distinct (schema, value) of the model's messages, over all seeds and editions.

    Distinct up to ids and texts: what differs only there is one question to a validator.
    """
    found: dict[str, tuple[str, Any]] = {}
    model = short(name)
    for edition in EDITIONS.values():
        for seed in range(SEEDS):
            methods: dict[tuple[str, Any], str] = {}

            def write(line: bytes, methods: dict[tuple[str, Any], str] = methods) -> None:
                row = json.loads(line)
                message = row.get("msg")
                if message is None:
                    return
                if "method" in message:
                    if "id" in message:
                        methods[row["dir"], message["id"]] = message["method"]
                    schema, value = SCHEMAS[message["method"]], message["params"]
                elif "result" in message:
                    asked = "a2c" if row["dir"] == "c2a" else "c2a"
                    schema = RESULTS[methods[asked, message["id"]]]
                    value = message["result"]
                else:
                    schema, value = "zError", message["error"]
                found.setdefault(schema + shape(value), (schema, value))

            run(model, seed=seed, edition=edition, writers={"wire": write})
    return found


def shape(value: Any) -> str:
    """A value without its texts and numbers: words of a vocabulary stay."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{shape(held)}" for key, held in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted({shape(item) for item in value})) + "]"
    if isinstance(value, str):
        return value if value.replace("_", "").isalpha() and len(value) < 20 else "text"
    return type(value).__name__


@pytest.mark.parametrize("name", shipped_models())
def test_the_sdk_takes_every_message_of_the_model(name: str, validators: Validators) -> None:
    asked = list(questions(name).values())

    answers = validators.ask(asked)

    refused = [
        (schema, value, answer["error"])
        for (schema, value), answer in zip(asked, answers, strict=True)
        if not answer["ok"]
    ]
    assert asked != []
    assert refused == []
