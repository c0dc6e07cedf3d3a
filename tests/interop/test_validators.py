"""What the official SDK's validators accept, our wire accepts, and the other way round."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from acpsim.wire import methods
from acpsim.wire.edition import SDK_2_4
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.parse import read_value
from acpsim.wire.updates import VARIANTS
from tests.helpers.spoilt import spoilt

from .conftest import Validators

pytestmark = [pytest.mark.interop, pytest.mark.slow]

RECORDED = Path(__file__).parents[1] / "recorded"

SCHEMAS = {
    "initialize": "zInitializeRequest",
    "session/new": "zNewSessionRequest",
    "session/resume": "zResumeSessionRequest",
    "session/prompt": "zPromptRequest",
    "session/close": "zCloseSessionRequest",
    "session/cancel": "zCancelSessionNotification",
    "session/set_config_option": "zSetSessionConfigOptionRequest",
    "session/request_permission": "zRequestPermissionRequest",
    "session/update": "zUpdateSessionNotification",
    "$/cancel_request": "zCancelRequestNotification",
}
JSON_TYPES: tuple[Any, ...] = (None, True, 7, -1, 1.5, "x", "", [], {}, [1], {"a": 1})


def recorded_messages() -> list[dict[str, Any]]:
    """Each distinct message of the recorded conversations that has a method."""
    seen = {}
    for path in sorted(RECORDED.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            message = json.loads(line).get("msg", {})
            if message.get("method") in SCHEMAS:
                seen[json.dumps(message, sort_keys=True)] = message
    return list(seen.values())


def accepted(message: dict[str, Any]) -> bool:
    return not isinstance(read_value(copy.deepcopy(message), SDK_2_4).message, Malformed)


def has_payload_of_its_own(update: dict[str, Any]) -> bool:
    """Whether fields of standard names may be there that are no standard fields: of an unknown
    variant or state, or beside an unknown stop reason. The SDK passes those on, we do not."""
    return (
        update.get("sessionUpdate") not in VARIANTS
        or update.get("state") in ("x", "")
        or ("error" in update and update.get("stopReason") != "error")
    )


def test_every_recorded_message_is_read_as_the_sdk_reads_it(validators: Validators) -> None:
    messages = recorded_messages()

    answers = validators.ask((SCHEMAS[m["method"]], m["params"]) for m in messages)

    different = [
        (answer, message)
        for message, answer in zip(messages, answers, strict=True)
        if answer["ok"] != accepted(message)
    ]
    assert messages != []
    assert different == []


@pytest.mark.parametrize("method", sorted(SCHEMAS))
def test_spoilt_messages_are_accepted_by_both_or_by_neither(
    method: str, validators: Validators
) -> None:
    shapes: dict[object, dict[str, Any]] = {}
    for message in recorded_messages():
        if message["method"] == method:
            update = message["params"].get("update", {})
            key = (update.get("sessionUpdate"), str(update.get("state")), *sorted(update))
            shapes.setdefault(key, message)
    cases = [
        {**message, "params": params}
        for message in shapes.values()
        for params in spoilt(message["params"], JSON_TYPES)
    ]

    answers = validators.ask((SCHEMAS[method], case["params"]) for case in cases)

    different = [
        f"SDK {'takes' if answer['ok'] else 'refuses'} {json.dumps(case['params'])}"
        for case, answer in zip(cases, answers, strict=True)
        if answer["ok"] != accepted(case)
    ]
    assert different == []


def test_malformed_optional_fields_are_dropped_where_the_sdk_drops_them(
    validators: Validators,
) -> None:
    updates = [m for m in recorded_messages() if m["method"] == "session/update"]
    cases = [
        {**message, "params": {**message["params"], "update": update}}
        for message in updates
        for update in spoilt(message["params"]["update"], JSON_TYPES)
    ]

    answers = validators.ask(("zUpdateSessionNotification", case["params"]) for case in cases)

    different = []
    for case, answer in zip(cases, answers, strict=True):
        message = read_value(copy.deepcopy(case), SDK_2_4).message
        if not answer["ok"] or not isinstance(message, methods.SessionUpdate):
            continue
        if has_payload_of_its_own(case["params"]["update"]):
            continue
        known = {field.encode_name for field in msgspec.structs.fields(message.params.update)}
        ours = set(msgspec.to_builtins(message.params.update)) & known
        theirs = {key for key in answer["value"]["update"] if key in known}
        if ours != theirs:
            different.append((json.dumps(case["params"]["update"]), ours ^ theirs))
    assert different == []
