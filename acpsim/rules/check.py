"""One pass over a conversation: each message to the rules that asked for it, then to the ledger.

Owns: `Checker`, which is fed events one by one and holds what is open, and `check`, which does it
for a whole trace. It never raises on what a peer sent, and draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET, structs

from acpsim.rules import (
    cancellation,
    custom,
    entities,
    foreground,
    insertion,
    permissions,
    prompts,
    resume,
    reuse,
    rpc,
    session,
    shape,
)
from acpsim.rules.case import Answer, Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.finding import Finding, Report
from acpsim.rules.registry import (
    END,
    FLAWED,
    LOST,
    NOT_IN_TRACES,
    OVER,
    SUBSCRIPTIONS,
    Check,
    orphans,
)
from acpsim.wire import methods, updates
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Flaw, Malformed, OtherNotification, OtherRequest, Response
from acpsim.wire.parse import read_result
from acpsim.wire.trace import Event, Observer

RULE_MODULES: Final = (
    rpc, prompts, insertion, foreground, cancellation, entities, reuse, permissions, session,
    resume, custom, shape,
)  # fmt: skip
assert orphans() == [], f"rules without a function: {orphans()}"


class Checker:
    """Checks one conversation, event by event.

    `observer` is where the trace's order was seen: what is proof at the agent may be a race on the
    wire. `quiet_s` is the silence after which a prompt that waits while idle is remarked on.
    """

    def __init__(
        self, edition: Edition, *, observer: Observer = "wire", quiet_s: float | None = None
    ) -> None:
        self._case = Case(edition, observer, quiet_s)
        self._edition = edition
        self._line = 0
        self._hear = SUBSCRIPTIONS.messages
        self._hear_update = HEAR_UPDATE

    @property
    def findings(self) -> list[Finding]:
        """The findings so far, in the order in which they were made."""
        return self._case.findings

    def feed(self, event: Event) -> None:
        """Check the next event."""
        case = self._case
        if event.line != self._line + 1:
            event = self._placed(event)
        self._line = event.line
        case.t = event.t
        if event.dir == "lost":
            for s in case.ledger.touched:
                for hear in SUBSCRIPTIONS.lost:
                    hear(case, s, event, LOST)
            case.ledger.lose()
            return
        case.messages += 1
        if event.flaws:
            for hear in SUBSCRIPTIONS.flawed:
                hear(case, None, event, FLAWED)
        message = event.message
        if type(message) is methods.SessionUpdate:
            self._update(event, message)
        elif isinstance(message, Response):
            self._response(event, message)
        elif isinstance(message, Malformed):
            self._malformed(event, message)
        elif isinstance(message, methods.CancelRequest):
            self._tell(type(message), None, event, message)
            case.ledger.notified[event.dir] += 1
            case.ledger.take_cancel_request(event, message)
        elif message is not None:
            self._call(event, message)

    def _placed(self, event: Event) -> Event:
        """An event that does not stand on the line after the last: a header may be before the
        first, and reading skips lines; events that were never in a trace are counted."""
        if event.line <= 0:
            return structs.replace(event, line=self._line + 1)
        if self._line or event.line > 2:
            for direction in self._case.ledger.unparsed:
                self._case.ledger.unparsed[direction] += 1
        return event

    def _tell(self, kind: type, s: SessionFacts | None, event: Event, message: object) -> None:
        for hear in self._hear.get(kind, NOBODY):
            hear(self._case, s, event, message)

    def _update(self, event: Event, message: methods.SessionUpdate) -> None:
        ledger = self._case.ledger
        params = message.params
        s = ledger.sessions.get(params.session_id)
        if s is None:
            s = ledger.session(params.session_id, event.line)
            s.bare_line = event.line
        case, update = self._case, params.update
        for hear in self._hear_update[type(update)]:
            hear(case, s, event, update)
        ledger.notified["a2c"] += 1
        ledger.take_update(s, event, update)

    def _call(
        self, event: Event, message: methods.KnownCall | OtherRequest | OtherNotification
    ) -> None:
        ledger = self._case.ledger
        s = None
        named = getattr(getattr(message, "params", None), "session_id", UNSET)
        if isinstance(named, str):
            s = ledger.session(named, event.line)
            if event.dir == "a2c" and s.first_line == event.line:
                s.bare_line = event.line
        self._tell(type(message), s, event, message)
        if isinstance(message, methods.Call):
            if isinstance(message, methods.RequestPermissionRequest) and isinstance(
                message.params.subject, methods.ToolCallSubject
            ):
                call = message.params.subject.tool_call
                for hear in self._hear.get(updates.ToolCallUpdate, NOBODY):
                    hear(self._case, s, event, call)
            ledger.take_call(s, event, message)
        if isinstance(message, methods.Request | OtherRequest):
            ledger.pairing.request(event.dir, message, event.line)  # type: ignore[arg-type]
        else:
            ledger.notified[event.dir] += 1

    def _malformed(self, event: Event, message: Malformed) -> None:
        self._tell(Malformed, None, event, message)
        self._case.ledger.take_malformed(event, message)
        if message.kind == "response":
            self._answered(event, message, message)

    def _response(self, event: Event, message: Response) -> None:
        self._tell(Response, None, event, message)
        self._answered(event, message, None)

    def _answered(
        self, event: Event, message: Response | Malformed, outcome: methods.Outcome | None
    ) -> None:
        ledger = self._case.ledger
        opened = ledger.pairing.answer(event.dir, message)  # type: ignore[arg-type]
        if opened is None:
            return
        request = opened.message
        flaws: tuple[Flaw, ...] = ()
        if isinstance(request, Malformed | OtherRequest):
            outcome = outcome or Malformed(kind="response", flaws=())
        elif isinstance(message, Response):
            outcome, flaws = read_result(request, message, self._edition)
        assert outcome is not None
        s = ledger.session_of(opened)
        answer = Answer(opened, outcome, flaws)
        for hear in SUBSCRIPTIONS.answers.get(type(request), NOBODY):
            hear(self._case, s, event, answer)
        ledger.take_answer(s, event, opened, outcome)

    def finish(self, *, complete: bool) -> Report:
        """The conversation ends here; `complete` says that it was over and not cut off."""
        case = self._case
        case.complete = complete
        for hear in SUBSCRIPTIONS.over:
            hear(case, None, None, OVER)
        for hear in SUBSCRIPTIONS.end:
            for s in list(case.ledger.sessions.values()):
                hear(case, s, None, END)
        return Report(
            findings=sorted(case.findings, key=lambda finding: finding.line),
            open=sorted(case.open, key=lambda finding: finding.line),
            coverage=case.coverage,
            messages=case.messages,
            not_in_traces=NOT_IN_TRACES,
        )


NOBODY: Final[tuple[Check, ...]] = ()
UPDATES: Final[tuple[type, ...]] = (*updates.VARIANTS.values(), updates.UnknownUpdate)
HEAR_UPDATE: Final[dict[type, tuple[Check, ...]]] = {
    kind: (
        *SUBSCRIPTIONS.messages.get(methods.SessionUpdate, NOBODY),
        *SUBSCRIPTIONS.messages.get(kind, NOBODY),
    )
    for kind in UPDATES
}
"""Update → who hears it: those who hear every update, and those who hear this one."""


def check(
    events: Iterable[Event],
    *,
    edition: Edition,
    observer: Observer = "wire",
    complete: bool = True,
    quiet_s: float | None = None,
) -> Report:
    """Check a whole conversation."""
    checker = Checker(edition, observer=observer, quiet_s=quiet_s)
    for event in events:
        checker.feed(event)
    return checker.finish(complete=complete)
