"""Every command in a guide does what the guide says."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

from acpsim.cli import run

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted((ROOT / "acpsim" / "guides").glob("*.md"))


def steps(text: str) -> list[tuple[str, str]]:
    """Files to write and command lines to run, in the order of the guide."""
    pattern = r"<!-- file: ([\w.]+) -->\n```\w+\n(.*?)```|```sh\n(.*?)```"
    found: list[tuple[str, str]] = []
    for name, content, block in re.findall(pattern, text, re.DOTALL):
        if name:
            found.append((name, content))
        found += [("", line) for line in block.splitlines() if line.startswith("acpsim ")]
    return found


def run_line(line: str) -> int:
    """The exit status of one command line, its output where it says."""
    command, _, _ = line.partition("    # ")
    words, redirected, path = command.partition(" > ")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = run(shlex.split(words)[1:])
    if redirected:
        Path(path.strip()).write_text(out.getvalue(), "utf-8")
    return status


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_command_ends_as_the_guide_says(
    guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("my_client", "test_reducer"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    for name, content in steps(guide.read_text("utf-8")):
        if name:
            Path(name).write_text(content, "utf-8")
            continue
        expected = re.search(r"# exits (\d+)", content)

        assert run_line(content) == (int(expected.group(1)) if expected else 0), content


@pytest.mark.slow
def test_the_suite_of_the_clients_guide_passes(pytester: pytest.Pytester) -> None:
    guide = (ROOT / "acpsim" / "guides" / "clients.md").read_text("utf-8")
    (suite,) = [text for name, text in steps(guide) if name == "test_reducer.py"]
    pytester.makepyfile(test_reducer=suite)

    outcomes = pytester.runpytest_inprocess("-p", "no:cacheprovider").parseoutcomes()

    assert outcomes["passed"] > 40
    assert outcomes.keys() <= {"passed", "skipped"}


@pytest.mark.parametrize("guide", GUIDES, ids=lambda path: path.stem)
def test_every_file_that_a_guide_names_exists(guide: Path) -> None:
    text = guide.read_text("utf-8")
    named = [ROOT / path for path in re.findall(r"`((?:acpsim|tests|models)/[\w./-]+)`", text)]
    linked = [guide.parent / path for path in re.findall(r"\]\(([\w./-]+)\)", text)]

    assert [path for path in (*named, *linked) if not path.exists()] == []
