"""What an agent does during a stretch of work: the steps that a model's `agent.activities` weighs.

Owns: `ACTIVITIES`, one generator for each. Every one leaves nothing open behind it when it ends of
its own accord; what it has open meanwhile stands in the stretch, so that an abort can close it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import simpy
from simpy.events import Timeout

from acpsim.sim import messages
from acpsim.wire.cells import JsonObject

if TYPE_CHECKING:
    from acpsim.sim.agent import AgentSession, Steps
    from acpsim.sim.work import Stretch

Question: TypeAlias = Generator[simpy.Event, Any, bool]
"""An activity that waits for the user and comes back with whether they agreed."""


def message(stretch: Stretch) -> Steps:
    """A reply, streamed or whole, under the id of the thought before it or a new one."""
    session = stretch.session
    shared, stretch.thought_id = stretch.thought_id, None
    yield from speak(session, "agent_message", shared or session.next_id("msg"))


def thought(stretch: Stretch) -> Steps:
    """Reasoning; the reply that follows may share its id ("Entity IDs")."""
    session = stretch.session
    identity = session.next_id("msg")
    yield from speak(session, "agent_thought", identity)
    if session.chance() < session.world.model.agent.thought_shares_id:
        stretch.thought_id = identity


def speak(session: AgentSession, variant: str, identity: str) -> Steps:
    """One message of the agent: after the first token's delay, whole or in chunks."""
    agent = session.world.model.agent
    first_s = session.draw.first_token()
    if first_s > 0:
        yield Timeout(session.env, first_s)
    lane = f"{variant}/{identity}"
    count, size = _between(session, agent.chunks), agent.chunk_bytes
    if session.chance() < agent.whole_messages:
        blocks = [messages.text_block(messages.words(count, size * count))]
        update = {"sessionUpdate": variant, "messageId": identity, "content": blocks}
        session.emit(update, lane)
        return
    update = {"sessionUpdate": f"{variant}_chunk", "messageId": identity}
    yield from _stream(session, update, lane, count)


def _stream(session: AgentSession, chunk: JsonObject, lane: str, count: int) -> Steps:
    """`count` chunks of text, a gap between each two."""
    gap, env, speak = session.draw.chunk_gap, session.env, session.speaker(chunk, lane)
    size, words = session.world.model.agent.chunk_bytes, messages.words
    for at in range(count):
        if at:
            yield Timeout(env, gap())
        speak(words(at, size))


def tool(stretch: Stretch) -> Steps:
    """One or more tool calls at once, each with its updates, interleaved in time."""
    session = stretch.session
    agent = session.world.model.agent
    at_once = 1 + int(session.chance() * agent.tools_at_once)
    steps: list[tuple[float, int, JsonObject]] = []
    for number in range(at_once):
        call = announce_tool(session, stretch)
        if session.chance() < agent.tool_asks and not (yield from _allowed(stretch, call)):
            session.emit(tool_update(call, status="failed"), f"tool/{call}")
            stretch.tools.pop(call, None)
            continue
        times = sorted(session.chance() for _ in range(agent.tool_updates))
        duration_s = session.draw.tool()
        steps.append((0.0, number, tool_update(call, status="in_progress")))
        steps += [
            (at * duration_s, number, tool_chunk(call, messages.tool_items(index)))
            for index, at in enumerate(times)
        ]
        steps.append((duration_s, number, _end(session, call)))
    steps.sort(key=lambda step: step[:2])
    elapsed_s = 0.0
    for at_s, _, update in steps:
        if at_s > elapsed_s:
            yield Timeout(session.env, at_s - elapsed_s)
            elapsed_s = at_s
        call = update["toolCallId"]
        if update.get("status") in {"completed", "failed"}:
            stretch.tools.pop(call, None)
        session.emit(update, f"tool/{call}")


