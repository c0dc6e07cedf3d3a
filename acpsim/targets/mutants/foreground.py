"""Mutants that misread the foreground state, or move it where nothing reported it.

Themes: "Session States", "4. Report Completion", "Foreground and Background Work". One function a
mutant; `OF_FOREGROUND` names them.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from msgspec import structs

from acpsim.reducer import Behaviour
from acpsim.reducer.foreground import state_update
from acpsim.reducer.state import IDLE, Session
from acpsim.targets.mutants.mutant import (
    Mutant,
    altering,
    report,
    then,
    with_handlers,
    with_moves,
)
from acpsim.wire import updates
from acpsim.wire.cells import cell_field
from acpsim.wire.edition import STOP_REASONS
from acpsim.wire.parse import update_object
from acpsim.wire.updates import StateUpdate

_OUTPUT: Final = (
    updates.AgentMessage,
    updates.AgentMessageChunk,
    updates.AgentThought,
    updates.AgentThoughtChunk,
)
_BESIDE_OUTPUT: Final = (
    updates.ToolCallUpdate,
    updates.ToolCallContentChunk,
    updates.TerminalUpdate,
    updates.TerminalOutputChunk,
    updates.PlanUpdate,
    updates.SessionInfoUpdate,
    updates.UsageUpdate,
)


# --- how work ends -------------------------------------------------------------------------------


def _without_reason_ignored(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: StateUpdate) -> None:
        if isinstance(update.stop_reason, str):
            reference.transitions[IDLE](session, update)

    return with_moves(reference, {IDLE: idle})


def _unrecognised_reason_ignored(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: StateUpdate) -> None:
        if not isinstance(update.stop_reason, str) or update.stop_reason in STOP_REASONS:
            reference.transitions[IDLE](session, update)

    return with_moves(reference, {IDLE: idle})


def _repeated_idle_counted(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: StateUpdate) -> None:
        session.completions += session.state == IDLE
        reference.transitions[IDLE](session, update)

    return with_moves(reference, {IDLE: idle})


def _bare_idle_clears_outcome(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: StateUpdate) -> None:
        if session.state == IDLE:
            session.stop_reason = session.error = session.usage = None
        reference.transitions[IDLE](session, update)

    return with_moves(reference, {IDLE: idle})


def _counted_at_start(reference: Behaviour) -> Behaviour:
    def begins(session: Session, update: StateUpdate) -> None:
        session.completions += session.state == IDLE
        reference.transitions["running"](session, update)

    def ends(session: Session, update: StateUpdate) -> None:
        completions = session.completions
        reference.transitions[IDLE](session, update)
        session.completions = completions

    return with_moves(reference, {"running": begins, "requires_action": begins, IDLE: ends})


def _outcome_survives_running(reference: Behaviour) -> Behaviour:
    def running(session: Session, update: StateUpdate) -> None:
        outcome = session.stop_reason, session.error, session.usage
        reference.transitions["running"](session, update)
        session.stop_reason, session.error, session.usage = outcome

    return with_moves(reference, {"running": running})


def _error_beside_any_reason(reference: Behaviour) -> Behaviour:
    def handle(session: Session, update: StateUpdate, raw: bytes) -> None:
        honest = state_update(reference.transitions, reference.other_state, session.edition)
        honest(session, update, raw)
        # Beside another reason it is an unknown field, of which the typed update knows nothing.
        error = update_object(raw).get("error")
        if update.state == IDLE and isinstance(error, dict):
            session.error = error

    return with_handlers(reference, {StateUpdate: handle})


def _reason_inferred(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: StateUpdate) -> None:
        if session.state != IDLE and not isinstance(update.stop_reason, str):
            update = structs.replace(update, stop_reason="end_turn")
        reference.transitions[IDLE](session, update)

    return with_moves(reference, {IDLE: idle})


# --- states that say less ------------------------------------------------------------------------


def _requires_action_as_idle(reference: Behaviour) -> Behaviour:
    def blocked(session: Session, update: StateUpdate) -> None:
        report(reference, session, IDLE)

    return with_moves(reference, {"requires_action": blocked})


def _stretch_begins_anew(reference: Behaviour) -> Behaviour:
    def running(session: Session, update: StateUpdate) -> None:
        session.stretch_tools = []
        reference.transitions["running"](session, update)

    return with_moves(reference, {"running": running})


def _unknown_as_idle(reference: Behaviour) -> Behaviour:
    def unknown(session: Session, update: StateUpdate) -> None:
        report(reference, session, IDLE)

    return with_moves(reference, {"unknown": unknown})


def _unknown_adopted(reference: Behaviour) -> Behaviour:
    def unknown(session: Session, update: StateUpdate) -> None:
        session.state = "unknown"
        session.confirmed = False

    return with_moves(reference, {"unknown": unknown})


def _unknown_ignored(reference: Behaviour) -> Behaviour:
    return with_moves(reference, {"unknown": _nothing})


def _nothing(session: Session, update: StateUpdate) -> None:
    """What a mutant does that does not look."""


def _custom_as_idle(reference: Behaviour) -> Behaviour:
    def other(session: Session, update: StateUpdate) -> None:
        report(reference, session, IDLE)

    return dataclasses.replace(reference, other_state=other)


def _custom_ignored(reference: Behaviour) -> Behaviour:
    return dataclasses.replace(reference, other_state=_nothing)


def _custom_confirmed(reference: Behaviour) -> Behaviour:
    def other(session: Session, update: StateUpdate) -> None:
        reference.other_state(session, update)
        session.confirmed = True

    return dataclasses.replace(reference, other_state=other)


# --- what is no report of the state --------------------------------------------------------------


def _dropped_while_idle(reference: Behaviour) -> Behaviour:
    def unless_idle(session: Session, update: Any) -> Any:
        return None if session.state == IDLE else update

    return altering(reference, (*_OUTPUT, *_BESIDE_OUTPUT), unless_idle)


def _output_as_running(reference: Behaviour) -> Behaviour:
    def works(session: Session, update: Any) -> None:
        if session.state == IDLE:
            report(reference, session, "running")

    return then(reference, _OUTPUT, works)


def _plan_as_running(reference: Behaviour) -> Behaviour:
    def works(session: Session, update: Any) -> None:
        if session.state == IDLE:
            report(reference, session, "running")

    return then(reference, (updates.PlanUpdate,), works)


def _last_tool_ends_work(reference: Behaviour) -> Behaviour:
    def ends(session: Session, update: updates.ToolCallUpdate) -> None:
        calls = [session.tool_calls[key] for key in session.stretch_tools]
        if calls and all(call.status in {"completed", "failed"} for call in calls):
            report(reference, session, IDLE)

    return then(reference, (updates.ToolCallUpdate,), ends)


def _notice_ends_work(reference: Behaviour) -> Behaviour:
    def ends(session: Session, update: updates.Notice) -> None:
        if update.severity == "error" and session.state != IDLE:
            report(reference, session, IDLE)

    return then(reference, (updates.Notice,), ends)


def _child_idle_as_parents(reference: Behaviour) -> Behaviour:
    def ends(session: Session, update: updates.SubagentUpdate) -> None:
        state = update.state
        is_idle = state and cell_field(state, "state") == IDLE
        if is_idle and session.state != IDLE:
            report(reference, session, IDLE)

    return then(reference, (updates.SubagentUpdate,), ends)


def _child_state_counted(reference: Behaviour) -> Behaviour:
    def counts(session: Session, update: updates.SubagentUpdate) -> None:
        state = update.state
        if state and cell_field(state, "state") == IDLE:
            session.completions += 1

    return then(reference, (updates.SubagentUpdate,), counts)


OF_FOREGROUND: Final = (
    Mutant(
        name="idle-without-reason-ignored",
        breaks=("STATE-CLIENT-IDLE",),
        text="ignores an idle that carries no stop reason",
        behaviour=_without_reason_ignored,
    ),
    Mutant(
        name="idle-with-unknown-reason-ignored",
        breaks=("STATE-CLIENT-IDLE", "UNKNOWN-ENUM-PRESERVED"),
        text="ignores an idle whose stop reason it does not know",
        behaviour=_unrecognised_reason_ignored,
    ),
    Mutant(
        name="repeated-idle-counted",
        breaks=("STATE-CLIENT-IDLE", "idempotence"),
        text="counts every repeated idle as another completion",
        behaviour=_repeated_idle_counted,
    ),
    Mutant(
        name="bare-idle-clears-outcome",
        breaks=("STATE-CLIENT-IDLE",),
        text="forgets how the work ended when a bare idle is repeated",
        behaviour=_bare_idle_clears_outcome,
    ),
    Mutant(
        name="completion-counted-at-start",
        breaks=("STATE-CLIENT-IDLE",),
        text="counts a completion when work starts instead of when it ends",
        behaviour=_counted_at_start,
    ),
    Mutant(
        name="outcome-survives-running",
        breaks=("STATE-CLIENT-IDLE",),
        text="shows the last stop reason while new work is running",
        behaviour=_outcome_survives_running,
    ),
    Mutant(
        name="error-beside-any-reason",
        breaks=("STATE-CLIENT-IDLE",),
        text="takes an error for the outcome beside any stop reason",
        behaviour=_error_beside_any_reason,
    ),
    Mutant(
        name="stop-reason-inferred",
        breaks=("STATE-CLIENT-IDLE",),
        text="takes an idle without a stop reason for end_turn",
        behaviour=_reason_inferred,
    ),
    Mutant(
        name="requires-action-as-idle",
        breaks=("STATE-REQUIRES-ACTION",),
        text="takes requires_action for the end of the work",
        behaviour=_requires_action_as_idle,
    ),
    Mutant(
        name="stretch-begins-anew",
        breaks=("CANCEL-MARK-TOOLS",),
        text="forgets which tool calls belong to the work whenever it is reported running again",
        behaviour=_stretch_begins_anew,
    ),
    Mutant(
        name="unknown-state-as-idle",
        breaks=("STATE-UNKNOWN",),
        text="takes the state unknown for idle",
        behaviour=_unknown_as_idle,
    ),
    Mutant(
        name="unknown-state-adopted",
        breaks=("STATE-UNKNOWN",),
        text="forgets the last known state when the state is unknown",
        behaviour=_unknown_adopted,
    ),
    Mutant(
        name="unknown-state-ignored",
        breaks=("STATE-UNKNOWN",),
        text="goes on showing the last state as confirmed when the state is unknown",
        behaviour=_unknown_ignored,
    ),
    Mutant(
        name="custom-state-as-idle",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="takes a state that it does not know for idle",
        behaviour=_custom_as_idle,
    ),
    Mutant(
        name="custom-state-ignored",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="ignores a state that it does not know",
        behaviour=_custom_ignored,
    ),
    Mutant(
        name="custom-state-confirmed",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="shows a state that it does not know as confirmed",
        behaviour=_custom_confirmed,
    ),
    Mutant(
        name="idle-updates-dropped",
        breaks=("STATE-BACKGROUND",),
        text="drops the agent's updates while no work is going on",
        behaviour=_dropped_while_idle,
    ),
    Mutant(
        name="output-as-running",
        breaks=("STATE-BACKGROUND",),
        text="shows running as soon as the agent says something",
        behaviour=_output_as_running,
    ),
    Mutant(
        name="plan-as-running",
        breaks=("STATE-BACKGROUND",),
        text="shows running as soon as a plan is reported",
        behaviour=_plan_as_running,
    ),
    Mutant(
        name="last-tool-ends-work",
        breaks=("STATE-BACKGROUND",),
        text="takes the end of the last tool call for the end of the work",
        behaviour=_last_tool_ends_work,
    ),
    Mutant(
        name="notice-ends-work",
        breaks=("NOTICE-NO-EFFECT", "neutrality"),
        text="takes a notice of severity error for the end of the work",
        behaviour=_notice_ends_work,
    ),
    Mutant(
        name="child-idle-as-parents",
        breaks=("SUBAGENT-MIRROR", "STATE-BACKGROUND"),
        text="takes the idle of a child session in the roster for the parent's",
        behaviour=_child_idle_as_parents,
    ),
    Mutant(
        name="mirrored-idle-counted",
        breaks=("SUBAGENT-MIRROR", "idempotence"),
        text="counts a child's mirrored idle as a completion of the parent",
        behaviour=_child_state_counted,
    ),
)
