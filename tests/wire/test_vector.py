"""Test vectors, which need no acpsim to be run."""

from __future__ import annotations

import json

import pytest

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import SDK_2_4
from acpsim.wire.event import event, lost
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.vector import NotAVector, Vector, encode_vector, read_vector

CANCEL = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}}
VECTOR: JsonObject = {
    "acpsim": "vector/1",
    "name": "n",
    "edition": "sdk-2.4",
    "rules": ["PATCH-OMIT"],
    "events": [{"dir": "c2a", "msg": CANCEL}, {"dir": "a2c", "raw": "[1"}, {"dir": "lost"}],
    "snapshots": {"s": {"closed": False}, "t": None},
}


def text(**changes: Json) -> bytes:
    return json.dumps({**VECTOR, **changes}).encode()


def test_a_vector_is_a_conversation_and_what_is_held_after_it() -> None:
    vector = read_vector(text())

    assert (vector.name, vector.edition, vector.rules) == ("n", SDK_2_4, ("PATCH-OMIT",))
    assert vector.events[0] == event("c2a", CANCEL, edition=SDK_2_4, line=1)
    assert isinstance(vector.events[1].message, Malformed)
    assert vector.events[2] == lost(line=3)
    assert vector.snapshots == {"s": {"closed": False}, "t": None}


def test_a_written_vector_is_the_one_that_was_read() -> None:
    vector = read_vector(text())

    assert json.loads(encode_vector(vector)) == VECTOR
    assert read_vector(encode_vector(vector)) == vector


def test_an_encoded_vector_can_be_read_by_people() -> None:
    vector = Vector(name="n", edition=SDK_2_4, events=(), snapshots={})

    assert encode_vector(vector).startswith(b'{\n  "acpsim": "vector/1",\n')


def test_a_message_in_several_lines_is_one_line_as_on_the_wire() -> None:
    vector = read_vector(json.dumps(VECTOR, indent=2).encode())

    assert vector.events == read_vector(text()).events


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is no JSON: input data was truncated"),
        (b"[]", "is no vector: Expected `object`, got `array`"),
        (b"\xff", "is no JSON: invalid character (byte 0)"),
        (b"[" * 100_000, "is no vector: Expected `object`, got `array`"),
        (b"{}", "is no vector: Object missing required field `acpsim`"),
        (text(acpsim="vector/2"), "says that it is 'vector/2'; 'vector/1' is read"),
        (text(edition="v9"), "no edition 'v9'; known are draft, sdk-2.4"),
        (text(name=7), "is no vector: Expected `str`, got `int` - at `$.name`"),
        (text(events=[{"dir": "up"}]), "$.events[0].dir is 'up'; c2a, a2c and lost are known"),
        (text(events=[{"dir": "c2a"}]), "$.events[0] has neither msg nor raw"),
        (text(snapshots=[]), "is no vector: Expected `object`, got `array` - at `$.snapshots`"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_no_vector_says_where_and_why(data: bytes, why: str) -> None:
    with pytest.raises(NotAVector) as raised:
        read_vector(data)

    assert str(raised.value) == why
