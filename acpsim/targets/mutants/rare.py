"""Mutants that show only when several things come together, or in one edition.

They measure what a fuzzer finds late: a habit that is right in every short conversation. One
function a mutant; `OF_RARE` names them.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import msgspec

from acpsim.reducer import Behaviour
from acpsim.reducer.entities import tool_call_of
from acpsim.reducer.requests import settle_prompt
from acpsim.reducer.state import IDLE, Prompt, Session
from acpsim.targets.mutants.mutant import (
    KIND_OF,
    MESSAGES,
    UPSERTS,
    Mutant,
    altering,
    answering,
    held_message,
    then,
    with_calls,
    with_moves,
    with_results,
)
from acpsim.wire import methods, updates
from acpsim.wire.cells import (
    AudioBlock,
    ErrorObject,
    ImageBlock,
    ResourceBlock,
    ResourceLinkBlock,
    TextBlock,
    cell_field,
)
from acpsim.wire.edition import TERMINAL_STATUSES, Edition
from acpsim.wire.jsonrpc import RequestId

_TOOL: Final = (updates.ToolCallUpdate, updates.ToolCallContentChunk)


# --- which tool calls belong to the work ---------------------------------------------------------


def _only_while_running(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        if session.state == "running":
            reference.calls[methods.CancelSession](session, message)

    return with_calls(reference, {methods.CancelSession: cancelled})


def _only_while_confirmed(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        if session.confirmed:
            reference.calls[methods.CancelSession](session, message)

    return with_calls(reference, {methods.CancelSession: cancelled})


def _failed_cancelled(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        reference.calls[methods.CancelSession](session, message)
        for key in session.stretch_tools if session.state != IDLE else ():
            if session.tool_calls[key].status == "failed":
                tool_call_of(session, key).status = "cancelled"

    return with_calls(reference, {methods.CancelSession: cancelled})


def _second_cancel_fails(reference: Behaviour) -> Behaviour:
    """Takes a tool call that is cancelled already for a sign of an earlier cancel."""

    def cancelled(session: Session, message: methods.CancelSession) -> None:
        once = any(session.tool_calls[k].status == "cancelled" for k in session.stretch_tools)
        if not once:
            reference.calls[methods.CancelSession](session, message)
        elif session.state != IDLE:
            for key in session.stretch_tools:
                if session.tool_calls[key].status not in TERMINAL_STATUSES:
                    tool_call_of(session, key).status = "failed"

    return with_calls(reference, {methods.CancelSession: cancelled})


def _touched_belong(reference: Behaviour) -> Behaviour:
    def belongs(session: Session, update: Any) -> None:
        key = update.tool_call_id
        if session.state != IDLE and key not in session.stretch_tools:
            session.stretch_tools.append(key)

    return then(reference, _TOOL, belongs)


def _chunk_made_do_not_belong(reference: Behaviour) -> Behaviour:
    def left_out(session: Session, update: Any) -> Any:
        if update.tool_call_id not in session.tool_calls:
            stretch = session.stretch_tools
            session.stretch_tools = []
            first = updates.ToolCallUpdate(tool_call_id=update.tool_call_id)
            reference.handlers[updates.ToolCallUpdate](session, first, b"")
            session.stretch_tools = stretch
        return update

    return altering(reference, (updates.ToolCallContentChunk,), left_out)


def _stretch_never_ends(reference: Behaviour) -> Behaviour:
    """Every tool call that was first seen during some work belongs to all later work."""

    def kept(state: str) -> Any:
        def move(session: Session, update: updates.StateUpdate) -> None:
            stretch = session.stretch_tools
            reference.transitions[state](session, update)
            session.stretch_tools = stretch

        return move

    return with_moves(reference, {state: kept(state) for state in ("running", IDLE)})


def _background_not_spared(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        background, session.background = session.background, None
        reference.calls[methods.CancelSession](session, message)
        session.background = background

    return with_calls(reference, {methods.CancelSession: cancelled})


# --- states and connections ----------------------------------------------------------------------


def _unknown_hides_completion(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: updates.StateUpdate) -> None:
        completions, confirmed = session.completions, session.confirmed
        reference.transitions[IDLE](session, update)
        if not confirmed:
            session.completions = completions

    return with_moves(reference, {IDLE: idle})


def _old_request_settled(reference: Behaviour) -> Behaviour:
    """Looks a request up by its id alone, though ids start anew on the next connection."""

    def answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        for held in session.prompts:
            if held.request == request and held.status == "uncertain":
                at = session.prompts.index(held)
                session.prompts[at] = Prompt(request, "pending")
                later = session.prompts[at + 1 :]
                del session.prompts[at + 1 :]
                reference.results[methods.PromptRequest](session, request, outcome)
                session.prompts += later
                return
        reference.results[methods.PromptRequest](session, request, outcome)

    return with_results(reference, {methods.PromptRequest: answered})


class _Sent(Prompt):
    """A submission that remembers what it said."""

    __slots__ = ("content",)

    def __init__(self, request: RequestId, status: str, content: list[Any]) -> None:
        super().__init__(request, status)
        self.content = content


def _uncertain_settled_by_replay(reference: Behaviour) -> Behaviour:
    def sent(session: Session, message: methods.PromptRequest) -> None:
        session.prompts.append(_Sent(message.id, "pending", message.params.prompt))

    def lost(session: Session) -> None:
        told = {id(held): held for held in session.prompts if isinstance(held, _Sent)}
        before = list(session.prompts)
        reference.lost(session)
        session.prompts = [
            _Sent(now.request, now.status, told[id(was)].content) if id(was) in told else now
            for was, now in zip(before, session.prompts, strict=True)
        ]

    def settled(session: Session, update: updates.UserMessage) -> None:
        for held in session.prompts:
            if not isinstance(held, _Sent) or held.status != "uncertain":
                continue
            if held.content == update.content:
                at = session.prompts.index(held)
                session.prompts[at] = Prompt(held.request, "pending")
                accepted = Prompt(held.request, "accepted", message_id=update.message_id)
                settle_prompt(session, accepted)
                return

    mutant = with_calls(reference, {methods.PromptRequest: sent})
    mutant = dataclasses.replace(mutant, lost=lost)
    return then(mutant, (updates.UserMessage,), settled)


def _not_found_keeps_open(reference: Behaviour) -> Behaviour:
    honest = reference.results[methods.CloseSessionRequest]

    def closed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if not isinstance(outcome, ErrorObject | dict):
            honest(session, request, outcome)

    return with_results(reference, {methods.CloseSessionRequest: closed})


def _error_data_dropped(reference: Behaviour) -> Behaviour:
    def shortened(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        for at, held in enumerate(session.prompts):
            if held.request == request and held.error is not None:
                error: Any = {name: cell_field(held.error, name) for name in ("code", "message")}
                session.prompts[at] = Prompt(request, "rejected", error=error)

    return answering(reference, shortened)


# --- what is held of an entity -------------------------------------------------------------------


def _emptied_forgotten(reference: Behaviour) -> Behaviour:
    def forgotten(session: Session, update: Any) -> None:
        if update.content is None:
            kind = KIND_OF[type(update)]
            del session.messages[kind][update.message_id]
            session.timeline.remove((kind, update.message_id))

    variants = [variant for variant in MESSAGES if variant is not updates.SessionMessage]
    return then(reference, variants, forgotten)


_KNOWN_FIELDS: Final = {
    str(block.__struct_config__.tag): frozenset({*block.__struct_encode_fields__, "type"})
    for block in (TextBlock, ImageBlock, AudioBlock, ResourceLinkBlock, ResourceBlock)
}


def _unknown_field_dropped(reference: Behaviour) -> Behaviour:
    def stripped(block: Any) -> Any:
        known = _KNOWN_FIELDS.get(str(cell_field(block, "type")))
        if known is None or not isinstance(block, dict):
            return block
        return {name: value for name, value in block.items() if name in known}

    def known_only(session: Session, update: Any) -> Any:
        if not isinstance(update.content, list):
            return update
        content: Any = [stripped(block) for block in update.content]
        return msgspec.structs.replace(update, content=content)

    return altering(reference, MESSAGES, known_only)


def _empty_meta_kept(reference: Behaviour) -> Behaviour:
    """Patches `_meta` by key and is left with an empty object in the end."""

    def emptied(session: Session, update: Any) -> None:
        if not isinstance(update.meta, dict) or not update.meta:
            return
        held: Any = _holder(session, update)
        if held is not None and held.meta is None:
            held.meta = {}

    variants = [variant for variant in UPSERTS if variant is not updates.SessionInfoUpdate]
    return then(reference, variants, emptied)


def _holder(session: Session, update: Any) -> Any:
    if isinstance(update, updates.ToolCallUpdate):
        return session.tool_calls[update.tool_call_id]
    if isinstance(update, updates.TerminalUpdate):
        return session.terminals[update.terminal_id]
    if isinstance(update, updates.CompactionUpdate):
        return session.compactions[update.compaction_id]
    if isinstance(update, updates.SubagentUpdate):
        return session.subagents[update.session_id]
    return held_message(session, update)


def _spares_background(edition: Edition) -> bool:
    return edition.cancel_spares_background


def _closes_by_not_found(edition: Edition) -> bool:
    return edition.not_found_closes


def _patches_meta(edition: Edition) -> bool:
    return edition.meta_patches_by_key


OF_RARE: Final = (
    Mutant(
        name="cancel-only-while-running",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks no tool call when session/cancel is sent while action is required",
        behaviour=_only_while_running,
    ),
    Mutant(
        name="cancel-only-while-confirmed",
        breaks=("CANCEL-MARK-TOOLS", "STATE-UNKNOWN"),
        text="marks no tool call when session/cancel is sent while the state is unknown",
        behaviour=_only_while_confirmed,
    ),
    Mutant(
        name="failed-tools-cancelled",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks failed tool calls cancelled when session/cancel is sent",
        behaviour=_failed_cancelled,
    ),
    Mutant(
        name="second-cancel-fails-tools",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks tool calls failed when session/cancel is sent again",
        behaviour=_second_cancel_fails,
    ),
    Mutant(
        name="touched-tools-belong",
        breaks=("CANCEL-MARK-TOOLS",),
        text="takes a background tool call that is updated during work for a part of it",
        behaviour=_touched_belong,
    ),
    Mutant(
        name="chunk-made-tools-spared",
        breaks=("CANCEL-MARK-TOOLS",),
        text="does not mark tool calls cancelled that were first seen by a chunk",
        behaviour=_chunk_made_do_not_belong,
    ),
    Mutant(
        name="stretch-never-ends",
        breaks=("CANCEL-MARK-TOOLS",),
        text="takes the tool calls of earlier work for a part of the current one",
        behaviour=_stretch_never_ends,
    ),
    Mutant(
        name="background-list-ignored",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks listed background tool calls cancelled (a fault where a cancel spares them)",
        behaviour=_background_not_spared,
        applies=_spares_background,
    ),
    Mutant(
        name="unknown-hides-completion",
        breaks=("STATE-UNKNOWN", "STATE-CLIENT-IDLE"),
        text="counts no completion when idle follows the state unknown",
        behaviour=_unknown_hides_completion,
    ),
    Mutant(
        name="old-request-settled",
        breaks=("PROMPT-NO-INFERENCE",),
        text="gives a response to the earlier connection's prompt that had the same request id",
        behaviour=_old_request_settled,
    ),
    Mutant(
        name="uncertain-settled-by-replay",
        breaks=("PROMPT-NO-INFERENCE", "text-blind"),
        text="takes a message that says what a prompt said whose response was lost for its echo",
        behaviour=_uncertain_settled_by_replay,
    ),
    Mutant(
        name="not-found-keeps-open",
        breaks=("RESUME-UPSERT",),
        text="leaves a session open after a close that found none (a fault where that closes it)",
        behaviour=_not_found_keeps_open,
        applies=_closes_by_not_found,
    ),
    Mutant(
        name="error-data-dropped",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="keeps code and message of a prompt's error and nothing else",
        behaviour=_error_data_dropped,
    ),
    Mutant(
        name="emptied-message-forgotten",
        breaks=("PATCH-NULL", "monotone"),
        text="forgets a message whose content was cleared by null",
        behaviour=_emptied_forgotten,
    ),
    Mutant(
        name="unknown-field-dropped",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="strips unknown fields from the content blocks that it knows",
        behaviour=_unknown_field_dropped,
    ),
    Mutant(
        name="empty-meta-kept",
        breaks=("PATCH-NULL",),
        text="holds an empty _meta that has lost its last key (a fault where it is patched by key)",
        behaviour=_empty_meta_kept,
        applies=_patches_meta,
    ),
)
