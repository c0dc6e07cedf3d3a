"""`acpsim mutants`: the fuzzer measured on faults that were seeded on purpose."""

from __future__ import annotations

import click

from acpsim.cli import FOUND, edition_named, edition_option, format_option, progress
from acpsim.fuzz.mutants_run import MutantFinished, MutantsFinished, Options, run
from acpsim.targets.mutants import MUTANTS
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
@click.option("--only", multiple=True, metavar="NAME", help="Only this one; repeatable.")
@click.option("--seed", type=int, default=0, show_default=True, help="Repeats a run exactly.")
@edition_option
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
        _list(form)
        return 0
    given = edition_named(edition)
    editions = tuple(EDITIONS.values()) if given is None else (given,)
    done: MutantsFinished | None = None
    count = 0
    with progress("trying mutants", float(len(only) or len(MUTANTS))) as bar:
        for event in run(Options(mutants=only, editions=editions, seed=seed)):
            if isinstance(event, MutantFinished):
                count += 1
                bar(count, f"trying mutants: {event.name}")
                if form == "text":
                    click.echo(faults.mutant(event))
            elif isinstance(event, MutantsFinished):
                done = event
    assert done is not None
    if form == "json":
        click.echo(document.text_of(faults.mutants_document(done)))
    else:
        for line in faults.mutants_finished(done):
            click.echo(line)
    return FOUND if done.missed else 0


def _list(form: str) -> None:
    if form == "json":
        rows = [
            {"name": mutant.name, "text": mutant.text, "breaks": list(mutant.breaks)}
            for mutant in MUTANTS.values()
        ]
        click.echo(document.text_of({"mutants": rows}))
        return
    for mutant in MUTANTS.values():
        click.echo(f"{mutant.name:<36} {', '.join(mutant.breaks)}: {mutant.text}")
