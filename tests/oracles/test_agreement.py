"""A target against the reference: what is compared, where the fault is put, how a crash is told."""

from __future__ import annotations

import pytest

from acpsim.oracles import talk
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.compare import UNTOUCHED
from acpsim.oracles.locate import first_failing
from acpsim.oracles.verdict import Verdict
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.target import SECTIONS
from acpsim.wire import updates
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small


def judged(
    reducer: type[Small], events: list[Event], *, cuts: tuple[int, ...] = (), locate: bool = True
) -> Verdict | None:
    target = InProcessTarget(reducer, name=reducer.__name__, edition=DRAFT)
    return judge_agreement(
        events, target, reference=ReferenceTarget(DRAFT), cuts=cuts, locate=locate
    )


class ChunkReplaces(Small):
    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        entity[field] = []
        super().append(entity, field, update)


TALK = """
    setup
    < agent_message_chunk m1 "a"
    < running
    < agent_message_chunk m1 "b"
    < tool_call_update t1
    < idle
"""


def test_the_reference_agrees_with_itself() -> None:
    events = conversation(TALK)

    assert judge_agreement(events, ReferenceTarget(DRAFT), reference=ReferenceTarget(DRAFT)) is None


def test_the_fault_is_put_at_the_message_after_which_it_shows() -> None:
    verdict = judged(ChunkReplaces, conversation(TALK))

    assert verdict is not None
    assert (verdict.after, verdict.kind) == (6, "agent_message_chunk")
    assert verdict.key == (
        "agreement", ("CHUNK-APPEND",), "messages.agent_message.*.content"
    )  # fmt: skip


def test_without_locating_only_the_place_is_told() -> None:
    verdict = judged(ChunkReplaces, conversation(TALK), locate=False)

    assert verdict is not None
    assert verdict.after is None
    assert verdict.difference is not None


def test_a_fault_that_heals_is_seen_on_the_way() -> None:
    events = conversation(TALK + '< agent_message m1 "whole"')

    assert judged(ChunkReplaces, events) is None
    verdict = judged(ChunkReplaces, events, cuts=(5, 8))
    assert verdict is not None
    assert verdict.events == tuple(events[:8])


def test_only_the_sections_that_the_target_keeps_are_compared() -> None:
    class Timeline(ChunkReplaces):
        sections = ("timeline", "foreground.state")

        def snapshot(self, session_id: str) -> Json:
            whole = super().snapshot(session_id)
            return None if whole is None else {
                "timeline": whole["timeline"],
                "foreground": {"state": whole["foreground"]["state"]},
            }  # fmt: skip

    assert judged(Timeline, conversation(TALK)) is None


def test_a_session_that_a_target_lacks_is_a_difference() -> None:
    class Forgets(Small):
        def snapshot(self, session_id: str) -> Json:
            return None

    verdict = judged(Forgets, conversation(TALK))

    assert verdict is not None
    assert verdict.difference is not None
    assert verdict.difference.path == "$"


def test_a_session_that_nobody_named_is_null() -> None:
    class Invents(Small):
        def snapshot(self, session_id: str) -> Json:
            return super().snapshot(session_id) or UNTOUCHED

    verdict = judged(Invents, conversation(TALK))

    assert verdict is not None
    assert verdict.difference is not None
    assert (verdict.difference.path, verdict.difference.expected) == ("$", None)


MENTIONING = """
    setup
    < subagent_update s1-child {"title": "C"}
    < session_message x1 {"recipientSessionId": "s9"}
"""


def test_a_session_that_is_only_mentioned_may_exist_or_not() -> None:
    class Eager(Small):
        def snapshot(self, session_id: str) -> Json:
            known = super().snapshot(session_id)
            return UNTOUCHED if known is None and session_id != "never-named" else known

    assert talk.named(conversation(MENTIONING)) == (["s1"], ["s1-child", "s9"])
    assert judged(Eager, conversation(MENTIONING)) is None


def test_a_session_that_is_only_mentioned_holds_nothing() -> None:
    class Synthesizes(Small):
        def message(self, held: JsonObject, variant: str, update: updates.SessionMessage) -> None:
            super().message(held, variant, update)
            super().message(self.held("s9"), variant, update)

    verdict = judged(Synthesizes, conversation(MENTIONING))

    assert verdict is not None
    assert (verdict.session, verdict.rules) == ("s9", ("SESSION-MESSAGE-NO-SYNTHESIS",))


class Raises(Small):
    def tool(self, name: str, update: updates.ToolCallUpdate) -> None:
        raise KeyError(update.tool_call_id)


def test_a_crash_is_told_with_the_message_that_did_it() -> None:
    verdict = judged(Raises, conversation(TALK))

    assert verdict is not None
    assert verdict.oracle == "crash:raised"
    assert (verdict.after, verdict.kind) == (7, "tool_call_update")
    assert "KeyError" in verdict.text


def test_two_crashes_of_one_cause_are_one_fault() -> None:
    other = 'setup\n< running\n< tool_call_content_chunk t9 "a"'

    one, two = judged(Raises, conversation(TALK)), judged(Raises, conversation(other))

    assert one is not None
    assert two is not None
    assert one.key.place == two.key.place


def test_two_faults_at_two_places_are_two() -> None:
    class Another(Small):
        def completed(self, front: JsonObject) -> None:
            pass

    one, two = judged(ChunkReplaces, conversation(TALK)), judged(Another, conversation(TALK))

    assert one is not None
    assert two is not None
    assert one.key != two.key


@pytest.mark.parametrize("turn", range(1, 12))
def test_halving_finds_where_it_turns(turn: int) -> None:
    asked = []

    def fails(count: int) -> bool:
        asked.append(count)
        return count >= turn

    assert first_failing(11, fails) == turn
    assert len(asked) <= 4


def test_an_untouched_session_is_what_the_reference_begins_with() -> None:
    target = ReferenceTarget(DRAFT)
    target.apply(conversation("setup"))

    assert target.snapshot("s1") == UNTOUCHED
    assert tuple(UNTOUCHED) == SECTIONS
