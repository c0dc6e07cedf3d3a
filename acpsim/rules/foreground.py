"""STATE-*: what an agent reports about its foreground work.

Headings: "Foreground and Background Work", "4. Report Completion", "Stop Reasons", "Failures",
"Session States". Facts: the last reported state and whether it stands, the stretch of work and
what was first seen in it, open permission requests, the background list.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import IDLE, STATES, SessionFacts
from acpsim.rules.flaws import flawed
from acpsim.rules.registry import END, LOST, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import cell_field
from acpsim.wire.edition import STOP_REASONS, TERMINAL_STATUSES
from acpsim.wire.parse import update_object
from acpsim.wire.trace import Event

WORKING: Final = frozenset({"running", "requires_action"})
SPEECH: Final = (
    updates.AgentMessage,
    updates.AgentMessageChunk,
    updates.AgentThought,
    updates.AgentThoughtChunk,
)
"""The agent's reply text and its thoughts: they come of foreground work."""
ENTITY: Final[dict[type, str]] = {
    updates.AgentMessage: "agent_message",
    updates.AgentMessageChunk: "agent_message",
    updates.AgentThought: "agent_thought",
    updates.AgentThoughtChunk: "agent_thought",
}


def works(s: SessionFacts) -> bool:
    """Whether foreground work is known to go on."""
    return s.confirmed and s.state in WORKING


def ends_work(s: SessionFacts, update: updates.StateUpdate) -> bool:
    """Whether this report is the idle that ends work that is known to go on."""
    return update.state == IDLE and works(s)


def listed(s: SessionFacts, tool: str, update: updates.StateUpdate | None = None) -> bool:
    """Whether a tool call is in the background list, the one of `update` where it has one."""
    background = s.background
    if update is not None:
        now = update.background
        background = None if now is UNSET or now is None else tuple(now)
    return any(cell_field(item, "toolCallId") == tool for item in background or ())


# STATE-RUNNING, "Foreground and Background Work". Why this is only a suspicion:
#   1. The session is idle; a reply or a thought appears that was not seen before.
#   2. The next report is idle again, with no running between: foreground work went unreported,
#   3. or the text was background activity, which may speak while idle.
# A running that comes after the text clears it. Where work may start blocked, requires_action
# clears it too; elsewhere requires_action straight after idle is a suspicion of its own.
@check("STATE-RUNNING", *SPEECH, updates.StateUpdate, lost=True, end=True)
def running(case: Case, s: SessionFacts, event: Event | None, what: Any) -> None:
    if type(what) in ENTITY:
        if s.state != IDLE or not _quiet(s):
            return
        if event is not None and (ENTITY[type(what)], what.message_id) not in s.messages:
            s.extra["STATE-RUNNING"] = event.line
        return
    spoke = s.extra.pop("STATE-RUNNING", 0)
    if what is LOST or (what is END and not case.complete):
        return
    if event is not None and what.state in WORKING and not s.busy:
        case.exercise("STATE-RUNNING")
        _starts_blocked(case, s, event, what)
    elif spoke and (what is END or what.state == IDLE):
        case.exercise("STATE-RUNNING")
        text = (
            "perhaps the agent works without having reported running: a reply or thought first "
            "appears while the session is idle; background activity may have written it"
        )
        case.suspect("STATE-RUNNING", spoke, text, session=s)


def _quiet(s: SessionFacts) -> bool:
    """Whether an idle session is known to be idle: a child that has reported nothing is not."""
    known = s.confirmed and s.open_here and (s.state_line > 0 or s.parent is None)
    return known and "STATE-RUNNING" not in s.extra


