"""Laws about what stays: 9 history replay, 11 monotone keys."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, Snapshots, Step, first_difference
from acpsim.oracles.laws.scene import Bench, Breach, Events, Occasion, Scene, numbered
from acpsim.wire import updates
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.trace import Event

HISTORY: Final = (
    "timeline",
    "messages",
    "toolCalls",
    "terminals",
    "plans",
    "compactions",
    "subagents",
    "commands",
    "configOptions",
    "info",
    "usage",
)
"""What a history replay brings back. Notices are live only; the rest is the connection's."""

_META: Final = "meta"
_SOURCES: Final[dict[str, tuple[str, str, str]]] = {
    "tool_call": ("toolCalls", "tool_call_update", "toolCallId"),
    "terminal": ("terminals", "terminal_update", "terminalId"),
    "compaction": ("compactions", "compaction_update", "compactionId"),
    "subagent": ("subagents", "subagent_update", "sessionId"),
}
"""Entity type → its section, its upsert, its id's field."""


def history_updates(snapshot: JsonObject) -> Iterator[JsonObject]:
    """The snapshot's history as full updates, timeline first, each entity once.

    What a target does not keep is named all the same where its place in the timeline is known:
    an update with nothing but the id (and the status that a compaction's update must have).
    """
    named: set[tuple[str, str]] = set()
    for entity, own_id in _timeline(snapshot):
        named.add((entity, own_id))
        yield _entity(snapshot, entity, own_id)
    for entity, own_id in _all_entities(snapshot):
        if (entity, own_id) not in named:
            yield _entity(snapshot, entity, own_id)
    for plan in _dict(snapshot.get("plans")).values():
        yield {"sessionUpdate": "plan_update", "plan": plan}
    yield from _whole(snapshot)


def _timeline(snapshot: JsonObject) -> Iterator[tuple[str, str]]:
    held = snapshot.get("timeline")
    for entry in held if isinstance(held, list) else []:
        if isinstance(entry, list) and len(entry) == 2 and all(isinstance(s, str) for s in entry):
            yield entry[0], entry[1]


def _all_entities(snapshot: JsonObject) -> Iterator[tuple[str, str]]:
    for kind, held in _dict(snapshot.get("messages")).items():
        yield from ((kind, own_id) for own_id in _dict(held))
    for entity, (section, _, _) in _SOURCES.items():
        yield from ((entity, own_id) for own_id in _dict(snapshot.get(section)))


