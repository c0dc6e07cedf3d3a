"""The generator: legal conversations, of every kind, the same for the same seed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings

from acpsim.fuzz import generate as walk
from acpsim.fuzz.generate import conversations, generate, one_delivery, scenarios
from acpsim.fuzz.moves import GROUPS, MOVES, Move
from acpsim.fuzz.scenario import Events, Scenario, in_sequence
from acpsim.oracles import talk
from acpsim.rules.check import check
from acpsim.schedule.streams import Streams
from acpsim.wire import methods, updates
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from acpsim.wire.jsonrpc import Response
from acpsim.wire.trace import Event

COUNT = 150
NEVER = {"session/fork", "session/delete"}
"""Methods that change nothing which a client holds of a session."""

LISTS = {
    "available_commands_update",
    "config_option_update",
    "session_info_update",
    "usage_update",
}
"""What may come with a new session."""

each_edition = pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))


@cache
def some(name: str) -> tuple[Scenario, ...]:
    streams = Streams(1)
    return tuple(generate(streams[str(at)], EDITIONS[name]) for at in range(COUNT))


def delivered(edition: Edition) -> Iterator[tuple[Scenario, Events]]:
    streams = Streams(2)
    for at, scenario in enumerate(some(edition.name)):
        yield scenario, one_delivery(scenario, streams[str(at)])


@each_edition
def test_every_message_is_well_formed(edition: Edition) -> None:
    flawed = [
        (event.flaws[0].path, event.raw)
        for scenario in some(edition.name)
        for event in scenario.events
        if event.flaws
    ]

    assert flawed == []


@each_edition
def test_no_order_of_a_generated_conversation_breaks_a_rule_for_certain(edition: Edition) -> None:
    broken = [
        (finding.rule, finding.line, finding.text)
        for scenario, events in delivered(edition)
        for finding in check(in_sequence(events), edition=edition, complete=False).findings
        if finding.certainty == "definite" and finding.level == "must"
    ]

    assert broken == []


@each_edition
def test_a_settled_conversation_owes_nothing(edition: Edition) -> None:
    owed = [
        (finding.rule, finding.line, finding.text)
        for scenario in some(edition.name)
        if scenario.settled
        for finding in check(scenario.events, edition=edition, complete=True).findings
        if finding.certainty == "definite" and finding.level == "must"
    ]

    assert owed == []


@each_edition
def test_an_answer_follows_its_question_in_every_order(edition: Edition) -> None:
    for _, events in delivered(edition):
        answers = [at for at, event in enumerate(events) if isinstance(event.message, Response)]

        assert set(answers) == set(talk.exchanges(events).request_of)


def test_every_variant_and_every_method_is_generated() -> None:
    seen: Counter[str] = Counter()
    for edition in (DRAFT, SDK_2_4):
        for scenario in some(edition.name):
            seen.update(kind(event) for event in scenario.events)

    assert set(updates.VARIANTS) <= set(seen)
    assert set(methods.METHODS) - {"session/update", *NEVER} <= set(seen)
    assert {"lost", "unknown variant", "_vendor/ask", "_vendor/settings"} <= set(seen)


def kind(event: Event) -> str:
    if event.dir == "lost":
        return "lost"
    update = talk.update_of(event)
    if isinstance(update, updates.UnknownUpdate):
        return "unknown variant"
    return talk.kind_of([event], 0)


def test_every_move_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: set[str] = set()
    pick = walk._pick

    def noted(chance: random.Random, moves: Sequence[Move]) -> Move:
        move = pick(chance, moves)
        made.add(move.name)
        return move

    monkeypatch.setattr(walk, "_pick", noted)
    for at in range(COUNT):
        chance = Streams(3)[str(at)]
        generate(chance, SDK_2_4, groups=frozenset(GROUPS), steps=[chance] * 30)

    assert made == {move.name for move in MOVES}


def test_a_case_without_a_group_has_none_of_its_moves() -> None:
    groups = frozenset({"messages"})

    for at in range(40):
        scenario = generate(Streams(4)[str(at)], DRAFT, groups=groups)

        kinds = {kind(event) for event in scenario.events}
        assert kinds <= LISTS | {
            "initialize",
            "initialize response",
            "stray response",
            "session/new",
            "session/prompt",
            "user_message",
            "user_message_chunk",
            "agent_message",
            "agent_message_chunk",
            "state_update",
            "tool_call_update",
        }


def test_equal_seeds_give_equal_conversations_in_any_process() -> None:
    program = (
        "import hashlib;"
        "from acpsim.fuzz.generate import generate, one_delivery;"
        "from acpsim.schedule.streams import Streams;"
        "from acpsim.wire.edition import SDK_2_4;"
        "told = [one_delivery(generate(Streams(k)['s'], SDK_2_4), Streams(k)['d'])"
        " for k in range(40)];"
        "print(hashlib.sha256(b'\\n'.join(e.raw for t in told for e in t)).hexdigest())"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "2")
    }

    assert len(printed) == 1


@given(conversations(DRAFT))
@settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_hypothesis_draws_whole_conversations(events: Events) -> None:
    assert events[0].line == 1


@given(scenarios(SDK_2_4))
@settings(max_examples=20, deadline=None, database=None, suppress_health_check=list(HealthCheck))
def test_hypothesis_draws_scenarios(scenario: Scenario) -> None:
    assert scenario.order.allows(range(len(scenario.events)))
