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

from acpsim.schedule.order import PartialOrder
from acpsim.schedule.tape import Tape


class Strategy(Protocol):
    """Decides one run."""

    def choose(self, step: int, ready: Sequence[int]) -> int:
        """The place in `ready` (never empty, ascending) of what comes next."""


def arrange(order: PartialOrder, strategy: Strategy) -> tuple[list[int], Tape]:
    """One of the orders, and the tape that gives it again."""
    waiting = [len(earlier) for earlier in order.before]
    ready = [at for at, count in enumerate(waiting) if count == 0]
    chosen: list[int] = []
    choices: list[int] = []
    after = order.after
    while ready:
        choice = 0 if len(ready) == 1 else strategy.choose(len(chosen), ready)
        choices.append(choice)
        at = ready.pop(choice)
        chosen.append(at)
        for later in after[at]:
            waiting[later] -= 1
            if waiting[later] == 0:
                insort(ready, later)
    return chosen, Tape(tuple(choices))


class Uniform:
    """A random walk, weighted by how many things wait for each that is ready.

    Every order is equally likely where each thing waits for at most one other directly, as in
    streams with answers branching off; elsewhere that is nearly so.
    """

    def __init__(self, order: PartialOrder, chance: random.Random) -> None:
        self._weights = order.weights
        self._chance = chance

    def choose(self, step: int, ready: Sequence[int]) -> int:
        weights = self._weights
        left = self._chance.random() * sum(weights[at] for at in ready)
        for place, at in enumerate(ready):
            left -= weights[at]
            if left < 0:
                return place
        return len(ready) - 1


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
        return max(range(len(ready)), key=lambda place: ranks[chain_of[ready[place]]])

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