def _dict(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _entity(snapshot: JsonObject, entity: str, own_id: str) -> JsonObject:
    if entity in _SOURCES:
        section, variant, id_name = _SOURCES[entity]
        held = _dict(_dict(snapshot.get(section)).get(own_id))
    else:
        variant, id_name = entity, "messageId"
        held = _dict(_dict(_dict(snapshot.get("messages")).get(entity)).get(own_id))
    update: JsonObject = {"sessionUpdate": variant, id_name: own_id}
    if entity == "compaction":
        update["status"] = "completed"
    for name, value in held.items():
        if name == _META:
            # Stored null is nothing stored; sent, it would only clear what is not there.
            update |= {} if value is None else {"_meta": value}
        elif name == "output" and entity == "terminal":
            update[name] = {"data": value}
        else:
            update[name] = value
    return update


def _whole(snapshot: JsonObject) -> Iterator[JsonObject]:
    if isinstance(snapshot.get("commands"), list):
        commands = snapshot["commands"]
        yield {"sessionUpdate": "available_commands_update", "availableCommands": commands}
    if isinstance(snapshot.get("configOptions"), list):
        yield {"sessionUpdate": "config_option_update", "configOptions": snapshot["configOptions"]}
    info = _dict(snapshot.get("info"))
    if any(value is not None for value in info.values()):
        meta = {} if info.get(_META) is None else {"_meta": info[_META]}
        rest = {name: value for name, value in info.items() if name != _META}
        yield {"sessionUpdate": "session_info_update", **rest, **meta}
    usage = _dict(snapshot.get("usage"))
    if usage:
        yield {"sessionUpdate": "usage_update", **usage}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One session's history, sent again as full updates."""

    session: str
    fresh: bool
    """To a fresh reducer, or to the one that holds it."""

    def judge(self, bench: Bench) -> Breach | None:
        held = bench.base.get(self.session)
        if held is None:
            return None
        scene = bench.scene
        replay = tuple(scene.make_update(self.session, update) for update in history_updates(held))
        events = (
            tuple(_resumed(scene, self.session, replay)) if self.fresh else scene.events + replay
        )
        actual = bench.run(events, sessions=[self.session])[self.session]
        sections = [s for s in bench.target.sections if not self.fresh or _is_history(s)]
        found = first_difference(held, actual, sections)
        if found is None:
            return None
        whom = "a fresh client" if self.fresh else "the same client"
        return Breach(
            text=f"the history of session {self.session}, sent again as full updates to {whom}",
            session=self.session,
            difference=found,
            variant=events,
        )


def _is_history(section: str) -> bool:
    return section.partition(".")[0] in HISTORY


def _resumed(scene: Scene, session: str, replay: Events) -> Iterator[Event]:
    """A new connection that resumes the session with its history."""
    client = {"protocolVersion": 2, "info": {"name": "client", "version": "1"}}
    agent = {"protocolVersion": 2, "info": {"name": "agent", "version": "1"}}
    resume = {"sessionId": session, "cwd": "/", "replayFrom": {"type": "start"}}
    rpc = {"jsonrpc": "2.0"}
    yield scene.make("c2a", {**rpc, "id": 0, "method": "initialize", "params": client})
    yield scene.make("a2c", {**rpc, "id": 0, "result": {**agent, "capabilities": {"session": {}}}})
    yield scene.make("c2a", {**rpc, "id": 1, "method": "session/resume", "params": resume})
    yield from replay
    yield scene.make("a2c", {**rpc, "id": 1, "result": {}})


def replay(scene: Scene) -> Sequence[Occasion]:
    """Law 9. The snapshot's history, sent again as full updates to a fresh reducer, gives the same
    history; sent to the same reducer, changes nothing.
    """
    with_history = {found.session for found in scene.prints if found is not None}
    return [
        Replay(session=session, fresh=fresh)
        for session in scene.sessions
        if session in with_history
        for fresh in (True, False)
    ]


CUTS_MAX: Final = 8
"""Snapshots taken on the way. Each costs a program as much as a whole case."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """One run with a look at these places on the way."""

    cuts: tuple[int, ...]

    def judge(self, bench: Bench) -> Breach | None:
        scene = bench.scene
        bench.start(scene.events)
        start = 0
        held: Snapshots = dict.fromkeys(scene.sessions)
        for cut in self.cuts:
            bench.target.apply(scene.events[start:cut])
            now = bench.look()
            for session in scene.sessions:
                lost = _lost(held[session], now[session], _removed(scene, session, start, cut))
                if lost is not None:
                    return Breach(
                        text=(
                            f"{lost.path} of session {session} is gone after "
                            f"{numbered(scene.events, cut - 1)}"
                        ),
                        session=session,
                        difference=lost,
                        kind=talk.kind_of(scene.events, cut - 1),
                        after=cut - 1,
                    )
            held, start = now, cut
        return None


def _removed(scene: Scene, session: str, start: int, end: int) -> set[str]:
    """The plans of a session that a message between these two places removes."""
    found = set()
    for event in scene.events[start:end]:
        update = talk.update_of(event)
        if isinstance(update, updates.PlanRemoved) and talk.session_of(event) == session:
            found.add(update.plan_id)
    return found


def entity_paths(snapshot: JsonObject | None) -> Iterator[tuple[tuple[Step, ...], Json]]:
    """Where each entity stands in a snapshot, timeline entries included."""
    if snapshot is None:
        return
    for at, entry in enumerate(_timeline(snapshot)):
        yield ("timeline", at), list(entry)
    for kind, held in _dict(snapshot.get("messages")).items():
        yield from ((("messages", kind, own), value) for own, value in _dict(held).items())
    for section in ("toolCalls", "terminals", "plans", "compactions", "subagents"):
        yield from (((section, own), v) for own, v in _dict(snapshot.get(section)).items())


def _lost(
    before: JsonObject | None, now: JsonObject | None, removed: set[str]
) -> Difference | None:
    there = dict(entity_paths(now))
    for steps, value in entity_paths(before):
        if steps[0] == "plans" and steps[1] in removed:
            continue
        if steps[0] == "timeline":
            # Its place is fixed when it is first seen, so that it stands where it stood.
            if there.get(steps) != value:
                return Difference(steps=steps, expected=value, actual=there.get(steps, UNSET))
        elif steps not in there:
            return Difference(steps=steps, expected=value)
    return None


def monotone(scene: Scene) -> Sequence[Occasion]:
    """Law 11. No entity but a removed plan leaves the snapshot, nor its place in the timeline."""
    count = len(scene.events)
    if not any(found is not None for found in scene.prints):
        return []
    if count <= CUTS_MAX * 2:
        return [Growth(cuts=tuple(range(1, count + 1)))]
    chosen = scene.own_chance("monotone").sample(range(1, count), k=CUTS_MAX - 1)
    return [Growth(cuts=(*sorted(chosen), count))]
