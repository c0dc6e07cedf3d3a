"""What the agent says of entities: each is made, and then patched, appended to, ended.

Owns: the moves about messages, thoughts, tool calls, terminals, plans, compactions and session
messages. Each takes the ledger and a session and says one thing, or a few that belong together.
"""

from __future__ import annotations

from typing import Final

from acpsim.fuzz.ledger import Ledger, Session, Thing
from acpsim.wire.cells import JsonObject

CHUNK_OF: Final = {
    "user_message": "user_message_chunk",
    "agent_message": "agent_message_chunk",
    "agent_thought": "agent_thought_chunk",
    "session_message": "session_message_chunk",
}


def message(ledger: Ledger, session: Session) -> None:
    """A new message of the agent, whole or by its first chunk."""
    _new_message(ledger, session, "agent_message", own_id=ledger.fresh_id(session, "agent_message"))


def thought(ledger: Ledger, session: Session) -> None:
    """A new thought; it often bears the messageId of a reply."""
    held = session.things.get("agent_thought", {})
    shared = [thing.own_id for thing in session.of("agent_message") if thing.own_id not in held]
    if shared and ledger.values.maybe(0.6):
        own_id = ledger.values.chance.choice(shared)
    else:
        own_id = ledger.fresh_id(session, "agent_thought")
    _new_message(ledger, session, "agent_thought", own_id=own_id)


def _new_message(ledger: Ledger, session: Session, kind: str, *, own_id: str) -> Thing:
    values = ledger.values
    if values.maybe(0.5):
        update = chunk(ledger, kind, own_id)
    else:
        update = {"sessionUpdate": kind, "messageId": own_id, "content": values.blocks()}
        update |= values.meta(chance=0.4)
    return ledger.make(session, kind, update, own_id=own_id)


def chunk(ledger: Ledger, kind: str, own_id: str) -> JsonObject:
    """A chunk of a message; its `_meta` is its own."""
    values = ledger.values
    update: JsonObject = {"sessionUpdate": CHUNK_OF[kind], "messageId": own_id}
    update["content"] = values.block()
    if values.maybe(0.15):
        update["_meta"] = values.some_meta()
    return update


def message_more(ledger: Ledger, session: Session) -> None:
    """A chunk or a patch of a message that is there."""
    held = [thing for kind in CHUNK_OF for thing in session.of(kind)]
    thing = ledger.values.chance.choice(held[-4:])
    if ledger.values.maybe(0.6):
        update = chunk(ledger, thing.kind, thing.own_id)
    else:
        values = ledger.values
        update = {"sessionUpdate": thing.kind, "messageId": thing.own_id}
        update |= values.patch("content", values.blocks, chance=0.6) | values.meta(chance=0.4)
    if thing.kind == "session_message":
        update |= _identities(ledger, session, chunked=update["sessionUpdate"] != thing.kind)
    ledger.about(session, thing, update)


def has_messages(ledger: Ledger, session: Session) -> bool:
    """Whether there is a message to say more of."""
    return any(session.things.get(kind) for kind in CHUNK_OF)


def session_message(ledger: Ledger, session: Session) -> None:
    """One side's view of a message between sessions."""
    kind = "session_message"
    own_id = ledger.fresh_id(session, kind)
    if ledger.values.maybe(0.5):
        update = chunk(ledger, kind, own_id)
    else:
        update = {"sessionUpdate": kind, "messageId": own_id}
        update |= ledger.values.patch("content", ledger.values.blocks, chance=0.7)
    update |= _identities(ledger, session, chunked=update["sessionUpdate"] != kind)
    ledger.make(session, kind, update, own_id=own_id, background=True)


def _identities(ledger: Ledger, session: Session, *, chunked: bool) -> JsonObject:
    values = ledger.values
    names = ("senderSessionId", "recipientSessionId")
    if chunked and not ledger.edition.chunks_carry_identities:
        return {}
    found: JsonObject = {}
    for name in names:
        found |= values.patch(name, lambda: values.chance.choice((session.name, "peer")))
    if ledger.edition.message_cross_references:
        found |= values.patch("senderMessageId", lambda: "u1", chance=0.2)
        found |= values.patch("recipientMessageId", lambda: "u2", chance=0.2)
    return found


# -------------------------------------------------------------------------------- tool calls


