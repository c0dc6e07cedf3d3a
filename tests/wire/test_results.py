"""What a response means once its request is known."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from acpsim.wire import methods
from acpsim.wire.cells import ErrorObject, Json, JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from acpsim.wire.jsonrpc import Flaw, Malformed, Response
from acpsim.wire.parse import read_result, read_value

BOTH = pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)
OPTION = {"type": "boolean", "configId": "c", "name": "n", "currentValue": True}
COMMAND = {"type": "command", "name": "n", "description": "d"}
PARAMS: dict[str, Json] = {
    "initialize": {"protocolVersion": 2, "info": {"name": "n", "version": "1"}},
    "session/new": {"cwd": "/p"},
    "session/resume": {"sessionId": "s", "cwd": "/p"},
    "session/list": {},
    "session/prompt": {"sessionId": "s", "prompt": [{"type": "text", "text": "t"}]},
    "session/close": {"sessionId": "s"},
    "session/request_permission": {
        "sessionId": "s",
        "title": "t",
        "options": [{"optionId": "o", "name": "n", "kind": "allow_once"}],
    },
}


def read(method: str, result: Json, edition: Edition = SDK_2_4) -> tuple[Any, tuple[Flaw, ...]]:
    params = PARAMS[method]
    call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    request = read_value(call, edition).message
    assert isinstance(request, methods.Request)
    return read_result(request, Response(id=1, result=result), edition)


def test_a_result_has_the_type_that_its_request_asks_for() -> None:
    assert read("session/prompt", {"messageId": "m"}) == (methods.PromptResult(message_id="m"), ())
    assert read("session/close", {}) == (methods.Empty(), ())


@BOTH
@pytest.mark.parametrize("result", [{"messageId": None}, {"messageId": 7}, {}, None, [], "m"])
def test_a_prompt_response_without_a_usable_id_is_malformed(result: Json, edition: Edition) -> None:
    outcome, flaws = read("session/prompt", result, edition)

    assert isinstance(outcome, Malformed)
    assert (outcome.kind, outcome.id, outcome.flaws) == ("response", 1, flaws)
    assert not flaws[0].dropped


def test_an_error_is_its_own_outcome() -> None:
    request = read_value(
        {"jsonrpc": "2.0", "id": 1, "method": "session/close", "params": {"sessionId": "s"}}, DRAFT
    ).message
    error = ErrorObject(code=-32002, message="m")

    assert read_result(request, Response(id=1, error=error), DRAFT) == (error, ())  # type: ignore[arg-type]


@BOTH
def test_an_unknown_field_of_a_result_is_ignored(edition: Edition) -> None:
    assert read("session/prompt", {"messageId": "m", "_x": 1}, edition) == (
        methods.PromptResult(message_id="m"),
        (),
    )


@BOTH
def test_a_malformed_list_of_options_counts_as_omitted(edition: Edition) -> None:
    outcome, flaws = read("session/new", {"sessionId": "s", "configOptions": 7}, edition)

    assert outcome == methods.NewSessionResult(session_id="s")
    assert [flaw.path for flaw in flaws] == ["$.result.configOptions"]


@BOTH
def test_a_bad_option_leaves_the_others(edition: Edition) -> None:
    outcome, flaws = read("session/resume", {"configOptions": [7, OPTION]}, edition)

    assert msgspec.to_builtins(outcome.config_options) == [OPTION]
    assert [flaw.path for flaw in flaws] == ["$.result.configOptions[0]"]


@pytest.mark.parametrize("commands", [[COMMAND], 7])
def test_the_draft_has_no_commands_in_a_response(commands: Json) -> None:
    outcome, flaws = read("session/resume", {"availableCommands": commands}, DRAFT)

    assert (outcome.available_commands, flaws) == (UNSET, ())


def test_a_response_of_the_other_edition_may_have_commands() -> None:
    outcome, _ = read("session/new", {"sessionId": "s", "availableCommands": [COMMAND]})

    assert msgspec.to_builtins(outcome.available_commands) == [COMMAND]


@BOTH
@pytest.mark.parametrize(
    "told",
    [
        {"outcome": "selected", "optionId": "o"},
        {"outcome": "cancelled", "_meta": {"a": 1}},
        {"outcome": "_later", "optionId": 7, "_meta": "x"},
        {"outcome": "selected", "optionId": "o", "_x": 1},
    ],
)
def test_a_permission_outcome_is_kept_as_it_came(told: Json, edition: Edition) -> None:
    outcome, flaws = read("session/request_permission", {"outcome": told}, edition)

    assert (outcome.outcome, flaws) == (told, ())


@BOTH
def test_a_permission_outcome_loses_what_is_malformed(edition: Edition) -> None:
    told = {"outcome": "cancelled", "_meta": 7}

    outcome, flaws = read("session/request_permission", {"outcome": told}, edition)

    assert outcome.outcome == {"outcome": "cancelled"}
    assert [flaw.path for flaw in flaws] == ["$.result.outcome._meta"]


@BOTH
@pytest.mark.parametrize(
    "told", [{}, "cancelled", {"outcome": 7}, {"outcome": "selected"}, {"optionId": "o"}]
)
def test_a_permission_outcome_that_says_nothing_is_malformed(told: Json, edition: Edition) -> None:
    outcome, _ = read("session/request_permission", {"outcome": told}, edition)

    assert isinstance(outcome, Malformed)


def test_a_malformed_list_of_sessions_is_an_empty_one_and_a_missing_one_is_malformed() -> None:
    assert read("session/list", {"sessions": 7})[0] == methods.ListSessionsResult(sessions=[])
    assert isinstance(read("session/list", {})[0], Malformed)


def test_capabilities_that_nobody_knows_do_not_hide_the_others() -> None:
    prompt: JsonObject = {"image": {}, "video": {}}
    result = {
        "protocolVersion": 2,
        "info": {"name": "n", "version": "1"},
        "capabilities": {"session": {"prompt": prompt, "fork": 7}, "auth": []},
    }

    outcome, flaws = read("initialize", result)

    assert outcome.capabilities.session.prompt == methods.PromptCapabilities(image={})
    assert flaws == ()
