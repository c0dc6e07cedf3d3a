"""PROMPT-*: insertion, its response and its echo.

Headings: "1. User Message", "2. Prompt Accepted", "Prompts that are never inserted". Facts: open
and rejected prompts with digests of their contents, user messages that no response has claimed,
which messageIds were accepted and echoed.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import PromptFacts, SessionFacts, UserFacts, digest
from acpsim.rules.registry import END, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import cell_field
from acpsim.wire.jsonrpc import INTERNAL_ERROR, REQUEST_CANCELLED, Malformed
from acpsim.wire.trace import Event

PROMPT: Final = (methods.PromptRequest,)
ECHOES: Final = (updates.UserMessage, updates.UserMessageChunk)

CAPABILITIES: Final = {"image": "image", "audio": "audio", "resource": "embedded_context"}
"""Block type → the prompt capability that allows it; text and resource_link need none."""
ALWAYS: Final = frozenset({"text", "resource_link"})


# PROMPT-RESPONSE-ID, "2. Prompt Accepted".
@check("PROMPT-RESPONSE-ID", answers=PROMPT)
def response_id(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if answer.error is not None:
        return
    case.exercise("PROMPT-RESPONSE-ID")
    if isinstance(answer.outcome, Malformed):
        text = (
            f"the success response to prompt {shown(answer.request.id)} carries no messageId; "
            "a string is required"
        )
        case.breach(
            "PROMPT-RESPONSE-ID", event.line, text, session=s, related=(answer.opened.line,)
        )


# PROMPT-ECHO, "2. Prompt Accepted". The echo may come before or after the response: open till then.
@check("PROMPT-ECHO", answers=PROMPT, end=True)
def echo(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if what is not END:
        if isinstance(what.outcome, methods.PromptResult):
            case.exercise("PROMPT-ECHO")
        return
    for identity, line in s.owed_echoes.items():
        text = (
            f"the agent answered a prompt with messageId {shown(identity)} "
            "and never reports that user message with content"
        )
        case.owed("PROMPT-ECHO", line, text, session=s)


# PROMPT-DISTINCT-ID, "2. Prompt Accepted".
@check("PROMPT-DISTINCT-ID", answers=PROMPT)
def distinct_id(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if s is None or not isinstance(answer.outcome, methods.PromptResult):
        return
    case.exercise("PROMPT-DISTINCT-ID")
    identity = answer.outcome.message_id
    before = s.accepted.get(identity)
    if before is not None:
        text = (
            f"the agent answered prompt {shown(answer.request.id)} with messageId "
            f"{shown(identity)}, which another prompt has since line {before}"
        )
        case.breach("PROMPT-DISTINCT-ID", event.line, text, session=s, related=(before,))


def inserted(s: SessionFacts, prompt: PromptFacts) -> tuple[int, bool]:
    """Whether a pending prompt's message seems inserted: (line of its message or 0, proven).

    Why an equal message may be another's:
      1. Two prompts of one content are pending; one message is reported.
      2. Either may be the one that was inserted, until the other has its own response.
    It is proven where no other pending prompt could own it and no history is replayed.
    """
    for user in s.unclaimed.values():
        if user.line > prompt.line and not user.replayed and user.equals(prompt):
            others = any(other is not prompt and user.equals(other) for other in s.prompts.values())
            return user.line, not others and not s.replaying
    return 0, False


# PROMPT-ERROR-AFTER-INSERT, "2. Prompt Accepted". The error names no messageId; see `inserted`.
@check("PROMPT-ERROR-AFTER-INSERT", answers=PROMPT)
def error_after_insert(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if s is None:
        return
    case.exercise("PROMPT-ERROR-AFTER-INSERT")
    prompt = s.prompts.get(answer.id)
    if answer.error is None or prompt is None:
        return
    line, proven = inserted(s, prompt)
    if not line:
        return
    text = (
        f"the agent answered prompt {shown(prompt.request)} with error {answer.error.code}, "
        f"after its user message was inserted on line {line}"
    )
    if proven:
        case.breach("PROMPT-ERROR-AFTER-INSERT", event.line, text, session=s, related=(line,))
    else:
        text = f"perhaps {text}; another prompt or a replay could own that message"
        case.suspect("PROMPT-ERROR-AFTER-INSERT", event.line, text, session=s, related=(line,))


# PROMPT-ECHO-OF-REJECTED, "Prompts that are never inserted". Why this is only a suspicion: another
# client of the session may have sent the same content. Decided at the end, when every response
# that could claim the message has come.
@check("PROMPT-ECHO-OF-REJECTED", *ECHOES, answers=PROMPT, end=True)
def echo_of_rejected(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if what is END:
        _orphans(case, s)
    elif isinstance(what, Answer):
        if what.error is not None:
            case.exercise("PROMPT-ECHO-OF-REJECTED")
    elif what.message_id not in s.echoed and not s.replaying and s.rejected:
        content = what.content
        if not content or event is None:
            return
        whole = isinstance(what, updates.UserMessage)
        user = UserFacts(event.line, digest(content), whole=whole, replayed=False)
        for prompt in s.rejected:
            if user.equals(prompt) and not any(user.equals(p) for p in s.prompts.values()):
                s.extra.setdefault("PROMPT-ECHO-OF-REJECTED", {})[what.message_id] = (
                    event.line,
                    prompt,
                )


def _orphans(case: Case, s: SessionFacts) -> None:
    for identity, (line, prompt) in s.extra.get("PROMPT-ECHO-OF-REJECTED", {}).items():
        if identity in s.accepted:
            continue
        text = (
            f"perhaps the agent reports user message {shown(identity)} of prompt "
            f"{shown(prompt.request)}, which it had rejected; no other prompt claims it, "
            "but another client of the session could have sent the same"
        )
        case.suspect("PROMPT-ECHO-OF-REJECTED", line, text, session=s, related=(prompt.line,))


# PROMPT-ANSWERED, "2. Prompt Accepted". A second response is RPC-RESPONSE-MATCH's.
@check("PROMPT-ANSWERED", methods.PromptRequest, end=True)
def answered(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if what is not END:
        case.exercise("PROMPT-ANSWERED")
        return
    for prompt in s.prompts.values():
        text = f"prompt {shown(prompt.request)} is never answered"
        case.owed("PROMPT-ANSWERED", prompt.line, text, session=s)


# PROMPT-PENDING-IDLE, "Insertion and ordering". A hint: an agent may hold a prompt. Looked at when
# the session speaks again after a quiet time that the user set, and at the end.
@check("PROMPT-PENDING-IDLE", methods.SessionUpdate, methods.PromptRequest, end=True)
def pending_idle(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if isinstance(what, methods.PromptRequest):
        case.exercise("PROMPT-PENDING-IDLE")
    if s.busy or not s.prompts:
        return
    for prompt in s.prompts.values():
        if what is END:
            quiet_s = None
        elif case.quiet_s is None or event is None:
            continue
        else:
            quiet_s = event.t - max(prompt.t, s.last_t)
            if quiet_s < case.quiet_s:
                continue
        waited = "to the end" if quiet_s is None else f"for {quiet_s:.3g} s"
        text = (
            f"perhaps prompt {shown(prompt.request)} is forgotten: it waits {waited} while the "
            "session is idle and silent; an agent may hold a prompt"
        )
        case.suspect("PROMPT-PENDING-IDLE", prompt.line, text, session=s)


# PROMPT-NOT-DELAYED, "2. Prompt Accepted". Why this is only a suspicion:
#   1. The echo is seen, work begins after it and ends in idle, and only then the response comes.
#   2. On a transport with several streams the response may have been sent long before.
@check("PROMPT-NOT-DELAYED", answers=PROMPT)
def not_delayed(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if s is None or not isinstance(answer.outcome, methods.PromptResult):
        return
    case.exercise("PROMPT-NOT-DELAYED")
    user = s.unclaimed.get(answer.outcome.message_id)
    if user is not None and user.worked:
        text = (
            f"perhaps the response to prompt {shown(answer.request.id)} waited for the work: its "
            f"message stands on line {user.line}, the work that followed ended on line "
            f"{user.worked}; the response may also have been overtaken on its way"
        )
        case.suspect(
            "PROMPT-NOT-DELAYED",
            event.line,
            text,
            session=s,
            related=(user.line, user.worked),
        )


# PROMPT-CANCEL-CODE, "Cancellation". Why another code may be right:
#   1. The client sends a cancel; at the same time the agent's hook fails for a reason of its own.
#   2. Its error crosses the cancel.
# An internal error from an agent that is known to have read the cancel is an abort that leaked.
# What shows that it had may come after the error: held until then, a suspicion at the end. A
# prompt that a close kept out is CLOSE-PROMPT-OUTCOME's.
@check("PROMPT-CANCEL-CODE", updates.StateUpdate, answers=PROMPT, end=True)
def cancel_code(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    held: list[tuple[int, PromptFacts, int]] = s.extra.setdefault("PROMPT-CANCEL-CODE", [])
    if isinstance(what, Answer):
        prompt = s.prompts.get(what.id)
        if prompt is None or not prompt.cancelled or what.error is None:
            return
        case.exercise("PROMPT-CANCEL-CODE")
        line, _ = inserted(s, prompt)
        if what.error.code != REQUEST_CANCELLED and not line and event is not None:
            held.append((event.line, prompt, what.error.code))
            if case.observer == "agent" or (s.cancel is not None and s.cancel.read):
                _tell_code(case, s, held, proven=True)
    elif isinstance(what, updates.StateUpdate):
        if held and what.state == "idle" and what.stop_reason == "cancelled":
            _tell_code(case, s, held, proven=True)
    elif held:
        _tell_code(case, s, held, proven=False)


def _tell_code(
    case: Case, s: SessionFacts, held: list[tuple[int, PromptFacts, int]], *, proven: bool
) -> None:
    for line, prompt, code in held:
        text = (
            f"prompt {shown(prompt.request)} was cancelled on line {prompt.cancelled} before "
            f"insertion and is answered {code}; {REQUEST_CANCELLED} is the code for that"
        )
        related = (prompt.cancelled,)
        if proven and code == INTERNAL_ERROR:
            case.breach("PROMPT-CANCEL-CODE", line, text, session=s, related=related)
        else:
            text = f"perhaps {text}; a failure of its own may have crossed the cancel"
            case.suspect("PROMPT-CANCEL-CODE", line, text, session=s, related=related)
    held.clear()


# PROMPT-CONTENT-CAPABILITY, "1. User Message".
@check("PROMPT-CONTENT-CAPABILITY", methods.PromptRequest)
def content_capability(
    case: Case, s: SessionFacts | None, event: Event, message: methods.PromptRequest
) -> None:
    capabilities = case.ledger.capabilities
    if capabilities is None:
        return
    case.exercise("PROMPT-CONTENT-CAPABILITY")
    for block in message.params.prompt:
        kind = cell_field(block, "type")
        if kind in ALWAYS:
            continue
        name = CAPABILITIES.get(kind)
        held = getattr(capabilities, name) if name else None
        if not isinstance(held, dict):
            text = (
                f"prompt {shown(message.id)} has a block of type {shown(kind)}; the agent "
                "declared no capability for it"
            )
            case.breach("PROMPT-CONTENT-CAPABILITY", event.line, text, session=s)
            return


# PROMPT-AFTER-SETUP, "Prompt Lifecycle".
@check("PROMPT-AFTER-SETUP", methods.PromptRequest)
def after_setup(
    case: Case, s: SessionFacts | None, event: Event, message: methods.PromptRequest
) -> None:
    assert s is not None
    case.exercise("PROMPT-AFTER-SETUP")
    if not case.ledger.initialize_line:
        text = f"prompt {shown(message.id)} is sent before initialize was answered"
    elif s.origin in {"unknown", "listed"}:
        text = f"prompt {shown(message.id)} is sent to a session that was not created or resumed"
    elif s.resume is not None:
        text = f"prompt {shown(message.id)} is sent before session/resume was answered"
    else:
        return
    case.breach("PROMPT-AFTER-SETUP", event.line, text, session=s)


# PROMPT-REPLAY-ID, "2. Prompt Accepted". Why this is only a suspicion: another client may have sent
# the same content while this one was away.
@check("PROMPT-REPLAY-ID", *ECHOES)
def replay_id(case: Case, s: SessionFacts | None, event: Event, update: Any) -> None:
    assert s is not None
    if not s.replaying or not update.content or update.content is None:
        return
    case.exercise("PROMPT-REPLAY-ID")
    identity = update.message_id
    live = s.live.get(digest(update.content))
    assert s.resume is not None
    if live is None or live in s.resume.replayed:
        return  # The live one is replayed under its own id: this is another of equal content.
    if live != identity and identity not in s.echoed:
        text = (
            f"perhaps user message {shown(live)} is replayed as {shown(identity)}; "
            "another client may have sent the same content meanwhile"
        )
        case.suspect("PROMPT-REPLAY-ID", event.line, text, session=s)
