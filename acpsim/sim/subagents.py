"""Subagents: child sessions with streams of their own, whose state their parent mirrors.

Owns: `Subagents`. A child is announced on its parent before anything bears its id; its state is
reported on its own stream and mirrored on the parent's ("Session States"). A message between the
two is reported on each side when that side has seen it, under ids that have nothing in common.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import simpy
from simpy.events import AllOf, Timeout

from acpsim.sim.activities import speak
from acpsim.wire.cells import JsonObject

if TYPE_CHECKING:
    from acpsim.sim.agent import AgentSession, Steps
    from acpsim.sim.work import Stretch
    from acpsim.sim.world import World


class Subagents:
    """Starts the children of a run's sessions, as its model says."""

    __slots__ = ("_world",)

    def __init__(self, world: World) -> None:
        self._world = world

    def run(self, stretch: Stretch) -> Steps:
        """Start some children for a stretch of work and wait for them to end."""
        session, model = stretch.session, self._world.model.subagents
        if session.chance() >= model.start:
            return
        self._world.happened("child-session")
        for _ in range(1 + int(session.chance() * model.at_most)):
            child = Child(session, f"{session.id}_{session.next_id('child')}")
            stretch.children.append(session.env.process(child.run()))
        yield AllOf(session.env, stretch.children)
        stretch.children.clear()


class Child:
    """One child session. It looks like its agent's session to the activities that it shares."""

    def __init__(self, parent: AgentSession, session_id: str) -> None:
        self.parent = parent
        self.world = parent.world
        self.env = parent.env
        self.draw = parent.draw
        self.chance = parent.world.chance(f"{session_id}.agent")
        self.id = session_id
        self._counters: dict[str, int] = {}

    def emit(self, update: JsonObject, lane: str | None = None) -> None:
        self.parent.end.update(self.id, update, lane)

    def speaker(self, chunk: JsonObject, lane: str) -> Callable[[str], None]:
        """As `AgentSession.speaker`."""
        speak = self.parent.end.speaker(self.id, chunk, lane)
        if speak is not None:
            return speak
        return lambda text: self.emit({**chunk, "content": {"type": "text", "text": text}}, lane)

    def next_id(self, kind: str) -> str:
        number = self._counters.get(kind, 0) + 1
        self._counters[kind] = number
        return f"{kind}{number}"

    def run(self) -> Steps:
        """Announce, work, end; an interrupt ends the work as cancelled."""
        model = self.world.model.subagents
        announced = {"title": "Investigator", "capabilities": {"cancel": {}}}
        self._report({"state": "running"}, **announced)
        try:
            if self.chance() < model.messages:
                yield from self._message(self.parent.id, self.id, "look into the second loop")
            least, most = model.steps
            for _ in range(least + int(self.chance() * (most - least + 1))):
                yield from speak(self, "agent_message", self.next_id("msg"))  # type: ignore[arg-type]
                if self.chance() < model.loses_sight:
                    self.world.happened("state-unknown")
                    self._report({"state": "unknown"})
                    yield Timeout(self.env, self.draw.first_token())
                    self._report({"state": "running"})
            if self.chance() < model.messages:
                yield from self._message(self.id, self.parent.id, "it is the off-by-one")
        except simpy.Interrupt as interrupt:
            if interrupt.cause != "lost":
                self._report({"state": "idle", "stopReason": "cancelled"})
            return
        self._report({"state": "idle", "stopReason": "end_turn"})

    def _report(self, state: JsonObject, **fields: object) -> None:
        """The state on both streams: the parent's roster first, since that announces the child."""
        update = {"sessionUpdate": "subagent_update", "sessionId": self.id}
        lists: JsonObject = {"background": []} if self.world.edition.reports_background else {}
        self.parent.emit({**update, **fields, "state": {**state, **lists}}, None)
        self.emit({"sessionUpdate": "state_update", **state, **lists}, None)

    def _message(self, sender: str, recipient: str, text: str) -> Steps:
        """One message between the two, seen by its sender at once and by the other later."""
        for session_id in (sender, recipient):
            outgoing = session_id == self.parent.id
            side: AgentSession | Child = self.parent if outgoing else self
            identity = side.next_id("xmsg")
            lane = f"session_message/{identity}"
            first = {
                "sessionUpdate": "session_message",
                "messageId": identity,
                "senderSessionId": sender,
                "recipientSessionId": recipient,
            }
            side.emit({**first, "content": [{"type": "text", "text": text[:8]}]}, lane)
            yield Timeout(self.env, self.draw.chunk_gap())
            chunk = {"sessionUpdate": "session_message_chunk", "messageId": identity}
            side.emit({**chunk, "content": {"type": "text", "text": text[8:]}}, lane)
