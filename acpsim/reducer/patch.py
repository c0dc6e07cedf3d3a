"""The one patch rule: omitted keeps, null clears, a value replaces; a chunk appends.

Owns: how a field of an upsert changes a stored value, in each of the two shapes that values have
(single and list) and for `_meta`, whose rule differs by edition. PATCH-OMIT, PATCH-NULL,
PATCH-REPLACE ("3. Agent Reports Output").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec import UNSET, UnsetType

from acpsim.reducer.state import Stored
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition

Value = TypeVar("Value")


def patch(held: Value | None, given: Value | None | UnsetType) -> Value | None:
    """A single value after a patch; null leaves none."""
    return held if given is UNSET else given


def patch_cell(held: Stored | None, given: Stored | None | UnsetType) -> Stored | None:
    """`patch` for a cell."""
    return held if given is UNSET else given


def refill(given: Sequence[object] | None) -> list[Stored]:
    """The list after a patch that is not omitted: null and an empty list both clear it.

    A copy, because the list grows later and the update does not.
    """
    return [*given] if given else []  # type: ignore[list-item]


def patch_meta(
    held: JsonObject | None, given: JsonObject | None | UnsetType, edition: Edition
) -> JsonObject | None:
    """`_meta` after an upsert: replaced, or patched by top-level key where the edition says so.

    A patched object that has lost its last key is none.
    """
    if given is UNSET:
        return held
    if given is None or not edition.meta_patches_by_key:
        return given
    patched = {**(held or {}), **given}
    return {key: value for key, value in patched.items() if value is not None} or None
