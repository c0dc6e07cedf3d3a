"""`acpsim replay`: one saved counterexample or vector again."""

from __future__ import annotations

import json
from contextlib import closing

import click

from acpsim.cli import FOUND, format_option
from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.oracles.counterexample import judge_vector, load, replay
from acpsim.oracles.verdict import Verdict
from acpsim.targets.address import open_target
from acpsim.views import document, faults
from acpsim.views.escape import visible
from acpsim.wire.vector import Vector, read_vector

EPILOG = """\b
Examples:
  acpsim replay acpsim-faults/01-agreement-chunk-append.jsonl --target mymodule:Reducer
  acpsim replay vectors/echo-first.json --target "cmd:node reducer.mjs"
"""


@click.command("replay", epilog=EPILOG)
@click.argument("file", metavar="FILE")
@click.option(
    "--target",
    default="reference",
    show_default=True,
    metavar="ADDRESS",
    help="As for fuzz. It is never taken from the file.",
)
@format_option
def command(file: str, target: str, form: str) -> int:
    """Run one saved counterexample (a trace) or vector again: 0 it holds, 1 it fails."""
    vector = _vector(file)
    verdict: Verdict | None
    if vector is not None:
        with closing(open_target(target, edition=vector.edition)) as tested:
            verdict = judge_vector(vector, tested)
    else:
        example = load(file)
        with closing(open_target(target, edition=example.edition)) as tested:
            reference = open_target("reference", edition=example.edition)
            verdict = replay(example, tested, reference=reference)
    if form == "json":
        click.echo(document.text_of(faults.verdict_document(file, target, verdict)))
    elif verdict is None:
        click.echo(f"{visible(file)}: holds")
    else:
        for line in faults.verdict(verdict):
            click.echo(line)
    return 0 if verdict is None else FOUND


def _vector(path: str) -> Vector | None:
    """The vector in the file, or `None` if the file is no vector but may be a counterexample."""
    if path == "-":
        raise UsageError("-: is read more than once here; give a file")
    with open_input(path) as stream:
        data = stream.read()
    try:
        head = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(head, dict) or head.get("acpsim") != "vector/1":
        return None
    try:
        return read_vector(data)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
