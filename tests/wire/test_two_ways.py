"""The strict way and the tolerant way give the same message wherever both read one."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpsim.wire.cells import STRICT_LEVELS, Json, JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.lines import DEPTH_MAX
from acpsim.wire.looks import PARAMS
from acpsim.wire.methods import METHODS, Request, SessionUpdate
from acpsim.wire.parse import read_message, read_result, read_value, reader, strict_decode
from acpsim.wire.shapes import Anything, Items, Object, OneOf, Plain, Shape, object_of
from acpsim.wire.tolerant import Bad, read_object
from acpsim.wire.updates import VARIANTS
from tests.helpers.wellformed import calls, messages, values

REQUESTS = sorted(name for name, call in METHODS.items() if issubclass(call, Request))

pytestmark = pytest.mark.slow

editions = st.sampled_from(sorted(EDITIONS.values(), key=lambda edition: edition.name))


def decodes_strictly(line: bytes) -> bool:
    try:
        strict_decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def text_of(value: Json) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


@given(messages(spoilt=True), editions)
def test_what_decodes_strictly_is_read_the_same_tolerantly(
    message: JsonObject, edition: Edition
) -> None:
    line = text_of(message)

    quick, closely = reader(edition).take(line), reader(edition).take_closely(line)

    assert quick == closely


@pytest.mark.parametrize("method", REQUESTS)
@given(data=st.data(), edition=editions)
@settings(max_examples=30)
def test_a_result_is_read_the_same_both_ways(method: str, data: Any, edition: Edition) -> None:
    call = data.draw(calls(method, spoilt=False))
    request = read_value(call, DRAFT).message
    assert isinstance(request, Request)
    result = data.draw(values(type(request).result, spoilt=True))

    quick = read_result(request, Response(id=1, result=result), edition)

    closely, flaws = read_object(type(request).result, result, path="$.result", edition=edition)
    if isinstance(closely, Bad):
        assert quick[0] == Malformed(kind="response", flaws=flaws, id=1)
    else:
        assert quick == (closely, flaws)


@given(messages(spoilt=False), editions)
def test_a_well_formed_message_has_no_flaw(message: JsonObject, edition: Edition) -> None:
    assert read_message(text_of(message), edition).flaws == ()


@pytest.mark.parametrize("variant", sorted(VARIANTS))
@given(data=st.data())
@settings(max_examples=15)
def test_every_variant_decodes_to_its_own_struct(variant: str, data: Any) -> None:
    update = {"sessionUpdate": variant, **data.draw(values(VARIANTS[variant]))}
    params = {"sessionId": "s", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}

    read = read_value(message, DRAFT).message

    assert isinstance(read, SessionUpdate)
    assert type(read.params.update) is VARIANTS[variant]


@pytest.mark.parametrize("method", sorted(METHODS))
@given(data=st.data())
@settings(max_examples=15)
def test_encoding_a_strict_message_gives_back_what_was_received(method: str, data: Any) -> None:
    message = data.draw(calls(method, spoilt=False))
    line = text_of(message)

    if decodes_strictly(line):
        again = json.loads(msgspec.json.encode(strict_decode(line)))
        assert again == message


@given(messages(spoilt=True), editions)
def test_reading_a_value_is_reading_its_text(message: JsonObject, edition: Edition) -> None:
    assert read_value(message, edition) == read_message(text_of(message), edition)


def test_nothing_of_a_value_is_kept_by_reference() -> None:
    update: JsonObject = {"sessionUpdate": "_new", "deep": {"list": [1]}}
    params = {"sessionId": "s", "update": update}

    message = read_value({"jsonrpc": "2.0", "method": "session/update", "params": params}, SDK_2_4)
    update["deep"]["list"].append(2)

    assert message.message.params.update.payload["deep"] == {"list": [1]}  # type: ignore[union-attr]


def test_every_method_says_which_way_it_travels() -> None:
    assert {call.direction for call in METHODS.values()} == {"c2a", "a2c"}
    assert all(hasattr(call, "result") == issubclass(call, Request) for call in METHODS.values())


def depth(shape: Shape) -> int:
    """How deep a strictly decoded value of that shape can be nested."""
    if isinstance(shape, Plain):
        return 0
    if isinstance(shape, Anything):
        return STRICT_LEVELS
    if isinstance(shape, Items):
        return 1 + depth(shape.item)
    if isinstance(shape, OneOf):
        return max(depth(variant) for variant in shape.variants.values())
    assert isinstance(shape, Object)
    return 1 + max((depth(field.shape) for field in shape.fields), default=0)


def test_what_decodes_strictly_is_never_nested_too_deep() -> None:
    deepest = max(1 + depth(object_of(params)) for params in PARAMS.values())

    assert STRICT_LEVELS < deepest < DEPTH_MAX // 4


@pytest.mark.parametrize("levels", [STRICT_LEVELS, STRICT_LEVELS + 1, 40])
def test_the_strict_way_takes_values_of_a_few_levels(levels: int) -> None:
    value: Json = "deep"
    for _ in range(levels):
        value = [value]
    update = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": value}
    params = {"sessionId": "s", "update": update}
    line = text_of({"jsonrpc": "2.0", "method": "session/update", "params": params})

    assert decodes_strictly(line) == (levels <= STRICT_LEVELS)
    assert isinstance(read_message(line, DRAFT).message, SessionUpdate)