def tool(ledger: Ledger, session: Session) -> None:
    """A new tool call: of the work that goes on, or of the background."""
    values = ledger.values
    own_id = ledger.fresh_id(session, "tool_call")
    background = values.maybe(0.2)
    if values.maybe(0.15):
        update = _item(ledger, session, own_id)
    else:
        update = {"sessionUpdate": "tool_call_update", "toolCallId": own_id}
        update["title"] = values.title()
        update |= values.patch("status", lambda: "pending", chance=0.5)
        update |= _tool_fields(ledger, session)
    ledger.make(session, "tool_call", update, own_id=own_id, background=background)


def _item(ledger: Ledger, session: Session, own_id: str) -> JsonObject:
    """One item more of a tool call's content."""
    values = ledger.values
    update: JsonObject = {"sessionUpdate": "tool_call_content_chunk", "toolCallId": own_id}
    update["content"] = values.tool_item(list(session.things.get("terminal", {})))
    if values.maybe(0.15):
        update["_meta"] = values.some_meta()
    return update


def _tool_fields(ledger: Ledger, session: Session) -> JsonObject:
    values = ledger.values
    kinds = [*sorted(ledger.edition.tool_kinds), "_weld"]
    terminals = list(session.things.get("terminal", {}))
    fields = {
        **values.patch("kind", lambda: values.chance.choice(kinds)),
        **values.patch("name", values.text, chance=0.2),
        **values.patch("content", lambda: [values.tool_item(terminals) for _ in range(2)]),
        **values.patch("locations", values.locations, chance=0.3),
        **values.patch("rawInput", values.json, chance=0.2),
        **values.patch("rawOutput", values.json, chance=0.2),
        **values.meta(),
    }
    if ledger.edition.extras:
        fields |= values.patch("capabilities", lambda: {"cancel": {}}, chance=0.2)
    return fields


def tool_more(ledger: Ledger, session: Session) -> None:
    """A chunk, a patch, or the next status of a tool call that is not held up by a question."""
    values = ledger.values
    thing = values.chance.choice(_free_tools(session)[-3:])
    named = {"toolCallId": thing.own_id}
    draw = values.chance.random()
    if draw < 0.35:
        update = _item(ledger, session, thing.own_id)
    else:
        update = {"sessionUpdate": "tool_call_update", **named, **_tool_fields(ledger, session)}
        update |= values.patch("title", values.text, chance=0.15)
        if draw > 0.6 and thing.open:
            thing.status = _next_status(ledger, session, thing)
            update["status"] = thing.status
    ledger.about(session, thing, update)


def has_tools(ledger: Ledger, session: Session) -> bool:
    """Whether there is a tool call that is not held up by a question."""
    return bool(_free_tools(session))


def _free_tools(session: Session) -> list[Thing]:
    held_up = {id(asked.thing) for asked in session.permissions}
    return [thing for thing in session.of("tool_call") if id(thing) not in held_up]


def _next_status(ledger: Ledger, session: Session, thing: Thing) -> str:
    """Pending, in progress, ended. After a cancel nothing newly starts."""
    if thing.status == "pending":
        return "failed" if session.cancelled is not None else "in_progress"
    ends = ["completed", "completed", "failed", "_queued"]
    if "paused" in ledger.edition.tool_statuses:
        ends.append("in_progress" if thing.status == "paused" else "paused")
    return ledger.values.chance.choice(ends)


def end_tool(ledger: Ledger, session: Session, thing: Thing, *, status: str) -> None:
    """The terminal status of a tool call."""
    thing.status = status
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": thing.own_id,
        "status": status,
    }
    ledger.about(session, thing, update)


# -------------------------------------------------------------------------------- terminals


def terminal(ledger: Ledger, session: Session) -> None:
    """A new terminal, by an update or by its first output."""
    values = ledger.values
    own_id = ledger.fresh_id(session, "terminal")
    if values.maybe(0.4):
        update = _output(ledger, own_id)
    else:
        update = {"sessionUpdate": "terminal_update", "terminalId": own_id}
        update |= _terminal_fields(ledger)
    ledger.make(session, "terminal", update, own_id=own_id, background=values.maybe(0.4))


def terminal_more(ledger: Ledger, session: Session) -> None:
    """Output of a terminal, or a patch: also one that replaces all output, or takes back an end."""
    thing = ledger.values.chance.choice(session.of("terminal")[-2:])
    if ledger.values.maybe(0.6):
        update = _output(ledger, thing.own_id)
    else:
        update = {"sessionUpdate": "terminal_update", "terminalId": thing.own_id}
        update |= _terminal_fields(ledger)
    ledger.about(session, thing, update)


