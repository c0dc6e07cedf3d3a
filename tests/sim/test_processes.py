"""What the parties do between them: every message, entity and content, in some shipped model."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import pytest

from acpsim.sim.model import Activity, load_model, override, parse_model, shipped_models
from acpsim.sim.properties import SOMETIMES
from acpsim.sim.run import run
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4
from tests.sim.runs import checked, traces
from tests.sim.test_conformance import small

SEEDS = 3
EVERYTHING = """
session/new session/prompt session/cancel session/close session/resume $/cancel_request
session/request_permission
user_message user_message_chunk agent_message agent_message_chunk agent_thought
agent_thought_chunk tool_call_update tool_call_content_chunk terminal_update
terminal_output_chunk plan_update plan_removed usage_update config_option_update
available_commands_update session_info_update notice compaction_update
compaction_summary_chunk subagent_update session_message session_message_chunk
running idle requires_action unknown
end_turn cancelled error max_tokens max_turn_requests refusal
text image audio resource resource_link content diff terminal
items markdown file
"""


def messages(data: bytes) -> list[dict[str, Any]]:
    """The messages of a trace."""
    rows = map(json.loads, data.splitlines()[1:])
    return [row["msg"] for row in rows if "msg" in row]


def updates(data: bytes, *variants: str) -> list[dict[str, Any]]:
    """Its updates of those variants."""
    found = [
        message["params"]["update"]
        for message in messages(data)
        if message.get("method") == "session/update"
    ]
    return [update for update in found if update["sessionUpdate"] in variants]


@cache
def everything() -> tuple[dict[str, Any], ...]:
    """Every message of some runs of every model."""
    return tuple(
        message
        for name in shipped_models()
        for edition in EDITIONS.values()
        for seed in range(SEEDS)
        for message in messages(traces(small(name), seed=seed, edition=edition)["wire"])
    )


def types(value: Any) -> Iterator[str]:
    """Every `type` that stands anywhere in a value."""
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            yield value["type"]
        for inner in value.values():
            yield from types(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from types(inner)


def seen() -> Iterator[str]:
    """Names of what is in the messages: methods, variants, states, reasons, errors, types."""
    for message in everything():
        yield message.get("method", f"error {message.get('error', {}).get('code')}")
        yield from types(message)
        update = message.get("params", {}).get("update", {})
        yield from (str(update.get(key)) for key in ("sessionUpdate", "state", "stopReason"))


@pytest.mark.slow
def test_the_models_together_show_all_that_the_protocol_has() -> None:
    assert set(EVERYTHING.split()) - set(seen()) == set()


@pytest.mark.slow
def test_every_property_that_can_be_claimed_happens_in_some_model() -> None:
    happened = {
        name
        for model in shipped_models()
        for edition in EDITIONS.values()
        for seed in range(6)
        for name, count in run(small(model), seed=seed, edition=edition).counts.items()
        if count
    }
    assert SOMETIMES.keys() - happened == set()


def test_every_activity_is_what_some_model_does() -> None:
    done = {name for model in shipped_models() for name in load_model(model).agent.activities}

    assert set(get_args(Activity)) - done == set()


@pytest.mark.parametrize("name", shipped_models())
def test_each_model_says_what_must_always_and_what_must_sometimes_hold(name: str) -> None:
    model = load_model(name)

    assert (bool(model.always), bool(model.sometimes)) == (True, True)


def test_terminals_split_characters_between_chunks() -> None:
    data = traces(load_model("parallel-tools"), seed=0, edition=DRAFT)["wire"]
    chunks = [base64.b64decode(one["data"]) for one in updates(data, "terminal_output_chunk")]

    def is_whole(chunk: bytes) -> bool:
        try:
            chunk.decode()
        except UnicodeDecodeError:
            return False
        return True

    assert not all(map(is_whole, chunks))


# ---------------------------------------------------------------- edition sdk-2.4


def test_background_work_is_listed_with_every_state_where_the_edition_lists_it() -> None:
    states = updates(
        traces(load_model("background-tasks"), seed=0, edition=SDK_2_4)["wire"], "state_update"
    )

    assert all("background" in state for state in states)
    assert any(state["background"] for state in states if state["state"] == "idle")


def test_the_draft_lists_no_background_work() -> None:
    states = updates(
        traces(load_model("background-tasks"), seed=0, edition=DRAFT)["wire"], "state_update"
    )

    assert not any("background" in state for state in states)


@pytest.mark.parametrize("name", ["close-during-prompt", "reconnect", "tiny-resume"])
def test_a_resume_is_answered_after_the_state_was_said(name: str) -> None:
    heard = messages(traces(load_model(name), seed=0, edition=SDK_2_4)["agent"])
    said: dict[str, bool] = {}
    resuming: dict[Any, str] = {}
    answered = 0
    for message in heard:
        params = message.get("params", {})
        session = params.get("sessionId", "")
        if message.get("method") == "session/resume":
            resuming[message["id"]], said[session] = session, False
        elif params.get("update", {}).get("sessionUpdate") == "state_update":
            said[session] = True
        elif "result" in message and message["id"] in resuming:
            answered += 1
            assert said[resuming.pop(message["id"])]
        elif message.get("method") == "initialize":
            resuming.clear()

    assert answered


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
def test_after_a_close_is_answered_nothing_is_said_until_a_resume(edition: Any) -> None:
    """Background tasks included: they stop, whatever they were about to report."""
    model = override(load_model("background-tasks"), "client.close_between", 0.6)
    closing: dict[Any, str] = {}
    closed: set[str] = set()
    closes = 0
    for message in messages(traces(model, seed=3, edition=edition)["agent"]):
        session = message.get("params", {}).get("sessionId", "")
        if message.get("method") == "session/close":
            closing[message["id"]] = session
        elif message.get("method") == "session/resume":
            closed.discard(session)
        elif message.get("id") in closing and "method" not in message:
            closes += 1
            closed.add(closing.pop(message["id"]))
        elif message.get("method") == "session/update":
            assert session not in closed

    assert closes


# ---------------------------------------------------------------- cancelling


def test_a_prompt_that_a_cancel_overtakes_at_once_is_refused_and_not_inserted() -> None:
    """Both arrive in the same moment: the prompt is held, and nothing of it has begun."""
    model = parse_model(
        '[client]\nprompts = 1\ncancel = 1.0\ncancel_when = "before-insertion"\n', where="m"
    )
    heard = messages(traces(model, seed=0, edition=DRAFT)["wire"])

    codes = [message["error"]["code"] for message in heard if "error" in message]
    assert codes == [-32800]
    assert not any(
        message.get("params", {}).get("update", {}).get("sessionUpdate") == "user_message"
        for message in heard
    )


def test_a_cancel_of_nothing_does_not_answer_the_next_prompts_permissions() -> None:
    text = """
[client]
prompts = 3
cancel = 1.0
cancel_when = "idle"
permission_allow = 1.0
[agent]
activities = { permission = 1 }
"""
    model = parse_model(text, where="m")

    counts = run(model, seed=0, edition=DRAFT).counts

    assert counts["cancel-while-idle"] == 3
    assert counts["permission-allowed"] > 0
    assert "permission-cancelled" not in counts
    assert "cancel-crossed-idle" not in counts


def test_a_cancel_while_a_withdrawn_prompts_hook_ends_makes_its_idle_cancelled() -> None:
    """In this run a cancel comes between a withdrawal and the idle of its hook."""
    data = traces(load_model("cancel-before-insertion"), seed=111, edition=DRAFT)["agent"]

    assert [one for one in checked(data).findings if one.certainty == "definite"] == []
