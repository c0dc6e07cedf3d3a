"""The tolerant reading of a JSON value: what is malformed is dropped, or costs what it must.

Owns: one walk of a value beside the shape of its struct ("Tolerance" of the neighbouring pages). A
malformed optional field counts as omitted, a bad item of a list is left out, and a missing or
malformed required field costs its object, up to the next optional field or item that holds it; if
there is none, it costs the message. What the edition, or the object's own state, does not define
is an unknown field and no flaw.

Parameters, results and updates come out as structs, without their unknown fields. Cells keep
theirs: they come out as structs where that loses nothing, else as plain objects.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.formats import FORMATS
from acpsim.wire.jsonrpc import Flaw
from acpsim.wire.shapes import (
    Anything,
    Field,
    Items,
    Object,
    OneOf,
    Plain,
    Shape,
    json_word,
    object_of,
)
from acpsim.wire.updates import UnknownUpdate, Update


class Bad:
    """Stands for a value that cannot be used; the walk has noted why."""


BAD: Final = Bad()

_WORDS: Final = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}


def read_object(
    struct: type[Struct], value: Json, *, path: str, edition: Edition
) -> tuple[Any, tuple[Flaw, ...]]:
    """The struct that a JSON value says, or `BAD`; and what was malformed, in either case.

    Nothing of `value` may be changed by its owner afterwards: cells are kept by reference.
    """
    walk = _Walk(edition)
    found = walk.object(object_of(struct), value, path)
    return found, tuple(walk.flaws)


class _Walk:
    """One walk: the edition that is asked, and the flaws found so far."""

    __slots__ = ("edition", "flaws")

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.flaws: list[Flaw] = []

    def bad(self, path: str, text: str) -> Bad:
        """Note why a value cannot be used."""
        self.flaws.append(Flaw(path, text, dropped=False))
        return BAD

    def drop(self, since: int, path: str) -> None:
        """What was noted since then costs no more than the value at `path`: make it one flaw."""
        causes = [flaw for flaw in self.flaws[since:] if not flaw.dropped]
        if len(causes) == 1 and causes[0].path == path:
            text = causes[0].text
        else:
            inside = (flaw.path.removeprefix(path).lstrip(".") for flaw in causes)
            told = (f"{at} {flaw.text}" for at, flaw in zip(inside, causes, strict=True))
            text = "is malformed: " + "; ".join(told)
        self.flaws[since:] = [Flaw(path, text)]

    def read(self, shape: Shape, value: Json, path: str) -> Json:
        """The value, less what is malformed, or `BAD`."""
        if isinstance(shape, Plain):
            return self.plain(shape, value, path)
        if isinstance(shape, Anything):
            if shape.only_object and not isinstance(value, dict):
                return self.bad(path, f"is {json_word(value)}, not an object")
            return value
        if isinstance(shape, Items):
            return self.items(shape, value, path)
        if isinstance(shape, Object):
            return self.object(shape, value, path)
        if isinstance(shape, OneOf):
            return self.one_of(shape, value, path)
        return self.read(shape.shape, value, path)

    def plain(self, shape: Plain, value: Json, path: str) -> Json:
        """A scalar within its bounds; a whole number may be written as a fraction (`5.0`)."""
        if isinstance(value, float) and int in shape.kinds and value.is_integer():
            value = value if float in shape.kinds else int(value)
        if type(value) not in shape.kinds and not (type(value) is int and float in shape.kinds):
            wanted = " or ".join(_WORDS[kind] for kind in shape.kinds)
            return self.bad(path, f"is {json_word(value)}, not {wanted}")
        if shape.least is not None and value < shape.least:
            return self.bad(path, f"is {json_word(value)}, below {shape.least:g}")
        if shape.most is not None and value > shape.most:
            return self.bad(path, f"is {json_word(value)}, above {shape.most:g}")
        if shape.length_min and len(value) < shape.length_min:
            return self.bad(path, "is empty")
        if shape.text_format is not None:
            is_one, text = FORMATS[shape.text_format]
            if not is_one(value):
                return self.bad(path, text)
        return value

    def items(self, shape: Items, value: Json, path: str) -> Json:
        """A list without its bad items, or `BAD` where one bad item costs all."""
        since = len(self.flaws)
        read = self._items(shape, value, path)
        if isinstance(read, Bad) and shape.or_else is not None:
            first = self.flaws[since:]
            del self.flaws[since:]
            read = self._items(shape.or_else, value, path)
            if isinstance(read, Bad):
                self.flaws[since:] = first
        return read

    def _items(self, shape: Items, value: Json, path: str) -> Json:
        if not isinstance(value, list):
            return self.bad(path, f"is {json_word(value)}, not an array")
        if len(value) < shape.length_min:
            return self.bad(path, "is empty")
        read = []
        fine = True
        for at, given in enumerate(value):
            since = len(self.flaws)
            item = self.read(shape.item, given, f"{path}[{at}]")
            if not isinstance(item, Bad):
                read.append(item)
            elif shape.all_or_nothing:
                fine = False
            else:
                self.drop(since, f"{path}[{at}]")
        return read if fine else BAD

    def one_of(self, shape: OneOf, value: Json, path: str) -> Json:
        """An object by its tag; one with another tag is kept, with what its base defines read."""
        if not isinstance(value, dict):
            return self.bad(path, f"is {json_word(value)}, not an object")
        tag = value.get(shape.tag_field, UNSET)
        if not isinstance(tag, str):
            text = "is missing" if tag is UNSET else f"is {json_word(tag)}, not a string"
            return self.bad(f"{path}.{shape.tag_field}", text)
        variant = shape.variants.get(tag, shape.other)
        if variant is not None:
            return self.object(variant, value, path)
        updates = issubclass(next(iter(shape.variants.values())).struct, Update)
        return UnknownUpdate(variant=tag, payload=value) if updates else value

    def object(self, shape: Object, value: Json, path: str) -> Json:
        """An object: a cell as it came less what was malformed, anything else as a struct."""
        if not isinstance(value, dict):
            return self.bad(path, f"is {json_word(value)}, not an object")
        known = self.fields(shape, value, path)
        if known is None:
            return BAD
        if not shape.is_cell:
            told = {
                field.attribute: _typed(field.shape, known[field.name])
                for field in shape.fields
                if field.name in known
            }
            return self.build(shape, told, path)
        if hasattr(shape.struct, "__post_init__"):
            told = {f.attribute: known[f.name] for f in shape.fields if f.name in known}
            if isinstance(self.build(shape, told, path), Bad):
                return BAD
        return self.kept(shape, value, known)

    def build(self, shape: Object, told: JsonObject, path: str) -> Json:
        """The struct of fields that can be used, each for itself; or `BAD`, where not together."""
        try:
            return shape.struct(**told)
        except ValueError as error:
            return self.bad(path, str(error))

    def fields(self, shape: Object, value: JsonObject, path: str) -> JsonObject | None:
        """JSON name → value of each known field that is there and can be used; `None` if one that
        the object needs cannot."""
        known: JsonObject = {}
        fine = True
        for field in shape.fields:
            if not field.exists(value, self.edition):
                continue
            at = f"{path}.{field.name}"
            given = value.get(field.name, UNSET)
            if given is UNSET:
                if field.needed(self.edition):
                    fine = False
                    self.bad(at, "is missing")
            elif given is None and field.nullable:
                known[field.name] = None
            else:
                read = self.field(field, given, at)
                if isinstance(read, Bad):
                    fine = fine and not (field.needed(self.edition) or field.marks.costs_all)
                elif read is not UNSET:
                    known[field.name] = read
        return known if fine else None

    def field(self, field: Field, given: Json, path: str) -> Json:
        """The value of a field; `UNSET` where it counts as omitted, `BAD` where it costs all."""
        since = len(self.flaws)
        read = self.read(field.shape, given, path)
        unless = field.marks.filled_unless
        if read == [] and unless is not None and not getattr(self.edition, unless):
            read = self.bad(path, "is empty")
        if not isinstance(read, Bad):
            return read
        if field.marks.empty_instead:
            self.drop(since, path)
            return []
        if field.needed(self.edition) or field.marks.costs_all:
            return BAD
        self.drop(since, path)
        return UNSET

    def kept(self, shape: Object, value: JsonObject, known: JsonObject) -> JsonObject:
        """The object as it came, less what was malformed; what is unknown in it stays."""
        defined = {f.name for f in shape.fields if f.exists(value, self.edition)}
        return {
            name: known.get(name, given)
            for name, given in value.items()
            if name in known or name not in defined
        }


def _typed(shape: Shape, value: Json) -> Json:
    """A read value as a struct holds it: each cell in it a struct, where it is nothing but that."""
    if value is None:
        return None
    if isinstance(shape, Items):
        return [_typed(shape.item, item) for item in value]
    if isinstance(shape, Object | OneOf) and shape.is_cell:
        try:
            return msgspec.convert(value, shape.struct if isinstance(shape, Object) else shape.type)
        except msgspec.ValidationError:
            return value
    return value
