"""The pytest plugin, as somebody uses it in a project of their own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from acpsim.oracles.laws import LAWS
from acpsim.pytest_plugin import suite
from acpsim.rules.registry import RULES

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
INSTALLED = bool(entry_points(group="pytest11", name="acpsim"))
ON = ("-p", "no:cacheprovider", *(() if INSTALLED else ("-p", "acpsim.pytest_plugin")))
"""The plugin, by name where this environment was made before there was one."""

HELD = """
class Held:
    sections = ["plans", "closed"]

    def __init__(self, edition):
        pass

    def apply(self, event):
        pass

    def snapshot(self, session_id):
        return {"plans": {}, "closed": False}
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    pytester.makepyfile(held=HELD)
    return pytester


def told(project: pytest.Pytester, target: str, *arguments: str, more: str = "") -> str:
    """A test file for this target is run; returns what pytest says."""
    project.makepyfile(
        test_it=f"""
from acpsim.pytest_plugin import suite

TestIt = suite({target!r}, fuzz_cases=20{more})
"""
    )
    ran = project.runpytest_subprocess(*ON, "-rs", "-v", *arguments)
    return ran.stdout.str()


def test_the_reference_passes_with_one_test_for_each_rule_and_law(
    project: pytest.Pytester,
) -> None:
    said = told(project, "reference", "-W", "error")
    skipped = {"CLOSE-SILENCE", "RESUME-STATE"}  # Only the other edition has them.

    passed = {rule for rule in RULES if f"::test_acp[{rule}] PASSED" in said}
    assert set(RULES) - passed == skipped
    assert [law for law in LAWS if f"::test_law[{law}] PASSED" not in said] == []
    assert "::test_fuzz PASSED" in said
    assert "failed" not in said


def test_a_seeded_fault_fails_its_rule_and_no_other(project: pytest.Pytester) -> None:
    said = told(project, "mutant:chunk-meta-patched", "-k", "test_acp")

    assert [line.split()[0] for line in said.splitlines() if " FAILED " in line] == [
        "test_it.py::TestIt::test_acp[CHUNK-META]"
    ]


def test_a_failure_shows_the_fault_and_no_traceback(project: pytest.Pytester) -> None:
    said = told(project, "mutant:chunk-meta-patched", "-k", "CHUNK-META or fuzz")

    assert "CHUNK-META: A chunk's _meta is the chunk's own" in said
    assert "see it again: acpsim vectors run rule-CHUNK-META" in said
    assert "acpsim replay " in said
    assert "Traceback" not in said
    assert "acpsim/pytest_plugin" not in said


def test_a_law_that_is_broken_fails_its_test(project: pytest.Pytester) -> None:
    said = told(project, "mutant:message-aliased", "-k", "no-aliasing")

    assert "::test_law[no-aliasing] FAILED" in said


def test_a_class_is_as_good_as_an_address(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_it="""
from acpsim.pytest_plugin import suite
from held import Held

TestHeld = suite(Held, fuzz_cases=20)
"""
    )
    ran = project.runpytest_subprocess(*ON, "-v", "-k", "PLAN-REPLACE or fuzz")

    ran.assert_outcomes(failed=2, deselected=len(RULES) + len(LAWS))
    assert "--target held:Held" in ran.stdout.str()


def test_a_rule_about_sections_that_are_not_kept_is_skipped(project: pytest.Pytester) -> None:
    said = told(project, "held:Held", "-k", "CHUNK-META")

    assert "::test_acp[CHUNK-META] SKIPPED" in said
    assert "keeps none of the sections" in said


def test_a_program_is_tested_too(project: pytest.Pytester) -> None:
    harness = ROOT / "acpsim" / "harness" / "harness.py"
    line = f"cmd:{sys.executable} {harness} held:Held"
    said = told(project, line, "-k", "PLAN-REPLACE or no-aliasing")

    assert "::test_acp[PLAN-REPLACE] FAILED" in said
    assert "::test_law[no-aliasing] SKIPPED" in said


def test_a_target_that_is_not_there_is_told_in_one_line(project: pytest.Pytester) -> None:
    said = told(project, "nowhere:Reducer", "-k", "PLAN-REPLACE or fuzz")

    assert "::test_acp[PLAN-REPLACE] FAILED" in said
    assert "nowhere:Reducer: no module nowhere in the current directory" in said
    assert "Traceback" not in said


def test_the_command_line_says_another_target_and_time(project: pytest.Pytester) -> None:
    said = told(
        project,
        "reference",
        *("--acp-target", "mutant:chunk-meta-patched", "--acp-seconds", "0"),
        *("-k", "CHUNK-META or fuzz"),
    )

    assert "::test_acp[CHUNK-META] FAILED" in said
    assert "::test_fuzz SKIPPED" in said


def test_workers_share_the_tests(project: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    said = told(project, "reference", "-n", "2", "-k", "PLAN or CHUNK")

    assert " passed" in said
    assert "failed" not in said


def test_faults_are_saved_where_the_suite_says(project: pytest.Pytester) -> None:
    told(project, "mutant:chunk-meta-patched", "-k", "fuzz", more=", faults='kept'")

    assert list((project.path / "kept").glob("*.jsonl")) != []


def test_loading_the_plugin_loads_nothing_else_of_ours() -> None:
    code = (
        "import sys; import acpsim.pytest_plugin; "
        "print(sorted(m for m in sys.modules if 'acpsim' in m))"
    )

    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert ran.stdout == "['acpsim', 'acpsim.pytest_plugin']\n"


def test_it_is_an_entry_point() -> None:
    assert 'acpsim = "acpsim.pytest_plugin"' in (ROOT / "pyproject.toml").read_text("utf-8")


def test_an_edition_that_is_not_known_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"edition 'v3': no such edition; one of draft, sdk-2\.4"):
        suite("reference", edition="v3")


def test_a_class_that_no_name_leads_to_is_refused_at_once() -> None:
    def local(edition: str) -> object:
        return edition

    with pytest.raises(ValueError, match="cannot be imported by its name"):
        suite(local)


def test_the_example_of_its_docstring_has_five_lines_at_most() -> None:
    import acpsim.pytest_plugin as plugin

    example = [
        line
        for line in textwrap.dedent(plugin.__doc__ or "").splitlines()
        if line.startswith("    ") and line.strip()
    ]

    assert 0 < len(example) <= 5
