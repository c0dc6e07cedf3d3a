"""What the client does: prompts, cancels, answers, closes, resumes; and the connection that breaks.

Owns: the moves that begin with the client, each with what the agent owes it in answer where that
belongs to the move.
"""

from __future__ import annotations

from collections.abc import Iterator

from acpsim.fuzz import entity_moves, work_moves
from acpsim.fuzz.ledger import VERSION, Asked, Ledger, Session, Thing
from acpsim.fuzz.scenario import Node
from acpsim.fuzz.values import CAPABILITIES
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import NOT_FOUND, REQUEST_CANCELLED

INFO = {"name": "acpsim", "version": "1"}
CANCELLED: JsonObject = {"result": {"outcome": {"outcome": "cancelled"}}}


def connect(ledger: Ledger) -> None:
    """`initialize` and its answer, before anything else."""
    values = ledger.values
    supported = [name for name in CAPABILITIES if values.maybe(0.6)]
    ledger.supported = frozenset(supported)
    identity = ledger.request_id("c2a")
    params = {"protocolVersion": 2, "info": INFO, "capabilities": {}}
    request = {**VERSION, "id": identity, "method": "initialize", "params": params}
    node = ledger.script.say("c2a", request, (), keep=True)
    offered: JsonObject = {name: {} for name in supported}
    capabilities = {"session": {"prompt": offered}}
    result = {"protocolVersion": 2, "info": INFO, "capabilities": capabilities}
    answer = {**VERSION, "id": identity, "result": result}
    ledger.connected = ledger.script.say("a2c", answer, (node,), keep=True)


def new_session(ledger: Ledger, session: Session | None = None) -> None:
    """A session is made. Its first updates may come before the response that names it."""
    values = ledger.values
    params = {"cwd": "/p", "mcpServers": []}
    asked = ledger.client_asks(None, "session/new", params, keep=True)
    name = ledger.new_session_name()
    response = ledger.answers(asked, {"result": {"sessionId": name, **_opened(ledger)}}, keep=True)
    early = values.maybe(0.2)
    made = Session(name, asked.node if early else response, response)
    ledger.sessions.append(made)
    if early and values.maybe(0.6):
        work_moves.lists(ledger, made)


def _opened(ledger: Ledger) -> JsonObject:
    """The lists that a response which opens a session may have."""
    values = ledger.values
    found: JsonObject = {}
    if values.maybe(0.4):
        found["configOptions"] = values.options()
    if ledger.edition.extras and values.maybe(0.3):
        found["availableCommands"] = values.commands()
    return found


def prompt(ledger: Ledger, session: Session) -> None:
    """A submission; also while work goes on or other prompts are pending."""
    values = ledger.values
    count = values.chance.choice((1, 1, 1, 2, 3))
    blocks = [values.prompt_block(ledger.supported) for _ in range(count)]
    session.prompts.append(ledger.client_asks(session, "session/prompt", {"prompt": blocks}))


def withdraw(ledger: Ledger, session: Session) -> None:
    """The client takes a pending prompt back; it is answered all the same."""
    asked = ledger.values.chance.choice(session.prompts)
    if asked.withdrawn is None:
        params = {"requestId": asked.identity}
        message = {**VERSION, "method": "$/cancel_request", "params": params}
        asked.withdrawn = ledger.script.say("c2a", message, (asked.node, session.client_last))
        session.client_last = asked.withdrawn


def cancel(ledger: Ledger, session: Session) -> None:
    """Work is to stop, and what is not yet inserted is not to be."""
    node = ledger.client_cancels(session)
    session.cancel_last = node
    if session.working and session.cancelled is None:
        session.cancelled = node
    for asked in session.prompts:
        asked.withdrawn = node if asked.withdrawn is None else asked.withdrawn
    for asked in session.permissions:
        asked.decline = True
    if ledger.values.maybe(0.6):
        _decline_all(ledger, session)


def _decline_all(ledger: Ledger, session: Session) -> None:
    for asked in session.permissions:
        _decline(ledger, session, asked)
    session.permissions = []


def _decline(ledger: Ledger, session: Session, asked: Asked) -> None:
    ledger.client_answers(session, asked, CANCELLED)
    thing = asked.thing
    if (
        thing is not None
        and thing.open
        and not (session.working and thing.stretch == session.stretch)
    ):
        entity_moves.end_tool(ledger, session, thing, status="cancelled")


def answer(ledger: Ledger, session: Session) -> None:
    """A pending question is answered: as the user wishes, or as a cancel demands."""
    values = ledger.values
    asked = values.chance.choice(session.permissions)
    session.permissions.remove(asked)
    if asked.decline or session.cancelled is not None:
        _decline(ledger, session, asked)
        return
    if asked.withdrawn is not None or values.maybe(0.1):
        error = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
        node = ledger.client_answers(session, asked, {"error": error})
        work_moves.answered(ledger, session, asked, node=node, allowed=False)
        return
    allowed = values.maybe(0.6)
    outcome = {"outcome": "selected", "optionId": "yes" if allowed else "no"}
    node = ledger.client_answers(session, asked, {"result": {"outcome": outcome}})
    work_moves.answered(ledger, session, asked, node=node, allowed=allowed)


def set_option(ledger: Ledger, session: Session) -> None:
    """An option is set; the answer is the whole list."""
    params = {"configId": "model", "type": "id", "value": "large"}
    asked = ledger.client_asks(session, "session/set_config_option", params)
    last = session.singles.get("config_option_update")
    after = () if last is None else (last,)
    if ledger.values.maybe(0.2):
        error = {"code": -32602, "message": "No such option"}
        ledger.answers(asked, {"error": error}, after)
        return
    result = {"configOptions": ledger.values.options()}
    session.singles["config_option_update"] = ledger.answers(asked, {"result": result}, after)


