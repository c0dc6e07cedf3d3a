"""RPC-*: the envelope, requests and their answers, the sessions that messages name.

Headings: "JSON-RPC 2.0", "cancellation" and "session-setup" of the neighbouring pages. Facts: the
open requests of both directions, which sessions are known and how, what could not be parsed.
"""

from __future__ import annotations

import json
from typing import Any

from acpsim.rules.case import PARTY, Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.registry import ANY, END, check
from acpsim.wire import methods
from acpsim.wire.jsonrpc import (
    OTHER_SIDE,
    Malformed,
    OtherNotification,
    OtherRequest,
    Response,
)
from acpsim.wire.trace import Event

REQUESTS = tuple(call for call in methods.METHODS.values() if issubclass(call, methods.Request))


def shown(value: object) -> str:
    """A value as JSON, for a sentence."""
    return json.dumps(value, ensure_ascii=False)


def _in_params(path: str) -> bool:
    return path.startswith(("$.params", "$.result"))


# RPC-ENVELOPE, "JSON-RPC 2.0".
@check("RPC-ENVELOPE", also=True)
def envelope(case: Case, _: None, event: Event, moment: Any) -> None:
    assert moment is ANY
    case.exercise("RPC-ENVELOPE")
    message = event.message
    if isinstance(message, Malformed):
        flaws = [flaw for flaw in message.flaws if not _in_params(flaw.path)]
        if flaws:
            what = "; ".join(f"{flaw.path} {flaw.text}" for flaw in flaws)
            text = f"the {PARTY[event.dir]} sent no JSON-RPC 2.0 message: {what}"
            case.breach("RPC-ENVELOPE", event.line, text, party=PARTY[event.dir])


# RPC-RESPONSE-MATCH, "JSON-RPC 2.0". A response whose id is null is about a message that could not
# be read, and answers no request; RPC-NO-REPLY-TO-NOTIFICATION looks at it.
@check("RPC-RESPONSE-MATCH", Response, Malformed)
def response_match(case: Case, _: None, event: Event, message: Response | Malformed) -> None:
    if isinstance(message, Malformed) and message.kind != "response":
        return
    if not isinstance(message.id, int | str):
        return
    case.exercise("RPC-RESPONSE-MATCH")
    assert event.dir != "lost"
    if message.id not in case.ledger.pairing.open(OTHER_SIDE[event.dir]):
        other = "agent" if PARTY[event.dir] == "client" else "client"
        text = (
            f"the {PARTY[event.dir]} answers {shown(message.id)}, "
            f"which is no open request of the {other}"
        )
        case.breach("RPC-RESPONSE-MATCH", event.line, text, party=PARTY[event.dir])


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


# RPC-CANCEL-ANSWER, "cancellation". Looked at once, with the session that is asked first.
@check("RPC-CANCEL-ANSWER", methods.CancelRequest, end=True)
def cancel_answer(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    ledger = case.ledger
    if what is END:
        for (direction, request), line in list(ledger.cancel_requests.items()):
            del ledger.cancel_requests[direction, request]
            party = "agent" if direction == "c2a" else "client"
            text = (
                f"the {party} never answers request {shown(request)}, "
                f"which $/cancel_request names on line {line}"
            )
            case.owed("RPC-CANCEL-ANSWER", line, text, related=(line,))
    elif event is not None and event.dir != "lost":
        named = what.params.request_id
        if named in ledger.pairing.open(event.dir):
            case.exercise("RPC-CANCEL-ANSWER")


# RPC-UNKNOWN-SESSION, "session-setup". Why an unknown id may be no breach:
#   1. The agent sends an update for a session before the session/new response that returns its id.
#   2. While such a request is open the id is undecided; it becomes a breach once none returned it.
#   3. A session/resume names its id itself; an id that only session/list showed is a suspicion.
@check(
    "RPC-UNKNOWN-SESSION",
    methods.SessionUpdate,
    methods.RequestPermissionRequest,
    methods.PromptRequest,
    methods.CancelSession,
    methods.SetConfigOptionRequest,
    methods.ElicitationRequest,
    answers=(methods.NewSessionRequest, methods.ForkSessionRequest),
    end=True,
)
def unknown_session(case: Case, s: SessionFacts | None, event: Event | None, what: Any) -> None:
    if event is None:
        _undecided(case, s, left=0)
        return
    if hasattr(what, "outcome"):
        left = len(case.ledger.opening) - 1
        returned = getattr(what.outcome, "session_id", None)
        if left == 0:
            for facts in list(case.ledger.sessions.values()):
                if facts.id != returned:
                    _undecided(case, facts, left=left)
        return
    if s is None:
        return
    case.exercise("RPC-UNKNOWN-SESSION")
    if s.origin in {"created", "resumed", "announced"}:
        return
    party = PARTY[event.dir]
    text = f"the {party} names session {shown(s.id)}, which was not created, resumed or announced"
    if s.origin == "listed":
        text = f"perhaps {text} here; session/list showed it, so it may be open elsewhere"
        case.suspect("RPC-UNKNOWN-SESSION", event.line, text, session=s, party=party)
        s.origin = "announced"
    elif case.ledger.opening and party == "agent":
        s.extra.setdefault("RPC-UNKNOWN-SESSION", event.line)
    else:
        case.breach("RPC-UNKNOWN-SESSION", event.line, text, session=s, party=party)
        s.origin = "announced"


def _undecided(case: Case, s: SessionFacts | None, *, left: int) -> None:
    """No open request can return the id of this session any more."""
    line = None if s is None else s.extra.get("RPC-UNKNOWN-SESSION")
    if s is None or line is None:
        return
    del s.extra["RPC-UNKNOWN-SESSION"]
    if s.origin not in {"unknown", "listed"}:
        return
    if left == 0 and not case.complete and case.ledger.opening:
        return
    text = f"the agent names session {shown(s.id)}, which no session/new returned"
    case.breach("RPC-UNKNOWN-SESSION", line, text, session=s, party="agent")
    s.origin = "announced"


NOTIFICATIONS = (
    OtherNotification,
    methods.CancelSession,
    methods.SessionUpdate,
    methods.CancelRequest,
)


# RPC-NO-REPLY-TO-NOTIFICATION, "JSON-RPC 2.0". Why this is mostly a suspicion:
#   1. One side sends a line that is no JSON; the other answers with an error whose id is null.
#   2. An error with id null after a notification looks the same.
#   3. It is proof only where every earlier line of the other side was readable.
@check("RPC-NO-REPLY-TO-NOTIFICATION", Response, *NOTIFICATIONS)
def no_reply(case: Case, s: SessionFacts | None, event: Event, message: Any) -> None:
    if not isinstance(message, Response):
        case.exercise("RPC-NO-REPLY-TO-NOTIFICATION")
        return
    if message.id is not None:
        return
    assert event.dir != "lost"
    party = PARTY[event.dir]
    text = f"the {party} sent an error whose id is null, as if to answer a notification"
    if case.ledger.unparsed[OTHER_SIDE[event.dir]]:
        case.suspect(
            "RPC-NO-REPLY-TO-NOTIFICATION",
            event.line,
            f"perhaps {text}; an earlier line of the other side could not be read",
            party=party,
        )
    else:
        case.breach("RPC-NO-REPLY-TO-NOTIFICATION", event.line, text, party=party)
