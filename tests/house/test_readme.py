"""What the README says a newcomer can do, done."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from acpsim.cli import COMMANDS, run

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(label: str) -> str:
    """The fenced block that follows `<!-- label -->`."""
    match = re.search(rf"<!-- {re.escape(label)} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert match is not None, f"README.md has no block {label}"
    return match.group(1)


@pytest.fixture
def reducer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The README's reducer, in a folder of its own that is the current one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_reducer", raising=False)
    path = tmp_path / "my_reducer.py"
    path.write_text(block("my_reducer.py"), encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_newcomers_reducer_is_caught_and_once_fixed_the_fault_holds(
    reducer: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fuzz = ["fuzz", "--target", "my_reducer:Reducer", "--cases", "60"]

    assert run(fuzz) == 1
    printed = capsys.readouterr().out
    assert "agreement, PATCH-OMIT" in printed
    fault = next(reducer.parent.glob("acpsim-faults/*patch-omit*.jsonl"))
    replay = ["replay", str(fault), "--target", "my_reducer:Reducer"]
    assert run(replay) == 1

    wrong = re.search(
        r"^            messages\[key\] = .*\n", reducer.read_text("utf-8"), re.MULTILINE
    )
    assert wrong is not None
    fixed = reducer.read_text("utf-8").replace(wrong.group(), block("fix"))
    reducer.write_text(fixed, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "my_reducer", raising=False)

    assert run(replay) == 0


def test_the_fault_that_the_readme_shows_is_the_one_that_is_found(
    reducer: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = re.search(r"```text\nfault \d+: (.*?)\n.*?shrunk to", README, re.DOTALL)
    assert shown is not None

    run(["fuzz", "--target", "my_reducer:Reducer", "--cases", "60"])

    assert shown.group(1) in capsys.readouterr().out


def test_every_file_that_the_readme_names_exists() -> None:
    named = re.findall(r"`((?:acpsim|tests|models)/[\w./-]*)`|\]\(([\w./-]+\.md)\)", README)
    missing = [path for pair in named for path in pair if path and not (ROOT / path).exists()]

    assert named != []
    assert missing == []


def test_every_command_that_the_readme_shows_is_one() -> None:
    shown = set(re.findall(r"^acpsim (\w+)", README, re.MULTILINE))

    assert shown - set(COMMANDS) == set()


def test_ci_runs_the_readmes_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert "<!-- tests -->" in script
    assert block("tests").strip().startswith("python3 -m venv .venv && ")
