"""`acpsim show`: a conversation as a sequence diagram."""

from __future__ import annotations

import shutil

import click

from acpsim.cli import INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import edition_named, edition_option, seed_unused
from acpsim.cli.output import draws_lines, explain, remark, say
from acpsim.files import open_input
from acpsim.rules.stream import check_stream
from acpsim.views import document
from acpsim.views.diagram import draw_text
from acpsim.views.mermaid import draw_mermaid
from acpsim.views.rows import ROWS_MAX, Picture

EPILOG = """\b
Examples:
  acpsim show calls.jsonl
  acpsim show --session sess_1 --most 50 calls.jsonl
  acpsim show --format mermaid calls.jsonl > calls.mmd
"""


@click.command("show", epilog=EPILOG)
@click.argument("trace", metavar="TRACE", type=click.Path())
@click.option("--session", metavar="ID", help="Only this session, and what names none.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=ROWS_MAX,
    show_default=True,
    help="Messages to draw.",
)
@click.option("--width", type=click.IntRange(min=40), help="Columns. Default: the terminal's.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mermaid", "json"]),
    default="text",
    show_default=True,
    help="mermaid prints the text of a Mermaid sequence diagram, json the rows of the diagram.",
)
@edition_option
@seed_unused
def command(
    trace: str, session: str | None, most: int, width: int | None, form: str, edition: str | None
) -> int:
    """Draw a conversation: two lifelines, the foreground state and the findings beside them.

    Where a trace says when messages were sent and received, those that crossed others take two
    lines joined by a letter. What a peer wrote is shown with control characters made visible.
    """
    picture = Picture(session=session, most=most)
    with open_input(trace) as stream:
        done = check_stream(stream, edition=edition_named(edition), watch=picture.see)
    drawn = picture.rows(done.report.findings)
    if form == "json":
        click.echo(document.text_of(document.drawn(drawn, picture.left_out, done.diagnostics)))
    elif drawn and form == "mermaid":
        say(draw_mermaid(drawn, picture.left_out))
    elif drawn:
        columns = width or shutil.get_terminal_size((100, 24)).columns
        say(draw_text(drawn, picture.left_out, width=columns, plain=not draws_lines()))
    if form != "json":
        remark(trace, done.diagnostics)
    if done.interrupted:
        explain("show", f"interrupted in {trace}; the rest of it is not drawn")
        return INTERRUPTED
    if done.report.messages == 0:
        explain("show", "no message was read")
        return NOTHING_TESTED
    if session is not None and not picture.named:
        explain("show", f"no message names session {session}; acpsim reduce {trace} names those")
        return NOTHING_TESTED
    return 0
