"""PROMPT-*: what a prompt may hold, and how it is answered.

Headings: "1. User Message", "2. Prompt Accepted", "Cancellation". Facts: open prompts with digests
of their contents and what covered them, user messages that no response has claimed, which
messageIds were accepted and echoed. What an error says of insertion is in `insertion`.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import IDLE, OPENED, PromptFacts, SessionFacts, content_digest
from acpsim.rules.insertion import ECHOES, PROMPT, inserted
from acpsim.rules.registry import END, LOST, check
from acpsim.rules.rpc import BEFORE_TRACE, shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import cell_field
from acpsim.wire.jsonrpc import INTERNAL_ERROR, REQUEST_CANCELLED, Malformed
from acpsim.wire.trace import Event

CAPABILITIES: Final = {"image": "image", "audio": "audio", "resource": "embedded_context"}
"""Block type → the prompt capability that allows it; text and resource_link need none."""
ALWAYS: Final = frozenset({"text", "resource_link"})
RESUME: Final = (methods.ResumeSessionRequest,)


# PROMPT-RESPONSE-ID, "2. Prompt Accepted".
@check("PROMPT-RESPONSE-ID", answers=PROMPT)
def response_id(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if answer.error is not None or isinstance(event.message, Malformed):
        return  # An envelope that cannot be read is RPC-ENVELOPE's.
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
# the session speaks again after a quiet time that the user set, and at the end. Once a prompt.
@check(
    "PROMPT-PENDING-IDLE", methods.SessionUpdate, methods.PromptRequest, answers=PROMPT, end=True
)
def pending_idle(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if isinstance(what, methods.PromptRequest):
        case.exercise("PROMPT-PENDING-IDLE")
    if not s.prompts or s.busy:
        return
    if what is not END and (case.quiet_s is None or case.t - s.last_t < case.quiet_s):
        return
    for prompt in s.prompts.values():
        quiet_s = case.t - max(prompt.t, s.last_t)
        long = case.quiet_s is not None and quiet_s >= case.quiet_s
        if prompt.remarked or not (long or (what is END and case.complete)):
            continue
        prompt.remarked = True
        waited = f"for {quiet_s:.3g} s" if long else "to the end"
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
    if user is not None and user.worked and not user.replayed:
        text = (
            f"perhaps the response to prompt {shown(answer.request.id)} waited for the work: its "
            f"message stands on line {user.line}, the work that followed ended on line "
            f"{user.worked}; the response may also have been overtaken on its way"
        )
        related = (user.line, user.worked)
        case.suspect("PROMPT-NOT-DELAYED", event.line, text, session=s, related=related)


class Covered(NamedTuple):
    """A response to a prompt that a cancel had covered, held until more is known."""

    line: int
    prompt: PromptFacts
    code: int | None


class Watch:
    """What PROMPT-CANCEL-CODE waits for in a session."""

    __slots__ = ("errors", "success")

    def __init__(self) -> None:
        self.errors: list[Covered] = []
        self.success: Covered | None = None


# PROMPT-CANCEL-CODE, "Cancellation". Why another code may be right:
#   1. The client sends a cancel; at the same time the agent's hook fails for a reason of its own.
#   2. Its error crosses the cancel.
# An internal error, or one without a code, from an agent that is known to have read the cancel is
# an abort that leaked. What shows that it had may come after the error: held until then, a
# suspicion at the end. Why a success may be right where no work was reported at the cancel:
#   1. The agent inserts the message; its response, or the whole turn, crosses the cancel.
#   2. Nothing obliges an agent to drop a prompt that it has not inserted yet.
# So a success is only a suspicion, and only where its work then runs to another end than cancelled.
# A prompt that a close kept out is CLOSE-PROMPT-OUTCOME's.
@check("PROMPT-CANCEL-CODE", updates.StateUpdate, answers=PROMPT, lost=True, end=True)
def cancel_code(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    watch: Watch | None = s.extra.get("PROMPT-CANCEL-CODE")
    if isinstance(what, Answer):
        prompt = s.prompts.get(what.id)
        if prompt is not None and prompt.cancelled and event is not None:
            _cancelled_answer(case, s, Covered(event.line, prompt, what.code), what)
    elif watch is None:
        return
    elif not isinstance(what, updates.StateUpdate):
        for error in watch.errors:
            _tell_code(case, s, error, proven=False)
        del s.extra["PROMPT-CANCEL-CODE"]
    elif what.state == IDLE and s.busy and event is not None:
        if what.stop_reason == "cancelled":
            for error in [error for error in watch.errors if _covers(s, error)]:
                watch.errors.remove(error)
                _tell_code(case, s, error, proven=True)
        elif watch.success is not None:
            _tell_success(case, s, watch.success, event.line)
        watch.success = None


def _cancelled_answer(case: Case, s: SessionFacts, given: Covered, answer: Answer) -> None:
    case.exercise("PROMPT-CANCEL-CODE")
    watch: Watch = s.extra.setdefault("PROMPT-CANCEL-CODE", Watch())
    if isinstance(answer.outcome, methods.PromptResult):
        unseen = s.echoed.get(answer.outcome.message_id, given.line) > given.prompt.cancelled
        if unseen and not s.busy and _covers(s, given):
            watch.success = given
    elif answer.failed and given.code != REQUEST_CANCELLED and not inserted(s, given.prompt)[0]:
        read = s.cancel is not None and s.cancel.read > 0 and _covers(s, given)
        if case.observer == "agent" or read:
            _tell_code(case, s, given, proven=True)
        else:
            watch.errors.append(given)


def _covers(s: SessionFacts, given: Covered) -> bool:
    """Whether the session's open cancel is one that covered the prompt."""
    return s.cancel is not None and 0 < given.prompt.stopped <= s.cancel.line


