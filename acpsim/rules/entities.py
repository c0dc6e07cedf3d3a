"""ENTITY-*, TOOL-*, TERMINAL-*, PLAN-*, COMPACTION-*: what is created once and updated by id.

Headings: "Session Updates", "Session Compaction", "tool-calls" and "agent-plan" of the neighbouring
pages. Facts: tool calls with their status, the session's origin, the compactions that are open.
ENTITY-ID-REUSE is in `reuse`.
"""

from __future__ import annotations

import binascii
import re
from typing import Any, Final

from msgspec import UNSET

from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.flaws import flawed, owned, session_of, told, variant
from acpsim.rules.permissions import approved
from acpsim.rules.registry import END, LOST, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import ItemsPlan, cell_field
from acpsim.wire.edition import TERMINAL_STATUSES
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event

PERMISSION: Final = (methods.RequestPermissionRequest,)
ABSOLUTE: Final = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
"""How an absolute path begins: POSIX, a drive, or a share."""
COMPACTION_STATUSES: Final = TERMINAL_STATUSES | {"in_progress"}
PRIORITIES: Final = frozenset({"high", "medium", "low"})
ENTRY_STATUSES: Final = frozenset({"pending", "in_progress", "completed", "cancelled"})


def standard(word: object, words: frozenset[str]) -> bool:
    """Whether an enum value is one of the standard ones or a custom one."""
    return isinstance(word, str) and (word in words or word.startswith("_"))


def of_request(event: Event) -> bool:
    """Whether a tool call is the subject of a permission request, not a `tool_call_update`."""
    return type(event.message) is not methods.SessionUpdate


