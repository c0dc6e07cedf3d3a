"""Lines that know what they tell, so that a terminal may show them in colour.

Owns: `Toned`. A line is a text first: whoever writes it to a file need not know of tones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["breach", "suspicion", "quiet", "expected", "actual", "client"]


class Toned(str):
    """A line and what it tells."""

    __slots__ = ("tone",)
    tone: Tone


def toned(text: str, tone: Tone) -> Toned:
    """`text` as a line of that tone."""
    line = Toned(text)
    line.tone = tone
    return line


class Mixed(str):
    """A line whose parts tell different things."""

    __slots__ = ("parts",)
    parts: tuple[str, ...]


def mixed(parts: Iterable[str]) -> Mixed:
    """One line of these parts, some of which have a tone."""
    held = tuple(parts)
    line = Mixed("".join(held))
    line.parts = held
    return line
