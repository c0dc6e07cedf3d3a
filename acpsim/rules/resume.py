"""RESUME-*: what may and must come between `session/resume` and its response.

Headings: "session-setup: Resuming Sessions", the schema's ResumeSessionResponse. Facts: the open
resume and what was seen since. At the client responses overtake notifications: there nothing is
proof.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.insertion import ECHOES
from acpsim.rules.registry import check
from acpsim.wire import methods, updates
from acpsim.wire.trace import Event

RESUME: Final = (methods.ResumeSessionRequest,)
HISTORY: Final = (
    updates.UserMessage,
    updates.UserMessageChunk,
    updates.AgentMessage,
    updates.AgentMessageChunk,
    updates.AgentThought,
    updates.AgentThoughtChunk,
)
"""What is conversation and cannot be background activity or metadata."""


# RESUME-NO-REPLAY, "session-setup: Resuming Sessions". Why what comes before the response may be no
# history:
#   1. The session was open, or its work went on after the connection was lost.
#   2. That work speaks while the resume is under way: live updates, not history.
# A user message that was known before is history all the same. Once a state was reported, what
# follows is taken for live. One remark for each resume.
@check("RESUME-NO-REPLAY", *HISTORY, answers=RESUME)
def no_replay(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if s is None or s.resume is None or s.resume.replay:
        return
    if isinstance(what, Answer):
        if what.error is None:
            case.exercise("RESUME-NO-REPLAY")
        return
    if s.resume.state or s.resume.history:
        return
    text = (
        f"the agent replays history after the session/resume on line {s.resume.line}, "
        "which did not ask for it"
    )
    related = (s.resume.line,)
    live = s.resume.open_before or s.interrupted
    if live and not _known_before(s, what):
        text = f"perhaps {text}; work that goes on may have said it just then"
        case.suspect("RESUME-NO-REPLAY", event.line, text, session=s, related=related)
    else:
        case.breach("RESUME-NO-REPLAY", event.line, text, session=s, related=related)


def _known_before(s: SessionFacts, update: Any) -> bool:
    """Whether it tells again the content of a user message that was told before."""
    told = isinstance(update, ECHOES) and bool(update.content)
    return told and update.message_id in s.echoed


# RESUME-STATE, "schema: ResumeSessionResponse". Why a state before other updates may be right:
#   1. The replay ends; the agent reports the current state.
#   2. Before it answers, the session's work says something new: that is no part of the replay.
# A user message that was known before the resume is.
@check("RESUME-STATE", answers=RESUME)
def resume_state(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    if s is None or s.resume is None or answer.error is not None:
        return
    if not case.edition.resume_reports_state:
        return
    case.exercise("RESUME-STATE")
    resume = s.resume
    if resume.state > resume.history or (resume.state and not resume.replay):
        return
    why = "the response may have overtaken it" if case.observer == "client" else None
    if not resume.state:
        text = "session/resume is answered without a state_update before it"
    else:
        text = f"the state on line {resume.state} comes before the end of the replay"
        if resume.again < resume.state:
            why = "what came after it may be live"
    if why is not None:
        text = f"perhaps {text}; {why}"
        case.suspect("RESUME-STATE", event.line, text, session=s, related=(resume.line,))
    else:
        case.breach("RESUME-STATE", event.line, text, session=s, related=(resume.line,))
