"""`acpsim reduce`: what a client holds at the end of a conversation, or at any line of it."""

from __future__ import annotations

import click

from acpsim.cli import NOTHING_TESTED, edition_named, edition_option, format_option
from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.reducer import Reducer
from acpsim.views import document, text
from acpsim.wire.trace import Diagnostic, TraceReader

SESSIONS_SHOWN = 8

EPILOG = """\b
Examples:
  acpsim reduce calls.jsonl
  acpsim reduce --session sess_1 --at 42 calls.jsonl
"""


@click.command("reduce", epilog=EPILOG)
@click.argument("trace", metavar="TRACE")
@click.option("--session", metavar="ID", help="Only this session.")
@click.option("--at", type=click.IntRange(min=1), metavar="LINE", help="After that trace line.")
@edition_option
@format_option
def command(trace: str, session: str | None, at: int | None, edition: str | None, form: str) -> int:
    """Print the final snapshot of every session, as the reference reducer holds it."""
    diagnostics: list[Diagnostic] = []
    with open_input(trace) as stream:
        reader = TraceReader(stream, edition=edition_named(edition))
        reducer: Reducer | None = None
        for event in reader:
            if at is not None and event.line > at:
                break
            reducer = reducer or Reducer(reader.edition)
            diagnostics += reducer.apply(event)
    diagnostics = sorted([*reader.diagnostics, *diagnostics], key=lambda remark: remark.line)
    sessions = [] if reducer is None else reducer.sessions()
    if session is not None:
        if session not in sessions:
            raise UsageError(f"--session {session}: no message names it{_those(sessions)}")
        sessions = [session]
    snapshots = {name: reducer.snapshot(name) for name in sessions} if reducer else {}
    if form == "json":
        click.echo(document.text_of(document.reduced(snapshots, diagnostics)))
    else:
        for line in text.snapshots(snapshots) if snapshots else ():
            click.echo(line)
        for remark in diagnostics:
            click.echo(text.diagnostic(trace, remark), err=True)
    if reader.messages == 0:
        click.echo("acpsim reduce: no message was read", err=True)
        return NOTHING_TESTED
    return 0


def _those(sessions: list[str]) -> str:
    """The sessions that there are, if they fit in a line."""
    first = ", ".join(sessions[:SESSIONS_SHOWN])
    more = len(sessions) - SESSIONS_SHOWN
    return f"; the trace has {first or 'none'}{f' and {more} more' if more > 0 else ''}"
