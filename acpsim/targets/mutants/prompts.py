"""Mutants that misread a prompt's answer or its echo.

Theme: "2. Prompt Accepted". The answer ties a submission to a message by its messageId and does
nothing else; the echo makes the message. One function a mutant; `OF_PROMPTS` names them.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.reducer import Behaviour
from acpsim.reducer.requests import settle_prompt
from acpsim.reducer.state import IDLE, Prompt, Session
from acpsim.targets.mutants.mutant import (
    Mutant,
    altering,
    answering,
    report,
    settle_pending,
    then,
    with_calls,
    with_handlers,
    with_moves,
    with_results,
)
from acpsim.wire import methods, updates
from acpsim.wire.cells import ErrorObject
from acpsim.wire.jsonrpc import Malformed, RequestId

_USER: Final = (updates.UserMessage, updates.UserMessageChunk)


class _Sent(Prompt):
    """A submission that remembers what it said."""

    __slots__ = ("content",)

    def __init__(self, request: RequestId, content: list[Any]) -> None:
        super().__init__(request, "pending")
        self.content = content


class _Drawn(Prompt):
    """A submission whose user message was made from it and not from the echo."""

    __slots__ = ()


def _remembering(reference: Behaviour) -> Behaviour:
    def sent(session: Session, message: methods.PromptRequest) -> None:
        session.prompts.append(_Sent(message.id, message.params.prompt))

    return with_calls(reference, {methods.PromptRequest: sent})


def _echo_doubled(reference: Behaviour) -> Behaviour:
    def doubled(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if isinstance(outcome, methods.PromptResult):
            key = outcome.message_id
            if key in session.messages["user_message"]:
                session.timeline.append(("user_message", key))

    return answering(reference, doubled)


def _echo_dropped_after_response(reference: Behaviour) -> Behaviour:
    def answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        sent = _pending(session, request)
        reference.results[methods.PromptRequest](session, request, outcome)
        if not isinstance(outcome, methods.PromptResult) or not isinstance(sent, _Sent):
            return
        key = outcome.message_id
        if key in session.messages["user_message"]:
            return
        drawn = updates.UserMessage(message_id=key, content=sent.content)
        reference.handlers[updates.UserMessage](session, drawn, b"")
        at = next(n for n, held in enumerate(session.prompts) if held.message_id == key)
        session.prompts[at] = _Drawn(request, "accepted", message_id=key)

    def unless_drawn(session: Session, update: Any) -> Any:
        drawn = {held.message_id for held in session.prompts if isinstance(held, _Drawn)}
        return None if update.message_id in drawn else update

    mutant = with_results(_remembering(reference), {methods.PromptRequest: answered})
    return altering(mutant, _USER, unless_drawn)


def _pending(session: Session, request: RequestId) -> Prompt | None:
    for held in reversed(session.prompts):
        if held.request == request and held.status == "pending":
            return held
    return None


def _echo_by_text(reference: Behaviour) -> Behaviour:
    def tied(session: Session, update: updates.UserMessage) -> None:
        for held in session.prompts:
            if isinstance(held, _Sent) and held.content == update.content:
                accepted = Prompt(held.request, "accepted", message_id=update.message_id)
                settle_prompt(session, accepted)
                return

    return then(_remembering(reference), (updates.UserMessage,), tied)


def _echo_by_order(reference: Behaviour) -> Behaviour:
    def tied(honest: Any) -> Any:
        def handle(session: Session, update: Any, raw: bytes) -> str | None:
            is_new = update.message_id not in session.messages["user_message"]
            known = {held.message_id for held in session.prompts}
            waiting = [held for held in session.prompts if held.status == "pending"]
            if is_new and waiting and update.message_id not in known:
                first = waiting[0].request
                settle_prompt(session, Prompt(first, "accepted", message_id=update.message_id))
            remark: str | None = honest(session, update, raw)
            return remark

        return handle

    return with_handlers(
        reference, {variant: tied(reference.handlers[variant]) for variant in _USER}
    )


def _echo_dropped_while_running(reference: Behaviour) -> Behaviour:
    def unless_working(session: Session, update: Any) -> Any:
        return update if session.state == IDLE else None

    return altering(reference, _USER, unless_working)


def _placed_by_response(reference: Behaviour) -> Behaviour:
    def placed(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if isinstance(outcome, methods.PromptResult):
            empty = updates.UserMessage(message_id=outcome.message_id)
            reference.handlers[updates.UserMessage](session, empty, b"")

    return answering(reference, placed)


def _response_as_idle(reference: Behaviour) -> Behaviour:
    def ended(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if isinstance(outcome, methods.PromptResult) and session.state != IDLE:
            report(reference, session, IDLE)

    return answering(reference, ended)


def _rejection_as_idle(reference: Behaviour) -> Behaviour:
    def ended(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if isinstance(outcome, ErrorObject | dict) and session.state != IDLE:
            report(reference, session, IDLE)

    return answering(reference, ended)


def _prompt_sent_as_running(reference: Behaviour) -> Behaviour:
    def sent(session: Session, message: methods.PromptRequest) -> None:
        reference.calls[methods.PromptRequest](session, message)
        if session.state == IDLE:
            report(reference, session, "running")

    return with_calls(reference, {methods.PromptRequest: sent})


def _unreadable_as_rejected(reference: Behaviour) -> Behaviour:
    def answered(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        if isinstance(outcome, Malformed):
            settle_prompt(session, Prompt(request, "rejected"))
        else:
            reference.results[methods.PromptRequest](session, request, outcome)

    return with_results(reference, {methods.PromptRequest: answered})


def _pending_dropped_at_idle(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: updates.StateUpdate) -> None:
        reference.transitions[IDLE](session, update)
        settle_pending(session, "uncertain")

    return with_moves(reference, {IDLE: idle})


OF_PROMPTS: Final = (
    Mutant(
        name="echo-doubled",
        breaks=("PROMPT-RECONCILE", "response-order"),
        text="enters a user message twice when its echo came before the response",
        behaviour=_echo_doubled,
    ),
    Mutant(
        name="echo-dropped-after-response",
        breaks=("PROMPT-RECONCILE", "response-order"),
        text="draws the prompt itself when the response comes first, and then drops the echo",
        behaviour=_echo_dropped_after_response,
    ),
    Mutant(
        name="echo-by-text",
        breaks=("PROMPT-NO-INFERENCE", "text-blind"),
        text="takes a user message that says what a pending prompt says for its echo",
        behaviour=_echo_by_text,
    ),
    Mutant(
        name="echo-by-order",
        breaks=("PROMPT-NO-INFERENCE", "response-order"),
        text="takes the next new user message for the echo of the oldest pending prompt",
        behaviour=_echo_by_order,
    ),
    Mutant(
        name="echo-dropped-while-running",
        breaks=("PROMPT-RECONCILE",),
        text="drops user messages while work is going on, as if each were an echo",
        behaviour=_echo_dropped_while_running,
    ),
    Mutant(
        name="placed-by-response",
        breaks=("PROMPT-RECONCILE", "TIMELINE-FIRST-SEEN", "response-order"),
        text="gives the user message its place when the response comes, not when the echo does",
        behaviour=_placed_by_response,
    ),
    Mutant(
        name="response-as-idle",
        breaks=("PROMPT-NOT-IDLE", "response-order"),
        text="takes the prompt's response for the end of the work",
        behaviour=_response_as_idle,
    ),
    Mutant(
        name="rejection-as-idle",
        breaks=("PROMPT-NOT-IDLE",),
        text="takes the error response to a prompt for the end of the work",
        behaviour=_rejection_as_idle,
    ),
    Mutant(
        name="prompt-sent-as-running",
        breaks=("STATE-BACKGROUND",),
        text="shows running as soon as a prompt is sent",
        behaviour=_prompt_sent_as_running,
    ),
    Mutant(
        name="unreadable-answer-as-rejection",
        breaks=("PROMPT-NO-INFERENCE",),
        text="takes a prompt whose response cannot be read for rejected",
        behaviour=_unreadable_as_rejected,
    ),
    Mutant(
        name="pending-prompts-dropped-at-idle",
        breaks=("PROMPT-RECONCILE", "response-order"),
        text="gives up waiting for a prompt's response when the work ends",
        behaviour=_pending_dropped_at_idle,
    ),
)