def announce_tool(session: AgentSession, stretch: Stretch | None, **fields: Any) -> str:
    """Report a new tool call, pending; one with a stretch belongs to that work. Returns its id."""
    call = session.next_id("call")
    if stretch is not None:
        stretch.tools[call] = None
    kind = ("read", "edit", "execute", "search")[int(session.chance() * 4)]
    path = "/home/user/project/main.py"
    update = tool_update(
        call,
        title=f"{kind.capitalize()} {path}",
        kind=kind,
        status="pending",
        rawInput={"path": path, "depth": 2},
        locations=[{"path": path, "line": 1 + int(session.chance() * 90)}],
        **fields,
    )
    session.emit(update, f"tool/{call}")
    return call


def tool_update(call: str, **fields: Any) -> JsonObject:
    """A `tool_call_update` of that call."""
    return {"sessionUpdate": "tool_call_update", "toolCallId": call, **fields}


def tool_chunk(call: str, content: JsonObject) -> JsonObject:
    """A `tool_call_content_chunk` of that call."""
    return {"sessionUpdate": "tool_call_content_chunk", "toolCallId": call, "content": content}


def _end(session: AgentSession, call: str) -> JsonObject:
    failed = session.chance() < session.world.model.agent.tool_fails
    result = [{"type": "content", "content": messages.text_block("failed" if failed else "done")}]
    status = "failed" if failed else "completed"
    return tool_update(call, status=status, content=result, rawOutput={"ok": not failed})


def _allowed(stretch: Stretch, call: str) -> Question:
    """Ask for permission to run a tool call. Returns whether it was given."""
    params = {
        "title": "Run this tool?",
        "subject": {"type": "tool_call", "toolCall": {"toolCallId": call}},
        "options": messages.PERMISSION_OPTIONS,
    }
    return (yield from _ask(stretch, params))


def permission(stretch: Stretch) -> Steps:
    """Ask for permission to run a command that is no tool call."""
    params = {
        "title": "Run make?",
        "subject": {"type": "command", "command": "make test", "cwd": "/home/user/project"},
        "options": messages.PERMISSION_OPTIONS,
    }
    yield from _ask(stretch, params)


def _ask(stretch: Stretch, params: JsonObject) -> Question:
    """Ask, report that the work is blocked, wait, report that it goes on."""
    session = stretch.session
    answered = session.env.event()

    def take(response: JsonObject) -> None:
        answered.succeed(response)

    stretch.permission = session.ask(params, take)
    session.report("requires_action")
    response = yield answered
    stretch.permission = None
    session.report("running")
    outcome = response.get("result", {}).get("outcome", {})
    return outcome.get("outcome") == "selected" and outcome.get("optionId") in {"yes", "always"}


def terminal(stretch: Stretch) -> Steps:
    """A terminal shown by a tool call; its chunks split characters and escape sequences."""
    session = stretch.session
    agent = session.world.model.agent
    call = announce_tool(session, stretch)
    identity = announce_terminal(session)
    shown = {"type": "terminal", "terminalId": identity}
    session.emit(tool_update(call, status="in_progress", content=[shown]), f"tool/{call}")
    for at in range(_between(session, agent.chunks)):
        yield Timeout(session.env, session.draw.chunk_gap())
        emit_output(session, identity, at)
    end_terminal(session, identity)
    stretch.tools.pop(call, None)
    session.emit(tool_update(call, status="completed"), f"tool/{call}")


def announce_terminal(session: AgentSession, **fields: Any) -> str:
    """Report a new terminal. Returns its id."""
    identity = session.next_id("term")
    update = {"sessionUpdate": "terminal_update", "terminalId": identity, "command": "make test"}
    session.emit({**update, "cwd": "/home/user/project", **fields}, f"terminal/{identity}")
    return identity


