"""Every rule that binds a reducer: one small mistake, and the oracle names the rule."""

from __future__ import annotations

import copy
import dataclasses
import tomllib
from importlib import resources

import pytest
from msgspec import UNSET

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.causes import CAUSES
from acpsim.oracles.verdict import Verdict
from acpsim.targets.inprocess import InProcessTarget
from acpsim.wire import updates
from acpsim.wire.cells import JsonObject, MirroredState
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small

RULES = tomllib.loads(
    resources.files("acpsim.rules").joinpath("rules.toml").read_text(encoding="utf-8")
)["rule"]
REDUCER_RULES = [rule["id"] for rule in RULES if rule["check"] == "reducer"]


@dataclasses.dataclass(frozen=True, slots=True)
class Mistake:
    """A rule, a reducer that breaks it, and the conversation in which it does."""

    rule: str
    reducer: type[Small]
    talk: str


class EchoDoubled(Small):
    def message(self, held: JsonObject, variant: str, update: updates.UserMessage) -> None:
        super().message(held, variant, update)
        if any(prompt["messageId"] == update.message_id for prompt in held["prompts"]):
            entity = held["messages"]["user_message"][update.message_id]
            entity["content"] = entity["content"] * 2


class EchoSettles(Small):
    def message(self, held: JsonObject, variant: str, update: updates.UserMessage) -> None:
        super().message(held, variant, update)
        for prompt in held["prompts"]:
            if variant == "user_message" and prompt["status"] == "pending":
                prompt |= {"status": "accepted", "messageId": update.message_id}


class ResponseIsIdle(Small):
    def prompt_outcome(self, entry: JsonObject, outcome: object, raw: JsonObject) -> None:
        super().prompt_outcome(entry, outcome, raw)
        for held in self.sessions.values():
            held["foreground"]["state"] = "idle"


class IdleNeedsReason(Small):
    def state(self, name: str, update: updates.StateUpdate) -> None:
        if update.state != "idle" or isinstance(update.stop_reason, str):
            super().state(name, update)


class UsageKept(Small):
    def state(self, name: str, update: updates.StateUpdate) -> None:
        before = self.held(name)["foreground"]["usage"]
        super().state(name, update)
        self.held(name)["foreground"]["usage"] = before


class PlanIsWork(Small):
    def plan(self, held: JsonObject, plan: JsonObject) -> None:
        super().plan(held, plan)
        held["foreground"]["state"] = "running"


class UnknownIsIdle(Small):
    def state(self, name: str, update: updates.StateUpdate) -> None:
        super().state(name, update)
        if update.state == "unknown":
            self.held(name)["foreground"]["state"] = "idle"


class PermissionBlocks(Small):
    def request(self, direction: str, message: object, name: str | None) -> None:
        super().request(direction, message, name)
        if direction == "a2c" and name is not None:
            self.held(name)["foreground"]["state"] = "requires_action"


class CancelMarksNothing(Small):
    def cancel(self, name: str) -> None:
        pass


class CancelledForGood(Small):
    def tool(self, name: str, update: updates.ToolCallUpdate) -> None:
        call = self.held(name)["toolCalls"].get(update.tool_call_id, {})
        if call.get("status") != "cancelled":
            super().tool(name, update)


class OneTable(Small):
    """A thought and a reply under one id are one message."""

    def message(self, held: JsonObject, variant: str, update: updates.UserMessage) -> None:
        kind = variant.removesuffix("_chunk")
        others = [k for k in ("agent_thought", "agent_message") if k != kind]
        known = [k for k in others if update.message_id in held["messages"][k]]
        if known:
            variant = variant.replace(kind, known[0])
        super().message(held, variant, update)


class OmittedClears(Small):
    def patch(self, entity: JsonObject, update: updates.Update, names: tuple[str, ...]) -> None:
        super().patch(entity, update, names)
        if getattr(update, "content", None) is UNSET:
            entity["content"] = []


class NullKeeps(Small):
    def patch(self, entity: JsonObject, update: updates.Update, names: tuple[str, ...]) -> None:
        before = copy.deepcopy(entity)
        super().patch(entity, update, names)
        if getattr(update, "content", UNSET) is None:
            entity["content"] = before["content"]


class ContentAdded(Small):
    def patch(self, entity: JsonObject, update: updates.Update, names: tuple[str, ...]) -> None:
        before = entity.get("content")
        super().patch(entity, update, names)
        if before and entity["content"]:
            entity["content"] = [*before, *entity["content"]]


class ChunkReplaces(Small):
    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        entity[field] = []
        super().append(entity, field, update)


class ChunkMetaStored(Small):
    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        super().append(entity, field, update)
        self.patch_meta(entity, update.meta)


class MovedToTheEnd(Small):
    def place(self, held: JsonObject, kind: str, own: str) -> bool:
        known = [kind, own] in held["timeline"]
        if known:
            held["timeline"].remove([kind, own])
        held["timeline"].append([kind, own])
        return not known


class LastSessionGetsAll(Small):
    def usage(self, held: JsonObject, update: updates.UsageUpdate) -> None:
        for one in self.sessions.values():
            super().usage(one, update)


