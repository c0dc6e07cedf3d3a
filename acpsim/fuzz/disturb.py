"""What may happen to a conversation that is legal as it is: order, repetition, loss.

Owns: `DISTURBANCES`, all of them by name, and those that move, repeat, add or cut whole messages;
those that change what is inside of one are in `rewrite`. After each of them any correct reducer
still agrees with the reference, because both are given the same conversation; what is asked is
only whether the target is correct here too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from acpsim.fuzz import rewrite
from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Events
from acpsim.fuzz.stage import Disturbance, Stage
from acpsim.oracles import talk
from acpsim.oracles.laws.content import REPEATABLE
from acpsim.wire import methods, updates
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import Direction, Response
from acpsim.wire.trace import Event, lost

INFO: Final = {"name": "acpsim", "version": "1"}


# ------------------------------------------------------------------------------ moving


def move_response(stage: Stage) -> Events | None:
    """A prompt's response, anywhere between its request and the end of the connection."""
    answers = {
        at: request
        for at, request in stage.pairs.request_of.items()
        if isinstance(stage.events[request].message, methods.PromptRequest)
    }
    at = stage.pick(answers)
    if at is None:
        return None
    end = next(
        (i for i in range(at, len(stage.events)) if stage.events[i].dir == "lost"),
        len(stage.events),
    )
    return stage.move(at, stage.chance.randint(answers[at] + 1, end - 1))


def _moved_legally(stage: Stage, at: int | None) -> Events | None:
    """One message at another place that the conversation allows."""
    if at is None:
        return None
    before = scenario_of(stage.events, name="", settled=False).order.before
    first = max(before[at], default=-1) + 1
    last = next((i for i in range(at + 1, len(before)) if at in before[i]), len(before)) - 1
    goal = stage.chance.randint(first, last)
    return None if goal == at else stage.move(at, goal)


def move_cancel(stage: Stage) -> Events | None:
    """`session/cancel`, earlier or later."""
    return _moved_legally(stage, stage.pick(_of(stage, methods.CancelSession)))


def move_close(stage: Stage) -> Events | None:
    """`session/close`, earlier or later."""
    return _moved_legally(stage, stage.pick(_of(stage, methods.CloseSessionRequest)))


def move_answer(stage: Stage) -> Events | None:
    """The client's answer to a question, earlier or later."""
    asked = methods.RequestPermissionRequest
    answers = [
        at
        for at, request in stage.pairs.request_of.items()
        if isinstance(stage.events[request].message, asked)
    ]
    return _moved_legally(stage, stage.pick(answers))


def _of(stage: Stage, kind: type) -> list[int]:
    return [at for at, event in enumerate(stage.events) if isinstance(event.message, kind)]


# ------------------------------------------------------------------------------ saying more


def repeat(stage: Stage) -> Events | None:
    """A report that tells the whole of something, told twice: at once, or a little later."""
    at = stage.pick(stage.updates(lambda own: own.variant in REPEATABLE))
    if at is None:
        return None
    goal = at + 1
    while goal < len(stage.events) and stage.chance.random() < 0.3 and _apart(stage, at, goal):
        goal += 1
    return stage.put(goal, stage.events[at])


def _apart(stage: Stage, one: int, other: int) -> bool:
    """Whether what is told there says nothing about what is told here."""
    first, second = stage.prints[one], stage.prints[other]
    if first is None or second is None:
        return False
    return first[:2] != second[:2]


def add_notice(stage: Stage) -> Events | None:
    """A notice, wherever the session is known."""
    severity = stage.chance.choice(("info", "error", "_new"))
    return _add(stage, {"sessionUpdate": "notice", "severity": severity, "title": "Work failed"})


def add_unknown(stage: Stage) -> Events | None:
    """A variant that nobody knows; it bears the id of something that is known."""
    variant = stage.chance.choice(("_probe", "future_thing", "agent_message_v3"))
    update: JsonObject = {"sessionUpdate": variant, "state": "idle", "status": "failed"}
    about = [own for own in stage.prints if own is not None and own.key[1]]
    if about:
        own_id = stage.chance.choice(about).key[1]
        content = [{"type": "text", "text": "no"}]
        update |= {"messageId": own_id, "toolCallId": own_id, "content": content}
    return _add(stage, update)