def _starts_blocked(case: Case, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    blocked = update.state == "requires_action" and s.confirmed
    if blocked and not case.edition.work_may_start_blocked:
        text = (
            "perhaps work started without running being reported: the session goes from idle to "
            "requires_action; the report may be about background activity"
        )
        case.suspect("STATE-RUNNING", event.line, text, session=s)


# STATE-IDLE, "Foreground and Background Work". A lost connection voids the promise, and so does
# deleting the session. Where the edition has a close end the work first, CLOSE-CANCELS reports it.
@check("STATE-IDLE", updates.StateUpdate, end=True)
def idle(case: Case, s: SessionFacts, event: Event | None, what: Any) -> None:
    if what is END:
        if works(s) and not (s.closed_line and case.edition.close_ends_work_first):
            text = f"work reported as {s.state} on line {s.state_line} never ends in idle"
            related = (s.stretch_line,) if s.stretch_line != s.state_line else ()
            case.owed("STATE-IDLE", s.state_line, text, session=s, related=related)
    elif what.state in WORKING and not s.busy:
        case.exercise("STATE-IDLE")


# STATE-STOP-REASON, "Stop Reasons". A malformed one is UPDATE-SHAPE's to report.
@check("STATE-STOP-REASON", updates.StateUpdate)
def stop_reason(case: Case, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    if not ends_work(s, update):
        return
    case.exercise("STATE-STOP-REASON")
    reason = update.stop_reason
    if (reason is UNSET or reason is None) and not flawed(event, "stopReason"):
        text = f"the idle that ends the work begun on line {s.stretch_line} has no stop reason"
        case.breach("STATE-STOP-REASON", event.line, text, session=s, related=(s.stretch_line,))


# STATE-STOP-REASON-VALUE, "Stop Reasons". A newer protocol may define more, so the text names the
# edition. A mirrored state carries the same field.
@check("STATE-STOP-REASON-VALUE", updates.StateUpdate, updates.SubagentUpdate)
def stop_reason_value(case: Case, s: SessionFacts, event: Event, update: Any) -> None:
    state: Any = update if isinstance(update, updates.StateUpdate) else update.state
    if state is UNSET or state is None or cell_field(state, "state") != IDLE:
        return
    reason = cell_field(state, "stopReason")
    if not isinstance(reason, str):
        return
    case.exercise("STATE-STOP-REASON-VALUE")
    if reason not in STOP_REASONS and not reason.startswith("_"):
        text = (
            f"stop reason {shown(reason)} is not defined in edition {case.edition.name} and does "
            'not begin with "_"'
        )
        case.breach("STATE-STOP-REASON-VALUE", event.line, text, session=s)


# STATE-PENDING-BEFORE-IDLE, "4. Report Completion". Why this is only a suspicion:
#   1. The agent starts a detached tool call during the work.
#   2. The work ends; the agent reports idle.
#   3. The tool call ends. It was background activity all along, and nothing on the wire said so.
# Therefore a tool call counts only where the work was cancelled, which leaves nothing of it to go
# on, or where the agent lists its background work and the call is not in the list.
@check("STATE-PENDING-BEFORE-IDLE", *SPEECH, updates.ToolCallUpdate, updates.StateUpdate)
def pending_before_idle(case: Case, s: SessionFacts, event: Event, update: Any) -> None:
    if isinstance(update, updates.StateUpdate):
        if ends_work(s, update):
            case.exercise("STATE-PENDING-BEFORE-IDLE")
            s.extra.pop("STATE-PENDING-BEFORE-IDLE", None)
        return
    if not s.ended_stretch or s.resume is not None or not s.confirmed:
        return
    if isinstance(update, updates.ToolCallUpdate):
        if not _ends_late(s, update):
            return
        key = f"tool call {shown(update.tool_call_id)} ends"
    else:
        kind = ENTITY[type(update)]
        if s.messages.get((kind, update.message_id)) != s.ended_stretch:
            return
        key = f"{kind} {shown(update.message_id)} is updated"
    told: set[str] = s.extra.setdefault("STATE-PENDING-BEFORE-IDLE", set())
    if key not in told:
        told.add(key)
        text = (
            f"perhaps {key} too late: the work it belongs to ended in the idle on line "
            f"{s.state_line}; it may be background activity"
        )
        related = (s.state_line,)
        case.suspect("STATE-PENDING-BEFORE-IDLE", event.line, text, session=s, related=related)


def _ends_late(s: SessionFacts, update: updates.ToolCallUpdate) -> bool:
    tool = s.tools.get(update.tool_call_id)
    if tool is None or tool.ended or tool.stretch != s.ended_stretch:
        return False
    if update.status not in TERMINAL_STATUSES or listed(s, update.tool_call_id):
        return False
    return s.stop_reason == "cancelled" or s.background is not None


# STATE-REQUIRES-ACTION, "Foreground and Background Work". Why this is only a suspicion:
#   1. The agent asks for permission and goes on with other work that says nothing,
#   2. or it would report requires_action, and the client's answer comes first.
# A requires_action that comes right after the answer crossed it: then nothing is said.
@check(
    "STATE-REQUIRES-ACTION",
    updates.StateUpdate,
    answers=(methods.RequestPermissionRequest,),
    lost=True,
    end=True,
)
def requires_action(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if s is None:
        return
    if isinstance(what, Answer):
        assert event is not None
        alone = s.last_line == what.opened.line and len(s.permissions) == 1
        if works(s) and s.cancel is None:
            case.exercise("STATE-REQUIRES-ACTION")
            if alone and s.state == "running":
                s.extra["STATE-REQUIRES-ACTION"] = (event.line, what.opened.line, what.id)
        return
    silent = s.extra.pop("STATE-REQUIRES-ACTION", None)
    if silent is None or what is LOST or (what is END and not case.complete):
        return
    line, asked, request = silent
    if what is not END and what.state == "requires_action" and s.last_line < line:
        return
    text = (
        f"perhaps work was blocked on permission request {shown(request)} and stayed running: "
        "nothing else came until the answer; the answer may have come before the report"
    )
    case.suspect("STATE-REQUIRES-ACTION", line, text, session=s, related=(asked,))


# STATE-RESUME-RUNNING, "5. Tool Invocation and Status Reporting". Why this is only a suspicion: the
# text or the tool call may be background activity while foreground work stays blocked. One remark
# for each requires_action.
@check("STATE-RESUME-RUNNING", *SPEECH, updates.ToolCallUpdate, updates.StateUpdate)
def resume_running(case: Case, s: SessionFacts, event: Event, update: Any) -> None:
    if s.state != "requires_action" or not s.confirmed:
        return
    if isinstance(update, updates.StateUpdate):
        if update.state == "running":
            case.exercise("STATE-RESUME-RUNNING")
        return
    if s.permissions or s.resume is not None or s.extra.get("STATE-RESUME-RUNNING") == s.state_line:
        return
    if isinstance(update, updates.ToolCallUpdate) and not _starts_here(s, event, update):
        return
    if _asking(case, s):
        return
    case.exercise("STATE-RESUME-RUNNING")
    s.extra["STATE-RESUME-RUNNING"] = s.state_line
    text = (
        f"perhaps work resumed without running: since line {s.state_line} the state is "
        "requires_action, and no request is open; background activity may explain it"
    )
    case.suspect("STATE-RESUME-RUNNING", event.line, text, session=s, related=(s.state_line,))


def _starts_here(s: SessionFacts, event: Event, update: updates.ToolCallUpdate) -> bool:
    """Whether a tool call of the current work starts to run."""
    if update.status != "in_progress" or listed(s, update.tool_call_id):
        return False
    tool = s.tools.get(update.tool_call_id)
    same = tool is None or (tool.stretch == s.stretch and tool.status != "in_progress")
    return same and not isinstance(event.message, methods.RequestPermissionRequest)


def _asking(case: Case, s: SessionFacts) -> bool:
    """Whether the agent waits for an answer about this session, or about none that is named."""
    for opened in case.ledger.pairing.open("a2c").values():
        named = getattr(getattr(opened.message, "params", None), "session_id", None)
        if named == s.id or not isinstance(named, str):
            return True
    return False


# STATE-ERROR-FIELD, "Failures". A malformed one is UPDATE-SHAPE's to report; an idle that repeats
# the error of the one before it need not repeat the details.
@check("STATE-ERROR-FIELD", updates.StateUpdate)
def error_field(case: Case, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    failed = update.state == IDLE and update.stop_reason == "error"
    repeated = failed and s.extra.get("STATE-ERROR-FIELD", False)
    if update.state != "unknown":
        s.extra["STATE-ERROR-FIELD"] = failed
    if not failed or repeated:
        return
    case.exercise("STATE-ERROR-FIELD")
    missing = update.error is UNSET or update.error is None
    if missing and not flawed(event, "error"):
        text = 'the idle with stop reason "error" has no error object with code and message'
        case.breach("STATE-ERROR-FIELD", event.line, text, session=s)


# STATE-ERROR-MISPLACED, "Failures". Beside a custom stop reason it is that reason's own payload
# where the edition says so. Elsewhere reading has left it out, as it does with unknown fields.
@check("STATE-ERROR-MISPLACED", updates.StateUpdate)
def error_misplaced(case: Case, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    if b'"error"' not in event.raw or update_object(event.raw).get("error") is None:
        return
    case.exercise("STATE-ERROR-MISPLACED")
    if not _may_carry_error(case, update):
        beside = f"state {shown(update.state)}"
        if isinstance(update.stop_reason, str):
            beside = f"stop reason {shown(update.stop_reason)}"
        text = f'an error object stands beside {beside}; it belongs to stop reason "error"'
        case.breach("STATE-ERROR-MISPLACED", event.line, text, session=s)


def _may_carry_error(case: Case, update: updates.StateUpdate) -> bool:
    """Whether `error` has a meaning here: a state that is not standard has fields of its own."""
    if update.state != IDLE:
        return update.state not in STATES and update.state != "unknown"
    reason = update.stop_reason
    if not isinstance(reason, str):
        return False
    custom = case.edition.error_beside_custom_stop and reason not in STOP_REASONS
    return reason == "error" or custom


# STATE-FAILED-TOOLS, "Failures". Why this is only a suspicion:
#   1. A tool call was detached before the work failed; it stays open, and rightly.
#   2. It ends later, while the session is idle.
# So the remark waits: a call that ends before the next work was detached.
@check(
    "STATE-FAILED-TOOLS",
    updates.ToolCallUpdate,
    updates.ToolCallContentChunk,
    updates.StateUpdate,
    lost=True,
    end=True,
)
def failed_tools(case: Case, s: SessionFacts, event: Event | None, what: Any) -> None:
    calls: OpenCalls | None = s.extra.get("STATE-FAILED-TOOLS")
    if calls is None:
        calls = s.extra["STATE-FAILED-TOOLS"] = OpenCalls()
    if what is LOST:
        calls.left = {}
        calls.unfinished = {}
    elif what is END:
        if case.complete:
            _left_open(case, s, calls)
    elif event is None:
        return
    elif not isinstance(what, updates.StateUpdate):
        calls.take(s, event, what)
    elif what.state in WORKING and not s.busy:
        _left_open(case, s, calls)
        calls.unfinished = {}
    elif ends_work(s, what) and what.stop_reason == "error":
        case.exercise("STATE-FAILED-TOOLS")
        calls.line = event.line
        calls.left = {tool: 0 for tool in calls.unfinished if not listed(s, tool, what)}


class OpenCalls:
    """Tool calls of the current work that have not ended, and those that a failure left open."""

    __slots__ = ("left", "line", "unfinished")

    def __init__(self) -> None:
        self.unfinished: dict[str, int] = {}
        self.left: dict[str, int] = {}
        self.line = 0
        """Line of the idle with `error` that left them open."""

    def take(self, s: SessionFacts, event: Event, update: Any) -> None:
        tool = update.tool_call_id
        if getattr(update, "status", UNSET) in TERMINAL_STATUSES:
            self.unfinished.pop(tool, None)
            self.left.pop(tool, None)
        elif s.state in WORKING and tool not in self.unfinished:
            facts = s.tools.get(tool)
            if facts is None or (facts.stretch == s.stretch and not _over(facts.status, update)):
                self.unfinished[tool] = event.line


def _over(status: str, update: Any) -> bool:
    """Whether a tool call that had ended still has after this update."""
    return status in TERMINAL_STATUSES and not isinstance(
        getattr(update, "status", UNSET), str | None
    )


def _left_open(case: Case, s: SessionFacts, calls: OpenCalls) -> None:
    if calls.left:
        names = ", ".join(shown(tool) for tool in calls.left)
        text = (
            f"perhaps the failed work left tool calls without a terminal status: {names}; "
            "detached ones may stay open"
        )
        case.suspect("STATE-FAILED-TOOLS", calls.line, text, session=s)
        calls.left = {}
