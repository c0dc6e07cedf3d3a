"""The JavaScript harness with the official SDK: what the SDK makes of every vector's messages."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from acpsim.harness import harness_text
from acpsim.targets.address import open_target
from acpsim.targets.target import Target
from acpsim.vectors.running import Found, run
from acpsim.vectors.shipped import shipped
from acpsim.wire.edition import SDK_2_4

pytestmark = [pytest.mark.interop, pytest.mark.slow]

REDUCER = Path(__file__).parents[1] / "harness" / "held.mjs"
LEFT_OUT = {"mutant-unknown-field-dropped"}
"""The SDK leaves out fields that it does not know, and so does who takes its word alone."""


@pytest.fixture
def behind(sdk: Path, tmp_path: Path) -> Iterator[Target]:
    """A reducer behind the harness, with the SDK installed beside it."""
    (tmp_path / "harness.mjs").write_text(harness_text("javascript"), "utf-8")
    shutil.copy(REDUCER, tmp_path)
    (tmp_path / "node_modules").symlink_to(sdk.parents[1], target_is_directory=True)
    line = shlex.join(["node", str(tmp_path / "harness.mjs"), str(tmp_path / "held.mjs")])
    with closing(open_target(f"cmd:{line}", edition=SDK_2_4)) as target:
        yield target


def test_a_reducer_behind_it_passes_every_vector(behind: Target) -> None:
    found = [Found(vector=one.vector, sections=one.sections) for one in shipped(SDK_2_4)]
    results = list(run(found, behind))

    assert {one.name for one in results if one.outcome == "failed"} == LEFT_OUT
    assert [one.outcome for one in results].count("passed") > 100
