"""What the agent says of its work: states, insertion, rejection, questions, children, lists.

Owns: the moves that are about a session as a whole. A stretch of foreground work begins with a
report that it runs and ends with a report of idle, after all its pending updates.
"""

from __future__ import annotations

from typing import Final

from acpsim.fuzz import entity_moves
from acpsim.fuzz.ledger import Asked, Ledger, Talk, Thing
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


def start(ledger: Ledger, talk: Talk) -> None:
    """Foreground work begins without a prompt."""
    ledger.report(talk, "running", _state_extras(ledger))
    mirror(ledger, talk)


def _state_extras(ledger: Ledger) -> JsonObject:
    return ledger.values.meta(chance=0.1)


def finish(ledger: Ledger, talk: Talk) -> None:
    """Foreground work ends: as the cancel demands, with an error, or by itself."""
    values = ledger.values
    after: list[Node] = []
    if talk.cancelled is not None:
        _end_tools(ledger, talk, "cancelled")
        fields: JsonObject = {"stopReason": "cancelled"}
        after = [talk.cancelled]
        talk.cancelled = None
    elif values.maybe(0.15):
        _end_tools(ledger, talk, "failed")
        fields = {"stopReason": "error", "error": values.error()}
    else:
        reason = values.chance.choice(STOP_REASONS)
        fields = {} if reason is None else {"stopReason": reason}
    fields |= values.patch("usage", values.usage, chance=0.3)
    ledger.report(talk, "idle", fields, after=after)
    mirror(ledger, talk)


def _end_tools(ledger: Ledger, talk: Talk, status: str) -> None:
    """What the work left unfinished. Cancelling need not be told again for each call."""
    for thing in talk.of("tool_call"):
        of_this_work = thing.open and thing.stretch == talk.stretch and not thing.detached
        if of_this_work and (status == "failed" or ledger.values.maybe(0.7)):
            entity_moves.end_tool(ledger, talk, thing, status=status)
        elif of_this_work:
            thing.status = status


def again(ledger: Ledger, talk: Talk) -> None:
    """The same state once more, or that it is not known."""
    values = ledger.values
    if values.maybe(0.4):
        ledger.report(talk, "unknown")
        if values.maybe(0.7):
            ledger.report(talk, talk.state)
    elif talk.working:
        ledger.report(talk, talk.state)
    else:
        reasons: tuple[JsonObject, ...] = ({}, {}, {"stopReason": "end_turn"}, {"stopReason": None})
        ledger.report(talk, "idle", values.chance.choice(reasons))


def custom_state(ledger: Ledger, talk: Talk) -> None:
    """A state that a client does not know: busy in some way, not idle."""
    ledger.report(talk, "_compiling")


def start_background(ledger: Ledger, talk: Talk) -> None:
    """From here on, every state report lists the background work."""
    talk.background = True
    ledger.report(talk, talk.state)


# -------------------------------------------------------------------------------- prompts


def insert(ledger: Ledger, talk: Talk) -> None:
    """The oldest pending prompt is inserted, and work begins."""
    accept(ledger, talk, talk.prompts.pop(0))
    if not talk.working and ledger.values.maybe(0.85):
        start(ledger, talk)


def accept(ledger: Ledger, talk: Talk, asked: Asked) -> None:
    """A prompt is inserted: its response and its echo, in any order."""
    own_id = ledger.fresh_id(talk, "user_message")
    result: JsonObject = {"messageId": own_id, **ledger.values.meta(chance=0.1)}
    ledger.answers(asked, {"result": result})
    _echo(ledger, talk, asked, own_id=own_id)


def _echo(ledger: Ledger, talk: Talk, asked: Asked, *, own_id: str) -> None:
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
        talk,
        "user_message",
        update,
        own_id=own_id,
        background=True,
        after=[asked.node, *ledger.before_cancels],
    )
    for more in rest:
        ledger.about(talk, thing, more)


def reject(ledger: Ledger, talk: Talk) -> None:
    """The oldest pending prompt is never inserted, unless it looks as if it had been."""
    if talk.says(talk.prompts[0].payload["prompt"]):
        insert(ledger, talk)
    else:
        refuse(ledger, talk, talk.prompts.pop(0))


