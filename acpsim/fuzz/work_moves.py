"""What the agent says of its work: states, insertion, rejection, questions, children, lists.

Owns: the moves that are about a session as a whole. A stretch of foreground work begins with a
report that it runs and ends with a report of idle, after all its pending updates.
"""

from __future__ import annotations

from typing import Final

from acpsim.fuzz import entity_moves
from acpsim.fuzz.ledger import Asked, Ledger, Session, Thing
from acpsim.fuzz.scenario import Node
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import REQUEST_CANCELLED

STOP_REASONS: Final = ("end_turn", "end_turn", "max_tokens", "refusal", "_mine", None)
"""Reasons for which work ends by itself; `None` stands for an omitted one."""
TIME: Final = "2026-01-02T03:04:05Z"
OPTIONS: Final[list[JsonObject]] = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


def start(ledger: Ledger, session: Session) -> None:
    """Foreground work begins without a prompt."""
    ledger.report(session, "running", _state_extras(ledger))
    mirror(ledger, session)


def _state_extras(ledger: Ledger) -> JsonObject:
    return ledger.values.meta(chance=0.1)


def finish(ledger: Ledger, session: Session) -> None:
    """Foreground work ends: as the cancel demands, with an error, or by itself."""
    values = ledger.values
    after: list[Node] = []
    if session.cancelled is not None:
        _end_tools(ledger, session, "cancelled")
        fields: JsonObject = {"stopReason": "cancelled"}
        after = [session.cancelled]
        session.cancelled = None
    elif values.maybe(0.15):
        _end_tools(ledger, session, "failed")
        fields = {"stopReason": "error", "error": values.error()}
    else:
        reason = values.chance.choice(STOP_REASONS)
        fields = {} if reason is None else {"stopReason": reason}
    fields |= values.patch("usage", values.usage, chance=0.3)
    ledger.report(session, "idle", fields, after=after)
    mirror(ledger, session)


def _end_tools(ledger: Ledger, session: Session, status: str) -> None:
    """What the work left unfinished. Cancelling need not be told again for each call."""
    for thing in session.of("tool_call"):
        of_this_work = thing.open and thing.stretch == session.stretch and not thing.detached
        if of_this_work and (status == "failed" or ledger.values.maybe(0.7)):
            entity_moves.end_tool(ledger, session, thing, status=status)
        elif of_this_work:
            thing.status = status


def again(ledger: Ledger, session: Session) -> None:
    """The same state once more, or that it is not known."""
    values = ledger.values
    if values.maybe(0.4):
        ledger.report(session, "unknown")
        if values.maybe(0.7):
            ledger.report(session, session.state)
    elif session.working:
        ledger.report(session, session.state)
    else:
        reasons: tuple[JsonObject, ...] = ({}, {}, {"stopReason": "end_turn"}, {"stopReason": None})
        ledger.report(session, "idle", values.chance.choice(reasons))


def custom_state(ledger: Ledger, session: Session) -> None:
    """A state that a client does not know: busy in some way, not idle."""
    ledger.report(session, "_compiling")


def start_background(ledger: Ledger, session: Session) -> None:
    """From here on, every state report lists the background work."""
    session.background = True
    ledger.report(session, session.state)


# -------------------------------------------------------------------------------- prompts


def insert(ledger: Ledger, session: Session) -> None:
    """The oldest pending prompt is inserted, and work begins."""
    accept(ledger, session, session.prompts.pop(0))
    if not session.working and ledger.values.maybe(0.85):
        start(ledger, session)


def accept(ledger: Ledger, session: Session, asked: Asked) -> None:
    """A prompt is inserted: its response and its echo, in any order."""
    own_id = ledger.fresh_id(session, "user_message")
    result: JsonObject = {"messageId": own_id, **ledger.values.meta(chance=0.1)}
    ledger.answers(asked, {"result": result})
    _echo(ledger, session, asked, own_id=own_id)


def _echo(ledger: Ledger, session: Session, asked: Asked, *, own_id: str) -> None:
    values = ledger.values
    blocks = list(asked.payload["prompt"])
    if values.maybe(0.15):
        blocks = values.blocks()  # what is inserted may differ from what was sent
    update: JsonObject = {"sessionUpdate": "user_message", "messageId": own_id, "content": blocks}
    if values.maybe(0.4) and blocks:
        updates = [
            {"sessionUpdate": "user_message_chunk", "messageId": own_id, "content": block}
            for block in blocks
        ]
        update, *rest = updates
    else:
        rest = [{"sessionUpdate": "user_message", "messageId": own_id, **values.meta()}]
        rest = rest if values.maybe(0.15) else []
    thing = ledger.make(
        session,
        "user_message",
        update,
        own_id=own_id,
        background=True,
        after=[asked.node, *ledger.before_cancels],
    )
    for more in rest:
        ledger.about(session, thing, more)


