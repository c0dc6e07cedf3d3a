"""What a client holds: sessions and their entities, with their initial values.

Owns: the shapes of the held state and how it is forked; the moves are elsewhere. Everything stored
inside an entity is immutable or is never handed out, so a copy of an entity is a shallow one.

Forking is copy on write. A session and each of its entities remember their *owner*, the token of
the state that may change them in place. A fork gives both sides fresh tokens, so that whoever
writes first to something shared copies that one thing: the session's tables, or one entity.
Reading and writing what is owned costs nothing that depends on how much is held.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from acpsim.wire.cells import Cell, Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import RequestId

Stored: TypeAlias = Cell | JsonObject
"""A cell: a struct, or an object as it came."""

IDLE: Final = "idle"


class Owner:
    """The right to change in place. Only its identity matters."""

    __slots__ = ()


class Message:
    """A user message, agent message or thought."""

    __slots__ = ("content", "meta", "owner")

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.content: list[Stored] = []
        self.meta: JsonObject | None = None

    def copy(self, owner: Owner) -> Message:
        """The same for another owner."""
        other = Message(owner)
        other.content = self.content.copy()
        other.meta = self.meta
        return other


class SessionMessage(Message):
    """One side's view of a message between sessions."""

    __slots__ = (
        "recipient_message_id",
        "recipient_session_id",
        "sender_message_id",
        "sender_session_id",
    )

    def __init__(self, owner: Owner) -> None:
        super().__init__(owner)
        self.sender_session_id: str | None = None
        self.recipient_session_id: str | None = None
        self.sender_message_id: str | None = None
        self.recipient_message_id: str | None = None

    def copy(self, owner: Owner) -> SessionMessage:
        """The same for another owner."""
        other = SessionMessage(owner)
        other.content = self.content.copy()
        other.meta = self.meta
        other.sender_session_id = self.sender_session_id
        other.recipient_session_id = self.recipient_session_id
        other.sender_message_id = self.sender_message_id
        other.recipient_message_id = self.recipient_message_id
        return other


class ToolCall:
    """A tool call."""

    __slots__ = (
        "capabilities",
        "content",
        "kind",
        "locations",
        "meta",
        "name",
        "owner",
        "raw_input",
        "raw_output",
        "status",
        "title",
    )

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.title: str | None = None
        self.name: str | None = None
        self.kind = "other"
        self.status = "pending"
        self.content: list[Stored] = []
        self.locations: list[Stored] = []
        self.raw_input: Json = None
        self.raw_output: Json = None
        self.meta: JsonObject | None = None
        self.capabilities: Stored | None = None

    def copy(self, owner: Owner) -> ToolCall:
        """The same for another owner."""
        other = ToolCall(owner)
        other.title = self.title
        other.name = self.name
        other.kind = self.kind
        other.status = self.status
        other.content = self.content.copy()
        other.locations = self.locations.copy()
        other.raw_input = self.raw_input
        other.raw_output = self.raw_output
        other.meta = self.meta
        other.capabilities = self.capabilities
        return other


class Terminal:
    """A terminal; its output is kept in the pieces in which it came."""

    __slots__ = (
        "capabilities",
        "command",
        "cwd",
        "exit_status",
        "meta",
        "output",
        "owner",
        "size",
    )

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.command: str | None = None
        self.cwd: str | None = None
        self.output: list[bytes] = []
        self.exit_status: Stored | None = None
        self.meta: JsonObject | None = None
        self.capabilities: Stored | None = None
        self.size: Stored | None = None

    def copy(self, owner: Owner) -> Terminal:
        """The same for another owner."""
        other = Terminal(owner)
        other.command = self.command
        other.cwd = self.cwd
        other.output = self.output.copy()
        other.exit_status = self.exit_status
        other.meta = self.meta
        other.capabilities = self.capabilities
        other.size = self.size
        return other


class Compaction:
    """A compaction."""

    __slots__ = ("error", "meta", "owner", "status", "summary")

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.status = "in_progress"
        self.summary: list[Stored] = []
        self.error: str | None = None
        self.meta: JsonObject | None = None

    def copy(self, owner: Owner) -> Compaction:
        """The same for another owner."""
        other = Compaction(owner)
        other.status = self.status
        other.summary = self.summary.copy()
        other.error = self.error
        other.meta = self.meta
        return other


