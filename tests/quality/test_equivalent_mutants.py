"""Mutants that nobody can tell apart are named as such, and no others are."""

from __future__ import annotations

import pytest

from acpsim.fuzz.telling_apart import never_told_apart
from acpsim.targets.mutants import MUTANTS, Mutant
from acpsim.targets.mutants.mutant import REFERENCE_NAME
from acpsim.wire.edition import EDITIONS

LAWS_ONLY = {
    *("message-aliased", "snapshot-aliased"),  # seen by a caller who changes what he was given
    "error-beside-any-reason",  # seen where the very field is added that it looks for
}
"""Mutants that no snapshot of an undisturbed kind shows: the laws, or an addition, tell them."""

NAMED = [mutant for mutant in MUTANTS.values() if mutant.equivalent_to]


@pytest.mark.slow
def test_only_named_mutants_are_never_told_apart_by_what_they_hold() -> None:
    groups = never_told_apart(MUTANTS.values(), EDITIONS.values(), cases=300)

    unnamed = {*LAWS_ONLY, REFERENCE_NAME}
    pairs = {frozenset({mutant.name, mutant.equivalent_to}) for mutant in NAMED}
    assert {group for group in groups if not group <= unnamed} == pairs


@pytest.mark.parametrize("mutant", [pytest.param(mutant, id=mutant.name) for mutant in NAMED])
def test_an_equivalent_mutant_names_another_and_says_why(mutant: Mutant) -> None:
    assert mutant.equivalent_to in {*MUTANTS, REFERENCE_NAME} - {mutant.name}
    assert mutant.why


def test_two_mutants_that_differ_are_told_apart() -> None:
    some = [MUTANTS[name] for name in ("echo-doubled", "null-as-omitted")]

    assert never_told_apart(some, EDITIONS.values(), cases=30) == []


def test_a_mutant_of_one_edition_is_never_told_from_the_reference_in_the_other() -> None:
    mutant = MUTANTS["not-found-keeps-open"]
    (other,) = [edition for edition in EDITIONS.values() if not mutant.applies(edition)]

    groups = never_told_apart([mutant], [other], cases=30)

    assert groups == [frozenset({mutant.name, REFERENCE_NAME})]
