"""Values that a client stores as they came: content blocks, tool items, locations, lists, costs.

Owns: one struct for each shape that the protocol defines inside an update. They are strict: a
value with an unknown field, an unknown `type` or a malformed field does not decode into them, and
`tolerant` then keeps it as a plain JSON object, less what was malformed. A *cell* is therefore
either one of these structs or a JSON object, and code that looks into one goes through
`cell_field`. Encoding either with msgspec gives back what was received.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

Json: TypeAlias = Any
"""Any JSON value as Python objects. The one place where `Any` is meant."""
JsonObject: TypeAlias = dict[str, Any]

Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Positive: TypeAlias = Annotated[int, Meta(ge=1)]
Port: TypeAlias = Annotated[int, Meta(ge=1, le=65535)]
Line: TypeAlias = Annotated[int, Meta(ge=1, le=4294967295)]
Fraction: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Uri: TypeAlias = Annotated[str, Meta(extra={"format": "uri"})]
"""A string that is a URI with a scheme; the strict decoder does not look, `tolerant` does."""
ALL_OR_NOTHING = Meta(extra={"items": "all"})
"""Marks a list that is malformed as a whole when one item is; other lists lose only bad items."""

Meta_: TypeAlias = JsonObject | None | UnsetType


class Cell(Struct, frozen=True, gc=False, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """Base of all stored values."""


class Annotations(Cell, frozen=True, kw_only=True):
    audience: list[str] | None | UnsetType = UNSET
    last_modified: str | None | UnsetType = UNSET
    priority: Fraction | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class Block(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of content blocks."""


class TextBlock(Block, frozen=True, kw_only=True, tag="text"):
    text: str
    annotations: Annotations | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ImageBlock(Block, frozen=True, kw_only=True, tag="image"):
    data: str
    mime_type: str
    uri: Uri | None | UnsetType = UNSET
    annotations: Annotations | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class AudioBlock(Block, frozen=True, kw_only=True, tag="audio"):
    data: str
    mime_type: str
    annotations: Annotations | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class Icon(Cell, frozen=True, kw_only=True):
    src: Uri
    mime_type: str | None | UnsetType = UNSET
    sizes: list[str] | None | UnsetType = UNSET
    theme: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ResourceLinkBlock(Block, frozen=True, kw_only=True, tag="resource_link"):
    name: str
    uri: Uri
    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    icons: list[Icon] | None | UnsetType = UNSET
    mime_type: str | None | UnsetType = UNSET
    size: Natural | None | UnsetType = UNSET
    annotations: Annotations | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ResourceContents(Cell, frozen=True, kw_only=True):
    """An embedded resource: `text` or `blob`, one of them present."""

    uri: Uri
    text: str | UnsetType = UNSET
    blob: str | UnsetType = UNSET
    mime_type: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)

    def __post_init__(self) -> None:
        if self.text is UNSET and self.blob is UNSET:
            raise ValueError("a resource has text or blob")


class ResourceBlock(Block, frozen=True, kw_only=True, tag="resource"):
    resource: ResourceContents
    annotations: Annotations | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


ContentBlock: TypeAlias = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock


class DiffChange(Cell, frozen=True, kw_only=True, tag_field="operation"):
    """Base of the file operations of a diff."""

    path: str
    file_type: str | None | UnsetType = UNSET
    mime_type: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class AddChange(DiffChange, frozen=True, kw_only=True, tag="add"):
    """A file that the diff adds."""


class DeleteChange(DiffChange, frozen=True, kw_only=True, tag="delete"):
    """A file that the diff deletes."""


class ModifyChange(DiffChange, frozen=True, kw_only=True, tag="modify"):
    """A file that the diff modifies."""


class MoveChange(DiffChange, frozen=True, kw_only=True, tag="move"):
    old_path: str


class CopyChange(DiffChange, frozen=True, kw_only=True, tag="copy"):
    old_path: str