def reject(ledger: Ledger, session: Session) -> None:
    """The oldest pending prompt is never inserted, unless it looks as if it had been."""
    if session.says(session.prompts[0].payload["prompt"]):
        insert(ledger, session)
    else:
        refuse(ledger, session, session.prompts.pop(0))


def refuse(ledger: Ledger, session: Session, asked: Asked) -> None:
    """An error for a prompt; the code says whether it was taken back."""
    session.refused.append(asked.payload["prompt"])
    if asked.withdrawn is not None:
        error: JsonObject = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
        ledger.answers(asked, {"error": error}, [asked.withdrawn])
        return
    error = {"code": ledger.values.chance.choice((-32000, -32602)), "message": "No"}
    if ledger.values.maybe(0.4):
        error["data"] = ledger.values.json()
    session.rejected.append(ledger.answers(asked, {"error": error}))


def other_user(ledger: Ledger, session: Session) -> None:
    """A user message that another client sent; it may say the same as one of ours."""
    own_id = ledger.fresh_id(session, "user_message")
    content = [{"type": "text", "text": ledger.values.text()}]
    if content in session.refused:
        content = [{"type": "text", "text": "Something else"}]
    update = {"sessionUpdate": "user_message", "messageId": own_id, "content": content}
    ledger.make(session, "user_message", update, own_id=own_id, background=True)


# -------------------------------------------------------------------------------- permissions


def permission(ledger: Ledger, session: Session) -> None:
    """The agent asks, most often about a tool call of its own, which it may thereby make known."""
    values = ledger.values
    params: JsonObject = {"title": values.title(), "options": OPTIONS}
    params |= values.patch("description", values.text, chance=0.3)
    asked_about = [thing for thing in session.of("tool_call") if thing.status == "pending"]
    after: list[Node] = []
    thing: Thing | None = None
    if asked_about and values.maybe(0.8):
        thing = values.chance.choice(asked_about)
        after = [thing.last]
        params["subject"] = _subject(ledger, thing.own_id, new=False)
    elif values.maybe(0.5):
        thing = Thing("tool_call", ledger.fresh_id(session, "tool_call"), 0, 0, None)
        params["subject"] = _subject(ledger, thing.own_id, new=True)
    elif values.maybe(0.5):
        subject = {"type": "command", "command": "ls", "cwd": "/p", "toolCallId": "t9"}
        params["subject"] = values.chance.choice((subject, {"type": "_vow", "text": "x"}, None))
    if session.cancelled is None and session.cancel_last is not None:
        after.append(session.cancel_last)  # else the cancel would cover this question too
    foreground = session.working and (thing is None or thing.stretch in (None, session.stretch))
    if foreground and session.state_node is not None:
        after.append(session.state_node)
    asked = ledger.agent_asks(session, "session/request_permission", params, after=after)
    asked.thing, asked.foreground = thing, foreground
    asked.decline = session.cancelled is not None  # it crossed the cancel on its way
    if thing is not None:
        _know(session, thing, asked.node)
    session.permissions.append(asked)
    if foreground:
        session.since_state.append(asked.node)
    if foreground and session.cancelled is None and values.maybe(0.8):
        ledger.report(session, "requires_action")


def _know(session: Session, thing: Thing, node: Node) -> None:
    held = session.things.setdefault("tool_call", {})
    if thing.own_id not in held:
        thing.made, thing.stretch = node, session.stretch if session.working else None
        held[thing.own_id] = thing
    thing.last = node


def _subject(ledger: Ledger, own_id: str, *, new: bool) -> JsonObject:
    call: JsonObject = {"toolCallId": own_id}
    if new or ledger.values.maybe(0.3):
        call |= {"title": ledger.values.title(), "kind": "edit"}
    return {"type": "tool_call", "toolCall": call}


def take_back(ledger: Ledger, session: Session) -> None:
    """The agent no longer wants to know; the client still answers."""
    asked = ledger.values.chance.choice(session.permissions)
    if asked.withdrawn is None:
        params = {"requestId": asked.identity}
        asked.withdrawn = ledger.agent_tells("$/cancel_request", params, [asked.node])


def answered(ledger: Ledger, session: Session, asked: Asked, *, node: Node, allowed: bool) -> None:
    """What the agent does once it has an answer: go on, or give the tool call up."""
    waits = any(other.foreground for other in session.permissions)
    if asked.foreground and session.state == "requires_action" and not waits:
        ledger.report(session, "running", after=[node])
    thing = asked.thing
    if thing is None or not thing.open:
        return
    thing.status = "in_progress" if allowed else "failed"
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": thing.own_id,
        "status": thing.status,
    }
    ledger.about(session, thing, update, after=[node])


