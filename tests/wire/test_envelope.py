"""What a message is before its method says more."""

from __future__ import annotations

import json

import pytest
from msgspec import UNSET

from acpsim.wire import methods
from acpsim.wire.cells import ErrorObject, Json, JsonObject, LooseError, kept_error
from acpsim.wire.edition import DRAFT, SDK_2_4
from acpsim.wire.jsonrpc import Malformed, OtherNotification, OtherRequest, Response
from acpsim.wire.methods import AnyMessage
from acpsim.wire.parse import read_message, read_value

PROMPT = {"sessionId": "s", "prompt": [{"type": "text", "text": "t"}]}


def read(message: Json) -> AnyMessage:
    return read_value(message, DRAFT).message


def call(method: str, params: Json = None, **more: Json) -> JsonObject:
    return {"jsonrpc": "2.0", "method": method, "params": params, **more}


def malformed(message: Json) -> Malformed:
    found = read(message)
    assert isinstance(found, Malformed), found
    return found


def test_a_request_has_typed_parameters() -> None:
    message = read(call("session/prompt", PROMPT, id=1))

    assert isinstance(message, methods.PromptRequest)
    assert (message.id, message.params.session_id) == (1, "s")


@pytest.mark.parametrize(("told", "read_as"), [(1, 1), ("1", "1"), (5.0, 5), (-3, -3), ("", "")])
def test_an_id_is_a_string_or_a_whole_number(told: Json, read_as: Json) -> None:
    message = read(call("session/close", {"sessionId": "s"}, id=told))

    assert isinstance(message, methods.CloseSessionRequest)
    assert message.id == read_as
    assert type(message.id) is type(read_as)


@pytest.mark.parametrize(("told", "kept"), [(None, None), (1.5, UNSET), (True, UNSET), ([], UNSET)])
def test_a_request_with_another_id_cannot_be_used(told: Json, kept: Json) -> None:
    message = malformed(call("session/close", {"sessionId": "s"}, id=told))

    assert (message.kind, message.id, message.method) == ("request", kept, "session/close")
    assert [flaw.path for flaw in message.flaws] == ["$.id"]


def test_a_notification_with_an_id_is_a_request_that_nobody_answers() -> None:
    message = malformed(call("session/cancel", {"sessionId": "s"}, id=1))

    assert (message.kind, message.id) == ("request", 1)
    assert message.flaws[0].text == "is there, but session/cancel is a notification"


def test_a_request_without_an_id_is_a_notification_that_asks_nothing() -> None:
    message = malformed(call("session/prompt", PROMPT))

    assert message.kind == "notification"
    assert message.flaws[0].text == "is missing, but session/prompt is a request"


@pytest.mark.parametrize("version", [{}, {"jsonrpc": "1.0"}, {"jsonrpc": 2}])
def test_another_version_of_json_rpc_cannot_be_used(version: JsonObject) -> None:
    assert malformed({"method": "_x", **version}).flaws[0].path == "$.jsonrpc"
    assert malformed({"id": 1, "result": {}, **version}).kind == "response"


@pytest.mark.parametrize("method", [None, 7, [], {}])
def test_a_method_is_a_string(method: Json) -> None:
    assert malformed({"jsonrpc": "2.0", "method": method, "id": 1}).method is UNSET


def test_a_method_makes_a_call_whatever_else_is_there() -> None:
    message = read(call("session/close", {"sessionId": "s"}, id=1, result={}, error=None))

    assert isinstance(message, methods.CloseSessionRequest)


def test_a_malformed_request_keeps_its_id_and_its_value() -> None:
    message = malformed(call("session/prompt", {"sessionId": "s"}, id="a"))

    assert (message.kind, message.id, message.method) == ("request", "a", "session/prompt")
    assert message.value == call("session/prompt", {"sessionId": "s"}, id="a")
    assert [flaw.path for flaw in message.flaws] == ["$.params.prompt"]


@pytest.mark.parametrize("params", [UNSET, None])
def test_no_parameters_are_empty_ones(params: Json) -> None:
    message = call("session/list", params, id=1)
    if params is UNSET:
        del message["params"]

    assert isinstance(read(message), methods.ListSessionsRequest)


@pytest.mark.parametrize("params", [[], [PROMPT], "x", 7])
def test_parameters_are_an_object(params: Json) -> None:
    assert malformed(call("session/prompt", params, id=1)).flaws[0].path == "$.params"


def test_an_unknown_method_is_kept_raw() -> None:
    assert read(call("_x", [1], id=1)) == OtherRequest(id=1, method="_x", params=[1])
    assert read(call("_x", {"a": 1})) == OtherNotification(method="_x", params={"a": 1})


# ---------------------------------------------------------------- responses


def test_a_response_is_read_without_its_request() -> None:
    assert read({"jsonrpc": "2.0", "id": 1, "result": None}) == Response(id=1, result=None)


