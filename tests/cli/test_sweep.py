"""`acpsim sweep` as its users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

RunCommand = Callable[..., Any]


def test_the_reference_holds_at_every_position(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "recorded/cancel_tool", "--insert", "cancel")

    assert ran.status == 0
    assert "none is bad" in ran.out


def test_a_fault_is_marked_at_its_position_and_can_be_had_as_a_trace(acpsim: RunCommand) -> None:
    words = ("sweep", "cancel_tool", "--insert", "cancel", "--target", "mutant:cancel-ends-work")
    ran = acpsim(*words, "-o", "fault.jsonl")

    assert ran.status == 1
    strip = next(line for line in ran.out.splitlines() if line.startswith("cancel  "))
    assert "F" in strip
    again = acpsim("replay", "fault.jsonl", "--target", "mutant:cancel-ends-work")
    assert again.status == 1


def test_a_simulated_agent_is_held_to_the_rules(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "tiny-cancel", "--insert", "close", "--misbehave", "CLOSE-PROMPT-OUTCOME")

    assert ran.status == 1
    assert "CLOSE-PROMPT-OUTCOME" in ran.out


def test_json_has_a_cell_for_each_position(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "tiny-cancel", "--insert", "cancel", "--format", "json")

    found = json.loads(ran.out)
    assert ran.status == 0
    assert "cancel" in json.dumps(found)


def test_an_action_without_an_occasion_tests_nothing(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "recorded/plain", "--insert", "permission-answer")

    assert ran.status == 3


def test_an_unknown_conversation_is_one_line(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "nothing-of-the-kind")

    assert ran.status == 2
    assert ran.err.count("\n") == 1
