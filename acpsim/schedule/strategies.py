"""How one of the orders of a partial order is chosen.

Owns: `arrange`, which asks a strategy at each step which of the ready things comes next, and the
strategies: uniform, priorities, delays, replay of a tape, and a portfolio of them. A strategy holds
what it has drawn for one run: a new run takes a new one.
"""

from __future__ import annotations

import random
from bisect import insort
from collections.abc import Callable, Sequence
from typing import Final, Protocol, TypeAlias

from acpsim.schedule.count import Remaining
from acpsim.schedule.order import PartialOrder
from acpsim.schedule.tape import Tape


class Strategy(Protocol):
    """Decides one run."""

    def choose(self, step: int, ready: Sequence[int]) -> int:
        """The place in `ready` (never empty, ascending) of what comes next."""


def arrange(order: PartialOrder, strategy: Strategy) -> tuple[list[int], Tape]:
    """One of the orders, and the tape that gives it again."""
    head = order.head  # without choice, and the same in all orders
    chosen = [*range(head)]
    choices = [0] * head
    waiting = [*order.waiting]
    ready = [at for at in range(head, len(order)) if waiting[at] == 0]
    after, choose = order.after, strategy.choose
    while ready:
        choice = 0 if len(ready) == 1 else choose(len(chosen), ready)
        choices.append(choice)
        at = ready.pop(choice)
        chosen.append(at)
        for later in after[at]:
            left = waiting[later] = waiting[later] - 1
            if left == 0:
                insort(ready, later)
    return chosen, Tape(tuple(choices))


class Uniform:
    """A random walk, weighted by how many things wait for each that is ready.

    Every order is equally likely where each thing waits for at most one other directly, as in
    streams with answers branching off; elsewhere that is nearly so, and `Even` is the one that is
    exact: it pays where many orders of one scenario are wanted.
    """

    def __init__(self, order: PartialOrder, chance: random.Random) -> None:
        self._weights = order.weights
        self._chance = chance

    def choose(self, step: int, ready: Sequence[int]) -> int:
        weights = [*map(self._weights.__getitem__, ready)]
        left = self._chance.random() * sum(weights)
        for place, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return place
        return len(ready) - 1


class Even:
    """A random walk that counts in how many orders it can go on: every order is equally likely.

    `remaining` may be shared by all runs of one partial order, and grows with what they reach.
    """

    def __init__(self, order: PartialOrder, chance: random.Random, remaining: Remaining) -> None:
        self._reach = order.reach
        self._chance = chance
        self._remaining = remaining

    def choose(self, step: int, ready: Sequence[int]) -> int:
        left, remaining = 0, self._remaining
        for at in ready:
            left |= self._reach[at]
        draw = self._chance.randrange(remaining[left])
        for place, at in enumerate(ready):
            draw -= remaining[left & ~(1 << at)]
            if draw < 0:
                return place
        raise AssertionError("the orders after each choice add up to those before it")


class Priorities:
    """Each chain has a random priority, the highest that is ready goes first; at `depth` - 1 random
    steps the chain about to go falls below all others (probabilistic concurrency testing).

    A fault that needs `depth` ordering constraints shows with a chance of at least `bound`.
    """

    def __init__(self, order: PartialOrder, chance: random.Random, *, depth: int) -> None:
        self._chain_of = order.chain_of
        chains = max(self._chain_of, default=-1) + 1
        ranks = list(range(depth, depth + chains))
        chance.shuffle(ranks)
        self._ranks = ranks
        steps = chance.choices(range(max(1, len(order))), k=depth - 1)
        self._falls = dict(zip(steps, range(depth - 1, 0, -1), strict=True))

    def choose(self, step: int, ready: Sequence[int]) -> int:
        best = self._best(ready)
        low = self._falls.pop(step, None)
        if low is not None:
            self._ranks[self._chain_of[ready[best]]] = low
            best = self._best(ready)
        return best

    def _best(self, ready: Sequence[int]) -> int:
        ranks, chain_of = self._ranks, self._chain_of
        here = [ranks[chain_of[at]] for at in ready]
        return here.index(max(here))

    @staticmethod
    def bound(order: PartialOrder, depth: int) -> float:
        """The least chance that one run shows a fault that needs `depth` ordering constraints."""
        chains = max(order.chain_of, default=0) + 1
        return 1.0 / (chains * float(max(1, len(order))) ** (depth - 1))


class Delays:
    """The order as given, but `count` times something that is ready waits until nothing else is."""

    def __init__(self, order: PartialOrder, chance: random.Random, *, count: int) -> None:
        self._steps = set(chance.choices(range(max(1, len(order))), k=count))
        self._late: list[int] = []

    def choose(self, step: int, ready: Sequence[int]) -> int:
        if not self._late and step not in self._steps:
            return 0
        on_time = [place for place, at in enumerate(ready) if at not in self._late]
        if step in self._steps and len(on_time) > 1:
            self._late.append(ready[on_time.pop(0)])
        return on_time[0] if on_time else 0


class Replay:
    """The choices of a tape; one that is too great for what is ready takes the last."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def choose(self, step: int, ready: Sequence[int]) -> int:
        return min(self._tape[step], len(ready) - 1)


Maker: TypeAlias = Callable[[PartialOrder, random.Random], Strategy]

STRATEGIES: Final[dict[str, Maker]] = {
    "uniform": Uniform,
    "priorities-2": lambda order, chance: Priorities(order, chance, depth=2),
    "priorities-3": lambda order, chance: Priorities(order, chance, depth=3),
    "delays-1": lambda order, chance: Delays(order, chance, count=1),
    "delays-3": lambda order, chance: Delays(order, chance, count=3),
}
"""The strategies that draw, by name."""


def portfolio(order: PartialOrder, chance: random.Random) -> Strategy:
    """One of `STRATEGIES` at random: each finds what the others are slow to find."""
    name = chance.choice(tuple(STRATEGIES))
    return STRATEGIES[name](order, chance)
