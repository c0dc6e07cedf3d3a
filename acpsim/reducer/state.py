"""What a client holds: sessions and their entities, with their initial values.

Owns: the shapes of the held state and how it is forked; the moves are elsewhere. Everything stored
inside an entity is immutable or is never handed out, so a copy of an entity is a shallow one.

Forking is copy on write. A session and each of its entities remember their *owner*, the token of
the state that may change them in place. A fork gives both sides fresh tokens, so that whoever
writes first to something shared copies that one thing: the session's tables, or one entity.
Reading and writing what is owned costs nothing that depends on how much is held.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import ClassVar, Final, Self, TypeAlias

from msgspec import Struct, field

from acpsim.wire.cells import Cell, Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import RequestId

Stored: TypeAlias = Cell | JsonObject
"""A cell: a struct, or an object as it came."""

IDLE: Final = "idle"


class Owner:
    """The right to change in place. Only its identity matters."""

    __slots__ = ()


class Entity(Struct, frozen=False, gc=False, kw_only=True):
    """Base of what an ID names. Made many times a second, and changed in place by its owner.

    None is part of a cycle, so the collector need not look at them.
    """

    GROWING: ClassVar[tuple[str, ...]] = ()
    """The lists that are changed in place; everything else is replaced."""

    owner: Owner

    def copy(self, owner: Owner) -> Self:
        """The same for another owner."""
        other = copy.copy(self)
        other.owner = owner
        for name in self.GROWING:
            setattr(other, name, getattr(self, name).copy())
        return other


class Message(Entity, frozen=False, kw_only=True):
    """A user message, agent message or thought."""

    GROWING = ("content",)

    content: list[Stored] = field(default_factory=list)
    meta: JsonObject | None = None


class SessionMessage(Message, frozen=False, kw_only=True):
    """One side's view of a message between sessions."""

    sender_session_id: str | None = None
    recipient_session_id: str | None = None
    sender_message_id: str | None = None
    recipient_message_id: str | None = None


class ToolCall(Entity, frozen=False, kw_only=True):
    """A tool call. One that is first-seen has the defaults of "Tool calls"."""

    GROWING = ("content",)

    title: str | None = None
    name: str | None = None
    kind: str = "other"
    status: str = "pending"
    content: list[Stored] = field(default_factory=list)
    locations: list[Stored] = field(default_factory=list)
    raw_input: Json = None
    raw_output: Json = None
    meta: JsonObject | None = None
    capabilities: Stored | None = None


class Terminal(Entity, frozen=False, kw_only=True):
    """A terminal; its output is kept in the pieces in which it came."""

    GROWING = ("output",)

    command: str | None = None
    cwd: str | None = None
    output: list[bytes] = field(default_factory=list)
    exit_status: Stored | None = None
    meta: JsonObject | None = None
    capabilities: Stored | None = None
    size: Stored | None = None


class Compaction(Entity, frozen=False, kw_only=True):
    """A compaction. COMPACTION-INIT, "Session Compaction"."""

    GROWING = ("summary",)

    status: str = "in_progress"
    summary: list[Stored] = field(default_factory=list)
    error: str | None = None
    meta: JsonObject | None = None


class Subagent(Entity, frozen=False, kw_only=True):
    """A roster entry: a child session as its parent shows it."""

    title: str | None = None
    description: str | None = None
    capabilities: Stored | None = None
    state: Stored | None = None
    cwd: str | None = None
    additional_directories: list[str] = field(default_factory=list)
    meta: JsonObject | None = None


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
        self.background: Sequence[Stored] | None = None
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
        # Written out: a search through many orders copies sessions as often as it applies messages.
        other.background = self.background
        other.closed = self.closed
        other.commands = self.commands
        other.completions = self.completions
        other.config_options = self.config_options
        other.confirmed = self.confirmed
        other.edition = self.edition
        other.error = self.error
        other.id = self.id
        other.info_meta = self.info_meta
        other.state = self.state
        other.stop_reason = self.stop_reason
        other.title = self.title
        other.updated_at = self.updated_at
        other.usage = self.usage
        other.usage_cost = self.usage_cost
        other.usage_size = self.usage_size
        other.usage_used = self.usage_used
        other.timeline = self.timeline.copy()
        other.session_messages = self.session_messages.copy()
        other.tool_calls = self.tool_calls.copy()
        other.terminals = self.terminals.copy()
        other.plans = self.plans.copy()
        other.compactions = self.compactions.copy()
        other.subagents = self.subagents.copy()
        other.stretch_tools = self.stretch_tools.copy()
        other.prompts = self.prompts.copy()
        other.permissions = self.permissions.copy()
        other.notices = self.notices.copy()
        other.unknown = self.unknown.copy()
        other.messages = {kind: table.copy() for kind, table in self.messages.items()}
        other.owner = owner
        return other