class TextsJoined(Small):
    def more_bytes(self, entity: JsonObject, data: bytes, text: str) -> None:
        entity["output"] += text


class ReferenceCreates(Small):
    def tool(self, name: str, update: updates.ToolCallUpdate) -> None:
        super().tool(name, update)
        for item in self.held(name)["toolCalls"][update.tool_call_id]["content"]:
            if item["type"] == "terminal":
                self.terminal(
                    self.held(name), updates.TerminalUpdate(terminal_id=item["terminalId"])
                )


class OnePlan(Small):
    def plan(self, held: JsonObject, plan: JsonObject) -> None:
        held["plans"] = {}
        super().plan(held, plan)


class NullForgets(Small):
    def identities(self, entity: JsonObject, update: updates.SessionMessage) -> None:
        super().identities(entity, update)
        if update.sender_session_id is None:
            entity["senderSessionId"] = None


class OtherSideInvented(Small):
    def message(self, held: JsonObject, variant: str, update: updates.SessionMessage) -> None:
        super().message(held, variant, update)
        if variant == "session_message" and isinstance(update.recipient_session_id, str):
            super().message(self.held(update.recipient_session_id), variant, update)


class NoticeFails(Small):
    def update(self, name: str, update: updates.AnyUpdate, raw: JsonObject) -> None:
        super().update(name, update, raw)
        if isinstance(update, updates.Notice):
            self.held(name)["foreground"]["state"] = "idle"


class CompactionStartsDone(Small):
    def compaction(self, held: JsonObject, update: updates.CompactionSummaryChunk) -> None:
        new = update.compaction_id not in held["compactions"]
        super().compaction(held, update)
        if new and isinstance(update, updates.CompactionSummaryChunk):
            held["compactions"][update.compaction_id]["status"] = "completed"


class MirrorCounts(Small):
    def subagent(self, held: JsonObject, update: updates.SubagentUpdate) -> None:
        super().subagent(held, update)
        if isinstance(update.state, MirroredState) and update.state.state == "idle":
            held["foreground"]["completions"] += 1


class UnknownDropped(Small):
    def update(self, name: str, update: updates.AnyUpdate, raw: JsonObject) -> None:
        if not isinstance(update, updates.UnknownUpdate):
            super().update(name, update, raw)


class KindsClosed(Small):
    def patch(self, entity: JsonObject, update: updates.Update, names: tuple[str, ...]) -> None:
        super().patch(entity, update, names)
        if str(entity.get("kind", "")).startswith("_"):
            entity["kind"] = "other"


class ResumeClears(Small):
    def request(self, direction: str, message: object, name: str | None) -> None:
        super().request(direction, message, name)
        if getattr(message, "method", "") == "session/resume" and name is not None:
            del self.sessions[name]
            self.held(name)


