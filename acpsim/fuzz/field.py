"""Small conversations of the kinds that go wrong in the field.

Owns: `TOLD`, the scenarios that every campaign begins with. Each is what public reports of broken
clients, agents and SDKs come down to, told as it should go: whoever makes the reported mistake
holds something else after it, or after another of its orders. What each shows is the sentence
beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Scenario
from acpsim.fuzz.teller import MODEL, S, Teller, data, failure, item, text
from acpsim.wire.edition import Edition


def early_updates(tell: Teller) -> None:
    """Updates of a session come before the response that names it."""
    tell.asks(1, "session/new", cwd="/p", mcpServers=[])
    tell.up("available_commands_update", availableCommands=[{"type": "command", **HELP}])
    tell.up("config_option_update", configOptions=[MODEL])
    tell.up("usage_update", used=1, size=9, cost={"amount": 1, "currency": "USD"})
    tell.answer(1, {"sessionId": S})
    tell.up("usage_update", used=2, size=9)
    tell.up("config_option_update", configOptions=[MODEL | {"configId": "other"}])


HELP: Final = {"name": "help", "description": "Help"}


def streams(tell: Teller) -> None:
    """Chunks of several entities and two sessions at once; ids shared across types and sessions."""
    tell.open()
    tell.open("s2")
    tell.state("running")
    tell.state("running", session="s2")
    tell.up("agent_message", messageId="x", content=[text("0" * 320)])
    for at in ("1", "1", ""):
        tell.up("agent_message_chunk", messageId="x", content=text(at), _meta={"n": at})
        tell.up("agent_thought_chunk", messageId="x", content=text(at))
        tell.up("tool_call_content_chunk", toolCallId="x", content=item(at))
        tell.up("agent_message_chunk", "s2", messageId="x", content=text(at))
    tell.up("terminal_output_chunk", terminalId="x", data=data("é".encode()[:1]))
    tell.up("terminal_output_chunk", terminalId="x", data=data("é".encode()[1:]))
    tell.state("idle", "end_turn", "s2")


def reconciled(tell: Teller) -> None:
    """Equal prompts, answered and echoed in any order, and another client's message between."""
    tell.open()
    tell.prompt(1, "hi")
    tell.prompt(2, "hi")
    tell.prompt("1", "hi")
    tell.state("running")
    tell.echo("u9", "hi")
    tell.echo("u2", "hi")
    tell.inserted(2, "u2")
    tell.inserted(1, "u1")
    tell.up("user_message_chunk", messageId="u1", content=text("hi"))
    tell.answer("1", error=-32000)
    tell.state("idle", "end_turn")


def background(tell: Teller) -> None:
    """Much happens while idle, and none of it is work; then work that no prompt began."""
    tell.open()
    tell.tool("b1", title="B", status="in_progress")
    tell.up("plan_update", plan={"type": "markdown", "planId": "p1", "content": "a"})
    tell.up("plan_update", plan={"type": "items", "planId": "p2", "entries": [TO_DO]})
    tell.up("session_info_update", title="T", updatedAt="2026-01-02T03:04:05Z")
    tell.up("agent_message", messageId="m0", content=[text("while idle")])
    tell.tool("b1", status="completed")
    tell.state("running")
    tell.up("agent_message_chunk", messageId="m1", content=text("done"))
    tell.tool("t2", title="T", status="in_progress")
    tell.state("idle", "end_turn")
    tell.tool("t2", status="completed")
    tell.up("agent_message_chunk", messageId="m1", content=text(" late"))
    tell.up("session_info_update", title=None)


TO_DO: Final = {"content": "later", "priority": "low", "status": "in_progress"}


def endings(tell: Teller) -> None:
    """Work ends in every way that a client has to recognise; reports are repeated."""
    tell.open()
    for reason in ("quota", 7, "_x", {"a": 1}):
        tell.state("running")
        tell.state("running")
        tell.state("idle", reason)
        tell.state("idle")
    tell.state("running")
    tell.state("idle", "error", error={"code": -32603, "message": "m", "data": [1]})
    tell.state("running")
    tell.state("idle", "end_turn", usage={"totalTokens": "x"})
    tell.state("requires_action")
    tell.state("idle", "end_turn", error=failure(-1))
    tell.state("running")
    tell.state("idle", "error", error="text", usage=USAGE)
    tell.state("idle", "refusal")


