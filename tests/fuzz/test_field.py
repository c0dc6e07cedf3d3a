"""The known kinds of trouble: told in both editions, each with more than one order or none."""

from __future__ import annotations

import pytest

from acpsim.fuzz.field import TOLD, field_scenarios
from acpsim.oracles import talk
from acpsim.wire import updates
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4
from acpsim.wire.jsonrpc import Malformed

MALFORMED = {"field/malformed", "field/endings", "field/entities"}
"""Those that have something malformed on purpose."""


@pytest.mark.parametrize("name", EDITIONS)
def test_every_message_is_usable_but_where_it_is_meant_not_to_be(name: str) -> None:
    unusable = {
        scenario.name
        for scenario in field_scenarios(EDITIONS[name])
        for event in scenario.events
        if event.flaws or isinstance(event.message, Malformed)
    }

    assert unusable <= MALFORMED


def test_every_variant_is_told_of() -> None:
    told = {
        talk.variant_of(update)
        for scenario in field_scenarios(DRAFT)
        for event in scenario.events
        if (update := talk.update_of(event)) is not None
    }

    assert set(updates.VARIANTS) <= told


def test_every_one_says_what_it_shows() -> None:
    assert all(tell.__doc__ for tell in TOLD)


def test_they_are_short() -> None:
    assert max(len(scenario.events) for scenario in field_scenarios(SDK_2_4)) <= 32
