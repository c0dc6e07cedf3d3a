"""How many orders a partial order has, exactly.

Owns: `orders_of`, and `Remaining`, the same for what remains of a run. Counting is hard in general
(Brightwell and Winkler, 1991), and easy for what conversations are made of. A partial order is
taken apart first: things of which every one comes before every other thing are counted apart and
multiplied; things that have nothing to do with each other are counted apart, multiplied, and mixed
in as many ways as their numbers allow. What cannot be taken apart is counted over its downsets:
sets that hold with each thing all that comes before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import Final

DOWNSETS_MAX: Final = 200_000
"""Downsets of one piece that are looked at: about a second. Past that the count is not known."""


class TooMany(Exception):
    """A piece has more downsets than are looked at."""


def orders_of(closure: Sequence[int], *, downsets_max: int = DOWNSETS_MAX) -> int | None:
    """The number of orders; `None` if it cannot be had within `downsets_max`.

    `closure` holds, for each thing, all that comes before it, as bits of an integer, directly or
    not. Things are numbered in any way.
    """
    head = 0  # what comes first in a row needs no counting
    while head < len(closure) and closure[head] == (1 << head) - 1:
        if not all(before >> head & 1 for before in closure[head + 1 :]):
            break
        head += 1
    rest = [before >> head for before in closure[head:]]
    try:
        return _Counter(rest, downsets_max).count((1 << len(rest)) - 1)
    except TooMany:
        return None


class Remaining:
    """In how many orders a run can go on, by what remains, as bits. Remembers what it counted.

    Raises `TooMany` where that takes too long.
    """

    def __init__(self, closure: Sequence[int], *, downsets_max: int = DOWNSETS_MAX) -> None:
        self._counter = _Counter(closure, downsets_max)
        self._known: dict[int, int] = {}

    def __getitem__(self, left: int) -> int:
        found = self._known.get(left)
        if found is None:
            found = self._known[left] = self._counter.count(left)
            if len(self._known) > self._counter.downsets_max:
                self._known.clear()
        return found


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class _Counter:
    """Counts the orders of parts of one partial order."""

    def __init__(self, before: Sequence[int], downsets_max: int) -> None:
        related = [*before]
        for at, earlier in enumerate(before):
            own = 1 << at
            while earlier:
                first = earlier.bit_length() - 1
                earlier ^= 1 << first
                related[first] |= own
        self.before = before
        self.related = related
        self.unrelated = [~near for near in related]
        self.downsets_max = downsets_max

    def count(self, part: int) -> int:
        """The orders of the things in `part`."""
        found, mixed = 1, 0
        for piece in self._pieces(part, self.related):
            size = piece.bit_count()
            mixed += size
            if mixed > size:
                found *= comb(mixed, size)
            if size > 1:
                found *= self._in_a_row(piece)
        return found

    def _in_a_row(self, part: int) -> int:
        """The same for things that cannot be told apart into some that have nothing to do with
        the others.
        """
        pieces = self._pieces(part, self.unrelated)
        if len(pieces) == 1:
            return self._by_downsets(part)
        found = 1
        for piece in pieces:
            if piece & (piece - 1):
                found *= self.count(piece)
        return found

    @staticmethod
    def _pieces(part: int, near: Sequence[int]) -> list[int]:
        """The parts between which nothing is near."""
        pieces = []
        while part:
            fresh = part & -part
            piece = fresh
            part ^= fresh
            while fresh:
                at = fresh.bit_length() - 1
                found = near[at] & part
                fresh ^= 1 << at | found
                piece |= found
                part ^= found
            pieces.append(piece)
        return pieces

    def _by_downsets(self, part: int) -> int:
        things = [(1 << at, self.before[at] & part) for at in bits(part)]
        level, looked_at = {0: 1}, 0
        for _ in things:
            following: dict[int, int] = {}
            for downset, ways in level.items():
                for bit, before in things:
                    if not downset & bit and before & ~downset == 0:
                        key = downset | bit
                        following[key] = following.get(key, 0) + ways
            level = following
            looked_at += len(level)
            if looked_at > self.downsets_max:
                raise TooMany
        return level[part]
