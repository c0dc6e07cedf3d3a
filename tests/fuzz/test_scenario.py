"""Scenarios: what a script binds, and how a lost connection swallows what was under way."""

from __future__ import annotations

import random

from acpsim.fuzz.scenario import Script, deliver
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT


def noted(name: str) -> JsonObject:
    return {"jsonrpc": "2.0", "method": "_note", "params": {"name": name}}


def script() -> Script:
    """Two messages, one to keep; the connection breaks; one more."""
    written = Script(DRAFT)
    first = written.say("a2c", noted("kept"), (), keep=True)
    written.say("a2c", noted("under way"), (first,))
    written.lose()
    written.say("a2c", noted("after"), (first,))
    return written


def test_the_lines_are_the_places_in_the_scenario() -> None:
    scenario = script().scenario("x", settled=False)

    assert [event.line for event in scenario.events] == [1, 2, 3, 4]


def test_nothing_passes_the_loss_of_the_connection() -> None:
    scenario = script().scenario("x", settled=False)

    assert list(scenario.order.orders()) == [(0, 1, 2, 3)]


def test_a_lost_connection_swallows_only_what_need_not_be_kept() -> None:
    scenario = script().scenario("x", settled=False)

    told = {
        tuple(event.line for event in deliver(scenario, range(4), random.Random(seed)))
        for seed in range(50)
    }

    assert told == {(1, 2, 3, 4), (1, 3, 4)}


def test_each_event_is_built_once_for_all_orders() -> None:
    scenario = script().scenario("x", settled=False)

    one, other = (deliver(scenario, range(4), random.Random(seed)) for seed in (1, 1))

    assert all(first is second for first, second in zip(one, other, strict=True))
