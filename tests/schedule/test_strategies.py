"""Strategies: what they may choose, how evenly, how soon they find an ordering fault."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from acpsim.schedule.order import PartialOrder
from acpsim.schedule.strategies import (
    STRATEGIES,
    Priorities,
    Replay,
    Uniform,
    arrange,
    portfolio,
)
from acpsim.schedule.streams import Streams
from acpsim.schedule.tape import Tape

UNEVEN = PartialOrder([[], [0], [1], [2], []])
"""A stream of four beside a single thing: five orders."""
ANSWERED = PartialOrder([[], [0], [0], [], [3], [3], [4]])
"""Two questions with what follows from each."""


def chances(count: int) -> list[random.Random]:
    streams = Streams(0)
    return [streams[str(at)] for at in range(count)]


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_gives_allowed_orders_only(name: str) -> None:
    for chance in chances(100):
        order, _ = arrange(ANSWERED, STRATEGIES[name](ANSWERED, chance))

        assert ANSWERED.allows(order)


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_tape_of_any_strategy_gives_its_order_again(name: str) -> None:
    for chance in chances(50):
        order, tape = arrange(ANSWERED, STRATEGIES[name](ANSWERED, chance))

        assert arrange(ANSWERED, Replay(Tape.read(str(tape)))) == (order, tape)


@pytest.mark.parametrize("order", [UNEVEN, ANSWERED], ids=["uneven", "answered"])
def test_uniform_gives_all_orders_equally_often(order: PartialOrder) -> None:
    orders = list(order.orders())
    runs = 200 * len(orders)

    seen = Counter(tuple(arrange(order, Uniform(order, chance))[0]) for chance in chances(runs))

    # Four standard deviations of a binomial count with mean 200.
    assert set(seen) == set(orders)
    assert all(abs(count - 200) < 4 * 200**0.5 for count in seen.values())


def test_an_empty_tape_gives_the_order_as_given() -> None:
    assert arrange(ANSWERED, Replay(Tape()))[0] == list(range(7))


def test_a_tape_for_another_order_still_gives_an_allowed_one() -> None:
    order, _ = arrange(UNEVEN, Replay(Tape((9, 9, 9, 9, 9))))

    assert UNEVEN.allows(order)


def test_priorities_find_a_rare_order_at_least_as_often_as_their_bound_says() -> None:
    # The last of forty against the only thing of the other stream: a random walk finds that in
    # one run of forty-one, a priority strategy of depth 1 in every second.
    order = PartialOrder([*([at - 1] if at else [] for at in range(40)), []])
    runs = chances(400)

    found = sum(arrange(order, Priorities(order, chance, depth=1))[0][-1] == 40 for chance in runs)

    assert found / len(runs) >= Priorities.bound(order, 1) * 0.8


def test_the_bound_falls_with_depth() -> None:
    assert Priorities.bound(ANSWERED, 1) > Priorities.bound(ANSWERED, 2)


def test_a_portfolio_uses_all_its_strategies() -> None:
    used = {type(portfolio(ANSWERED, chance)).__name__ for chance in chances(60)}

    assert used == {"Uniform", "Priorities", "Delays"}
