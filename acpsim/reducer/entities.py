"""Entities: messages, tool calls, terminals, plans, compactions and the roster of subagents.

Owns: a handler for each update that names an entity. Each changes the one entity it names, keyed by
type and ID (ENTITY-KEY), creates it if the ID is first-seen (CHUNK-APPEND, TIMELINE-FIRST-SEEN),
and costs the same however much is held. A handler returns `None`, or why the update is unusable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import UNSET

from acpsim.reducer.patch import patch, patch_cell, patch_meta, refill
from acpsim.reducer.state import (
    IDLE,
    Compaction,
    Message,
    Session,
    SessionMessage,
    Subagent,
    Terminal,
    ToolCall,
)
from acpsim.wire import updates
from acpsim.wire.cells import cell_field

Handler: TypeAlias = Callable[[Session, Any, bytes], str | None]
"""`(session, update, JSON text of the message)` → `None`, or why nothing was applied."""


def message_of(session: Session, kind: str, key: str) -> Message:
    """The message to change: the held one, its copy if it is shared, or a new one at the end."""
    table = session.messages[kind]
    held = table.get(key)
    owner = session.owner
    if held is None:
        held = table[key] = Message(owner=owner)
        session.timeline.append((kind, key))
    elif held.owner is not owner:
        held = table[key] = held.copy(owner)
    return held


def message_upsert(kind: str) -> Handler:
    """The handler of `user_message`, `agent_message` or `agent_thought`."""

    def handle(session: Session, update: updates.AgentMessage, raw: bytes) -> None:
        message = session.messages[kind].get(update.message_id)
        if message is None or message.owner is not session.owner:
            message = message_of(session, kind, update.message_id)
        content = update.content
        if content is not UNSET:
            message.content = [*content] if content else []
        if update.meta is not UNSET:
            message.meta = patch_meta(message.meta, update.meta, session.edition)

    return handle


def message_chunk(kind: str) -> Handler:
    """The handler of a message's chunk. Its `_meta` is the chunk's own (CHUNK-META)."""

    def handle(session: Session, update: updates.AgentMessageChunk, raw: bytes) -> None:
        message = session.messages[kind].get(update.message_id)
        if message is None or message.owner is not session.owner:
            message = message_of(session, kind, update.message_id)
        message.content.append(update.content)

    return handle


def session_message_of(session: Session, key: str) -> SessionMessage:
    """The session message to change."""
    held = session.session_messages.get(key)
    owner = session.owner
    if held is None:
        held = session.session_messages[key] = SessionMessage(owner=owner)
        session.timeline.append(("session_message", key))
    elif held.owner is not owner:
        held = session.session_messages[key] = held.copy(owner)
    return held


def session_message(session: Session, update: updates.SessionMessage, raw: bytes) -> None:
    """SESSION-MESSAGE-IDENTITY, "Session-directed messages (unstable)"."""
    message = session_message_of(session, update.message_id)
    if update.content is not UNSET:
        message.content = refill(update.content)
    message.meta = patch_meta(message.meta, update.meta, session.edition)
    identify(session, message, update)


def session_message_chunk(
    session: Session, update: updates.SessionMessageChunk, raw: bytes
) -> None:
    """A chunk may carry the identities in one edition and carries content only in the other."""
    message = session_message_of(session, update.message_id)
    message.content.append(update.content)
    if session.edition.chunks_carry_identities:
        identify(session, message, update)


PARTICIPANTS: Final = ("sender_session_id", "recipient_session_id")
CROSS_REFERENCES: Final = ("sender_message_id", "recipient_message_id")


def identify(
    session: Session,
    message: SessionMessage,
    update: updates.SessionMessage | updates.SessionMessageChunk,
) -> None:
    """Note the participants: null leaves them or clears them, as the edition says."""
    edition = session.edition
    names: tuple[str, ...] = PARTICIPANTS
    if edition.message_cross_references and isinstance(update, updates.SessionMessage):
        names += CROSS_REFERENCES
    for name in names:
        given = getattr(update, name)
        if given is UNSET or (given is None and not edition.identities_cleared_by_null):
            continue
        setattr(message, name, given)


def tool_call_of(session: Session, key: str) -> ToolCall:
    """The tool call to change. One first seen while work is going on belongs to that stretch."""
    held = session.tool_calls.get(key)
    owner = session.owner
    if held is None:
        held = session.tool_calls[key] = ToolCall(owner=owner)
        session.timeline.append(("tool_call", key))
        if session.state != IDLE:
            session.stretch_tools.append(key)
    elif held.owner is not owner:
        held = session.tool_calls[key] = held.copy(owner)
    return held


def tool_call_update(session: Session, update: updates.ToolCallUpdate, raw: bytes) -> None:
    """A later update patches over a cancel's mark like any other value (CANCEL-LATE-UPDATES)."""
    call = session.tool_calls.get(update.tool_call_id)
    if call is None or call.owner is not session.owner:
        call = tool_call_of(session, update.tool_call_id)
    if update.title is not UNSET:
        call.title = update.title
    if update.name is not UNSET:
        call.name = update.name
    if update.kind is not UNSET:
        call.kind = "other" if update.kind is None else update.kind
    if update.status is not UNSET:
        call.status = "pending" if update.status is None else update.status
    content = update.content
    if content is not UNSET:
        call.content = [*content] if content else []
    if update.locations is not UNSET:
        call.locations = refill(update.locations)
    if update.raw_input is not UNSET:
        call.raw_input = update.raw_input
    if update.raw_output is not UNSET:
        call.raw_output = update.raw_output
    if update.meta is not UNSET:
        call.meta = patch_meta(call.meta, update.meta, session.edition)
    if update.capabilities is not UNSET and session.edition.extras:
        call.capabilities = update.capabilities


