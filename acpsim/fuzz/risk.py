"""The chance that the next scenario shows something new, as Good and Turing estimate it.

Owns: `Risk` and what counts as something new. A *species* is a rule that could have been broken
together with how the case came about: the kind of its source, or a disturbance that was done to it;
a rule that was broken on purpose is one too. The drawn cases that share a scenario are one *sample*
(`GROUP` of them), since they are alike: samples are independent of each other, cases are not.

The estimate is the share of samples that hold a species that no other sample holds: leave any one
out, and that is how often it would have shown something new. For a chance per case it is an upper
limit. What the conversations taken as they are hold is known, and new nowhere.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from acpsim.fuzz.cases import GROUP
from acpsim.fuzz.coverage import Exercise, kind_of

Species: TypeAlias = tuple[str, str]

Z: Final = 1.6449
"""One-sided 95 %: the quantile of the normal distribution."""

_MANY: Final = -1
"""In place of the sample that a species was seen in, where there are several."""


class Risk:
    """Grows case by case, in the order of their numbers, and changes at the end of a sample only:
    so it is the same however a campaign is divided, and wherever it is asked.
    """

    def __init__(self) -> None:
        self._only: dict[Species, int] = {}
        self._alone: dict[int, int] = {}
        self._open: set[Species] = set()
        self._cases = 0
        self.samples = 0

    def take(self, done: Exercise) -> None:
        """Counts one case."""
        found = species(done)
        if not done.drawn:
            for one in found:
                self._see(one, _MANY)
            return
        self._open |= found
        self._cases += 1
        if self._cases % GROUP == 0:
            for one in self._open:
                self._see(one, self.samples)
            self._open = set()
            self.samples += 1

    def _see(self, one: Species, sample: int) -> None:
        before = self._only.get(one)
        if before is None:
            self._only[one] = sample
            if sample != _MANY:
                self._alone[sample] = self._alone.get(sample, 0) + 1
        elif before != _MANY:
            self._only[one] = _MANY
            self._alone[before] -= 1
            if not self._alone[before]:
                del self._alone[before]

    @property
    def estimate(self) -> float:
        """The share of samples without which something would not have been seen; 1 at first."""
        return len(self._alone) / self.samples if self.samples else 1.0

    @property
    def at_most(self) -> float:
        """Wilson's upper limit of the estimate, at 95 %: few samples say little."""
        if not self.samples:
            return 1.0
        n, share, z2 = self.samples, self.estimate, Z * Z
        spread = Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
        return min(1.0, (share + z2 / (2 * n) + spread) / (1 + z2 / n))


def species(done: Exercise) -> set[Species]:
    """What a case shows."""
    ways = done.disturbances or (kind_of(done.source),)
    found = {(rule, way) for rule in done.rules for way in ways}
    return found | {(rule, "broken") for rule in done.breaches}
