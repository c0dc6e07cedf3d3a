"""What an update adds to the facts: states, first sightings, echoes, who is whose child.

Owns: `TAKE`, one function for each update that any rule needs remembered. They write the records of
`facts` for `Ledger.take_update`, and judge nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import UNSET

from acpsim.rules.facts import (
    IDLE,
    STARTED,
    STATES,
    UNCLAIMED_MAX,
    ResumeFacts,
    SessionFacts,
    ToolFacts,
    UserFacts,
    content_digest,
    extended,
)
from acpsim.wire import methods, updates

if TYPE_CHECKING:
    from acpsim.rules.ledger import Ledger
    from acpsim.wire.trace import Event


def _take_state(ledger: Ledger, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    if s.resume is not None:
        s.resume.state = event.line
    if ledger.edition.reports_background:
        listed = update.background
        s.background = tuple(listed) if listed is not UNSET and listed is not None else None
    state = update.state
    s.confirmed = state in STATES
    s.interrupted = False
    if state == "unknown":
        return
    s.state_line = event.line
    if state == IDLE:
        if s.busy:
            s.ended_stretch = s.stretch
            reason = update.stop_reason
            s.stop_reason = None if reason is UNSET else reason
            if s.cancel is not None and s.cancel.stretch:
                s.cancel = None
            for user in s.unclaimed.values():
                if user.line < s.stretch_line:
                    user.worked = user.worked or event.line
    elif not s.busy:
        s.stretch += 1
        s.stretch_line = event.line
        s.ended_stretch = 0
        if s.cancel is not None and not s.cancel.stretch:
            s.cancel = None
    s.state = state


def _history(s: SessionFacts, event: Event) -> None:
    if s.resume is not None:
        s.resume.history = event.line


def _take_user(ledger: Ledger, s: SessionFacts, event: Event, update: updates.UserMessage) -> None:
    _history(s, event)
    content = update.content
    bare = content is UNSET or content is None
    if s.resume is not None:
        _told_again(s, s.resume, event, update.message_id, bare=bare)
    if content is not UNSET and content is not None and update.message_id not in s.echoed:
        _echo(s, event, update.message_id, content_digest(content), whole=True)
    user = s.unclaimed.get(update.message_id)
    if user is not None and content is not UNSET:
        user.content = extended(b"", content or ())


def _take_user_chunk(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.UserMessageChunk
) -> None:
    _history(s, event)
    if s.resume is not None:
        _told_again(s, s.resume, event, update.message_id, bare=False)
    if update.message_id not in s.echoed:
        _echo(s, event, update.message_id, content_digest(update.content), whole=False)
    user = s.unclaimed.get(update.message_id)
    if user is not None:
        user.content = extended(user.content, (update.content,))


def _told_again(
    s: SessionFacts, resume: ResumeFacts, event: Event, identity: str, *, bare: bool
) -> None:
    if not bare and 0 < s.echoed.get(identity, 0) < resume.line:
        resume.again = event.line
    resume.replayed.add(identity)


def _echo(s: SessionFacts, event: Event, identity: str, content: bytes, *, whole: bool) -> None:
    s.echoed[identity] = event.line
    s.owed_echoes.pop(identity, None)
    if s.prompts and identity not in s.accepted:
        if len(s.unclaimed) >= UNCLAIMED_MAX:
            del s.unclaimed[next(iter(s.unclaimed))]
        s.unclaimed[identity] = UserFacts(event.line, content, whole=whole, replayed=s.replaying)
    if not s.replaying:
        s.live.put(content, identity)


def _take_said(kind: str) -> Callable[[Ledger, SessionFacts, Event, Any], None]:
    """What the agent's messages, or its thoughts, add: in which work each was first seen."""

    def take(ledger: Ledger, s: SessionFacts, event: Event, update: Any) -> None:
        if s.resume is not None:
            s.resume.history = event.line
        key = (kind, update.message_id)
        if key not in s.messages:
            s.messages[key] = s.stretch if s.state != IDLE else 0

    return take


_take_agent: Final = _take_said("agent_message")
_take_thought: Final = _take_said("agent_thought")


def _tool_of(s: SessionFacts, event: Event, identity: str) -> ToolFacts:
    """The facts of a tool call, which begin in the work that is going on, if any is."""
    facts = s.tools.get(identity)
    if facts is None:
        stretch = s.stretch if s.state != IDLE else 0
        facts = s.tools[identity] = ToolFacts(event.line, stretch)
    return facts


def _take_tool(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.ToolCallUpdate
) -> None:
    _history(s, event)
    facts = _tool_of(s, event, update.tool_call_id)
    if type(event.message) is methods.SessionUpdate or isinstance(update.title, str):
        facts.title_due = False
    status = update.status
    if status is not UNSET:
        facts.status = status if status is not None else "pending"
        if status in STARTED and not facts.started:
            facts.started = event.line


def _take_tool_chunk(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.ToolCallContentChunk
) -> None:
    _history(s, event)
    _tool_of(s, event, update.tool_call_id)


def _take_history(ledger: Ledger, s: SessionFacts, event: Event, update: updates.Update) -> None:
    _history(s, event)


def _take_subagent(
    ledger: Ledger, s: SessionFacts, event: Event, update: updates.SubagentUpdate
) -> None:
    child = ledger.session(update.session_id, event.line)
    if child.origin in {"unknown", "listed"}:
        child.origin = "announced"
    if not child.announced_line:
        child.announced_line = event.line
        child.open_here = True
        child.parent = s.id


TAKE: Final[dict[type, Callable[[Ledger, SessionFacts, Event, Any], None]]] = {
    updates.StateUpdate: _take_state,
    updates.UserMessage: _take_user,
    updates.UserMessageChunk: _take_user_chunk,
    updates.AgentMessage: _take_agent,
    updates.AgentMessageChunk: _take_agent,
    updates.AgentThought: _take_thought,
    updates.AgentThoughtChunk: _take_thought,
    updates.ToolCallUpdate: _take_tool,
    updates.ToolCallContentChunk: _take_tool_chunk,
    updates.CompactionUpdate: _take_history,
    updates.SessionMessage: _take_history,
    updates.SubagentUpdate: _take_subagent,
}
"""Update → function that takes it in."""