class Subagent:
    """A roster entry: a child session as its parent shows it."""

    __slots__ = (
        "additional_directories",
        "capabilities",
        "cwd",
        "description",
        "meta",
        "owner",
        "state",
        "title",
    )

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.title: str | None = None
        self.description: str | None = None
        self.capabilities: Stored | None = None
        self.state: Stored | None = None
        self.cwd: str | None = None
        self.additional_directories: list[str] = []
        self.meta: JsonObject | None = None

    def copy(self, owner: Owner) -> Subagent:
        """The same for another owner."""
        other = Subagent(owner)
        other.title = self.title
        other.description = self.description
        other.capabilities = self.capabilities
        other.state = self.state
        other.cwd = self.cwd
        other.additional_directories = self.additional_directories
        other.meta = self.meta
        return other


class Prompt:
    """One submission. Replaced, never changed."""

    __slots__ = ("error", "message_id", "request", "status")

    def __init__(
        self,
        request: RequestId,
        status: str,
        message_id: str | None = None,
        error: Stored | None = None,
    ) -> None:
        self.request = request
        self.status = status
        self.message_id = message_id
        self.error = error


class Permission:
    """One permission request. Replaced, never changed."""

    __slots__ = ("outcome", "request", "status")

    def __init__(self, request: RequestId, status: str, outcome: JsonObject | None = None) -> None:
        self.request = request
        self.status = status
        self.outcome = outcome


class Session:
    """One session. The attributes stand in the order of the canonical snapshot."""

    __slots__ = (
        "background",
        "closed",
        "commands",
        "compactions",
        "completions",
        "config_options",
        "confirmed",
        "edition",
        "error",
        "id",
        "info_meta",
        "messages",
        "notices",
        "owner",
        "permissions",
        "plans",
        "prompts",
        "session_messages",
        "state",
        "stop_reason",
        "stretch_tools",
        "subagents",
        "terminals",
        "timeline",
        "title",
        "tool_calls",
        "unknown",
        "updated_at",
        "usage",
        "usage_cost",
        "usage_size",
        "usage_used",
    )

    def __init__(self, session_id: str, edition: Edition, owner: Owner) -> None:
        self.id = session_id
        self.edition = edition
        self.owner = owner
        self.timeline: list[tuple[str, str]] = []
        self.messages: dict[str, dict[str, Message]] = {
            "user_message": {},
            "agent_message": {},
            "agent_thought": {},
        }
        self.session_messages: dict[str, SessionMessage] = {}
        self.tool_calls: dict[str, ToolCall] = {}
        self.terminals: dict[str, Terminal] = {}
        self.plans: dict[str, Stored] = {}
        self.compactions: dict[str, Compaction] = {}
        self.subagents: dict[str, Subagent] = {}
        self.state = IDLE
        self.confirmed = True
        self.stop_reason: str | None = None
        self.error: Stored | None = None
        self.usage: Stored | None = None
        self.completions = 0
        self.background: list[Stored] | None = None
        self.stretch_tools: list[str] = []
        """Tool calls first seen during the current stretch of work: those that a cancel marks."""
        self.prompts: list[Prompt] = []
        self.permissions: list[Permission] = []
        self.commands: list[Stored] = []
        self.config_options: list[Stored] = []
        self.title: str | None = None
        self.updated_at: str | None = None
        self.info_meta: JsonObject | None = None
        self.usage_used: int | None = None
        self.usage_size: int | None = None
        self.usage_cost: Stored | None = None
        self.notices: list[JsonObject] = []
        self.unknown: list[JsonObject] = []
        self.closed = False

    def copy(self, owner: Owner) -> Session:
        """The same for another owner: the tables copied, the entities in them shared."""
        other: Session = Session.__new__(Session)
        for name in _SHARED:
            setattr(other, name, getattr(self, name))
        for name in _TABLES:
            setattr(other, name, getattr(self, name).copy())
        other.messages = {kind: table.copy() for kind, table in self.messages.items()}
        other.owner = owner
        return other


_TABLES: Final = (
    "timeline",
    "session_messages",
    "tool_calls",
    "terminals",
    "plans",
    "compactions",
    "subagents",
    "stretch_tools",
    "prompts",
    "permissions",
    "notices",
    "unknown",
)
"""What is changed in place, and therefore copied for another owner."""
_SHARED: Final = tuple(
    name for name in Session.__slots__ if name not in (*_TABLES, "messages", "owner")
)
