"""Background activity: detached tool calls and terminals that report while the session is idle.

Owns: the tasks that an agent left running beside its foreground work, and, in an edition that has
it, the list of them that each state report carries: a task is announced before it is listed, and
has its final status before the report that drops it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import simpy
from simpy.events import Timeout

from acpsim.sim.activities import (
    announce_terminal,
    announce_tool,
    emit_output,
    end_terminal,
    tool_chunk,
    tool_update,
)
from acpsim.sim.messages import text_block
from acpsim.wire.cells import JsonObject

if TYPE_CHECKING:
    from acpsim.sim.agent import AgentSession, Steps


class Background:
    """The detached tasks of one session."""

    __slots__ = ("_processes", "_session", "_tasks")

    def __init__(self, session: AgentSession) -> None:
        self._session = session
        self._tasks: dict[str, JsonObject] = {}
        self._processes: dict[str, simpy.Process] = {}

    def listed(self) -> list[JsonObject]:
        """The items of `state_update.background`, oldest first."""
        return list(self._tasks.values())

    def maybe_start(self) -> None:
        """Leave a task behind, as often as the model says."""
        session = self._session
        model = session.world.model.background
        if session.chance() >= model.start:
            return
        session.world.happened("background-task")
        if session.chance() < model.terminal:
            identity = announce_terminal(session, **self._extras())
            self._tasks[identity] = {"type": "terminal", "terminalId": identity}
        else:
            identity = announce_tool(session, None, **self._extras())
            session.emit(tool_update(identity, status="in_progress"), f"tool/{identity}")
            self._tasks[identity] = {"type": "tool_call", "toolCallId": identity}
        self._processes[identity] = session.env.process(self._run(identity))

    def _extras(self) -> JsonObject:
        """In an edition that has them, the capability that listed work can be cancelled."""
        return {"capabilities": {"cancel": {}}} if self._session.world.edition.extras else {}

    def _run(self, identity: str) -> Steps:
        session = self._session
        model = session.world.model.background
        duration_s = session.draw.duration()
        try:
            for at in range(model.updates):
                yield Timeout(session.env, duration_s / (model.updates + 1))
                self._progress(identity, at)
            yield Timeout(session.env, duration_s / (model.updates + 1))
        except simpy.Interrupt:
            return
        if session.state == "idle":
            session.world.happened("background-while-idle")
        self._end(identity, "completed")
        if session.world.edition.reports_background:
            # The same state again, only without the task: it ends no work and carries no outcome.
            session.report(session.state)
        if session.chance() < model.follow_up:
            session.follow_up()

    def _progress(self, identity: str, at: int) -> None:
        session = self._session
        if self._tasks[identity]["type"] == "terminal":
            emit_output(session, identity, at)
        else:
            content = {"type": "content", "content": text_block(f"build {at + 1} ok")}
            session.emit(tool_chunk(identity, content), f"tool/{identity}")

    def _end(self, identity: str, status: str) -> None:
        session = self._session
        task = self._tasks.pop(identity)
        self._processes.pop(identity, None)
        gone = {"capabilities": None} if session.world.edition.extras else {}
        if task["type"] == "terminal":
            end_terminal(session, identity, **gone)
        else:
            session.emit(tool_update(identity, status=status, **gone), f"tool/{identity}")

    def stop(self, *, silently: bool = False) -> None:
        """End every task: the session closes, or nobody can hear it any more (`silently`)."""
        for identity in list(self._tasks):
            process = self._processes.pop(identity)
            if process.is_alive:
                process.interrupt()
            if silently:
                self._tasks.pop(identity)
            else:
                self._end(identity, "cancelled")
