"""The reports say what is so, and `reports/` holds what their commands make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from acpsim.report.ambiguities import ledger
from acpsim.report.page import Given, cell, page, table
from acpsim.report.reports import REPORTS, SMALL
from acpsim.rules.registry import RULES
from acpsim.sim.model import shipped_models
from acpsim.targets.mutants import MUTANTS
from acpsim.wire.edition import DRAFT

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "reports"
DRAFT_GIVEN = Given(edition="draft")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_report_is_what_its_command_makes(name: str, request: pytest.FixtureRequest) -> None:
    for file, text in REPORTS[name](DRAFT_GIVEN).items():
        path = PAGES / file
        if path.suffix != ".md":
            continue  # pictures are drawn by libraries of other versions elsewhere
        if request.config.getoption("--update"):
            path.write_bytes(text)
        assert path.read_bytes() == text, f"{path.name} is old; acpsim report {name}"


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.name)
def test_every_report_begins_with_its_command_and_what_it_was_made_from(path: Path) -> None:
    command, made, *_ = path.read_text("utf-8").splitlines()

    assert command.startswith("<!-- acpsim ")
    assert re.search(r"acpsim .*, edition .*, seeds? ", made)


def test_every_rule_is_in_the_book() -> None:
    book = (PAGES / "rules.md").read_text("utf-8")

    assert [rule for rule in RULES if f"\n## {rule}\n" not in book] == []


def test_no_rule_is_exercised_by_nothing() -> None:
    rows = [
        line for line in (PAGES / "coverage.md").read_text("utf-8").splitlines() if "| `" in line
    ]

    empty = [row for row in rows if not any(part.strip() for part in row.split("|")[3:-1])]
    assert len(rows) == len(RULES)
    assert empty == []


@pytest.mark.parametrize("one", ledger(), ids=lambda one: one.title)
def test_an_ambiguity_names_where_it_was_decided(one: object) -> None:
    where = one.where  # type: ignore[attr-defined]
    known = {*RULES, *MUTANTS, *shipped_models(), *DRAFT.__slots__}
    for place in where.split(", "):
        word = place.split(" ")[-1]
        if word.startswith("reducer."):
            module = word.split(".")[1]
            assert (ROOT / "acpsim" / "reducer" / f"{module}.py").exists()
        else:
            assert word in known


def test_a_table_cell_never_breaks_its_row() -> None:
    assert cell("a | b\nc") == "a \\| b c"


def test_columns_of_numbers_stand_to_the_right() -> None:
    lines = table(("what", "count"), [("a", 1000), ("b", 2)])

    assert lines[1] == "|---|---:|"
    assert lines[2] == "| a | 1,000 |"


def test_a_page_begins_with_its_command() -> None:
    text = page("Title", "rules", Given(edition="sdk-2.4", seed=3), ["body"])

    assert text.startswith("<!-- acpsim report rules --edition sdk-2.4 --seed 3 -->\n")
