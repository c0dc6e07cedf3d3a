"""What an agent can say in `session/update`: one tagged struct for each variant.

Owns: the 23 variants of "Session Updates" and `VARIANTS`. A field that was omitted is `UNSET`, one
that was null is `None`; the two are never the same. Fields that only one edition defines are here
too: whether they count is the edition's to say, not the struct's. Where a list's items could not be
decoded strictly they are plain JSON objects (see `cells`).
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field

from acpsim.wire.cells import (
    ONLY_ERROR,
    ONLY_IDLE,
    ONLY_KNOWN,
    AnyBackground,
    AnyJson,
    AnyPlan,
    Cancellable,
    ContentBlock,
    Cost,
    DateTime,
    ErrorObject,
    ExitStatus,
    JsonObject,
    Location,
    Meta_,
    MirroredState,
    Natural,
    TerminalOutput,
    TerminalSize,
    ToolContent,
    Usage,
    refuse_misplaced,
)
from acpsim.wire.choices import AnyOption, Command
from acpsim.wire.marks import ALL_OR_NOTHING, COSTS_ALL, defined_by


class Update(
    Struct,
    frozen=True,
    gc=False,
    rename="camel",
    tag_field="sessionUpdate",
    forbid_unknown_fields=True,
    kw_only=True,
):
    """Base of all variants. `_meta` is the entity's on an upsert and the chunk's on a chunk."""

    meta: Meta_ = field(name="_meta", default=UNSET)


class _Message(Update, frozen=True, kw_only=True):
    message_id: str
    content: list[ContentBlock] | None | UnsetType = UNSET


class _Chunk(Update, frozen=True, kw_only=True):
    message_id: str
    content: ContentBlock


class UserMessage(_Message, frozen=True, kw_only=True, tag="user_message"):
    """Creates or updates a user message; the echo of a prompt."""


class UserMessageChunk(_Chunk, frozen=True, kw_only=True, tag="user_message_chunk"):
    """Appends to a user message."""


class AgentMessage(_Message, frozen=True, kw_only=True, tag="agent_message"):
    """Creates or updates an agent message."""


class AgentMessageChunk(_Chunk, frozen=True, kw_only=True, tag="agent_message_chunk"):
    """Appends to an agent message."""


class AgentThought(_Message, frozen=True, kw_only=True, tag="agent_thought"):
    """Creates or updates a thought."""


class AgentThoughtChunk(_Chunk, frozen=True, kw_only=True, tag="agent_thought_chunk"):
    """Appends to a thought."""


class SessionMessage(_Message, frozen=True, kw_only=True, tag="session_message"):
    """Creates or updates one side's view of a session-directed message."""

    sender_session_id: str | None | UnsetType = UNSET
    recipient_session_id: str | None | UnsetType = UNSET
    sender_message_id: Annotated[str, defined_by("message_cross_references")] | None | UnsetType = (
        UNSET
    )
    recipient_message_id: (
        Annotated[str, defined_by("message_cross_references")] | None | UnsetType
    ) = UNSET


class SessionMessageChunk(_Chunk, frozen=True, kw_only=True, tag="session_message_chunk"):
    """Appends to a session-directed message."""

    sender_session_id: Annotated[str, defined_by("chunks_carry_identities")] | None | UnsetType = (
        UNSET
    )
    recipient_session_id: (
        Annotated[str, defined_by("chunks_carry_identities")] | None | UnsetType
    ) = UNSET


class StateUpdate(Update, frozen=True, kw_only=True, tag="state_update"):
    """The foreground state. A field that its state or stop reason does not define is unknown."""

    state: str
    stop_reason: Annotated[str, ONLY_IDLE] | None | UnsetType = UNSET
    error: Annotated[ErrorObject, ONLY_ERROR] | None | UnsetType = UNSET
    usage: Annotated[Usage, ONLY_IDLE] | None | UnsetType = UNSET
    background: (
        Annotated[list[AnyBackground], ALL_OR_NOTHING, ONLY_KNOWN, defined_by("reports_background")]
        | None
        | UnsetType
    ) = UNSET

    def __post_init__(self) -> None:
        refuse_misplaced(self)


class ToolCallUpdate(Update, frozen=True, kw_only=True, tag="tool_call_update"):
    """Creates or updates a tool call."""

    tool_call_id: str
    title: str | None | UnsetType = UNSET
    name: str | None | UnsetType = UNSET
    kind: str | None | UnsetType = UNSET
    status: str | None | UnsetType = UNSET
    content: list[ToolContent] | None | UnsetType = UNSET
    locations: list[Location] | None | UnsetType = UNSET
    raw_input: AnyJson | UnsetType = UNSET
    raw_output: AnyJson | UnsetType = UNSET
    capabilities: Annotated[Cancellable, defined_by("extras")] | None | UnsetType = UNSET


