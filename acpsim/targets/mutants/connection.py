"""Mutants that misread permissions, closing, resuming, or the loss of the connection.

Themes: "5. Tool Invocation and Status Reporting" as far as it asks the user, session setup, and
what stays when the connection goes. One function a mutant; `OF_CONNECTION` names them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final

from msgspec import UNSET

from acpsim.reducer import Behaviour
from acpsim.reducer.state import IDLE, Permission, Session
from acpsim.targets.mutants.mutant import (
    Mutant,
    altering,
    answering,
    report,
    settle_pending,
    with_calls,
    with_results,
)
from acpsim.wire import methods, updates
from acpsim.wire.cells import ErrorObject
from acpsim.wire.jsonrpc import RequestId


def _permission_asks_action(reference: Behaviour) -> Behaviour:
    def asked(session: Session, message: methods.RequestPermissionRequest) -> None:
        reference.calls[methods.RequestPermissionRequest](session, message)
        report(reference, session, "requires_action")

    return with_calls(reference, {methods.RequestPermissionRequest: asked})


def _permission_title_into_tool(reference: Behaviour) -> Behaviour:
    def asked(session: Session, message: methods.RequestPermissionRequest) -> None:
        reference.calls[methods.RequestPermissionRequest](session, message)
        subject = message.params.subject
        if isinstance(subject, methods.ToolCallSubject):
            key = subject.tool_call.tool_call_id
            titled = updates.ToolCallUpdate(tool_call_id=key, title=message.params.title)
            reference.handlers[updates.ToolCallUpdate](session, titled, b"")

    return with_calls(reference, {methods.RequestPermissionRequest: asked})


def _permission_answer_as_running(reference: Behaviour) -> Behaviour:
    def answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        report(reference, session, "running")

    return answering(reference, answered, methods.RequestPermissionRequest)


def _cancel_settles_permissions(reference: Behaviour) -> Behaviour:
    def cancelled(session: Session, message: methods.CancelSession) -> None:
        reference.calls[methods.CancelSession](session, message)
        session.permissions = [
            Permission(held.request, "withdrawn") if held.status == "pending" else held
            for held in session.permissions
        ]

    return with_calls(reference, {methods.CancelSession: cancelled})


def _settled_otherwise(
    reference: Behaviour, status: Callable[[methods.Outcome], str | None]
) -> Behaviour:
    """Permissions whose answer gives them another status than it says."""

    def answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        other = status(outcome)
        for at, held in enumerate(session.permissions):
            if other is not None and held.request == request and held.status != "pending":
                session.permissions[at] = Permission(request, other)

    return answering(reference, answered, methods.RequestPermissionRequest)


def _cancelled_as_withdrawn(reference: Behaviour) -> Behaviour:
    def status(outcome: methods.Outcome) -> str | None:
        if not isinstance(outcome, methods.RequestPermissionResult):
            return None
        return "withdrawn" if outcome.outcome.get("outcome") == "cancelled" else None

    return _settled_otherwise(reference, status)


def _error_as_answered(reference: Behaviour) -> Behaviour:
    def status(outcome: methods.Outcome) -> str | None:
        return "answered" if isinstance(outcome, ErrorObject | dict) else None

    return _settled_otherwise(reference, status)


def _one_answer_for_all(reference: Behaviour) -> Behaviour:
    def answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if isinstance(outcome, methods.RequestPermissionResult):
            session.permissions = [
                Permission(held.request, "answered", outcome.outcome)
                if held.status == "pending"
                else held
                for held in session.permissions
            ]

    return answering(reference, answered, methods.RequestPermissionRequest)


def _close_settles_prompts(reference: Behaviour) -> Behaviour:
    def closed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if session.closed:
            settle_pending(session, "uncertain")

    return answering(reference, closed, methods.CloseSessionRequest)


def _close_error_closes(reference: Behaviour) -> Behaviour:
    def closed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        session.closed = True

    return answering(reference, closed, methods.CloseSessionRequest)


def _close_forgets(reference: Behaviour) -> Behaviour:
    def closed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if session.closed:
            _forget(session)

    return answering(reference, closed, methods.CloseSessionRequest)


def _closed_for_good(reference: Behaviour) -> Behaviour:
    honest = reference.results[methods.ResumeSessionRequest]

    def resumed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        was_closed = session.closed
        honest(session, request, outcome)
        session.closed = was_closed

    return with_results(reference, {methods.ResumeSessionRequest: resumed})


def _dropped_once_closed(reference: Behaviour) -> Behaviour:
    def unless_closed(session: Session, update: Any) -> Any:
        return None if session.closed else update

    return altering(reference, reference.handlers, unless_closed)


def _resume_forgets(reference: Behaviour) -> Behaviour:
    def asked(session: Session, message: methods.ResumeSessionRequest) -> None:
        if message.params.replay_from is not UNSET:
            _forget(session)

    return with_calls(reference, {methods.ResumeSessionRequest: asked})


def _forget(session: Session) -> None:
    """The history of a session, gone."""
    session.timeline = []
    session.messages = {kind: {} for kind in session.messages}
    session.tool_calls = {}
    session.stretch_tools = []


def _at_loss(reference: Behaviour, more: Callable[[Session], None]) -> Behaviour:
    def lost(session: Session) -> None:
        more(session)
        reference.lost(session)

    return dataclasses.replace(reference, lost=lost)


def _lost_prompt_rejected(reference: Behaviour) -> Behaviour:
    return _at_loss(reference, lambda session: settle_pending(session, "rejected"))


def _lost_prompt_pending(reference: Behaviour) -> Behaviour:
    def lost(session: Session) -> None:
        prompts = session.prompts
        session.prompts = []
        reference.lost(session)
        session.prompts = prompts

    return dataclasses.replace(reference, lost=lost)


def _lost_permission_pending(reference: Behaviour) -> Behaviour:
    def lost(session: Session) -> None:
        permissions = session.permissions
        session.permissions = []
        reference.lost(session)
        session.permissions = permissions

    return dataclasses.replace(reference, lost=lost)


def _lost_ends_work(reference: Behaviour) -> Behaviour:
    def ended(session: Session) -> None:
        if session.state != IDLE:
            report(reference, session, IDLE)

    return _at_loss(reference, ended)


def _lost_stays_confirmed(reference: Behaviour) -> Behaviour:
    def lost(session: Session) -> None:
        confirmed = session.confirmed
        reference.lost(session)
        session.confirmed = confirmed

    return dataclasses.replace(reference, lost=lost)


def _lost_forgets(reference: Behaviour) -> Behaviour:
    return _at_loss(reference, _forget)


OF_CONNECTION: Final = (
    Mutant(
        name="permission-asks-action",
        breaks=("STATE-PERMISSION",),
        text="takes a permission request for the state requires_action",
        behaviour=_permission_asks_action,
    ),
    Mutant(
        name="permission-answer-as-running",
        breaks=("STATE-PERMISSION",),
        text="shows running as soon as a permission request is answered",
        behaviour=_permission_answer_as_running,
    ),
    Mutant(
        name="permission-title-into-tool",
        breaks=("PATCH-OMIT",),
        text="gives the tool call of a permission request the title of the request",
        behaviour=_permission_title_into_tool,
    ),
    Mutant(
        name="cancel-settles-permissions",
        breaks=("CANCEL-PERMISSIONS",),
        text="takes pending permission requests for settled once session/cancel is sent",
        behaviour=_cancel_settles_permissions,
    ),
    Mutant(
        name="cancelled-outcome-as-withdrawn",
        breaks=("PERMISSION-OUTCOME",),
        text="takes the outcome cancelled for no answer",
        behaviour=_cancelled_as_withdrawn,
    ),
    Mutant(
        name="permission-error-as-answered",
        breaks=("PERMISSION-OUTCOME",),
        text="takes an error answer to a permission request for an outcome",
        behaviour=_error_as_answered,
    ),
    Mutant(
        name="one-answer-for-all",
        breaks=("RPC-RESPONSE-MATCH",),
        text="settles every pending permission request with the first answer",
        behaviour=_one_answer_for_all,
    ),
    Mutant(
        name="close-settles-prompts",
        breaks=("PROMPT-NO-INFERENCE",),
        text="gives up pending prompts when the session is closed",
        behaviour=_close_settles_prompts,
    ),
    Mutant(
        name="close-error-closes",
        breaks=("RESUME-UPSERT",),
        text="takes a session for closed when session/close was answered with an error",
        behaviour=_close_error_closes,
    ),
    Mutant(
        name="close-forgets",
        breaks=("RESUME-UPSERT", "monotone"),
        text="forgets the history when the session is closed",
        behaviour=_close_forgets,
    ),
    Mutant(
        name="closed-for-good",
        breaks=("RESUME-UPSERT",),
        text="leaves a session closed that was resumed",
        behaviour=_closed_for_good,
    ),
    Mutant(
        name="updates-dropped-once-closed",
        breaks=("RESUME-UPSERT",),
        text="drops updates of a closed session, the replay of its history included",
        behaviour=_dropped_once_closed,
    ),
    Mutant(
        name="resume-forgets",
        breaks=("RESUME-UPSERT", "monotone"),
        text="forgets the history when its replay is asked for",
        behaviour=_resume_forgets,
    ),
    Mutant(
        name="lost-prompt-rejected",
        breaks=("PROMPT-NO-INFERENCE",),
        text="takes a prompt for rejected whose response was lost with the connection",
        behaviour=_lost_prompt_rejected,
    ),
    Mutant(
        name="lost-prompt-pending",
        breaks=("PROMPT-NO-INFERENCE",),
        text="goes on waiting for a response after the connection was lost",
        behaviour=_lost_prompt_pending,
    ),
    Mutant(
        name="lost-permission-pending",
        breaks=("CANCEL-PERMISSIONS-OPEN",),
        text="leaves a permission request open after the connection was lost",
        behaviour=_lost_permission_pending,
    ),
    Mutant(
        name="lost-ends-work",
        breaks=("STATE-BACKGROUND",),
        text="takes the loss of the connection for the end of the work",
        behaviour=_lost_ends_work,
    ),
    Mutant(
        name="lost-stays-confirmed",
        breaks=("STATE-UNKNOWN",),
        text="shows the last foreground state as confirmed after the connection was lost",
        behaviour=_lost_stays_confirmed,
    ),
    Mutant(
        name="lost-forgets",
        breaks=("RESUME-UPSERT", "monotone"),
        text="forgets the history when the connection is lost",
        behaviour=_lost_forgets,
    ),
)
