"""Which mistake ends with which status, and what is said about it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import RECORDED, Ran

PLAIN = RECORDED / "plain.jsonl"
BROKEN = RECORDED / "broken_no_echo.jsonl"

FILES = {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n \n\n",
    "header.jsonl": b'{"acpsim":"trace/1","edition":"draft"}\n',
    "garbage.bin": bytes(range(256)) * 40,
    "no_edition.jsonl": b'{"acpsim":"trace/1","counterexample":{}}\n',
    "no_fields.jsonl": b'{"acpsim":"trace/1","edition":"draft","counterexample":{}}\n' + b'{"t":0,'
    b'"dir":"lost"}\n',
    "no_field.json": b'{"acpsim":"vector/1"}',
    "wrong_type.json": b'{"acpsim":"vector/1","name":1,"edition":"draft","events":7,'
    b'"snapshots":{}}',
    "wrong_edition.json": b'{"acpsim":"vector/1","name":"n","edition":"x","events":[],'
    b'"snapshots":{}}',
    "model.toml": b"name = [",
}

WRONG = {
    "no-command": "",
    "unknown-command": "chekc x",
    "unknown-command-with-an-escape": "\x1b[31m x",
    "unknown-global-option": "--bad",
    "check-no-trace": "check",
    "check-unknown-option": "check --bad x",
    "check-missing-file": "check missing.jsonl",
    "check-standard-input-twice": "check - -",
    "check-seed-word": f"check --seed many {PLAIN}",
    "check-second-file-missing": f"check {PLAIN} missing.jsonl",
    "check-directory": "check .",
    "check-unknown-edition": f"check --edition v1 {PLAIN}",
    "check-unknown-rule": f"check --rule PROMPT-EHCO {PLAIN}",
    "check-unknown-observer": f"check --observer me {PLAIN}",
    "check-unknown-format": f"check --format xml {PLAIN}",
    "check-negative-quiet": f"check --quiet-s -1 {PLAIN}",
    "reduce-no-trace": "reduce",
    "reduce-two-traces": f"reduce {PLAIN} {PLAIN}",
    "reduce-missing-file": "reduce missing.jsonl",
    "reduce-directory": "reduce .",
    "reduce-unknown-edition": f"reduce --edition v1 {PLAIN}",
    "reduce-line-0": f"reduce --at 0 {PLAIN}",
    "show-missing-file": "show missing.jsonl",
    "show-directory": "show .",
    "show-unknown-format": f"show --format xml {PLAIN}",
    "show-too-narrow": f"show --width 3 {PLAIN}",
    "replay-missing-file": "replay missing.jsonl",
    "replay-directory": "replay .",
    "replay-standard-input-empty": "replay -",
    "replay-unknown-edition": f"replay --edition v1 {PLAIN}",
    "replay-garbage": "replay garbage.bin",
    "replay-empty": "replay empty.jsonl",
    "replay-plain-trace": f"replay {PLAIN}",
    "replay-counterexample-without-edition": "replay no_edition.jsonl",
    "replay-counterexample-without-fields": "replay no_fields.jsonl",
    "replay-vector-without-fields": "replay no_field.json",
    "replay-vector-with-wrong-types": "replay wrong_type.json",
    "replay-vector-of-unknown-edition": "replay wrong_edition.json",
    "fuzz-unknown-mutant": "fuzz --target mutant:echo-dubled --cases 1",
    "fuzz-unknown-program": "fuzz --target cmd:nosuchprogram --cases 1",
    "fuzz-unknown-module": "fuzz --target nosuchmodule:Reducer --cases 1",
    "fuzz-no-address": "fuzz --target nothing --cases 1",
    "fuzz-no-program": "fuzz --target cmd: --cases 1",
    "fuzz-unknown-edition": "fuzz --edition v1 --cases 1",
    "fuzz-cases-word": "fuzz --cases many",
    "fuzz-cases-0": "fuzz --cases 0",
    "fuzz-seconds-0": "fuzz --seconds 0",
    "fuzz-argument": "fuzz reference",
    "fuzz-corpus-missing": "fuzz --corpus missing/deeper --cases 1",
    "fuzz-out-is-a-file": "fuzz --target mutant:echo-doubled --cases 30 --out empty.jsonl",
    "fuzz-out-below-a-file": "fuzz --target mutant:echo-doubled --cases 30 --out empty.jsonl/x",
    "mutants-unknown": "mutants --only nosuchmutant",
    "mutants-list-unknown": "mutants --list --only nosuchmutant",
    "mutants-unknown-edition": "mutants --edition v1",
    "sim-no-model": "sim",
    "sim-unknown-model": "sim nosuchmodel",
    "sim-unreadable-model": "sim model.toml",
    "sim-unknown-parameter": "sim tiny-echo --set nothing=1",
    "sim-half-a-parameter": "sim tiny-echo --set sessions",
    "sim-unknown-misbehaviour": "sim tiny-echo --misbehave NOTHING",
    "sim-half-a-sweep": "sim tiny-echo --sweep link",
    "sim-unknown-edition": "sim tiny-echo --edition v1",
    "sim-out-nowhere": "sim tiny-echo -o missing/trace.jsonl",
    "sim-out-is-a-directory": "sim tiny-echo -o .",
    "sim-csv-nowhere": "sim tiny-echo --csv missing/table.csv",
    "sim-plot-unknown-picture": "sim tiny-echo --plot picture.txt",
    "fit-missing-file": "fit missing.jsonl",
    "fit-out-nowhere": f"fit {PLAIN} -o missing/model.toml",
}

NOTHING = {
    "check-empty": "check empty.jsonl",
    "check-blank": "check blank.jsonl",
    "check-header-alone": "check header.jsonl",
    "check-garbage": "check garbage.bin",
    "check-rule-without-occasion": f"check --rule COMPACTION-TERMINAL {PLAIN}",
    "check-json-empty": "check --format json empty.jsonl",
    "check-standard-input-empty": "check -",
    "reduce-session-of-nobody": f"reduce --session nobody {PLAIN}",
    "reduce-before-the-first-message": f"reduce --at 1 {PLAIN}",
    "reduce-empty": "reduce empty.jsonl",
    "reduce-header-alone": "reduce header.jsonl",
    "reduce-garbage": "reduce garbage.bin",
    "reduce-json-empty": "reduce --format json empty.jsonl",
    "show-empty": "show empty.jsonl",
    "show-header-alone": "show header.jsonl",
    "show-garbage": "show garbage.bin",
    "show-json-empty": "show --format json empty.jsonl",
    "show-session-of-nobody": f"show --session nobody {PLAIN}",
    "show-session-of-nothing": "show --session s1 empty.jsonl",
    "fit-empty": "fit empty.jsonl",
}

FOUND = {
    "check-breach": f"check {BROKEN}",
    "check-second-of-two": f"check {PLAIN} {BROKEN}",
    "check-the-rule-that-is-broken": f"check --rule PROMPT-ECHO {BROKEN}",
    "check-json": f"check --format json {BROKEN}",
    "check-seen-from-the-client": f"check --vantage client {BROKEN}",
    "fuzz-mutant": "fuzz --target mutant:echo-doubled --cases 40 --seed 1",
    "fuzz-mutant-json": "fuzz --target mutant:echo-doubled --cases 40 --seed 1 --format json",
}

HOLDS = {
    "help": "--help",
    "version": "--version",
    "check-conformant": f"check {PLAIN}",
    "check-strict-conformant": f"check --strict {PLAIN}",
    "check-another-rule-than-the-broken-one": f"check --rule STATE-RUNNING {BROKEN}",
    "check-one-empty-of-two": f"check empty.jsonl {PLAIN}",
    "check-seed": f"check --seed 3 {PLAIN}",
    "reduce-seed": f"reduce --seed 3 {PLAIN}",
    "show-seed": f"show --seed 3 {PLAIN}",
    "show-json": f"show --format json {PLAIN}",
    "reduce-broken": f"reduce {BROKEN}",
    "reduce-first-lines": f"reduce --at 5 {PLAIN}",
    "reduce-session": f"reduce --session sess_1 {PLAIN}",
    "show-broken": f"show {BROKEN}",
    "show-session": f"show --session sess_1 {PLAIN}",
    "fuzz-reference": "fuzz --cases 20",
    "mutants-list": "mutants --list",
    "mutants-list-one": "mutants --list --only echo-doubled",
    "mutants-one": "mutants --only echo-doubled",
    "sim-list": "sim --list",
    "sim-tiny": "sim tiny-echo",
    "sim-out": "sim tiny-echo -o trace.jsonl",
}


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_told_in_one_line_with_status_2(
    acpsim: Callable[..., Ran], line: str
) -> None:
    words = line.split(" ") if line else []

    ran = acpsim(*words)

    known = {"check", "reduce", "show", "replay", "fuzz", "mutants", "sim", "fit"} & set(words[:1])
    prefix = " ".join(["acpsim", *known])
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{prefix}: ")
    assert ran.err.count("\n") == 1
    assert ran.err.rstrip("\n").isprintable()


@pytest.mark.parametrize("line", WRONG.values(), ids=WRONG.keys())
def test_what_is_said_of_wrong_usage_reads_as_one_of_our_sentences(
    acpsim: Callable[..., Ran], line: str
) -> None:
    said = acpsim(*line.split(" ") if line else []).err.rstrip("\n").partition(": ")[2]

    assert not said[:1].isupper()
    assert not said.endswith((".", "!"))
    assert "error:" not in said.lower()


@pytest.mark.parametrize("line", NOTHING.values(), ids=NOTHING.keys())
def test_where_nothing_was_tested_the_status_is_3_and_says_so(
    acpsim: Callable[..., Ran], line: str
) -> None:
    ran = acpsim(*line.split(" "))

    assert ran.status == 3
    assert ran.err.splitlines()[-1].startswith(f"acpsim {line.split(' ')[0]}: no")


@pytest.mark.parametrize("line", FOUND.values(), ids=FOUND.keys())
def test_what_was_found_makes_the_status_1(acpsim: Callable[..., Ran], line: str) -> None:
    assert acpsim(*line.split(" ")).status == 1


@pytest.mark.parametrize("line", HOLDS.values(), ids=HOLDS.keys())
def test_where_nothing_is_found_the_status_is_0(acpsim: Callable[..., Ran], line: str) -> None:
    assert acpsim(*line.split(" ")).status == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser reads every file")
def test_a_file_that_may_not_be_read_is_wrong_usage(
    acpsim: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "closed.jsonl").touch(mode=0)

    assert acpsim("check", "closed.jsonl").status == 2


def test_a_breach_of_a_should_fails_only_a_strict_run(
    acpsim: Callable[..., Ran], tmp_path: Path
) -> None:
    untitled = (
        b'{"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":'
        b'"sess_1","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":'
        b'"completed"}}}}\n'
    )
    (tmp_path / "should.jsonl").write_bytes(PLAIN.read_bytes() + untitled)
    words = ("check", "--rule", "TOOL-TITLE-FIRST", "should.jsonl")

    assert (acpsim(*words).status, acpsim(*words, "--strict").status) == (0, 1)


def test_a_suspicion_fails_not_even_a_strict_run(acpsim: Callable[..., Ran]) -> None:
    trace = RECORDED / "broken_tool_left_open.jsonl"

    ran = acpsim("check", "--strict", "--rule", "STATE-FAILED-TOOLS", trace)

    assert (ran.status, "STATE-FAILED-TOOLS: perhaps " in ran.out) == (0, True)


def test_a_saved_fault_fails_again_on_its_target(acpsim: Callable[..., Ran]) -> None:
    acpsim("fuzz", "--target", "mutant:echo-doubled", "--cases", 40, "--seed", 1)
    (saved,) = Path("acpsim-faults").iterdir()

    assert acpsim("replay", saved, "--target", "mutant:echo-doubled").status == 1


def test_a_saved_fault_holds_on_the_reference(acpsim: Callable[..., Ran]) -> None:
    acpsim("fuzz", "--target", "mutant:echo-doubled", "--cases", 40, "--seed", 1)
    (saved,) = Path("acpsim-faults").iterdir()

    assert acpsim("replay", saved).status == 0


@pytest.mark.parametrize("target", ["mutant:none", "cmd:nosuchprogram", "no:module", "x"])
def test_replay_tells_a_target_that_cannot_be_opened_in_one_line(
    acpsim: Callable[..., Ran], target: str
) -> None:
    acpsim("fuzz", "--target", "mutant:echo-doubled", "--cases", 40, "--seed", 1)
    (saved,) = Path("acpsim-faults").iterdir()

    ran = acpsim("replay", saved, "--target", target)

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)


def test_a_rule_that_is_nearly_right_is_answered_with_the_right_one(
    acpsim: Callable[..., Ran],
) -> None:
    assert "did you mean PROMPT-ECHO" in acpsim("check", "--rule", "PROMPT-EHCO", PLAIN).err


def test_an_option_that_is_nearly_right_is_answered_with_the_right_one(
    acpsim: Callable[..., Ran],
) -> None:
    assert "did you mean --strict?" in acpsim("check", "--strikt", PLAIN).err


def test_a_full_disk_under_standard_output_is_told_in_one_line(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("sys.stdout", Full())

    ran = acpsim("mutants", "--list")

    assert (
        ran.status,
        ran.err,
    ) == (2, "acpsim mutants: reading or writing failed: no space left on device\n")


def test_a_closed_standard_output_is_told_in_one_line(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", None)

    ran = acpsim("check", PLAIN)

    assert (ran.status, ran.err.count("\n")) == (2, 1)


def test_a_saved_fault_is_read_from_standard_input(acpsim: Callable[..., Ran]) -> None:
    acpsim("fuzz", "--target", "mutant:echo-doubled", "--cases", 40, "--seed", 1)
    (saved,) = Path("acpsim-faults").iterdir()

    ran = acpsim("replay", "-", "--target", "mutant:echo-doubled", given=saved.read_bytes())

    assert ran.status == 1


VECTOR = (
    b'{"acpsim": "vector/1", "name": "empty", "edition": "draft",\n "events": [], "snapshots": {}}'
)


def test_a_vector_that_stands_on_several_lines_is_run(acpsim: Callable[..., Ran]) -> None:
    assert acpsim("replay", "-", given=VECTOR).status == 0


def test_a_vector_is_run_in_no_edition_but_its_own(acpsim: Callable[..., Ran]) -> None:
    ran = acpsim("replay", "-", "--edition", "sdk-2.4", given=VECTOR)

    assert (ran.status, "is a vector of draft" in ran.err) == (2, True)
