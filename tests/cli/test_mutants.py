"""`acpsim mutants`: the table over seeds, and that it says when it cannot be believed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from acpsim.fuzz.judging import Judge
from tests.cli.conftest import Ran

ONE = ("--only", "content-replaced-by-chunk")
TABLE = ("mutants", *ONE, "--seeds", 2)


def test_the_table_has_a_row_for_each_mutant_and_strategy(acpsim: Callable[..., Ran]) -> None:
    ran = acpsim(*TABLE, "--strategy", "default", "--strategy", "uniform")

    rows = [line.split()[:2] for line in ran.out.splitlines() if line.startswith("content-")]
    assert ran.status == 0
    assert rows == [["content-replaced-by-chunk", name] for name in ("default", "uniform")]
    assert "half of the medians at most 1 cases" in ran.out


def test_json_and_csv_say_the_same(acpsim: Callable[..., Ran]) -> None:
    document = json.loads(acpsim(*TABLE, "--format", "json").out)
    rows = list(csv.DictReader(io.StringIO(acpsim(*TABLE, "--format", "csv").out)))

    (told,) = document["rows"]
    assert (told["seeds"], told["missed"], document["canary_reported"]) == (2, 0, True)
    assert rows[0]["mutant"] == told["mutant"]
    assert rows[0]["median_cases"] == str(told["median_cases"])


def test_a_file_begins_with_the_command_that_made_it(acpsim: Callable[..., Ran]) -> None:
    ran = acpsim(*TABLE, "--jobs", 1, "-o", "mutants.md")

    first, second, *rest = Path("mutants.md").read_text().splitlines()
    assert ran.status == 0
    assert first == f"<!-- acpsim mutants --seeds 2 {' '.join(ONE)} -o mutants.md -->"
    assert second.endswith("edition draft and sdk-2.4 in turn, seeds 0 to 1 -->")
    assert rest[-1].startswith("| content-replaced-by-chunk | CHUNK-APPEND | 1/1; ")


def test_the_suffix_of_the_file_says_the_format(acpsim: Callable[..., Ran]) -> None:
    acpsim(*TABLE, "-o", "mutants.csv")

    assert Path("mutants.csv").read_text().startswith("mutant,strategy,seeds,missed,")


def test_an_equivalent_mutant_is_named_in_the_list(acpsim: Callable[..., Ran]) -> None:
    ran = acpsim("mutants", "--list", "--only", "idles-counted")

    assert "equivalent to repeated-idle-counted: whoever counts" in ran.out


def test_an_equivalent_mutant_is_named_in_the_table(acpsim: Callable[..., Ran]) -> None:
    ran = acpsim("mutants", "--only", "idles-counted", "--seeds", 1)

    assert "(equivalent to repeated-idle-counted)" in ran.out


@pytest.mark.parametrize("more", [(), ("--seeds", 1)], ids=["one seed", "table"])
def test_a_run_whose_judge_is_broken_says_so_and_fails(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, more: tuple[object, ...]
) -> None:
    monkeypatch.setattr(Judge, "judge", lambda self, case: None)

    ran = acpsim("mutants", *ONE, "--cases", 3, *more)

    assert ran.status == 1
    assert "the canary, a fault that must be reported, was not" in ran.out
    assert "the reporting itself is broken" in ran.out


def test_a_broken_judge_shows_in_the_document_too(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "judge", lambda self, case: None)

    ran = acpsim("mutants", *ONE, "--cases", 3, "--format", "json")

    assert json.loads(ran.out)["canary_reported"] is False


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--strategy", "unifrom"), "--strategy unifrom: no such strategy; did you mean"),
        (("--format", "csv"), "a table is of several seeds; give --seeds"),
        (("-o", "x.md"), "a table is of several seeds; give --seeds"),
    ],
)
def test_wrong_usage_is_one_line(
    acpsim: Callable[..., Ran], words: tuple[str, ...], said: str
) -> None:
    ran = acpsim("mutants", *words)

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert said in ran.err