USAGE: Final = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}


def unsure(tell: Teller) -> None:
    """The state is not known, or not understood: neither is idle."""
    tell.open()
    tell.state("running")
    tell.state("unknown")
    tell.up("agent_message", messageId="m1", content=[text("still here")])
    tell.state("_compiling")
    tell.state("unknown")
    tell.state("running")
    tell.state("idle", "end_turn")
    tell.state("unknown")
    tell.state("idle")


def cancelled(tell: Teller) -> None:
    """A cancel marks what is unfinished of the work, and later updates still count."""
    tell.open()
    tell.tool("bg", title="B", status="in_progress")
    tell.prompt(1, "go")
    tell.inserted(1, "u1")
    tell.echo("u1", "go")
    tell.state("running")
    tell.tool("t1", title="A", status="completed")
    tell.tool("t2", title="B", status="in_progress")
    tell.tool("t3", title="C")
    tell.tool("t4", title="D", status="_queued")
    tell.state("running")
    tell.cancel()
    tell.up("tool_call_content_chunk", toolCallId="t2", content=item("late"))
    tell.tool("t2", status="failed")
    tell.tool("t1", content=[item("post")])
    tell.state("idle", "cancelled")
    tell.cancel()
    tell.tool("bg", status="completed")


def stops(tell: Teller) -> None:
    """A stop at every kind of moment; what it marks tells which calls belong to the work."""
    tell.open()
    tell.state("running")
    tell.tool("t0", title="Left open", status="in_progress")
    tell.state("idle", "end_turn")
    tell.state("running")
    tell.tool("t0", status="in_progress", content=[item("touched")])
    tell.up("tool_call_content_chunk", toolCallId="t1", content=item("by a chunk"))
    tell.tool("t2", title="F", status="failed")
    tell.state("unknown")
    tell.cancel()
    tell.tool("t3", title="Late")
    tell.cancel()
    tell.state("idle", "cancelled")
    tell.state("requires_action")
    tell.tool("t4", title="Asking")
    tell.cancel()
    tell.state("idle", "cancelled")
    tell.state("running")
    tell.tool("t5", title="Detached", status="in_progress")
    tell.state("running", background=[{"type": "tool_call", "toolCallId": "t5"}])
    tell.cancel()
    tell.state("unknown")
    tell.state("idle", "cancelled", background=[])


def questions(tell: Teller) -> None:
    """Questions at once; neither they nor their answers are states, and one outlives its work."""
    tell.open()
    tell.state("running")
    tell.tool("t1", title="Ask", rawInput={"a": 1})
    tell.permission("a1", "t1")
    tell.permission("a2", "t2", title="New", kind="edit")
    tell.permission(1, "t3")
    tell.state("requires_action")
    tell.selected("a1", "yes")
    tell.takes_back("a2c", "a2")
    tell.failed("a2", -32800)
    tell.state("running")
    tell.cancel()
    tell.state("idle", "cancelled")
    tell.declined(1)


def patches(tell: Teller) -> None:
    """Omitted keeps, null clears, a value replaces, a chunk appends: messages and tool calls."""
    tell.open()
    tell.state("running")
    tell.up("agent_message", messageId="m1", content=[text("A")], _meta={"k": 1, "n": None})
    tell.up("agent_message", messageId="m1", _meta={"n": 2})
    tell.up("agent_message_chunk", messageId="m1", content=text("B"))
    tell.up("agent_message", messageId="m2", content=[text("A")])
    tell.up("agent_message_chunk", messageId="m2", content=text(""))
    tell.up("agent_message", messageId="m2", content=[])
    tell.up("agent_thought", messageId="m2", content=[text("A")])
    tell.tool("t1", title="T", kind="edit", content=[item("X")], locations=[{"path": "/a"}])
    tell.up("tool_call_content_chunk", toolCallId="t1", content=item("Y"))
    tell.tool("t1", status="in_progress", rawOutput=1)
    tell.tool("t1", content=[item("Z")])
    tell.up("agent_message", messageId="m1", content=None)
    tell.up("agent_message_chunk", messageId="m1", content=text("C"))
    tell.tool("t1", kind=None, status=None, locations=None, rawOutput=None, _meta={"k": 1})
    tell.tool("t1", _meta={"k": None})


