"""PERMISSION-*: what an agent asks of the user, and what it does with the answer.

Heading: "tool-calls: Requesting Permission" of the neighbouring pages and "5. Tool Invocation and
Status Reporting". Facts: open permission requests, when a tool call was first reported to run.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import PermissionFacts, SessionFacts
from acpsim.rules.flaws import owned, session_of, told
from acpsim.rules.registry import LOST, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import cell_field
from acpsim.wire.edition import TERMINAL_STATUSES
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event

PERMISSION: Final = (methods.RequestPermissionRequest,)
RUNS: Final = frozenset({"in_progress", "completed"})
"""The tool-call statuses which say that a call was started."""


def approved(answer: Answer) -> bool | None:
    """Whether a permission was given; `None` where the options do not tell."""
    outcome = answer.outcome
    if not isinstance(outcome, methods.RequestPermissionResult):
        return False
    if outcome.outcome.get("outcome") != "selected":
        return False
    params = getattr(answer.request, "params", None)
    for option in getattr(params, "options", ()):
        if cell_field(option, "optionId") == outcome.outcome.get("optionId"):
            kind = str(cell_field(option, "kind"))
            return {"allow": True, "reject": False}.get(kind.split("_")[0])
    return None


# PERMISSION-OPTIONS, "tool-calls: Requesting Permission".
@check("PERMISSION-OPTIONS", methods.RequestPermissionRequest, Malformed)
def options(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if isinstance(what, Malformed):
        if flaws := owned(event, "PERMISSION-OPTIONS"):
            case.exercise("PERMISSION-OPTIONS")
            text = f"a permission request lacks what it needs: {told(flaws)}"
            s = session_of(case.ledger, event)
            case.breach("PERMISSION-OPTIONS", event.line, text, session=s)
        return
    case.exercise("PERMISSION-OPTIONS")
    seen: set[object] = set()
    twice = []
    for option in what.params.options:
        identity = cell_field(option, "optionId")
        if identity in seen:
            twice.append(identity)
        seen.add(identity)
    if twice:
        text = f"a permission request offers optionId {shown(twice[0])} twice"
        case.breach("PERMISSION-OPTIONS", event.line, text, session=s)


# PERMISSION-OUTCOME, "tool-calls: Requesting Permission".
@check("PERMISSION-OUTCOME", answers=PERMISSION)
def outcome(case: Case, s: SessionFacts | None, event: Event, answer: Answer) -> None:
    request = answer.request
    result = answer.outcome
    if not isinstance(request, methods.RequestPermissionRequest):
        return
    if not isinstance(result, methods.RequestPermissionResult):
        return
    if result.outcome.get("outcome") != "selected":
        return
    case.exercise("PERMISSION-OUTCOME")
    chosen = result.outcome.get("optionId")
    offered = [cell_field(option, "optionId") for option in request.params.options]
    if chosen not in offered:
        text = (
            f"the client selected optionId {shown(chosen)}, which permission request "
            f"{shown(answer.id)} did not offer; it offered {', '.join(map(shown, offered))}"
        )
        line = answer.opened.line
        case.breach("PERMISSION-OUTCOME", event.line, text, session=s, related=(line,))


# PERMISSION-BEFORE-START, "5. Tool Invocation and Status Reporting". Why this is only a suspicion:
#   1. Part of a call may run without permission; the request is about another part.
#   2. A policy may allow the call while the request is still open.
# A call that was reported to run before it asked is taken for the first. One remark for each
# request. The answer passes after the start on every vantage, so that no race explains it.
@check("PERMISSION-BEFORE-START", updates.ToolCallUpdate, answers=PERMISSION)
def before_start(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if s is None or not s.permissions:
        return
    if isinstance(what, Answer):
        facts = s.permissions.get(what.id)
        if facts is not None and facts.tool is not None:
            case.exercise("PERMISSION-BEFORE-START")
            s.extra.get("PERMISSION-BEFORE-START", set()).discard(facts.line)
        return
    asked = _asked(s, event, what)
    if asked is None or _ran_before(s, what.tool_call_id, asked.line):
        return
    told_of: set[int] = s.extra.setdefault("PERMISSION-BEFORE-START", set())
    if asked.line not in told_of:
        told_of.add(asked.line)
        text = (
            f"perhaps tool call {shown(what.tool_call_id)} is {what.status} while its permission "
            f"request on line {asked.line} is open; part of it may need none, or a policy allow it"
        )
        case.suspect("PERMISSION-BEFORE-START", event.line, text, session=s, related=(asked.line,))


def _asked(s: SessionFacts, event: Event, update: updates.ToolCallUpdate) -> PermissionFacts | None:
    """The open request about a tool call that is reported to run."""
    if update.status not in RUNS or type(event.message) is not methods.SessionUpdate:
        return None
    asking = s.asking.get(update.tool_call_id)
    return asking[0] if asking else None


def _ran_before(s: SessionFacts, tool_call_id: str, line: int) -> bool:
    tool = s.tools.get(tool_call_id)
    return tool is not None and 0 < tool.started < line


# PERMISSION-NOT-APPROVED, "tool-calls: Requesting Permission". Why this is only a suspicion:
#   1. The agent starts the call before it has read the answer, which passes it on the wire,
#   2. or another permission, or a policy, allows it after all.
# A new request for the same call takes the refusal back; a call that ran before it asked goes on.
@check(
    "PERMISSION-NOT-APPROVED",
    updates.ToolCallUpdate,
    methods.RequestPermissionRequest,
    answers=PERMISSION,
    lost=True,
)
def not_approved(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if s is None:
        return
    refused: dict[str, int] | None = s.extra.get("PERMISSION-NOT-APPROVED")
    if isinstance(what, Answer):
        facts = s.permissions.get(what.id)
        if facts is not None and facts.tool is not None:
            _answered(case, s, event, what, facts.tool)
    elif not refused:
        return
    elif what is LOST:
        refused.clear()
    elif isinstance(what, methods.RequestPermissionRequest):
        refused.pop(_subject(what), None)
    elif what.tool_call_id in refused and what.status in RUNS | TERMINAL_STATUSES:
        line = refused.pop(what.tool_call_id)
        if what.status in RUNS:
            text = (
                f"perhaps tool call {shown(what.tool_call_id)} runs without approval: it is "
                f"{what.status} after the answer on line {line}; the start may have crossed the "
                "answer, or a policy allow it"
            )
            case.suspect("PERMISSION-NOT-APPROVED", event.line, text, session=s, related=(line,))


def _answered(case: Case, s: SessionFacts, event: Event, answer: Answer, tool: str) -> None:
    others = len(s.asking[tool]) > 1
    refused: dict[str, int] = s.extra.setdefault("PERMISSION-NOT-APPROVED", {})
    refused.pop(tool, None)
    if approved(answer) is False:
        case.exercise("PERMISSION-NOT-APPROVED")
        if not others and not _ran_before(s, tool, answer.opened.line):
            refused[tool] = event.line


def _subject(request: methods.RequestPermissionRequest) -> str:
    subject = request.params.subject
    return subject.tool_call.tool_call_id if isinstance(subject, methods.ToolCallSubject) else ""
