"""Every place of every recorded message, replaced by each kind of JSON value: nothing raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import EDITIONS
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.methods import Request
from acpsim.wire.pairing import Pairing
from acpsim.wire.parse import reader
from acpsim.wire.trace import read_trace
from tests.helpers.spoilt import spoilt

pytestmark = pytest.mark.slow

RECORDED = sorted((Path(__file__).parents[1] / "recorded").glob("*.jsonl"))
JSON_TYPES: tuple[Json, ...] = (None, True, 7, -1.5, "x", [], {}, [1], {"a": 1})


def shape(value: Json) -> Json:
    """What distinguishes messages here: names and kinds, not texts."""
    if isinstance(value, dict):
        tags = {"type", "state", "sessionUpdate", "method", "stopReason", "outcome", "operation"}
        return {k: v if k in tags and isinstance(v, str) else shape(v) for k, v in value.items()}
    return (
        [shape(entry) for entry in value[:2]] if isinstance(value, list) else type(value).__name__
    )


def recorded() -> dict[str, tuple[JsonObject, Request | None]]:
    """One message of each shape, a response with the request that it answers."""
    found: dict[str, tuple[JsonObject, Request | None]] = {}
    for path in RECORDED:
        pairing = Pairing()
        for event in read_trace(path.read_bytes().splitlines()).events:
            if event.dir == "lost":
                continue
            asked = None
            if isinstance(event.message, Request):
                pairing.request(event.dir, event.message, event.line)
            elif isinstance(event.message, Response):
                opened = pairing.answer(event.dir, event.message)
                if opened is not None and isinstance(opened.message, Request):
                    asked = opened.message
            value = event.json()
            found.setdefault(json.dumps([shape(value), type(asked).__name__]), (value, asked))
    return found


@pytest.mark.parametrize("name", EDITIONS)
def test_nothing_that_a_peer_can_send_raises(name: str) -> None:
    read = reader(EDITIONS[name])
    count = 0

    for value, asked in recorded().values():
        for other in (*JSON_TYPES, *spoilt(value, JSON_TYPES)):
            count += 1
            message, flaws, raw = read.take(json.dumps(other).encode())
            assert json.loads(raw) == other
            if isinstance(message, Malformed):
                assert any(not flaw.dropped for flaw in flaws)
            else:
                assert all(flaw.dropped for flaw in flaws)
            if isinstance(message, Response) and asked is not None:
                read.result(asked, message)  # type: ignore[arg-type]

    assert count > 10_000


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_conversation_is_read_without_a_diagnostic(path: Path) -> None:
    trace = read_trace(path.read_bytes().splitlines())

    assert trace.diagnostics == []
    assert trace.events != []
