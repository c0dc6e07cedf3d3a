"""A client: it prompts, thinks, cancels, answers, closes, and loses its connection.

Owns: what the user at the client's end does, and the little that the client has to know for it:
which prompts are open, which inserted ones have not been worked on, what the foreground state is,
and which permission requests wait for an answer. It is no reducer and keeps no content.

A session goes through its prompts one after the other. For each the client decides beforehand
whether it will be cancelled, withdrawn, closed or cut off, and at which moment; when that moment
comes (`_moment`), it acts after a delay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import simpy
from simpy.events import Timeout

from acpsim.sim import messages
from acpsim.sim.endpoint import Endpoint
from acpsim.sim.work import later
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import REQUEST_CANCELLED, RequestId

if TYPE_CHECKING:
    from acpsim.sim.agent import Steps
    from acpsim.sim.world import World

MOMENTS: Final = ("before-insertion", "running", "streaming", "tool", "permission")
"""The moments of the work at which a client may act, `idle` and `any` apart."""
ECHOES: Final = frozenset({"user_message", "user_message_chunk"})
SPOKEN: Final = frozenset(
    {"agent_message", "agent_message_chunk", "agent_thought", "agent_thought_chunk"}
)
CWD: Final = "/home/user/project"


class ClientSession:
    """One session as its user sees it."""

    def __init__(self, client: Client, number: int) -> None:
        self.client = client
        self.world = client.world
        self.env = client.world.env
        self.model = client.world.model.client
        self.chance = client.world.chance(f"session.{number}.client")
        self.draw = client.world.client_parameters(number)
        self.number = number
        self.id = ""
        self.state = "idle"
        self.state_since = 0.0
        self.closed = False
        self.broken = False
        """Whether the session has to be resumed because its connection is gone."""
        self.pending: dict[RequestId, float] = {}
        """Open prompts, and when each was sent."""
        self.unworked: set[str] = set()
        """Inserted messages that no finished work has shown yet."""
        self.echoed: dict[str, float] = {}
        self.answered: dict[str, float] = {}
        self.permissions: dict[RequestId, JsonObject] = {}
        self.cancelled_at: float | None = None
        """When a cancel was sent that no idle has answered yet."""
        self.plan: tuple[str, Callable[[], None], float] | None = None
        """The moment to act at, what to do, and how long after it."""
        self._settled: simpy.Event | None = None
        self._resumed: simpy.Event | None = None

    # ------------------------------------------------------------ what the user does

    def run(self) -> Steps:
        """Open the session, prompt, and close it at the end, as the model says."""
        client = self.client
        yield from self._open()
        for number in range(self.model.prompts):
            if number and self.chance() < self.model.close_between:
                self.close()
                yield from self._settle()
            yield Timeout(self.env, self.draw.think())
            yield from self._be_open()
            self._prompt()
            if self.chance() < self.model.prompt_while_running:
                yield Timeout(self.env, self.draw.think())
                yield from self._be_open()
                self.world.happened("prompt-while-running")
                self._prompt()
            yield from self._settle()
            if self.model.cancel_when == "idle" and self.chance() < self.model.cancel:
                self.cancel()
        if self.broken:
            yield from self._be_open()
        if self.chance() < self.model.close_at_end and not self.closed:
            self.close()
            yield from self._settle()
        client.active -= 1

    def _open(self) -> Steps:
        """Ask for a session, once more whenever the answer is lost with its connection."""
        client = self.client
        response: JsonObject | None = None
        while response is None:
            yield client.ready()
            opened = self.env.event()
            client.opening[opened] = None

            def take(response: JsonObject, opened: simpy.Event = opened) -> None:
                client.opening.pop(opened, None)
                opened.succeed(response)

            params = {"cwd": CWD, "mcpServers": []}
            client.end.request("session/new", params, take, session="")
            response = yield opened
        self.id = response["result"]["sessionId"]
        client.sessions[self.id] = self

    def _be_open(self) -> Steps:
        """Resume the session if it was closed or its connection was replaced."""
        while self._resumed is not None or self.closed or not self.world.connected:
            if not self.world.connected:
                yield self.client.ready()
            elif self._resumed is not None:
                yield self._resumed
            else:
                yield self.resume()

    def _prompt(self) -> None:
        model = self.model
        if self.state == "idle" and not self.pending:
            self.cancelled_at = None  # What was cancelled is over, or never was.
        kinds = messages.blocks_of_each_kind()
        first = messages.text_block(messages.words(self.number, 20))
        more = [kinds[int(self.chance() * len(kinds))] for _ in range(model.prompt_blocks - 1)]
        params = {"sessionId": self.id, "prompt": [first, *more]}
        request = self.client.end.request(
            "session/prompt", params, self._prompt_answered, session=self.id
        )
        self.pending[request] = self.env.now
        self.world.measure.entered("prompts", self.env.now)
        self._decide(request)
        self._moment("before-insertion")

    def _decide(self, request: RequestId) -> None:
        """What will happen to this prompt and its work, if anything."""
        model, chance = self.model, self.chance
        self.plan = None
        cancels = model.cancel if model.cancel_when != "idle" else 0.0
        if chance() < cancels:
            when = model.cancel_when
            if when == "any":
                when = MOMENTS[int(chance() * len(MOMENTS))]
            self.plan = (when, self.cancel, self.draw.cancel_after())
        elif chance() < model.withdraw:
            self.plan = (
                "before-insertion", lambda: self.withdraw(request), self.draw.withdraw_after()
            )  # fmt: skip
        elif chance() < model.close_during_work:
            self.plan = ("running", self.close, self.draw.cancel_after())
        elif chance() < model.lose_connection:
            self.plan = ("running", self.client.lose_connection, self.draw.cancel_after())

    def _moment(self, moment: str) -> None:
        """If this is the moment that was chosen, act after the delay that was drawn."""
        if self.plan is not None and self.plan[0] == moment:
            _, act, delay_s = self.plan
            self.plan = None
            later(self.env, delay_s, act)

    def cancel(self) -> None:
        """Cancel the work, whatever it is, and answer what is open."""
        if self.closed or self._resumed is not None or not self.world.connected:
            return
        if self.state == "idle":
            self.world.happened("cancel-sent-while-idle")
        self.cancelled_at = self.env.now
        self.client.end.notify("session/cancel", {"sessionId": self.id}, self.id)
        self._answer_cancelled()

    def withdraw(self, request: RequestId) -> None:
        """Ask for a prompt that is still pending to be refused."""
        if request in self.pending:
            self.world.happened("withdrawn")
            self.client.end.notify("$/cancel_request", {"requestId": request}, self.id)

    def close(self) -> None:
        """Close the session, whatever it is doing."""
        if self.closed or self._resumed is not None or not self.world.connected:
            return
        self.closed = True
        if self.state != "idle":
            self.world.happened("close-sent-during-work")
        self.cancelled_at = self.env.now
        closing = self._hold()
        self.client.end.request(
            "session/close",
            {"sessionId": self.id},
            lambda _: self._release(closing),
            session=self.id,
        )
        self._answer_cancelled()

    def resume(self) -> simpy.Event:
        """Resume the session, with or without its history; the event is its answer."""
        answered = self._resumed = self.env.event()
        params: JsonObject = {"sessionId": self.id, "cwd": CWD, "mcpServers": []}
        if self.chance() < self.model.replay:
            params["replayFrom"] = {"type": "start"}
        self.world.happened("resumed")
        self.client.end.request("session/resume", params, self._resume_answered, session=self.id)
        return answered

    # ------------------------------------------------------------ what it is told

    def _prompt_answered(self, response: JsonObject) -> None:
        request, now = response["id"], self.env.now
        sent = self.pending.pop(request, None)
        result = response.get("result")
        if sent is not None:
            self.world.measure.left("prompts", now, now - sent)
            self.world.measure.accepted(now - sent, ok=result is not None)
        if result is not None:
            identity = result.get("messageId", "")
            self.answered[identity] = now
            self._gap(identity)
            if identity not in self.echoed or self.echoed[identity] >= 0:
                self.unworked.add(identity)
        elif response.get("error", {}).get("code") == REQUEST_CANCELLED:
            self.world.happened("prompt-refused-as-cancelled")
        self._check_settled()

    def _gap(self, identity: str) -> None:
        """Once both are known: how long after its response a message's echo came."""
        echoed, answered = self.echoed.get(identity), self.answered.get(identity)
        if answered is None or echoed is None:
            return
        shown = abs(echoed)
        self.world.happened("echo-first" if shown < answered else "response-first")
        self.world.measure.echo_gap(shown - answered)

    def update(self, update: JsonObject) -> None:
        """An update of this session arrived."""
        variant = update["sessionUpdate"]
        if variant == "state_update":
            self._state(update)
        elif variant in ECHOES:
            identity = update.get("messageId", "")
            if identity not in self.echoed:
                self.echoed[identity] = self.env.now
                self._gap(identity)
        elif variant in SPOKEN:
            self._moment("streaming")
        elif variant == "tool_call_update":
            self._moment("tool")

    def _state(self, update: JsonObject) -> None:
        state, now = update["state"], self.env.now
        if state == self.state:
            return
        self.world.measure.foreground(self.state, now - self.state_since)
        self.state, self.state_since = state, now
        if state == "running":
            self._moment("running")
        if state != "idle":
            return
        reason = update.get("stopReason")
        if self.cancelled_at is not None:
            if reason == "cancelled":
                self.world.measure.cancel_confirmed(now - self.cancelled_at)
            else:
                self.world.happened("cancel-crossed-idle")
            self.cancelled_at = None
        # What was echoed before this idle has been worked on; a negative time remembers that.
        for identity, at_s in self.echoed.items():
            if at_s >= 0:
                self.echoed[identity] = -at_s if at_s > 0 else -1e-12
                self.unworked.discard(identity)
        self._forget_worked()
        self._check_settled()

    def _forget_worked(self) -> None:
        """Keep only messages whose response or echo is still to come."""
        for identity in [name for name in self.answered if name in self.echoed]:
            if self.echoed[identity] < 0:
                del self.echoed[identity], self.answered[identity]

    def permission(self, message: JsonObject) -> None:
        """The agent asks; the user answers after a while, at once if the work is cancelled."""
        request = message["id"]
        self.permissions[request] = message
        self._moment("permission")
        if self.cancelled_at is not None:
            self._answer_cancelled()
            return
        later(self.env, self.draw.permission_delay(), lambda: self._decide_permission(request))

    def _decide_permission(self, request: RequestId) -> None:
        if request not in self.permissions:
            return
        allowed = self.chance() < self.model.permission_allow
        self.world.happened("permission-allowed" if allowed else "permission-rejected")
        self.answer(request, {"outcome": "selected", "optionId": "yes" if allowed else "no"})

    def answer(self, request: RequestId, outcome: JsonObject) -> None:
        """Answer an open permission request."""
        del self.permissions[request]
        self.client.end.answer(request, {"outcome": outcome}, self.id)

    def _answer_cancelled(self) -> None:
        for request in list(self.permissions):
            self.world.happened("permission-cancelled")
            self.answer(request, {"outcome": "cancelled"})

    def permission_withdrawn(self, request: RequestId) -> None:
        """The agent does not want an answer any more; it gets one."""
        if request in self.permissions:
            self.answer(request, {"outcome": "cancelled"})

    # ------------------------------------------------------------ waiting

    @property
    def waits(self) -> bool:
        """Whether a close or a resume is under way, so that nothing else can be sent."""
        return self._resumed is not None

    def _hold(self) -> simpy.Event:
        held = self._resumed = self.env.event()
        return held

    def _release(self, held: simpy.Event) -> None:
        """The close was answered, or its connection is gone."""
        if self._resumed is held:
            self._resumed = None
            held.succeed()
            self.cancelled_at = None
            self._check_settled()

    def _resume_answered(self, response: JsonObject) -> None:
        self.closed = self.broken = False
        held, self._resumed = self._resumed, None
        if held is not None:
            held.succeed()
        self._check_settled()

    def _is_settled(self) -> bool:
        return (
            not self.pending
            and not self.unworked
            and self.state == "idle"
            and self._resumed is None
        )

    def _check_settled(self) -> None:
        waiting = self._settled
        if waiting is not None and not waiting.triggered and self._is_settled():
            waiting.succeed()

    def _settle(self) -> Steps:
        """Wait until nothing is open and the work is done."""
        while not self._is_settled():
            self._settled = self.env.event()
            yield self._settled
        self._settled = None

    def disconnected(self) -> None:
        """The connection is gone: what was open will never be answered."""
        for sent in self.pending.values():
            self.world.measure.left("prompts", self.env.now, self.env.now - sent)
        self.pending.clear()
        self.unworked.clear()
        self.permissions.clear()
        self.cancelled_at = None
        self.plan = None
        self.state = "idle"
        held, self._resumed = self._resumed, None
        self.closed = self.broken = True
        if held is not None:
            held.succeed()
        self._check_settled()


