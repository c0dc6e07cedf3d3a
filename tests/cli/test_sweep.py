"""`acpsim sweep` as its users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import RECORDED

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


def test_the_command_that_is_told_shows_the_same_fault_again(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "permission_allow", "--target", "mutant:cancel-settles-permissions")
    again = next(line for line in ran.out.splitlines() if "see it again: acpsim" in line)

    once_more = acpsim(*again.split("acpsim ", 1)[1].split())

    assert (ran.status, once_more.status) == (1, 1)
    assert "cancel: the target fails at 11-12" in once_more.out


def test_a_trace_is_read_from_a_file_and_from_standard_input(
    acpsim: RunCommand, tmp_path: Path
) -> None:
    data = (RECORDED / "plain.jsonl").read_bytes()
    (tmp_path / "mine.jsonl").write_bytes(data)

    from_file = acpsim("sweep", "mine.jsonl", "--insert", "close", "--format", "json")
    from_input = acpsim("sweep", "-", "--insert", "close", "--format", "json", given=data)

    one, other = json.loads(from_file.out), json.loads(from_input.out)
    assert (one.pop("scenario"), other.pop("scenario")) == ("mine.jsonl", "-")
    assert one == other


def test_an_empty_trace_tests_nothing(acpsim: RunCommand) -> None:
    ran = acpsim("sweep", "-", given=b"")

    assert ran.status == 3
    assert "nothing was tested" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plian"], "did you mean plans or plain?"),
        (["plain", "--at", "x"], "give positions such as 3"),
        (["plain", "--misbehave", "STATE-IDLE"], "give a model"),
        (["plain", "--insert", "sleep"], "--insert"),
        (["plain", "--target", "mutant:nobody"], "no such mutant"),
        (["tiny-cancel", "--misbehave", "NOBODY"], "no such rule"),
        (["plain", "--edition", "v7"], "no such edition"),
        ([], "give a SCENARIO"),
    ],
)
def test_wrong_usage_is_one_line(acpsim: RunCommand, words: list[str], said: str) -> None:
    ran = acpsim("sweep", *words)

    assert ran.status == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_nothing_is_written_where_nothing_fails(acpsim: RunCommand, tmp_path: Path) -> None:
    acpsim("sweep", "plain", "--insert", "close", "-o", "fault.jsonl")

    assert not (tmp_path / "fault.jsonl").exists()


def test_the_document_is_the_same_every_time(acpsim: RunCommand) -> None:
    words = ("sweep", "tiny-permission", "--seed", "5", "--format", "json")

    assert acpsim(*words).out == acpsim(*words).out


def test_what_a_peer_wrote_reaches_no_terminal_as_it_is(acpsim: RunCommand) -> None:
    data = (RECORDED / "plain.jsonl").read_bytes()
    spoilt = data.replace(b'"text":"', b'"text":"\\u001b[31m')
    assert spoilt != data

    ran = acpsim("sweep", "-", "--target", "mutant:close-forgets", given=spoilt)

    assert ran.status == 1
    assert "\x1b" not in ran.out
    assert "u001b[31m" in ran.out
