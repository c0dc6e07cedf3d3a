"""A bare log of messages: which way each one travelled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Trace, read_trace

RECORDED = sorted((Path(__file__).parents[1] / "recorded").glob("*.jsonl"))
PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "t"}]}
OPTION = {"optionId": "o", "name": "n", "kind": "allow_once"}
PERMISSION = {"sessionId": "s", "title": "t", "options": [OPTION]}
SELECTED = {"outcome": {"outcome": "selected", "optionId": "o"}}


def call(method: str, params: Json = None, **more: Json) -> JsonObject:
    return {"jsonrpc": "2.0", "method": method, "params": params, **more}


def answer(identity: Json, **body: Json) -> JsonObject:
    return {"jsonrpc": "2.0", "id": identity, **body}


def read(*messages: Json) -> Trace:
    return read_trace([json.dumps(message).encode() for message in messages])


def ways(*messages: Json) -> list[str]:
    """The ways of messages about which there is no doubt."""
    found = read(*messages)
    assert found.diagnostics == []
    return [event.dir for event in found.events]


def doubt(*messages: Json) -> tuple[str, str]:
    """The way that was guessed for the last message, and what was said."""
    found = read(*messages)
    [said] = found.diagnostics
    assert said.line == len(messages)
    return found.events[-1].dir, said.text


def test_a_call_goes_the_way_of_its_method() -> None:
    assert ways(
        call("session/prompt", PROMPT, id=1),
        call("session/cancel", {"sessionId": "s"}),
        call("session/request_permission", PERMISSION, id=1),
        call("session/update", {"sessionId": "s", "update": {"sessionUpdate": "_x"}}),
        call("session/archive", {"sessionId": "s"}, id=2),
        call("elicitation/complete", {"elicitationId": "e"}),
    ) == ["c2a", "c2a", "a2c", "a2c", "c2a", "a2c"]


def test_a_malformed_call_goes_the_way_of_its_method_too() -> None:
    found = read(call("session/update", 7), call("session/prompt", 7, id=1), answer(1, result={}))

    assert [event.dir for event in found.events] == ["a2c", "c2a", "a2c"]
    assert isinstance(found.events[0].message, Malformed)


def test_a_response_goes_back_to_where_its_request_came_from() -> None:
    assert ways(
        call("session/prompt", PROMPT, id=1),
        call("session/request_permission", PERMISSION, id="a"),
        answer("a", result=SELECTED),
        answer(1, result={"messageId": "m"}),
    ) == ["c2a", "a2c", "c2a", "a2c"]


def test_an_unusable_response_closes_the_request_that_it_answers() -> None:
    found = read(
        call("session/prompt", PROMPT, id=1),
        answer(1, result={}, error={}),
        call("session/request_permission", PERMISSION, id=1),
        answer(1, error={"code": -32603, "message": "m"}),
    )

    assert found.diagnostics == []
    assert [event.dir for event in found.events] == ["c2a", "a2c", "a2c", "c2a"]


@pytest.mark.parametrize(
    ("result", "way"),
    [({"messageId": "m"}, "a2c"), (SELECTED, "c2a"), ({**SELECTED, "_x": 1}, "c2a")],
)
def test_where_both_sides_use_one_id_the_result_decides(result: Json, way: str) -> None:
    asked = (
        call("session/prompt", PROMPT, id=1),
        call("session/request_permission", PERMISSION, id=1),
    )

    assert ways(*asked, answer(1, result=result))[-1] == way


def test_where_even_the_result_does_not_decide_it_is_said() -> None:
    asked = (
        call("session/prompt", PROMPT, id=1),
        call("session/request_permission", PERMISSION, id=1),
    )

    way, text = doubt(*asked, answer(1, error={"code": -32800, "message": "m"}))

    assert way == "a2c"
    assert text == "answers one of two open requests with the id 1; taken for that of line 1"


def test_a_response_to_nothing_is_taken_for_the_agents_and_said() -> None:
    way, text = doubt(answer(9, result={}))

    assert (way, text) == ("a2c", "answers no open request; taken for the agent's")


def test_who_issued_a_request_may_cancel_it() -> None:
    assert ways(
        call("session/prompt", PROMPT, id=1),
        call("session/request_permission", PERMISSION, id="a"),
        call("$/cancel_request", {"requestId": "a"}),
        call("$/cancel_request", {"requestId": 1}),
    ) == ["c2a", "a2c", "a2c", "c2a"]


@pytest.mark.parametrize("asked", [0, 2])
def test_a_cancel_of_which_request_is_not_clear_is_said(asked: int) -> None:
    open_ones = [
        call("session/prompt", PROMPT, id=1),
        call("session/request_permission", PERMISSION, id=1),
    ][:asked]

    way, text = doubt(*open_ones, call("$/cancel_request", {"requestId": 1}))

    assert way == "c2a"
    assert "the id 1 that is cancelled" in text


@pytest.mark.parametrize("method", ["_mine", "mcp/message"])
def test_a_method_that_goes_no_known_way_is_said(method: str) -> None:
    way, text = doubt(call(method, {}))

    assert way == "c2a"
    assert text == f"which way {method!r} goes cannot be told; taken for the client's"


def test_bare_messages_and_events_may_stand_in_one_file() -> None:
    event = {"t": 2, "dir": "a2c", "msg": call("_x")}

    found = read(call("session/cancel", {"sessionId": "s"}), event)

    assert [(told.dir, told.t) for told in found.events] == [("c2a", 0.0), ("a2c", 2.0)]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_conversation_is_told_from_its_messages_alone(path: Path) -> None:
    framed = read_trace(path.read_bytes().splitlines())
    told = [event for event in framed.events if event.dir != "lost"]

    bare = read_trace([event.raw for event in told], edition=framed.edition)

    assert bare.diagnostics == []
    assert [event.dir for event in bare.events] == [event.dir for event in told]
    assert [event.message for event in bare.events] == [event.message for event in told]
