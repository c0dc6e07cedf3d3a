"""What `acpsim mutants` does with one seed: list the seeded faults, or try each once."""

from __future__ import annotations

import time
from dataclasses import dataclass

import click

from acpsim.cli import FOUND, INTERRUPTED
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.fuzz.mutants_run import (
    CASES_MAX,
    MutantFinished,
    MutantsFinished,
    MutantsStarted,
    Options,
    chosen_mutants,
    run,
)
from acpsim.fuzz.trials import Alarm
from acpsim.targets.mutants import MUTANTS
from acpsim.views import document, mutant_table
from acpsim.wire.edition import Edition


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user asks for."""

    only: tuple[str, ...]
    editions: tuple[Edition, ...]
    seed: int
    seeds: int | None
    strategies: tuple[str, ...]
    cases: int | None
    jobs: int
    form: str | None
    out: str | None


def list_them(wanted: Wanted) -> int:
    """Name the mutants."""
    named = chosen_mutants(wanted.only)
    if wanted.form == "json":
        click.echo(document.text_of(mutant_table.list_document(named)))
    else:
        say(mutant_table.listed(named))
    return 0


def try_them(wanted: Wanted) -> int:
    """One seed: whether each is caught, and what the fault is shrunk to."""
    options = Options(
        mutants=wanted.only,
        editions=wanted.editions,
        seed=wanted.seed,
        cases_max=wanted.cases or CASES_MAX,
    )
    results: list[MutantFinished] = []
    alarm, interrupted, start = Alarm(), False, time.monotonic()
    with progress("trying mutants", float(len(wanted.only) or len(MUTANTS))) as bar:
        try:
            for event in run(options):
                if isinstance(event, MutantsStarted):
                    alarm = event.alarm
                elif isinstance(event, MutantFinished):
                    results.append(event)
                    bar(len(results), f"trying mutants: {event.name}")
                    say([mutant_table.mutant(event)] if wanted.form != "json" else ())
        except KeyboardInterrupt:
            interrupted = True
    done = MutantsFinished(results=tuple(results), seconds=time.monotonic() - start, alarm=alarm)
    if wanted.form == "json":
        click.echo(document.text_of(mutant_table.mutants_document(done)))
    else:
        say(mutant_table.mutants_finished(done))
    if interrupted:
        explain("mutants", "interrupted; the rest were not tried")
        return INTERRUPTED
    return FOUND if done.missed or alarm.rung else 0
