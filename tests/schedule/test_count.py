"""Counting orders without walking them."""

from __future__ import annotations

import random
from collections import Counter
from math import factorial

import pytest

from acpsim.schedule.count import Remaining, TooMany, orders_of
from acpsim.schedule.order import PartialOrder
from acpsim.schedule.strategies import Even, arrange


def random_order(seed: int, *, size: int, share: float) -> PartialOrder:
    chance = random.Random(seed)
    return PartialOrder(
        [[first for first in range(at) if chance.random() < share] for at in range(size)]
    )


@pytest.mark.parametrize("seed", range(40))
def test_the_count_is_the_number_of_orders_that_are_found_by_walking_all(seed: int) -> None:
    order = random_order(seed, size=7, share=(0.15, 0.3, 0.5)[seed % 3])

    assert orders_of(order.closure) == sum(1 for _ in order.orders())


def test_things_that_have_nothing_to_do_with_each_other_come_in_any_order() -> None:
    assert orders_of([0] * 30) == factorial(30)


def test_streams_mix_in_as_many_ways_as_the_multinomial_says() -> None:
    # Three streams of 4, 5 and 6: 15! / (4! 5! 6!).
    streams = [[] if at in {0, 4, 9} else [at - 1] for at in range(15)]

    expected = factorial(15) // (factorial(4) * factorial(5) * factorial(6))
    assert orders_of(PartialOrder(streams).closure) == expected


def test_one_order_of_things_in_a_row() -> None:
    assert orders_of(PartialOrder([[at - 1] if at else [] for at in range(100)]).closure) == 1


def test_nothing_has_one_order() -> None:
    assert orders_of([]) == 1


def test_what_cannot_be_counted_within_the_limit_is_not_known() -> None:
    order = random_order(0, size=30, share=0.05)

    assert orders_of(order.closure, downsets_max=10) is None


def test_what_remains_is_counted_from_any_place() -> None:
    order = random_order(5, size=8, share=0.3)
    remaining = Remaining(order.closure)

    for chosen in order.orders():
        left = 0b11111111 & ~(1 << chosen[0])
        following = {each[1:] for each in order.orders() if each[0] == chosen[0]}
        assert remaining[left] == len(following)


def test_what_remains_raises_where_it_cannot_be_counted() -> None:
    remaining = Remaining(random_order(0, size=30, share=0.05).closure, downsets_max=10)

    with pytest.raises(TooMany):
        remaining[(1 << 30) - 1]


def test_even_gives_all_orders_equally_often_also_where_streams_join() -> None:
    # Two things wait for both of two streams: where weights are only nearly right.
    order = PartialOrder([[], [], [0, 1], [1], [2, 3], []])
    orders = list(order.orders())
    remaining, chance = Remaining(order.closure), random.Random(0)
    runs = 200 * len(orders)

    seen = Counter(tuple(arrange(order, Even(order, chance, remaining))[0]) for _ in range(runs))

    assert set(seen) == set(orders)
    assert all(abs(count - 200) < 5 * 200**0.5 for count in seen.values())
