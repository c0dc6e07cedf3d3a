"""`acpsim mutants`: the fuzzer measured on faults that were seeded on purpose."""

from __future__ import annotations

import time

import click

from acpsim.cli import FOUND, INTERRUPTED
from acpsim.cli.options import edition_default, edition_named, format_option, one_of, seed_option
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.errors import UsageError
from acpsim.fuzz.mutants_run import MutantFinished, MutantsFinished, Options, run
from acpsim.targets.mutants import MUTANTS
from acpsim.targets.target import nearest
from acpsim.views import document, faults
from acpsim.wire.edition import EDITIONS

EPILOG = """\b
Examples:
  acpsim mutants
  acpsim mutants --list
  acpsim mutants --only echo-doubled --only null-as-omitted
"""


@click.command("mutants", epilog=EPILOG)
@click.option("--list", "listed", is_flag=True, help="Only name them, with what each breaks.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=one_of(lambda: MUTANTS),
    help="Only this one; repeatable.",
)
@seed_option
@edition_default("both, in turn")
@format_option
def command(
    listed: bool,  # noqa: FBT001 (click passes options by name)
    only: tuple[str, ...],
    seed: int,
    edition: str | None,
    form: str,
) -> int:
    """Run the fuzzer on every seeded fault and say which it caught, how soon: 1 if some missed."""
    if listed:
        _list(form, only)
        return 0
    given = edition_named(edition)
    editions = tuple(EDITIONS.values()) if given is None else (given,)
    results: list[MutantFinished] = []
    interrupted = False
    start = time.monotonic()
    with progress("trying mutants", float(len(only) or len(MUTANTS))) as bar:
        try:
            for event in run(Options(mutants=only, editions=editions, seed=seed)):
                if isinstance(event, MutantFinished):
                    results.append(event)
                    bar(len(results), f"trying mutants: {event.name}")
                    say([faults.mutant(event)] if form == "text" else ())
        except KeyboardInterrupt:
            interrupted = True
    done = MutantsFinished(results=tuple(results), seconds=time.monotonic() - start)
    if form == "json":
        click.echo(document.text_of(faults.mutants_document(done)))
    else:
        say(faults.mutants_finished(done))
    if interrupted:
        explain("mutants", "interrupted; the rest were not tried")
        return INTERRUPTED
    return FOUND if done.missed else 0


def _list(form: str, only: tuple[str, ...]) -> None:
    for name in set(only) - set(MUTANTS):
        raise UsageError(f"{name}: no such mutant{nearest(name, list(MUTANTS))}")
    named = [mutant for mutant in MUTANTS.values() if not only or mutant.name in only]
    if form == "json":
        click.echo(document.text_of(faults.list_document(named)))
    else:
        say(faults.listed(named))
