"""`acpsim bench`: what a reducer costs, on any conversation."""

from __future__ import annotations

import click

from acpsim import __version__
from acpsim.cli import INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import (
    edition_default,
    edition_named,
    format_option,
    seed_option,
    target_option,
)
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.files import write_whole
from acpsim.measure.session import PARTS, Measured, Options, measure
from acpsim.views import benched, document
from acpsim.wire.edition import DRAFT

EPILOG = """\b
Examples:
  acpsim bench --target mypackage.reducer:Reducer
  acpsim bench calls.jsonl --target "cmd:node reducer.mjs" --only latency
  acpsim bench overload --against mypackage.old:Reducer --plot cost.svg
"""


@click.command("bench", epilog=EPILOG)
@click.argument("work", metavar="[WORKLOAD]", default="mixed")
@target_option
@click.option("--only", multiple=True, type=click.Choice(tuple(PARTS)), help="Repeatable.")
@click.option("--against", multiple=True, metavar="ADDRESS", help="Compare; repeatable.")
@click.option("--held-max", type=click.IntRange(min=100), default=1_000_000, show_default=True)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="For the growth of each kind; a slow reducer is stopped.",
)
@click.option("--plot", metavar="FILE", help="Draw what was measured: .png, .svg or .pdf.")
@seed_option
@edition_default("draft")
@format_option
def command(
    work: str,
    target: str,
    only: tuple[str, ...],
    against: tuple[str, ...],
    held_max: int,
    seconds: float,
    plot: str | None,
    seed: int,
    edition: str | None,
    form: str,
) -> int:
    """Measure a reducer: throughput, latency, growth, memory, an open loop, ratios.

    WORKLOAD is a trace, a model, or one that is made up: mixed (default), chunks, messages. Times
    are this machine's; ratios within one run say more.
    """
    used = edition_named(edition) or DRAFT
    options = Options(
        target=target,
        edition=used,
        work=work,
        seed=seed,
        parts=only or tuple(PARTS),
        against=against,
        held_max=held_max,
        seconds=seconds,
    )
    head = {"version": __version__, "target": target, "workload": work, "edition": used.name}
    done: list[Measured] = []
    interrupted = False
    with progress("measuring", float(len(options.parts))) as bar:
        try:
            for each in measure(options):
                done.append(each)
                bar(list(options.parts).index(each.part), f"measuring: {each.part}")
                say(benched.lines(each) if form == "text" else ())
        except KeyboardInterrupt:
            interrupted = True
    if form == "json":
        click.echo(document.text_of({**head, "seed": seed, "measured": benched.document(done)}))
    if plot is not None and done:
        from acpsim.views import bench_plots

        caption = f"acpsim bench {work} --target {target} --seed {seed} --edition {used.name}"
        write_whole(plot, bench_plots.draw(done, form=bench_plots.form_of(plot), caption=caption))
    if not done:
        explain("bench", "nothing was measured")
    return INTERRUPTED if interrupted else 0 if done else NOTHING_TESTED
