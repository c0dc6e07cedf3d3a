"""The Python harness: a reducer in another process behaves as it does in this one."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acpsim.harness import HARNESSES, harness_text
from acpsim.targets.address import open_target
from acpsim.targets.target import Target, TargetFailure
from acpsim.vectors.running import Found, run
from acpsim.vectors.shipped import shipped
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from tests.helpers.shorthand import conversation

LINES_MAX = 120
REDUCER = """
import sys

print("what a reducer prints is no answer")


class Held:
    sections = ["closed"]

    def __init__(self, edition):
        self.count = 0

    def apply(self, event):
        self.count += 1
        method = event.get("msg", {}).get("method")
        if method == "_test/raise":
            raise KeyError("told to")
        if method == "_test/exit":
            sys.exit("told to")

    def snapshot(self, session_id):
        if session_id == "lone":
            return {"closed": "\\ud800"}
        if session_id == "number":
            return {"closed": self.count}
        return None if session_id != "s1" else {"closed": False}


class Held2:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the harness, written out as a user has it, and a reducer."""
    (tmp_path / "harness.py").write_text(harness_text("python"), "utf-8")
    (tmp_path / "held.py").write_text(REDUCER, "utf-8")
    return tmp_path


def asked(folder: Path, *lines: str, python: str = sys.executable) -> list[Any]:
    """What the harness answers to these lines."""
    ran = subprocess.run(
        [python, "harness.py", "held:Held"],
        cwd=folder,
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


HELLO = '{"op": "hello", "version": 1, "edition": "draft"}'
RESET = '{"op": "reset"}'


def applied(method: str) -> str:
    event = {"dir": "a2c", "msg": {"jsonrpc": "2.0", "method": method}}
    return json.dumps({"op": "apply", "events": [event]})


@pytest.fixture(params=list(EDITIONS.values()), ids=list(EDITIONS))
def behind(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Edition, Target]]:
    """The small reducer of the tests behind the harness."""
    monkeypatch.chdir(Path(__file__).parents[2])
    harness = tmp_path / "harness.py"
    harness.write_text(harness_text("python"), "utf-8")
    line = shlex.join([sys.executable, str(harness), "tests.helpers.small:Small"])
    with closing(open_target(f"cmd:{line}", edition=request.param)) as target:
        yield request.param, target


@pytest.mark.slow
def test_a_reducer_behind_it_passes_every_vector(behind: tuple[Edition, Target]) -> None:
    edition, target = behind
    found = [Found(vector=one.vector, sections=one.sections) for one in shipped(edition)]

    assert [result.name for result in run(found, target) if result.outcome != "passed"] == []


@pytest.mark.parametrize("language", list(HARNESSES))
def test_it_is_short_enough_to_translate(language: str) -> None:
    assert len(harness_text(language).splitlines()) < LINES_MAX


def test_what_the_reducer_prints_is_no_answer(folder: Path) -> None:
    assert asked(folder, HELLO) == [{"name": "held:Held", "sections": ["closed"]}]


def test_what_the_reducer_raises_is_an_answer(folder: Path) -> None:
    [_, failed, fresh] = asked(folder, HELLO, applied("_test/raise"), RESET)

    assert failed["ok"] is False
    assert failed["error"].startswith("KeyError: 'told to' at held.py:")
    assert fresh == {"ok": True}


def test_a_reducer_that_exits_ends_nothing(folder: Path) -> None:
    [_, failed, fresh] = asked(folder, HELLO, applied("_test/exit"), RESET)

    assert (failed["ok"], fresh["ok"]) == (False, True)


def test_reset_holds_nothing_of_before(folder: Path) -> None:
    number = '{"op": "snapshot", "sessionId": "number"}'
    answers = asked(folder, HELLO, RESET, applied("_x"), number, RESET, number)

    assert [answers[3], answers[5]] == [{"snapshot": {"closed": 1}}, {"snapshot": {"closed": 0}}]


@pytest.mark.parametrize("line", ["nonsense", "7", "null", "{}", '{"op": "sing"}', "\u2028", "[]"])
def test_a_line_that_is_no_request_gets_an_answer(folder: Path, line: str) -> None:
    [_, failed, fresh] = asked(folder, HELLO, line, RESET)

    assert (failed["ok"], fresh["ok"]) == (False, True)


def test_half_a_character_can_be_answered(folder: Path) -> None:
    lone = '{"op": "snapshot", "sessionId": "lone"}'

    assert asked(folder, HELLO, RESET, lone)[2] == {"snapshot": {"closed": "\ud800"}}


def test_without_a_reducer_it_says_how_it_is_called(folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "harness.py"], cwd=folder, capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stdout) == (1, "")
    assert "usage: python harness.py module:attribute" in ran.stderr


def test_a_class_that_is_no_reducer_fails_as_a_target(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    address = f"cmd:{shlex.join([sys.executable, 'harness.py', 'held:Held2.missing'])}"

    with pytest.raises(Exception, match=r"missing|exit|ended"):
        open_target(address, edition=DRAFT)


def test_an_error_of_the_reducer_is_told_as_its_refusal(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    line = shlex.join([sys.executable, "harness.py", "held:Held"])
    events = conversation('setup\n< raw {"jsonrpc": "2.0", "method": "_test/raise"}')
    with closing(open_target(f"cmd:{line}", edition=DRAFT)) as target:
        target.reset()
        target.apply(events)
        with pytest.raises(TargetFailure, match="KeyError"):
            target.snapshot("s1")


def runs(python: str) -> bool:
    """Whether this is a Python: some names on PATH only say that there is none."""
    found = shutil.which(python)
    return (
        found is not None
        and not subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode
    )


def test_an_older_python_runs_it(folder: Path) -> None:
    older = next(filter(runs, ("python3.8", "python3.9", "python3.10")), None)
    if older is None:
        pytest.skip("no Python before 3.11 on PATH")

    assert asked(folder, HELLO, python=older)[0]["sections"] == ["closed"]
