"""Lines that know what they tell, so that a terminal may show them in colour.

Owns: `Toned`. A line is a text first: whoever writes it to a file need not know of tones.
"""

from __future__ import annotations

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
