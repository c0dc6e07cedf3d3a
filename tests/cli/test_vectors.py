"""`acpsim vectors`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acpsim.harness import HARNESSES, harness_text
from acpsim.vectors.shipped import shipped
from acpsim.wire.edition import DRAFT, SDK_2_4
from acpsim.wire.vector import read_vector

from .conftest import Ran

Acpsim = Callable[..., Ran]


def test_export_writes_each_as_a_file_that_reads_back(acpsim: Acpsim, tmp_path: Path) -> None:
    ran = acpsim("vectors", "export", "out")
    files = sorted((tmp_path / "out").glob("*.json"))

    assert ran.status == 0
    assert ran.out == f"{len(shipped(DRAFT))} vectors of edition draft written to out\n"
    read = [read_vector(path.read_bytes()).name for path in files if path.name != "index.json"]
    assert len(read) >= 200
    assert read == [path.stem for path in files if path.name != "index.json"]


def test_export_writes_the_same_bytes_each_time(acpsim: Acpsim, tmp_path: Path) -> None:
    acpsim("vectors", "export", "one")
    acpsim("vectors", "export", "other")
    one, other = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("one", "other")
    )

    assert one == other


def test_the_index_names_every_file(acpsim: Acpsim, tmp_path: Path) -> None:
    acpsim("vectors", "export", "out", "--edition", "sdk-2.4")
    index = json.loads((tmp_path / "out" / "index.json").read_bytes())
    files = {path.name for path in (tmp_path / "out").glob("*.json")} - {"index.json"}

    assert index["edition"] == "sdk-2.4"
    assert {row["file"] for row in index["vectors"]} == files
    assert all(row["shows"] for row in index["vectors"])


def test_export_over_a_file_is_wrong_usage(acpsim: Acpsim, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = acpsim("vectors", "export", "file")

    assert ran.status == 2
    assert ran.err.count("\n") == 1


def test_the_reference_passes_all_that_ship(acpsim: Acpsim) -> None:
    ran = acpsim("vectors", "run")

    assert ran.status == 0
    count = len(shipped(DRAFT))
    assert ran.out.splitlines()[-1] == f"{count} vectors: {count} passed, 0 failed"


def test_a_mutant_fails_with_the_first_difference(acpsim: Acpsim) -> None:
    ran = acpsim("vectors", "run", "mutant-echo-doubled", "--target", "mutant:echo-doubled")

    assert ran.status == 1
    assert "FAIL  mutant-echo-doubled\n" in ran.out
    assert "at        $.timeline[1]\n" in ran.out


def test_a_directory_is_run_file_by_file(acpsim: Acpsim) -> None:
    acpsim("vectors", "export", "out", "--edition", "sdk-2.4")
    ran = acpsim("vectors", "run", "out")

    assert ran.status == 0
    assert ran.out.splitlines()[-1].startswith(f"{len(shipped(SDK_2_4))} vectors:")


def test_only_the_vectors_of_a_rule_are_run(acpsim: Acpsim) -> None:
    ran = acpsim("vectors", "run", "--rule", "PLAN-REPLACE", "--format", "json")
    document = json.loads(ran.out)

    assert document["passed"] == len(document["vectors"]) > 1
    assert all("PLAN-REPLACE" in row["rules"] for row in document["vectors"])


def test_json_tells_the_difference(acpsim: Acpsim) -> None:
    ran = acpsim(
        *("vectors", "run", "rule-CHUNK-META"),
        *("--target", "mutant:chunk-meta-patched", "--format", "json"),
    )
    [row] = json.loads(ran.out)["vectors"]

    assert ran.status == 1
    assert row["outcome"] == "failed"
    assert row["path"] == "$.messages.agent_message.m1.meta.chunk"


@pytest.mark.parametrize(("form", "begins"), [("junit", "<?xml"), ("sarif", "{")])
def test_ci_formats_are_written(acpsim: Acpsim, form: str, begins: str) -> None:
    ran = acpsim("vectors", "run", "rule-PLAN-REPLACE", "--format", form)

    assert ran.status == 0
    assert ran.out.startswith(begins)
    assert "rule-PLAN-REPLACE" in ran.out


def test_a_filter_that_matches_nothing_is_no_success(acpsim: Acpsim) -> None:
    ran = acpsim("vectors", "run", "rule-PLAN-REPLACE", "--rule", "CHUNK-META")

    assert ran.status == 3
    assert ran.err == "acpsim vectors: no vector was run\n"


@pytest.mark.parametrize(
    "words",
    [
        ("run", "rule-PLAN-REPLAC"),
        ("run", "--rule", "PLAN"),
        ("run", "empty"),
        ("run", "broken.json"),
        ("run", "--target", "nowhere:Reducer"),
        ("run", "--edition", "v3"),
        ("list", "--edition", "v3"),
        ("harness", "cobol"),
        ("sing",),
        (),
    ],
)
def test_wrong_usage_is_one_line(acpsim: Acpsim, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.json").write_text('{"acpsim": "vector/1"}')
    ran = acpsim("vectors", *words)

    assert ran.status == 2
    assert ran.out == ""
    assert ran.err.count("\n") == 1


def test_a_file_of_another_edition_is_refused(acpsim: Acpsim) -> None:
    acpsim("vectors", "export", "out")
    ran = acpsim("vectors", "run", "out/rule-PLAN-REPLACE.json", "--edition", "sdk-2.4")

    assert ran.status == 2
    assert "is a vector of draft" in ran.err


def test_a_target_that_hangs_is_given_up(acpsim: Acpsim, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\n"
        """print('{"name": "slow", "sections": ["plans"]}', flush=True)\n"""
        "time.sleep(60)\n"
    )
    ran = acpsim(
        *("vectors", "run", "--rule", "PLAN-REPLACE", "--rule", "PLAN-ENTRY-VALUES"),
        *("--target", f"cmd:{sys.executable} slow.py", "--time-limit", "0.2"),
    )

    assert ran.status == 1
    assert "not run: the target hung again and again" in ran.out


def test_list_says_what_each_shows(acpsim: Acpsim) -> None:
    ran = acpsim("vectors", "list", "--rule", "CHUNK-META")

    assert ran.status == 0
    assert ran.out.startswith("rule-CHUNK-META ")


def test_list_as_json_has_every_vector(acpsim: Acpsim) -> None:
    rows = json.loads(acpsim("vectors", "list", "--format", "json").out)["vectors"]

    assert [row["name"] for row in rows] == [one.vector.name for one in shipped(DRAFT)]


def test_nothing_to_list_is_no_success(acpsim: Acpsim) -> None:
    assert acpsim("vectors", "list", "--rule", "NO-SUCH").status == 3


@pytest.mark.parametrize("language", list(HARNESSES))
def test_a_harness_is_written_out(acpsim: Acpsim, tmp_path: Path, language: str) -> None:
    ran = acpsim("vectors", "harness", language, "-o", "out")

    assert ran.status == 0
    assert (tmp_path / "out").read_text("utf-8") == harness_text(language)
    assert acpsim("vectors", "harness", language).out == harness_text(language)


def test_a_vector_runs_nothing_that_it_names(acpsim: Acpsim, tmp_path: Path) -> None:
    acpsim("vectors", "export", "out")
    path = tmp_path / "out" / "rule-PLAN-REPLACE.json"
    vector = json.loads(path.read_bytes())
    path.write_text(json.dumps({**vector, "target": "cmd:touch ran", "name": "cmd:touch ran"}))
    acpsim("vectors", "run", path)

    assert not os.path.exists(tmp_path / "ran")
