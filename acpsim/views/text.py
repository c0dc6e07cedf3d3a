"""Findings, snapshots and tables as lines of text.

Owns: how each is worded for a reader. Every line that holds something a peer wrote has it made
visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from acpsim.rules.finding import Coverage, Finding, Report
from acpsim.views.escape import visible, visible_lines
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Diagnostic


def diagnostic(path: str, value: Diagnostic) -> str:
    """One remark about something unreadable or unusable."""
    return f"{visible(path)}:{value.line}: {visible(value.text)}"


def finding(path: str, value: Finding) -> str:
    """One finding: where, which rule, what."""
    return f"{visible(path)}:{value.line} {value.rule}: {visible(value.text)}"


def checked(
    path: str, report: Report, diagnostics: Iterable[Diagnostic], edition: Edition
) -> Iterator[str]:
    """What `check` says of one trace; its last line says what was tested."""
    for remark in diagnostics:
        yield diagnostic(path, remark)
    for found in report.findings:
        yield finding(path, found)
    for promise in report.open:
        yield f"{visible(path)}:{promise.line} open {promise.rule}: {visible(promise.text)}"
    breaches = sum(found.certainty == "definite" for found in report.findings)
    yield (
        f"{visible(path)}: {counted(report.messages, 'message')}, edition {edition.name}: "
        f"{counted(breaches, 'breach', 'breaches')}, "
        f"{counted(len(report.findings) - breaches, 'suspicion')}, "
        f"{counted(len(report.open), 'open promise')}; {exercised(report.coverage)}"
    )


def exercised(table: dict[str, Coverage]) -> str:
    """How many rules had an occasion to be broken."""
    count = sum(coverage.exercised > 0 for coverage in table.values())
    return f"{count} of {len(table)} rules exercised"


def coverage_line(table: dict[str, Coverage], messages: int) -> str:
    """The closing line of a check of several traces."""
    return f"in all: {counted(messages, 'message')}; {exercised(table)}"


def snapshots(values: dict[str, Any]) -> Iterator[str]:
    """Every session's snapshot as indented JSON."""
    yield visible_lines(json.dumps(values, indent=2, ensure_ascii=False))


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
