"""`acpsim replay`: one saved counterexample or vector again."""

from __future__ import annotations

import io
from contextlib import closing

import click
import msgspec

from acpsim.cli import FOUND
from acpsim.cli.options import (
    edition_named,
    edition_option,
    format_option,
    seed_unused,
    target_option,
)
from acpsim.cli.output import say
from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.oracles.counterexample import judge_vector, read, replay
from acpsim.oracles.verdict import Verdict
from acpsim.targets.address import open_target
from acpsim.views import document, faults
from acpsim.views.escape import visible
from acpsim.wire.vector import FORMAT, Vector, read_vector

EPILOG = """\b
Examples:
  acpsim replay acpsim-faults/01-agreement-chunk-append.jsonl --target mymodule:Reducer
  acpsim replay vectors/echo-first.json --target "cmd:node reducer.mjs"
"""


@click.command("replay", epilog=EPILOG)
@click.argument("file", metavar="FILE", type=click.Path())
@target_option
@edition_option
@format_option
@seed_unused
def command(file: str, target: str, edition: str | None, form: str) -> int:
    """Run one saved counterexample (a trace) or vector again: 0 it holds, 1 it fails.

    A file may say in what it was found; that is never opened: only --target says what is run.
    """
    given = edition_named(edition)
    with open_input(file) as stream:
        data = stream.read()
    vector = _vector(data, file)
    verdict: Verdict | None
    if vector is not None:
        if given not in {None, vector.edition}:
            raise UsageError(f"--edition {edition}: {file} is a vector of {vector.edition.name}")
        with closing(open_target(target, edition=vector.edition)) as tested:
            verdict = judge_vector(vector, tested)
    else:
        example = read(io.BytesIO(data), file, edition=given)
        with closing(open_target(target, edition=example.edition)) as tested:
            reference = open_target("reference", edition=example.edition)
            verdict = replay(example, tested, reference=reference)
    if form == "json":
        click.echo(document.text_of(faults.verdict_document(file, target, verdict)))
    else:
        say([f"{visible(file)}: holds"] if verdict is None else faults.verdict(verdict))
    return 0 if verdict is None else FOUND


class _Head(msgspec.Struct, frozen=True):
    """What tells a vector from a trace."""

    acpsim: str


def _vector(data: bytes, path: str) -> Vector | None:
    """The vector in the file, or `None` if the file is no vector but may be a counterexample.

    A vector is one JSON value, a trace is one on each line: of several only the first is looked at.
    """
    try:
        head = msgspec.json.decode(data, type=_Head)
    except (ValueError, RecursionError):
        return None
    if head.acpsim != FORMAT:
        return None
    try:
        return read_vector(data)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
