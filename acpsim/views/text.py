"""Findings, snapshots and tables as lines of text.

Owns: how each is worded for a reader. Every line that holds something a peer wrote has it made
visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from acpsim.rules.finding import Coverage, Finding, Report
from acpsim.views.escape import visible, visible_lines
from acpsim.views.tone import Toned, toned
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Diagnostic

REMARKS_MAX: Final = 200
"""Diagnostics written of one file: of a file of something else, nobody reads the rest."""


def diagnostic(path: str, value: Diagnostic) -> Toned:
    """One remark about something unreadable or unusable."""
    return toned(f"{visible(path)}:{value.line}: {visible(value.text)}", "quiet")


def diagnostics(path: str, values: Iterable[Diagnostic]) -> Iterator[Toned]:
    """The remarks about one file; where there are too many to read, how many were left out."""
    rest = iter(values)
    for value in islice(rest, REMARKS_MAX):
        yield diagnostic(path, value)
    left_out = sum(1 for _ in rest)
    if left_out:
        yield toned(f"{visible(path)}: {counted(left_out, 'more remark')} like these", "quiet")


def finding(path: str, value: Finding) -> Toned:
    """One finding: where, which rule, what."""
    said = f"{visible(path)}:{value.line} {value.rule}: {visible(value.text)}"
    return toned(said, "breach" if value.certainty == "definite" else "suspicion")


def checked(
    path: str, report: Report, remarks: Iterable[Diagnostic], edition: Edition
) -> Iterator[str]:
    """What `check` says of one trace; its last line says what was tested."""
    yield from diagnostics(path, remarks)
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


def untested(messages: int, table: dict[str, Coverage], chosen: Sequence[str]) -> str:
    """Why a check tested nothing; empty if it tested something."""
    if messages == 0:
        return "no message was read, so nothing was tested"
    if any(coverage.exercised for coverage in table.values()):
        return ""
    return f"nothing exercised {' or '.join(chosen) or 'any rule'}, so nothing was tested"


def snapshots(values: dict[str, Any]) -> Iterator[str]:
    """Every session's snapshot as indented JSON."""
    yield visible_lines(json.dumps(values, indent=2, ensure_ascii=False))


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