def entities(tell: Teller) -> None:
    """Plans, compactions, terminals and usage: each its own patch rules."""
    tell.open()
    tell.up("plan_update", plan={"type": "items", "planId": "p1", "entries": [], "_meta": {}})
    tell.up("plan_update", plan={"type": "_graph", "planId": "p2", "nodes": 1})
    tell.up("plan_update", plan={"type": "markdown", "planId": "p1", "content": "b"})
    tell.up("plan_removed", planId="p2")
    tell.up("compaction_summary_chunk", compactionId="c1", content=text("a"))
    tell.up("agent_message", messageId="m1", content=[text("between")])
    tell.up("compaction_update", compactionId="c1", status="in_progress", _meta={"k": 1})
    tell.up("compaction_update", compactionId="c1", status="completed", error="e")
    tell.up("terminal_update", terminalId="T1", output={"data": data(b"ab")}, command="ls")
    tell.up("terminal_output_chunk", terminalId="T1", data=data(b"c"))
    tell.up("terminal_update", terminalId="T1", exitStatus={})
    tell.up("terminal_update", terminalId="T1", exitStatus=None, output={"data": data(b"d")})
    tell.tool("t1", title="T", content=[{"type": "terminal", "terminalId": "T2"}])
    tell.up("terminal_update", terminalId="T1", output={"data": "!"}, exitStatus={"exitCode": 1})
    tell.up("terminal_output_chunk", terminalId="T1", data="YQ=!")


def timeline(tell: Teller) -> None:
    """The first sight of a thing fixes its place; ids that look like numbers have no order."""
    tell.open()
    tell.state("running")
    for own_id in ("10", "9", "A", "a"):
        tell.up("agent_message_chunk", messageId=own_id, content=text("I look"))
    tell.tool("2", title="T")
    tell.up("user_message_chunk", messageId="9", content=text("B"))
    tell.tool("2", status="completed")
    tell.up("agent_message_chunk", messageId="10", content=text(" (done)"))
    tell.up("agent_message", messageId="9", content=[text("again")])
    tell.up("compaction_update", compactionId="1", status="completed")


def unheard_of(tell: Teller) -> None:
    """Variants, blocks and kinds that nobody knows yet are kept and change nothing else."""
    tell.open()
    tell.state("running")
    tell.up("_metric", value=1)
    tell.up("future_thing", messageId="m1", content=[text("no")], state="idle")
    tell.up("_metric", value=2)
    tell.up(
        "agent_message", messageId="m1", content=[{"type": "_chart", "n": 1}, text("A") | {"x": 1}]
    )
    tell.tool("t1", title="T", kind="_weld", status="_queued")
    tell.up("notice", severity="error", title="Failed", description="Work goes on")
    tell.up("notice", severity="_new", title="Failed")
    tell.state("idle", "_custom")


def between_sessions(tell: Teller) -> None:
    """Messages between sessions and a child: participants, mirrored states, two transcripts."""
    tell.open()
    tell.state("running")
    tell.up("subagent_update", sessionId="c", title="Child", description="d", cwd="/p")
    peers = {"senderSessionId": S, "recipientSessionId": "c"}
    tell.up("session_message_chunk", messageId="x1", content=text("go"), **peers)
    tell.up("session_message", messageId="x1", senderSessionId=None, recipientSessionId="d")
    tell.up("session_message", "c", messageId="x1", **peers, content=[text("go")])
    tell.state("running", session="c")
    tell.tool("t1", "c", title="T", status="in_progress")
    tell.up("subagent_update", sessionId="c", state={"state": "running"})
    tell.state("idle", "end_turn", "c")
    tell.up("subagent_update", sessionId="c", title=None, state={"state": "idle"})
    tell.up("subagent_update", sessionId="c", state={"state": "idle", "stopReason": "end_turn"})
    tell.state("idle", "end_turn")