def _add(stage: Stage, update: JsonObject) -> Events | None:
    spots = stage.spots()
    if not spots:
        return None
    session, at = stage.chance.choice(spots)
    return stage.put(at, stage.update(session, update))


def add_cancel(stage: Stage) -> Events | None:
    """One more `session/cancel`: it crosses what the agent says on its way. Not while a question
    is open that is answered otherwise.
    """
    waiting: set[int] = set()
    quiet: set[int] = set()
    for at in range(len(stage.events)):
        waiting.discard(stage.pairs.request_of.get(at, -1))
        if isinstance(stage.events[at].message, methods.RequestPermissionRequest):
            waiting.add(at)
        if not waiting:
            quiet.add(at + 1)
    spots = [(session, at) for session, at in stage.spots() if at in quiet]
    if not spots:
        return None
    session, at = stage.chance.choice(spots)
    cancel = {"method": "session/cancel", "params": {"sessionId": session}}
    return stage.put(at, stage.make("c2a", cancel))


def add_prompt(stage: Stage) -> Events | None:
    """The same submission once more, with an answer and an echo of its own."""
    source = stage.pick(_of(stage, methods.PromptRequest))
    if source is None or any(event.dir == "lost" for event in stage.events):
        return None
    told = stage.events[source].json()["params"]
    number = len(stage.events)
    request = stage.make(
        "c2a", {"id": f"more-{number}", "method": "session/prompt", "params": told}
    )
    own_id = f"more-{number}"
    result = {"messageId": own_id}
    echo = {"sessionUpdate": "user_message", "messageId": own_id, "content": told["prompt"]}
    rest = [stage.make("a2c", {"id": f"more-{number}", "result": result})]
    rest.append(stage.update(told["sessionId"], echo))
    stage.chance.shuffle(rest)
    events = list(stage.put(source + 1, request))
    low = source + 2
    for event in rest:
        low = stage.chance.randint(low, len(events))
        events.insert(low, event)
        low += 1
    return tuple(events)


def stray_answer(stage: Stage) -> Events | None:
    """An answer that nobody waits for: a second one, or to a request that was never made."""
    at = stage.pick(_answers(stage, "a2c"))
    result: JsonObject = {"messageId": "stray", "sessionId": "stray", "configOptions": []}
    draw = stage.chance.random()
    if not stage.events:
        return None
    if at is None or draw < 0.3:
        stray = stage.make("a2c", {"id": "never asked", "result": result})
        return stage.put(len(stage.events), stray)
    told = stage.events[at].json()
    other = {"error": {"code": -32603, "message": "again"}} if draw < 0.6 else {"result": result}
    again = stage.make("a2c", {"id": told["id"], **other})
    end = next(
        (i for i in range(at, len(stage.events)) if talk.request_id(stage.events[i]) == told["id"]),
        len(stage.events),
    )
    return stage.put(stage.chance.randint(at + 1, end), again)


def _answers(stage: Stage, direction: Direction) -> list[int]:
    return [
        at
        for at in stage.pairs.request_of
        if isinstance(stage.events[at].message, Response) and stage.events[at].dir == direction
    ]


def late_click(stage: Stage) -> Events | None:
    """The user answers a question again, mostly otherwise."""
    at = stage.pick(_answers(stage, "c2a"))
    if at is None:
        return None
    result = {"outcome": stage.chance.choice(({"outcome": "cancelled"}, _OTHERWISE))}
    again = stage.make("c2a", {"id": stage.events[at].json()["id"], "result": result})
    return stage.put(stage.chance.randint(at + 1, len(stage.events)), again)


_OTHERWISE: Final = {"outcome": "selected", "optionId": "later"}


# ------------------------------------------------------------------------------ cutting


def stop(stage: Stage) -> Events | None:
    """The record ends early."""
    if len(stage.events) < 6:
        return None
    return stage.events[: stage.chance.randint(5, len(stage.events) - 1)]


