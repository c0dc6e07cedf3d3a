"""`acpsim explore` as its users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

RunCommand = Callable[..., Any]


def test_a_reducer_that_holds_in_every_class_is_certified(acpsim: RunCommand) -> None:
    ran = acpsim("explore", "tiny-cancel")

    assert ran.status == 0
    assert "2,464 orders that the parties could have produced" in ran.out
    assert "standing for all" in ran.out
    assert "certified in" in ran.out


def test_a_fault_ends_with_the_command_that_runs_it_again(acpsim: RunCommand) -> None:
    ran = acpsim("explore", "tiny-echo", "--target", "mutant:echo-doubled")

    assert ran.status == 1
    command = next(line for line in ran.out.splitlines() if "acpsim replay" in line)
    words = command.split("acpsim ", 1)[1].split()
    assert acpsim(*words).status == 1


def test_json_has_exact_numbers_as_text(acpsim: RunCommand) -> None:
    ran = acpsim("explore", "recorded/compaction", "--classes", "3", "--format", "json")

    found = json.loads(ran.out)["scenarios"][0]
    assert found["orders"] == "628689600"
    assert found["certified"] is False
    assert int(found["covered"]) < int(found["orders"])


def test_drawn_schedules_are_the_same_for_a_seed(acpsim: RunCommand) -> None:
    words = ("explore", "tiny-echo", "--schedules", "50", "--seed", "3", "--format", "json")

    one, other = (json.loads(acpsim(*words).out)["scenarios"][0] for _ in range(2))

    assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert one["schedules"] == 50


def test_drawn_schedules_find_a_fault(acpsim: RunCommand) -> None:
    ran = acpsim(*("explore", "tiny-echo", "--schedules", "100", "--target", "mutant:echo-doubled"))

    assert ran.status == 1
    assert "PROMPT-RECONCILE" in ran.out


def test_without_a_scenario_it_says_what_to_give(acpsim: RunCommand) -> None:
    ran = acpsim("explore")

    assert ran.status == 2
    assert ran.err == ("acpsim explore: give a SCENARIO, or --all; --list names the shipped ones\n")


def test_an_unknown_scenario_is_one_line(acpsim: RunCommand) -> None:
    ran = acpsim("explore", "tiny-nothing")

    assert ran.status == 2
    assert ran.err.count("\n") == 1
    assert "tiny-nothing" in ran.err


def test_a_trace_of_nothing_tests_nothing(acpsim: RunCommand) -> None:
    ran = acpsim("explore", "-", given=b"")

    assert ran.status == 3
    assert "no order was run" in ran.err


def test_the_list_names_models_and_conversations(acpsim: RunCommand) -> None:
    named = acpsim("explore", "--list").out.splitlines()

    assert "tiny-resume" in named
    assert "recorded/plain" in named


def test_a_tape_runs_one_order_again(acpsim: RunCommand) -> None:
    words = ("explore", "tiny-echo", "--target", "mutant:echo-doubled")
    found = json.loads(acpsim(*words, "--schedules", "40", "--format", "json").out)

    tape = found["scenarios"][0]["tapes"][0]
    ran = acpsim(*words, "--tape", tape)

    assert ran.status == 1
    assert f"1 schedules by tape {tape}" in ran.out or "1 schedule by tape" in ran.out


def test_what_is_no_tape_is_one_line(acpsim: RunCommand) -> None:
    ran = acpsim("explore", "tiny-echo", "--tape", "?!")

    assert ran.status == 2
    assert ran.err.startswith("acpsim explore: --tape ?!: a tape is digits")