def list_sessions(ledger: Ledger, session: Session) -> None:
    """The client asks which sessions there are; that changes none of them."""
    asked = ledger.client_asks(None, "session/list", {})
    listed = [{"sessionId": session.name, "cwd": "/p", "title": "listed"}]
    ledger.answers(asked, {"result": {"sessions": listed}})


def _family(ledger: Ledger, session: Session) -> list[Session]:
    """A session and all below it."""
    found = [session]
    for other in ledger.sessions:
        if other.parent is not None and any(other.parent is known for known in found):
            found.append(other)
    return found


def close(ledger: Ledger, session: Session) -> None:
    """A session is closed: all that goes on ends first, then comes the answer, then nothing."""
    if ledger.values.maybe(0.1):
        refused = ledger.client_asks(session, "session/close", {})
        ledger.answers(refused, {"error": {"code": -32603, "message": "Not now"}})
        return
    asked = ledger.client_asks(session, "session/close", {}, after=session.rejected)
    family = [member for member in _family(ledger, session) if member.closed is None]
    for member in family:
        _wind_up(ledger, member, asked)
    after = [node for member in family for node in member.all_nodes]
    gone = ledger.edition.not_found_closes and ledger.values.maybe(0.3)
    error = {"code": NOT_FOUND, "message": "No such session"}
    closed = ledger.answers(asked, {"error": error} if gone else {"result": {}}, after)
    for member in family:
        member.closed = closed


def _wind_up(ledger: Ledger, session: Session, asked: Asked) -> None:
    for pending in session.prompts:
        pending.withdrawn = asked.node if pending.withdrawn is None else pending.withdrawn
        if session.says(pending.payload["prompt"]):
            work_moves.accept(ledger, session, pending)
        else:
            work_moves.refuse(ledger, session, pending)
    session.prompts = []
    session.client_last = max(session.client_last, asked.node)
    _decline_all(ledger, session)
    for thing in session.of("compaction"):
        if thing.open:
            thing.status = "cancelled"
            entity_moves.end_compaction(ledger, session, thing)
    if session.working:
        session.cancelled = asked.node
        work_moves.finish(ledger, session)


def resume(ledger: Ledger, session: Session) -> None:
    """A session is taken up again: its history if the client asks for it, its state, the answer."""
    values = ledger.values
    replay = values.maybe(0.6)
    params: JsonObject = {"cwd": "/p", "mcpServers": []}
    if replay:
        params["replayFrom"] = {"type": "start"}
    elif values.maybe(0.3):
        params["replayFrom"] = None
    if session.closed is not None:
        session.client_last = session.closed
    asked = ledger.client_asks(session, "session/resume", params)
    session.ready, session.closed, session.all_nodes = asked.node, None, []
    said = list(_retell(ledger, session)) if replay else []
    if session.working and values.maybe(0.6):
        session.state = "idle"  # the work ended while nobody listened
    said.append(ledger.report(session, session.state, after=said))
    response = ledger.answers(asked, {"result": _opened(ledger)}, said)
    # Before the answer there is nothing but the replay, which would be hard to tell from it.
    session.ready = session.client_last = response
    for child in _family(ledger, session)[1:]:
        # Its announcement may have been lost with the connection: a replay makes it known again.
        child.ready = child.client_last = response
        child.closed = None if replay else child.closed


def _retell(ledger: Ledger, session: Session) -> Iterator[Node]:
    """The history again, entity by entity, each from the beginning."""
    for held in session.things.values():
        for thing in held.values():
            for update in (*_cleared(thing), *thing.told):
                thing.last = ledger.update(session, update, [thing.last])
                yield thing.last


def _cleared(thing: Thing) -> list[JsonObject]:
    """What makes an entity's content empty, so that chunks told again double nothing."""
    if thing.kind in entity_moves.CHUNK_OF:
        return [{"sessionUpdate": thing.kind, "messageId": thing.own_id, "content": None}]
    if thing.kind == "tool_call":
        update: JsonObject = {"sessionUpdate": "tool_call_update", "toolCallId": thing.own_id}
        return [{**update, "content": []}]
    if thing.kind == "terminal":
        update = {"sessionUpdate": "terminal_update", "terminalId": thing.own_id}
        return [{**update, "output": None}]
    if thing.kind == "compaction":
        update = {"sessionUpdate": "compaction_update", "compactionId": thing.own_id}
        return [{**update, "status": thing.status, "summary": None}]
    return []


def lose(ledger: Ledger) -> None:
    """The connection breaks; on a new one some sessions are resumed."""
    for session in ledger.sessions:
        _outlive(ledger, session)
    ledger.reconnect()
    connect(ledger)
    for session in ledger.sessions:
        session.ready = session.client_last = ledger.connected
        session.closed = ledger.connected
        session.all_nodes = []
    for session in [session for session in ledger.sessions if session.parent is None]:
        if ledger.values.maybe(0.8):
            resume(ledger, session)


def _outlive(ledger: Ledger, session: Session) -> None:
    """Some of the prompts under way were inserted, and nobody heard of it."""
    for asked in session.prompts:
        if ledger.values.maybe(0.5):
            own_id = ledger.fresh_id(session, "user_message")
            update = {
                "sessionUpdate": "user_message",
                "messageId": own_id,
                "content": asked.payload["prompt"],
            }
            thing = Thing("user_message", own_id, asked.node, asked.node, None, told=[update])
            session.things.setdefault("user_message", {})[own_id] = thing
