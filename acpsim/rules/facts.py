"""What is known of a session and of what is open in it: the records that the ledger keeps.

Owns: `SessionFacts` and the smaller records inside it, digests, and the words for states. It takes
nothing in and judges nothing: `ledger` writes these records, the rules read them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

from acpsim.rules.recent import Recent
from acpsim.wire.cells import Json
from acpsim.wire.edition import TERMINAL_STATUSES
from acpsim.wire.jsonrpc import RequestId

IDLE: Final = "idle"
STATES: Final = frozenset({"running", "requires_action", IDLE})
"""The foreground states that say whether there is work; `unknown` does not."""
STARTED: Final = frozenset({"in_progress", "paused"})
"""The tool-call statuses of a call that has begun and not ended."""
Origin: TypeAlias = Literal["created", "resumed", "announced", "listed", "lapsed", "unknown"]
"""How a session became known on this connection: `lapsed` for one that was open on a connection
that is lost, `unknown` for one that a message named before it was."""
FIRST: Final = b"first "
OPENED: Final = frozenset({"created", "resumed", "announced"})
"""The origins of a session that messages may name."""

ANY: Final = b"any"
UNCLAIMED_MAX: Final = 256
"""User messages held for the prompts that are open: far more than any client sends at once, and
little enough to be looked through at every error."""


def digest(value: Json) -> bytes:
    """Eight bytes that stand for a JSON value, its order of keys included apart."""
    text = msgspec.json.encode(value, order="sorted")
    return hashlib.blake2b(text, digest_size=8).digest()


def content_digest(content: Json) -> bytes:
    """The same for a user message's content: one block alone counts as it would in a chunk."""
    return digest(content[0] if isinstance(content, list) and len(content) == 1 else content)


def extended(content: bytes, blocks: Iterable[Json]) -> bytes:
    """What stands for a content block by block, after these further blocks; empty: `b""`."""
    for block in blocks:
        content = hashlib.blake2b(content + digest(block), digest_size=8).digest()
    return content


class PromptFacts:
    """An open prompt, or one whose answer is still held against it."""

    __slots__ = (
        "cancelled",
        "closed",
        "content",
        "first",
        "line",
        "remarked",
        "request",
        "stopped",
        "t",
        "whole",
    )

    def __init__(self, request: RequestId, line: int, t: float, prompt: Json) -> None:
        self.request = request
        self.line = line
        self.t = t
        self.whole = content_digest(prompt)
        self.first = digest(prompt[0]) if prompt else b""
        self.content = extended(b"", prompt)
        self.cancelled = 0
        """Line of the first `session/cancel` or `$/cancel_request` that covered it, or 0."""
        self.stopped = 0
        """Line of the first `session/cancel` that covered it, or 0."""
        self.closed = 0
        """Line of the first `session/close` that covered it, or 0."""
        self.remarked = False
        """Whether its waiting was remarked on."""


class UserFacts:
    """A user message that no response has claimed, and that an open prompt may still claim."""

    __slots__ = ("content", "digest", "line", "replayed", "whole", "worked")

    def __init__(self, line: int, content: bytes, *, whole: bool, replayed: bool) -> None:
        self.line = line
        self.digest = content
        self.whole = whole
        """Whether the digest is of the whole content, or of the first chunk's block."""
        self.content = b""
        """All that it holds by now, as `extended` has it."""
        self.replayed = replayed
        self.worked = 0
        """Line of an idle that ended work which began after this message was seen, or 0."""

    @property
    def key(self) -> bytes:
        """What a rejected prompt of this content is remembered by."""
        return self.digest if self.whole else FIRST + self.digest

    def equals(self, prompt: PromptFacts) -> bool:
        """Whether its content is that prompt's, as far as it was seen at first."""
        return self.digest == (prompt.whole if self.whole else prompt.first)


class ToolFacts:
    """A tool call: status, the stretch of work that it was first seen in (0: none)."""

    __slots__ = ("line", "started", "status", "stretch", "title_due")

    def __init__(self, line: int, stretch: int) -> None:
        self.line = line
        self.status = "pending"
        self.stretch = stretch
        self.started = 0
        """Line on which it was first reported to run, or 0."""
        self.title_due = True
        """Until a title or a `tool_call_update` of its own was seen."""

    @property
    def ended(self) -> bool:
        return self.status in TERMINAL_STATUSES


class PermissionFacts:
    """An open permission request."""

    __slots__ = ("after_cancel", "cancel_requested", "line", "options", "tool")

    def __init__(self, line: int, tool: str | None, options: tuple[str, ...]) -> None:
        self.line = line
        self.tool = tool
        self.options = options
        self.after_cancel = 0
        """Line of a cancel that the client had sent before this request was seen, or 0."""
        self.cancel_requested = False


class CancelFacts:
    """A `session/cancel` that no idle has answered yet."""

    __slots__ = ("line", "read", "stretch")

    def __init__(self, line: int, stretch: int) -> None:
        self.line = line
        self.stretch = stretch
        """The stretch of work that was reported when it was sent; 0: the session was idle."""
        self.read = 0
        """Line of a message which shows that the agent had read it, or 0."""


