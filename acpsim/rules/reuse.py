"""ENTITY-ID-REUSE: an id that seems to name a second entity of its type.

Heading: "Entity IDs". Facts: the stretch of work, user messages, whether history may be replayed.
What was last said of an id is remembered in `Recent` memories: what they forget goes unremarked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from acpsim.rules.case import Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.foreground import ENTITY, SPEECH
from acpsim.rules.recent import Recent
from acpsim.rules.registry import check
from acpsim.rules.rpc import shown
from acpsim.wire import updates
from acpsim.wire.edition import TERMINAL_STATUSES
from acpsim.wire.trace import Event

USERS: Final = (updates.UserMessage, updates.UserMessageChunk)
Names = tuple[str | None, str | None, bool]
"""What a tool call was last called (title, name), and whether it had ended."""
Run = tuple[str | None, bool]
"""A terminal's last command, and whether it had exited."""


class Said:
    """What was last said of a session's entities."""

    __slots__ = ("compactions", "grown", "now", "runs", "tools", "users")

    def __init__(self) -> None:
        self.users = 0
        """How many user messages were seen."""
        self.now = (0, 0)
        """(stretch of work, user messages) at this moment; one object while both stay."""
        self.grown: dict[str, Recent[tuple[int, int]]] = {
            "agent_message": Recent(),
            "agent_thought": Recent(),
        }
        """Entity type → id → `now` when it last grew."""
        self.tools: Recent[Names] = Recent()
        self.runs: Recent[Run] = Recent()
        self.compactions: Recent[bool] = Recent()


# ENTITY-ID-REUSE, "Entity IDs". Why each of these is only a suspicion:
#   1. A reply that grows after a later prompt may be a late part of the same reply.
#   2. A tool call that goes back to pending under another title may be a retry, renamed.
#   3. A terminal may run a second command; a compaction may be taken up again.
# History that a resume replays starts every entity afresh, and is only remembered; at the client
# it may come after the response, which overtook it, so it counts as over with the next state.
@check(
    "ENTITY-ID-REUSE",
    *SPEECH,
    *USERS,
    updates.ToolCallUpdate,
    updates.TerminalUpdate,
    updates.CompactionUpdate,
)
def id_reuse(case: Case, s: SessionFacts, event: Event, update: Any) -> None:
    said: Said | None = s.extra.get("ENTITY-ID-REUSE")
    if said is None:
        said = s.extra["ENTITY-ID-REUSE"] = Said()
    text = _KINDS[type(update)](case, s, said, update)
    if text is not None and s.resume is None and s.confirmed:
        case.suspect("ENTITY-ID-REUSE", event.line, f"perhaps {text}", session=s)


def _user(case: Case, s: SessionFacts, said: Said, update: Any) -> str | None:
    if update.message_id not in s.echoed:
        said.users += 1
    return None


def _speech(case: Case, s: SessionFacts, said: Said, update: Any) -> str | None:
    content = update.content
    if content is UNSET or content is None or content == []:
        return None
    now = said.now
    if now[0] != s.stretch or now[1] != said.users:
        now = said.now = (s.stretch, said.users)
    kind = ENTITY[type(update)]
    grown = said.grown[kind]
    then = grown.get(update.message_id)
    if then is now:
        return None
    case.exercise("ENTITY-ID-REUSE")
    grown.put(update.message_id, now)
    if then is None or then[0] >= now[0] or then[1] >= now[1]:
        return None
    return (
        f"id {shown(update.message_id)} names two entities: the {kind} grows again in later work, "
        "after another user message; it may be a late part of the same one"
    )


def _tool(case: Case, s: SessionFacts, said: Said, update: updates.ToolCallUpdate) -> str | None:
    before = said.tools.get(update.tool_call_id) or (None, None, False)
    title = update.title if isinstance(update.title, str) else before[0]
    name = update.name if isinstance(update.name, str) else before[1]
    status = update.status
    ended = before[2] if status is UNSET else status in TERMINAL_STATUSES
    if (title, name, ended) != before:
        case.exercise("ENTITY-ID-REUSE")
        said.tools.put(update.tool_call_id, (title, name, ended))
    again = before[2] and (status == "pending" or status is None)
    if not again or (title, name) == before[:2]:
        return None
    return (
        f"id {shown(update.tool_call_id)} names two tool calls: the one called {shown(before[0])} "
        f"had ended, and is pending again as {shown(title)}; it may be a retry"
    )


def _terminal(
    case: Case, s: SessionFacts, said: Said, update: updates.TerminalUpdate
) -> str | None:
    before = said.runs.get(update.terminal_id) or (None, False)
    command = update.command if isinstance(update.command, str) else before[0]
    status = update.exit_status
    exited = before[1] if status is UNSET else status is not None
    if (command, exited) != before:
        case.exercise("ENTITY-ID-REUSE")
        said.runs.put(update.terminal_id, (command, exited))
    if not before[1] or before[0] is None or command == before[0]:
        return None
    return (
        f"id {shown(update.terminal_id)} names two terminals: {shown(before[0])} had exited, and "
        f"the command is now {shown(command)}; it may run a second one"
    )


def _compaction(
    case: Case, s: SessionFacts, said: Said, update: updates.CompactionUpdate
) -> str | None:
    ended = update.status in TERMINAL_STATUSES
    before = said.compactions.get(update.compaction_id)
    case.exercise("ENTITY-ID-REUSE")
    said.compactions.put(update.compaction_id, ended)
    if not before or update.status != "in_progress":
        return None
    return (
        f"id {shown(update.compaction_id)} names two compactions: one had ended, and is "
        "in_progress again; it may have been taken up again"
    )


_KINDS: Final[dict[type, Callable[[Case, SessionFacts, Said, Any], str | None]]] = {
    **dict.fromkeys(SPEECH, _speech),
    **dict.fromkeys(USERS, _user),
    updates.ToolCallUpdate: _tool,
    updates.TerminalUpdate: _terminal,
    updates.CompactionUpdate: _compaction,
}
