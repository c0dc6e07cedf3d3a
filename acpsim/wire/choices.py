"""Cells about what a person can choose: commands, options, and what a permission request offers."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from acpsim.wire.cells import AnyObject, Cell, Meta_
from acpsim.wire.marks import (
    ALL_OR_NOTHING,
    EMPTY_INSTEAD,
    beside,
    defined_by,
    or_else,
    required_by,
)


class CommandInput(Cell, frozen=True, kw_only=True):
    """What may be typed after a command. Another `type` than `text` has a payload of its own."""

    type: str
    hint: Annotated[str, beside(type=("text",))]
    meta: Annotated[AnyObject, beside(type=("text",))] | None | UnsetType = field(
        name="_meta", default=UNSET
    )


class Command(Cell, frozen=True, kw_only=True):
    """A slash command. Beside another `type` than `command`, `input` is that type's payload."""

    name: str
    description: str
    type: (
        Annotated[str, defined_by("commands_are_typed"), required_by("commands_are_typed")]
        | UnsetType
    ) = UNSET
    input: Annotated[CommandInput, beside(type=(None, "command"))] | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ConfigValue(Cell, frozen=True, kw_only=True):
    value: str
    name: str
    description: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ConfigGroup(Cell, frozen=True, kw_only=True):
    """A titled part of the values of a select."""

    group_id: str
    name: str
    options: Annotated[list[ConfigValue], EMPTY_INSTEAD]
    meta: Meta_ = field(name="_meta", default=UNSET)


class ConfigOption(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of the session's options, and all that is known of one that is not standard."""

    config_id: str
    name: str
    description: str | None | UnsetType = UNSET
    category: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class SelectOption(ConfigOption, frozen=True, kw_only=True, tag="select"):
    current_value: str
    options: Annotated[
        list[ConfigValue],
        Meta(min_length=1),
        ALL_OR_NOTHING,
        or_else(Annotated[list[ConfigGroup], Meta(min_length=1), ALL_OR_NOTHING]),
    ]


class BooleanOption(ConfigOption, frozen=True, kw_only=True, tag="boolean"):
    current_value: bool


AnyOption: TypeAlias = SelectOption | BooleanOption


class PermissionOption(Cell, frozen=True, kw_only=True):
    option_id: str
    name: str
    kind: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class PermissionOutcome(Cell, frozen=True, kw_only=True, tag_field="outcome"):
    """Base of what a client answers; an unknown one is not approval."""


class CancelledOutcome(PermissionOutcome, frozen=True, kw_only=True, tag="cancelled"):
    meta: Meta_ = field(name="_meta", default=UNSET)


class SelectedOutcome(PermissionOutcome, frozen=True, kw_only=True, tag="selected"):
    option_id: str
    meta: Meta_ = field(name="_meta", default=UNSET)


AnyOutcome: TypeAlias = CancelledOutcome | SelectedOutcome
