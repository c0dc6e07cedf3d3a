"""Short runs of the models as scenarios: a function of the chance, conformant in every order."""

from __future__ import annotations

import random

import pytest

from acpsim.fuzz.scenario import deliver
from acpsim.fuzz.simulated import MESSAGES_MAX, simulate
from acpsim.rules.check import check
from acpsim.schedule.strategies import STRATEGIES, arrange
from acpsim.wire.edition import DRAFT, EDITIONS, Edition

SEEDS = range(60)


def test_the_same_chance_gives_the_same_scenario() -> None:
    def told(seed: int) -> tuple[str, tuple[bytes, ...]]:
        scenario = simulate(random.Random(seed), DRAFT)
        return scenario.name, tuple(event.raw for event in scenario.events)

    assert [told(seed) for seed in range(5)] == [told(seed) for seed in range(5)]


def test_many_models_have_their_turn_and_none_is_long() -> None:
    scenarios = [simulate(random.Random(seed), DRAFT) for seed in SEEDS]

    assert len({scenario.name.split("/")[1] for scenario in scenarios}) >= 12
    assert max(len(scenario.events) for scenario in scenarios) <= MESSAGES_MAX


def test_what_was_cut_is_not_settled() -> None:
    scenarios = [simulate(random.Random(seed), DRAFT) for seed in SEEDS]

    assert {scenario.settled for scenario in scenarios} == {True, False}
    assert all(s.settled or len(s.events) == MESSAGES_MAX for s in scenarios)


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=lambda edition: edition.name)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_order_of_a_run_keeps_the_rules(strategy: str, edition: Edition) -> None:
    broken = []
    for seed in SEEDS:
        chance = random.Random(seed)
        scenario = simulate(chance, edition)
        order, _ = arrange(scenario.order, STRATEGIES[strategy](scenario.order, chance))
        events = deliver(scenario, order, chance)
        report = check(events, edition=edition, complete=scenario.settled)
        definite = [f.rule for f in report.findings if f.certainty == "definite"]
        broken += [(scenario.name, rule) for rule in definite]

    assert broken == []