class ToolCallContentChunk(Update, frozen=True, kw_only=True, tag="tool_call_content_chunk"):
    """Appends one item to a tool call's content."""

    tool_call_id: str
    content: ToolContent


class TerminalUpdate(Update, frozen=True, kw_only=True, tag="terminal_update"):
    """Creates or updates a terminal."""

    terminal_id: str
    command: str | None | UnsetType = UNSET
    cwd: str | None | UnsetType = UNSET
    output: TerminalOutput | None | UnsetType = UNSET
    exit_status: ExitStatus | None | UnsetType = UNSET
    size: Annotated[TerminalSize, defined_by("extras")] | None | UnsetType = UNSET
    capabilities: Annotated[Cancellable, defined_by("extras")] | None | UnsetType = UNSET


class TerminalOutputChunk(Update, frozen=True, kw_only=True, tag="terminal_output_chunk"):
    """Appends bytes to a terminal; `data` is base64, encoded on its own."""

    terminal_id: str
    data: str


class PlanUpdate(Update, frozen=True, kw_only=True, tag="plan_update"):
    """Replaces one plan whole."""

    plan: AnyPlan


class PlanRemoved(Update, frozen=True, kw_only=True, tag="plan_removed"):
    """Removes one plan."""

    plan_id: str


class AvailableCommandsUpdate(Update, frozen=True, kw_only=True, tag="available_commands_update"):
    """Replaces the list of commands."""

    available_commands: list[Command]


class ConfigOptionUpdate(Update, frozen=True, kw_only=True, tag="config_option_update"):
    """Replaces the list of options."""

    config_options: list[AnyOption]


class SessionInfoUpdate(Update, frozen=True, kw_only=True, tag="session_info_update"):
    """Patches the session's title, time and metadata."""

    title: str | None | UnsetType = UNSET
    updated_at: DateTime | None | UnsetType = UNSET


class UsageUpdate(Update, frozen=True, kw_only=True, tag="usage_update"):
    """Replaces used and size; an omitted cost keeps the last."""

    used: Natural
    size: Natural
    cost: Cost | None | UnsetType = UNSET


class Notice(Update, frozen=True, kw_only=True, tag="notice"):
    """A live remark to the user. The client keeps the whole object, found in the event."""

    severity: str
    title: Annotated[str, Meta(min_length=1)]
    description: str | None | UnsetType = UNSET


class CompactionUpdate(Update, frozen=True, kw_only=True, tag="compaction_update"):
    """Creates or updates a compaction."""

    compaction_id: str
    status: str
    summary: list[ContentBlock] | None | UnsetType = UNSET
    error: str | None | UnsetType = UNSET


class CompactionSummaryChunk(Update, frozen=True, kw_only=True, tag="compaction_summary_chunk"):
    """Appends to a compaction's summary."""

    compaction_id: str
    content: ContentBlock


class SubagentUpdate(Update, frozen=True, kw_only=True, tag="subagent_update"):
    """Announces a child session or patches its roster entry."""

    session_id: str
    title: str | None | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    capabilities: Cancellable | None | UnsetType = UNSET
    state: MirroredState | None | UnsetType = UNSET
    cwd: Annotated[str, COSTS_ALL] | None | UnsetType = UNSET
    additional_directories: Annotated[list[str], ALL_OR_NOTHING, COSTS_ALL] | None | UnsetType = (
        UNSET
    )


class UnknownUpdate(Struct, frozen=True, gc=False, kw_only=True):
    """An update of a variant that is not understood: kept raw, otherwise ignored."""

    variant: str
    payload: JsonObject


KnownUpdate: TypeAlias = (
    UserMessage
    | UserMessageChunk
    | AgentMessage
    | AgentMessageChunk
    | AgentThought
    | AgentThoughtChunk
    | SessionMessage
    | SessionMessageChunk
    | StateUpdate
    | ToolCallUpdate
    | ToolCallContentChunk
    | TerminalUpdate
    | TerminalOutputChunk
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
)

AnyUpdate: TypeAlias = KnownUpdate | UnknownUpdate

VARIANTS: Final[dict[str, type[Update]]] = {
    str(variant.__struct_config__.tag): variant for variant in get_args(KnownUpdate)
}
"""Every standard value of `sessionUpdate` and its struct."""
