"""A peer's message never raises, and never costs what is held."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acpsim.reducer import Reducer
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.jsonrpc import OTHER_SIDE, Direction
from acpsim.wire.trace import event
from acpsim.wire.updates import VARIANTS
from tests.helpers.shorthand import conversation
from tests.helpers.spoilt import spoilt

RECORDED = Path(__file__).parents[1] / "recorded"
OTHERS: tuple[Any, ...] = (None, True, 7, -1.5, "x", "", [], {}, [None], {"a": []})


Told = tuple[Direction, dict[str, Any]]


def shapes() -> list[tuple[list[Told], Told]]:
    """One recorded message of each shape, behind the request that it answers if it answers one."""
    found: dict[object, tuple[list[Told], Told]] = {}
    for path in sorted(RECORDED.glob("*.jsonl")):
        asked: dict[object, Told] = {}
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if "msg" not in row:
                continue
            told: Told = (row["dir"], row["msg"])
            direction, message = told
            if "method" not in message:
                request = asked.pop((OTHER_SIDE[direction], message["id"]))
                key: object = (request[1]["method"], "error" in message)
                found.setdefault(key, ([request], told))
                continue
            if "id" in message:
                asked[direction, message["id"]] = told
            update = message["params"].get("update", {})
            key = (direction, message["method"], update.get("sessionUpdate"))
            found.setdefault(key, ([], told))
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
def test_no_field_of_any_message_replaced_by_anything_raises(edition: Edition) -> None:
    held = Reducer(edition)
    for known in conversation('setup kept\n< [kept] agent_message m1 "A"', edition=edition):
        held.apply(known)
    before = held.snapshot_bytes("kept")

    for asked, (direction, message) in shapes():
        waiting = held.fork()
        for way, request in asked:
            waiting.apply(event(way, request, edition=edition))
        for value in spoilt(message, OTHERS):
            reducer = waiting.fork()
            reducer.apply(event(direction, value, edition=edition))
            assert reducer.snapshot_bytes("kept") == before
            for session in reducer.sessions():
                reducer.snapshot(session)


def test_the_messages_that_are_spoilt_are_of_every_kind() -> None:
    told = [message for _, (_, message) in shapes()]

    seen = {message["params"]["update"]["sessionUpdate"] for message in told if updates_in(message)}
    assert set(VARIANTS) <= seen
    assert sum("method" not in message for message in told) >= 8


def updates_in(message: dict[str, Any]) -> bool:
    return message.get("method") == "session/update"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'{"jsonrpc":"2.0"',
        b"[" * 100_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":NaN}}',
        (
            b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
            b'{"sessionUpdate":"_x","huge":' + b"9" * 5_000 + b"}}}"
        ),
        (
            b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
            b'{"sessionUpdate":"agent_message","messageId":"m","content":'
            b'[{"type":"text","text":"\\ud800"}]}}}'
        ),
    ],
)
def test_no_bytes_raise(line: bytes) -> None:
    reducer = Reducer(EDITIONS["draft"])

    reducer.receive(line)

    for session in reducer.sessions():
        reducer.snapshot(session)


@pytest.mark.parametrize("depth", [100, 200, 700, 950])
def test_what_is_nested_deep_can_be_shown_from_anywhere_or_is_not_held(depth: int) -> None:
    meta = b'{"a":' * depth + b"1" + b"}" * depth
    line = (
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        b'{"sessionUpdate":"agent_message","messageId":"m","_meta":' + meta + b"}}}"
    )
    reducer = Reducer(EDITIONS["draft"])
    reducer.receive(line)

    def deeper(left: int) -> None:
        if left:
            deeper(left - 1)
        else:
            reducer.snapshot("s")

    deeper(300)


@pytest.mark.parametrize("name", ["", "__class__", "keys", "\x1b[2J", "𝔰", "a" * 10_000])
def test_any_string_is_an_id(name: str) -> None:
    update = {"sessionUpdate": "agent_message", "messageId": name, "content": []}
    params = {"sessionId": name, "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    reducer = Reducer(EDITIONS["draft"])

    reducer.apply(event("a2c", message, edition=EDITIONS["draft"]))

    held = reducer.snapshot(name)
    assert held is not None
    assert held["timeline"] == [["agent_message", name]]