def cut(stage: Stage) -> Events | None:
    """The connection breaks. On the next one each session is resumed, mostly with its history, and
    what the agent goes on to say is heard there.
    """
    sessions = [
        name for name in talk.addressed(stage.events) if name not in _children(stage.events)
    ]
    if len(stage.events) < 6 or not sessions:
        return None
    at = stage.chance.randint(5, len(stage.events))
    heard = stage.events[:at]
    again: list[Event] = [lost(), *_connected(stage)]
    for count, session in enumerate(sessions):
        again += _resumed(stage, heard, session=session, identity=count + 1)
    rest = [
        event for event in stage.events[at:] if isinstance(event.message, methods.SessionUpdate)
    ]
    return (*heard, *again, *rest)


def _children(events: Sequence[Event]) -> set[str]:
    found = (talk.update_of(event) for event in events)
    return {update.session_id for update in found if isinstance(update, updates.SubagentUpdate)}


def _connected(stage: Stage) -> list[Event]:
    params = {"protocolVersion": 2, "info": INFO, "capabilities": {}}
    result = {"protocolVersion": 2, "info": INFO, "capabilities": {"session": {}}}
    return [
        stage.make("c2a", {"id": 0, "method": "initialize", "params": params}),
        stage.make("a2c", {"id": 0, "result": result}),
    ]


def _resumed(stage: Stage, heard: Sequence[Event], *, session: str, identity: int) -> list[Event]:
    params: JsonObject = {"sessionId": session, "cwd": "/p"}
    replay = stage.chance.random() < 0.7
    if replay:
        params["replayFrom"] = {"type": "start"}
    request = {"id": identity, "method": "session/resume", "params": params}
    told = list(_history(stage, heard, session)) if replay else []
    state = stage.chance.choice(("idle", "running"))
    report = {"sessionUpdate": "state_update", "state": state}
    return [
        stage.make("c2a", request),
        *told,
        stage.update(session, report),
        stage.make("a2c", {"id": identity, "result": {}}),
    ]


CLEARED: Final[dict[str, JsonObject]] = {
    "user_message": {"content": None},
    "agent_message": {"content": None},
    "agent_thought": {"content": None},
    "session_message": {"content": None},
    "tool_call": {"content": []},
    "terminal": {"output": None},
}
"""What empties an entity before its chunks are told again."""


def _history(stage: Stage, heard: Sequence[Event], session: str) -> list[Event]:
    """What was heard of a session, told again from the beginning, each content emptied first."""
    begun: set[talk.Key] = set()
    found: list[Event] = []
    for event in heard:
        update = talk.update_of(event)
        if update is None or talk.session_of(event) != session:
            continue
        key = talk.key_of(update)
        if key[0] in ("notice", "state_update"):
            continue  # live only, and told by the report of the state
        if key[0] in CLEARED and key not in begun:
            name = talk.ENTITIES[talk.CHUNK_OF[key[0]]][1]
            cleared = {"sessionUpdate": talk.UPSERT_OF[key[0]], name: key[1]}
            found.append(stage.update(session, cleared | CLEARED[key[0]]))
        begun.add(key)
        found.append(stage.update(session, talk.update_json(event)))
    return found


DISTURBANCES: Final[dict[str, Disturbance]] = {
    "move-response": move_response,
    "move-cancel": move_cancel,
    "move-close": move_close,
    "move-answer": move_answer,
    "repeat": repeat,
    "split": rewrite.split,
    "join": rewrite.join,
    "add-notice": add_notice,
    "add-unknown": add_unknown,
    "add-cancel": add_cancel,
    "add-prompt": add_prompt,
    "stray-answer": stray_answer,
    "late-click": late_click,
    "spoil-field": rewrite.spoil_field,
    "spoil-item": rewrite.spoil_item,
    "spoil-required": rewrite.spoil_required,
    "spoil-data": rewrite.spoil_data,
    "add-fields": rewrite.add_fields,
    "spoil-anything": rewrite.spoil_anything,
    "spoil-response": rewrite.spoil_response,
    "stop": stop,
    "cut": cut,
}
"""Every disturbance of a conversation by its name. Orders are the scheduler's."""


def disturb(stage: Stage, name: str) -> Events | None:
    """One disturbance, by name."""
    return DISTURBANCES[name](stage)


__all__ = ["DISTURBANCES", "disturb"]
