"""What a terminal is shown beside the lines: a bar that is gone when they come, completions."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acpsim.cli import COMMANDS

pty = pytest.importorskip("pty", reason="terminals are made by pty, which this system has not")

ROOT = Path(__file__).parents[2]
ACPSIM = (sys.executable, "-m", "acpsim")
ERASE = "\x1b[2K"
"""What the bar writes to take itself away."""


def on_a_terminal(folder: Path, *words: str) -> str:
    """What is shown where standard output and standard error are one terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        [*ACPSIM, *words], cwd=folder, env=environment, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # How Linux says that nobody writes to it any more.
                break
            if not more:
                break
            shown += more
    os.close(ours)
    return shown.decode()


def completed(line: str, word: int) -> list[str]:
    """What bash is offered for a word of a command line."""
    asked = {"_ACPSIM_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(word)}
    ran = subprocess.run(
        ACPSIM,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **asked},
    )
    return [entry.partition(",")[2] or entry for entry in ran.stdout.split()]


@pytest.mark.slow
def test_the_bar_is_gone_when_a_line_is_written(tmp_path: Path) -> None:
    shown = on_a_terminal(
        tmp_path, "fuzz", "--target", "mutant:echo-doubled", "--cases", "40", "--seed", "1"
    )

    before, found, _ = shown.partition("fault 1: ")
    assert ("━" in before, found, "━" in before.rpartition(ERASE)[2]) == (True, "fault 1: ", False)


@pytest.mark.slow
def test_a_fault_is_shown_in_colour(tmp_path: Path) -> None:
    shown = on_a_terminal(
        tmp_path, "fuzz", "--target", "mutant:echo-doubled", "--cases", "40", "--seed", "1"
    )

    assert "\x1b[31mfault 1: " in shown


@pytest.mark.slow
def test_a_shell_is_offered_the_commands() -> None:
    assert completed("acpsim ", 1) == list(COMMANDS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "word", "offered"),
    [
        ("acpsim check --rule PROMPT-ECHO-", 3, ["PROMPT-ECHO-OF-REJECTED"]),
        ("acpsim show --edition ", 3, ["draft", "sdk-2.4"]),
        ("acpsim mutants --only echo-dou", 3, ["echo-doubled"]),
        ("acpsim reduce --form", 2, ["--format"]),
    ],
)
def test_a_shell_is_offered_what_an_option_takes(line: str, word: int, offered: list[str]) -> None:
    assert completed(line, word) == offered


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "reduce", "show", "replay"])
def test_a_shell_is_asked_for_files_where_a_file_belongs(command: str) -> None:
    assert completed(f"acpsim {command} ", 2) == ["file,"]


def test_offering_the_commands_imports_nothing_heavy() -> None:
    code = (
        "import sys, click; from acpsim.cli import group\n"
        "group.shell_complete(click.Context(group), '')\n"
        "print(sorted({'hypothesis', 'msgspec', 'rich', 'simpy'} & set(sys.modules)))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )

    assert ran.stdout == "[]\n"
