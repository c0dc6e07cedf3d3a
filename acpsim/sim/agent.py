"""An agent that keeps the rules: it inserts prompts, works, and reports what it does.

Owns: what the agent does with each message that arrives, and each session's book-keeping: prompts
held and inserted, the foreground state, what is retained for replay. What happens *inside* a
stretch of work is `work`'s; what goes on beside it is `background`'s and `subagents`'.

One process serves a session: it takes the next occasion for work, works, and waits. A cancel, a
close or a lost connection interrupts it; how the work then ends is told in `work.abort`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import simpy

from acpsim.sim import messages
from acpsim.sim.background import Background
from acpsim.sim.endpoint import Endpoint
from acpsim.sim.history import History
from acpsim.sim.work import Stretch, work
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import NOT_FOUND, REQUEST_CANCELLED, RequestId

if TYPE_CHECKING:
    from acpsim.sim.world import World

Steps: TypeAlias = Generator[simpy.Event, Any, None]
"""A simulated activity: a generator of the simpy events that it waits for."""
Ending: TypeAlias = Literal["cancel", "close", "withdraw", "lost"]
"""Why a stretch of work is interrupted."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """A reason to work: a prompt that was received, or the agent's own."""

    request: RequestId | None
    prompt: tuple[JsonObject, ...] = ()


FOLLOW_UP: Final = Occasion(None)


class AgentSession:
    """One session as its agent keeps it."""

    def __init__(self, agent: Agent, session_id: str) -> None:
        self.agent = agent
        self.world = agent.world
        self.env = agent.world.env
        self.id = session_id
        self.end = agent.end
        self.draw = agent.world.parameters(session_id)
        self.chance = agent.world.chance(f"{session_id}.agent")
        self.state = "idle"
        self.ending: JsonObject = {}
        """How the last work ended: stop reason, and error if it failed."""
        self.closed = False
        self.held: deque[Occasion] = deque()
        self.stretch: Stretch | None = None
        self.background = Background(self)
        self.history = History() if agent.world.retains else None
        self._counters: dict[str, int] = {}
        self._wake: simpy.Event | None = None
        self.process = self.env.process(self._serve())

    # ------------------------------------------------------------ what it says

    def emit(self, update: JsonObject, lane: str | None = None) -> None:
        """Send one update of this session. `lane` as in `Link.send`."""
        if self.history is not None:
            self.history.note(update)
        self.end.update(self.id, update, lane)

    def speaker(self, chunk: JsonObject, lane: str) -> Callable[[str], None]:
        """What sends one text after the other, each as this chunk with the text as its content."""
        speak = None if self.history is not None else self.end.speaker(self.id, chunk, lane)
        if speak is not None:
            return speak
        return lambda text: self.emit({**chunk, "content": {"type": "text", "text": text}}, lane)

    def report(self, state: str, **fields: Any) -> None:
        """Report the foreground state, now."""
        if state == "idle" and self.state != "idle":
            self.ending = {key: fields[key] for key in ("stopReason", "error") if key in fields}
        self.state = state
        self.end.update(self.id, self.state_update(**fields), None)

    def state_update(self, **fields: Any) -> JsonObject:
        """The current state as an update; the background list is on every one, where it exists."""
        update = {"sessionUpdate": "state_update", "state": self.state, **fields}
        if self.world.edition.reports_background:
            update["background"] = self.background.listed()
        return update

    def next_id(self, kind: str) -> str:
        """A fresh id of that kind, unique in the session."""
        number = self._counters.get(kind, 0) + 1
        self._counters[kind] = number
        return f"{kind}{number}"

    def ask(self, params: JsonObject, waiter: Callable[[JsonObject], None]) -> RequestId:
        """Ask the client for permission."""
        return self.end.request(
            "session/request_permission",
            {"sessionId": self.id, **params},
            waiter,
            session=self.id,
        )

    # ------------------------------------------------------------ what it is told

    def prompted(self, message: JsonObject) -> None:
        """A prompt arrived: it is held until its turn comes."""
        self.held.append(Occasion(message["id"], tuple(message["params"]["prompt"])))
        self.wake()

    def follow_up(self) -> None:
        """The agent has a reason of its own to work."""
        if not self.closed and self.world.connected:
            self.world.happened("follow-up")
            self.held.append(FOLLOW_UP)
            self.wake()

    def cancelled(self) -> None:
        """`session/cancel` arrived: foreground work and prompts not yet inserted end."""
        if not self._busy() and not self.held:
            self.world.happened("cancel-while-idle")
            return
        # Refused, too, is what arrived in this very moment and has not been begun.
        self.refuse_held()
        if self._busy():
            self.interrupt("cancel")

    def withdrawn(self, request: RequestId) -> None:
        """`$/cancel_request` arrived for a prompt of this session; too late once inserted."""
        for occasion in self.held:
            if occasion.request == request:
                self.held.remove(occasion)
                self.refuse(request)
                return
        stretch = self.stretch
        if stretch is not None and stretch.occasion.request == request and not stretch.inserted:
            self.interrupt("withdraw")

    def close(self, request: RequestId) -> None:
        """`session/close` arrived: end what is active, then answer."""
        self.refuse_held()
        self.closed = True
        if self._busy():
            assert self.stretch is not None
            self.stretch.close_request = request
            self.interrupt("close")
        else:
            self.finish_close(request)

    def finish_close(self, request: RequestId) -> None:
        """All of the session has ended: stop what goes on beside the work, then say so."""
        self.background.stop()
        self.end.answer(request, {}, self.id)

    def resume(self, message: JsonObject) -> None:
        """`session/resume` arrived: replay if asked, then the state, then the answer."""
        self.closed = False
        if (message["params"].get("replayFrom") or {}).get("type") == "start" and self.history:
            for update in self.history.replay():
                self.end.update(self.id, update, None)
            self.world.happened("history-replayed")
        # One edition demands the state here; the other is silent, and a client is glad of it.
        self.end.update(self.id, self.state_update(**self.ending), None)
        result = {"configOptions": messages.options("small")}
        self.end.answer(message["id"], result, self.id)

    def disconnected(self) -> None:
        """The connection is gone: what was going on ends unheard."""
        self.held.clear()
        self.background.stop(silently=True)
        if self._busy():
            self.interrupt("lost")

    # ------------------------------------------------------------ how it works

    def refuse(self, request: RequestId) -> None:
        """Answer a prompt that will not be inserted because it was cancelled."""
        self.world.happened("cancelled-before-insertion")
        self.end.refuse(
            request, code=REQUEST_CANCELLED, message="cancelled", session=self.id, lane="response"
        )

    def refuse_held(self) -> None:
        """Refuse every prompt that is still held; the agent's own occasions lapse."""
        while self.held:
            occasion = self.held.popleft()
            if occasion.request is not None:
                self.refuse(occasion.request)

    def interrupt(self, ending: Ending) -> None:
        """End the stretch of work as soon as possible; the first reason counts.

        A withdrawal gives way: it ends a prompt, and what comes after it ends all of the work.
        """
        stretch = self.stretch
        assert stretch is not None
        if stretch.ending in {None, "withdraw"} or ending == "lost":
            stretch.ending = ending
            if not stretch.aborting:
                stretch.aborting = True
                self.process.interrupt(ending)

    def wake(self) -> None:
        if self._wake is not None and not self._wake.triggered:
            self._wake.succeed()

    def _busy(self) -> bool:
        return self.stretch is not None

    def _serve(self) -> Steps:
        while True:
            if not self.held:
                self._wake = self.env.event()
                yield self._wake
                self._wake = None
                continue
            self.stretch = Stretch(self, self.held.popleft())
            yield from work(self.stretch)
            self.stretch = None


