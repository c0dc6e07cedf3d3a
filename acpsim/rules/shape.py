"""UPDATE-SHAPE: fields that do not have the type or the range that the schema gives.

Heading: "Session Updates". Facts: none; the flaws that reading a message left are the evidence, and
`flaws.owner` says which of them another rule reports. The rule speaks of requests, notifications
and results alike, in both directions, once for each message.
"""

from __future__ import annotations

from typing import Any

from acpsim.rules.case import PARTY, Answer, Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.flaws import owned, session_of, told
from acpsim.rules.registry import END, FLAWED, check
from acpsim.wire import methods
from acpsim.wire.jsonrpc import Flaw, Malformed
from acpsim.wire.trace import Event

REQUESTS = tuple(call for call in methods.METHODS.values() if issubclass(call, methods.Request))


# UPDATE-SHAPE, "Session Updates". Fields that the edition does not define leave no flaw.
@check("UPDATE-SHAPE", flawed=True, answers=REQUESTS, end=True)
def update_shape(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if what is FLAWED:
        if event is not None:
            _report(case, session_of(case.ledger, event), event, owned(event, "UPDATE-SHAPE"))
    elif what is END:
        if s is not None:
            case.exercise("UPDATE-SHAPE", s.updates)
    elif event is not None and not isinstance(event.message, Malformed):
        case.exercise("UPDATE-SHAPE")
        _report(case, s, event, _of_result(what))


def _of_result(answer: Answer) -> tuple[Flaw, ...]:
    """The flaws of a result. A prompt's unusable one is PROMPT-RESPONSE-ID's."""
    outcome = answer.outcome
    if not isinstance(outcome, Malformed):
        return answer.flaws
    if isinstance(answer.request, methods.PromptRequest):
        return ()
    return answer.flaws or outcome.flaws


def _report(case: Case, s: SessionFacts | None, event: Event, flaws: tuple[Flaw, ...]) -> None:
    if flaws:
        party = PARTY[event.dir]
        text = f"the {party} sent fields that do not fit the schema: {told(flaws)}"
        case.breach("UPDATE-SHAPE", event.line, text, session=s, party=party)