def _tell_code(case: Case, s: SessionFacts, error: Covered, *, proven: bool) -> None:
    prompt = error.prompt
    given = "with no code" if error.code is None else f"{error.code}"
    text = (
        f"prompt {shown(prompt.request)} was cancelled on line {prompt.cancelled} before "
        f"insertion and is answered {given}; {REQUEST_CANCELLED} is the code for that"
    )
    related = (prompt.cancelled,)
    if proven and error.code in {INTERNAL_ERROR, None}:
        case.breach("PROMPT-CANCEL-CODE", error.line, text, session=s, related=related)
    else:
        text = f"perhaps {text}; a failure of its own may have crossed the cancel"
        case.suspect("PROMPT-CANCEL-CODE", error.line, text, session=s, related=related)


def _tell_success(case: Case, s: SessionFacts, given: Covered, idle: int) -> None:
    prompt = given.prompt
    text = (
        f"perhaps prompt {shown(prompt.request)}, cancelled on line {prompt.cancelled}, was "
        f"inserted in spite of it: its work ends on line {idle}, and not cancelled; it may have "
        "been inserted before the agent read the cancel"
    )
    related = (prompt.cancelled, idle)
    case.suspect("PROMPT-CANCEL-CODE", given.line, text, session=s, related=related)


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


# PROMPT-AFTER-SETUP, "Prompt Lifecycle". A suspicion as long as no initialize was seen: the trace
# may be cut from the middle.
@check("PROMPT-AFTER-SETUP", methods.PromptRequest)
def after_setup(
    case: Case, s: SessionFacts | None, event: Event, message: methods.PromptRequest
) -> None:
    assert s is not None
    case.exercise("PROMPT-AFTER-SETUP")
    if not case.ledger.initialize_line:
        text = f"prompt {shown(message.id)} is sent before initialize was answered"
    elif s.origin not in OPENED:
        text = f"prompt {shown(message.id)} is sent to a session that was not created or resumed"
    elif s.resume is not None and not s.resume.open_before:
        text = f"prompt {shown(message.id)} is sent before session/resume was answered"
    else:
        return
    if case.ledger.from_start:
        case.breach("PROMPT-AFTER-SETUP", event.line, text, session=s)
    else:
        case.suspect("PROMPT-AFTER-SETUP", event.line, f"perhaps {text}; {BEFORE_TRACE}", session=s)


# PROMPT-REPLAY-ID, "2. Prompt Accepted". Why this is only a suspicion:
#   1. Another client sends the same content while this one is away, or its echo is lost with the
#      connection: the replay rightly tells a message that is unknown here.
#   2. Then the one that is known is replayed too, before or after it, if it was retained.
# So it is decided where the replay ends; a lost connection leaves it undecided.
@check("PROMPT-REPLAY-ID", *ECHOES, answers=RESUME, lost=True, end=True)
def replay_id(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None or not s.replaying:
        return
    strange: dict[str, tuple[int, bytes]] = s.extra.setdefault("PROMPT-REPLAY-ID", {})
    if isinstance(what, ECHOES):
        if what.content and event is not None:
            case.exercise("PROMPT-REPLAY-ID")
            if what.message_id not in s.echoed:
                strange[what.message_id] = (event.line, content_digest(what.content))
        return
    if what is not LOST:
        _replayed(case, s, strange)
    strange.clear()


def _replayed(case: Case, s: SessionFacts, strange: dict[str, tuple[int, bytes]]) -> None:
    assert s.resume is not None
    for identity, (line, content) in strange.items():
        live = s.live.get(content)
        if live is None or live in s.resume.replayed:
            continue
        text = (
            f"perhaps user message {shown(live)} is replayed as {shown(identity)}; "
            "another client may have sent the same content meanwhile"
        )
        case.suspect("PROMPT-REPLAY-ID", line, text, session=s)
