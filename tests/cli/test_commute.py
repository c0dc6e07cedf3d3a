"""`acpsim commute` as its users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

RunCommand = Callable[..., Any]


def test_a_right_reducer_is_told_how_much_was_tried(acpsim: RunCommand) -> None:
    ran = acpsim("commute", "--cases", "40")

    assert ran.status == 0
    assert "0 taken for ordered" in ran.out


def test_an_ordered_pair_is_shown_with_the_two_messages_marked(acpsim: RunCommand) -> None:
    ran = acpsim("commute", "--cases", "60", "--target", "mutant:echo-doubled")

    assert ran.status == 1
    assert "ordered: session/prompt response and user_message" in ran.out
    assert ran.out.count("   *<") >= 2


def test_every_pair_has_a_row_if_asked_for(acpsim: RunCommand) -> None:
    few = acpsim("commute", "--cases", "20").out
    every = acpsim("commute", "--cases", "20", "--every").out

    assert "agent_message_chunk and" in every
    assert "agent_message_chunk and" not in few


def test_json_has_every_pair(acpsim: RunCommand) -> None:
    found = json.loads(acpsim("commute", "--cases", "20", "--format", "json").out)

    assert found["exchanges"] == sum(pair["tried"] for pair in found["pairs"])
    assert found["cases"] == 20


def test_a_target_that_always_fails_tests_nothing(acpsim: RunCommand) -> None:
    ran = acpsim("commute", "--cases", "5", "--target", "tests.cli.test_commute:Broken")

    assert ran.status == 3


class Broken:
    """Fails at once."""

    def __init__(self, edition: str) -> None:
        pass

    def apply(self, event: object) -> None:
        raise ValueError("no")

    def snapshot(self, session_id: str) -> None:
        return None
