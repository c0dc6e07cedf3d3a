"""`acpsim reduce`: what a client holds at the end of a conversation, or at any line of it."""

from __future__ import annotations

import click

from acpsim.cli import INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import edition_named, edition_option, format_option, seed_unused
from acpsim.cli.output import explain, remark, say
from acpsim.files import open_input
from acpsim.reducer import Reducer
from acpsim.views import document, text
from acpsim.wire.trace import DIAGNOSTICS_MAX, Diagnostic, TraceReader

SESSIONS_SHOWN = 8

EPILOG = """\b
Examples:
  acpsim reduce calls.jsonl
  acpsim reduce --session sess_1 --at 42 calls.jsonl
  acpsim reduce --format json calls.jsonl > snapshot.json
"""


@click.command("reduce", epilog=EPILOG)
@click.argument("trace", metavar="TRACE", type=click.Path())
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--at", type=click.IntRange(min=1), metavar="LINE", help="After that trace line.")
@edition_option
@format_option
@seed_unused
def command(trace: str, session: str | None, at: int | None, edition: str | None, form: str) -> int:
    """Print the final snapshot of every session, as the reference reducer holds it."""
    diagnostics: list[Diagnostic] = []
    reducer: Reducer | None = None
    interrupted = False
    with open_input(trace) as stream:
        reader = TraceReader(stream, edition=edition_named(edition))
        try:
            for event in reader:
                if at is not None and event.line > at:
                    break
                reducer = reducer or Reducer(reader.edition)
                found = reducer.apply(event)
                if found and len(diagnostics) < DIAGNOSTICS_MAX:
                    diagnostics += found
        except KeyboardInterrupt:
            interrupted = True
    remarks = sorted([*reader.diagnostics, *diagnostics], key=lambda each: each.line)
    remarks = [each for each in remarks if at is None or each.line <= at]
    known = [] if reducer is None else reducer.sessions()
    chosen = [name for name in known if session in {None, name}]
    snapshots = {name: reducer.snapshot(name) for name in chosen} if reducer else {}
    if form == "json":
        click.echo(document.text_of(document.reduced(snapshots, remarks)))
    else:
        say(text.snapshots(snapshots) if reducer else ())
        remark(trace, remarks)
    if interrupted:
        read = text.counted(reader.messages, "message")
        explain("reduce", f"interrupted in {trace} after {read}")
        return INTERRUPTED
    if reducer is None:
        explain("reduce", "no message was read" if at is None else f"no message up to line {at}")
        return NOTHING_TESTED
    if session is not None and not chosen:
        explain("reduce", f"no message names session {session}{_those(known)}")
        return NOTHING_TESTED
    return 0


def _those(sessions: list[str]) -> str:
    """The sessions that there are, if they fit in a line."""
    first = ", ".join(sessions[:SESSIONS_SHOWN])
    more = len(sessions) - SESSIONS_SHOWN
    return f"; the trace has {first or 'none'}{f' and {more} more' if more > 0 else ''}"
