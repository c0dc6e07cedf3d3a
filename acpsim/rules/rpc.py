"""RPC-*: the envelope, requests and their answers, the sessions that messages name.

Headings: "JSON-RPC 2.0", "cancellation" and "session-setup" of the neighbouring pages. Facts: the
open requests of both directions, which sessions are known and how, what could not be parsed.
"""

from __future__ import annotations

import json
from typing import Any, Final

from acpsim.rules.case import PARTY, Answer, Case
from acpsim.rules.facts import OPENED, SessionFacts
from acpsim.rules.registry import FLAWED, OVER, check
from acpsim.wire import methods
from acpsim.wire.jsonrpc import (
    OTHER_SIDE,
    Malformed,
    OtherRequest,
    Response,
)
from acpsim.wire.trace import Event

BEFORE_TRACE: Final = "no initialize was seen, so this may have been before the trace begins"
"""Why what a trace does not show is no proof, where it may be cut from the middle."""

REQUESTS = tuple(call for call in methods.METHODS.values() if issubclass(call, methods.Request))


def shown(value: object) -> str:
    """A value as JSON, for a sentence."""
    return json.dumps(value, ensure_ascii=False)


def _in_params(path: str) -> bool:
    return path.startswith(("$.params", "$.result"))


# RPC-ENVELOPE, "JSON-RPC 2.0".
@check("RPC-ENVELOPE", flawed=True, over=True)
def envelope(case: Case, _: None, event: Event | None, moment: Any) -> None:
    if event is None:
        case.exercise("RPC-ENVELOPE", case.messages)
        return
    assert moment is FLAWED
    message = event.message
    if isinstance(message, Malformed):
        flaws = [flaw for flaw in message.flaws if not _in_params(flaw.path)]
        if flaws:
            what = "; ".join(f"{flaw.path} {flaw.text}" for flaw in flaws)
            text = f"the {PARTY[event.dir]} sent no JSON-RPC 2.0 message: {what}"
            case.breach("RPC-ENVELOPE", event.line, text, party=PARTY[event.dir])


# RPC-RESPONSE-MATCH, "JSON-RPC 2.0". An error whose id is null is about a message whose id could
# not be read, and answers nothing where there was none; RPC-NO-REPLY-TO-NOTIFICATION looks at those
# that may be about a notification.
@check("RPC-RESPONSE-MATCH", Response, Malformed)
def response_match(case: Case, _: None, event: Event, message: Response | Malformed) -> None:
    assert event.dir != "lost"
    party, asking = PARTY[event.dir], OTHER_SIDE[event.dir]
    if isinstance(message, Malformed) and message.kind != "response":
        return
    if not isinstance(message.id, int | str):
        explained = case.ledger.unparsed[asking] or case.ledger.notified[asking]
        if isinstance(message, Response) and not explained:
            text = f"the {party} sent an error whose id is null, and nothing that it could be about"
            case.exercise("RPC-RESPONSE-MATCH")
            case.breach("RPC-RESPONSE-MATCH", event.line, text, party=party)
        return
    case.exercise("RPC-RESPONSE-MATCH")
    if message.id not in case.ledger.pairing.open(asking):
        text = (
            f"the {party} answers {shown(message.id)}, "
            f"which is no open request of the {PARTY[asking]}"
        )
        case.breach("RPC-RESPONSE-MATCH", event.line, text, party=party)


# RPC-ID-REUSE, "JSON-RPC 2.0".
@check("RPC-ID-REUSE", OtherRequest, *REQUESTS)
def id_reuse(
    case: Case, s: SessionFacts | None, event: Event, message: OtherRequest | methods.Request
) -> None:
    case.exercise("RPC-ID-REUSE")
    assert event.dir != "lost"
    before = case.ledger.pairing.open(event.dir).get(message.id)
    if before is not None:
        text = (
            f"the {PARTY[event.dir]} uses request id {shown(message.id)} again, "
            f"which is open since line {before.line}"
        )
        case.breach(
            "RPC-ID-REUSE",
            event.line,
            text,
            session=s,
            related=(before.line,),
            party=PARTY[event.dir],
        )


# RPC-CANCEL-ANSWER, "cancellation".
@check("RPC-CANCEL-ANSWER", methods.CancelRequest, over=True)
def cancel_answer(case: Case, _: None, event: Event | None, what: Any) -> None:
    ledger = case.ledger
    if what is OVER:
        for (direction, request), line in ledger.cancel_requests.items():
            party = "agent" if direction == "c2a" else "client"
            text = (
                f"the {party} never answers request {shown(request)}, "
                f"which $/cancel_request names on line {line}"
            )
            case.owed("RPC-CANCEL-ANSWER", line, text, party=party)
    elif event is not None and event.dir != "lost":
        named = what.params.request_id
        if named in ledger.pairing.open(event.dir):
            case.exercise("RPC-CANCEL-ANSWER")


