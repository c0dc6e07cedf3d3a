"""One session of a trace over time, sorted for drawing.

Owns: `Line` and what sorts of messages it tells apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from acpsim.wire import methods, updates
from acpsim.wire.trace import Event

EVENTS_MAX: Final = 4000
"""Messages that are sorted: more would be one black bar."""
OTHER: Final = "other updates"
PERMISSIONS: Final = "permission requests"

_SPEECH: Final = (
    updates.AgentMessage, updates.AgentMessageChunk, updates.AgentThought,
    updates.AgentThoughtChunk,
)  # fmt: skip
_ECHO: Final = (updates.UserMessage, updates.UserMessageChunk)
_WORK: Final = ("ToolCall", "Terminal", "Compaction")
_ASKED: Final[dict[type, str]] = {
    methods.PromptRequest: "prompts",
    methods.CancelSession: "cancels",
    methods.CloseSessionRequest: "close, resume",
    methods.ResumeSessionRequest: "close, resume",
    methods.RequestPermissionRequest: PERMISSIONS,
}


@dataclass(frozen=True, slots=True)
class Line:
    """What happened in one session, in seconds."""

    session: str
    marks: dict[str, list[float]] = field(default_factory=dict)
    """Sort of message → when each came, in the order in which rows are drawn from below."""
    states: list[tuple[str, float, float]] = field(default_factory=list)
    """Foreground states, since when and until when."""
    lost: list[float] = field(default_factory=list)


def line_of(events: Iterable[Event]) -> Line:
    """The session that is named first; the connection's losses count for every session."""
    marks: dict[str, list[float]] = {
        OTHER: [], "tools, terminals": [], "replies, thoughts": [], "echoes": [], PERMISSIONS: [],
        "close, resume": [], "cancels": [], "prompts": [],
    }  # fmt: skip
    session = ""
    states: list[tuple[str, float, float]] = []
    lost: list[float] = []
    state, since_s, last_s = "", 0.0, 0.0
    for number, event in enumerate(events):
        if event.dir == "lost":
            lost.append(event.t)
            if state:
                states.append((state, since_s, event.t))
            state = ""  # Nobody knows until it is reported again.
            continue
        named = getattr(getattr(event.message, "params", None), "session_id", "")
        if not session and isinstance(named, str) and named:
            session, state, since_s = named, "idle", event.t
        if not session or named != session or number >= EVENTS_MAX:
            continue
        last_s = event.t
        if isinstance(event.message, methods.SessionUpdate):
            update = event.message.params.update
            if isinstance(update, updates.StateUpdate):
                if update.state in {"running", "requires_action", "unknown", "idle"}:
                    if state:
                        states.append((state, since_s, event.t))
                    state, since_s = update.state, event.t
            else:
                marks[_sort(update)].append(event.t)
        elif (asked := _ASKED.get(type(event.message))) is not None:
            marks[asked].append(event.t)
    if state:
        states.append((state, since_s, last_s))
    return Line(session, marks, states, lost)


def _sort(update: object) -> str:
    if isinstance(update, _ECHO):
        return "echoes"
    if isinstance(update, _SPEECH):
        return "replies, thoughts"
    return "tools, terminals" if type(update).__name__.startswith(_WORK) else OTHER
