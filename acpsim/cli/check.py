"""`acpsim check`: recorded conversations against the rules."""

from __future__ import annotations

import click

from acpsim.cli import FOUND, INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import ci_format, edition_named, edition_option, rule_option, seed_unused
from acpsim.cli.output import echo_ci, explain, say
from acpsim.errors import UsageError
from acpsim.files import check_inputs, open_input
from acpsim.rules.finding import Coverage
from acpsim.rules.registry import RULES
from acpsim.rules.stream import add, check_stream, fails, only
from acpsim.targets.target import nearest
from acpsim.views import ci, document, text
from acpsim.wire.trace import Observer

EPILOG = """\b
Examples:
  acpsim check calls.jsonl
  acpsim check --strict --rule PROMPT-ECHO --rule STATE-IDLE one.jsonl two.jsonl
  agent-log | acpsim check --format json -
  acpsim check --format junit calls.jsonl > rules.xml
"""


@click.command("check", epilog=EPILOG)
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...", type=click.Path())
@click.option("--strict", is_flag=True, help="A definite breach of a should fails the run too.")
@rule_option
@click.option(
    "--observer",
    "--vantage",
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
@ci_format
@seed_unused
def command(
    traces: tuple[str, ...],
    strict: bool,  # noqa: FBT001 (click passes options by name)
    chosen: tuple[str, ...],
    observer: Observer | None,
    quiet_s: float | None,
    edition: str | None,
    form: str,
) -> int:
    """Check recorded conversations against the rules of the draft, each in one pass.

    Breaches are proven by the trace; suspicions ("perhaps") could be explained by a race and never
    fail the run; open promises are what an unfinished conversation still owes.
    """
    for rule in set(chosen) - set(RULES):
        raise UsageError(f"--rule {rule}: no such rule{nearest(rule, list(RULES))}")
    check_inputs(traces)
    given = edition_named(edition)
    coverage: dict[str, Coverage] = {}
    documents, told, status, messages = [], ci.Told(), 0, 0
    for path in traces:
        with open_input(path) as stream:
            done = check_stream(stream, edition=given, observer=observer, quiet_s=quiet_s)
        report = only(done.report, chosen)
        add(coverage, report)
        messages += report.messages
        if fails(report, strict=strict):
            status = FOUND
        if form == "json":
            documents.append(document.checked(path, report, done.diagnostics))
        elif form == "text":
            say(text.checked(path, report, done.diagnostics, done.edition))
        else:
            told.check(path, report, done.diagnostics, strict=strict)
        if done.interrupted:
            read = text.counted(report.messages, "message")
            explain("check", f"interrupted in {path} after {read}")
            status = INTERRUPTED
            break
    if form == "json":
        click.echo(document.text_of({"traces": documents, "coverage": document.coverage(coverage)}))
    elif form != "text":
        told.skip(coverage, chosen)
        echo_ci(form, told)
    elif len(traces) > 1:
        say([text.coverage_line(coverage, messages)])
    untested = text.untested(messages, coverage, chosen)
    if status == 0 and untested:
        explain("check", untested)
        return NOTHING_TESTED
    return status
