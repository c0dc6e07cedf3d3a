"""What the annotation of a field says beyond its type, for the tolerant reading.

Owns: the marks, and `marks_of`, which collects those of one annotation. A mark is a
`msgspec.Meta` whose `extra` strict decoding ignores, so a struct is the only description of its
shape: which edition defines a field, and what a malformed value costs, stand beside its type.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any, Final

from msgspec import Meta

ALL_OR_NOTHING: Final = Meta(extra={"all_or_nothing": True})
"""A list that is malformed as a whole when one item is; other lists lose only the bad items."""

COSTS_ALL: Final = Meta(extra={"costs_all": True})
"""An optional field that costs its whole object when it is malformed; others are dropped."""

EMPTY_INSTEAD: Final = Meta(extra={"empty_instead": True})
"""A required list that is read as empty when it is malformed; a missing one still costs all."""

ANY_JSON: Final = Meta(extra={"any_json": True})
"""Any JSON value, or any object: what it holds is not looked into."""


def defined_by(field: str) -> Meta:
    """The field exists only where that field of the edition is true; else it is an unknown one."""
    return Meta(extra={"defined_by": field})


def required_by(field: str) -> Meta:
    """An optional field that is required where that field of the edition is true."""
    return Meta(extra={"required_by": field})


def filled_unless(field: str) -> Meta:
    """A list that has an item, unless that field of the edition is true."""
    return Meta(extra={"filled_unless": field})


def beside(**values: tuple[str | None, ...]) -> Meta:
    """The field exists only beside those values of other fields (`None`: absent) of its object."""
    return Meta(extra={"beside": values})


def or_else(alternative: Any) -> Meta:
    """Another type, as which a value may be read that is not of the annotated one."""
    return Meta(extra={"or_else": alternative})


def as_object(shape: Any) -> Meta:
    """A plain JSON object that is read as that type, and kept as an object."""
    return Meta(extra={"as_object": shape})


def text_format(name: str) -> Meta:
    """A string in a format; `formats.FORMATS` has its exact test."""
    return Meta(extra={"text_format": name})


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """The marks of one annotation."""

    all_or_nothing: bool = False
    costs_all: bool = False
    empty_instead: bool = False
    defined_by: str | None = None
    required_by: str | None = None
    filled_unless: str | None = None
    beside: dict[str, tuple[str | None, ...]] = dataclasses.field(default_factory=dict)
    or_else: Any = None
    as_object: Any = None
    text_format: str | None = None
    any_json: bool = False


def marks_of(metas: Iterable[Meta]) -> Marks:
    """The marks among the metadata of an annotation."""
    found: dict[str, Any] = {}
    for meta in metas:
        found |= meta.extra or {}
    return Marks(**found)
