"""`acpsim sweep`: a client's action at every position of a conversation."""

from __future__ import annotations

import click

from acpsim import __version__
from acpsim.cli import FOUND, NOTHING_TESTED
from acpsim.cli.options import edition_named, edition_option, format_option, one_of, seed_option
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.explore.insertions import INSERTIONS
from acpsim.explore.named import names
from acpsim.explore.positions import Options, as_trace, parse_positions, sweep
from acpsim.explore.sources import Wanted, opened
from acpsim.files import write_whole
from acpsim.views import document, strip

EPILOG = """\b
Examples:
  acpsim sweep cancel_tool --target mypackage.reducer:Reducer
  acpsim sweep call.jsonl --target "cmd:node reducer.mjs" --insert close --insert lost-resume
  acpsim sweep cancel_tool --target mutant:cancel-ends-work --insert cancel --at 10-12
  acpsim sweep tiny-cancel                                  how the simulated agent reacts
  acpsim sweep tiny-cancel --misbehave RPC-CANCEL-ANSWER    and one that breaks a rule
"""


@click.command("sweep", epilog=EPILOG)
@click.argument("scenario", metavar="SCENARIO", shell_complete=one_of(names))
@click.option(
    "--target", metavar="ADDRESS", help="As for fuzz. Default: reference; none for a model."
)
@click.option(
    "--insert",
    "actions",
    multiple=True,
    type=click.Choice(tuple(INSERTIONS)),
    help="Only these actions; repeatable.",
)
@click.option("--at", multiple=True, metavar="POSITIONS", help="Only here: 3, 10-12 or 3,10-12.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Positions tried, evenly spread where there are more.",
)
@click.option("--misbehave", multiple=True, metavar="RULE", help="As for sim; models only.")
@click.option("-o", "--out", metavar="TRACE", help="Write the first conversation that fails.")
@seed_option
@edition_option
@format_option
def command(
    scenario: str,
    target: str | None,
    actions: tuple[str, ...],
    at: tuple[str, ...],
    most: int,
    misbehave: tuple[str, ...],
    out: str | None,
    seed: int,
    edition: str | None,
    form: str,
) -> int:
    """Put a client's action at every position of a conversation: 1 if it fails at some.

    SCENARIO is a trace, - for standard input, or the name of a shipped recorded conversation: what
    follows the action is what an agent that keeps the rules would say, and the target has to agree
    with the reference after every message. Or it is a model, or a model's file: the simulated agent
    reacts, and is held to the rules. A position is how many messages come before the action.
    """
    wanted = Wanted(
        scenario=scenario,
        edition=edition_named(edition),
        target=target,
        seed=seed,
        misbehave=misbehave,
    )
    options = Options(
        actions=tuple(dict.fromkeys(actions)) or tuple(INSERTIONS),
        most=most,
        only=tuple(number for text in at for number in parse_positions(text)),
    )
    with progress("sweeping", 1.0) as bar, opened(wanted) as (head, scene):
        swept = sweep(scene, options, progress=bar)
    if form == "json":
        click.echo(document.text_of(strip.swept_document(swept, head)))
    else:
        say(strip.everything(swept, head, __version__))
    if out is not None and swept.bad:
        write_whole(out, as_trace(swept.bad[0], edition=head.edition, target=head.target))
    if not swept.holds:
        return FOUND
    if not swept.tried:
        explain("sweep", "no action had an occasion at any position, so nothing was tested")
        return NOTHING_TESTED
    return 0