class Agent:
    """The agent's end of one connection."""

    def __init__(self, world: World, end: Endpoint) -> None:
        self.world = world
        self.end = end
        self.sessions: dict[str, AgentSession] = {}
        self._created = 0
        end.on("initialize", self._initialize)
        end.on("session/new", self._new)
        end.on("session/resume", self._resume)
        end.on("session/close", self._close)
        end.on("session/prompt", self._prompt)
        end.on("session/cancel", self._cancel)
        end.on("$/cancel_request", self._cancel_request)
        self._prompts: dict[RequestId, AgentSession] = {}

    def answered(self, request: RequestId) -> None:
        """A prompt has its response."""
        self._prompts.pop(request, None)

    def disconnected(self) -> None:
        """The connection is gone."""
        self._prompts.clear()
        self.end.reset()
        for session in self.sessions.values():
            session.disconnected()

    def _initialize(self, message: JsonObject) -> None:
        result = {
            "protocolVersion": 2,
            "info": messages.AGENT_INFO,
            "capabilities": messages.AGENT_CAPABILITIES,
        }
        self.end.answer(message["id"], result, "")

    def _new(self, message: JsonObject) -> None:
        self._created += 1
        session = AgentSession(self, f"sess_{self._created}")
        self.sessions[session.id] = session
        result = {"sessionId": session.id, "configOptions": messages.options("small")}
        self.end.answer(message["id"], result, session.id)
        update = {"sessionUpdate": "available_commands_update"}
        session.emit({**update, "availableCommands": messages.commands(2)}, "commands")

    def _session_of(self, message: JsonObject) -> AgentSession | None:
        session = self.sessions.get(message["params"]["sessionId"])
        if session is None and "id" in message:
            self.end.refuse(message["id"], code=NOT_FOUND, message="no such session", session="")
        return session

    def _resume(self, message: JsonObject) -> None:
        if session := self._session_of(message):
            session.resume(message)

    def _close(self, message: JsonObject) -> None:
        if session := self._session_of(message):
            session.close(message["id"])

    def _prompt(self, message: JsonObject) -> None:
        if session := self._session_of(message):
            self._prompts[message["id"]] = session
            session.prompted(message)

    def _cancel(self, message: JsonObject) -> None:
        if session := self._session_of(message):
            session.cancelled()

    def _cancel_request(self, message: JsonObject) -> None:
        session = self._prompts.get(message["params"]["requestId"])
        if session is not None:
            session.withdrawn(message["params"]["requestId"])
