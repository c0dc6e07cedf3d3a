"""Runs what `acpsim sim` was asked for and writes what is wanted of it, where it is wanted."""

from __future__ import annotations

import contextlib
import sys
from dataclasses import dataclass
from typing import BinaryIO

import click

from acpsim import __version__
from acpsim.cli import FOUND, INTERRUPTED, NOTHING_TESTED
from acpsim.cli.output import explain
from acpsim.cli.progress import runs_progress
from acpsim.errors import UsageError
from acpsim.files import open_output
from acpsim.sim.experiment import Points
from acpsim.sim.plan import Counted, FirstSession, Plan, conduct, traced
from acpsim.sim.tap import Observer
from acpsim.targets.timed import by_address
from acpsim.views import document, plots, simulated
from acpsim.views.timeline import EVENTS_MAX
from acpsim.wire.trace import read_trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is made of a plan's answer: files, and how the rest is said."""

    out: str | None
    observer: Observer
    table: str | None
    plot: str | None
    figure: str | None
    against: str | None
    jobs: int
    form: str


def answer(plan: Plan, wanted: Wanted) -> int:
    """Run the plan, write and say what is wanted; returns the exit status."""
    if wanted.out == "-" and wanted.form == "json":
        raise UsageError("--format json: standard output cannot hold the trace too; give -o a file")
    picture = plots.form_of(wanted.plot) if wanted.plot else ""
    plots.check_names(wanted.figure, wanted.against, [sweep.key for sweep in plan.swept()])
    session = None if plan.sweeps or not wanted.plot else FirstSession("sess_1", EVENTS_MAX)
    with contextlib.ExitStack() as stack:
        # Opened before the run: what cannot be written is said at once.
        paths = (wanted.out, wanted.table, wanted.plot)
        trace, table, plot = (_opened(path, stack) for path in paths)
        lines = None if trace is None else Counted(trace.write)
        reducers = stack.enter_context(by_address(plan.edition))
        with runs_progress("simulating") as shown:
            writers = traced(wanted.observer, lines, session)
            points = conduct(
                plan, jobs=wanted.jobs, reducers=reducers, writers=writers, progress=shown
            )
        if not points and trace is None:
            raise KeyboardInterrupt  # Nothing was measured: no file is better than an empty one.
        if table is not None:
            table.write(simulated.table(points).encode())
        if plot is not None and points:
            events = read_trace(session.lines).events if session else ()
            look = {"form": picture, "caption": plan.command(), "against": wanted.against or ""}
            plot.write(plots.draw(points, wanted.figure, events=events, **look))
    _say(plan, points, wanted)
    return _status(points, lines)


def _opened(path: str | None, stack: contextlib.ExitStack) -> BinaryIO | None:
    if path is None:
        return None
    return sys.stdout.buffer if path == "-" else stack.enter_context(open_output(path))


def _say(plan: Plan, points: Points, wanted: Wanted) -> None:
    if wanted.form == "json":
        click.echo(document.text_of(simulated.answer(plan, points)))
        return
    aside = wanted.out == "-" or wanted.table == "-"
    click.echo(simulated.started(__version__, plan), err=aside)
    for line in simulated.measured(points):
        click.echo(line, err=aside)


def _status(points: Points, lines: Counted | None) -> int:
    runs = [one.run for point in points for one in point.runs]
    if points.interrupted:
        return INTERRUPTED
    if not any(run.messages for run in runs) or (lines is not None and not lines.messages):
        explain("sim", "no message was written: the run ended before one came to its observer")
        return NOTHING_TESTED
    return FOUND if any(run.broken for run in runs) else 0
