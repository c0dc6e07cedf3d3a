"""How the examples of kept and broken rules are read; see `test_both_ways`."""

from __future__ import annotations

from typing import TypeAlias

from acpsim.rules.check import check
from acpsim.rules.examples import examples
from acpsim.rules.finding import Report
from acpsim.wire.edition import EDITIONS
from tests.helpers.shorthand import conversation

Entry: TypeAlias = str | tuple[str, str]
"""A conversation in shorthand, with an edition's name where it is not `draft`."""
Table: TypeAlias = dict[str, tuple[str, str]]

KEEPS: Table = {r: (one.text, one.edition.name) for r, one in examples("keeps").items()}
BREAKS: Table = {r: (one.text, one.edition.name) for r, one in examples("breaks").items()}


def report(entry: Entry, *, complete: bool = True, observer: str = "wire") -> Report:
    """What the rules say of a conversation in shorthand."""
    text, name = entry if isinstance(entry, tuple) else (entry, "draft")
    edition = EDITIONS[name]
    events = conversation(text, edition=edition)
    return check(events, edition=edition, observer=observer, complete=complete)  # type: ignore[arg-type]


def found(rule: str, entry: Entry, *, complete: bool = True, observer: str = "wire") -> list[str]:
    """`LINE CERTAINTY` of every finding of one rule on a conversation in shorthand."""
    result = report(entry, complete=complete, observer=observer)
    return [f"{f.line} {f.certainty}" for f in result.findings if f.rule == rule]
