"""A fault as a test function: Python that runs by itself, whatever a peer wrote in it."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.counterexample import counterexample
from acpsim.oracles.restate import Expectation, Restated, restated
from acpsim.targets.mutants import MUTANTS
from acpsim.targets.reference import ReferenceTarget
from acpsim.views.pyfunction import WIDTH, function_file, literal
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event, event
from tests.helpers.shorthand import conversation

HOSTILE = 'quote " triple """ back \\ newline \n esc \x1b[2J nul \x00 \u202e \U0001f600 é \u2028'


def plain(**fields: Any) -> Restated:
    events = conversation('setup\n< agent_message m1 "hi"')
    values: dict[str, Any] = {
        "name": "fault",
        "reason": "a reason",
        "oracle": "agreement",
        "rules": ("PATCH-OMIT",),
        "edition": "draft",
        "runs": ((tuple(events),),),
        "expectations": (
            Expectation(session="s1", place=("timeline",), value=[["agent_message", "m1"]]),
        ),
    }
    return Restated(**values | fields)


def outcome(text: str, name: str = "test_fault") -> str:
    """What comes of the function in this file: `passed`, or the error."""
    space: dict[str, Any] = {}
    exec(compile(text, "test_file.py", "exec"), space)
    try:
        space[name]()
    except AssertionError as error:
        return f"failed {error}"
    return "passed"


def both(restatement: Restated, mutant: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    text = function_file(restatement, f"mutant:{mutant}")
    name = f"test_{restatement.name}"
    wrong = outcome(text, name)
    monkeypatch.setenv("ACPSIM_TARGET", "reference")
    return wrong.split()[0], outcome(text, name)


def test_it_fails_on_the_faulty_target_and_passes_on_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mutant = MUTANTS["echo-doubled"].target(DRAFT)
    events = conversation('setup\n> #1 prompt "hi"\n< user_message u1 "hi"\n< #1 ok u1')
    verdict = judge_agreement(events, mutant, reference=ReferenceTarget(DRAFT))
    assert verdict is not None
    example = counterexample(verdict, edition=DRAFT)

    restatement = restated(example, mutant, reference=ReferenceTarget(DRAFT))

    assert both(restatement, "echo-doubled", monkeypatch) == ("failed", "passed")


def test_two_runs_are_compared_with_each_other() -> None:
    one = tuple(conversation('setup\n< agent_message m1 "hi"'))
    restatement = plain(
        runs=((one,), (one[:2], one[2:])),
        expectations=(Expectation(session="s1", place=("timeline",)),),
    )

    text = function_file(restatement, "reference")

    assert outcome(text) == "passed"
    assert 'assert at(second["s1"], "timeline") == at(first["s1"], "timeline")' in text


def test_a_conversation_is_told_twice_where_a_reset_is_in_doubt() -> None:
    text = function_file(plain(again=True), "reference")

    assert "for _ in range(2):" in text
    assert outcome(text) == "passed"


def test_a_law_is_asked_by_name_and_with_its_seed() -> None:
    restatement = plain(expectations=(), law="name-blind", seed=7, oracle="law:name-blind")

    text = function_file(restatement, "mutant:ids-without-case")

    assert "chance = random.Random(7)" in text
    assert isinstance(ast.parse(text), ast.Module)


def test_a_target_only_has_to_answer_after_a_crash() -> None:
    text = function_file(plain(expectations=(), sessions=("s1",)), "reference")

    assert outcome(text) == "passed"


def test_a_session_without_messages_may_be_absent() -> None:
    restatement = plain(
        expectations=(
            Expectation(session="nobody", place=("timeline",), value=[], may_be_absent=True),
        )
    )

    assert outcome(function_file(restatement, "reference")) == "passed"


def test_a_whole_snapshot_can_be_expected() -> None:
    restatement = plain(expectations=(Expectation(session="nobody", place=(), value=None),))

    assert outcome(function_file(restatement, "reference")) == "passed"


def test_the_docstring_says_why_and_what_was_checked() -> None:
    text = function_file(plain(minimal=True), "reference")

    said = ast.get_docstring(ast.parse(text))
    assert said is not None
    assert said.startswith("a reason")
    assert "Found by agreement, PATCH-OMIT; without any one of its messages" in said


@pytest.mark.parametrize("place", ["reason", "target", "id", "value", "session"])
def test_hostile_texts_leave_it_one_function_in_ascii(place: str) -> None:
    said = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {
            "sessionId": "s1",
            "update": {
                "sessionUpdate": "agent_message",
                "messageId": HOSTILE if place == "id" else "m1",
            },
        },
    }
    events: tuple[Event, ...] = (event("a2c", said, edition=DRAFT),)
    restatement = plain(
        reason=HOSTILE if place == "reason" else "a reason",
        runs=((events,),),
        expectations=(
            Expectation(
                session=HOSTILE if place == "session" else "s1",
                place=("timeline",),
                value=HOSTILE if place == "value" else [],
            ),
        ),
    )

    text = function_file(restatement, HOSTILE if place == "target" else "reference")

    assert text.isascii()
    assert not set(text) & {chr(code) for code in range(32) if code != 10}
    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    assert functions == ["told", "held", "at", "test_fault"]


def test_a_lost_connection_and_a_line_that_is_no_json_are_told_too() -> None:
    events = tuple(conversation("setup\nlost"))
    unread = event("a2c", b"no json", edition=DRAFT)

    text = function_file(plain(runs=(((*events, unread),),), expectations=()), "reference")

    assert '{"dir": "lost"}' in text
    assert '{"dir": "a2c", "raw": "no json"}' in text


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -1.5, 10**30, "", HOSTILE, [], {}, [[]], {"a": [1, {"b": None}]}, "\ud800"],
)
def test_a_literal_is_the_value(value: Any) -> None:
    assert ast.literal_eval(literal(value)) == value


def test_a_long_literal_stands_in_lines_that_people_can_read() -> None:
    value = {f"name{number}": ["word"] * 5 for number in range(30)}

    text = literal(value)

    assert ast.literal_eval(text) == value
    assert max(map(len, text.splitlines())) <= WIDTH


@pytest.mark.slow
def test_pytest_runs_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "test_fault.py"
    path.write_text(function_file(plain(), "reference"))

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout
