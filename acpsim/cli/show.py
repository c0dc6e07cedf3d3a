"""`acpsim show`: a conversation as a sequence diagram."""

from __future__ import annotations

import shutil

import click

from acpsim.cli import NOTHING_TESTED, edition_named, edition_option
from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.rules.check import check
from acpsim.views import diagram, text
from acpsim.wire.trace import Diagnostic, read_trace

EPILOG = """\b
Examples:
  acpsim show calls.jsonl
  acpsim show --session sess_1 --most 50 calls.jsonl
  acpsim show --format mermaid calls.jsonl > calls.mmd
"""


@click.command("show", epilog=EPILOG)
@click.argument("trace", metavar="TRACE")
@click.option("--session", metavar="ID", help="Only this session, and what names none.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=diagram.ROWS_MAX,
    show_default=True,
    help="Messages to draw.",
)
@click.option("--width", type=click.IntRange(min=40), help="Columns. Default: the terminal's.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mermaid"]),
    default="text",
    show_default=True,
    help="mermaid prints the text of a Mermaid sequence diagram.",
)
@edition_option
def command(
    trace: str, session: str | None, most: int, width: int | None, form: str, edition: str | None
) -> int:
    """Draw a conversation: two lifelines, the foreground state and the findings beside them.

    A line with ⤫ N crossed N messages of the other direction on its way. What a peer wrote is shown
    with control characters made visible.
    """
    with open_input(trace) as stream:
        whole = read_trace(stream, edition=edition_named(edition))
    header = whole.header
    report = check(
        whole.events, edition=whole.edition, observer=header.observer, complete=header.complete
    )
    drawn, left_out = diagram.rows(whole.events, report.findings, session=session, most=most)
    if session is not None and whole.events and not any(row.session == session for row in drawn):
        raise UsageError(
            f"--session {session}: no message names it; acpsim reduce {trace} shows those there are"
        )
    if not drawn:
        _remark(trace, whole.diagnostics)
        click.echo("acpsim show: no message was read", err=True)
        return NOTHING_TESTED
    if form == "mermaid":
        lines = diagram.draw_mermaid(drawn, left_out)
    else:
        columns = width or shutil.get_terminal_size((100, 24)).columns
        lines = diagram.draw_text(drawn, left_out, width=columns)
    for line in lines:
        click.echo(line)
    _remark(trace, whole.diagnostics)
    return 0


def _remark(trace: str, diagnostics: list[Diagnostic]) -> None:
    for remark in diagnostics:
        click.echo(text.diagnostic(trace, remark), err=True)
