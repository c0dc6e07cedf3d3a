"""From a failing conversation to the smallest one, by steps that keep it a conversation."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

import pytest

from acpsim.fuzz.shrink import Shrunk, inversions, needed, set_up, shrink, units
from acpsim.oracles import talk
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.laws import judge_law
from acpsim.oracles.verdict import FaultKey
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import methods, updates
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event, event, read_trace
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small

RECORDED = Path(__file__).resolve().parents[1] / "recorded"


class ChunkReplaces(Small):
    def append(self, entity: JsonObject, field: str, update: updates.AgentMessageChunk) -> None:
        entity[field] = []
        super().append(entity, field, update)


class CancelMarksNothing(Small):
    def cancel(self, name: str) -> None:
        pass


class EchoAfterResponseDropped(Small):
    def message(self, held: JsonObject, variant: str, update: updates.UserMessage) -> None:
        known = [prompt["messageId"] for prompt in held["prompts"]]
        if variant != "user_message" or update.message_id not in known:
            super().message(held, variant, update)


class UsageShared(Small):
    def usage(self, held: JsonObject, update: updates.UsageUpdate) -> None:
        for one in self.sessions.values():
            super().usage(one, update)


def read(name: str) -> list[Event]:
    with (RECORDED / f"{name}.jsonl").open("rb") as stream:
        return read_trace(stream, edition=DRAFT).events


def disagrees(reducer: type[Small]) -> Callable[[Sequence[Event]], Hashable | None]:
    target = InProcessTarget(reducer, name=reducer.__name__, edition=DRAFT)
    reference = ReferenceTarget(DRAFT)

    def fails(events: Sequence[Event]) -> Hashable | None:
        verdict = judge_agreement(events, target, reference=reference)
        return None if verdict is None else verdict.key

    return fails


def has(*wanted: str) -> Callable[[Sequence[Event]], Hashable | None]:
    """Fails while the messages say each of these words, in this order."""

    def fails(events: Sequence[Event]) -> Hashable | None:
        text = b"\n".join(event.raw for event in events).decode()
        at = -1
        for word in wanted:
            at = text.find(word, at + 1)
            if at < 0:
                return None
        return "said"

    return fails


def kinds(shrunk: Shrunk) -> list[str]:
    """What is left after set-up."""
    prepared = set_up(shrunk.events)
    return [
        talk.kind_of(shrunk.events, at) for at in range(len(shrunk.events)) if at not in prepared
    ]


def test_only_the_messages_that_matter_are_left() -> None:
    shrunk = shrink(read("tool_call")[:13], disagrees(ChunkReplaces), edition=DRAFT)

    assert kinds(shrunk) == ["tool_call_content_chunk", "tool_call_content_chunk"]
    assert shrunk.minimal


def test_a_cancel_keeps_the_work_that_it_cancels() -> None:
    shrunk = shrink(read("cancel_tool")[:13], disagrees(CancelMarksNothing), edition=DRAFT)

    assert [kinds(shrunk)[at] for at in (0, -1)] == ["state_update", "session/cancel"]
    assert shrunk.messages == 3


def test_a_response_keeps_its_request() -> None:
    shrunk = shrink(read("plain"), disagrees(EchoAfterResponseDropped), edition=DRAFT)

    assert kinds(shrunk) == ["session/prompt", "session/prompt response", "user_message"]


def test_the_fault_stays_the_same() -> None:
    fails = disagrees(ChunkReplaces)
    events = read("stream")

    shrunk = shrink(events, fails, edition=DRAFT)

    assert shrunk.key == fails(shrunk.events) == fails(events)


def test_equal_input_gives_an_equal_result() -> None:
    one, other = (
        shrink(read("resume_replay"), disagrees(ChunkReplaces), edition=DRAFT) for _ in range(2)
    )

    assert one == other


def test_no_answer_is_ever_left_without_its_question() -> None:
    strays: list[bytes] = []
    fails = disagrees(ChunkReplaces)

    def watched(events: Sequence[Event]) -> Hashable | None:
        answered = talk.exchanges(events).request_of
        strays.extend(
            event.raw
            for at, event in enumerate(events)
            if talk.response_id(event) is not None and at not in answered
        )
        return fails(events)

    for name in ("permission_allow", "cancel_held", "resume_replay"):
        events = read(name) + read("stream")[4:]
        shrink(events, watched, edition=DRAFT)

    assert strays == []


def test_a_request_goes_with_its_answer_and_its_cancellation() -> None:
    events = conversation(
        'setup\n> #1 prompt "a"\n< #a1 permission - yes/no\n> cancel_request 1\n'
        '< running\n> #a1 selected yes\n< #1 error -32800\n< cancel_request "a1"'
    )

    assert units(events) == [(0, 1), (2, 3), (4, 6, 9), (5, 8, 10), (7,)]


def test_an_answer_that_does_not_matter_goes() -> None:
    events = conversation('setup\n> #1 prompt "PROMPT"\n< #1 ok u1\n< running')

    shrunk = shrink(events, has("PROMPT"), edition=DRAFT)

    assert kinds(shrunk) == ["session/prompt"]


def test_messages_go_back_to_their_order() -> None:
    events = conversation('setup\n< agent_message m1 "ONE"\n< agent_message m2 "TWO"\n< running')
    disturbed = [*events[:4], events[6], events[5], events[4]]

    def both(told: Sequence[Event]) -> Hashable | None:
        said = [has(word)(told) for word in ("ONE", "TWO", "running")]
        return None if None in said else "said"

    shrunk = shrink(disturbed, both, edition=DRAFT)

    assert shrunk.inversions == ()
    assert [event.line for event in shrunk.events[4:]] == [5, 6, 7]


def test_an_inversion_that_matters_stays_and_is_told() -> None:
    events = conversation('setup\n< agent_message m1 "ONE"\n< agent_message m2 "TWO"\n< running')
    disturbed = [*events[:4], events[6], events[5], events[4]]

    shrunk = shrink(disturbed, has("TWO", "ONE"), edition=DRAFT)

    assert kinds(shrunk) == ["agent_message", "agent_message"]
    assert shrunk.inversions == ((4, 5),)
    assert shrunk.minimal


def test_payloads_are_made_simple() -> None:
    events = conversation(
        'setup\n< tool_call_update t1 {"title": "T", "kind": "read", "status": "pending", '
        '"locations": [{"path": "/a"}, {"path": "/b"}], "_meta": {"k": {"deep": [1, 2]}}, '
        '"rawInput": {"x": 1}, "content": [{"type": "content", "content": {"type": "text", '
        '"text": "KEEP"}}, {"type": "terminal", "terminalId": "T1"}]}'
    )

    shrunk = shrink(events, has("KEEP"), edition=DRAFT)

    assert talk.update_json(shrunk.events[-1]) == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t1",
        "content": [{"type": "content", "content": {"type": "text", "text": "KEEP"}}],
    }


def test_no_simpler_form_is_malformed() -> None:
    seen: list[Event] = []
    fails = disagrees(ChunkReplaces)

    def watched(events: Sequence[Event]) -> Hashable | None:
        seen.extend(events)
        return fails(events)

    shrink(read("tool_call")[:13], watched, edition=DRAFT)

    assert [e for e in seen if e.flaws or isinstance(e.message, Malformed)] == []


def test_sessions_are_told_as_one_where_that_still_fails() -> None:
    events = conversation(
        'setup\nsetup s2\n< agent_message_chunk m1 "a"\n< [s2] agent_message_chunk m1 "b"'
    )

    def two_chunks(told: Sequence[Event]) -> Hashable | None:
        chunks = [e for e in told if isinstance(talk.update_of(e), updates.AgentMessageChunk)]
        return "two" if len(chunks) == 2 else None

    shrunk = shrink(events, two_chunks, edition=DRAFT)

    assert talk.addressed(shrunk.events) == ["s1"]
    assert len(set_up(shrunk.events)) == 4


def test_sessions_stay_apart_where_that_matters() -> None:
    events = conversation(
        'setup\nsetup s2\n< running\n< [s2] running\n< usage_update {"used": 1, "size": 2}'
    )

    shrunk = shrink(events, disagrees(UsageShared), edition=DRAFT)

    assert sorted(talk.addressed(shrunk.events)) == ["s1", "s2"]


def test_set_up_stays_as_long_as_it_is_needed() -> None:
    events = conversation('setup\nsetup s2\n< agent_message m1 "KEEP"\n< [s2] running')

    shrunk = shrink(events, has("KEEP"), edition=DRAFT)

    opened = [e for e in shrunk.events if isinstance(e.message, methods.NewSessionRequest)]
    assert len(opened) == 1
    assert needed(shrunk.events) == shrunk.events


def test_lines_that_are_no_messages_are_no_trouble() -> None:
    lines = (b"no json", b"[]", b'"x"', b'{"id":1}', b'{"jsonrpc":"2.0","method":7}')
    hostile = [event("a2c", line, edition=DRAFT) for line in lines]
    events = conversation('setup\n< agent_message m1 "KEEP"')

    shrunk = shrink([*hostile, *events, *hostile], has("KEEP"), edition=DRAFT)

    assert kinds(shrunk) == ["agent_message"]
    assert shrink([*hostile, *events], has("no json"), edition=DRAFT).messages == 1


def test_a_fault_of_a_law_is_shrunk_too() -> None:
    target = InProcessTarget(EchoAfterResponseDropped, name="broken", edition=DRAFT)

    def fails(events: Sequence[Event]) -> Hashable | None:
        verdict = judge_law(
            "response-order", events, target, edition=DRAFT, chance=random.Random(0)
        )
        return None if verdict is None else verdict.key

    shrunk = shrink(read("plain"), fails, edition=DRAFT)

    assert kinds(shrunk) == ["session/prompt", "session/prompt response", "user_message"]


def test_whatever_less_there_is_passes_where_nothing_else_is_wrong() -> None:
    smallest = shrink(read("stream"), disagrees(ChunkReplaces), edition=DRAFT)

    assert smallest.minimal
    assert not smallest.others


def test_a_smaller_conversation_with_another_fault_is_told() -> None:
    # Without its last message it fails too, but elsewhere: that is no smaller form of this fault.
    def fails(told: Sequence[Event]) -> Hashable | None:
        said = [getattr(talk.update_of(one), "message_id", None) for one in told]
        return "both" if {"m1", "m2"} <= set(said) else ("one" if "m1" in said else None)

    both = conversation('setup\n< agent_message m1 "a"\n< agent_message m2 "b"')

    smallest = shrink(both, fails, edition=DRAFT)

    assert smallest.minimal
    assert smallest.others


def test_a_fault_of_one_rule_that_shows_elsewhere_in_less_is_the_same() -> None:
    def fails(told: Sequence[Event]) -> Hashable | None:
        said = [getattr(talk.update_of(one), "message_id", None) for one in told]
        place = "foreground" if "m2" in said else "timeline"
        return FaultKey("agreement", ("STATE-UNKNOWN",), place) if "m1" in said else None

    both = conversation('setup\n< agent_message m1 "a"\n< agent_message m2 "b"')

    assert shrink(both, fails, edition=DRAFT).messages == 1


def test_a_lost_connection_that_does_not_matter_goes() -> None:
    told = conversation(
        """
        setup
        < agent_message_chunk m1 "one"
        lost
        > #4 resume
        < #4 ok {}
        < agent_message_chunk m1 "two"
        """
    )

    smallest = shrink(told, disagrees(ChunkReplaces), edition=DRAFT)

    assert all(one.dir != "lost" for one in smallest.events)
    assert smallest.messages == 2


def test_texts_numbers_and_what_stands_beside_a_payload_are_made_simple() -> None:
    usage = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "beside": {"deep": ["x"]},
        "params": {
            "sessionId": "s1",
            "update": {
                "sessionUpdate": "usage_update",
                "used": 53012,
                "size": 200000,
                "cost": {"amount": 0.37, "currency": "USD"},
            },
        },
    }
    other = conversation('setup\nsetup s2\n< [s2] agent_message m1 "hi"')
    told = (*other, event("a2c", usage, edition=DRAFT, line=99))

    smallest = shrink(told, disagrees(UsageShared), edition=DRAFT)

    (last,) = [one for one in smallest.events if b"usage_update" in one.raw]

    assert last.json()["params"]["update"] == {
        "sessionUpdate": "usage_update",
        "used": 1,
        "size": 1,
    }
    assert "beside" not in last.json()


def test_a_budget_that_is_used_up_is_told() -> None:
    shrunk = shrink(read("stream"), disagrees(ChunkReplaces), edition=DRAFT, runs_max=5)

    assert not shrunk.minimal
    assert shrunk.runs == 5


def test_a_long_conversation_needs_few_runs() -> None:
    events = read("resume_replay")
    for name in ("stream", "tool_call", "terminal", "compaction", "plans", "usage", "notices"):
        events += read(name)[4:]

    shrunk = shrink(events, disagrees(ChunkReplaces), edition=DRAFT)

    assert shrunk.messages == 2
    assert shrunk.minimal
    assert shrunk.runs < 150


def test_a_conversation_that_does_not_fail_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fail"):
        shrink(read("plain"), disagrees(ChunkReplaces), edition=DRAFT)


def test_inversions_are_counted_between_messages_that_have_a_line() -> None:
    events = conversation("setup\n< running\n< idle")
    inserted = Event(dir="lost")

    assert list(inversions([events[5], inserted, events[4]])) == [(0, 2)]
