"""Measuring the fuzzer on seeded faults: what is reported of each."""

from __future__ import annotations

import pytest

from acpsim.errors import UsageError
from acpsim.fuzz.mutants_run import (
    MutantFinished,
    MutantsFinished,
    MutantsStarted,
    Options,
    run,
)
from acpsim.targets.mutants import MUTANTS

TWO = ("content-replaced-by-chunk", "message-aliased")


def test_each_mutant_is_tried_and_then_all_are_summed_up() -> None:
    events = list(run(Options(mutants=TWO)))

    assert isinstance(events[0], MutantsStarted)
    assert [e.name for e in events if isinstance(e, MutantFinished)] == list(TWO)
    last = events[-1]
    assert isinstance(last, MutantsFinished)
    assert last.missed == ()


def test_a_caught_mutant_says_how_soon_by_whom_and_in_how_few_messages() -> None:
    (caught,) = [
        event
        for event in run(Options(mutants=("content-replaced-by-chunk",)))
        if isinstance(event, MutantFinished)
    ]

    assert caught.caught
    assert caught.cases == 1
    assert caught.messages == 2
    assert caught.rules == ("CHUNK-APPEND",)
    assert caught.named
    assert caught.minimal


def test_a_mutant_that_is_not_caught_in_time_is_missed() -> None:
    last = list(run(Options(mutants=("message-aliased",), cases_max=1)))[-1]

    assert isinstance(last, MutantsFinished)
    assert last.missed == ("message-aliased",)


def test_all_mutants_are_tried_where_none_is_named() -> None:
    first = next(run(Options()))

    assert isinstance(first, MutantsStarted)
    assert first.mutants == len(MUTANTS)


def test_a_name_that_no_mutant_has_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no such mutant; did you mean"):
        list(run(Options(mutants=("content-replaced-by-chunks",))))


def test_the_same_seed_catches_after_the_same_number_of_cases() -> None:
    def caught() -> list[tuple[str, int, int | None]]:
        return [
            (event.name, event.cases, event.messages)
            for event in run(Options(mutants=TWO, seed=9))
            if isinstance(event, MutantFinished)
        ]

    assert caught() == caught()
