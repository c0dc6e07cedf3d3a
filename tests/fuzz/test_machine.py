"""The moves as a Hypothesis state machine: it finds, and it shrinks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.stateful import run_state_machine_as_test

from acpsim.fuzz.machine import machine
from acpsim.fuzz.moves import MOVES
from acpsim.fuzz.scenario import Scenario
from acpsim.oracles.agreement import judge_agreement
from acpsim.targets.address import open_target
from acpsim.wire import methods
from acpsim.wire.edition import DRAFT

QUIET = settings(
    max_examples=60,
    stateful_step_count=15,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


class Wrong(Exception):
    """The reducer under test does not agree."""


def judged_against(address: str) -> tuple[object, list[Scenario]]:
    target = open_target(address, edition=DRAFT)
    reference = open_target("reference", edition=DRAFT)
    seen: list[Scenario] = []

    def judge(scenario: Scenario) -> None:
        seen.append(scenario)
        if judge_agreement(scenario.events, target, reference=reference, locate=False):
            raise Wrong

    return judge, seen


@pytest.mark.slow
def test_a_right_reducer_passes() -> None:
    judge, seen = judged_against("reference")

    run_state_machine_as_test(machine(DRAFT, judge), settings=QUIET)  # type: ignore[arg-type]

    assert len(seen) >= 60


@pytest.mark.slow
def test_a_wrong_reducer_is_found_in_a_few_moves() -> None:
    judge, seen = judged_against("mutant:completion-counted-at-start")

    with pytest.raises(Wrong):
        run_state_machine_as_test(machine(DRAFT, judge), settings=QUIET)  # type: ignore[arg-type]

    assert len(seen[-1].events) <= 12


@pytest.mark.slow
def test_what_failed_is_kept_and_tried_first_next_time() -> None:
    database = InMemoryExampleDatabase()
    keeping = settings(QUIET, derandomize=False, database=database)
    judge, seen = judged_against("mutant:completion-counted-at-start")
    with pytest.raises(Wrong):
        run_state_machine_as_test(machine(DRAFT, judge), settings=keeping)  # type: ignore[arg-type]
    smallest = [event.raw for event in seen[-1].events]
    judge, seen = judged_against("mutant:completion-counted-at-start")

    with pytest.raises(Wrong):
        run_state_machine_as_test(machine(DRAFT, judge), settings=keeping)  # type: ignore[arg-type]

    assert [event.raw for event in seen[0].events] == smallest


@pytest.mark.slow
def test_a_session_that_was_closed_is_resumed_now_and_then() -> None:
    judge, seen = judged_against("reference")

    run_state_machine_as_test(machine(DRAFT, judge), settings=QUIET)  # type: ignore[arg-type]

    resumed = (methods.ResumeSessionRequest,)
    assert any(isinstance(e.message, resumed) for scenario in seen for e in scenario.events)


def test_every_move_is_a_rule_of_the_machine() -> None:
    members = dir(machine(DRAFT, lambda scenario: None))

    assert {f"move_{move.name.replace(' ', '_')}" for move in MOVES} <= set(members)