# ENTITY-ID-PRESENT, "Session Updates". Only a missing or malformed required field costs an update
# its use; those that NOTICE-, COMPACTION-, USAGE-FIELDS and PLAN-ENTRY-VALUES ask for are theirs.
@check("ENTITY-ID-PRESENT", Malformed, end=True)
def id_present(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if what is END and s is not None:
        case.exercise("ENTITY-ID-PRESENT", s.updates)
    elif event is not None and (flaws := owned(event, "ENTITY-ID-PRESENT")):
        case.exercise("ENTITY-ID-PRESENT")
        text = f"an update {shown(variant(event))} lacks what it needs: {told(flaws)}"
        s = session_of(case.ledger, event)
        case.breach("ENTITY-ID-PRESENT", event.line, text, session=s)


# TOOL-TITLE-FIRST, "tool-calls: Reporting". A call that a chunk or a permission request named
# before still owes its title in its first update. Where the session's beginning was not seen, the
# call may be an old one.
@check("TOOL-TITLE-FIRST", updates.ToolCallUpdate)
def title_first(case: Case, s: SessionFacts, event: Event, update: updates.ToolCallUpdate) -> None:
    tool = s.tools.get(update.tool_call_id)
    if (tool is not None and not tool.title_due) or of_request(event):
        return
    case.exercise("TOOL-TITLE-FIRST")
    if isinstance(update.title, str) or flawed(event, "title"):
        return
    text = f"the first tool_call_update of {shown(update.tool_call_id)} has no title"
    if s.origin in {"created", "announced"}:
        case.breach("TOOL-TITLE-FIRST", event.line, text, session=s)
    else:
        text = f"perhaps {text}; it may have begun before this connection"
        case.suspect("TOOL-TITLE-FIRST", event.line, text, session=s)


# TOOL-IN-PROGRESS, "5. Tool Invocation and Status Reporting".
@check("TOOL-IN-PROGRESS", updates.ToolCallUpdate, answers=PERMISSION, lost=True)
def in_progress(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if s is None:
        return
    granted: dict[str, int] | None = s.extra.get("TOOL-IN-PROGRESS")
    if isinstance(what, Answer):
        request = s.permissions.get(what.id)
        if request is not None and request.tool is not None and approved(what):
            s.extra.setdefault("TOOL-IN-PROGRESS", {})[request.tool] = event.line
    elif granted and what is LOST:
        granted.clear()
    elif granted and what.tool_call_id in granted and what.status in TERMINAL_STATUSES:
        line = granted.pop(what.tool_call_id)
        tool = s.tools.get(what.tool_call_id)
        if what.status != "completed":
            return
        case.exercise("TOOL-IN-PROGRESS")
        if tool is None or not tool.started:
            text = (
                f"tool call {shown(what.tool_call_id)}, allowed on line {line}, is completed and "
                "was never reported in_progress"
            )
            case.breach("TOOL-IN-PROGRESS", event.line, text, session=s, related=(line,))


# TOOL-STATUS-VALUE, "tool-calls: Status".
@check("TOOL-STATUS-VALUE", updates.ToolCallUpdate)
def tool_status(case: Case, s: SessionFacts, event: Event, update: updates.ToolCallUpdate) -> None:
    status = update.status
    if status is UNSET or status is None:
        return
    case.exercise("TOOL-STATUS-VALUE")
    if not standard(status, case.edition.tool_statuses):
        text = (
            f"tool call {shown(update.tool_call_id)} has status {shown(status)}, which is not "
            f'defined in edition {case.edition.name} and does not begin with "_"'
        )
        case.breach("TOOL-STATUS-VALUE", event.line, text, session=s)


# TERMINAL-BASE64, "tool-calls: Display-only Terminals". RFC 4648 without line breaks, and padded:
# each chunk is decoded alone.
@check("TERMINAL-BASE64", updates.TerminalOutputChunk, updates.TerminalUpdate)
def terminal_base64(case: Case, s: SessionFacts, event: Event, update: Any) -> None:
    if type(update) is updates.TerminalOutputChunk:
        data: Any = update.data
    elif update.output is UNSET or update.output is None:
        return
    else:
        data = cell_field(update.output, "data")
    case.exercise("TERMINAL-BASE64")
    if wrong := _no_base64(data):
        text = f"data of terminal {shown(update.terminal_id)} is no RFC 4648 base64: {wrong}"
        case.breach("TERMINAL-BASE64", event.line, text, session=s)


def _no_base64(data: Any) -> str:
    """Why a text is no base64; empty if it is."""
    try:
        binascii.a2b_base64(data, strict_mode=True)
    except ValueError as error:
        return str(error)
    # The strict mode of some Pythons takes padding behind a full group: "AAAA=".
    return "Excess padding behind a full group" if len(data) % 4 else ""


# TERMINAL-CWD-ABSOLUTE, "tool-calls: Display-only Terminals".
@check("TERMINAL-CWD-ABSOLUTE", updates.TerminalUpdate)
def terminal_cwd(case: Case, s: SessionFacts, event: Event, update: updates.TerminalUpdate) -> None:
    if isinstance(update.cwd, str):
        case.exercise("TERMINAL-CWD-ABSOLUTE")
        if not ABSOLUTE.match(update.cwd):
            text = (
                f"terminal {shown(update.terminal_id)} has cwd {shown(update.cwd)}, "
                "which is no absolute path"
            )
            case.breach("TERMINAL-CWD-ABSOLUTE", event.line, text, session=s)


# PLAN-ENTRY-VALUES, "agent-plan: Plan Entries".
@check("PLAN-ENTRY-VALUES", updates.PlanUpdate, Malformed)
def plan_entries(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    wrong = []
    if event.flaws and (flaws := owned(event, "PLAN-ENTRY-VALUES")):
        wrong.append(told(flaws))
    if isinstance(what, Malformed):
        s = session_of(case.ledger, event)
    else:
        plan = what.plan
        if type(plan) is not ItemsPlan and cell_field(plan, "type") != "items":
            return
        case.exercise("PLAN-ENTRY-VALUES")
        wrong += _strange_entries(cell_field(plan, "entries"))
    if wrong:
        text = f"plan entries do not have what they need: {'; '.join(wrong)}"
        case.breach("PLAN-ENTRY-VALUES", event.line, text, session=s)


def _strange_entries(entries: Any) -> list[str]:
    found = []
    for number, entry in enumerate(entries):
        for field, words in (("priority", PRIORITIES), ("status", ENTRY_STATUSES)):
            word = cell_field(entry, field)
            if not standard(word, words):
                what = "is missing" if word is UNSET else f"is {shown(word)}"
                found.append(f"plan.entries[{number}].{field} {what}")
    return found


# COMPACTION-TERMINAL, "Session Compaction". A compaction that a chunk named first is in progress
# too; one with a custom status is not known to go on, and a lost connection voids the promise.
@check(
    "COMPACTION-TERMINAL",
    updates.CompactionUpdate,
    updates.CompactionSummaryChunk,
    lost=True,
    end=True,
)
def compaction_terminal(case: Case, s: SessionFacts, event: Event | None, what: Any) -> None:
    began: dict[str, int] | None = s.extra.get("COMPACTION-TERMINAL")
    if began is None:
        if event is None or what is LOST:
            return
        began = s.extra["COMPACTION-TERMINAL"] = {}
    if what is LOST:
        began.update(dict.fromkeys(began, 0))
    elif event is None:
        for compaction, line in began.items():
            if line:
                text = f"compaction {shown(compaction)} never gets a terminal status"
                case.owed("COMPACTION-TERMINAL", line, text, session=s)
    else:
        if what.compaction_id not in began:
            case.exercise("COMPACTION-TERMINAL")
        before = began.setdefault(what.compaction_id, event.line)
        if isinstance(what, updates.CompactionUpdate):
            went_on = what.status == "in_progress"
            began[what.compaction_id] = (before or event.line) if went_on else 0


# COMPACTION-FIELDS, "Session Compaction".
@check("COMPACTION-FIELDS", updates.CompactionUpdate, Malformed)
def compaction_fields(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if isinstance(what, Malformed):
        if flaws := owned(event, "COMPACTION-FIELDS"):
            case.exercise("COMPACTION-FIELDS")
            text = f"a compaction_update lacks what it needs: {told(flaws)}"
            s = session_of(case.ledger, event)
            case.breach("COMPACTION-FIELDS", event.line, text, session=s)
        return
    case.exercise("COMPACTION-FIELDS")
    if not standard(what.status, COMPACTION_STATUSES):
        text = (
            f"compaction {shown(what.compaction_id)} has status {shown(what.status)}, which is not "
            f'defined in edition {case.edition.name} and does not begin with "_"'
        )
        case.breach("COMPACTION-FIELDS", event.line, text, session=s)
