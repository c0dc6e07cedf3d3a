"""Hypothesis strategies of messages, made from the structs that describe them.

`messages` draws well-formed calls of every kind; with `spoilt`, here and there a field is missing,
null, of another type, out of bounds, or one that nobody knows.
"""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st
from msgspec import Struct

from acpsim.wire.cells import JsonObject
from acpsim.wire.looks import PARAMS
from acpsim.wire.methods import METHODS, Request
from acpsim.wire.shapes import Anything, Field, Items, Kept, Object, OneOf, Plain, Shape, object_of

URIS: Final = ("file:///a/b.py", "https://example.org/x", "urn:a:b", "http://[::1]:80/", "a:b")
TIMES: Final = ("2026-01-31T10:20:30Z", "2024-02-29T00:00:00.5+01:00")
WORDS: Final = (
    *("running", "idle", "requires_action", "unknown", "_busy"),
    *("error", "end_turn", "_mine", "id", "boolean", "text", "command", "start", "form", "accept"),
)
SPOILT: Final[tuple[Any, ...]] = (
    *(None, True, 7, -1, 0, 1.5, 5.0, 2**70, "x", "", [], {}, [1], {"a": 1}, {"type": "_t"}),
    *([None], [{"type": "text", "text": "t"}, 7], {"code": 1, "message": "m", "more": 1}),
)

texts: Final = st.sampled_from(WORDS) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), max_size=8
)
json_values: Final = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64) | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


def messages(*, spoilt: bool) -> st.SearchStrategy[JsonObject]:
    """Calls of every method."""
    return st.sampled_from(sorted(METHODS)).flatmap(lambda name: calls(name, spoilt=spoilt))


@st.composite
def calls(draw: st.DrawFn, method: str, *, spoilt: bool) -> JsonObject:
    """Calls of one method."""
    message: JsonObject = {"jsonrpc": "2.0", "method": method}
    if issubclass(METHODS[method], Request):
        message["id"] = draw(st.integers(0, 9) | st.sampled_from(["a", "1"]))
    message["params"] = draw(_value(object_of(PARAMS[method]), spoilt=spoilt))
    if spoilt:
        message |= draw(st.sampled_from([{}, {}, {}, {"id": None}, {"id": 1.5}, {"x": 1}]))
    return message


def values(struct: type[Struct], *, spoilt: bool = False) -> st.SearchStrategy[Any]:
    """JSON objects as a struct describes them."""
    return _value(object_of(struct), spoilt=spoilt)


def _value(shape: Shape, *, spoilt: bool) -> st.SearchStrategy[Any]:
    sound = _sound(shape, spoilt=spoilt)
    if not spoilt:
        return sound
    return st.integers(0, 11).flatmap(
        lambda chance: st.sampled_from(SPOILT) if chance == 0 else sound
    )


def _sound(shape: Shape, *, spoilt: bool) -> st.SearchStrategy[Any]:
    if isinstance(shape, Plain):
        return _plain(shape)
    if isinstance(shape, Anything):
        return st.dictionaries(texts, json_values, max_size=2) if shape.only_object else json_values
    if isinstance(shape, Items):
        items = st.lists(_value(shape.item, spoilt=spoilt), min_size=1, max_size=2)
        return items if shape.or_else is None else items | _value(shape.or_else, spoilt=spoilt)
    if isinstance(shape, OneOf):
        return st.sampled_from(sorted(shape.variants)).flatmap(
            lambda tag: _fields(shape.variants[tag], {shape.tag_field: tag}, spoilt=spoilt)
        )
    if isinstance(shape, Kept):
        return _value(shape.shape, spoilt=spoilt)
    return _fields(shape, {}, spoilt=spoilt)


def _plain(shape: Plain) -> st.SearchStrategy[Any]:
    if str in shape.kinds:
        formats = {"uri": URIS, "date-time": TIMES}
        if shape.text_format is not None:
            return st.sampled_from(formats[shape.text_format])
        return texts.filter(lambda text: len(text) >= shape.length_min)
    if bool in shape.kinds:
        return st.booleans()
    least = 0 if shape.least is None else int(shape.least)
    most = 2**40 if shape.most is None else int(shape.most)
    return st.integers(least, min(most, 2**40))


@st.composite
def _fields(draw: st.DrawFn, shape: Object, told: JsonObject, *, spoilt: bool) -> JsonObject:
    told = dict(told)
    for field in shape.fields:
        if field.required or draw(st.integers(0, 3)) == 0:
            told[field.name] = draw(_field(field, spoilt=spoilt))
    if spoilt and told and draw(st.integers(0, 15)) == 0:
        del told[draw(st.sampled_from(sorted(told)))]
    if spoilt and draw(st.integers(0, 15)) == 0:
        told["_unheardOf"] = draw(json_values)
    return told if spoilt else _agreeing(shape, told)


def _agreeing(shape: Object, told: JsonObject) -> JsonObject:
    """The same with what only the fields together make well formed."""
    if {"text", "blob"} <= shape.names and not {"text", "blob"} & told.keys():
        return {**told, "text": "t"}
    if {"description", "input"} <= shape.names:
        return {**told, "type": "command"}
    if {"configId", "value"} <= shape.names:
        return {**told, "type": "boolean", "value": True}
    if {"sessionId", "requestId", "mode"} <= shape.names:
        return {k: v for k, v in told.items() if k != "requestId"} | {"sessionId": "s"}
    return told


def _field(field: Field, *, spoilt: bool) -> st.SearchStrategy[Any]:
    value = _value(field.shape, spoilt=spoilt)
    return st.none() | value if field.nullable else value
