"""The choices of a run as a value, and as short text.

Owns: `Tape`. A choice is the place of what was chosen among what was ready, the earliest given
being 0. What lies behind the end of a tape is 0 too, so that the order in which things were given
is the empty tape, and an order near it has a short one.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Final

DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
RUN_MIN: Final = 4
"""Equal choices in a row that are written once with their count: shorter runs gain nothing."""

_TOKEN: Final = re.compile(r"([0-9a-z]|\(\d+\))(?:\*(\d+)\.)?")


@dataclasses.dataclass(frozen=True, slots=True)
class Tape:
    """The choices of one run, zeros at the end left out."""

    choices: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        end = len(self.choices)
        while end and self.choices[end - 1] == 0:
            end -= 1
        object.__setattr__(self, "choices", self.choices[:end])

    def __getitem__(self, at: int) -> int:
        """The choice at this step; 0 behind the end."""
        return self.choices[at] if at < len(self.choices) else 0

    def __len__(self) -> int:
        return len(self.choices)

    def __str__(self) -> str:
        """Short text, `-` where every choice is 0: `03`, `0*7.2`, `(40)1`."""
        pieces: list[str] = []
        at = 0
        while at < len(self.choices):
            choice = self.choices[at]
            end = at
            while end < len(self.choices) and self.choices[end] == choice:
                end += 1
            text = DIGITS[choice] if choice < len(DIGITS) else f"({choice})"
            count = end - at
            pieces.append(f"{text}*{count}." if count >= RUN_MIN else text * count)
            at = end
        return "".join(pieces) or "-"

    @classmethod
    def read(cls, text: str) -> Tape:
        """The tape of a text. Raises `ValueError` that says where the text is none."""
        if text == "-":
            return cls()
        choices: list[int] = []
        at = 0
        while at < len(text):
            token = _TOKEN.match(text, at)
            if token is None:
                raise ValueError(f'a tape is digits and letters, "{text[at:]}" begins with neither')
            word, count = token.groups()
            choice = int(word[1:-1]) if word[0] == "(" else DIGITS.index(word)
            choices += [choice] * (1 if count is None else int(count))
            at = token.end()
        return cls(tuple(choices))
