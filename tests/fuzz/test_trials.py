"""The canary: a fuzzer whose reporting is broken says so instead of praising what it tests."""

from __future__ import annotations

import pytest

from acpsim.fuzz.judging import Judge
from acpsim.fuzz.trials import ALARM_CASES, Alarm, SharedCases, alarm
from acpsim.fuzz.ways import WAYS
from acpsim.targets.address import open_target
from acpsim.targets.mutants.canary import CANARY
from acpsim.wire.edition import DRAFT, EDITIONS


def shared(way: str = "default", seed: int = 0) -> SharedCases:
    return SharedCases(seed, tuple(EDITIONS.values()), WAYS[way])


@pytest.mark.parametrize("way", WAYS)
def test_the_alarm_is_silent_while_the_judge_is_sound(way: str) -> None:
    assert not any(alarm(shared(way, seed)).rung for seed in range(2))


def test_a_judge_that_never_objects_rings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "judge", lambda self, case: None)

    assert alarm(shared()) == Alarm(canary_missed=True)


def test_a_judge_that_always_objects_rings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shared().trial(CANARY, ALARM_CASES).caught
    assert found is not None
    monkeypatch.setattr(Judge, "judge", lambda self, case: found.objection)

    assert alarm(shared()) == Alarm(reference_blamed=True)


def test_a_canary_that_is_reported_for_something_else_rings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from acpsim.targets.mutants import MUTANTS

    other = shared().trial(MUTANTS["null-as-omitted"], 300).caught
    assert other is not None
    monkeypatch.setattr(Judge, "judge", lambda self, case: other.objection)

    assert alarm(shared()).canary_missed


def test_the_canary_is_caught_by_the_first_case() -> None:
    assert shared().trial(CANARY, ALARM_CASES).cases == 1


def test_the_canary_can_be_fuzzed_by_hand() -> None:
    assert open_target("mutant:canary", edition=DRAFT).name == "mutant:canary"
