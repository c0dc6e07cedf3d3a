"""A recorded conversation checked line by line, and what several checks come to together.

Owns: `check_stream`, which never holds a trace, and the two things that are done with reports:
keeping some rules of one, adding up the coverage of many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import BinaryIO

from msgspec import Struct, structs

from acpsim.rules.check import Checker
from acpsim.rules.finding import Coverage, Report
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Diagnostic, Event, Observer, TraceReader


class Checked(Struct, frozen=True, kw_only=True):
    """What the rules say of a trace, and what was read of it."""

    report: Report
    diagnostics: list[Diagnostic]
    edition: Edition
    interrupted: bool = False
    """Ctrl-C came before the end: the report is about what was read until then."""


def check_stream(
    stream: BinaryIO | Iterable[bytes],
    *,
    edition: Edition | None = None,
    observer: Observer | None = None,
    quiet_s: float | None = None,
    watch: Callable[[Event], None] | None = None,
) -> Checked:
    """Check a trace as it is read. `edition` and `observer` are the header's unless given; `watch`
    is called with every event.

    An interrupt ends the reading, not the check: what is open then is no breach.
    """
    reader = TraceReader(stream, edition=edition)
    checker: Checker | None = None
    interrupted = False
    try:
        for event in reader:
            if checker is None:
                seen = observer or reader.header.observer
                checker = Checker(reader.edition, observer=seen, quiet_s=quiet_s)
            checker.feed(event)
            if watch is not None:
                watch(event)
    except KeyboardInterrupt:
        interrupted = True
    checker = checker or Checker(reader.edition)
    report = checker.finish(complete=reader.header.complete and not interrupted)
    return Checked(
        report=report,
        diagnostics=reader.diagnostics,
        edition=reader.edition,
        interrupted=interrupted,
    )


def only(report: Report, rules: Collection[str]) -> Report:
    """The report as if there were no rules but these; the whole of it where none is named."""
    if not rules:
        return report
    return structs.replace(
        report,
        findings=[finding for finding in report.findings if finding.rule in rules],
        open=[promise for promise in report.open if promise.rule in rules],
        coverage={rule: report.coverage[rule] for rule in rules if rule in report.coverage},
    )


def add(total: dict[str, Coverage], report: Report) -> None:
    """Add a report's coverage to what earlier ones came to."""
    for rule, coverage in report.coverage.items():
        held = total.setdefault(rule, Coverage())
        held.exercised += coverage.exercised
        held.breached += coverage.breached


def fails(report: Report, *, strict: bool = False) -> bool:
    """Whether there is a definite breach of a must; with `strict`, of a should too."""
    levels = {"must", "should"} if strict else {"must"}
    return any(
        finding.certainty == "definite" and finding.level in levels for finding in report.findings
    )