PROMPT = 'setup\n> #1 prompt "hi"\n'
WORK = "setup\n< running\n"
MISTAKES = (
    Mistake("PROMPT-RECONCILE", EchoDoubled, PROMPT + '< #1 ok u1\n< user_message u1 "hi"'),
    Mistake("PROMPT-NO-INFERENCE", EchoSettles, PROMPT + '< user_message u1 "hi"'),
    Mistake("PROMPT-NOT-IDLE", ResponseIsIdle, PROMPT + "< running\n< #1 ok u1"),
    Mistake("STATE-CLIENT-IDLE", IdleNeedsReason, WORK + "< idle"),
    Mistake(
        "STATE-USAGE-TOLERANT",
        UsageKept,
        WORK + '< idle end_turn {"usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2}}',
    ),
    Mistake("STATE-BACKGROUND", PlanIsWork, 'setup\n< plan_update p1 {"entries": []}'),
    Mistake("STATE-UNKNOWN", UnknownIsIdle, WORK + "< unknown"),
    Mistake("STATE-PERMISSION", PermissionBlocks, WORK + "< #a1 permission - yes/no"),
    Mistake("CANCEL-MARK-TOOLS", CancelMarksNothing, WORK + "< tool_call_update t1\n> cancel"),
    Mistake(
        "CANCEL-LATE-UPDATES",
        CancelledForGood,
        WORK + '< tool_call_update t1\n> cancel\n< tool_call_update t1 {"status": "completed"}',
    ),
    Mistake(
        "ENTITY-KEY", OneTable, 'setup\n< agent_thought_chunk x "a"\n< agent_message_chunk x "b"'
    ),
    Mistake("PATCH-OMIT", OmittedClears, 'setup\n< agent_message m1 "a"\n< agent_message m1'),
    Mistake(
        "PATCH-NULL",
        NullKeeps,
        'setup\n< agent_message m1 "a"\n< agent_message m1 {"content": null}',
    ),
    Mistake("PATCH-REPLACE", ContentAdded, 'setup\n< agent_message m1 "a"\n< agent_message m1 "b"'),
    Mistake(
        "CHUNK-APPEND",
        ChunkReplaces,
        'setup\n< agent_message_chunk m1 "a"\n< agent_message_chunk m1 "b"',
    ),
    Mistake(
        "CHUNK-META", ChunkMetaStored, 'setup\n< agent_message_chunk m1 "a" {"_meta": {"k": 1}}'
    ),
    Mistake(
        "TIMELINE-FIRST-SEEN",
        MovedToTheEnd,
        'setup\n< agent_message m1 "a"\n< tool_call_update t1\n< agent_message_chunk m1 "b"',
    ),
    Mistake(
        "SESSION-ISOLATION",
        LastSessionGetsAll,
        'setup\nsetup s2\n< [s2] running\n< usage_update {"used": 1, "size": 2}',
    ),
    Mistake(
        "TERMINAL-BYTES",
        TextsJoined,
        'setup\n< terminal_output_chunk T1 {"data": "YQ=="}\n'
        '< terminal_output_chunk T1 {"data": "YQ=="}',
    ),
    Mistake(
        "TERMINAL-EITHER-ORDER",
        ReferenceCreates,
        'setup\n< tool_call_update t1 {"content": [{"type": "terminal", "terminalId": "T1"}]}',
    ),
    Mistake(
        "PLAN-REPLACE",
        OnePlan,
        'setup\n< plan_update p1 {"entries": []}\n< plan_update p2 {"entries": []}',
    ),
    Mistake(
        "SESSION-MESSAGE-IDENTITY",
        NullForgets,
        'setup\n< session_message x1 {"senderSessionId": "s9"}\n'
        '< session_message x1 {"senderSessionId": null}',
    ),
    Mistake(
        "SESSION-MESSAGE-NO-SYNTHESIS",
        OtherSideInvented,
        'setup\nsetup s2\n< [s2] running\n< session_message x1 {"recipientSessionId": "s2"}',
    ),
    Mistake("NOTICE-NO-EFFECT", NoticeFails, WORK + '< notice {"severity":"error","title":"N"}'),
    Mistake("COMPACTION-INIT", CompactionStartsDone, 'setup\n< compaction_summary_chunk c1 "a"'),
    Mistake(
        "SUBAGENT-MIRROR", MirrorCounts, 'setup\n< subagent_update s9 {"state": {"state": "idle"}}'
    ),
    Mistake(
        "UNKNOWN-PRESERVED",
        UnknownDropped,
        'setup\n< raw {"jsonrpc":"2.0","method":"session/update","params":'
        '{"sessionId":"s1","update":{"sessionUpdate":"_new","k":1}}}',
    ),
    Mistake(
        "UNKNOWN-ENUM-PRESERVED", KindsClosed, 'setup\n< tool_call_update t1 {"kind": "_queue"}'
    ),
    Mistake("RESUME-UPSERT", ResumeClears, 'setup\n< agent_message m1 "a"\n> #4 resume'),
)


def judged(mistake: Mistake, *, broken: bool = True) -> Verdict | None:
    reducer = mistake.reducer if broken else Small
    return judge_agreement(
        conversation(mistake.talk),
        InProcessTarget(reducer, name=reducer.__name__, edition=DRAFT),
        reference=InProcessTarget(Small, name="small", edition=DRAFT),
    )


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.rule)
def test_the_verdict_names_the_rule(mistake: Mistake) -> None:
    verdict = judged(mistake)

    assert verdict is not None
    assert mistake.rule in verdict.rules


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.rule)
def test_the_difference_shows_after_the_last_message(mistake: Mistake) -> None:
    verdict = judged(mistake)

    assert verdict is not None
    assert verdict.after == len(verdict.events) - 1


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.rule)
def test_a_right_reducer_agrees(mistake: Mistake) -> None:
    assert judged(mistake, broken=False) is None


def test_every_rule_that_binds_a_reducer_can_be_named() -> None:
    named = {rule for cause in CAUSES for rule in cause.rules}

    assert sorted(set(REDUCER_RULES) - named) == []
    assert sorted(set(REDUCER_RULES) - {mistake.rule for mistake in MISTAKES}) == []


def test_no_cause_names_a_rule_that_there_is_not() -> None:
    named = {rule for cause in CAUSES for rule in cause.rules}

    assert sorted(named - {rule["id"] for rule in RULES}) == []


def test_a_crash_at_an_unknown_variant_names_the_rule() -> None:
    class Raises(Small):
        def update(self, name: str, update: updates.AnyUpdate, raw: JsonObject) -> None:
            raise ValueError(raw["sessionUpdate"])

    unknown = next(mistake for mistake in MISTAKES if mistake.rule == "UNKNOWN-PRESERVED")

    verdict = judged(dataclasses.replace(unknown, reducer=Raises))

    assert verdict is not None
    assert (verdict.oracle, verdict.rules) == ("crash:raised", ("UNKNOWN-PRESERVED",))


def test_the_text_is_one_sentence_with_both_values() -> None:
    verdict = judged(MISTAKES[13])

    assert verdict is not None
    assert verdict.text == (
        'after agent_message, $.messages.agent_message.m1.content[0].text is "a", not "b": '
        "a concrete value replaces the whole value"
    )
