"""The repository's own promises: who imports whom, how large a file may grow, what is never said.

Each message reads `path:line: what, use what instead`, so that it can be acted on by itself.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "acpsim"

FILE_LINES_MAX = 500
FUNCTION_LINES_MAX = 70
LARGE: dict[str, str] = {}
"""Files and functions over the limit, with the reason. The list may only shrink."""

PURE = {"wire", "reducer", "rules", "schedule"}
MAY_IMPORT: dict[str, set[str]] = {
    "wire": set(),
    "schedule": set(),
    "reducer": {"wire"},
    "rules": {"wire"},
    "targets": {"wire", "errors"},
    "oracles": {"wire", "targets", "errors", "files"},
    "sim": {"wire", "schedule", "errors"},
    "explore": {
        "sim",
        "schedule",
        "oracles",
        "targets",
        "rules",
        "wire",
        "fuzz",
        "errors",
        "files",
    },
    "fuzz": {"wire", "schedule", "sim", "oracles", "targets", "rules", "errors", "files"},
    "vectors": {"wire", "schedule", "oracles", "targets", "rules", "fuzz", "errors", "files"},
    "harness": set(),
    "pytest_plugin": {
        *("vectors", "fuzz", "oracles", "targets", "rules", "wire", "views", "errors", "files"),
    },
    "measure": {"wire", "sim", "targets", "errors", "files"},
    "live": {"wire", "schedule", "sim", "rules", "errors", "files"},
    "views": {
        *("wire", "rules", "oracles", "fuzz", "sim", "targets", "explore"),
        *("vectors", "live", "measure"),
        *("errors", "files"),
    },
    "report": {
        *("wire", "rules", "oracles", "targets", "sim", "fuzz", "explore", "vectors", "measure"),
        *("views", "errors", "files"),
    },
    "errors": set(),
    "files": {"errors"},
}
"""Package or top module → what it may import of ours, itself apart. `cli` may import everything."""

SEES_REDUCER = {"acpsim/targets/reference.py"}
"""Besides the mutants, the only place outside the reducer that may import it."""

OUTSIDE: dict[str, set[str]] = {
    "hypothesis": {"fuzz"},
    "simpy": {"sim"},
    "numpy": {"sim", "views", "measure"},
    "matplotlib": {"views"},
    "rich": {"views", "cli"},
    "click": {"cli"},
}
"""Third-party package → the rooms that may import it. msgspec may go anywhere."""

NOT_PURE = {"time", "random", "os", "sys", "io", "socket", "subprocess", "threading", "pathlib"}
DRAWS = {"acpsim/schedule"}
"""Where `random` is handed out: the only pure room that may import it."""


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room(path: Path) -> str:
    parts = path.relative_to(PACKAGE).parts
    return parts[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Every import that runs: those for type checkers only may point anywhere below `cli`."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.lineno, node.module


def test_imports_go_down_the_ladder() -> None:
    wrong = []
    for path in sources():
        here = room(path)
        if here in {"cli", "__init__", "__main__"}:
            continue
        allowed = MAY_IMPORT.get(here)
        assert allowed is not None, f"{name(path)}:1: no such room; add it to MAY_IMPORT"
        for line, module in imports(path):
            parts = module.split(".")
            if parts[0] != "acpsim" or len(parts) < 2 or parts[1] == here:
                continue
            seen = name(path) in SEES_REDUCER or "/mutants" in name(path)
            if parts[1] == "reducer" and seen:
                continue
            if parts[1] not in allowed:
                wrong.append(
                    f"{name(path)}:{line}: imports {module}; {here} may import "
                    f"{', '.join(sorted(allowed)) or 'nothing of ours'}"
                )
    assert wrong == []


def test_each_library_stays_in_its_room() -> None:
    wrong = [
        f"{name(path)}:{line}: imports {module}; only {', '.join(sorted(rooms))} may"
        for path in sources()
        for line, module in imports(path)
        if (rooms := OUTSIDE.get(module.split(".")[0])) is not None and room(path) not in rooms
    ]
    assert wrong == []


def test_the_core_has_no_clock_no_files_and_no_chance() -> None:
    wrong = [
        f"{name(path)}:{line}: imports {module}; {room(path)} maps values to values"
        for path in sources()
        if room(path) in PURE
        for line, module in imports(path)
        if module.split(".")[0] in NOT_PURE
        and not (module == "random" and any(name(path).startswith(d) for d in DRAWS))
    ]
    assert wrong == []


def test_files_fit_in_one_sitting() -> None:
    wrong = [
        f"{name(path)}:1: {lines} lines, over {FILE_LINES_MAX}: split it"
        for path in [*sources(), *sorted((ROOT / "tests").rglob("*.py"))]
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > FILE_LINES_MAX
        and name(path) not in LARGE
    ]
    assert wrong == []


def test_functions_fit_on_a_screen() -> None:
    wrong = []
    for path in sources():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES_MAX and f"{name(path)}:{node.name}" not in LARGE:
                wrong.append(
                    f"{name(path)}:{node.lineno}: {node.name} has {lines} lines, "
                    f"over {FUNCTION_LINES_MAX}: split it"
                )
    assert wrong == []


def test_the_list_of_large_things_only_shrinks() -> None:
    gone = [entry for entry in LARGE if not (ROOT / entry.split(":")[0]).exists()]
    assert gone == []


def test_every_module_says_what_it_owns() -> None:
    wrong = [
        f"{name(path)}:1: no docstring; say what the module owns and what it leaves to others"
        for path in sources()
        if not ast.get_docstring(tree(path))
    ]
    assert wrong == []


def test_an_edition_is_never_compared_by_name() -> None:
    wrong = []
    for path in sources():
        if name(path) == "acpsim/wire/edition.py":
            continue
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Compare):
                continue
            wrong += [
                f"{name(path)}:{node.lineno}: compares an edition's name; "
                "ask for the difference (a field of wire.edition.Edition)"
                for side in (node.left, *node.comparators)
                if isinstance(side, ast.Constant) and side.value in {"draft", "sdk-2.4"}
            ]
    assert wrong == []


def test_only_the_command_line_prints() -> None:
    wrong = [
        f"{name(path)}:{node.lineno}: print; yield an event or return a text"
        for path in sources()
        if room(path) != "cli"
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert wrong == []


def test_every_dataclass_says_whether_it_is_frozen() -> None:
    wrong = []
    for path in sources():
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.ClassDef):
                continue
            for decorator in node.decorator_list:
                text = ast.unparse(decorator)
                if "dataclass" in text and not ("frozen=" in text and "slots=" in text):
                    wrong.append(f"{name(path)}:{node.lineno}: {node.name}: say frozen= and slots=")
    assert wrong == []


FORBIDDEN = (
    (re.compile(r"/work/(main|shared)|/tmp/venv|/root/"), "a path of one machine"),
    (re.compile(r"registry\.npmjs|pypi\.org/simple|files\.pythonhosted|index\.crates"), "a host"),
    (re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b"), "a leftover reminder"),
)


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: which files are ours is not known")
    return [ROOT / entry for entry in listed.stdout.split("\0") if entry]


def test_no_file_names_a_machine_a_host_or_an_unfinished_thing() -> None:
    wrong = []
    for path in tracked():
        if not path.is_file() or path == Path(__file__) or path.suffix in {".png", ".svg"}:
            continue
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            wrong += [
                f"{name(path)}:{number}: {what}: {match.group()}"
                for pattern, what in FORBIDDEN
                if (match := pattern.search(line))
            ]
    assert wrong == []


def test_the_packaged_conversations_are_the_recorded_ones() -> None:
    packaged = sorted((PACKAGE / "recorded").glob("*.jsonl"))
    different = [
        path.name
        for path in packaged
        if path.read_bytes() != (ROOT / "tests" / "recorded" / path.name).read_bytes()
    ]

    assert packaged != []
    assert different == []