class ResumeFacts:
    """An open `session/resume`."""

    __slots__ = (
        "again",
        "closed_line",
        "history",
        "line",
        "open_before",
        "origin",
        "replay",
        "replayed",
        "state",
    )

    def __init__(self, line: int, s: SessionFacts, *, replay: bool) -> None:
        self.line = line
        self.replay = replay
        self.open_before = s.open_here
        """Whether the session was open already, so that live updates may cross the request."""
        self.origin = s.origin
        self.closed_line = s.closed_line
        self.history = 0
        """Line of the last update of the conversation since the request, or 0."""
        self.again = 0
        """Line of the last one that told again a user message known from before, or 0."""
        self.state = 0
        """Line of the last state report since the request, or 0."""
        self.replayed: set[str] = set()
        """User messages seen since the request."""


class SessionFacts:
    """What is known of one session."""

    __slots__ = (
        "accepted",
        "announced_line",
        "asking",
        "background",
        "bare_line",
        "cancel",
        "closed_line",
        "closing",
        "closing_stretch",
        "confirmed",
        "echoed",
        "ended_stretch",
        "extra",
        "first_line",
        "id",
        "interrupted",
        "last_line",
        "last_t",
        "live",
        "messages",
        "open_here",
        "origin",
        "owed_echoes",
        "parent",
        "permissions",
        "prompts",
        "rejected",
        "resume",
        "state",
        "state_line",
        "stop_reason",
        "stretch",
        "stretch_line",
        "tools",
        "touched",
        "uncertain",
        "unclaimed",
        "updates",
    )

    def __init__(self, session_id: str, line: int) -> None:
        self.id = session_id
        self.origin: Origin = "unknown"
        self.parent: str | None = None
        self.announced_line = 0
        self.first_line = line
        self.bare_line = 0
        """Line of the agent's message that was the first ever to name the session, or 0."""
        self.open_here = False
        """Created, announced or resumed on this connection, and not closed since."""
        self.interrupted = False
        """Whether work was reported when a connection was lost, so that it may have gone on."""
        self.touched = False
        """Whether this connection has named it."""
        self.last_t = 0.0
        """Time of the agent's last update, request or response for the session."""
        self.last_line = 0
        """Line of the agent's last update or request for the session."""
        self.updates = 0
        self.state = IDLE
        """The foreground state as last reported; `unknown` leaves it as it was."""
        self.confirmed = True
        """Whether `state` may be taken as it stands: false after `unknown`, after a state that is
        not understood, after a loss, and from a resume to the next report."""
        self.state_line = 0
        self.stop_reason: str | None = None
        self.stretch = 0
        """Number of the current or last stretch of work, from 1; 0 before any."""
        self.stretch_line = 0
        """Line on which the current or last stretch began."""
        self.ended_stretch = 0
        """Number of the last stretch that ended, while no other has begun."""
        self.cancel: CancelFacts | None = None
        self.closing: int = 0
        """Line of an open `session/close`, or 0."""
        self.closing_stretch = 0
        """The stretch of work that was reported when that was sent, or 0."""
        self.closed_line = 0
        """Line of the response that closed the session, or 0."""
        self.resume: ResumeFacts | None = None
        self.background: tuple[Json, ...] | None = None
        """The latest background list, where the edition has one and it was reported."""
        self.prompts: dict[RequestId, PromptFacts] = {}
        self.rejected: Recent[PromptFacts] = Recent()
        """Rejected prompts by the digest of their content, and by `FIRST` and that of its first
        block."""
        self.accepted: dict[str, int] = {}
        """messageId → line of the response that gave it."""
        self.owed_echoes: dict[str, int] = {}
        """messageId → line of its response, where no echo was seen yet."""
        self.echoed: dict[str, int] = {}
        """messageId → line on which its user message first had content."""
        self.unclaimed: dict[str, UserFacts] = {}
        self.uncertain: set[bytes] = set()
        """Contents of prompts that may have been inserted under any id: their response named none,
        or was lost. `ANY` where there were too many to be told apart."""
        self.live: Recent[str] = Recent()
        """Digest of a user message's content → the id of the last one seen live, for a while."""
        self.messages: dict[tuple[str, str], int] = {}
        """(`agent_message` or `agent_thought`, id) → stretch in which it was first seen."""
        self.tools: dict[str, ToolFacts] = {}
        self.permissions: dict[RequestId, PermissionFacts] = {}
        self.asking: dict[str, list[PermissionFacts]] = {}
        """Tool call → the open permission requests about it."""
        self.extra: dict[str, Json] = {}
        """Room for facts that one rule alone needs, by its id."""

    def owns(self, prompt: PromptFacts, user: UserFacts) -> bool:
        """Whether a message that no open prompt but this can own is this one's for certain: of the
        same content, no history, and no prompt's whose outcome is uncertain."""
        doubtful = prompt.content in self.uncertain or ANY in self.uncertain
        return user.content == prompt.content and not doubtful and not self.replaying

    def doubt(self, prompt: PromptFacts) -> None:
        """It will never be known which message was this prompt's."""
        full = len(self.uncertain) >= UNCLAIMED_MAX
        self.uncertain.add(ANY if full else prompt.content)

    @property
    def busy(self) -> bool:
        """Whether foreground work is reported."""
        return self.state != IDLE

    @property
    def replaying(self) -> bool:
        """Whether updates may be history that a resume asked for."""
        return self.resume is not None and self.resume.replay
