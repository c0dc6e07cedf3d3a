"""Results for CI systems, and a fault in other words, from the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from acpsim.wire.vector import read_vector
from tests.cli.conftest import Ran

MUTANT = "mutant:echo-doubled"
FUZZ = ("fuzz", "--target", MUTANT, "--cases", "60", "--seed", "1")


@pytest.fixture
def saved(acpsim: Callable[..., Ran]) -> Path:
    """The trace of one fault."""
    acpsim(*FUZZ)
    (path,) = Path("acpsim-faults").iterdir()
    return path


def failures(text: str) -> list[str]:
    root = ElementTree.fromstring(text.encode())
    return [
        case.attrib["name"] for case in root.iter("testcase") if case.find("failure") is not None
    ]


def results(text: str) -> list[str]:
    return [result["ruleId"] for result in json.loads(text)["runs"][0]["results"]]


@pytest.mark.parametrize(("form", "found"), [("junit", failures), ("sarif", results)])
def test_a_check_says_what_failed_and_ends_as_ever(
    acpsim: Callable[..., Ran],
    recorded: Callable[[str], str],
    form: str,
    found: Callable[[str], list[str]],
) -> None:
    ran = acpsim("check", "--format", form, recorded("broken_no_echo"), recorded("plain"))

    assert (ran.status, found(ran.out), ran.err) == (1, ["PROMPT-ECHO"], "")


@pytest.mark.parametrize(("form", "found"), [("junit", failures), ("sarif", results)])
def test_a_check_of_a_kept_conversation_has_no_failure(
    acpsim: Callable[..., Ran],
    recorded: Callable[[str], str],
    form: str,
    found: Callable[[str], list[str]],
) -> None:
    ran = acpsim("check", "--format", form, recorded("plain"))

    assert (ran.status, found(ran.out)) == (0, [])


@pytest.mark.parametrize("form", ["junit", "sarif"])
def test_a_check_that_tested_nothing_says_so_and_passed_nothing(
    acpsim: Callable[..., Ran], tmp_path: Path, form: str
) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"no json\n")

    ran = acpsim("check", "--format", form, "empty.jsonl")

    assert ran.status == 3
    assert "nothing was tested" in ran.err
    assert "no JSON" in ran.out
    if form == "junit":
        cases = list(ElementTree.fromstring(ran.out.encode()).iter("testcase"))
        assert cases
        assert all(case.find("skipped") is not None for case in cases)


@pytest.mark.parametrize(("form", "found"), [("junit", failures), ("sarif", results)])
def test_a_fault_is_a_failure_of_its_rule(
    acpsim: Callable[..., Ran], form: str, found: Callable[[str], list[str]]
) -> None:
    ran = acpsim(*FUZZ, "--format", form)

    assert (ran.status, found(ran.out)) == (1, ["PROMPT-RECONCILE"])


@pytest.mark.parametrize(("form", "found"), [("junit", failures), ("sarif", results)])
def test_a_replay_is_one_test(
    acpsim: Callable[..., Ran], saved: Path, form: str, found: Callable[[str], list[str]]
) -> None:
    fails = acpsim("replay", saved, "--target", MUTANT, "--format", form)
    holds = acpsim("replay", saved, "--format", form)

    assert (fails.status, found(fails.out)) == (1, ["PROMPT-RECONCILE"])
    assert (holds.status, found(holds.out)) == (0, [])


def test_a_fault_as_a_vector_fails_where_it_was_found_and_holds_elsewhere(
    acpsim: Callable[..., Ran], saved: Path
) -> None:
    written = acpsim("replay", saved, "--target", MUTANT, "--as", "vector", "-o", "fault.json")

    assert (written.status, written.out) == (0, "")
    assert read_vector(Path("fault.json").read_bytes()).rules == ("PROMPT-RECONCILE",)
    assert acpsim("replay", "fault.json", "--target", MUTANT).status == 1
    assert acpsim("replay", "fault.json").status == 0


def test_a_fault_in_other_words_goes_to_standard_output_where_no_file_is_named(
    acpsim: Callable[..., Ran], saved: Path
) -> None:
    vector = acpsim("replay", saved, "--target", MUTANT, "--as", "vector")
    function = acpsim("replay", saved, "--target", MUTANT, "--as", "pytest")

    assert json.loads(vector.out)["acpsim"] == "vector/1"
    compile(function.out, "test_fault.py", "exec")


@pytest.mark.slow
def test_a_fault_as_a_test_function_is_run_by_pytest(
    acpsim: Callable[..., Ran], saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acpsim("replay", saved, "--target", MUTANT, "--as", "pytest", "-o", "test_fault.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_fault.py"]

    def status() -> int:
        return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode

    assert status() == 1
    monkeypatch.setenv("ACPSIM_TARGET", "reference")
    assert status() == 0


def test_a_vector_can_be_a_test_function_too(acpsim: Callable[..., Ran], saved: Path) -> None:
    acpsim("replay", saved, "--target", MUTANT, "--as", "vector", "-o", "fault.json")

    ran = acpsim("replay", "fault.json", "--as", "pytest")

    assert ran.status == 0
    compile(ran.out, "test_fault.py", "exec")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "x.json"], "--output: goes with --as vector or --as pytest"),
        (
            ["--as", "vector", "--format", "json"],
            "--format json: goes without --as, which writes a file of its own kind",
        ),
        (["--as", "vector", "-o", "no/such/x.json"], "no/such/x.json: cannot be written"),
    ],
)
def test_what_goes_with_other_words_is_said(
    acpsim: Callable[..., Ran], saved: Path, words: list[str], said: str
) -> None:
    ran = acpsim("replay", saved, *words)

    assert ran.status == 2
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1


def test_the_document_of_a_fuzz_run_has_the_commands_for_both(acpsim: Callable[..., Ran]) -> None:
    (fault,) = json.loads(acpsim(*FUZZ, "--format", "json").out)["faults"]

    for command in (fault["as_vector"], fault["as_pytest"]):
        words = command.split()
        assert acpsim(*words[1:]).status == 0
        assert Path(words[-1]).exists()
