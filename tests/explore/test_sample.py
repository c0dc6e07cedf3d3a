"""Drawn schedules: what each strategy draws, and that a wrong reducer is seen."""

from __future__ import annotations

import random
from itertools import islice
from typing import Any

import pytest

from acpsim.explore.named import find
from acpsim.explore.sample import NAMES, Sampled, maker, sample, schedules
from acpsim.schedule.order import PartialOrder
from acpsim.schedule.tape import Tape
from acpsim.targets.address import open_target
from acpsim.wire.edition import DRAFT

TINY = find("tiny-echo", edition=DRAFT, seed=0)


def sampled(target: str, **options: Any) -> Sampled:
    given = {"strategy": "portfolio", "seed": 0, "schedules_max": 60, **options}
    *_, last = sample(TINY, open_target(target, edition=DRAFT), edition=DRAFT, **given)
    assert isinstance(last, Sampled)
    return last


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_draws_allowed_orders_only(name: str) -> None:
    drawn = schedules(TINY.order, maker(name, TINY.order), random.Random(0))

    assert all(TINY.order.allows(order) for order, _ in islice(drawn, 100))


@pytest.mark.parametrize("name", NAMES)
def test_every_strategy_finds_a_doubled_echo(name: str) -> None:
    found = sampled("mutant:echo-doubled", strategy=name)

    assert found.faults[0].verdict.rules == ("PROMPT-RECONCILE",)


def test_the_reference_holds_in_all() -> None:
    assert sampled("reference").failed == 0


def test_a_seed_fixes_what_is_drawn() -> None:
    one, other, third = (sampled("reference", seed=seed) for seed in (1, 1, 2))

    assert one.distinct == other.distinct
    assert (one.schedules, third.schedules) == (60, 60)


def test_orders_that_cannot_be_counted_are_drawn_nearly_evenly() -> None:
    chance = random.Random(0)
    tangled = PartialOrder(
        [[first for first in range(at) if chance.random() < 0.05] for at in range(60)]
    )

    drawn, _ = next(schedules(tangled, maker("even", tangled), random.Random(0)))

    assert tangled.allows(drawn)


def test_the_tape_of_a_failing_schedule_fails_again() -> None:
    found = sampled("mutant:echo-doubled")

    again = [sampled("mutant:echo-doubled", tape=Tape.read(text)) for text in found.tapes]

    assert len(again) > 0
    assert [each.failed for each in again] == [each.schedules for each in again]
