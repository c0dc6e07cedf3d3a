"""`acpsim explore`: every order that can be told from the others, each once, with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from acpsim.cli import FOUND, INTERRUPTED, NOTHING_TESTED
from acpsim.cli.options import (
    edition_default,
    edition_named,
    format_option,
    one_of,
    seed_option,
    target_option,
)
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.errors import UsageError
from acpsim.explore.certificate import Progress
from acpsim.explore.dependence import RELATIONS
from acpsim.explore.named import SMALL_MAX, find, names, shipped, tape_named
from acpsim.explore.sample import NAMES
from acpsim.explore.session import SECONDS, Options, Searched, search
from acpsim.views import document, explored
from acpsim.wire.edition import DRAFT

FOLDER = click.Path(file_okay=False, path_type=Path)

EPILOG = """\b
Examples:
  acpsim explore tiny-cancel --target mypackage.reducer:Reducer
  acpsim explore --all --target "cmd:node reducer.mjs"     every shipped scenario that is small
  acpsim explore tiny-echo --exhaustive                    every order, none taken for another
  acpsim explore call.jsonl --schedules 5000               too many orders: some of them
"""


@click.command("explore", epilog=EPILOG)
@click.argument("scenarios", nargs=-1, metavar="SCENARIO…", shell_complete=one_of(names))
@click.option("--all", "every", is_flag=True, help="Every shipped one of up to 25 messages.")
@click.option("--list", "listed", is_flag=True, help="Only name the shipped ones.")
@target_option
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=SECONDS, show_default=True
)
@click.option("--classes", type=click.IntRange(min=1), help="Stop after so many classes.")
@click.option("--relation", type=click.Choice(tuple(RELATIONS)), help="Default: reconcile.")
@click.option("--exhaustive", is_flag=True, help="Run every order, and compare with the classes.")
@click.option("--schedules", type=click.IntRange(min=1), help="Draw so many orders instead.")
@click.option("--strategy", type=click.Choice(NAMES), default=NAMES[0], show_default=True)
@click.option("--tape", metavar="TEXT", help="Run the order of this tape alone.")
@click.option("--out", "faults", type=FOLDER, default="acpsim-faults", help="Save faults there.")
@seed_option
@edition_default("draft")
@format_option
def command(
    scenarios: tuple[str, ...],
    every: bool,  # noqa: FBT001 (click passes options by name)
    listed: bool,  # noqa: FBT001
    form: str,
    edition: str | None,
    seed: int,
    tape: str | None,
    **given: Any,
) -> int:
    """Run one order of every class of orders that a client can tell apart: 1 if some fails.

    SCENARIO is the name of a shipped model or conversation, a model's file, or a trace. Messages
    may come in any order that the parties could have produced. Orders that differ only in what
    commutes by the protocol are one class: what is left is small, and the result says for how many
    orders it stands. With --relation state fewer messages depend on each other, with wide more.
    """
    used = edition_named(edition) or DRAFT
    if listed:
        say(names())
        return 0
    found = [find(word, edition=used, seed=seed) for word in scenarios]
    if every:
        found += shipped(edition=used, seed=seed, messages_max=SMALL_MAX)
    elif not scenarios:
        raise UsageError("give a SCENARIO, or --all; --list names the shipped ones")
    given["tape"] = None if tape is None else tape_named(tape)
    options = Options(edition=used, seed=seed, **{k: v for k, v in given.items() if v is not None})
    done: list[Searched] = []
    with progress("exploring", float(len(found))) as bar:
        for event in search(options, found):
            if isinstance(event, Searched):
                done.append(event)
            if form == "text":
                say(explored.lines(event))
            if isinstance(event, Progress):
                bar(len(done) + (event.share or 0.0), f"exploring: {event.classes} classes")
    if form == "json":
        head = {"target": options.target, "edition": used.name, "seed": seed}
        click.echo(document.text_of(head | {"scenarios": explored.documents(done)}))
    if any(each.interrupted for each in done):
        return INTERRUPTED
    if any(each.tried for each in done):
        return FOUND if any(each.result.failed for each in done) else 0
    explain("explore", "no order was run to its end")
    return NOTHING_TESTED
