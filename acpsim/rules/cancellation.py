"""CANCEL-* and CLOSE-*: stopping work, and closing a session.

Headings: "Cancellation", "2. Prompt Accepted" (closing), the schema's CloseSessionRequest. Facts:
the open cancel of a session and whether the agent is known to have read it, the last reported
state, open permission requests, prompts that a cancel or a close covers.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import CancelFacts, PromptFacts, SessionFacts
from acpsim.rules.insertion import PROMPT, inserted
from acpsim.rules.registry import END, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import cell_field
from acpsim.wire.edition import TERMINAL_STATUSES
from acpsim.wire.jsonrpc import INTERNAL_ERROR, REQUEST_CANCELLED
from acpsim.wire.trace import Event

PERMISSION: Final = (methods.RequestPermissionRequest,)
CROSSED: Final = "the idle may have crossed the cancel on the wire"


def _active(s: SessionFacts) -> CancelFacts | None:
    """The cancel of the work that is going on, if there is one."""
    cancel = s.cancel
    return cancel if cancel is not None and cancel.stretch and s.busy else None


# CANCEL-IDLE, "Cancellation". Why an idle with another reason may be right:
#   1. The work ends by itself; the agent sends idle end_turn.
#   2. Before it arrives, the client sends session/cancel.
#   3. On the wire the cancel stands before the idle, and the agent had not read it.
# It is a breach where the trace was seen at the agent, or a message before the idle shows that the
# agent had read the cancel.
@check("CANCEL-IDLE", updates.StateUpdate, methods.CancelSession, end=True)
def cancel_idle(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if isinstance(what, methods.CancelSession):
        if s.busy:
            case.exercise("CANCEL-IDLE")
        return
    cancel = _active(s)
    if cancel is None:
        return
    if what is END:
        text = f"session/cancel on line {cancel.line} is never followed by idle"
        case.owed("CANCEL-IDLE", cancel.line, text, session=s)
    elif what.state == "idle" and what.stop_reason != "cancelled" and event is not None:
        reason = shown(what.stop_reason) if isinstance(what.stop_reason, str) else "none"
        text = (
            f"work that was cancelled on line {cancel.line} ends with stop reason {reason} "
            'instead of "cancelled"'
        )
        if case.ledger.has_read(cancel):
            case.breach("CANCEL-IDLE", event.line, text, session=s, related=(cancel.line,))
        else:
            text = f"perhaps {text}; {CROSSED}"
            case.suspect("CANCEL-IDLE", event.line, text, session=s, related=(cancel.line,))


# CANCEL-NOT-ERROR, "Cancellation". The same race as CANCEL-IDLE, with a failure of its own.
@check("CANCEL-NOT-ERROR", updates.StateUpdate)
def cancel_not_error(
    case: Case, s: SessionFacts | None, event: Event, update: updates.StateUpdate
) -> None:
    assert s is not None
    cancel = _active(s)
    if cancel is None or update.state != "idle":
        return
    case.exercise("CANCEL-NOT-ERROR")
    if update.stop_reason != "error":
        return
    text = f"work that was cancelled on line {cancel.line} is reported as an error"
    if case.ledger.has_read(cancel):
        case.breach("CANCEL-NOT-ERROR", event.line, text, session=s, related=(cancel.line,))
    else:
        text = f"perhaps {text}; a failure of its own may have crossed the cancel"
        case.suspect("CANCEL-NOT-ERROR", event.line, text, session=s, related=(cancel.line,))


LATE: Final = (
    updates.AgentMessage,
    updates.AgentMessageChunk,
    updates.AgentThought,
    updates.AgentThoughtChunk,
    updates.ToolCallUpdate,
)


def late(s: SessionFacts, update: Any) -> bool:
    """Whether an update after an idle belongs to the work that the idle ended."""
    if s.busy or not s.ended_stretch or s.resume is not None:
        return False
    if isinstance(update, updates.ToolCallUpdate):
        tool = s.tools.get(update.tool_call_id)
        ends = isinstance(update.status, str) and update.status in TERMINAL_STATUSES
        return tool is not None and tool.stretch == s.ended_stretch and ends and not tool.ended
    kind = "agent_thought" if isinstance(update, THOUGHTS) else "agent_message"
    return s.messages.get((kind, update.message_id)) == s.ended_stretch


THOUGHTS: Final = (updates.AgentThought, updates.AgentThoughtChunk)


# CANCEL-UPDATES-BEFORE-IDLE, "Cancellation". Why this is only a suspicion: a tool call may have
# been detached, and a message may belong to background activity.
@check("CANCEL-UPDATES-BEFORE-IDLE", updates.StateUpdate, *LATE)
def updates_before_idle(case: Case, s: SessionFacts | None, event: Event, update: Any) -> None:
    assert s is not None
    if isinstance(update, updates.StateUpdate):
        if update.state == "idle" and update.stop_reason == "cancelled" and s.busy:
            case.exercise("CANCEL-UPDATES-BEFORE-IDLE")
    elif s.stop_reason == "cancelled" and late(s, update):
        text = (
            "perhaps an update of the cancelled work comes after the idle on line "
            f"{s.state_line}; it could be background activity"
        )
        case.suspect(
            "CANCEL-UPDATES-BEFORE-IDLE", event.line, text, session=s, related=(s.state_line,)
        )


# CANCEL-STOPS, "Cancellation". Why this is only a suspicion: the start may have crossed the cancel;
# it is remarked on once a message shows that the agent had read the cancel before:
#   1. The client cancels and answers the open permission request with `cancelled`.
#   2. The agent reports running again: it has used that answer, which was sent after the cancel.
#   3. A tool call starts after that.
@check("CANCEL-STOPS", updates.ToolCallUpdate, updates.StateUpdate, answers=PERMISSION)
def cancel_stops(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if s is None:
        return
    cancel = _active(s)
    if cancel is None:
        return
    if isinstance(what, Answer):
        outcome = getattr(what.outcome, "outcome", {})
        if outcome.get("outcome") == "cancelled":
            s.extra["CANCEL-STOPS"] = event.line
    elif isinstance(what, updates.StateUpdate):
        resumes = s.state == "requires_action" and what.state == "running"
        if resumes and s.extra.get("CANCEL-STOPS", 0) > cancel.line and not s.permissions:
            case.ledger.shows_read(s, event.line)
    else:
        _tool_starts(case, s, event, what, cancel)


def _tool_starts(
    case: Case, s: SessionFacts, event: Event, update: updates.ToolCallUpdate, cancel: CancelFacts
) -> None:
    if not case.ledger.has_read(cancel):
        return
    case.exercise("CANCEL-STOPS")
    tool = s.tools.get(update.tool_call_id)
    new = tool is None and update.status not in TERMINAL_STATUSES
    if new or (tool is not None and update.status == "in_progress" and tool.status == "pending"):
        text = (
            f"perhaps tool call {shown(update.tool_call_id)} starts after the agent had read the "
            f"cancel on line {cancel.line}; it may have been under way"
        )
        case.suspect("CANCEL-STOPS", event.line, text, session=s, related=(cancel.line,))


def _background(s: SessionFacts, tool: str | None) -> bool | None:
    """Whether a request belongs to listed background work; `None` where that cannot be told: the
    call may run as a terminal or a child session that is listed in its stead."""
    if not s.background:
        return False
    listed = [cell_field(item, "toolCallId") for item in s.background]
    if tool is None or tool in listed:
        return True
    return False if all(isinstance(item, str) for item in listed) else None


# CANCEL-PERMISSIONS, "Cancellation". What is fine:
#   1. A selected outcome that the client sent before its cancel.
#   2. In an edition that lists background work, requests of that work stay open.
#   3. There, an error -32800 after the agent's own $/cancel_request; elsewhere two rules ask for
#      different answers then, and it is a suspicion.
# A request that was seen after the cancel may have been issued after the agent had read it: then
# another answer is a suspicion.
@check("CANCEL-PERMISSIONS", answers=PERMISSION)
def cancel_permissions(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if s is None:
        return
    facts = s.permissions.get(answer.id)
    if facts is None or not facts.after_cancel:
        return
    spares = case.edition.cancel_spares_background
    background = _background(s, facts.tool) if spares else False
    if background:
        return
    case.exercise("CANCEL-PERMISSIONS")
    outcome = getattr(answer.outcome, "outcome", {}).get("outcome")
    withdrawn = answer.code == REQUEST_CANCELLED and facts.cancel_requested
    if outcome == "cancelled" or (withdrawn and spares):
        return
    given = shown(outcome) if outcome is not None else f"error {answer.code}"
    text = (
        f"the client answered permission request {shown(answer.request.id)} with {given} after its "
        f'session/cancel on line {facts.after_cancel}; "cancelled" is owed'
    )
    related = (facts.after_cancel, facts.line)
    why = None
    if withdrawn:
        why = "the agent's $/cancel_request may be answered so"
    elif background is None:
        why = "it may belong to background work that is listed otherwise"
    elif facts.line > facts.after_cancel:
        why = "the agent may have asked after it had read the cancel"
    if why is None:
        case.breach("CANCEL-PERMISSIONS", event.line, text, session=s, related=related)
    else:
        text = f"perhaps {text}; {why}"
        case.suspect("CANCEL-PERMISSIONS", event.line, text, session=s, related=related)


# CANCEL-PERMISSIONS-OPEN, "Cancellation".
@check("CANCEL-PERMISSIONS-OPEN", methods.RequestPermissionRequest, end=True)
def permissions_open(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if what is not END:
        case.exercise("CANCEL-PERMISSIONS-OPEN")
        return
    for request, facts in s.permissions.items():
        text = f"the client never answers permission request {shown(request)}"
        case.owed("CANCEL-PERMISSIONS-OPEN", facts.line, text, session=s)


# CANCEL-KEEPS-INSERTION, "Cancellation". Proven where the inserted message can be no other
# prompt's; what is not proven is PROMPT-ERROR-AFTER-INSERT's suspicion.
@check("CANCEL-KEEPS-INSERTION", answers=PROMPT)
def keeps_insertion(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    prompt = None if s is None else s.prompts.get(answer.id)
    if s is None or prompt is None or not prompt.cancelled:
        return
    line, proven = inserted(s, prompt)
    case.exercise("CANCEL-KEEPS-INSERTION")
    if answer.failed and line and proven:
        text = (
            f"prompt {shown(prompt.request)} was inserted on line {line} and is answered with an "
            f"error after the cancel on line {prompt.cancelled}"
        )
        related = (line, prompt.cancelled)
        case.breach("CANCEL-KEEPS-INSERTION", event.line, text, session=s, related=related)


# CLOSE-PROMPT-OUTCOME, "2. Prompt Accepted". The answers need not precede the close response. Why
# a code of its own may be right: the prompt's own failure crossed the close. An internal error, or
# one without a code, is an abort that leaked.
@check("CLOSE-PROMPT-OUTCOME", answers=PROMPT, end=True)
def close_prompt_outcome(
    case: Case, s: SessionFacts | None, event: Event | None, what: Any
) -> None:
    if s is None:
        return
    if what is END:
        for left in s.prompts.values():
            if left.closed:
                text = (
                    f"prompt {shown(left.request)}, pending at the session/close on line "
                    f"{left.closed}, is never answered"
                )
                case.owed("CLOSE-PROMPT-OUTCOME", left.line, text, session=s)
        return
    prompt = s.prompts.get(what.id)
    if prompt is None or not prompt.closed or event is None:
        return
    case.exercise("CLOSE-PROMPT-OUTCOME")
    if what.failed:
        _closed_out(case, s, event.line, what, prompt)


def _closed_out(
    case: Case, s: SessionFacts, line: int, answer: Answer, prompt: PromptFacts
) -> None:
    seen, proven = inserted(s, prompt)
    given = "with no code" if answer.code is None else f"{answer.code}"
    text = f"prompt {shown(prompt.request)}, pending at the session/close on line {prompt.closed}, "
    related: tuple[int, ...] = (prompt.closed,)
    if seen and proven:
        text += f"was inserted on line {seen} and is answered {given}; its messageId is owed"
        related = (prompt.closed, seen)
    elif seen or answer.code == REQUEST_CANCELLED:
        return
    else:
        text += f"is answered {given}; {REQUEST_CANCELLED} is the code of one that is kept out"
    if proven or answer.code in {INTERNAL_ERROR, None}:
        case.breach("CLOSE-PROMPT-OUTCOME", line, text, session=s, related=related)
    else:
        text = f"perhaps {text}; a failure of its own may have crossed the close"
        case.suspect("CLOSE-PROMPT-OUTCOME", line, text, session=s, related=related)


# CLOSE-CANCELS, "session-setup: Closing Active Sessions". Why most of it is only a suspicion:
#   1. The work ends by itself, and its idle crosses the close: then another reason is right.
#   2. Where the edition does not say that the idle comes first, or responses overtake
#      notifications, an idle that is missing may still come.
@check("CLOSE-CANCELS", answers=(methods.CloseSessionRequest,))
def close_cancels(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if s is None or answer.error is not None or not (s.busy or s.closing_stretch):
        return
    case.exercise("CLOSE-CANCELS")
    if not s.busy:
        if s.stretch == s.closing_stretch and s.stop_reason != "cancelled":
            text = (
                f"perhaps the work that session/close on line {s.closing} should have cancelled "
                f"ends otherwise on line {s.state_line}; it may have ended by itself"
            )
            related = (s.closing, s.state_line)
            case.suspect("CLOSE-CANCELS", s.state_line, text, session=s, related=related)
        return
    text = (
        f"session/close is answered while the last reported state, on line {s.state_line}, "
        f"is {shown(s.state)}"
    )
    if case.edition.close_ends_work_first and case.observer != "client":
        case.breach("CLOSE-CANCELS", event.line, text, session=s, related=(s.state_line,))
    else:
        text = f"perhaps {text}; its idle may still be on the way"
        case.suspect("CLOSE-CANCELS", event.line, text, session=s, related=(s.state_line,))


# CLOSE-SILENCE, "schema: CloseSessionRequest". At the client responses may have overtaken the
# updates that were sent before them, so that there it is a suspicion.
@check(
    "CLOSE-SILENCE",
    methods.SessionUpdate,
    methods.ElicitationRequest,
    *PERMISSION,
    answers=(methods.CloseSessionRequest,),
)
def close_silence(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if s is None or not case.edition.close_silences:
        return
    if isinstance(what, Answer):
        if what.error is None:
            case.exercise("CLOSE-SILENCE")
        return
    if not s.closed_line or s.resume is not None:
        return
    text = f"the agent sends for session {shown(s.id)} after it was closed on line {s.closed_line}"
    if case.observer == "client":
        text = f"perhaps {text}; the close response may have overtaken it"
        case.suspect("CLOSE-SILENCE", event.line, text, session=s, related=(s.closed_line,))
    else:
        case.breach("CLOSE-SILENCE", event.line, text, session=s, related=(s.closed_line,))
