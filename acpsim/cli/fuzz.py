"""`acpsim fuzz`: conversations that nobody wrote, until a reducer goes wrong."""

from __future__ import annotations

import time
from pathlib import Path

import click

from acpsim import __version__
from acpsim.cli import (
    FOUND,
    INTERRUPTED,
    NOTHING_TESTED,
    Progress,
    edition_named,
    edition_option,
    format_option,
    progress,
)
from acpsim.fuzz.campaign import (
    CampaignEvent,
    CampaignFinished,
    CampaignStarted,
    CaseFinished,
    FaultFound,
    Options,
    Reason,
    run,
)
from acpsim.views import document, faults
from acpsim.wire.edition import DRAFT

FAULTS: str = "acpsim-faults"
"""Where faults are saved unless another directory is named."""

EPILOG = """\b
Examples:
  acpsim fuzz                                       the built-in reference
  acpsim fuzz --target mypackage.reducer:Reducer    a Python class
  acpsim fuzz --target "cmd:node reducer.mjs"       a program in any language
  acpsim fuzz --target mutant:echo-doubled          a seeded fault, to see what one looks like
  acpsim fuzz --seed 7 --cases 2000 --format json   the same result every time
"""


@click.command("fuzz", epilog=EPILOG)
@click.option(
    "--target",
    default="reference",
    show_default=True,
    metavar="ADDRESS",
    help='What is fuzzed: module:attribute, "cmd:COMMAND LINE", mutant:NAME or reference.',
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Default: 10.")
@click.option("--cases", type=click.IntRange(min=1), help="Stop after so many cases.")
@click.option("--seed", type=int, default=0, show_default=True, help="Repeats a run exactly.")
@click.option(
    "--time-limit",
    "timeout_s",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds that a target may take for one answer.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(FAULTS),
    show_default=True,
    help="Directory for the traces of faults; made when there is one to save.",
)
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory of traces that are tried first.",
)
@edition_option
@format_option
def command(
    target: str,
    seconds: float | None,
    cases: int | None,
    seed: int,
    timeout_s: float,
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
        timeout_s=timeout_s,
        corpus=corpus,
        faults=out,
    )
    done: CampaignFinished | None = None
    limit = options.seconds_max if cases is None else float(cases)
    with progress("fuzzing", limit) as bar:
        watch = _Watch(by_case=cases is not None, quiet=form == "json", bar=bar)
        for event in run(options):
            watch.see(event)
            if isinstance(event, CampaignFinished):
                done = event
    assert done is not None
    if form == "json":
        click.echo(document.text_of(faults.campaign_document(done)))
    else:
        for line in faults.finished(done):
            click.echo(line)
    if done.faults:
        return FOUND
    if done.reason is Reason.INTERRUPTED:
        return INTERRUPTED
    return 0 if done.cases else NOTHING_TESTED


class _Watch:
    """Shows a campaign as it goes on."""

    def __init__(self, *, by_case: bool, quiet: bool, bar: Progress) -> None:
        self._clock = time.monotonic
        self._start = time.monotonic()
        self._by_case = by_case
        self._quiet = quiet
        self._bar = bar
        self._cases = self._faults = 0

    def see(self, event: CampaignEvent) -> None:
        if isinstance(event, CampaignStarted) and not self._quiet:
            click.echo(faults.started(event, __version__))
        elif isinstance(event, CaseFinished):
            self._cases += 1
            elapsed = self._clock() - self._start
            text = f"fuzzing: {self._cases} cases, {self._faults} faults"
            self._bar(self._cases if self._by_case else elapsed, text)
        elif isinstance(event, FaultFound):
            self._faults += 1
            if not self._quiet:
                for line in faults.fault(event.fault, self._faults):
                    click.echo(line)
