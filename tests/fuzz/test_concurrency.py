"""What may change places in a recording, and what may not."""

from __future__ import annotations

import random

import pytest

from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.generate import one_delivery
from acpsim.fuzz.recorded import recorded_scenarios
from acpsim.fuzz.scenario import Events, Scenario, in_sequence
from acpsim.rules.check import check
from acpsim.schedule.order import PartialOrder
from acpsim.schedule.streams import Streams
from acpsim.wire.edition import EDITIONS, Edition
from tests.helpers.shorthand import conversation


def order(text: str) -> PartialOrder:
    """Line n of the text, after the four messages of set-up, is n + 3."""
    return scenario_of(conversation(f"setup\n{text}"), name="x", settled=False).order


def test_the_recorded_order_is_one_of_its_orders() -> None:
    found = order('> #1 prompt "x"\n< #1 ok u1\n< user_message u1 "x"')

    assert found.allows(range(7))


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ('> #1 prompt "x"\n< #1 ok u1', False),
        ('> #1 prompt "x"\n< user_message u1 "x"', False),
        ('< agent_message_chunk m1 "a"\n< agent_message_chunk m1 "b"', False),
        ('< agent_message_chunk m1 "a"\n< agent_message_chunk m2 "b"', True),
        ('< agent_message_chunk m1 "a"\n< agent_thought_chunk m1 "b"', True),
        ("< running\n< tool_call_update t1", False),
        ("< running\n< usage_update {\"used\": 1, \"size\": 2}", True),
        ("< tool_call_update t1\n< idle end_turn", False),
        ("< tool_call_update t1\n> cancel", True),
        ("> cancel\n< idle cancelled", False),
        ("> cancel\n< running", True),
        ('> cancel\n> #1 prompt "x"', False),
        ("< tool_call_update t1\n< #a1 permission t1", False),
        ("< #a1 permission t1\n> #a1 selected yes", False),
        ('< idle\n> #1 prompt "x"', True),
        ("> #1 close\n< #1 ok", False),
        ("> #1 close\n< idle cancelled", False),
        ('< agent_message m1 "a"\n> #1 close', True),
    ],
)  # fmt: skip
def test_two_messages_may_change_places_only_where_both_orders_can_happen(
    text: str, free: bool
) -> None:
    assert order(text).concurrent(4, 5) == free


def test_the_response_of_close_stays_behind_what_the_agent_said() -> None:
    found = order("> #1 close\n< idle cancelled\n< #1 ok")

    assert not found.concurrent(5, 6)


def test_a_prompts_response_is_bound_to_its_request_alone() -> None:
    found = order('> #1 prompt "x"\n< user_message u1 "x"\n< running\n< idle\n< #1 ok u1')

    assert [found.concurrent(at, 8) for at in range(4, 8)] == [False, True, True, True]


def test_a_childs_messages_follow_its_announcement() -> None:
    found = order('< subagent_update c {"title": "C"}\n< [c] running')

    assert not found.concurrent(4, 5)


def test_sessions_are_independent() -> None:
    events = conversation("""
        setup
        > #9 new
        < #9 ok {"sessionId": "s2"}
        < running
        < [s2] running
    """)
    found = scenario_of(events, name="x", settled=False).order

    assert found.concurrent(6, 7)


def test_nothing_passes_a_lost_connection() -> None:
    found = order("< running\nlost\n> #1 resume")

    assert not found.concurrent(4, 5)
    assert not found.concurrent(5, 6)


@pytest.mark.parametrize("name", EDITIONS)
def test_no_order_of_a_recorded_conversation_breaks_a_rule_for_certain(name: str) -> None:
    edition = EDITIONS[name]
    streams = Streams(5)
    broken = [
        (scenario.name, rule, text)
        for scenario in recorded_scenarios(edition)
        for at in range(4)
        for rule, text in _new_breaches(scenario, edition, streams[f"{scenario.name} {at}"])
    ]

    assert broken == []


def _new_breaches(
    scenario: Scenario, edition: Edition, chance: random.Random
) -> set[tuple[str, str]]:
    """Definite breaches that the recorded order does not have too."""
    return _breaches(one_delivery(scenario, chance), edition) - _breaches(scenario.events, edition)


def _breaches(told: Events, edition: Edition) -> set[tuple[str, str]]:
    """The rules that are broken for certain, each with the message that breaks it."""
    return {
        (finding.rule, told[finding.line - 1].raw.decode() if finding.line else "")
        for finding in check(in_sequence(told), edition=edition, complete=False).findings
        if finding.certainty == "definite" and finding.level == "must"
    }
