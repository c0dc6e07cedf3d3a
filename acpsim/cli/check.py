"""`acpsim check`: recorded conversations against the rules."""

from __future__ import annotations

import click

from acpsim.cli import FOUND, NOTHING_TESTED, edition_named, edition_option, format_option
from acpsim.errors import UsageError
from acpsim.files import check_inputs, open_input
from acpsim.rules.check import Checker
from acpsim.rules.finding import Coverage, Report
from acpsim.rules.registry import RULES
from acpsim.targets.target import nearest
from acpsim.views import document, text
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Diagnostic, TraceReader

EPILOG = """\b
Examples:
  acpsim check calls.jsonl
  acpsim check --strict --rule PROMPT-ECHO --rule STATE-IDLE one.jsonl two.jsonl
  agent-log | acpsim check --format json -
"""


@click.command("check", epilog=EPILOG)
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...")
@click.option("--strict", is_flag=True, help="A definite breach of a should fails the run too.")
@click.option("--rule", "only", multiple=True, metavar="ID", help="Only these rules; repeatable.")
@click.option(
    "--observer",
    type=click.Choice(["wire", "client", "agent"]),
    help="Where the order was seen. Default: the trace header's, else wire.",
)
@click.option(
    "--quiet-s",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Remark on prompts that wait this long while their session is idle and silent.",
)
@edition_option
@format_option
def command(
    traces: tuple[str, ...],
    strict: bool,  # noqa: FBT001 (click passes options by name)
    only: tuple[str, ...],
    observer: str | None,
    quiet_s: float | None,
    edition: str | None,
    form: str,
) -> int:
    """Check recorded conversations against the rules of the draft, each in one pass.

    Breaches are proven by the trace; suspicions ("perhaps") could be explained by a race and never
    fail the run; open promises are what an unfinished conversation still owes.
    """
    for rule in only:
        if rule not in RULES:
            raise UsageError(f"--rule {rule}: no such rule{nearest(rule, list(RULES))}")
    check_inputs(traces)
    given = edition_named(edition)
    total: dict[str, Coverage] = {}
    documents, failed, messages = [], False, 0
    for path in traces:
        report, diagnostics, used = _check(path, given, observer, quiet_s)
        report = _filtered(report, only)
        _add(total, report)
        messages += report.messages
        failed |= any(
            finding.certainty == "definite" and (strict or finding.level == "must")
            for finding in report.findings
        )
        if form == "json":
            documents.append(document.checked(path, report, diagnostics))
        else:
            for line in text.checked(path, report, diagnostics, used):
                click.echo(line)
    if form == "json":
        click.echo(document.text_of({"traces": documents, "coverage": document.coverage(total)}))
    elif len(traces) > 1:
        click.echo(text.coverage_line(total, messages))
    exercised = any(coverage.exercised for coverage in total.values())
    if messages == 0 or (only and not exercised):
        why = "no message was read" if messages == 0 else f"nothing exercised {', '.join(only)}"
        click.echo(f"acpsim check: {why}, so nothing was tested", err=True)
        return NOTHING_TESTED
    return FOUND if failed else 0


def _check(
    path: str, edition: Edition | None, observer: str | None, quiet_s: float | None
) -> tuple[Report, list[Diagnostic], Edition]:
    """Check one trace, line by line: it is never held."""
    with open_input(path) as stream:
        reader = TraceReader(stream, edition=edition)
        checker: Checker | None = None
        for event in reader:
            if checker is None:
                seen = observer or reader.header.observer
                checker = Checker(reader.edition, observer=seen, quiet_s=quiet_s)  # type: ignore[arg-type]
            checker.feed(event)
        checker = checker or Checker(reader.edition)
        report = checker.finish(complete=reader.header.complete)
    return report, reader.diagnostics, reader.edition


def _filtered(report: Report, only: tuple[str, ...]) -> Report:
    if not only:
        return report
    return Report(
        findings=[finding for finding in report.findings if finding.rule in only],
        open=[promise for promise in report.open if promise.rule in only],
        coverage={rule: report.coverage[rule] for rule in only if rule in report.coverage},
        messages=report.messages,
    )


def _add(total: dict[str, Coverage], report: Report) -> None:
    for rule, coverage in report.coverage.items():
        held = total.setdefault(rule, Coverage())
        held.exercised += coverage.exercised
        held.breached += coverage.breached
