"""One order of every class, depth first, no prefix walked twice.

Owns: `walk`. Two orders are of one class if exchanging neighbours that commute leads from the one
to the other (Mazurkiewicz). Two ideas of partial-order reduction (Godefroid, 1996) leave one order
of each:

- A *persistent set* is enough to go on with at a place: some of what is ready, such that nothing
  that can happen without them depends on any of them. Often that is one message, and no branching.
- A *sleeping* message is ready, but every class in which it comes next was walked from here
  before. It wakes when something is done on which it depends.

A place where all that would be enough to go on with sleeps leads to nothing new: a dead end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from acpsim.schedule.count import bits
from acpsim.schedule.order import PartialOrder


class Step(NamedTuple):
    """`node` is done after `depth` others. `last`: no other step will be taken from there."""

    depth: int
    node: int
    last: bool


class Walk:
    """Iterates over the steps of the search; each step that makes an order whole ends a class.

    `masks` holds for each message those that depend on it and are concurrent with it, as bits.
    `before` holds, for each message done on the way to the last step, what comes before it in
    every order of the class. `dead_ends` counts places that led to nothing new.
    """

    def __init__(self, order: PartialOrder, masks: Sequence[int]) -> None:
        self.order = order
        self.masks = masks
        self.before = [0] * len(order)
        self.dead_ends = 0
        self._skip = False

    def skip(self) -> None:
        """Go no further from the last step."""
        self._skip = True

    def __iter__(self) -> Iterator[Step]:
        everything = (1 << len(self.order)) - 1
        stack = [_Place(done=0, asleep=0, next=self._enough(0, 0))]
        while stack:
            here = stack[-1]
            if not here.next:
                stack.pop()
                continue
            node = here.next.pop(0)
            self._come_after(node, here.done)
            yield Step(depth=len(stack) - 1, node=node, last=not here.next)
            done = here.done | 1 << node
            asleep = here.asleep & ~self.masks[node]
            here.asleep |= 1 << node
            if self._skip or done == everything:
                self._skip = False
                continue
            following = self._enough(done, asleep)
            self.dead_ends += not following
            stack.append(_Place(done=done, asleep=asleep, next=following))

    def _come_after(self, node: int, done: int) -> None:
        found = left = self.order.closure[node] | self.masks[node] & done
        before = self.before
        while left:
            # The highest first: what comes before it is mostly all there is.
            other = left.bit_length() - 1
            found |= before[other]
            left &= ~(before[other] | 1 << other)
        before[node] = found

    def _enough(self, done: int, asleep: int) -> list[int]:
        """What of the smallest persistent set does not sleep, ascending."""
        closure, masks = self.order.closure, self.masks
        left = ((1 << len(self.order)) - 1) & ~done
        ready = 0
        for at in bits(left):
            if closure[at] & left == 0:
                ready |= 1 << at
        best: int | None = None
        for at in bits(ready):
            if masks[at] & left == 0:
                return [] if asleep >> at & 1 else [at]
            awake = self._persistent(at, ready, left) & ~asleep
            if awake == 0:
                return []
            if best is None or awake.bit_count() < best.bit_count():
                best = awake
        return [] if best is None else list(bits(best))

    def _persistent(self, start: int, ready: int, left: int) -> int:
        """The persistent set that grows from one ready message.

        What depends on a member and is not ready comes after something that is: that one instead.
        """
        closure, masks = self.order.closure, self.masks
        members, fresh, seen = 0, 1 << start, 0
        while fresh:
            at = fresh.bit_length() - 1
            fresh ^= 1 << at
            members |= 1 << at
            needed = masks[at] & left & ~seen
            seen |= needed
            for other in bits(needed):
                if ready >> other & 1:
                    fresh |= 1 << other & ~members
                elif closure[other] & members == 0:
                    first = closure[other] & ready
                    fresh |= first & -first
        return members


class _Place:
    """Where the search stands: what is done, what sleeps there, what is still to be tried."""

    __slots__ = ("asleep", "done", "next")

    def __init__(self, *, done: int, asleep: int, next: list[int]) -> None:
        self.done = done
        self.asleep = asleep
        self.next = next