def refuse(ledger: Ledger, talk: Talk, asked: Asked) -> None:
    """An error for a prompt; the code says whether it was taken back."""
    talk.refused.append(asked.payload["prompt"])
    if asked.withdrawn is not None:
        error: JsonObject = {"code": REQUEST_CANCELLED, "message": "Request cancelled"}
        ledger.answers(asked, {"error": error}, [asked.withdrawn])
        return
    error = {"code": ledger.values.chance.choice((-32000, -32602)), "message": "No"}
    if ledger.values.maybe(0.4):
        error["data"] = ledger.values.json()
    talk.rejected.append(ledger.answers(asked, {"error": error}))


def other_user(ledger: Ledger, talk: Talk) -> None:
    """A user message that another client sent; it may say the same as one of ours."""
    own_id = ledger.fresh_id(talk, "user_message")
    content = [{"type": "text", "text": ledger.values.text()}]
    if content in talk.refused:
        content = [{"type": "text", "text": "Something else"}]
    update = {"sessionUpdate": "user_message", "messageId": own_id, "content": content}
    ledger.make(talk, "user_message", update, own_id=own_id, background=True)


# -------------------------------------------------------------------------------- permissions


def permission(ledger: Ledger, talk: Talk) -> None:
    """The agent asks, most often about a tool call of its own, which it may thereby make known."""
    values = ledger.values
    params: JsonObject = {"title": values.title(), "options": OPTIONS}
    params |= values.patch("description", values.text, chance=0.3)
    asked_about = [thing for thing in talk.of("tool_call") if thing.status == "pending"]
    after: list[Node] = []
    thing: Thing | None = None
    if asked_about and values.maybe(0.8):
        thing = values.chance.choice(asked_about)
        after = [thing.last]
        params["subject"] = _subject(ledger, thing.own_id, new=False)
    elif values.maybe(0.5):
        thing = Thing("tool_call", ledger.fresh_id(talk, "tool_call"), 0, 0, None)
        params["subject"] = _subject(ledger, thing.own_id, new=True)
    elif values.maybe(0.5):
        subject = {"type": "command", "command": "ls", "cwd": "/p", "toolCallId": "t9"}
        params["subject"] = values.chance.choice((subject, {"type": "_vow", "text": "x"}, None))
    if talk.cancelled is None and talk.cancel_last is not None:
        after.append(talk.cancel_last)  # else the cancel would cover this question too
    foreground = talk.working and (thing is None or thing.stretch in (None, talk.stretch))
    if foreground and talk.state_node is not None:
        after.append(talk.state_node)
    asked = ledger.agent_asks(talk, "session/request_permission", params, after=after)
    asked.thing, asked.foreground = thing, foreground
    asked.decline = talk.cancelled is not None  # it crossed the cancel on its way
    if thing is not None:
        _know(talk, thing, asked.node)
    talk.permissions.append(asked)
    if foreground:
        talk.since_state.append(asked.node)
    if foreground and talk.cancelled is None and values.maybe(0.8):
        ledger.report(talk, "requires_action")


def _know(talk: Talk, thing: Thing, node: Node) -> None:
    held = talk.things.setdefault("tool_call", {})
    if thing.own_id not in held:
        thing.made, thing.stretch = node, talk.stretch if talk.working else None
        held[thing.own_id] = thing
    thing.last = node


def _subject(ledger: Ledger, own_id: str, *, new: bool) -> JsonObject:
    call: JsonObject = {"toolCallId": own_id}
    if new or ledger.values.maybe(0.3):
        call |= {"title": ledger.values.title(), "kind": "edit"}
    return {"type": "tool_call", "toolCall": call}


def take_back(ledger: Ledger, talk: Talk) -> None:
    """The agent no longer wants to know; the client still answers."""
    asked = ledger.values.chance.choice(talk.permissions)
    if asked.withdrawn is None:
        params = {"requestId": asked.identity}
        asked.withdrawn = ledger.agent_tells("$/cancel_request", params, [asked.node])


def answered(ledger: Ledger, talk: Talk, asked: Asked, *, node: Node, allowed: bool) -> None:
    """What the agent does once it has an answer: go on, or give the tool call up."""
    waits = any(other.foreground for other in talk.permissions)
    if asked.foreground and talk.state == "requires_action" and not waits:
        ledger.report(talk, "running", after=[node])
    thing = asked.thing
    if thing is None or not thing.open:
        return
    thing.status = "in_progress" if allowed else "failed"
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": thing.own_id,
        "status": thing.status,
    }
    ledger.about(talk, thing, update, after=[node])


