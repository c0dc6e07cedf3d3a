"""One stretch of foreground work: from a prompt, or the agent's own reason, to its idle.

Owns: `Stretch`, what is open during one, and `work`, the steps it goes through:

1. A hook runs; it may reject the prompt ("Prompts that are never inserted").
2. The message is inserted; response and echo follow, in the order that their delays give.
3. `running`, then some activities (`activities`).
4. Whatever is still owed is sent, then idle with its stop reason ("4. Report Completion").

An interrupt at any of these leads to `abort`, which ends in idle `cancelled`, in silence when the
connection is gone, and in nothing but -32800 when no foreground work had been reported.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Final

import simpy
from simpy.events import Timeout

from acpsim.sim import messages
from acpsim.sim.activities import ACTIVITIES, tool_update
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import AUTHENTICATION_REQUIRED, INTERNAL_ERROR, RequestId

if TYPE_CHECKING:
    from acpsim.sim.agent import AgentSession, Ending, Occasion, Steps

LIMITS: Final = ("max_tokens", "max_turn_requests", "refusal", "_paused_by_policy")
"""Stop reasons of work that ended at a limit."""


class Stretch:
    """What is known and open while an agent works."""

    __slots__ = (
        "aborting",
        "children",
        "close_request",
        "compaction",
        "echoed",
        "ending",
        "inserted",
        "message_id",
        "occasion",
        "permission",
        "responded",
        "session",
        "started",
        "thought_id",
        "tools",
    )

    def __init__(self, session: AgentSession, occasion: Occasion) -> None:
        self.session = session
        self.occasion = occasion
        self.message_id = ""
        self.inserted = False
        self.responded = occasion.request is None
        self.echoed = occasion.request is None
        self.started = False
        """Whether `running` was reported."""
        self.aborting = False
        self.ending: Ending | None = None
        self.close_request: RequestId | None = None
        self.tools: dict[str, None] = {}
        """Tool calls of this work without a terminal status, oldest first."""
        self.compaction: str | None = None
        self.permission: RequestId | None = None
        self.thought_id: str | None = None
        """The id of a thought that the next reply shares."""
        self.children: list[simpy.Process] = []

    def respond(self) -> None:
        """Answer the prompt with the id of its message, once."""
        if self.responded or self.ending == "lost":
            return
        self.responded = True
        request = self.occasion.request
        assert request is not None
        self.session.agent.answered(request)
        result = {"messageId": self.message_id}
        self.session.end.answer(request, result, self.session.id, "response")

    def echo(self) -> None:
        """Report the inserted message, whole or in chunks, once."""
        if self.echoed or self.ending == "lost":
            return
        self.echoed = True
        session = self.session
        lane = f"user/{self.message_id}"
        if session.chance() < session.world.model.agent.echo_in_chunks:
            for block in self.occasion.prompt:
                update = {"sessionUpdate": "user_message_chunk", "messageId": self.message_id}
                session.emit({**update, "content": block}, lane)
        else:
            update = {"sessionUpdate": "user_message", "messageId": self.message_id}
            session.emit({**update, "content": list(self.occasion.prompt)}, lane)

    def start(self) -> None:
        """Report `running`, once."""
        if not self.started:
            self.started = True
            self.session.report("running")


def work(stretch: Stretch) -> Steps:
    """Go through one stretch of work, to its end or to that of an interrupt."""
    try:
        yield from _perform(stretch)
    except simpy.Interrupt:
        yield from abort(stretch)


def _perform(stretch: Stretch) -> Steps:
    session = stretch.session
    agent, chance = session.world.model.agent, session.chance
    if stretch.occasion.request is not None:
        if chance() < agent.hook_is_foreground:
            stretch.start()
        hook_s = session.draw.hook()
        if hook_s > 0:
            yield Timeout(session.env, hook_s)
        if _rejected(stretch):
            return
        insert(stretch)
    stretch.start()
    least, most = agent.steps
    for _ in range(least + int(chance() * (most - least + 1))):
        yield from ACTIVITIES[session.world.pick_activity(chance())](stretch)
    session.background.maybe_start()
    yield from session.agent.world.subagents.run(stretch)
    if chance() < agent.fail:
        fail(stretch)
    else:
        reason = LIMITS[int(chance() * len(LIMITS))] if chance() < agent.limit else "end_turn"
        finish(stretch, reason)
    if stretch.occasion.request is not None and chance() < agent.follow_up:
        later(session.env, session.draw.follow_up_delay(), session.follow_up)


def _rejected(stretch: Stretch) -> bool:
    """Whether a hook keeps the prompt out; then it is answered, and the hook's work ended."""
    session = stretch.session
    agent = session.world.model.agent
    request = stretch.occasion.request
    assert request is not None
    if session.chance() < agent.reject:
        error = {"code": AUTHENTICATION_REQUIRED, "message": "sign in first"}
        ending: JsonObject = {"stopReason": "refusal"}
    elif session.chance() < agent.fail_before_insertion:
        error = {"code": INTERNAL_ERROR, "message": "the hook failed"}
        ending = {"stopReason": "error", "error": error}
    else:
        return False
    session.world.happened("rejected")
    session.agent.answered(request)
    session.end.refuse(
        request,
        code=int(str(error["code"])),
        message=str(error["message"]),
        session=session.id,
        lane="response",
    )
    if stretch.started:
        session.report("idle", **ending)
    return True


