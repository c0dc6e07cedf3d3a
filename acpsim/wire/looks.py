"""Which strictly decoded messages an edition reads otherwise, and so must be read the tolerant way.

Owns: `looks_of`. The strict decoder knows every field of both editions; where a field is none in
the edition at hand, or is required in it, a look at the decoded struct tells. The looks come from
the marks of the structs; a struct that no mark concerns has none, so the common updates pass
without a call.
"""

from __future__ import annotations

import functools
import operator
import typing
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from acpsim.wire.edition import Edition
from acpsim.wire.methods import METHODS, Request
from acpsim.wire.shapes import Field, Items, Kept, Object, OneOf, Shape, object_of
from acpsim.wire.updates import VARIANTS, Update

Look: TypeAlias = Callable[[Any], bool]
"""Whether a strictly decoded struct is read otherwise in the edition."""

Looks: TypeAlias = dict[type[Struct], Look]
"""Struct → its look: updates by their own struct, everything else by that of its parameters."""


@functools.cache
def looks_of(edition: Edition, *, undefined: bool = True) -> Looks:
    """The looks that this edition needs.

    Without `undefined`, fields that are none in the edition are not looked for: whoever reads the
    structs then asks the edition before using such a field.
    """
    looks: Looks = {}
    for struct in (*VARIANTS.values(), *PARAMS.values(), *RESULTS):
        look = _look(object_of(struct), edition, undefined=undefined)
        if look is not None:
            looks[struct] = look
    return looks


PARAMS: Final[dict[str, type[Struct]]] = {
    name: typing.get_type_hints(call)["params"] for name, call in METHODS.items()
}
"""Method → the struct of its parameters."""

RESULTS: Final = tuple({call.result for call in METHODS.values() if issubclass(call, Request)})


def _look(shape: Shape, edition: Edition, *, undefined: bool) -> Look | None:
    if isinstance(shape, Object):
        looks = [_undefined_look(shape, edition) if undefined else None, _misplaced_look(shape)]
        looks += [_field_look(field, edition, undefined=undefined) for field in shape.fields]
        return _any([look for look in looks if look is not None])
    if isinstance(shape, Items):
        item = _look(shape.item, edition, undefined=undefined)
        return None if item is None else lambda items: any(map(item, items))
    if isinstance(shape, OneOf):
        variants = {
            variant.struct: look
            for variant in shape.variants.values()
            if variant.struct not in VARIANTS.values()
            and (look := _look(variant, edition, undefined=undefined))
        }
        return _by_struct(variants) if variants else None
    if isinstance(shape, Kept):
        return lambda value: not _fits(value, shape.type)
    return None


def _undefined_look(shape: Object, edition: Edition) -> Look | None:
    """Whether a field is there that is none in the edition.

    In a cell it is an unknown field, and those are kept as they came.
    """
    names = [field.attribute for field in shape.fields if _is_undefined(field, edition)]
    if not names or shape.is_cell:
        return None
    get = operator.attrgetter(*names)
    blank = UNSET if len(names) == 1 else (UNSET,) * len(names)
    return lambda told: bool(get(told) != blank)


def _misplaced_look(shape: Object) -> Look | None:
    """Whether a field is there that belongs beside another value of its neighbours.

    A `StateUpdate` refuses those itself, so that strict decoding alone is right about it.
    """
    fields = [field for field in shape.fields if field.marks.beside]
    if not fields or shape.is_cell or issubclass(shape.struct, Update):
        return None
    attributes = {field.name: field.attribute for field in shape.fields}

    def look(told: Any) -> bool:
        for field in fields:
            for name, seen in field.marks.beside.items():
                beside = getattr(told, attributes[name])
                if getattr(told, field.attribute) is not UNSET and beside not in seen:
                    return True
        return False

    return look


def _is_undefined(field: Field, edition: Edition) -> bool:
    by = field.marks.defined_by
    return by is not None and not getattr(edition, by)


def _field_look(field: Field, edition: Edition, *, undefined: bool) -> Look | None:
    name, marks = field.attribute, field.marks
    if _is_undefined(field, edition):
        return None
    looks: list[Look] = []
    if not field.required and field.needed(edition):
        looks.append(lambda told: getattr(told, name) is UNSET)
    if marks.filled_unless is not None and not getattr(edition, marks.filled_unless):
        looks.append(lambda told: not getattr(told, name))
    inside = _look(field.shape, edition, undefined=undefined)
    if inside is not None:
        looks.append(lambda told: _is_told(value := getattr(told, name)) and inside(value))
    return _any(looks)


def _is_told(value: Any) -> bool:
    return value is not UNSET and value is not None


def _any(looks: list[Look]) -> Look | None:
    if len(looks) <= 1:
        return looks[0] if looks else None
    return lambda told: any(look(told) for look in looks)


def _by_struct(variants: dict[type[Struct], Look]) -> Look:
    def look(told: Any) -> bool:
        own = variants.get(type(told))
        return own is not None and own(told)

    return look


def _fits(value: Any, shape: Any) -> bool:
    try:
        msgspec.convert(value, shape)
    except msgspec.ValidationError:
        return False
    return True