# -------------------------------------------------------------------------------- children


def child(ledger: Ledger, talk: Talk) -> None:
    """A child session is announced, and from then on speaks for itself."""
    name = f"{talk.session}-{len(talk.things.get('subagent', {})) + 1}"
    update: JsonObject = {"sessionUpdate": "subagent_update", "sessionId": name}
    update |= _roster(ledger) | {"capabilities": {"cancel": {}}}
    thing = ledger.make(talk, "subagent", update, own_id=name, background=True)
    ledger.talks.append(Talk(name, thing.made, thing.made, parent=talk))


def child_more(ledger: Ledger, talk: Talk) -> None:
    """The roster's entry of a child changes."""
    thing = ledger.values.chance.choice(talk.of("subagent"))
    update: JsonObject = {"sessionUpdate": "subagent_update", "sessionId": thing.own_id}
    ledger.about(talk, thing, update | _roster(ledger))


def _roster(ledger: Ledger) -> JsonObject:
    values = ledger.values
    return {
        **values.patch("title", values.text),
        **values.patch("description", values.text),
        **values.patch("cwd", lambda: "/p", chance=0.2),
        **values.patch("additionalDirectories", lambda: ["/q"], chance=0.2),
        **values.meta(),
    }


def mirror(ledger: Ledger, talk: Talk) -> None:
    """The parent's roster shows the child's state; that is no state of the parent's."""
    if talk.parent is None or not ledger.values.maybe(0.7):
        return
    thing = talk.parent.things["subagent"][talk.session]
    state: JsonObject = {"state": talk.state}
    if talk.state == "idle":
        state["stopReason"] = "end_turn"
    update = {"sessionUpdate": "subagent_update", "sessionId": talk.session, "state": state}
    ledger.about(talk.parent, thing, update)


# -------------------------------------------------------------------------------- the session


def lists(ledger: Ledger, talk: Talk) -> None:
    """Commands, options, title or context usage, once or twice."""
    values = ledger.values
    kind = values.chance.choice(("commands", "options", "info", "info", "usage", "usage"))
    for _ in range(values.chance.choice((1, 1, 2))):
        ledger.single(talk, _list(ledger, kind))


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


def notice(ledger: Ledger, talk: Talk) -> None:
    """A live remark. Several keep their order, since the client keeps it."""
    values = ledger.values
    severity = values.chance.choice(("info", "warning", "error", "_party"))
    update = {"sessionUpdate": "notice", "severity": severity, "title": values.title()}
    ledger.single(talk, update | values.patch("description", values.text))


def unknown(ledger: Ledger, talk: Talk) -> None:
    """A variant that the client does not know; it bears an id that an entity has."""
    values = ledger.values
    update: JsonObject = {"sessionUpdate": values.chance.choice(("_metric", "_vendor_note"))}
    held = [thing.own_id for kind in talk.things for thing in talk.of(kind)]
    if held:
        own_id = values.chance.choice(held)
        update |= {"messageId": own_id, "toolCallId": own_id, "content": values.blocks()}
    update |= {"state": "idle", "status": "failed"} if values.maybe(0.5) else {}
    ledger.single(talk, update, key="unknown")


def extension(ledger: Ledger, talk: Talk) -> None:
    """Methods that the client does not know: one is ignored, one answered with an error."""
    if ledger.values.maybe(0.5):
        params = {"sessionId": talk.session, "update": {"sessionUpdate": "agent_message"}}
        ledger.agent_tells("_vendor/settings", params, [talk.ready])
        return
    asked = ledger.agent_asks(talk, "_vendor/ask", {"state": "idle"})
    ledger.client_answers(talk, asked, {"error": {"code": -32601, "message": "No such method"}})


def elicit(ledger: Ledger, talk: Talk) -> None:
    """The agent asks the user something that is no permission."""
    params = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object"}}
    asked = ledger.agent_asks(talk, "elicitation/create", params)
    ledger.client_answers(talk, asked, {"result": {"action": "cancel"}})
