"""PROMPT-ERROR-AFTER-INSERT and PROMPT-ECHO-OF-REJECTED: errors and user messages that do not go
together.

Headings: "2. Prompt Accepted", "Prompts that are never inserted". Facts: open and rejected prompts
with digests of their contents, user messages that no response has claimed. An error names no
messageId, so that most of what can be said here is a suspicion.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, Final, NamedTuple

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import FIRST, PromptFacts, SessionFacts, UserFacts, content_digest
from acpsim.rules.registry import END, LOST, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.jsonrpc import RequestId
from acpsim.wire.trace import Event

PROMPT: Final = (methods.PromptRequest,)
ECHOES: Final = (updates.UserMessage, updates.UserMessageChunk)


def inserted(s: SessionFacts, prompt: PromptFacts) -> tuple[int, bool]:
    """Whether a pending prompt's message seems inserted: (line of its message or 0, proven).

    Proven where no other prompt could own it, its whole content is the prompt's and no history is
    replayed; see PROMPT-ERROR-AFTER-INSERT.
    """
    for user in s.unclaimed.values():
        if user.line > prompt.line and not user.replayed and user.equals(prompt):
            return user.line, len(s.prompts) == 1 and s.owns(prompt, user)
    return 0, False


class ErrorHeld(NamedTuple):
    """An error to a prompt whose message seems inserted, while another prompt may own that."""

    line: int
    prompt: PromptFacts
    code: int | None
    identity: str
    user: UserFacts


HELD_MAX: Final = 256
"""Errors held in a session: a client has a handful of prompts open. More are told at once."""


# PROMPT-ERROR-AFTER-INSERT, "2. Prompt Accepted". The error names no messageId. Why a message that
# was first seen while the prompt was pending may be another's:
#   1. Two prompts are pending; one message is reported, and one of them gets an error.
#   2. Either may be the one that was inserted, until the other has its own response.
#   3. A message of other content may be the prompt's, written anew, or another client's; so may one
#      that has only begun as the prompt does.
#   4. A response that names no message, or was lost, accounts for no prompt.
# So it is proof where the contents are equal, no history is replayed, and each other prompt is
# accounted for; until then it is held. A cancelled prompt is rejected often enough that a message
# of other content says nothing of it.
@check("PROMPT-ERROR-AFTER-INSERT", answers=PROMPT, lost=True, end=True)
def error_after_insert(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    held: list[ErrorHeld] = s.extra.get("PROMPT-ERROR-AFTER-INSERT", [])
    if not isinstance(what, Answer):
        for error in held:
            _tell_error(case, s, error, alone=False)
        held.clear()
        return
    case.exercise("PROMPT-ERROR-AFTER-INSERT")
    oldest = min((prompt.line for prompt in _others(s, what.id, 1)), default=0)
    if held:
        _resolve(case, s, held, what, oldest)
    prompt = s.prompts.get(what.id)
    if not what.failed or prompt is None or event is None:
        return
    found = _candidate(s, prompt)
    if found is None:
        return
    error = ErrorHeld(event.line, prompt, what.code, *found)
    if oldest and len(held) < HELD_MAX:
        s.extra.setdefault("PROMPT-ERROR-AFTER-INSERT", []).append(error)
    else:
        _tell_error(case, s, error, alone=not oldest)


def _others(s: SessionFacts, request: RequestId, most: int) -> list[PromptFacts]:
    """The open prompts but one, oldest first, up to so many."""
    others = (prompt for prompt in s.prompts.values() if prompt.request != request)
    return list(islice(others, most))


def _resolve(
    case: Case, s: SessionFacts, held: list[ErrorHeld], answer: Answer, oldest: int
) -> None:
    """Lets go what a response has explained, and tells what no open prompt can explain."""
    claimed = getattr(answer.outcome, "message_id", None)
    accounts = answer.failed or claimed is not None
    for error in list(held):
        alone = oldest == 0 or oldest > error.line
        if error.identity == claimed or alone:
            held.remove(error)
            if error.identity != claimed:
                _tell_error(case, s, error, alone=alone and accounts)


def _candidate(s: SessionFacts, prompt: PromptFacts) -> tuple[str, UserFacts] | None:
    """The user message that seems to be the prompt's: one of its content before any other."""
    others = _others(s, prompt.request, HELD_MAX)
    theirs = {other.whole for other in others} | {other.first for other in others}
    best = None
    for identity, user in s.unclaimed.items():
        if user.line < prompt.line or user.replayed:
            continue
        if user.equals(prompt):
            return identity, user
        if best is None and user.digest not in theirs and not (prompt.cancelled or prompt.closed):
            best = (identity, user)
    return best


def _tell_error(case: Case, s: SessionFacts, error: ErrorHeld, *, alone: bool) -> None:
    code = "an error" if error.code is None else f"error {error.code}"
    text = (
        f"the agent answered prompt {shown(error.prompt.request)} with {code}, "
        f"after its user message was inserted on line {error.user.line}"
    )
    related = (error.user.line,)
    if alone and s.owns(error.prompt, error.user):
        case.breach("PROMPT-ERROR-AFTER-INSERT", error.line, text, session=s, related=related)
        return
    why = "another prompt or a replay could own that message"
    if error.user.content != error.prompt.content:
        why = "its content is not the prompt's, so it may be another client's"
    text = f"perhaps {text}; {why}"
    case.suspect("PROMPT-ERROR-AFTER-INSERT", error.line, text, session=s, related=related)


# PROMPT-ECHO-OF-REJECTED, "Prompts that are never inserted". Why this is only a suspicion: another
# client of the session may have sent the same content. Decided at the end, when every response
# that could claim the message has come; where the connection is lost first, it stays undecided.
@check("PROMPT-ECHO-OF-REJECTED", *ECHOES, answers=PROMPT, lost=True, end=True)
def echo_of_rejected(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if what is LOST:
        _forget_claimable(s)
    elif what is END:
        _forget_claimable(s)
        _orphans(case, s)
    elif isinstance(what, Answer):
        if what.failed:
            case.exercise("PROMPT-ECHO-OF-REJECTED")
    elif s.rejected and what.message_id not in s.echoed and not s.replaying:
        content = what.content
        if not content or event is None:
            return
        whole = isinstance(what, updates.UserMessage)
        user = UserFacts(event.line, content_digest(content), whole=whole, replayed=False)
        prompt = s.rejected.get(user.key)
        if prompt is not None:
            orphans = s.extra.setdefault("PROMPT-ECHO-OF-REJECTED", {})
            orphans[what.message_id] = (user, prompt)


def _forget_claimable(s: SessionFacts) -> None:
    """What a prompt of equal content, still unanswered, could have claimed is no orphan."""
    orphans: dict[str, tuple[UserFacts, PromptFacts]] = s.extra.get("PROMPT-ECHO-OF-REJECTED", {})
    open_ = {prompt.whole for prompt in s.prompts.values()}
    open_ |= {FIRST + prompt.first for prompt in s.prompts.values()}
    for identity, (user, _) in list(orphans.items()):
        if user.key in open_:
            del orphans[identity]


def _orphans(case: Case, s: SessionFacts) -> None:
    for identity, (user, prompt) in s.extra.get("PROMPT-ECHO-OF-REJECTED", {}).items():
        if identity in s.accepted:
            continue
        text = (
            f"perhaps the agent reports user message {shown(identity)} of prompt "
            f"{shown(prompt.request)}, which it had rejected; no other prompt claims it, "
            "but another client of the session could have sent the same"
        )
        related = (prompt.line,)
        case.suspect("PROMPT-ECHO-OF-REJECTED", user.line, text, session=s, related=related)
