"""`acpsim fuzz`: conversations that nobody wrote, until a reducer goes wrong."""

from __future__ import annotations

import click

from acpsim.cli import FOUND, INTERRUPTED, NOTHING_TESTED
from acpsim.cli.campaign import campaign_options
from acpsim.cli.options import ci_format
from acpsim.cli.output import echo_ci, explain, say
from acpsim.cli.progress import progress
from acpsim.cli.watch import Watch
from acpsim.fuzz.campaign import Options, Reason, run
from acpsim.views import ci, document, faults

EPILOG = """\b
Examples:
  acpsim fuzz                                       the built-in reference
  acpsim fuzz --target mypackage.reducer:Reducer    a Python class
  acpsim fuzz --target "cmd:node reducer.mjs"       a program in any language
  acpsim fuzz --target mutant:echo-doubled          a seeded fault, to see what one looks like
  acpsim fuzz --seed 7 --cases 2000 --format json   the same result every time
  acpsim fuzz --jobs 4 --until-risk 0.05            until little that is new is to be expected
  acpsim fuzz --corpus faults                       what failed before comes first
"""


@click.command("fuzz", epilog=EPILOG)
@campaign_options
@ci_format
def command(*, options: Options, form: str) -> int:
    """Fuzz a reducer and report each distinct fault with a shrunk trace.

    Recorded and generated conversations are reordered and disturbed as the protocol allows; the
    reducer's state is compared with the reference's and held to laws that need no reference.
    """
    cases = options.cases
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
