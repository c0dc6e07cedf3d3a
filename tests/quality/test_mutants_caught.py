"""Every seeded fault is caught soon and shrunk to a few messages: the measure of the fuzzer."""

from __future__ import annotations

from functools import cache

import pytest

from acpsim.fuzz.mutants_run import MutantFinished, MutantsFinished, Options, run
from acpsim.targets.mutants import MUTANTS

CASES_MAX = 300
"""Each seed: what issue reports call seconds is a few hundred cases."""
MESSAGES_MAX = 8
"""After set-up. More than a person takes in at a glance is not shrunk."""
SECONDS_MAX = 120
"""For all of them together, on the slowest machine that we use."""


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
    cases = sorted(result.cases for result in results().values())

    assert cases[len(cases) // 2] <= 40


@pytest.mark.slow
def test_nearly_every_shrunk_fault_is_known_to_be_minimal() -> None:
    minimal = [result.minimal for result in results().values()]

    assert sum(minimal) / len(minimal) >= 0.95
