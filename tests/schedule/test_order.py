"""The partial order: what it allows, how many orders it has, its chains and weights."""

from __future__ import annotations

import pytest

from acpsim.schedule.order import PartialOrder

TWO_STREAMS = PartialOrder([[], [0], [], [2]])
DIAMOND = PartialOrder([[], [0], [0], [1, 2]])


def test_two_streams_of_two_have_six_orders() -> None:
    assert len(list(TWO_STREAMS.orders())) == 6


def test_every_order_listed_is_allowed_and_listed_once() -> None:
    orders = list(DIAMOND.orders())

    assert orders == [(0, 1, 2, 3), (0, 2, 1, 3)]
    assert all(DIAMOND.allows(order) for order in orders)


def test_an_order_against_the_constraints_is_not_allowed() -> None:
    assert not DIAMOND.allows([1, 0, 2, 3])


def test_an_order_that_leaves_something_out_is_not_allowed() -> None:
    assert not DIAMOND.allows([0, 1, 2])


def test_a_weight_counts_what_waits_directly_or_not_each_once() -> None:
    assert DIAMOND.weights == (4, 2, 2, 1)


def test_chains_hold_only_what_is_ordered() -> None:
    assert TWO_STREAMS.chain_of == (0, 0, 1, 1)
    assert DIAMOND.chain_of == (0, 0, 1, 0)


def test_concurrent_is_what_neither_waits_for_the_other() -> None:
    assert TWO_STREAMS.concurrent(0, 3)
    assert not TWO_STREAMS.concurrent(1, 0)


def test_something_cannot_wait_for_what_comes_later() -> None:
    with pytest.raises(AssertionError, match="comes after"):
        PartialOrder([[1], []])