def insert(stretch: Stretch) -> None:
    """Add the prompt's message to the conversation; its response and its echo are on their way."""
    session = stretch.session
    stretch.inserted = True
    stretch.message_id = session.next_id("user")
    later(session.env, session.draw.response_delay(), stretch.respond)
    later(session.env, session.draw.echo_delay(), stretch.echo)


def later(env: simpy.Environment, delay_s: float, act: Callable[[], None]) -> None:
    """Do it after a delay, or at once where there is none. Costs one event and no process."""
    if delay_s <= 0:
        act()
        return
    callbacks: list[Callable[[Any], None]] = Timeout(env, delay_s).callbacks
    callbacks.append(lambda _: act())


def settle(stretch: Stretch) -> None:
    """Send what is owed for the prompt: all updates of the work precede its idle."""
    if stretch.inserted:
        stretch.respond()
        stretch.echo()


def finish(stretch: Stretch, reason: str) -> None:
    """End the work of its own accord."""
    session = stretch.session
    settle(stretch)
    fields: JsonObject = {"stopReason": reason}
    if session.chance() < session.world.model.agent.usage_on_idle:
        fields["usage"] = messages.USAGE
    if reason != "end_turn":
        session.world.happened("stopped-at-limit")
    session.report("idle", **fields)


def fail(stretch: Stretch) -> None:
    """End the work with `error`: unfinished tool calls failed, then idle ("Failures")."""
    session = stretch.session
    session.world.happened("failed")
    close_open(stretch, "failed")
    settle(stretch)
    error = {"code": INTERNAL_ERROR, "message": "the model cannot be reached"}
    session.report("idle", stopReason="error", error=error)


def close_open(stretch: Stretch, status: str) -> None:
    """Give every unfinished entity of the work a terminal status."""
    for update, lane in _endings(stretch, status):
        stretch.session.emit(update, lane)
    stretch.tools.clear()
    stretch.compaction = None


def _endings(stretch: Stretch, status: str) -> Iterator[tuple[JsonObject, str]]:
    """For each unfinished entity of the work, the update that ends it, and its lane."""
    for tool in stretch.tools:
        yield tool_update(tool, status=status), f"tool/{tool}"
    if stretch.compaction is not None:
        update = {"sessionUpdate": "compaction_update", "compactionId": stretch.compaction}
        yield {**update, "status": status}, f"compaction/{stretch.compaction}"


def abort(stretch: Stretch) -> Generator[simpy.Event, Any, None]:
    """End interrupted work: stop, tell what was stopped, report idle `cancelled`."""
    session = stretch.session
    request = stretch.occasion.request
    if stretch.ending != "lost" and request is not None and not stretch.inserted:
        session.agent.answered(request)
        session.refuse(request)
    asked = stretch.permission
    if stretch.ending != "lost" and asked in session.end.waiting and session.chance() < 0.5:
        # The usual cascade; an agent that only waits for the answer is as right.
        session.end.notify("$/cancel_request", {"requestId": asked}, session.id)
    abort_s = session.draw.abort()
    if abort_s > 0 and stretch.ending != "lost":
        yield Timeout(session.env, abort_s)
    for child in stretch.children:
        if child.is_alive:
            child.interrupt(stretch.ending)
            yield child
    if stretch.ending == "lost":
        _forget(stretch)
        return
    close_open(stretch, "cancelled")
    settle(stretch)
    if stretch.started:
        withdrawn = stretch.ending == "withdraw" and stretch.close_request is None
        session.report("idle", stopReason="end_turn" if withdrawn else "cancelled")
    if stretch.close_request is not None:
        session.world.happened("closed-during-work")
        session.finish_close(stretch.close_request)
    elif stretch.ending == "cancel":
        session.world.happened("cancelled")


def _forget(stretch: Stretch) -> None:
    """The connection is gone: nothing can be said, but the retained conversation is closed."""
    session = stretch.session
    session.state = "idle"
    if session.history is not None:
        for update, _ in _endings(stretch, "cancelled"):
            session.history.note(update)
