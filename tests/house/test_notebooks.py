"""Every notebook runs, is stripped of its outputs, and asks one question.

Run without a kernel: the code cells one after the other in one namespace, which is all they need.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cells(path: Path, kind: str) -> list[str]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found if cell["cell_type"] == kind]


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 7


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "notebook"}
    for at, source in enumerate(cells(path, "code"), 1):
        exec(compile(source, f"{path.name}, code cell {at}", "exec"), namespace)
    from matplotlib import pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stripped_of_outputs(path: Path) -> None:
    found = json.loads(path.read_text("utf-8"))["cells"]

    assert [cell for cell in found if cell.get("outputs") or cell.get("execution_count")] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_asks_one_question_and_answers_it(path: Path) -> None:
    text = "\n".join(cells(path, "markdown"))

    assert text.count("**Question.**") == 1
    assert text.count("**Answer.**") == 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_uses_public_names_only(path: Path) -> None:
    for source in cells(path, "code"):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("acpsim.")
            elif isinstance(node, ast.Import):
                assert not [name for name in node.names if name.name.startswith("acpsim.")]
