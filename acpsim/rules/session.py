"""NOTICE-*, USAGE-*, SUBAGENT-*: what is said of the session and of its children.

Headings: "Session Notices", "Session Usage Updates", "Session States", the schema's SubagentUpdate.
Facts: an open resume, which session is whose child and when the agent first named it.
CUSTOM-UNDERSCORE is in `custom`.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import UNSET

from acpsim.rules.case import Case
from acpsim.rules.currencies import CURRENCIES
from acpsim.rules.entities import standard
from acpsim.rules.facts import IDLE, SessionFacts
from acpsim.rules.flaws import owned, session_of, told
from acpsim.rules.registry import END, LOST, check
from acpsim.rules.rpc import shown
from acpsim.wire import methods, updates
from acpsim.wire.cells import cell_field
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event

SEVERITIES: Final = frozenset({"info", "warning", "error"})


# NOTICE-FIELDS, "Session Notices".
@check("NOTICE-FIELDS", updates.Notice, Malformed)
def notice_fields(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    if isinstance(what, Malformed):
        if flaws := owned(event, "NOTICE-FIELDS"):
            case.exercise("NOTICE-FIELDS")
            text = f"a notice lacks what it needs: {told(flaws)}"
            s = session_of(case.ledger, event)
            case.breach("NOTICE-FIELDS", event.line, text, session=s)
        return
    case.exercise("NOTICE-FIELDS")
    if not standard(what.severity, SEVERITIES):
        text = (
            f"a notice has severity {shown(what.severity)}, which is not defined in edition "
            f'{case.edition.name} and does not begin with "_"'
        )
        case.breach("NOTICE-FIELDS", event.line, text, session=s)


# NOTICE-LIVE-ONLY, "Session Notices". Why it is no proof in a session that was open before:
#   1. The agent sends a live notice.
#   2. The client sends session/resume for the same session; the two cross on the wire.
#   3. The notice stands after the request and was no part of the replay.
# At the agent the request was read before: there it is proof.
@check("NOTICE-LIVE-ONLY", updates.Notice, methods.ResumeSessionRequest)
def notice_live_only(case: Case, s: SessionFacts, event: Event, what: Any) -> None:
    if isinstance(what, methods.ResumeSessionRequest):
        if what.params.replay_from is not UNSET and what.params.replay_from is not None:
            case.exercise("NOTICE-LIVE-ONLY")
        return
    resume = s.resume
    if resume is None or not resume.replay:
        return
    text = f"notice {shown(what.title)} comes with the history that line {resume.line} asked for"
    if resume.open_before and case.observer != "agent":
        text = f"perhaps {text}; a live one may have crossed the request"
        case.suspect("NOTICE-LIVE-ONLY", event.line, text, session=s, related=(resume.line,))
    else:
        case.breach("NOTICE-LIVE-ONLY", event.line, text, session=s, related=(resume.line,))


# USAGE-FIELDS, "Session Usage Updates".
@check("USAGE-FIELDS", updates.UsageUpdate, Malformed)
def usage_fields(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    wrong = []
    if event.flaws and (flaws := owned(event, "USAGE-FIELDS")):
        wrong.append(told(flaws))
    if isinstance(what, Malformed):
        s = session_of(case.ledger, event)
    else:
        currency: Any = UNSET
        if what.cost is not UNSET and what.cost is not None:
            currency = cell_field(what.cost, "currency")
        iso = case.edition.currency_is_iso_4217
        if iso and isinstance(currency, str) and currency not in CURRENCIES:
            wrong.append(f"cost.currency {shown(currency)} is no ISO 4217 code")
    if wrong or not isinstance(what, Malformed):
        case.exercise("USAGE-FIELDS")
    if wrong:
        text = f"a usage_update does not have what it needs: {'; '.join(wrong)}"
        case.breach("USAGE-FIELDS", event.line, text, session=s)


# SUBAGENT-ANNOUNCED, "schema: SubagentUpdate". Reported where the agent first named the child, once
# the late announcement shows that it is one. A session that the client opened needs none.
@check("SUBAGENT-ANNOUNCED", updates.SubagentUpdate)
def announced(case: Case, s: SessionFacts, event: Event, update: updates.SubagentUpdate) -> None:
    child = case.ledger.sessions.get(update.session_id)
    if child is not None and child.announced_line:
        return
    case.exercise("SUBAGENT-ANNOUNCED")
    if not case.edition.children_announced_first or child is None or not child.bare_line:
        return
    if child.origin in {"unknown", "announced"}:
        text = (
            f"the agent names child session {shown(child.id)} before the subagent_update on line "
            f"{event.line} announces it"
        )
        related = (event.line,)
        case.breach("SUBAGENT-ANNOUNCED", child.bare_line, text, session=child, related=related)


class Mirror:
    """One entry of a parent's roster: the state it shows, and the child's state it owes."""

    __slots__ = ("before", "line", "owed", "passed", "shown")

    def __init__(self) -> None:
        self.shown: str | None = None
        self.owed: str | None = None
        self.before: str | None = None
        """What was shown when the child reported the state that is owed."""
        self.line = 0
        self.passed = 0
        """Updates of the entry since, which still show the old state."""


MIRROR_UPDATES_MAX: Final = 2
"""Updates of a roster entry that may show an old state: one may have crossed, two are a habit."""


# SUBAGENT-STATE-MIRRORED, "Session States". Why it waits, and is only a suspicion:
#   1. The mirror may come before the child's own report, or after it.
#   2. Several reports may be mirrored as one.
#   3. So a state is missed once two updates of the roster entry, or the end, show the old one.
@check("SUBAGENT-STATE-MIRRORED", updates.StateUpdate, updates.SubagentUpdate, lost=True, end=True)
def state_mirrored(case: Case, s: SessionFacts, event: Event | None, what: Any) -> None:
    roster: dict[str, Mirror] | None = s.extra.get("SUBAGENT-STATE-MIRRORED")
    if isinstance(what, updates.StateUpdate):
        if s.parent is not None and event is not None:
            _child_reports(case, s, event, what)
    elif isinstance(what, updates.SubagentUpdate):
        if roster is None:
            roster = s.extra["SUBAGENT-STATE-MIRRORED"] = {}
        entry = roster.setdefault(what.session_id, Mirror())
        _roster_shows(case, s, entry, what)
    elif roster is not None and what is LOST:
        for entry in roster.values():
            entry.owed = None
    elif roster is not None and what is END and case.complete:
        for child, entry in roster.items():
            if entry.owed is not None:
                _missed(case, s, child, entry)


def _child_reports(case: Case, s: SessionFacts, event: Event, update: updates.StateUpdate) -> None:
    parent = case.ledger.sessions.get(s.parent or "")
    roster = {} if parent is None else parent.extra.get("SUBAGENT-STATE-MIRRORED", {})
    entry: Mirror | None = roster.get(s.id)
    if entry is None or (parent is not None and parent.closed_line):
        return
    case.exercise("SUBAGENT-STATE-MIRRORED")
    nothing_new = entry.shown is None and update.state == IDLE and not s.busy
    entry.owed = None if nothing_new or entry.shown == update.state else update.state
    entry.before = entry.shown
    entry.line = event.line
    entry.passed = 0


def _roster_shows(
    case: Case, s: SessionFacts, entry: Mirror, update: updates.SubagentUpdate
) -> None:
    state = update.state
    if state is not UNSET:
        entry.shown = "unknown" if state is None else str(cell_field(state, "state"))
    if entry.owed is None:
        return
    if entry.shown != entry.before:
        entry.owed = None
        return
    entry.passed += 1
    if entry.passed >= MIRROR_UPDATES_MAX:
        _missed(case, s, update.session_id, entry)


def _missed(case: Case, s: SessionFacts, child: str, entry: Mirror) -> None:
    old = "no state" if entry.before is None else shown(entry.before)
    text = (
        f"perhaps the parent does not mirror state {shown(entry.owed)} of child {shown(child)}: "
        f"its roster still shows {old}; a mirror of a later state may be on its way"
    )
    case.suspect("SUBAGENT-STATE-MIRRORED", entry.line, text, session=s)
    entry.owed = None