class Client:
    """The client's end of one connection."""

    def __init__(self, world: World, end: Endpoint) -> None:
        self.world = world
        self.end = end
        self.sessions: dict[str, ClientSession] = {}
        self._measured = world.measured
        self.active = world.model.sessions
        """Sessions whose user has not finished."""
        self._initialized: simpy.Event = world.env.event()
        self.opening: dict[simpy.Event, None] = {}
        """For each `session/new` that has no answer yet, who waits for it."""
        end.on("session/update", self._update)
        end.on("session/request_permission", self._permission)
        end.on("$/cancel_request", self._cancel_request)

    def heard(self) -> frozenset[str]:
        """The variants of updates on whose arrival a client of this model acts."""
        model = self.world.model.client
        when = model.cancel_when if model.cancel > 0 else ""
        heard = set(ECHOES | {"state_update"})
        if when in {"streaming", "any"}:
            heard |= SPOKEN
        if when in {"tool", "any"}:
            heard.add("tool_call_update")
        return frozenset(heard)

    def start(self) -> None:
        """Initialize, and let every session begin at its time."""
        self._initialize()
        gap = self.world.sampler("session_gap", self.world.model.session_gap)
        at_s = 0.0
        for number in range(self.world.model.sessions):
            session = ClientSession(self, number)
            if at_s > 0:
                later(self.world.env, at_s, lambda session=session: self._begin(session))  # type: ignore[misc]
            else:
                self._begin(session)
            at_s += gap()

    def _begin(self, session: ClientSession) -> None:
        self.world.env.process(session.run())

    def ready(self) -> simpy.Event:
        """An event that has happened once the connection is initialized."""
        return self._initialized

    def _initialize(self) -> None:
        params = {"protocolVersion": 2, "info": messages.CLIENT_INFO, "capabilities": {}}

        def answered(_: Any) -> None:
            self._initialized.succeed()

        self.end.request("initialize", params, answered, session="")

    def lose_connection(self) -> None:
        """The connection breaks, and a new one is made after a while."""
        world = self.world
        if not world.connected:
            return
        world.happened("connection-lost")
        world.cut()
        self.end.reset()
        for session in self.sessions.values():
            session.disconnected()
        if self._initialized.triggered:  # Else whoever waits for it goes on waiting.
            self._initialized = world.env.event()
        for waiting in self.opening:
            waiting.succeed()
        self.opening.clear()
        delay_s = world.sampler("reconnect_delay", world.model.client.reconnect_delay)()
        later(world.env, max(delay_s, 1e-6), self._reconnect)

    def _reconnect(self) -> None:
        self.world.reconnect()
        self._initialize()

    def _update(self, message: JsonObject) -> None:
        params = message["params"]
        if self._measured:
            self.world.measure.update(self.world.env.now, params["sessionId"], params["update"])
        session = self.sessions.get(params["sessionId"])
        if session is not None:
            session.update(params["update"])

    def _permission(self, message: JsonObject) -> None:
        session = self.sessions.get(message["params"]["sessionId"])
        if session is not None:
            session.permission(message)

    def _cancel_request(self, message: JsonObject) -> None:
        request = message["params"]["requestId"]
        for session in self.sessions.values():
            if request in session.permissions:
                session.permission_withdrawn(request)
                return
