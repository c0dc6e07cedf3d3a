"""What `acpsim mutants --seeds` does: measure over many seeds, and write the table."""

from __future__ import annotations

import shlex
from pathlib import PurePath
from typing import Final

import click

from acpsim import __version__
from acpsim.cli import FOUND, INTERRUPTED
from acpsim.cli.mutant_runs import Wanted
from acpsim.cli.output import explain, say
from acpsim.cli.progress import progress
from acpsim.files import write_whole
from acpsim.fuzz.measuring import Measured, Plan, measure
from acpsim.fuzz.ways import ALL, DEFAULT, SCHEDULES
from acpsim.views import document, mutant_table
from acpsim.wire.edition import EDITIONS

SUFFIXES: Final = {".json": "json", ".csv": "csv", ".md": "markdown", ".txt": "text"}


def measure_them(wanted: Wanted) -> int:
    """Many seeds: the table."""
    form = _form(wanted)
    plan = Plan(
        mutants=wanted.only,
        ways=wanted.strategies,
        editions=tuple(edition.name for edition in wanted.editions),
        seed=wanted.seed,
        seeds=wanted.seeds or 1,
        cases_max=wanted.cases,
        jobs=wanted.jobs,
    )
    with progress("measuring", float(plan.seeds * len(plan.ways))) as bar:
        for count, event in enumerate(measure(plan), start=1):
            if isinstance(event, Measured):
                done = event
            else:
                bar(count, f"measuring: {event.unit.way}, seed {event.unit.seed}")
    _show(done, wanted, form)
    if done.units < done.planned:
        explain("mutants", f"interrupted; {done.planned - done.units} runs are not in the table")
        return INTERRUPTED
    return FOUND if done.missed or done.alarms else 0


def _form(wanted: Wanted) -> str:
    """The format asked for, or the one that the file's name says."""
    if wanted.form is not None or wanted.out is None:
        return wanted.form or "text"
    return SUFFIXES.get(PurePath(wanted.out).suffix, "text")


def _show(done: Measured, wanted: Wanted, form: str) -> None:
    if form == "json":
        text = document.text_of(mutant_table.measured_document(done)) + "\n"
    elif form == "csv":
        text = mutant_table.measured_csv(done)
    elif form == "markdown":
        text = mutant_table.measured_markdown(done, command=_command(wanted), version=__version__)
    elif wanted.out is None:
        say(mutant_table.measured(done))
        return
    else:
        text = "".join(f"{line}\n" for line in mutant_table.measured(done))
    if wanted.out is None:
        click.echo(text, nl=False)
        return
    write_whole(wanted.out, text.encode())
    say(mutant_table.conclusions(done))


def _command(wanted: Wanted) -> str:
    """The command line that makes the same table; `--jobs` changes nothing in it."""
    words = ["acpsim", "mutants", "--seeds", str(wanted.seeds or 1)]
    words += ["--seed", str(wanted.seed)] if wanted.seed else []
    if wanted.strategies == SCHEDULES:
        words += ["--strategies", ALL]
    elif wanted.strategies != (DEFAULT,):
        words += [word for name in wanted.strategies for word in ("--strategy", name)]
    words += [word for name in wanted.only for word in ("--only", name)]
    words += ["--cases", str(wanted.cases)] if wanted.cases else []
    if len(wanted.editions) < len(EDITIONS):
        words += ["--edition", wanted.editions[0].name]
    words += ["--format", wanted.form] if wanted.form else []
    return shlex.join([*words, *(["-o", wanted.out] if wanted.out else [])])
