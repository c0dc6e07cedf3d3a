"""Values that a client stores as they came: content blocks, tool items, locations, lists, costs.

Owns: one struct for each shape that the protocol defines inside an update. They are strict: a
value with an unknown field, an unknown `type` or a malformed field does not decode into them, and
`tolerant` then keeps it as a plain JSON object, less what was malformed. A *cell* is therefore
either one of these structs or a JSON object, and code that looks into one goes through
`cell_field`. Encoding either with msgspec gives back what was received.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from acpsim.wire.formats import SURE_TIME, SURE_URI
from acpsim.wire.marks import (
    ALL_OR_NOTHING,
    ANY_JSON,
    beside,
    defined_by,
    text_format,
)

Json: TypeAlias = Any
"""Any JSON value as Python objects. The one place where `Any` is meant."""
JsonObject: TypeAlias = dict[str, Any]

STRICT_LEVELS: Final = 8
"""How deep values that nobody looks into may be nested in a message that is decoded strictly.
A deeper one is read the tolerant way, which measures it; so the strict way needs no measuring.
Raw tool input of real agents is 2 to 4 levels deep."""

if TYPE_CHECKING:
    AnyJson: TypeAlias = Any
    AnyObject: TypeAlias = dict[str, Any]
else:

    def _nested(levels):
        scalar = str | int | float | bool | None
        if levels == 0:
            return scalar
        inner = _nested(levels - 1)
        return scalar | list[inner] | dict[str, inner]

    AnyJson = Annotated[_nested(STRICT_LEVELS), ANY_JSON]
    AnyObject = Annotated[dict[str, _nested(STRICT_LEVELS - 1)], ANY_JSON]

Natural: TypeAlias = Annotated[int, Meta(ge=0)]
Port: TypeAlias = Annotated[int, Meta(ge=1, le=65535)]
Line: TypeAlias = Annotated[int, Meta(ge=1, le=4294967295)]
Code: TypeAlias = Annotated[int, Meta(ge=-2147483648, le=2147483647)]
Fraction: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Uri: TypeAlias = Annotated[str, Meta(pattern=SURE_URI), text_format("uri")]
DateTime: TypeAlias = Annotated[str, Meta(pattern=SURE_TIME), text_format("date-time")]

Meta_: TypeAlias = AnyObject | None | UnsetType


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
    """Base of the file operations of a diff, and all that is known of one that is not standard."""

    file_type: str | None | UnsetType = UNSET
    mime_type: str | None | UnsetType = UNSET
    meta: Meta_ = field(name="_meta", default=UNSET)


class AddChange(DiffChange, frozen=True, kw_only=True, tag="add"):
    path: str


class DeleteChange(DiffChange, frozen=True, kw_only=True, tag="delete"):
    path: str


class ModifyChange(DiffChange, frozen=True, kw_only=True, tag="modify"):
    path: str


class MoveChange(DiffChange, frozen=True, kw_only=True, tag="move"):
    path: str
    old_path: str


class CopyChange(DiffChange, frozen=True, kw_only=True, tag="copy"):
    path: str
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

    cancel: AnyObject | None | UnsetType = UNSET
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
    """Base of the standard plan types, and all that a custom one is known to have."""

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

    code: Code
    message: str
    data: AnyJson | UnsetType = UNSET


class LooseError(ErrorObject, frozen=True, kw_only=True):
    """An answered error that holds more than the struct has fields for, or another code than the
    schema allows. Store `kept_error` of it."""

    whole: JsonObject


def kept_error(error: ErrorObject) -> ErrorObject | JsonObject:
    """The cell of an answered error: as it came, unknown fields included."""
    return error.whole if isinstance(error, LooseError) else error


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


class BackgroundTerminal(BackgroundWork, frozen=True, kw_only=True, tag="terminal"):
    terminal_id: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class BackgroundToolCall(BackgroundWork, frozen=True, kw_only=True, tag="tool_call"):
    tool_call_id: str
    meta: Meta_ = field(name="_meta", default=UNSET)


class BackgroundSubagent(BackgroundWork, frozen=True, kw_only=True, tag="subagent"):
    session_id: str
    meta: Meta_ = field(name="_meta", default=UNSET)


AnyBackground: TypeAlias = BackgroundTerminal | BackgroundToolCall | BackgroundSubagent


KNOWN_STATES: Final = ("running", "idle", "requires_action", "unknown")
ONLY_IDLE: Final = beside(state=("idle",))
ONLY_ERROR: Final = beside(state=("idle",), stopReason=("error",))
ONLY_KNOWN: Final = beside(state=KNOWN_STATES)


class MirroredState(Cell, frozen=True, kw_only=True):
    """A child's state as its parent's roster shows it; the fields are those of `StateUpdate`."""

    state: str
    stop_reason: Annotated[str, ONLY_IDLE] | None | UnsetType = UNSET
    error: Annotated[ErrorObject, ONLY_ERROR] | None | UnsetType = UNSET
    usage: Annotated[Usage, ONLY_IDLE] | None | UnsetType = UNSET
    background: (
        Annotated[list[AnyBackground], ALL_OR_NOTHING, ONLY_KNOWN, defined_by("reports_background")]
        | None
        | UnsetType
    ) = UNSET
    meta: Annotated[AnyObject, ONLY_KNOWN] | None | UnsetType = field(name="_meta", default=UNSET)

    def __post_init__(self) -> None:
        refuse_misplaced(self)


class _State(Protocol):
    """What `state_update` and a mirrored state have in common."""

    @property
    def state(self) -> str: ...
    @property
    def stop_reason(self) -> str | None | UnsetType: ...
    @property
    def error(self) -> object: ...
    @property
    def usage(self) -> object: ...
    @property
    def background(self) -> object: ...


def refuse_misplaced(told: _State) -> None:
    """Raises where a field stands beside a state or a stop reason that does not define it.

    It is an unknown field there, whatever it holds: the tolerant reading sees to that.
    """
    if told.state == "idle":
        if told.error is not UNSET and told.stop_reason != "error":
            raise ValueError("an error belongs to stop reason error")
    elif told.stop_reason is not UNSET or told.error is not UNSET or told.usage is not UNSET:
        raise ValueError("an outcome belongs to idle")
    elif told.background is not UNSET and told.state not in KNOWN_STATES:
        raise ValueError("a list of background work belongs to a known state")


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
