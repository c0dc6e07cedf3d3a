"""Mutants that misread tool calls, or what a cancel does to them.

Themes: "5. Tool Invocation and Status Reporting" and "Cancellation". One function a mutant;
`OF_TOOLS` names them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from msgspec import structs

from acpsim.reducer import Behaviour
from acpsim.reducer.entities import tool_call_of
from acpsim.reducer.state import IDLE, Session
from acpsim.targets.mutants.mutant import (
    Mutant,
    altering,
    report,
    with_calls,
    with_moves,
)
from acpsim.wire import methods, updates
from acpsim.wire.edition import TERMINAL_STATUSES

_TOOL: Final = (updates.ToolCallUpdate, updates.ToolCallContentChunk)


# --- what a cancel marks -------------------------------------------------------------------------


def _cancelling(reference: Behaviour, cancelled: Any) -> Behaviour:
    return with_calls(reference, {methods.CancelSession: cancelled})


def _mark(session: Session, keys: Iterable[str], status: str = "cancelled") -> None:
    for key in keys:
        tool_call_of(session, key).status = status


def _unfinished(session: Session, keys: Iterable[str]) -> list[str]:
    return [key for key in keys if session.tool_calls[key].status not in TERMINAL_STATUSES]


def _marks_nothing(reference: Behaviour) -> Behaviour:
    return _cancelling(reference, lambda session, message: None)


def _marks_finished(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        if session.state != IDLE:
            _mark(session, session.stretch_tools)

    return _cancelling(reference, cancelled)


def _marks_background(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        if session.state != IDLE:
            _mark(session, _unfinished(session, session.tool_calls))

    return _cancelling(reference, cancelled)


def _marks_while_idle(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        if session.state == IDLE:
            _mark(session, _unfinished(session, session.tool_calls))
        else:
            reference.calls[methods.CancelSession](session, message)

    return _cancelling(reference, cancelled)


def _cancel_ends_work(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        reference.calls[methods.CancelSession](session, message)
        if session.state != IDLE:
            report(reference, session, IDLE)

    return _cancelling(reference, cancelled)


def _mark_stays(reference: Behaviour) -> Behaviour:
    def unless_cancelled(session: Session, update: Any) -> Any:
        held = session.tool_calls.get(update.tool_call_id)
        return None if held is not None and held.status == "cancelled" else update

    return altering(reference, _TOOL, unless_cancelled)


def _closed_by_idle(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: updates.StateUpdate) -> None:
        if session.state != IDLE:
            _mark(session, _unfinished(session, session.stretch_tools), "completed")
        reference.transitions[IDLE](session, update)

    return with_moves(reference, {IDLE: idle})


# --- tool calls ----------------------------------------------------------------------------------


def _unknown_status_as_pending(reference: Behaviour) -> Behaviour:
    def known(session: Session, update: updates.ToolCallUpdate) -> updates.ToolCallUpdate:
        status = update.status
        if not isinstance(status, str) or status in session.edition.tool_statuses:
            return update
        return structs.replace(update, status="pending")

    return altering(reference, (updates.ToolCallUpdate,), known)


def _unknown_kind_as_other(reference: Behaviour) -> Behaviour:
    def known(session: Session, update: updates.ToolCallUpdate) -> updates.ToolCallUpdate:
        kind = update.kind
        if not isinstance(kind, str) or kind in session.edition.tool_kinds:
            return update
        return structs.replace(update, kind="other")

    return altering(reference, (updates.ToolCallUpdate,), known)


def _tool_chunk_needs_update(reference: Behaviour) -> Behaviour:
    def unless_new(session: Session, update: Any) -> Any:
        return update if update.tool_call_id in session.tool_calls else None

    return altering(reference, (updates.ToolCallContentChunk,), unless_new)


def _tool_needs_title(reference: Behaviour) -> Behaviour:
    def unless_untitled(session: Session, update: Any) -> Any:
        known = update.tool_call_id in session.tool_calls
        return update if known or isinstance(update.title, str) else None

    return altering(reference, (updates.ToolCallUpdate,), unless_untitled)


def _finished_tool_frozen(reference: Behaviour) -> Behaviour:
    def unless_finished(session: Session, update: Any) -> Any:
        held = session.tool_calls.get(update.tool_call_id)
        finished = held is not None and held.status in {"completed", "failed"}
        return None if finished else update

    return altering(reference, _TOOL, unless_finished)


OF_TOOLS: Final = (
    Mutant(
        name="cancel-marks-nothing",
        breaks=("CANCEL-MARK-TOOLS",),
        text="leaves unfinished tool calls as they are when session/cancel is sent",
        behaviour=_marks_nothing,
    ),
    Mutant(
        name="finished-tools-cancelled",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks finished tool calls cancelled when session/cancel is sent",
        behaviour=_marks_finished,
    ),
    Mutant(
        name="background-tools-cancelled",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks background tool calls cancelled when session/cancel is sent",
        behaviour=_marks_background,
    ),
    Mutant(
        name="idle-cancel-marks",
        breaks=("CANCEL-MARK-TOOLS",),
        text="marks background tool calls cancelled when session/cancel is sent while idle",
        behaviour=_marks_while_idle,
    ),
    Mutant(
        name="cancel-ends-work",
        breaks=("STATE-BACKGROUND",),
        text="shows idle as soon as session/cancel is sent",
        behaviour=_cancel_ends_work,
    ),
    Mutant(
        name="tool-updates-ignored-after-cancel",
        breaks=("CANCEL-LATE-UPDATES",),
        text="ignores later updates of a tool call that is marked cancelled",
        behaviour=_mark_stays,
    ),
    Mutant(
        name="tools-closed-by-idle",
        breaks=("STATE-CLIENT-IDLE",),
        text="takes unfinished tool calls for completed when the work ends",
        behaviour=_closed_by_idle,
    ),
    Mutant(
        name="unknown-status-as-pending",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="holds pending for a tool status that it does not know",
        behaviour=_unknown_status_as_pending,
    ),
    Mutant(
        name="unknown-kind-as-other",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="holds other for a tool kind that it does not know",
        behaviour=_unknown_kind_as_other,
    ),
    Mutant(
        name="tool-chunk-needs-update",
        breaks=("CHUNK-APPEND",),
        text="drops a content chunk of a tool call that no update has created",
        behaviour=_tool_chunk_needs_update,
    ),
    Mutant(
        name="tool-needs-title",
        breaks=("PATCH-OMIT",),
        text="drops the first update of a tool call when it has no title",
        behaviour=_tool_needs_title,
    ),
    Mutant(
        name="finished-tool-frozen",
        breaks=("CANCEL-LATE-UPDATES", "PATCH-REPLACE"),
        text="ignores updates of a tool call that has completed or failed",
        behaviour=_finished_tool_frozen,
    ),
)