def test_an_error_may_answer_a_line_whose_id_was_unreadable() -> None:
    error = {"code": -32700, "message": "parse error"}

    assert read({"jsonrpc": "2.0", "id": None, "error": error}) == Response(
        id=None, error=ErrorObject(code=-32700, message="parse error")
    )


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"result": {}, "error": {"code": 1, "message": "m"}},
        {"result": {}, "error": None},
        {"error": None},
        {"error": "boom"},
        {"error": {"message": "m"}},
        {"error": {"code": 1.5, "message": "m"}},
        {"error": {"code": "1", "message": "m"}},
        {"error": {"code": True, "message": "m"}},
        {"error": {"code": 1}},
    ],
)
def test_a_response_with_an_unusable_body_still_closes_its_request(body: JsonObject) -> None:
    message = malformed({"jsonrpc": "2.0", "id": 7, **body})

    assert (message.kind, message.id) == ("response", 7)


@pytest.mark.parametrize("told", [{"id": 1.5}, {"id": None}, {"id": []}, {}])
def test_a_result_needs_an_id(told: JsonObject) -> None:
    assert malformed({"jsonrpc": "2.0", "result": {}, **told}).kind == "response"


def test_an_error_keeps_what_is_unknown_in_it() -> None:
    error = {"code": 5.0, "message": "m", "data": None, "_trace": [1]}

    message = read({"jsonrpc": "2.0", "id": 1, "error": error})

    assert isinstance(message, Response)
    assert isinstance(message.error, LooseError)
    assert (message.error.code, message.error.message) == (5, "m")
    assert kept_error(message.error) == error


# ---------------------------------------------------------------- unreadable


@pytest.mark.parametrize("value", [[], [{}], None, 7, "x", True, {}, {"jsonrpc": "2.0"}])
def test_what_is_no_message_is_one_unreadable_message(value: Json) -> None:
    message = malformed(value)

    assert (message.kind, message.value) == ("unreadable", value)


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b" ", b"\0", b"{", b'{"a":1}x', b"nul", b"{'a':1}", b"01", b'"\x01"', b"\xff"),
        *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b'{"a":1e999}', b"1" * 5000),
        *(b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000),
    ],
    ids=lambda line: repr(line[:12]),
)
def test_what_is_no_json_is_unreadable(line: bytes) -> None:
    message = read_message(line, DRAFT).message

    assert isinstance(message, Malformed)
    assert (message.kind, message.value) == ("unreadable", UNSET)


def nested(levels: int) -> bytes:
    """A message that is nested so deep."""
    return (
        b'{"jsonrpc":"2.0","method":"_x","params":'
        + b"[" * (levels - 1)
        + b"]" * (levels - 1)
        + b"}"
    )


def test_the_deepest_allowed_message_is_read() -> None:
    assert isinstance(read_message(nested(128), DRAFT).message, OtherNotification)


@pytest.mark.parametrize("levels", [129, 500, 2000])
def test_a_deeper_message_is_unreadable(levels: int) -> None:
    message = read_message(nested(levels), DRAFT).message

    assert isinstance(message, Malformed)
    assert message.flaws[0].text == "is nested deeper than 128"


@pytest.mark.parametrize("levels", [5, 50, 120, 130, 300, 900])
def test_depth_is_bounded_inside_values_that_nobody_looks_into(levels: int) -> None:
    value: Json = 1
    for _ in range(levels):
        value = {"a": value}
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": value}

    message = read(call("session/update", {"sessionId": "s", "update": update}))

    assert isinstance(message, methods.SessionUpdate) == (levels + 3 <= 128)


def test_a_lone_surrogate_is_replaced_and_said() -> None:
    line = rb'{"jsonrpc":"2.0","method":"_x","params":["\ud800","\\ud800","\ud83d\ude00"]}'

    message, flaws = read_message(line, DRAFT)

    assert message == OtherNotification(method="_x", params=["\ufffd", "\\ud800", "\U0001f600"])
    assert [flaw.path for flaw in flaws] == ["$"]


def test_a_lone_surrogate_in_a_value_is_replaced_too() -> None:
    message, flaws = read_value(call("_x", {"a": "\ud800"}), DRAFT)

    assert message == OtherNotification(method="_x", params={"a": "\ufffd"})
    assert len(flaws) == 1


def test_bytes_that_are_not_utf_8_are_replaced_and_said() -> None:
    message, flaws = read_message(b'{"jsonrpc":"2.0","method":"_x","params":["\xff"]}', DRAFT)

    assert message == OtherNotification(method="_x", params=["\ufffd"])
    assert len(flaws) == 1


def test_the_last_of_two_equal_keys_counts() -> None:
    line = (
        b'{"jsonrpc":"2.0","method":"session/update","method":"session/cancel",'
        b'"params":{"sessionId":"a","sessionId":"b"}}'
    )

    message = read_message(line, SDK_2_4).message

    assert isinstance(message, methods.CancelSession)
    assert message.params.session_id == "b"


@pytest.mark.parametrize("value", [{1, 2}, object(), {"a": {1}}, 1 + 2j])
def test_a_value_that_is_no_json_is_unreadable(value: Json) -> None:
    found = read(call("_x", {"a": value}))

    assert isinstance(found, Malformed | OtherNotification)


@pytest.mark.parametrize("size", [1, 7, 64])
def test_cut_anywhere_a_message_is_unreadable_and_with_trash_behind_it_too(size: int) -> None:
    line = json.dumps(call("session/prompt", PROMPT, id=1)).encode()

    for at in range(0, len(line), size):
        assert isinstance(read_message(line[:at], DRAFT).message, Malformed)
    for trash in (b"x", b"{}", b"\0", b"\xff"):
        assert isinstance(read_message(line + trash, DRAFT).message, Malformed)