def tool_call_content_chunk(
    session: Session, update: updates.ToolCallContentChunk, raw: bytes
) -> None:
    """Append one item."""
    call = session.tool_calls.get(update.tool_call_id)
    if call is None or call.owner is not session.owner:
        call = tool_call_of(session, update.tool_call_id)
    call.content.append(update.content)


def terminal_of(session: Session, key: str) -> Terminal:
    """The terminal to change. Terminals have no place in the timeline."""
    held = session.terminals.get(key)
    if held is None:
        held = session.terminals[key] = Terminal(owner=session.owner)
    elif held.owner is not session.owner:
        held = session.terminals[key] = held.copy(session.owner)
    return held


def decoded(data: str) -> bytes | None:
    """The bytes of RFC 4648 base64, or `None` where it is none (TERMINAL-BASE64).

    Not `binascii`: its strict mode takes padding after a full group ("AAAA=") on some Pythons.
    """
    try:
        return msgspec.convert(data, bytes)
    except msgspec.ValidationError:
        return None


def terminal_update(session: Session, update: updates.TerminalUpdate, raw: bytes) -> str | None:
    """Bad base64 makes `output` count as omitted, and nothing else."""
    terminal = terminal_of(session, update.terminal_id)
    if update.command is not UNSET:
        terminal.command = update.command
    if update.cwd is not UNSET:
        terminal.cwd = update.cwd
    if update.exit_status is not UNSET:
        terminal.exit_status = update.exit_status
    if update.meta is not UNSET:
        terminal.meta = patch_meta(terminal.meta, update.meta, session.edition)
    if session.edition.extras:
        terminal.capabilities = patch_cell(terminal.capabilities, update.capabilities)
        terminal.size = patch_cell(terminal.size, update.size)
    if update.output is UNSET:
        return None
    if update.output is None:
        terminal.output = []
        return None
    output = decoded(cell_field(update.output, "data"))
    if output is None:
        return "its output is no base64 and counts as omitted"
    terminal.output = [output]
    return None


