"""RESUME-*: what may and must come between `session/resume` and its response.

Headings: "session-setup: Resuming Sessions", the schema's ResumeSessionResponse. Facts: the open
resume and what was seen since. At the client responses overtake notifications: there nothing is
proof.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import SessionFacts
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


# RESUME-NO-REPLAY, "session-setup: Resuming Sessions". Work that goes on in a resumed session
# speaks too, after it has reported its state; what comes before any state is history. One remark
# for each resume.
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
    case.breach("RESUME-NO-REPLAY", event.line, text, session=s, related=(s.resume.line,))


# RESUME-STATE, "schema: ResumeSessionResponse".
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
    if not resume.state:
        text = "session/resume is answered without a state_update before it"
    else:
        text = f"the state on line {resume.state} comes before the end of the replay"
    if case.observer == "client":
        text = f"perhaps {text}; the response may have overtaken it"
        case.suspect("RESUME-STATE", event.line, text, session=s, related=(resume.line,))
    else:
        case.breach("RESUME-STATE", event.line, text, session=s, related=(resume.line,))
