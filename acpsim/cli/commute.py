"""`acpsim commute`: which neighbours a reducer takes for ordered that the protocol lets commute."""

from __future__ import annotations

from contextlib import closing

import click

from acpsim.cli import FOUND, INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import (
    edition_default,
    edition_named,
    format_option,
    seed_option,
    target_option,
)
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.explore.commute import CONTEXTS, SECONDS, Audited, Pair, audit
from acpsim.targets.address import open_target
from acpsim.views import commuting, document
from acpsim.wire.edition import DRAFT

EPILOG = """\b
Examples:
  acpsim commute --target mypackage.reducer:Reducer
  acpsim commute --target "cmd:node reducer.mjs" --cases 500 --format json
  acpsim commute --every                                    each pair of kinds, with how often
"""


@click.command("commute", epilog=EPILOG)
@target_option
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Default: 20.")
@click.option("--cases", type=click.IntRange(min=1), help="Stop after so many conversations.")
@click.option(
    "--contexts",
    type=click.IntRange(min=1),
    default=CONTEXTS,
    show_default=True,
    help="Conversations in which each pair is tried.",
)
@click.option("--every", is_flag=True, help="A row for every pair, not only for ordered ones.")
@seed_option
@edition_default("draft")
@format_option
def command(
    target: str,
    seconds: float | None,
    cases: int | None,
    contexts: int,
    every: bool,  # noqa: FBT001 (click passes options by name)
    seed: int,
    edition: str | None,
    form: str,
) -> int:
    """Try each pair of neighbours that commute in both orders: 1 if a reducer tells them apart.

    Wherever two neighbouring messages of a conversation commute by the protocol, the reducer is
    told both orders and compared with itself. It needs no reference, and says on what a certificate
    of explore rests.
    """
    used = edition_named(edition) or DRAFT
    limit = float(cases) if cases is not None else seconds or SECONDS
    done: Audited | None = None
    with progress("exchanging", limit) as bar, closing(open_target(target, edition=used)) as tested:
        for event in audit(
            tested, edition=used, seed=seed, cases=cases, seconds=seconds, contexts=contexts
        ):
            if isinstance(event, Audited):
                done = event
            elif isinstance(event, Pair):
                say(commuting.ordered(event) if form == "text" else ())
            else:
                bar(event, f"exchanging: {event} cases")
    assert done is not None
    if form == "json":
        click.echo(document.text_of(commuting.audit_document(done)))
    else:
        say(commuting.audited(done, every=every))
    if done.interrupted:
        return INTERRUPTED
    if done.tried == 0:
        explain("commute", "no neighbours were exchanged")
        return NOTHING_TESTED
    return FOUND if done.ordered else 0