def terminal_output_chunk(
    session: Session, update: updates.TerminalOutputChunk, raw: bytes
) -> str | None:
    """Decode alone, append bytes (TERMINAL-BYTES). Bad base64 makes the chunk unusable."""
    output = decoded(update.data)
    if output is None:
        return "its data is no base64: not applied"
    terminal = session.terminals.get(update.terminal_id)
    if terminal is None or terminal.owner is not session.owner:
        terminal = terminal_of(session, update.terminal_id)
    terminal.output.append(output)
    return None


def plan_update(session: Session, update: updates.PlanUpdate, raw: bytes) -> None:
    """PLAN-REPLACE, "agent-plan: Updating Plans"."""
    session.plans[cell_field(update.plan, "planId")] = update.plan


def plan_removed(session: Session, update: updates.PlanRemoved, raw: bytes) -> None:
    """Remove one plan; one that is not held is no error."""
    session.plans.pop(update.plan_id, None)


def compaction_of(session: Session, key: str) -> Compaction:
    """The compaction to change; first-seen it is in progress with nothing set (COMPACTION-INIT)."""
    held = session.compactions.get(key)
    if held is None:
        held = session.compactions[key] = Compaction(owner=session.owner)
        session.timeline.append(("compaction", key))
    elif held.owner is not session.owner:
        held = session.compactions[key] = held.copy(session.owner)
    return held


def compaction_update(session: Session, update: updates.CompactionUpdate, raw: bytes) -> None:
    """`status` is required; the rest are patches."""
    compaction = compaction_of(session, update.compaction_id)
    compaction.status = update.status
    if update.summary is not UNSET:
        compaction.summary = refill(update.summary)
    compaction.error = patch(compaction.error, update.error)
    compaction.meta = patch_meta(compaction.meta, update.meta, session.edition)


def compaction_summary_chunk(
    session: Session, update: updates.CompactionSummaryChunk, raw: bytes
) -> None:
    """Append to the summary."""
    compaction_of(session, update.compaction_id).summary.append(update.content)


def subagent_update(session: Session, update: updates.SubagentUpdate, raw: bytes) -> None:
    """The roster's entry only: a mirrored state is no state of this session (SUBAGENT-MIRROR)."""
    key = update.session_id
    held = session.subagents.get(key)
    if held is None:
        held = session.subagents[key] = Subagent(owner=session.owner)
    elif held.owner is not session.owner:
        held = session.subagents[key] = held.copy(session.owner)
    held.title = patch(held.title, update.title)
    held.description = patch(held.description, update.description)
    held.capabilities = patch_cell(held.capabilities, update.capabilities)
    held.state = patch_cell(held.state, update.state)
    held.cwd = patch(held.cwd, update.cwd)
    if update.additional_directories is not UNSET:
        held.additional_directories = update.additional_directories or []
    held.meta = patch_meta(held.meta, update.meta, session.edition)


ENTITY_HANDLERS: Final[dict[type, Handler]] = {
    updates.UserMessage: message_upsert("user_message"),
    updates.UserMessageChunk: message_chunk("user_message"),
    updates.AgentMessage: message_upsert("agent_message"),
    updates.AgentMessageChunk: message_chunk("agent_message"),
    updates.AgentThought: message_upsert("agent_thought"),
    updates.AgentThoughtChunk: message_chunk("agent_thought"),
    updates.SessionMessage: session_message,
    updates.SessionMessageChunk: session_message_chunk,
    updates.ToolCallUpdate: tool_call_update,
    updates.ToolCallContentChunk: tool_call_content_chunk,
    updates.TerminalUpdate: terminal_update,
    updates.TerminalOutputChunk: terminal_output_chunk,
    updates.PlanUpdate: plan_update,
    updates.PlanRemoved: plan_removed,
    updates.CompactionUpdate: compaction_update,
    updates.CompactionSummaryChunk: compaction_summary_chunk,
    updates.SubagentUpdate: subagent_update,
}
