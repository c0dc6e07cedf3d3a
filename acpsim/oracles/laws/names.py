"""Law 14: what is one entity never depends on what an id says.

Owns: where ids stand in messages and in snapshots, and of which type each is. Renaming is one to
one within a type; types are renamed apart, so that ids of different types may come to be equal
("Entity IDs": the same string can identify one entity of each type).
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from acpsim.oracles import talk
from acpsim.oracles.laws.scene import Bench, Breach, Occasion, Scene
from acpsim.wire import methods
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import OTHER_SIDE, Direction, Malformed
from acpsim.wire.trace import Event

Rename: TypeAlias = Callable[[str, Json], Json]
"""(type, id) → the new id. What is no id, such as `null`, comes back as it is."""

Tagged: TypeAlias = tuple[type, Json]

SESSION: Final = "session"
OPTION: Final = "option"
REQUEST: Final[dict[Direction, str]] = {"c2a": "c2a request", "a2c": "a2c request"}

_SESSION_IDS: Final = ("senderSessionId", "recipientSessionId")
_MESSAGE_IDS: Final = ("senderMessageId", "recipientMessageId")
_BACKGROUND: Final = {
    "terminal": ("terminalId", "terminal"),
    "tool_call": ("toolCallId", "tool_call"),
    "subagent": ("sessionId", SESSION),
}


def names(scene: Scene) -> Sequence[Occasion]:
    """Law 14. Renaming IDs one to one, within a type or across types, renames them in the snapshot
    and changes nothing else.
    """
    if not any(found is not None for found in scene.prints):
        return []
    return [Renamed(how="apart"), Renamed(how="alike"), Renamed(how="turned")]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """The conversation under other ids.

    `apart`: every id fresh, in an order turned round. `alike`: the first ids of all types are one
    string, the second ids another, and so on. `turned`: within each type, the ids in reverse.
    """

    how: str

    def judge(self, bench: Bench) -> Breach | None:
        scene = bench.scene
        rename = _table(scene, self.how)
        base = bench.base
        events = tuple(renamed(scene, rename))
        expected = {
            rename(SESSION, session): None if held is None else renamed_snapshot(held, rename)
            for session, held in base.items()
        }
        found = bench.compare(expected, bench.run(events, sessions=list(expected)))
        if found is None:
            return None
        session, difference = found
        return Breach(
            text=f"with all ids renamed ({self.how}), more than ids changes",
            session=session,
            difference=difference,
            variant=events,
        )


def _table(scene: Scene, how: str) -> Rename:
    """A renaming of all ids that the conversation has."""
    found: dict[str, dict[Tagged, None]] = {}

    def note(kind: str, old: Json) -> Json:
        if _is_id(old):
            found.setdefault(kind, {})[_tagged(old)] = None
        return old

    for event in scene.events:
        _rename_event(scene, event, note)
    start = _fresh_number(scene)
    tables = {kind: _RENAMINGS[how](list(ids), kind, start) for kind, ids in found.items()}

    def rename(kind: str, old: Json) -> Json:
        if not _is_id(old):
            return old
        return tables.get(kind, {}).get(_tagged(old), old)

    return rename


def _is_id(value: Json) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _tagged(value: Json) -> Tagged:
    """`1` and `"1"` are two ids."""
    return type(value), value


def _apart(ids: list[Tagged], kind: str, start: int) -> dict[Tagged, Json]:
    """What came first sorts last, within a type and, as far as that goes, across types."""
    rank = len(_KINDS) - _KINDS.index(kind) if kind in _KINDS else 0
    return {
        own: start + len(ids) - at if own[0] is int else f"n{start}-{rank}-{9999 - at}"
        for at, own in enumerate(ids)
    }


def _alike(ids: list[Tagged], kind: str, start: int) -> dict[Tagged, Json]:
    return {own: start + at if own[0] is int else f"n{start}-{at}" for at, own in enumerate(ids)}


def _turned(ids: list[Tagged], kind: str, start: int) -> dict[Tagged, Json]:
    found: dict[Tagged, Json] = {}
    for type_ in (str, int):
        same = [own for own in ids if own[0] is type_]
        found |= {old: new[1] for old, new in zip(same, reversed(same), strict=True)}
    return found


_RENAMINGS: Final = {"apart": _apart, "alike": _alike, "turned": _turned}
_KINDS: Final = (
    "user_message",
    "agent_thought",
    "agent_message",
    "session_message",
    "tool_call",
    "compaction",
    "terminal",
    "plan",
)
"""The usual order in which types appear."""


def _fresh_number(scene: Scene) -> int:
    number = 1000
    while any(str(number).encode() in event.raw for event in scene.events):
        number += 1000
    return number


def renamed(scene: Scene, rename: Rename) -> list[Event]:
    """The conversation with every id that stands in a known place renamed."""
    return [_rename_event(scene, event, rename) for event in scene.events]


def _rename_event(scene: Scene, event: Event, rename: Rename) -> Event:
    message = event.message
    if event.dir == "lost" or message is None:
        return event
    if isinstance(message, Malformed) and not isinstance(message.value, dict):
        return event
    value = event.json()
    asker = event.dir if "method" in value else OTHER_SIDE[event.dir]
    _field(value, "id", REQUEST[asker], rename)
    if isinstance(message, methods.Call):
        _call(value["params"], message, REQUEST[event.dir], rename)
    elif "method" not in value and isinstance(value.get("result"), dict):
        _result(value["result"], rename)
    return scene.make(event.dir, value, like=event)


def _field(holder: JsonObject, name: str, kind: str, rename: Rename) -> None:
    if name in holder:
        holder[name] = rename(kind, holder[name])


def _call(params: JsonObject, message: methods.Call, asker: str, rename: Rename) -> None:
    _field(params, "sessionId", SESSION, rename)
    _field(params, "requestId", asker, rename)
    if isinstance(message, methods.SessionUpdate):
        _update(params["update"], rename)
    elif isinstance(message, methods.RequestPermissionRequest):
        _subject(params.get("subject"), rename)
        for option in params["options"]:
            if isinstance(option, dict):
                _field(option, "optionId", OPTION, rename)


def _subject(subject: Json, rename: Rename) -> None:
    if not isinstance(subject, dict):
        return
    if isinstance(subject.get("toolCall"), dict) and subject.get("type") == "tool_call":
        _fields(subject["toolCall"], "tool_call", rename)
    elif subject.get("type") == "command":
        _field(subject, "terminalId", "terminal", rename)
        _field(subject, "toolCallId", "tool_call", rename)


def _update(update: JsonObject, rename: Rename) -> None:
    variant = update["sessionUpdate"]
    if variant == "plan_update":
        _field(update["plan"], "planId", "plan", rename)
    elif variant in talk.ENTITIES:
        _fields(update, talk.ENTITIES[variant][0], rename)
    elif variant == "state_update":
        _background(update.get("background"), rename)


_OWN: Final = {
    **dict.fromkeys(talk.TIMELINE_TYPES, "messageId"),
    "tool_call": "toolCallId",
    "terminal": "terminalId",
    "plan": "planId",
    "compaction": "compactionId",
}


def _fields(holder: JsonObject, entity: str, rename: Rename) -> None:
    """The ids of an entity's own fields, as an update or a snapshot has them."""
    if entity == "subagent":
        _field(holder, "sessionId", SESSION, rename)
        if isinstance(holder.get("state"), dict):
            _background(holder["state"].get("background"), rename)
        return
    _field(holder, _OWN.get(entity, ""), entity, rename)
    if entity == "session_message":
        for name in _SESSION_IDS:
            _field(holder, name, SESSION, rename)
        for name in _MESSAGE_IDS:
            _field(holder, name, "session_message", rename)
    if entity == "tool_call":
        content = holder.get("content")
        for item in content if isinstance(content, list) else [content]:
            if isinstance(item, dict) and item.get("type") == "terminal":
                _field(item, "terminalId", "terminal", rename)


