"""A message in one line: what a summary says of it, and what is left to say behind it."""

from __future__ import annotations

from typing import Any

import pytest

from acpsim.views.message import REST_MAX, remainder, summary
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event, event, lost
from tests.helpers.shorthand import conversation


def said(line: str) -> Event:
    return conversation(line)[-1]


def update(**fields: Any) -> Event:
    message = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": "s1", "update": fields},
    }
    return event("a2c", message, edition=DRAFT)


@pytest.mark.parametrize(
    "line",
    [
        '> #1 prompt "hi"',
        "< #1 ok u1",
        "< #1 error -32800",
        '< agent_message m1 "hello"',
        '< agent_message_chunk m1 "hel"',
        "< idle end_turn",
        '< tool_call_update t1 {"title": "T", "status": "pending"}',
        '< terminal_output_chunk T1 {"data": "aGk="}',
        "> cancel",
        "> cancel_request 1",
        "< #a1 permission t1 yes/no",
        "> #a1 selected yes",
        "lost",
        "setup",
    ],
)
def test_of_a_plain_message_nothing_is_left_to_say(line: str) -> None:
    assert remainder(said(line)) == ""


@pytest.mark.parametrize(
    ("fields", "rest"),
    [
        ({"_meta": {"k": None}}, '{"_meta": {"k": null}}'),
        ({"kind": "read"}, '{"kind": "read"}'),
        ({"title": None}, '{"title": null}'),
        ({"status": 7}, '{"status": 7}'),
        ({"odd": []}, '{"odd": []}'),
        (
            {"content": [{"type": "diff", "path": "/a", "newText": "b"}]},
            '{"content": [{"type": "diff", "path": "/a", "newText": "b"}]}',
        ),
    ],
)
def test_a_field_that_a_summary_leaves_out_is_said_behind_it(
    fields: dict[str, Any], rest: str
) -> None:
    told = update(sessionUpdate="tool_call_update", toolCallId="t1", **fields)

    assert remainder(told) == rest


def test_a_block_with_more_than_its_text_is_said_whole() -> None:
    block = {"type": "text", "text": "a", "annotations": {"priority": 1}}
    told = update(sessionUpdate="agent_message_chunk", messageId="m1", content=block)

    assert "annotations" in remainder(told)


def test_usage_of_an_idle_is_said() -> None:
    assert remainder(said('< idle end_turn {"usage": {"totalTokens": 1}}')) == (
        '{"usage": {"totalTokens": 1}}'
    )


def test_a_null_stop_reason_is_told_from_none() -> None:
    assert remainder(said('< idle {"stopReason": null}')) == '{"stopReason": null}'


def test_a_state_update_without_a_state_says_what_it_is() -> None:
    told = update(sessionUpdate="state_update", stopReason="end_turn")

    assert summary(told) == "state_update"
    assert remainder(told) == '{"stopReason": "end_turn"}'


def test_the_data_of_an_error_is_said() -> None:
    error = {"code": -32000, "message": "m", "data": {"k": 1}}
    told = event("a2c", {"jsonrpc": "2.0", "id": 1, "error": error}, edition=DRAFT)

    assert remainder(told) == '{"data": {"k": 1}}'


def test_a_result_that_is_no_object_is_said() -> None:
    told = event("a2c", {"jsonrpc": "2.0", "id": 1, "result": 7}, edition=DRAFT)

    assert remainder(told) == '{"result": 7}'


def test_what_stands_beside_the_parameters_is_said() -> None:
    message = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}, "x": 1}

    assert remainder(event("c2a", message, edition=DRAFT)) == '{"x": 1}'


def test_a_tool_call_in_a_permission_request_is_said() -> None:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "session/request_permission",
        "params": {
            "sessionId": "s1",
            "title": "May I?",
            "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t1", "status": "pending"}},
            "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}],
        },
    }

    assert remainder(event("a2c", message, edition=DRAFT)) == '{"status": "pending"}'


@pytest.mark.parametrize("raw", [b"[]", b"no json", b"7", b"{", b'{"id": []}', b'{"method": []}'])
def test_a_line_that_is_no_message_is_no_trouble(raw: bytes) -> None:
    told = event("a2c", raw, edition=DRAFT)

    assert isinstance(summary(told), str)
    assert isinstance(remainder(told), str)


def test_a_lost_connection_has_no_fields() -> None:
    assert remainder(lost()) == ""


def test_what_is_long_is_cut_and_what_a_terminal_obeys_is_visible() -> None:
    told = update(sessionUpdate="_x", long="a\x1b" * 500)

    assert len(remainder(told)) <= 3 * REST_MAX
    assert "\x1b" not in remainder(told)