class DiffPatch(Cell, frozen=True, kw_only=True):
    format: str
    text: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class ToolItem(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of the items of a tool call's content."""


class ContentItem(ToolItem, frozen=True, kw_only=True, tag="content"):
    content: ContentBlock
    meta: Meta_ = field(name="_meta", default=UNSET)


class DiffItem(ToolItem, frozen=True, kw_only=True, tag="diff"):
    changes: list[AddChange | DeleteChange | ModifyChange | MoveChange | CopyChange]
    patch: DiffPatch | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class TerminalItem(ToolItem, frozen=True, kw_only=True, tag="terminal"):
    terminal_id: str
    meta: Meta_ = field(name="_meta", default=UNSET)


ToolContent: TypeAlias = ContentItem | DiffItem | TerminalItem


class Location(Cell, frozen=True, kw_only=True):
    path: str
    line: Line | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class Cancellable(Cell, frozen=True, kw_only=True):
    """`capabilities` of a tool call, a terminal or a subagent."""

    cancel: JsonObject | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class TerminalOutput(Cell, frozen=True, kw_only=True):
    data: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class ExitStatus(Cell, frozen=True, kw_only=True):
    exit_code: int | None | UnsetType = UNSET
    signal: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class TerminalSize(Cell, frozen=True, kw_only=True):
    cols: Port
    rows: Port
    meta: Meta_ = field(name="_meta", default=UNSET)


class Plan(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of the standard plan types."""

    plan_id: str


class PlanEntry(Cell, frozen=True, kw_only=True):
    content: str
    priority: str
    status: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class ItemsPlan(Plan, frozen=True, kw_only=True, tag="items"):
    entries: list[PlanEntry]
    meta: Meta_ = field(name="_meta", default=UNSET)


class MarkdownPlan(Plan, frozen=True, kw_only=True, tag="markdown"):
    content: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class FilePlan(Plan, frozen=True, kw_only=True, tag="file"):
    uri: Uri
    meta: Meta_ = field(name="_meta", default=UNSET)


AnyPlan: TypeAlias = ItemsPlan | MarkdownPlan | FilePlan


class ErrorObject(Cell, frozen=True, kw_only=True):
    """A JSON-RPC error object, in a response or beside stop reason `error`."""

    code: int
    message: str
    data: Json | UnsetType = UNSET


class Usage(Cell, frozen=True, kw_only=True):
    """Token counts of ended work ("End-Turn Token Usage (Unstable)")."""

    total_tokens: Natural
    input_tokens: Natural
    output_tokens: Natural
    thought_tokens: Natural | None | UnsetType = UNSET
    cached_read_tokens: Natural | None | UnsetType = UNSET
    cached_write_tokens: Natural | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class Cost(Cell, frozen=True, kw_only=True):
    amount: int | float
    currency: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class BackgroundWork(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of the items of `state_update.background` (edition `sdk-2.4`)."""

    meta: Meta_ = field(name="_meta", default=UNSET)


class BackgroundTerminal(BackgroundWork, frozen=True, kw_only=True, tag="terminal"):
    terminal_id: str


class BackgroundToolCall(BackgroundWork, frozen=True, kw_only=True, tag="tool_call"):
    tool_call_id: str


class BackgroundSubagent(BackgroundWork, frozen=True, kw_only=True, tag="subagent"):
    session_id: str


AnyBackground: TypeAlias = BackgroundTerminal | BackgroundToolCall | BackgroundSubagent


class CommandInput(Cell, frozen=True, kw_only=True, tag_field="type", tag="text"):
    hint: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class Command(Cell, frozen=True, kw_only=True):
    """A slash command; `type` is `command` where the edition requires it."""

    name: str
    description: str
    type: str | UnsetType = UNSET
    input: CommandInput | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ConfigValue(Cell, frozen=True, kw_only=True):
    value: str
    name: str
    description: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class ConfigOption(Cell, frozen=True, kw_only=True, tag_field="type"):
    """Base of the session's options; a select with groups goes the tolerant way."""

    config_id: str
    name: str
    description: str | None | UnsetType = UNSET
    category: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class SelectOption(ConfigOption, frozen=True, kw_only=True, tag="select"):
    current_value: str
    options: Annotated[list[ConfigValue], Meta(min_length=1), ALL_OR_NOTHING]


class BooleanOption(ConfigOption, frozen=True, kw_only=True, tag="boolean"):
    current_value: bool


AnyOption: TypeAlias = SelectOption | BooleanOption


class MirroredState(Cell, frozen=True, kw_only=True):
    """A child's state as its parent's roster shows it; the fields are those of `StateUpdate`."""

    state: str
    stop_reason: str | None | UnsetType = UNSET
    error: ErrorObject | None | UnsetType = UNSET
    usage: Usage | None | UnsetType = UNSET
    background: Annotated[list[AnyBackground], ALL_OR_NOTHING] | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class PermissionOption(Cell, frozen=True, kw_only=True):
    option_id: str
    name: str
    kind: str
    meta: Meta_ = field(name="_meta", default=UNSET)


def cell_field(cell: Cell | JsonObject, name: str) -> Json:
    """The JSON field `name` of a cell, or `UNSET` where the cell does not have it."""
    if isinstance(cell, dict):
        return cell.get(name, UNSET)
    config = cell.__struct_config__
    if name == config.tag_field:
        return config.tag
    try:
        at = cell.__struct_encode_fields__.index(name)
    except ValueError:
        return UNSET
    return getattr(cell, cell.__struct_fields__[at])
