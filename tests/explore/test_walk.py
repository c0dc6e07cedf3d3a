"""The search itself, held against brute force on orders and dependences that mean nothing."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from acpsim.explore.walk import Walk
from acpsim.schedule.count import orders_of
from acpsim.schedule.order import PartialOrder

SEEDS = range(60)


def drawn(seed: int) -> tuple[PartialOrder, list[int]]:
    """Seven things, what comes before what, and which of the concurrent ones depend."""
    chance = random.Random(seed)
    size, share = 7, (0.1, 0.25, 0.4)[seed % 3]
    order = PartialOrder(
        [[first for first in range(at) if chance.random() < share] for at in range(size)]
    )
    masks = [0] * size
    for at in range(size):
        for other in range(at):
            if order.concurrent(at, other) and chance.random() < 0.4:
                masks[at] |= 1 << other
                masks[other] |= 1 << at
    return order, masks


def class_of(order: tuple[int, ...], masks: list[int]) -> tuple[int, ...]:
    """For each thing, which of those that depend on it came before it: equal in all of a class."""
    found, done = [0] * len(order), 0
    for node in order:
        found[node] = masks[node] & done
        done |= 1 << node
    return tuple(found)


def walked(order: PartialOrder, masks: list[int]) -> list[tuple[tuple[int, ...], int]]:
    """Every order that the search ends with, and for how many it says that it stands."""
    walk, way, found = Walk(order, masks), list[int](), []
    for step in walk:
        del way[step.depth :]
        way.append(step.node)
        if len(way) == len(order):
            found.append((tuple(way), orders_of(walk.before) or 0))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_one_order_of_every_class_and_of_none_two(seed: int) -> None:
    order, masks = drawn(seed)

    found = [class_of(each, masks) for each, _ in walked(order, masks)]

    assert len(found) == len(set(found))
    assert set(found) == {class_of(each, masks) for each in order.orders()}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_class_stands_for_as_many_orders_as_are_of_it(seed: int) -> None:
    order, masks = drawn(seed)

    counted = Counter(class_of(each, masks) for each in order.orders())
    assert {class_of(each, masks): number for each, number in walked(order, masks)} == counted


@pytest.mark.parametrize("seed", SEEDS)
def test_only_allowed_orders_are_walked(seed: int) -> None:
    order, masks = drawn(seed)

    assert all(order.allows(each) for each, _ in walked(order, masks))


def test_where_everything_commutes_there_is_one_order() -> None:
    order = PartialOrder([[] for _ in range(12)])

    assert len(walked(order, [0] * 12)) == 1


def test_a_step_that_is_not_the_last_from_its_place_says_so() -> None:
    order = PartialOrder([[], [], []])
    masks = [0b110, 0b101, 0b011]

    last = [step.last for step in Walk(order, masks) if step.depth == 0]

    assert last == [False, False, True]


def test_nothing_is_walked_beyond_a_step_that_is_skipped() -> None:
    order = PartialOrder([[], [], []])
    walk = Walk(order, [0b110, 0b101, 0b011])

    steps = []
    for step in walk:
        steps.append(step)
        if step.depth == 0 and step.node == 1:
            walk.skip()

    assert sum(step.depth == 2 for step in steps) == 4