def _background(items: Json, rename: Rename) -> None:
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict) and item.get("type") in _BACKGROUND:
            name, kind = _BACKGROUND[item["type"]]
            _field(item, name, kind, rename)


def _result(result: JsonObject, rename: Rename) -> None:
    """The ids of a result, whatever it answers: no two results use one field for two types."""
    _field(result, "messageId", "user_message", rename)
    _field(result, "sessionId", SESSION, rename)
    sessions = result.get("sessions")
    for listed in sessions if isinstance(sessions, list) else ():
        if isinstance(listed, dict):
            _field(listed, "sessionId", SESSION, rename)
    if isinstance(result.get("outcome"), dict):
        _field(result["outcome"], "optionId", OPTION, rename)


def renamed_snapshot(snapshot: JsonObject, rename: Rename) -> JsonObject:
    """A snapshot with every id renamed. What it does not have is not missed."""
    found = {name: _deep(value) for name, value in snapshot.items()}
    for section, how in _SECTIONS.items():
        if section in found:
            found[section] = how(found[section], rename)
    return found


def _deep(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _deep(inner) for name, inner in value.items()}
    return [_deep(item) for item in value] if isinstance(value, list) else value


def _timeline(held: Json, rename: Rename) -> Json:
    if not isinstance(held, list):
        return held
    return [
        [entry[0], rename(entry[0], entry[1])]
        if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str)
        else entry
        for entry in held
    ]


def _keyed(entity: str, held: Json, rename: Rename) -> Json:
    if not isinstance(held, dict):
        return held
    kind = SESSION if entity == "subagent" else entity
    for value in held.values():
        if isinstance(value, dict):
            _fields(value, entity, rename)
    return {rename(kind, own): value for own, value in held.items()}


def _messages(held: Json, rename: Rename) -> Json:
    if not isinstance(held, dict):
        return held
    return {kind: _keyed(kind, own, rename) for kind, own in held.items()}


def _foreground(held: Json, rename: Rename) -> Json:
    if isinstance(held, dict):
        _background(held.get("background"), rename)
    return held


def _listed(asker: Direction, held: Json, rename: Rename) -> Json:
    for entry in held if isinstance(held, list) else ():
        if isinstance(entry, dict):
            _field(entry, "request", REQUEST[asker], rename)
            _field(entry, "messageId", "user_message", rename)
            if isinstance(entry.get("outcome"), dict):
                _field(entry["outcome"], "optionId", OPTION, rename)
    return held


_SECTIONS: Final[dict[str, Callable[[Json, Rename], Json]]] = {
    "timeline": _timeline,
    "messages": _messages,
    "toolCalls": functools.partial(_keyed, "tool_call"),
    "terminals": functools.partial(_keyed, "terminal"),
    "plans": functools.partial(_keyed, "plan"),
    "compactions": functools.partial(_keyed, "compaction"),
    "subagents": functools.partial(_keyed, "subagent"),
    "foreground": _foreground,
    "prompts": functools.partial(_listed, "c2a"),
    "permissions": functools.partial(_listed, "a2c"),
}
