"""`acpsim replay`: one saved counterexample or vector again, or in other words."""

from __future__ import annotations

from contextlib import closing

import click

from acpsim.cli import FOUND
from acpsim.cli.options import (
    ci_format,
    edition_named,
    edition_option,
    seed_unused,
    target_option,
)
from acpsim.cli.output import echo_ci, say
from acpsim.cli.restated import write_as
from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.oracles.counterexample import judge_vector, read_either, replay
from acpsim.targets.address import open_target
from acpsim.views import ci, document, faults
from acpsim.views.escape import visible
from acpsim.wire.vector import Vector

EPILOG = """\b
Examples:
  acpsim replay acpsim-faults/01-agreement-chunk-append.jsonl --target mymodule:Reducer
  acpsim replay vectors/echo-first.json --target "cmd:node reducer.mjs"
  acpsim replay fault.jsonl --target mymodule:Reducer --as pytest -o test_fault.py
  acpsim replay fault.jsonl --target mymodule:Reducer --as vector -o fault.json
"""


@click.command("replay", epilog=EPILOG)
@click.argument("file", metavar="FILE", type=click.Path())
@target_option
@click.option(
    "--as",
    "other",
    type=click.Choice(["vector", "pytest"]),
    help="Write the same fault as a vector, or as a test function that needs no generator.",
)
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.Path(),
    help="Where --as writes it. Default: standard output.",
)
@edition_option
@ci_format
@seed_unused
def command(
    file: str, target: str, other: str | None, output: str | None, edition: str | None, form: str
) -> int:
    """Run one saved counterexample (a trace) or vector again: 0 it holds, 1 it fails.

    A file may say in what it was found; that is never opened: only --target says what is run. With
    --as nothing is judged: the status is 0 once it is written.
    """
    if output is not None and other is None:
        raise UsageError("--output: goes with --as vector or --as pytest")
    if form != "text" and other is not None:
        raise UsageError(f"--format {form}: goes without --as, which writes a file of its own kind")
    given = edition_named(edition)
    with open_input(file) as stream:
        found = read_either(stream.read(), file, edition=given)
    with closing(open_target(target, edition=found.edition)) as tested:
        ours = open_target("reference", edition=found.edition)
        if other is not None:
            write_as(other, output, found, tested=tested, reference=ours, address=target)
            return 0
        if isinstance(found, Vector):
            verdict = judge_vector(found, tested)
        else:
            verdict = replay(found, tested, reference=ours)
    if form == "json":
        click.echo(document.text_of(faults.verdict_document(file, target, verdict)))
    elif form != "text":
        rules = found.rules if isinstance(found, Vector) else found.objection.rules
        echo_ci(form, ci.Told(results=[ci.replayed(file, rules, verdict)]))
    else:
        known = None if isinstance(found, Vector) else found.objection
        say([f"{visible(file)}: holds"] if verdict is None else faults.verdict(verdict, known))
    return 0 if verdict is None else FOUND
