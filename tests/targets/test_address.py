"""Where `--target` leads, and what it says where it leads nowhere."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acpsim.errors import UsageError
from acpsim.targets.address import open_target
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.stdio import StdioTarget
from acpsim.targets.target import Target
from acpsim.wire.edition import DRAFT

CHILD = Path(__file__).with_name("child.py")

REDUCER = """
class Reducer:
    def __init__(self, edition):
        self.edition = edition
    def apply(self, event):
        pass
    def snapshot(self, session_id):
        return None

class Broken(Reducer):
    def __init__(self, edition):
        raise RuntimeError("no licence")

class Slow(Reducer):
    def __init__(self, edition):
        while True:
            pass

class Sections(Reducer):
    sections = ["timelin"]

class Inner:
    Reducer = Reducer

LIMIT = 7
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A current directory with modules in it, which no test leaves behind."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    (tmp_path / "my_reducer.py").write_text(REDUCER)
    (tmp_path / "needs.py").write_text("import not_there_at_all\n")
    (tmp_path / "slips.py").write_text("x = 1\ndef f(:\n")
    (tmp_path / "fails.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "exits.py").write_text("import sys\nsys.exit(0)\n")
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def opened(address: str) -> Target:
    return open_target(address, edition=DRAFT)


def refusal(address: str) -> str:
    with pytest.raises(UsageError) as caught:
        opened(address)
    text = str(caught.value)
    assert text.startswith(f"--target {address}: ")
    assert "\n" not in text
    return text.removeprefix(f"--target {address}: ")


def child(mode: str) -> str:
    return "cmd:" + shlex.join([sys.executable, "-I", "-S", str(CHILD), mode])


def test_reference_is_the_reference() -> None:
    assert isinstance(opened("reference"), ReferenceTarget)


def test_a_module_of_the_current_directory_is_found() -> None:
    target = opened("my_reducer:Reducer")

    assert isinstance(target, InProcessTarget)
    assert target.name == "my_reducer:Reducer"


def test_an_attribute_may_be_dotted() -> None:
    assert isinstance(opened("my_reducer:Inner.Reducer"), InProcessTarget)


def test_a_mutant_is_found_by_its_name() -> None:
    assert opened("mutant:echo-doubled").name == "mutant:echo-doubled"


def test_a_program_is_started() -> None:
    target = opened(child("good"))
    try:
        assert isinstance(target, StdioTarget)
        assert target.sections == ("usage",)
    finally:
        target.close()


@pytest.mark.parametrize("address", ["", "reducer", "./reducer"])
def test_what_is_no_address_is_answered_with_the_forms(address: str) -> None:
    assert refusal(address) == (
        "names no target; give module:attribute, mutant:NAME, cmd:COMMAND LINE or reference"
    )


def test_a_misspelt_mutant_is_answered_with_the_nearest() -> None:
    assert "echo-doubled" in refusal("mutant:echo-double")
    assert refusal("mutant:echo-double").startswith("no such mutant; did you mean ")


def test_a_mutant_like_no_other_is_answered_with_where_they_are_listed() -> None:
    assert refusal("mutant:zzzzzz") == "no such mutant; acpsim mutants --list names them all"


@pytest.mark.parametrize("program", ["./reducer", "no-such-program-anywhere", "/no/where x"])
def test_a_program_that_is_not_there_is_told_so(program: str) -> None:
    assert refusal(f"cmd:{program}") == "no such program; give a path or a name on PATH"


def test_a_file_here_is_no_name_on_path(here: Path) -> None:
    (here / "reducer").write_text("")

    assert refusal("cmd:reducer") == "no such program; for the file here write ./reducer"


def test_a_file_that_may_not_run_is_told_how(here: Path) -> None:
    (here / "reducer.mjs").write_text("")

    assert refusal("cmd:./reducer.mjs").startswith("not executable; allow it (chmod +x) or name ")


def test_a_directory_is_no_program(here: Path) -> None:
    assert refusal(f"cmd:{here}") == "is a directory; give a program"


def test_a_script_without_a_first_line_is_told_so(here: Path) -> None:
    (here / "reducer").write_bytes(b"\x00\x01")
    (here / "reducer").chmod(0o755)

    assert refusal("cmd:./reducer").startswith("not a program that the system can run; a script ")


def test_a_missing_interpreter_is_told_from_a_missing_program(here: Path) -> None:
    (here / "reducer").write_text("#!/no/such/interpreter\n")
    (here / "reducer").chmod(0o755)

    assert refusal("cmd:./reducer") == "its first line names an interpreter that is not there"


def test_an_empty_command_line_names_no_program() -> None:
    assert refusal("cmd: ").startswith("names no program; give a command line")


def test_an_open_quote_is_told_so() -> None:
    assert refusal("cmd:node 'x").startswith("cannot be split into words: no closing quotation")


def test_a_program_that_fails_at_hello_cannot_be_started() -> None:
    assert refusal(child("hello-exit")) == (
        'asked hello, expected {"name": …, "sections": […]}, and it exited with status 1; '
        "it said: no licence"
    )


def test_the_error_is_shown_and_not_what_an_interpreter_says_after_it(here: Path) -> None:
    (here / "reducer").write_text(
        '#!/bin/sh\nprintf "x.js:1\\nTypeError: no\\n\\nv20\\n" >&2\nexit 1\n'
    )
    (here / "reducer").chmod(0o755)

    assert refusal("cmd:./reducer").endswith("exited with status 1; it said: TypeError: no")


def test_a_module_that_is_not_there_is_named() -> None:
    assert refusal("nowhere_at_all:Reducer") == (
        "no module nowhere_at_all in the current directory or on the Python path"
    )


def test_a_missing_part_of_a_dotted_module_is_named() -> None:
    assert refusal("my_reducer.inner:Reducer").startswith("no module my_reducer.inner in ")


def test_a_file_is_no_module() -> None:
    assert refusal("./my_reducer.py:Reducer") == (
        "is a file; give its module's name, my_reducer:Reducer"
    )


def test_what_the_module_needs_is_told_from_the_module() -> None:
    assert refusal("needs:Reducer") == (
        "importing needs: it needs the module not_there_at_all, which is not there"
    )


def test_a_syntax_error_is_told_with_its_line() -> None:
    assert "slips.py:2: " in refusal("slips:Reducer")


@pytest.mark.parametrize(
    ("module", "what"),
    [
        ("fails", "ZeroDivisionError: division by zero (fails.py:2, in <module>: y = x / 0)"),
        ("exits", "SystemExit: 0 (exits.py:2, in <module>: sys.exit(0))"),
    ],
)
def test_an_exception_at_import_is_told_with_its_place(module: str, what: str) -> None:
    assert refusal(f"{module}:Reducer") == f"asked to be imported as {module}, it raised {what}"


def test_a_missing_attribute_is_answered_with_the_nearest() -> None:
    assert refusal("my_reducer:Reduce").startswith(
        'my_reducer has no "Reduce"; did you mean Reducer'
    )


def test_an_attribute_is_asked_for() -> None:
    assert refusal("my_reducer:").startswith("names no attribute; give module:attribute")


def test_what_cannot_be_called_is_told_so() -> None:
    assert refusal("my_reducer:LIMIT").startswith("LIMIT is int, not callable; give a class or")


def test_a_factory_that_makes_no_reducer_is_told_what_lacks() -> None:
    assert refusal("builtins:list") == (
        "what it makes (list) has no method apply; known are append, clear, copy, count, extend, "
        "index, insert, pop, remove, reverse, sort"
    )


def test_a_factory_that_raises_is_told_with_its_place() -> None:
    assert refusal("my_reducer:Broken").startswith(
        'asked to start with edition "draft", it raised RuntimeError: no licence (my_reducer.py:'
    )


def test_a_factory_that_does_not_return_is_told_so() -> None:
    with pytest.raises(UsageError, match=r"calling Slow had not returned after 0\.05 s"):
        open_target("my_reducer:Slow", edition=DRAFT, timeout_s=0.05)


def test_a_section_that_does_not_exist_is_answered_with_the_nearest() -> None:
    assert refusal("my_reducer:Sections") == 'no section "timelin"; did you mean timeline?'
