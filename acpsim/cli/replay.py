"""`acpsim replay`: one saved counterexample or vector again."""

from __future__ import annotations

import json

import click

from acpsim.cli import FOUND, format_option
from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.oracles.counterexample import judge_vector, load, replay
from acpsim.oracles.verdict import Verdict
from acpsim.targets.address import open_target
from acpsim.views import document, faults
from acpsim.wire.edition import Edition
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
        with _opened(target, vector.edition) as tested:
            verdict = judge_vector(vector, tested)
    else:
        example = load(file)
        with _opened(target, example.edition) as tested:
            reference = open_target("reference", edition=example.edition)
            verdict = replay(example, tested, reference=reference)
    if form == "json":
        found = None if verdict is None else verdict.difference
        click.echo(
            document.text_of(
                {
                    "file": file,
                    "target": target,
                    "holds": verdict is None,
                    "oracle": None if verdict is None else verdict.oracle,
                    "rules": [] if verdict is None else list(verdict.rules),
                    "text": None if verdict is None else verdict.text,
                    "path": None if found is None else found.path,
                }
            )
        )
    elif verdict is None:
        click.echo("holds")
    else:
        for line in faults.verdict(verdict):
            click.echo(line)
    return 0 if verdict is None else FOUND


class _opened:  # noqa: N801 (used as a function)
    """A target for as long as it is needed; no process is left behind."""

    def __init__(self, address: str, edition: Edition) -> None:
        self._target = open_target(address, edition=edition)

    def __enter__(self):  # type: ignore[no-untyped-def]
        return self._target

    def __exit__(self, *_: object) -> None:
        self._target.close()


def _vector(path: str) -> Vector | None:
    """The vector in the file, or `None` if the file is no vector but may be a counterexample."""
    if path == "-":
        raise UsageError("-: give a file; a counterexample is read more than once")
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