def broken_off(tell: Teller) -> None:
    """The connection breaks with prompt, question and work open; ids start anew, history stays."""
    tell.open()
    tell.prompt(1, "hi")
    tell.inserted(1, "u1")
    tell.echo("u1", "hi")
    tell.state("running")
    tell.up("agent_message_chunk", messageId="m1", content=text("old"))
    tell.permission("a1", "t1", title="T")
    tell.prompt(2, "hi")
    tell.lose()
    tell.connect()
    tell.resume(1, replay=True)
    tell.echo("u1", "hi")
    tell.up("agent_message", messageId="m1", content=None)
    tell.up("agent_message_chunk", messageId="m1", content=text("old"))
    tell.state("idle")
    tell.answer(1, {"configOptions": [MODEL]})
    tell.prompt(2, "hi")
    tell.inserted(2, "u2")
    tell.echo("u2", "hi")


def closed(tell: Teller) -> None:
    """Closed with a prompt pending, refused at first; then resumed, with history and without."""
    tell.open(configOptions=[MODEL])
    tell.up("agent_message", messageId="m1", content=[text("kept")])
    tell.asks(1, "session/close", sessionId=S)
    tell.answer(1, error=-32603)
    tell.prompt(2, "hi")
    tell.asks(3, "session/close", sessionId=S)
    tell.answer(3)
    tell.answer(2, error=-32800)
    tell.resume(4, replay=True)
    tell.up("agent_message", messageId="m1", content=[text("kept")])
    tell.up("agent_message", messageId="m2", content=[text("new")])
    tell.state("idle")
    tell.answer(4)
    tell.asks(5, "session/set_config_option", sessionId=S, configId="web", type="id", value="x")
    tell.up("config_option_update", configOptions=[MODEL])
    tell.answer(5, {"configOptions": []})
    tell.asks(6, "session/close", sessionId=S)
    tell.answer(6, error=-32002)


def malformed(tell: Teller) -> None:
    """What is malformed costs itself: a field, an item, a message; never the rest."""
    tell.open()
    tell.prompt(1, "hi")
    tell.prompt(2, "ho")
    tell.state("running")
    tell.up("agent_message", messageId="m1", content=[text("A")])
    tell.up("agent_message", messageId="m1", content="B", _meta={"k": 1})
    tell.up("agent_message", messageId=7, content=[text("no")])
    tell.up("agent_message", messageId="m1", content=[text("C"), {"type": "text"}])
    tell.tool("t1", title="T", status=7, kind=[], locations=[{"path": "/a", "line": 0}, 3])
    tell.up("notice", severity="info", title="")
    tell.answer(1, {"messageId": None})
    tell.up("agent_message_chunk", messageId="m1", content=text("D"))
    tell.state("idle", 42, usage={"totalTokens": "many"})
    tell.inserted(2, "u2")


TOLD: Final[tuple[Callable[[Teller], None], ...]] = (
    streams,
    patches,
    reconciled,
    cancelled,
    endings,
    stops,
    background,
    entities,
    questions,
    malformed,
    broken_off,
    between_sessions,
    timeline,
    unheard_of,
    closed,
    unsure,
    early_updates,
)
"""In the order in which a campaign begins with them: what finds most comes first."""


def field_scenarios(edition: Edition) -> list[Scenario]:
    """All of them in this edition."""
    found: list[Scenario] = []
    for tell_all in TOLD:
        tell = Teller(edition)
        tell.connect()
        tell_all(tell)
        name = f"field/{tell_all.__name__.replace('_', '-')}"
        found.append(scenario_of(tell.events, name=name, settled=False))
    return found
