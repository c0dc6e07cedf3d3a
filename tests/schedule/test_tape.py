"""Tapes: their text, and what is behind their end."""

from __future__ import annotations

import random

import pytest

from acpsim.schedule.tape import Tape


@pytest.mark.parametrize(
    ("choices", "text"),
    [
        ((), "-"),
        ((0, 0, 0), "-"),
        ((0, 3), "03"),
        ((0,) * 7 + (2,), "0*7.2"),
        ((40, 1), "(40)1"),
        ((35, 36), "z(36)"),
        ((50,) * 5, "(50)*5."),
    ],
)
def test_the_text_is_short(choices: tuple[int, ...], text: str) -> None:
    assert str(Tape(choices)) == text


def test_reading_the_text_gives_the_tape_again() -> None:
    chance = random.Random(7)
    for _ in range(200):
        tape = Tape(tuple(chance.choice((0, 0, 0, 1, 2, 35, 36, 99)) for _ in range(30)))

        assert Tape.read(str(tape)) == tape


def test_behind_the_end_every_choice_is_the_first() -> None:
    assert Tape((2,))[5] == 0


@pytest.mark.parametrize("text", ["", "?", "0 1", "(", "0*", "A"])
def test_what_is_no_tape_is_refused(text: str) -> None:
    if text == "":
        assert Tape.read(text) == Tape()
        return
    with pytest.raises(ValueError, match="a tape is digits and letters"):
        Tape.read(text)
