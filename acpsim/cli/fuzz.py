"""`acpsim fuzz`: conversations that nobody wrote, until a reducer goes wrong."""

from __future__ import annotations

from pathlib import Path

import click

from acpsim.cli import FOUND, INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import (
    ci_format,
    edition_default,
    edition_named,
    seed_option,
    target_option,
)
from acpsim.cli.output import echo_ci, explain, say
from acpsim.cli.progress import progress
from acpsim.cli.watch import Watch
from acpsim.fuzz.campaign import Options, Reason, run
from acpsim.views import ci, document, faults
from acpsim.wire.edition import DRAFT

POSITIVE = click.FloatRange(min=0, min_open=True)

EPILOG = """\b
Examples:
  acpsim fuzz                                       the built-in reference
  acpsim fuzz --target mypackage.reducer:Reducer    a Python class
  acpsim fuzz --target "cmd:node reducer.mjs"       a program in any language
  acpsim fuzz --target mutant:echo-doubled          a seeded fault, to see what one looks like
  acpsim fuzz --seed 7 --cases 2000 --format json   the same result every time
"""


@click.command("fuzz", epilog=EPILOG)
@target_option
@click.option("--seconds", type=POSITIVE, help="Default: 10.")
@click.option("--cases", type=click.IntRange(min=1), help="Stop after so many cases.")
@seed_option
@click.option(
    "--time-limit", type=POSITIVE, default=5.0, show_default=True, help="Seconds for one answer."
)
@click.option(
    "--out",
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("acpsim-faults"),
    show_default=True,
    help="Directory for the traces of faults; made when there is one to save.",
)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory of traces that are tried first.",
)
@edition_default("draft")
@ci_format
def command(
    target: str,
    seconds: float | None,
    cases: int | None,
    seed: int,
    time_limit: float,
    out: Path,
    corpus: Path | None,
    edition: str | None,
    form: str,
) -> int:
    """Fuzz a reducer and report each distinct fault with a shrunk trace.

    Recorded and generated conversations are reordered and disturbed as the protocol allows; the
    reducer's state is compared with the reference's and held to laws that need no reference.
    """
    options = Options(
        target=target,
        edition=edition_named(edition) or DRAFT,
        seed=seed,
        seconds=seconds,
        cases=cases,
        timeout_s=time_limit,
        corpus=corpus,
        faults=out,
    )
    limit = options.seconds_max if cases is None else float(cases)
    with progress("fuzzing", limit) as bar:
        watch = Watch(by_case=cases is not None, quiet=form != "text", bar=bar)
        for event in run(options):
            watch.see(event)
    done = watch.done
    assert done is not None
    if form == "json":
        click.echo(document.text_of(faults.campaign_document(done)))
    elif form != "text":
        echo_ci(form, ci.Told(results=ci.fuzzed(done)))
    else:
        say(faults.finished(done))
    if done.reason is Reason.INTERRUPTED:
        return INTERRUPTED
    if done.cases == 0:
        explain("fuzz", "no case was run")
        return NOTHING_TESTED
    return FOUND if done.faults else 0