def _output(ledger: Ledger, own_id: str) -> JsonObject:
    update: JsonObject = {"sessionUpdate": "terminal_output_chunk", "terminalId": own_id}
    return {**update, "data": ledger.values.data()}


def _terminal_fields(ledger: Ledger) -> JsonObject:
    values = ledger.values
    statuses: tuple[JsonObject, ...] = ({"exitCode": 0}, {}, {"exitCode": None, "signal": "KILL"})
    fields = {
        **values.patch("command", values.text),
        **values.patch("cwd", lambda: "/p"),
        **values.patch("output", lambda: {"data": values.data()}),
        **values.patch("exitStatus", lambda: values.chance.choice(statuses), chance=0.5),
        **values.meta(),
    }
    if ledger.edition.extras:
        fields |= values.patch("size", lambda: {"cols": 80, "rows": 24}, chance=0.2)
        fields |= values.patch("capabilities", lambda: {"cancel": {}}, chance=0.2)
    return fields


def has_terminals(ledger: Ledger, session: Session) -> bool:
    """Whether there is a terminal."""
    return bool(session.things.get("terminal"))


# -------------------------------------------------------------------------------- plans


def plan(ledger: Ledger, session: Session) -> None:
    """A plan, new or in place of one that is there."""
    values = ledger.values
    held = session.things.get("plan", {})
    known = bool(held) and values.maybe(0.5)
    own_id = values.chance.choice(list(held)) if known else ledger.fresh_id(session, "plan")
    update = {"sessionUpdate": "plan_update", "plan": values.plan(own_id)}
    if known:
        ledger.about(session, held[own_id], update)
    else:
        ledger.make(session, "plan", update, own_id=own_id)


def plan_removed(ledger: Ledger, session: Session) -> None:
    """A plan goes. Its id is not used for another one."""
    thing = ledger.values.chance.choice(session.of("plan"))
    ledger.about(session, thing, {"sessionUpdate": "plan_removed", "planId": thing.own_id})


def has_plans(ledger: Ledger, session: Session) -> bool:
    """Whether there is, or was, a plan."""
    return bool(session.things.get("plan"))


# -------------------------------------------------------------------------------- compactions


def compaction(ledger: Ledger, session: Session) -> None:
    """A new compaction, by an update or by a chunk of its summary."""
    values = ledger.values
    own_id = ledger.fresh_id(session, "compaction")
    status = "in_progress"
    if values.maybe(0.4):
        update = _summary(ledger, own_id)
    else:
        status = values.chance.choice(("in_progress", "completed"))
        update = {"sessionUpdate": "compaction_update", "compactionId": own_id, "status": status}
        update |= _compaction_fields(ledger)
    thing = ledger.make(session, "compaction", update, own_id=own_id)
    thing.status = status


def compaction_more(ledger: Ledger, session: Session) -> None:
    """A chunk of a summary, a patch, or the end of a compaction."""
    thing = ledger.values.chance.choice(session.of("compaction")[-2:])
    if ledger.values.maybe(0.5):
        ledger.about(session, thing, _summary(ledger, thing.own_id))
        return
    if thing.open and ledger.values.maybe(0.6):
        thing.status = ledger.values.chance.choice(("completed", "failed", "cancelled"))
    end_compaction(ledger, session, thing)


def end_compaction(ledger: Ledger, session: Session, thing: Thing) -> None:
    """An update with the status that the compaction has."""
    update: JsonObject = {"sessionUpdate": "compaction_update", "compactionId": thing.own_id}
    update |= {"status": thing.status, **_compaction_fields(ledger)}
    ledger.about(session, thing, update)


def _summary(ledger: Ledger, own_id: str) -> JsonObject:
    update: JsonObject = {"sessionUpdate": "compaction_summary_chunk", "compactionId": own_id}
    update["content"] = ledger.values.block()
    if ledger.values.maybe(0.15):
        update["_meta"] = ledger.values.some_meta()
    return update


def _compaction_fields(ledger: Ledger) -> JsonObject:
    values = ledger.values
    return {
        **values.patch("summary", values.blocks),
        **values.patch("error", values.text, chance=0.2),
        **values.meta(chance=0.3),
    }


def has_compactions(ledger: Ledger, session: Session) -> bool:
    """Whether there is a compaction."""
    return bool(session.things.get("compaction"))
