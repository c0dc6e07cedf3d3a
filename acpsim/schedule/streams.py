"""One seed, split by name into independent streams of randomness.

Owns: `Streams`. A stream depends on the seed and its name alone: not on Python's hash seed, on the
process, or on what was drawn from any other stream. A draw added in one place never shifts another.
"""

from __future__ import annotations

import hashlib
import random


class Streams:
    """The named streams of one seed."""

    __slots__ = ("_prefix",)

    def __init__(self, seed: int | str) -> None:
        self._prefix = f"{seed}/"

    def seed(self, name: str) -> int:
        """The 128-bit seed of the stream called `name`."""
        digest = hashlib.blake2b((self._prefix + name).encode(), digest_size=16).digest()
        return int.from_bytes(digest, "big")

    def __getitem__(self, name: str) -> random.Random:
        """A fresh generator at the start of the stream called `name`."""
        return random.Random(self.seed(name))