def emit_output(session: AgentSession, identity: str, at: int) -> None:
    """Report the `at`-th piece of a terminal's output: seven bytes, so that characters split."""
    update = {"sessionUpdate": "terminal_output_chunk", "terminalId": identity}
    session.emit({**update, "data": messages.terminal_chunk(at, 7)}, f"terminal/{identity}")


def end_terminal(session: AgentSession, identity: str, **fields: Any) -> None:
    """Report that a terminal's command has exited."""
    update = {"sessionUpdate": "terminal_update", "terminalId": identity}
    session.emit({**update, "exitStatus": {"exitCode": 0}, **fields}, f"terminal/{identity}")


def plan(stretch: Stretch) -> Steps:
    """A plan of each type in turn, replaced as it advances, removed now and then."""
    session = stretch.session
    identity, kind = session.next_id("plan"), int(session.chance() * 4)
    lane = f"plan/{identity}"
    for done in range(3):
        plan_object = messages.plan(identity, kind, done)
        session.emit({"sessionUpdate": "plan_update", "plan": plan_object}, lane)
        yield Timeout(session.env, session.draw.chunk_gap())
    if session.chance() < 0.25:
        session.emit({"sessionUpdate": "plan_removed", "planId": identity}, lane)


def compaction(stretch: Stretch) -> Steps:
    """A context compaction with a streamed summary."""
    session = stretch.session
    identity = session.next_id("cmp")
    stretch.compaction = identity
    lane = f"compaction/{identity}"
    update = {"sessionUpdate": "compaction_update", "compactionId": identity}
    session.emit({**update, "status": "in_progress"}, lane)
    chunk = {"sessionUpdate": "compaction_summary_chunk", "compactionId": identity}
    yield from _stream(session, chunk, lane, _between(session, session.world.model.agent.chunks))
    stretch.compaction = None
    session.emit({**update, "status": "completed"}, lane)


def _once(make: Callable[[AgentSession], JsonObject]) -> Callable[[Stretch], Steps]:
    """An activity of one update, after a moment."""

    def activity(stretch: Stretch) -> Steps:
        session = stretch.session
        yield Timeout(session.env, session.draw.chunk_gap())
        update = make(session)
        session.emit(update, update["sessionUpdate"])

    return activity


def _usage(session: AgentSession) -> JsonObject:
    used = 1000 + int(session.chance() * 50_000)
    update: JsonObject = {"sessionUpdate": "usage_update", "used": used, "size": 200_000}
    if session.chance() < 0.5:
        update["cost"] = {"amount": round(used / 1e6, 6), "currency": "USD"}
    return update


def _config(session: AgentSession) -> JsonObject:
    value = "large" if session.chance() < 0.5 else "small"
    return {"sessionUpdate": "config_option_update", "configOptions": messages.options(value)}


def _commands(session: AgentSession) -> JsonObject:
    listed = messages.commands(int(session.chance() * 4))
    return {"sessionUpdate": "available_commands_update", "availableCommands": listed}


def _info(session: AgentSession) -> JsonObject:
    title = f"Session {int(session.chance() * 100)}" if session.chance() < 0.8 else None
    return {"sessionUpdate": "session_info_update", "title": title}


def _notice(session: AgentSession) -> JsonObject:
    severity = ("info", "warning", "error", "_celebration")[int(session.chance() * 4)]
    return {"sessionUpdate": "notice", "severity": severity, "title": "The cache is cold"}


def _between(session: AgentSession, bounds: tuple[int, int]) -> int:
    least, most = bounds
    return least + int(session.chance() * (most - least + 1))


ACTIVITIES: Final[dict[str, Callable[[Stretch], Steps]]] = {
    "message": message,
    "thought": thought,
    "tool": tool,
    "terminal": terminal,
    "plan": plan,
    "permission": permission,
    "compaction": compaction,
    "usage": _once(_usage),
    "config": _once(_config),
    "commands": _once(_commands),
    "info": _once(_info),
    "notice": _once(_notice),
}
"""What a model may weigh, and how it is done."""
