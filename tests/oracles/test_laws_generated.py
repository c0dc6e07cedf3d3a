"""The laws, and agreement, on conversations that Hypothesis writes.

The reference and the small reducer were written apart: both keep every law, and they agree.
"""

from __future__ import annotations

import random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.laws import LAWS, try_law
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event, event, lost
from tests.helpers.small import Small

SESSIONS = st.sampled_from(["s1", "s2"])
IDS = st.sampled_from(["x", "y"])
TEXT = st.sampled_from(["", "a", "b"]).map(lambda text: {"type": "text", "text": text})
BLOCK = st.one_of(TEXT, st.just({"type": "_chart", "points": [1]}))
META = st.one_of(
    st.none(), st.dictionaries(IDS, st.sampled_from([None, 1, {"k": None}]), max_size=2)
)
ITEM = st.one_of(
    BLOCK.map(lambda block: {"type": "content", "content": block}),
    IDS.map(lambda own: {"type": "terminal", "terminalId": own}),
)
DATA = st.sampled_from(["", "YQ==", "YWI=", "4oI=", "no base64"])
STATUS = st.sampled_from(["pending", "in_progress", "completed", "failed", "cancelled", "_held"])
STATES = st.sampled_from(["running", "requires_action", "idle", "idle", "unknown", "_busy"])
REASONS = st.sampled_from(["end_turn", "error", "cancelled", "quota", None, 7])
ERROR = st.sampled_from([None, {"code": 1, "message": "m"}, "boom"])
USAGE = st.sampled_from([None, {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}, {"a": 1}])
BACKGROUND = st.lists(
    st.one_of(
        IDS.map(lambda own: {"type": "tool_call", "toolCallId": own}),
        IDS.map(lambda own: {"type": "terminal", "terminalId": own}),
    ),
    max_size=2,
)


def fields(variant: str, required: dict[str, Any], optional: dict[str, Any]) -> Any:
    return st.fixed_dictionaries(
        {"sessionUpdate": st.just(variant), **required}, optional={**optional, "_meta": META}
    )


def content(item: Any) -> Any:
    return st.one_of(st.none(), st.lists(item, max_size=3))


IDENTITIES = {
    name: st.one_of(st.none(), SESSIONS) for name in ("senderSessionId", "recipientSessionId")
}
KINDS = ("user_message", "agent_message", "agent_thought")
UPDATES = st.one_of(
    *(fields(kind, {"messageId": IDS}, {"content": content(BLOCK)}) for kind in KINDS),
    *(fields(f"{kind}_chunk", {"messageId": IDS, "content": BLOCK}, {}) for kind in KINDS),
    fields("session_message", {"messageId": IDS}, {"content": content(BLOCK), **IDENTITIES}),
    fields("session_message_chunk", {"messageId": IDS, "content": BLOCK}, IDENTITIES),
    fields(
        "tool_call_update",
        {"toolCallId": IDS},
        {
            "status": st.one_of(st.none(), STATUS),
            "title": st.one_of(st.none(), st.just("T"), st.just(7)),
            "kind": st.sampled_from([None, "read", "_odd"]),
            "content": content(ITEM),
            "rawInput": st.sampled_from([None, {"k": [1]}]),
        },
    ),
    fields("tool_call_content_chunk", {"toolCallId": IDS, "content": ITEM}, {}),
    fields(
        "terminal_update",
        {"terminalId": IDS},
        {
            "command": st.sampled_from([None, "ls"]),
            "output": st.one_of(st.none(), DATA.map(lambda data: {"data": data})),
            "exitStatus": st.sampled_from([None, {}, {"exitCode": 1}]),
        },
    ),
    fields("terminal_output_chunk", {"terminalId": IDS, "data": DATA}, {}),
    fields(
        "plan_update",
        {
            "plan": IDS.map(lambda own: {"type": "markdown", "planId": own, "content": own})
            | IDS.map(lambda own: {"type": "_graph", "planId": own})
        },
        {},
    ),
    fields("plan_removed", {"planId": IDS}, {}),
    fields(
        "compaction_update",
        {"compactionId": IDS, "status": STATUS},
        {"summary": content(BLOCK), "error": st.sampled_from([None, "e"])},
    ),
    fields("compaction_summary_chunk", {"compactionId": IDS, "content": BLOCK}, {}),
    fields(
        "subagent_update",
        {"sessionId": SESSIONS},
        {
            "title": st.sampled_from([None, "T"]),
            "state": st.sampled_from([None, {"state": "idle"}, {"state": "running"}]),
        },
    ),
    fields(
        "state_update",
        {"state": STATES},
        {"stopReason": REASONS, "error": ERROR, "usage": USAGE, "background": BACKGROUND},
    ),
    fields("session_info_update", {}, {"title": st.sampled_from([None, "T"])}),
    fields(
        "usage_update",
        {"used": st.integers(-1, 3), "size": st.just(9)},
        {"cost": st.sampled_from([None, {"amount": 1.5, "currency": "USD"}])},
    ),
    fields("available_commands_update", {"availableCommands": st.just([])}, {}),
    fields("notice", {"severity": st.just("error"), "title": st.sampled_from(["N", ""])}, {}),
    fields("_future", {}, {"messageId": IDS}),
)
MOVES = st.one_of(
    st.tuples(st.just("update"), SESSIONS, UPDATES),
    st.tuples(st.just("update"), SESSIONS, UPDATES),
    st.tuples(
        st.sampled_from(["prompt", "close", "resume", "cancel", "permission"]), SESSIONS, IDS
    ),
    st.tuples(st.just("answer"), st.integers(0, 5), st.sampled_from(["ok", "error", "odd"])),
    st.tuples(st.just("lost"), st.none(), st.none()),
)


