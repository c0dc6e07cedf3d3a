"""What the structs say of themselves: each type as a node that can be walked beside a JSON value.

Owns: `shape_of`, from a type annotation to its node. The structs of `cells`, `updates` and
`methods` are the only description of the protocol's shapes; this file reads it, once for each
type, and `tolerant` and `looks` walk it.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct, UnsetType

from acpsim.wire.cells import Cell, Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.marks import Marks, marks_of

Scalar: TypeAlias = type[str] | type[int] | type[float] | type[bool]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Anything:
    """A value that nobody looks into; an object, where `only_object`."""

    only_object: bool


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A string, a number or a truth value, with its bounds."""

    kinds: tuple[Scalar, ...]
    least: float | None = None
    most: float | None = None
    length_min: int = 0
    text_format: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """A list."""

    item: Shape
    length_min: int
    all_or_nothing: bool
    or_else: Items | None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A field of an object."""

    name: str
    """Its JSON name."""
    attribute: str
    """Its name in the struct."""
    shape: Shape
    nullable: bool
    required: bool
    marks: Marks

    def exists(self, value: JsonObject, edition: Edition) -> bool:
        """Whether this object, in this edition, has such a field; else it is an unknown one."""
        if self.marks.defined_by is not None and not getattr(edition, self.marks.defined_by):
            return False
        return all(_text(value, name) in seen for name, seen in self.marks.beside.items())

    def needed(self, edition: Edition) -> bool:
        """Whether the object is malformed without the field."""
        by = self.marks.required_by
        return self.required or (by is not None and getattr(edition, by))


def _text(value: JsonObject, name: str) -> str | None:
    told = value.get(name)
    return told if isinstance(told, str) else None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Object:
    """An object with known fields, as one struct has them."""

    struct: type[Struct]
    fields: tuple[Field, ...]
    names: frozenset[str]

    @property
    def is_cell(self) -> bool:
        """Whether it is kept as it came, unknown fields included."""
        return issubclass(self.struct, Cell)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneOf:
    """An object whose kind a tag tells. The union is open: other tags are kept."""

    type: Any
    tag_field: str
    variants: dict[str, Object]
    other: Object | None
    """What is known of an object with another tag: the fields of the common base."""

    @property
    def is_cell(self) -> bool:
        """Whether it is kept as it came, unknown fields included."""
        return all(variant.is_cell for variant in self.variants.values())


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """An object that is read as one shape and kept as a plain object."""

    shape: Shape
    type: Any


Shape: TypeAlias = Anything | Plain | Items | Object | OneOf | Kept

_SCALARS: Final = (str, int, float, bool)


def shape_of(annotation: Any) -> Shape:
    """The node of a type annotation that is neither null nor omitted."""
    return _shape(*_split(annotation))


def _split(annotation: Any) -> tuple[Any, tuple[Meta, ...]]:
    """The bare type and all metadata around it."""
    metas: tuple[Meta, ...] = ()
    while typing.get_origin(annotation) is Annotated:
        inner, *around = typing.get_args(annotation)
        metas = (*(meta for meta in around if isinstance(meta, Meta)), *metas)
        annotation = inner
    return annotation, metas


def _shape(bare: Any, metas: tuple[Meta, ...]) -> Shape:
    marks = marks_of(metas)
    if marks.as_object is not None:
        return Kept(shape=shape_of(marks.as_object), type=marks.as_object)
    origin = typing.get_origin(bare)
    if marks.any_json or bare is Any or origin is dict:
        return Anything(only_object=origin is dict)
    if origin is list:
        return _items(bare, metas, marks)
    members = _members(bare)
    if all(member in _SCALARS for member in members):
        return Plain(
            kinds=members,
            least=_bound(metas, "ge"),
            most=_bound(metas, "le"),
            length_min=int(_bound(metas, "min_length") or 0),
            text_format=marks.text_format,
        )
    if len(members) == 1:
        return object_of(members[0])
    return _one_of(bare, members)


def _items(bare: Any, metas: tuple[Meta, ...], marks: Marks) -> Items:
    alternative = None if marks.or_else is None else shape_of(marks.or_else)
    assert alternative is None or isinstance(alternative, Items)
    return Items(
        item=shape_of(typing.get_args(bare)[0]),
        length_min=int(_bound(metas, "min_length") or 0),
        all_or_nothing=marks.all_or_nothing,
        or_else=alternative,
    )


def _bound(metas: tuple[Meta, ...], name: str) -> float | None:
    found: list[float] = [told for meta in metas if (told := getattr(meta, name)) is not None]
    return found[0] if found else None


def _members(annotation: Any) -> tuple[Any, ...]:
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        return typing.get_args(annotation)
    return (annotation,)


def _one_of(bare: Any, members: tuple[Any, ...]) -> OneOf:
    tag_field = members[0].__struct_config__.tag_field
    bases = [
        base
        for base in members[0].__mro__[1:]
        if issubclass(base, Struct) and getattr(base, "__struct_config__", None) is not None
    ]
    common = [base for base in bases if base.__struct_config__.tag_field == tag_field]
    return OneOf(
        type=bare,
        tag_field=tag_field,
        variants={member.__struct_config__.tag: object_of(member) for member in members},
        other=object_of(common[-1]) if common and issubclass(common[-1], Cell) else None,
    )


@functools.cache
def object_of(struct: type[Struct]) -> Object:
    """The node of a struct."""
    hints = typing.get_type_hints(struct, include_extras=True)
    fields = tuple(_field(info, hints[info.name]) for info in msgspec.structs.fields(struct))
    return Object(struct=struct, fields=fields, names=frozenset(field.name for field in fields))


def _field(info: msgspec.structs.FieldInfo, hint: Any) -> Field:
    outer, metas = _split(hint)
    members = _members(outer) if not marks_of(metas).any_json else (outer,)
    inside = [member for member in members if member not in {type(None), UnsetType}]
    if len(inside) == 1:
        bare, inner = _split(inside[0])
        metas = (*inner, *metas)
    else:
        bare = typing.Union[tuple(inside)]  # noqa: UP007 (members known at run time only)
    return Field(
        name=info.encode_name,
        attribute=info.name,
        shape=_shape(bare, metas),
        nullable=type(None) in members,
        required=info.required,
        marks=marks_of(metas),
    )


def json_word(value: Json) -> str:
    """What kind of JSON value it is, in words, or the value itself where it is short."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        number = repr(value)
        return number if len(number) <= 20 else "a long number"
    if isinstance(value, str):
        return "a string"
    return "an array" if isinstance(value, list) else "an object"
