"""Generated messages, sound and spoilt: the official SDK and our wire take the same ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acpsim.wire.edition import SDK_2_4
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.methods import METHODS, Request
from acpsim.wire.parse import read_result, read_value
from tests.helpers.wellformed import calls, values

from .conftest import Validators
from .test_validators import SCHEMAS

pytestmark = [pytest.mark.interop, pytest.mark.slow]

RESULTS = {
    "initialize": "zInitializeResponse",
    "session/new": "zNewSessionResponse",
    "session/resume": "zResumeSessionResponse",
    "session/list": "zListSessionsResponse",
    "session/prompt": "zPromptResponse",
    "session/close": "zCloseSessionResponse",
    "session/delete": "zDeleteSessionResponse",
    "session/fork": "zForkSessionResponse",
    "session/set_config_option": "zSetSessionConfigOptionResponse",
    "session/request_permission": "zRequestPermissionResponse",
    "elicitation/create": "zCreateElicitationResponse",
}

# One process answers all examples, so what one test asks does not change what the next one hears.
GENERATED = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("method", sorted(SCHEMAS))
@given(data=st.data())
@GENERATED
def test_parameters_are_taken_by_both_or_by_neither(
    method: str, validators: Validators, data: Any
) -> None:
    params = data.draw(calls(method, spoilt=True))["params"]
    call = {"jsonrpc": "2.0", "method": method, "params": params}
    if issubclass(METHODS[method], Request):
        call["id"] = 1
    # The SDK fills in empty parameters before it validates.
    [answer] = validators.ask([(SCHEMAS[method], {} if params is None else params)])

    read = read_value(json.loads(json.dumps(call)), SDK_2_4).message

    assert isinstance(read, Malformed) != answer["ok"]


@pytest.mark.parametrize("method", sorted(RESULTS))
@given(data=st.data())
@GENERATED
def test_results_are_taken_by_both_or_by_neither(
    method: str, validators: Validators, data: Any
) -> None:
    request = read_value(data.draw(calls(method, spoilt=False)), SDK_2_4).message
    assert isinstance(request, Request)
    result = data.draw(values(type(request).result, spoilt=True))
    [answer] = validators.ask([(RESULTS[method], result)])

    outcome, _ = read_result(request, Response(id=1, result=result), SDK_2_4)

    assert isinstance(outcome, Malformed) != answer["ok"]