# RPC-UNKNOWN-SESSION, "session-setup". Why an unknown id may be no breach:
#   1. The agent sends an update for a session before the session/new response that returns its id.
#   2. While such a request is open the id is undecided; it becomes a breach once none returned it.
#   3. A session/resume names its id itself; an id that only session/list showed is a suspicion.
#   4. A trace cut from the middle does not show what was opened before: a suspicion, as long as no
#      initialize was seen.
# A session of an earlier connection has to be resumed on this one. One remark for each session.
@check(
    "RPC-UNKNOWN-SESSION",
    methods.SessionUpdate,
    methods.RequestPermissionRequest,
    methods.PromptRequest,
    methods.CancelSession,
    methods.SetConfigOptionRequest,
    methods.ElicitationRequest,
    answers=(methods.NewSessionRequest, methods.ForkSessionRequest),
    over=True,
)
def unknown_session(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if type(what) is Answer:
        if len(case.ledger.opening) == 1:
            _never_returned(case, getattr(what.outcome, "session_id", None))
    elif event is None:
        if case.complete or not case.ledger.opening:
            _never_returned(case, None)
    elif s is not None:
        case.exercise("RPC-UNKNOWN-SESSION")
        if s.origin not in OPENED and "RPC-UNKNOWN-SESSION" not in s.extra:
            _unknown(case, s, event)


def _unknown(case: Case, s: SessionFacts, event: Event) -> None:
    party = PARTY[event.dir]
    if s.origin == "unknown" and case.ledger.opening and party == "agent":
        case.ledger.undecided.setdefault(s.id, event.line)
        return
    s.extra["RPC-UNKNOWN-SESSION"] = True
    text = f"the {party} names session {shown(s.id)}, which was not created, resumed or announced"
    if s.origin == "listed":
        text = f"perhaps {text} here; session/list showed it, so it may be open elsewhere"
        case.suspect("RPC-UNKNOWN-SESSION", event.line, text, session=s, party=party)
    elif not case.ledger.from_start:
        text = f"perhaps {text}; {BEFORE_TRACE}"
        case.suspect("RPC-UNKNOWN-SESSION", event.line, text, session=s, party=party)
    else:
        if s.origin == "lapsed":
            text = f"{text} since the connection was lost"
        case.breach("RPC-UNKNOWN-SESSION", event.line, text, session=s, party=party)


def _never_returned(case: Case, returned: str | None) -> None:
    """No open request can return the ids of undecided sessions any more, the one given apart."""
    for name, line in case.ledger.undecided.items():
        s = case.ledger.sessions[name]
        if name == returned or s.origin in OPENED:
            continue
        s.extra["RPC-UNKNOWN-SESSION"] = True
        text = f"the agent names session {shown(name)}, which no session/new returned"
        if case.ledger.from_start:
            case.breach("RPC-UNKNOWN-SESSION", line, text, session=s, party="agent")
        else:
            text = f"perhaps {text}; {BEFORE_TRACE}"
            case.suspect("RPC-UNKNOWN-SESSION", line, text, session=s, party="agent")
    case.ledger.undecided.clear()


# RPC-NO-REPLY-TO-NOTIFICATION, "JSON-RPC 2.0". Why this is mostly a suspicion:
#   1. One side sends a line that is no JSON, or whose id is none; the other answers with an error
#      whose id is null.
#   2. An error with id null after a notification looks the same.
#   3. It is proof only where every earlier line of the other side was readable.
@check("RPC-NO-REPLY-TO-NOTIFICATION", Response, over=True)
def no_reply(case: Case, _: None, event: Event | None, message: Any) -> None:
    if event is None:
        case.exercise("RPC-NO-REPLY-TO-NOTIFICATION", sum(case.ledger.notified.values()))
        return
    assert event.dir != "lost"
    party, asking = PARTY[event.dir], OTHER_SIDE[event.dir]
    if message.id is not None or not case.ledger.notified[asking]:
        return
    text = f"the {party} sent an error whose id is null, as if to answer a notification"
    if case.ledger.unparsed[asking]:
        case.suspect(
            "RPC-NO-REPLY-TO-NOTIFICATION",
            event.line,
            f"perhaps {text}; an earlier line of the {PARTY[asking]} could not be read",
            party=party,
        )
    else:
        case.breach("RPC-NO-REPLY-TO-NOTIFICATION", event.line, text, party=party)