class Writer:
    """Puts moves together into a conversation in which each answer has its question."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.events: list[Event] = []
        self.open: list[tuple[str, str, Any]] = []
        self.count = 0
        for name in ("s1", "s2"):
            self.ask("c2a", "session/new", {"cwd": "/", "mcpServers": []})
            self.tell("a2c", {"id": self.open.pop()[2], "result": {"sessionId": name}})

    def tell(self, way: Any, message: JsonObject) -> None:
        line = len(self.events) + 1
        whole = {"jsonrpc": "2.0", **message}
        self.events.append(event(way, whole, edition=self.edition, line=line))

    def ask(self, way: str, method: str, params: JsonObject) -> None:
        self.count += 1
        own = self.count if way == "c2a" else f"a{self.count}"
        self.open.append((way, method, own))
        self.tell(way, {"id": own, "method": method, "params": params})

    def move(self, what: str, which: Any, how: Any) -> None:
        params = {"sessionId": which}
        if what == "update":
            params = {"sessionId": which, "update": how}
            self.tell("a2c", {"method": "session/update", "params": params})
        elif what == "prompt":
            self.ask("c2a", "session/prompt", {**params, "prompt": [{"type": "text", "text": "a"}]})
        elif what == "close":
            self.ask("c2a", "session/close", params)
        elif what == "resume":
            self.ask("c2a", "session/resume", {**params, "cwd": "/"})
        elif what == "cancel":
            self.tell("c2a", {"method": "session/cancel", "params": params})
        elif what == "permission":
            options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
            subject = {"type": "tool_call", "toolCall": {"toolCallId": how}}
            more = {"title": "?", "options": options, "subject": subject}
            self.ask("a2c", "session/request_permission", {**params, **more})
        elif what == "answer" and self.open:
            self.answer(*self.open.pop(which % len(self.open)), how)
        elif what == "lost":
            self.events.append(lost(line=len(self.events) + 1))
            self.open.clear()

    def answer(self, way: str, method: str, own: Any, how: str) -> None:
        results: dict[str, Any] = {
            "session/prompt": {"messageId": "x"},
            "session/request_permission": {"outcome": {"outcome": "selected", "optionId": "yes"}},
        }
        back = "a2c" if way == "c2a" else "c2a"
        if how == "error":
            self.tell(back, {"id": own, "error": {"code": -32002, "message": "m"}})
        else:
            odd = {"messageId": None, "outcome": 7}
            self.tell(back, {"id": own, "result": odd if how == "odd" else results.get(method, {})})


@st.composite
def conversations(draw: st.DrawFn, edition: Edition) -> list[Event]:
    writer = Writer(edition)
    for move in draw(st.lists(MOVES, min_size=1, max_size=14)):
        writer.move(*move)
    return writer.events


QUICK = settings(
    max_examples=60,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)
@pytest.mark.parametrize("law", LAWS)
def test_the_reference_keeps_the_law(law: str, edition: Edition) -> None:
    target = ReferenceTarget(edition)

    @QUICK
    @given(conversations(edition))
    def keeps(events: list[Event]) -> None:
        trial = try_law(
            law, events, target, edition=edition, chance=random.Random(3), occasions_max=12
        )
        assert trial.verdict is None, trial.verdict

    keeps()


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)
def test_two_reducers_written_apart_agree(edition: Edition) -> None:
    small = InProcessTarget(Small, name="small", edition=edition)
    reference = ReferenceTarget(edition)

    @settings(QUICK, max_examples=300)
    @given(conversations(edition))
    def agrees(events: list[Event]) -> None:
        verdict = judge_agreement(events, small, reference=reference, cuts=range(1, len(events)))
        assert verdict is None, verdict

    agrees()
