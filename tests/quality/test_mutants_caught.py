"""Every seeded fault is caught soon and shrunk to a few messages: the measure of the fuzzer."""

from __future__ import annotations

from functools import cache

import pytest

from acpsim.fuzz import cases
from acpsim.fuzz.measuring import Measured, Plan, measure
from acpsim.fuzz.mutants_run import MutantFinished, MutantsFinished, Options, run
from acpsim.targets.mutants import MUTANTS

CASES_MAX = 300
"""For one mutant: about two seconds."""
MESSAGES_MAX = 8
"""After set-up. More than a person takes in at a glance is not shrunk."""


NO_RULE = {"close-error-closes", "closed-for-good", "not-found-keeps-open"}
"""Mutants of which no rule speaks: whether a session is closed."""
IN_BATCHES = {"new-session-known-later", "requests-overtake"}
"""Mutants that go wrong in batches alone: the sentence says so, the rule is where it shows."""


@cache
def results() -> dict[str, MutantFinished]:
    last = list(run(Options(cases_max=CASES_MAX)))[-1]
    assert isinstance(last, MutantsFinished)
    return {result.name: result for result in last.results}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_the_mutant_is_caught_and_shrunk(name: str) -> None:
    result = results()[name]

    assert result.caught
    assert result.messages is not None
    assert result.messages <= MESSAGES_MAX


@pytest.mark.slow
def test_most_mutants_are_caught_within_a_few_dozen_cases() -> None:
    counts = sorted(result.cases for result in results().values())

    assert counts[len(counts) // 2] <= 40


@pytest.mark.slow
def test_every_shrunk_fault_is_proven_to_need_all_of_its_messages() -> None:
    assert [result.name for result in results().values() if not result.minimal] == []


@pytest.mark.slow
def test_most_mutants_are_caught_without_the_known_kinds_of_trouble(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # What nobody has thought of yet is found by what nobody wrote, or not at all.
    monkeypatch.setattr(cases, "field_scenarios", lambda edition: [])
    some = tuple(MUTANTS)[::8]

    last = list(run(Options(mutants=some, cases_max=400)))[-1]

    assert isinstance(last, MutantsFinished)
    assert len(last.missed) <= len(some) // 10


@pytest.mark.slow
def test_half_of_the_shrunk_faults_have_two_messages_after_set_up() -> None:
    counts = sorted(result.messages or 0 for result in results().values())

    assert counts[len(counts) // 2] <= 2


@pytest.mark.slow
def test_nearly_every_fault_is_named_by_what_the_mutant_breaks() -> None:
    unnamed = {result.name for result in results().values() if not result.named}

    assert unnamed <= NO_RULE | IN_BATCHES


SLOWEST = (
    *("second-answer-counts", "open-plan-blocks-idle", "idle-settles-permissions"),
    *("message-aliased", "updates-to-current-session", "error-beside-any-reason"),
)
"""Those that are caught latest, measured over 30 seeds; all of them take a few minutes."""


@pytest.mark.slow
def test_those_caught_latest_are_caught_within_300_cases_by_half_of_the_seeds() -> None:
    last = list(measure(Plan(mutants=SLOWEST, seed=100, seeds=5)))[-1]

    assert isinstance(last, Measured)
    late = {
        name: row["default"]
        for name, row in last.rows.items()
        if row["default"].missed or (row["default"].median_cases or 0) > CASES_MAX
    }
    assert late == {}