# -------------------------------------------------------------------------------- children


def child(ledger: Ledger, session: Session) -> None:
    """A child session is announced, and from then on speaks for itself."""
    name = f"{session.name}-{len(session.things.get('subagent', {})) + 1}"
    update: JsonObject = {"sessionUpdate": "subagent_update", "sessionId": name}
    update |= _roster(ledger) | {"capabilities": {"cancel": {}}}
    thing = ledger.make(session, "subagent", update, own_id=name, background=True)
    ledger.sessions.append(Session(name, thing.made, thing.made, parent=session))


def child_more(ledger: Ledger, session: Session) -> None:
    """The roster's entry of a child changes."""
    thing = ledger.values.chance.choice(session.of("subagent"))
    update: JsonObject = {"sessionUpdate": "subagent_update", "sessionId": thing.own_id}
    ledger.about(session, thing, update | _roster(ledger))


def _roster(ledger: Ledger) -> JsonObject:
    values = ledger.values
    return {
        **values.patch("title", values.text),
        **values.patch("description", values.text),
        **values.patch("cwd", lambda: "/p", chance=0.2),
        **values.patch("additionalDirectories", lambda: ["/q"], chance=0.2),
        **values.meta(),
    }


def mirror(ledger: Ledger, session: Session) -> None:
    """The parent's roster shows the child's state; that is no state of the parent's."""
    if session.parent is None or not ledger.values.maybe(0.7):
        return
    thing = session.parent.things["subagent"][session.name]
    state: JsonObject = {"state": session.state}
    if session.state == "idle":
        state["stopReason"] = "end_turn"
    update = {"sessionUpdate": "subagent_update", "sessionId": session.name, "state": state}
    ledger.about(session.parent, thing, update)


# -------------------------------------------------------------------------------- the session


def lists(ledger: Ledger, session: Session) -> None:
    """Commands, options, title or context usage, once or twice."""
    values = ledger.values
    kind = values.chance.choice(("commands", "options", "info", "info", "usage", "usage"))
    for _ in range(values.chance.choice((1, 1, 2))):
        ledger.single(session, _list(ledger, kind))


def _list(ledger: Ledger, kind: str) -> JsonObject:
    values = ledger.values
    if kind == "commands":
        update: JsonObject = {"sessionUpdate": "available_commands_update"}
        update["availableCommands"] = values.commands()
    elif kind == "options":
        update = {"sessionUpdate": "config_option_update", "configOptions": values.options()}
    elif kind == "info":
        update = {"sessionUpdate": "session_info_update", **values.meta(chance=0.4)}
        update |= values.patch("title", values.text) | values.patch("updatedAt", lambda: TIME)
    else:
        used = values.chance.randint(0, 9)
        update = {"sessionUpdate": "usage_update", "used": used, "size": 9}
        update |= values.patch("cost", values.cost)
    return update


def notice(ledger: Ledger, session: Session) -> None:
    """A live remark. Several keep their order, since the client keeps it."""
    values = ledger.values
    severity = values.chance.choice(("info", "warning", "error", "_party"))
    update = {"sessionUpdate": "notice", "severity": severity, "title": values.title()}
    ledger.single(session, update | values.patch("description", values.text))


def unknown(ledger: Ledger, session: Session) -> None:
    """A variant that the client does not know; it bears an id that an entity has."""
    values = ledger.values
    update: JsonObject = {"sessionUpdate": values.chance.choice(("_metric", "_vendor_note"))}
    held = [thing.own_id for kind in session.things for thing in session.of(kind)]
    if held:
        own_id = values.chance.choice(held)
        update |= {"messageId": own_id, "toolCallId": own_id, "content": values.blocks()}
    update |= {"state": "idle", "status": "failed"} if values.maybe(0.5) else {}
    ledger.single(session, update, key="unknown")


def extension(ledger: Ledger, session: Session) -> None:
    """Methods that the client does not know: one is ignored, one answered with an error."""
    if ledger.values.maybe(0.5):
        params = {"sessionId": session.name, "update": {"sessionUpdate": "agent_message"}}
        ledger.agent_tells("_vendor/settings", params, [session.ready])
        return
    asked = ledger.agent_asks(session, "_vendor/ask", {"state": "idle"})
    ledger.client_answers(session, asked, {"error": {"code": -32601, "message": "No such method"}})


def elicit(ledger: Ledger, session: Session) -> None:
    """The agent asks the user something that is no permission."""
    params = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object"}}
    asked = ledger.agent_asks(session, "elicitation/create", params)
    ledger.client_answers(session, asked, {"result": {"action": "cancel"}})
