"""`acpsim sim`: run a model, write its trace, say what it came to."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from acpsim import __version__
from acpsim.cli import FOUND, INTERRUPTED
from acpsim.cli.options import edition_default, edition_named, format_option
from acpsim.cli.progress import progress
from acpsim.errors import UsageError
from acpsim.files import open_output, write_whole
from acpsim.sim.experiment import Point, experiment, parse_sweep
from acpsim.sim.model import Model, load_model, override, shipped_models
from acpsim.sim.run import Run, run
from acpsim.views import document, simulated
from acpsim.wire.edition import DRAFT, Edition
from acpsim.wire.trace import read_trace

EPILOG = """\b
Examples:
  acpsim sim --list
  acpsim sim cancel-race -o trace.jsonl
  acpsim sim cancel-race --seed 7 --edition sdk-2.4 --observer client -o client.jsonl
  acpsim sim overload --set sessions=50 --replications 10 --jobs 2
  acpsim sim cancel-race --sweep link.latency.mean_s=0.01:1:10 --csv sweep.csv
  acpsim sim overload --sweep reconcile.service.mean_s=0.0001:0.0012:6 --plot load.png
  acpsim sim permission-storm --plot session.svg
"""


@click.command("sim", epilog=EPILOG)
@click.argument("model", required=False, metavar="MODEL")
@click.option("--list", "listed", is_flag=True, help="Name the shipped models.")
@click.option("-o", "--out", metavar="TRACE", help="Write the trace; - is standard output.")
@click.option(
    "--observer",
    type=click.Choice(["wire", "client", "agent"]),
    default="wire",
    show_default=True,
    help="Where the trace's order is seen.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Repeats a run exactly.")
@click.option(
    "--set", "sets", multiple=True, metavar="KEY=VALUE", help="Change a parameter; repeatable."
)
@click.option(
    "--misbehave", multiple=True, metavar="RULE", help="Make a party break a rule; repeatable."
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar="KEY=FROM:TO:STEPS",
    help="Vary a parameter; one or two.",
)
@click.option(
    "--replications",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Runs of each point, with seeds of their own; the figures get an interval.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
@click.option("--csv", "table", metavar="FILE", help="Write the figures as CSV.")
@click.option(
    "--plot",
    metavar="FILE",
    help="Draw: with --sweep a figure over the parameter, without a session's time line.",
)
@click.option("--figure", metavar="NAME", help="The figure to draw over a swept parameter.")
@edition_default("draft")
@format_option
def command(
    model: str | None,
    listed: bool,  # noqa: FBT001 (click passes options by name)
    out: str | None,
    observer: str,
    seed: int,
    sets: tuple[str, ...],
    misbehave: tuple[str, ...],
    sweeps: tuple[str, ...],
    replications: int,
    jobs: int,
    table: str | None,
    plot: str | None,
    figure: str | None,
    edition: str | None,
    form: str,
) -> int:
    """Run a model for a seed and write its trace and figures.

    MODEL is the name of a shipped model or a .toml file. The same model, edition and seed give the
    same trace, byte by byte.
    """
    if listed:
        for name in shipped_models():
            click.echo(f"{name:<26} {load_model(name).text}")
        return 0
    if model is None:
        raise UsageError("give a MODEL; --list names the shipped ones")
    loaded = load_model(model)
    for assignment in sets:
        loaded = _assign(loaded, assignment)
    if misbehave:
        loaded = override(loaded, "misbehave", list(misbehave), where="--misbehave")
    used = edition_named(edition) or DRAFT
    if out is not None:
        done = _trace(loaded, out, observer, seed=seed, edition=used)
        status = INTERRUPTED if done.interrupted else FOUND if done.broken else 0
        for line in simulated.ran(done):
            click.echo(line, err=True)
        return status
    if len(sweeps) > 2:
        raise UsageError("--sweep: one or two parameters")
    parsed = [parse_sweep(text) for text in sweeps]
    with progress("simulating", None) as bar:
        points = experiment(
            loaded,
            seed=seed,
            edition=used,
            replications_count=replications,
            sweeps=parsed,
            jobs=jobs,
            progress=lambda done, total: bar(done, f"simulating: {done} of {total} runs"),
        )
    if table is not None:
        write_whole(table, simulated.table(points).encode())
    if plot is not None:
        caption = f"acpsim sim {loaded.name} --seed {seed} --edition {used.name}"
        _draw(loaded, points, plot, figure, caption=caption, seed=seed, edition=used)
    if form == "json":
        head = {"model": loaded.name, "edition": used.name, "seed": seed}
        rows = [simulated.point_document(point) for point in points]
        click.echo(document.text_of({**head, "replications": replications, "points": rows}))
    else:
        click.echo(simulated.started(__version__, loaded.name, used.name, seed, replications))
        for line in simulated.measured(points):
            click.echo(line)
    return FOUND if any(measured.run.broken for point in points for measured in point.runs) else 0


def _draw(
    model: Model,
    points: list[Point],
    path: str,
    figure: str | None,
    *,
    caption: str,
    seed: int,
    edition: Edition,
) -> None:
    """Draw what was measured over a parameter, or else one session of one run."""
    from acpsim.views import plots

    if points[0].parameters:
        queued = "update_visible_s" in points[0].figures
        chosen = figure or ("update_visible_s" if queued else "acceptance_s")
        plots.sweep(points, chosen, path, caption=caption)
        return
    lines: list[bytes] = []
    run(model, seed=seed, edition=edition, writers={"client": lines.append})
    plots.time_line(read_trace(lines).events, path, caption=caption)


def _assign(model: Model, assignment: str) -> Model:
    """The model after one `KEY=VALUE`."""
    import tomllib

    key, found, text = assignment.partition("=")
    if not found:
        raise UsageError(f"--set {assignment}: give KEY=VALUE")
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    return override(model, key, value)


def _trace(model: Model, out: str, observer: str, *, seed: int, edition: Edition) -> Run:
    """Run once and write the trace as it is made."""
    with contextlib.ExitStack() as stack:
        stream: BinaryIO = (
            sys.stdout.buffer if out == "-" else stack.enter_context(open_output(Path(out)))
        )
        bar: Any = stack.enter_context(progress("simulating", model.duration_s))
        return run(
            model,
            seed=seed,
            edition=edition,
            writers={observer: stream.write},  # type: ignore[dict-item]
            progress=lambda now_s, count: bar(now_s, f"simulating: {count} messages"),
        )
