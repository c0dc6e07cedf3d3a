"""A partial order: what has to come before what. All else is concurrent.

Owns: `PartialOrder`, its chains and the weights that uniform choice needs, and the enumeration of
all its orders. Things are named by their index, 0 to n - 1, and the order in which they were given
is itself one of the orders.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence


class PartialOrder:
    """For each thing, the things that come before it; each of those has a smaller index."""

    def __init__(self, before: Sequence[Sequence[int]]) -> None:
        self.before: tuple[tuple[int, ...], ...] = tuple(
            tuple(sorted(set(earlier))) for earlier in before
        )
        for at, earlier in enumerate(self.before):
            assert not earlier or earlier[-1] < at, f"{at} comes after {earlier[-1]}"

    def __len__(self) -> int:
        return len(self.before)

    @functools.cached_property
    def after(self) -> tuple[tuple[int, ...], ...]:
        """For each thing, those that wait for it directly."""
        found: list[list[int]] = [[] for _ in self.before]
        for at, earlier in enumerate(self.before):
            for first in earlier:
                found[first].append(at)
        return tuple(map(tuple, found))

    @functools.cached_property
    def closure(self) -> tuple[int, ...]:
        """For each thing, all that come before it, directly or not, as bits of an integer."""
        found: list[int] = []
        for earlier in self.before:
            bits = 0
            for first in earlier:
                bits |= found[first] | 1 << first
            found.append(bits)
        return tuple(found)

    @functools.cached_property
    def reach(self) -> tuple[int, ...]:
        """For each thing, itself and all that wait for it, as bits of an integer."""
        bits = [1 << at for at in range(len(self))]
        for at in range(len(self) - 1, -1, -1):
            for later in self.after[at]:
                bits[at] |= bits[later]
        return tuple(bits)

    @functools.cached_property
    def weights(self) -> tuple[int, ...]:
        """For each thing, how many things wait for it, itself included."""
        return tuple(each.bit_count() for each in self.reach)

    @functools.cached_property
    def head(self) -> int:
        """How many things come first in every order, in the sequence in which they were given."""
        count = 0
        while count < len(self) and self.reach[count].bit_count() == len(self) - count:
            count += 1
        return count

    @functools.cached_property
    def waiting(self) -> tuple[int, ...]:
        """For each thing, how many it waits for directly once the head is done."""
        head = self.head
        return tuple(sum(first >= head for first in earlier) for earlier in self.before)

    @functools.cached_property
    def chain_of(self) -> tuple[int, ...]:
        """For each thing, the number of its chain: of things each of which waits for the last.

        Greedy, so not always the fewest chains; the same for the same order.
        """
        ends: list[int] = []
        found: list[int] = []
        for at, bits in enumerate(self.closure):
            chain = next((c for c, end in enumerate(ends) if bits >> end & 1), len(ends))
            ends[chain : chain + 1] = [at]
            found.append(chain)
        return tuple(found)

    def allows(self, order: Sequence[int]) -> bool:
        """Whether this is one of its orders."""
        place = {at: rank for rank, at in enumerate(order)}
        return sorted(order) == list(range(len(self))) and all(
            place[first] < place[at] for at, earlier in enumerate(self.before) for first in earlier
        )

    def concurrent(self, one: int, other: int) -> bool:
        """Whether neither has to come before the other."""
        low, high = sorted((one, other))
        return not self.closure[high] >> low & 1

    def orders(self) -> Iterator[tuple[int, ...]]:
        """Every order, in lexical sequence. Their number grows with the factorial: for tests and
        for what is known to be small.
        """
        waiting = [len(earlier) for earlier in self.before]
        chosen: list[int] = []
        ready = [at for at, count in enumerate(waiting) if count == 0]
        yield from self._extend(chosen, ready, waiting)

    def _extend(
        self, chosen: list[int], ready: list[int], waiting: list[int]
    ) -> Iterator[tuple[int, ...]]:
        if len(chosen) == len(self):
            yield tuple(chosen)
            return
        for at in ready:
            freed = []
            for later in self.after[at]:
                waiting[later] -= 1
                if waiting[later] == 0:
                    freed.append(later)
            chosen.append(at)
            rest = sorted([other for other in ready if other != at] + freed)
            yield from self._extend(chosen, rest, waiting)
            chosen.pop()
            for later in self.after[at]:
                waiting[later] += 1
