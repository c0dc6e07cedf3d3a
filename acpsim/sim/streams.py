"""One seed, split by name into independent streams of chance.

Owns: `Streams`. A stream depends on the seed and its name alone, so that a draw added in one place
never moves another's, and so that two variants of a model run with common random numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from acpsim.schedule.streams import Streams as Seeds


class Streams:
    """The streams of one run."""

    __slots__ = ("_seeds",)

    def __init__(self, seed: int) -> None:
        self._seeds = Seeds(seed)

    def chance(self, name: str) -> Callable[[], float]:
        """A function that gives numbers in [0, 1), for choices."""
        return random.Random(self._seeds.seed(name)).random

    def generator(self, name: str) -> np.random.Generator:
        """A numpy generator, for distributions."""
        return np.random.Generator(np.random.PCG64(self._seeds.seed(name)))
