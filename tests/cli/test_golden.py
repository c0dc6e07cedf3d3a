"""What people see, to the letter.

`python -m pytest tests/cli/test_golden.py --update` writes it anew, to be reviewed like code.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

GOLDEN = Path(__file__).parents[1] / "golden"
MUTANT = ("fuzz", "--target", "mutant:echo-doubled", "--cases", "60", "--seed", "1")

TEXTS = {
    "help": ["--help"],
    "help-fuzz": ["fuzz", "--help"],
    "help-check": ["check", "--help"],
    "check-plain": ["check", "plain.jsonl"],
    "check-no-echo": ["check", "broken_no_echo.jsonl"],
    "check-cancel-ignored": ["check", "broken_cancel_ignored.jsonl", "plain.jsonl"],
    "show-permission-cascade": ["show", "permission_cascade.jsonl"],
    "show-permission-cascade-mermaid": ["show", "--format", "mermaid", "permission_cascade.jsonl"],
    "show-no-echo": ["show", "broken_no_echo.jsonl"],
    "reduce-plain": ["reduce", "plain.jsonl"],
    "reduce-plain-json": ["reduce", "--format", "json", "plain.jsonl"],
    "show-no-echo-narrow": ["show", "--width", "60", "broken_no_echo.jsonl"],
    "show-plain-json": ["show", "--format", "json", "--most", "3", "plain.jsonl"],
    "help-show": ["show", "--help"],
    "help-reduce": ["reduce", "--help"],
    "help-replay": ["replay", "--help"],
    "help-mutants": ["mutants", "--help"],
    "wrong-session": ["reduce", "--session", "nobody", "plain.jsonl"],
    "fuzz-mutant": list(MUTANT),
}


MASKS = (
    (r"^acpsim \d[\w.]*:", "acpsim VERSION:"),
    (r"cases, [\d,]+ messages, \d+ distinct orders", "cases, N messages, N distinct orders"),
    (r"in \d+\.\d s \(\d+ cases a second\)", "in S s (N cases a second)"),
    (r"by these conversations: \d+ of \d+", "by these conversations: N of N"),
    (r"^never exercised: .*\n", ""),
    (r"something new: [\d.]+%, at most [\d.]+%", "something new: N%, at most N%"),
    (r"1 distinct fault in \d+ cases", "1 distinct fault in N cases"),
)
"""What differs from run to run, from release to release, and with every new kind of case."""


def masked(text: str) -> str:
    for pattern, mask in MASKS:
        text = re.sub(pattern, mask, text, flags=re.MULTILINE)
    return text


def compare(name: str, ran: Ran, *, update: bool) -> None:
    """Hold a command's two outputs and its status against the stored ones."""
    errors = f"--- standard error\n{ran.err}" if ran.err else ""
    text = masked(f"{ran.out}{errors}--- status {ran.status}\n")
    path = GOLDEN / f"{name}.txt"
    if update:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(("name", "words"), TEXTS.items(), ids=TEXTS.keys())
def test_a_command_says_what_it_said(
    acpsim: Callable[..., Ran],
    recorded: Callable[[str], str],
    update: bool,
    name: str,
    words: list[str],
) -> None:
    for word in words:
        if word.endswith(".jsonl"):
            recorded(word.removesuffix(".jsonl"))

    compare(name, acpsim(*words), update=update)


@pytest.mark.parametrize("form", ["text", "mermaid"])
def test_a_simulated_conversation_is_drawn_with_its_crossings(
    acpsim: Callable[..., Ran], update: bool, form: str
) -> None:
    acpsim("sim", "close-during-prompt", "--set", "sessions=1", "--seed", 1, "-o", "trace.jsonl")

    ran = acpsim("show", "--most", 40, "--format", form, "trace.jsonl")

    compare(f"show-simulated-{form}", ran, update=update)


def test_the_replay_of_a_fault_says_what_it_said(acpsim: Callable[..., Ran], update: bool) -> None:
    acpsim(*MUTANT)
    (saved,) = Path("acpsim-faults").iterdir()

    compare("replay-fault", acpsim("replay", saved, "--target", MUTANT[2]), update=update)


def test_the_list_of_mutants_begins_as_it_did(acpsim: Callable[..., Ran], update: bool) -> None:
    ran = acpsim("mutants", "--list")

    head = "".join(ran.out.splitlines(keepends=True)[:8])
    compare("mutants-list-head", Ran(ran.status, head, ran.err), update=update)


def test_every_stored_text_is_one_that_is_compared() -> None:
    extra = {"show-simulated-text", "show-simulated-mermaid", "replay-fault", "mutants-list-head"}

    assert {*TEXTS, *extra} == {path.stem for path in GOLDEN.glob("*.txt")}
