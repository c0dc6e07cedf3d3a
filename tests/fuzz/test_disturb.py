"""Disturbances: each finds its occasions, stays legal, and is one that a right reducer survives."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from acpsim.fuzz.disturb import DISTURBANCES, disturb
from acpsim.fuzz.field import field_scenarios
from acpsim.fuzz.recorded import recorded_scenarios
from acpsim.fuzz.scenario import Events
from acpsim.fuzz.stage import Stage
from acpsim.oracles import talk
from acpsim.oracles.agreement import judge_agreement
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import methods
from acpsim.wire.edition import DRAFT, SDK_2_4
from acpsim.wire.trace import Event
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small

TURN = conversation("""
    setup
    > #1 prompt "hello there"
    < running
    < user_message u1 "hello there"
    < #1 ok u1
    < agent_message_chunk m1 "one two"
    < agent_message_chunk m1 "three"
    < terminal_output_chunk T1 {"data": "aGVsbG8="}
    < tool_call_update t1 "content" {"title": "T"}
    < #a1 permission t1 yes/no
    < usage_update {"used": 1, "size": 9}
    > #a1 cancelled
    < usage_update {"used": 2, "size": 9}
    > cancel
    < usage_update {"used": 3, "size": 9}
    < tool_call_update t1 {"status": "cancelled"}
    < idle cancelled
    > #2 close
    < #2 ok
""")


def after(name: str, events: list[Event] = TURN, *, seeds: int = 60) -> list[Events]:
    found = [disturb(Stage(tuple(events), DRAFT, random.Random(s)), name) for s in range(seeds)]
    return [told for told in found if told is not None]


@pytest.mark.parametrize("name", DISTURBANCES)
def test_each_finds_an_occasion_in_an_ordinary_conversation(name: str) -> None:
    assert after(name)


@pytest.mark.parametrize("name", DISTURBANCES)
def test_each_changes_something_and_leaves_its_input_alone(name: str) -> None:
    before = tuple(event.raw for event in TURN)

    changed = [tuple(e.raw for e in told) != before for told in after(name)]

    assert any(changed)
    assert tuple(event.raw for event in TURN) == before


@pytest.mark.parametrize("name", DISTURBANCES)
def test_equal_chance_disturbs_equally(name: str) -> None:
    one, other = ([tuple(event.raw for event in told) for told in after(name)] for _ in range(2))

    assert one == other


@pytest.mark.parametrize("name", DISTURBANCES)
def test_a_conversation_without_occasion_is_left_as_it_is(name: str) -> None:
    assert disturb(Stage((), DRAFT, random.Random(0)), name) in (None, ())


@pytest.mark.parametrize("name", DISTURBANCES)
def test_an_independent_reducer_agrees_with_the_reference_all_the_same(name: str) -> None:
    for edition in (DRAFT, SDK_2_4):
        target = InProcessTarget(Small, name="small", edition=edition)
        reference = ReferenceTarget(edition)
        known = [*field_scenarios(edition), *recorded_scenarios(edition)]
        for at, scenario in enumerate(known):
            told = disturb(Stage(scenario.events, edition, random.Random(at)), name)

            if told is not None:
                assert judge_agreement(told, target, reference=reference) is None


@pytest.mark.parametrize("name", ["move-response", "move-cancel", "move-close", "move-answer"])
def test_what_moves_takes_nothing_with_it(name: str) -> None:
    for told in after(name):
        assert Counter(event.raw for event in told) == Counter(event.raw for event in TURN)


@pytest.mark.parametrize("name", ["move-response", "move-cancel", "move-close", "move-answer"])
def test_what_moves_stays_behind_its_question(name: str) -> None:
    for told in after(name):
        assert len(talk.exchanges(told).request_of) == 5


def test_a_response_is_moved_to_either_side_of_the_updates_around_it() -> None:
    places = {next(i for i, e in enumerate(t) if b"messageId" in e.raw and talk.response_id(e) == 1)
              for t in after("move-response")}  # fmt: skip

    assert min(places) < 7 < max(places)


def test_a_repeated_report_is_the_very_same_event() -> None:
    for told in after("repeat"):
        raws = [event.raw for event in told]

        assert len(set(raws)) == len(raws) - 1


def test_pieces_make_the_same_text() -> None:
    for told in after("split"):
        if (added := len(told) - len(TURN)) == 1 and b"one two" not in b"".join(_raws(told)):
            texts = [
                event.json()["params"]["update"]["content"]["text"]
                for event in told
                if b"agent_message_chunk" in event.raw
            ]

            assert added == 1
            assert "".join(texts) == "one twothree"


def _raws(events: Events) -> list[bytes]:
    return [event.raw for event in events]


def test_joined_chunks_are_one_message_less() -> None:
    assert {len(told) for told in after("join")} == {len(TURN) - 1}
    assert all(b"one twothree" in b"".join(_raws(told)) for told in after("join"))


def test_an_extra_prompt_says_the_same_and_is_another_submission() -> None:
    for told in after("add-prompt"):
        prompts = [e for e in told if isinstance(e.message, methods.PromptRequest)]

        assert len(prompts) == 2
        assert prompts[0].json()["params"] == prompts[1].json()["params"]


def test_a_cancel_is_added_only_where_no_question_is_open() -> None:
    asked = next(at for at, event in enumerate(TURN) if b"request_permission" in event.raw)
    for told in after("add-cancel"):
        cancels = [
            at for at, event in enumerate(told) if isinstance(event.message, methods.CancelSession)
        ]

        assert len(cancels) == 2
        assert asked + 1 not in cancels


def test_after_a_cut_the_sessions_are_resumed_on_a_new_connection() -> None:
    for told in after("cut"):
        lost = next(at for at, event in enumerate(told) if event.dir == "lost")

        assert isinstance(told[lost + 1].message, methods.InitializeRequest)
        assert isinstance(told[lost + 3].message, methods.ResumeSessionRequest)


@pytest.mark.parametrize("name", ["spoil-field", "spoil-item"])
def test_a_spoilt_part_costs_no_message(name: str) -> None:
    told = [event for told in after(name) for event in told]

    assert all(isinstance(e.message, methods.Call) or talk.response_id(e) is not None for e in told)
    assert any(event.flaws for event in told)


def test_a_spoilt_required_field_makes_the_update_unusable() -> None:
    for told in after("spoil-required"):
        assert any(event.flaws and talk.update_of(event) is None for event in told)


def test_no_target_is_blamed_for_leaving_the_envelope_to_its_transport() -> None:
    """What a reducer has to make of another `jsonrpc` is nowhere said."""
    versions = {
        told.json().get("jsonrpc") == "2.0"
        for events in after("spoil-anything", seeds=400)
        for told in events
        if told.dir == "a2c"
    }

    assert versions == {True}
