"""`acpsim vectors`: tests that any implementation can run, with acpsim or without."""

from __future__ import annotations

from pathlib import Path

import click

from acpsim.cli import NOTHING_TESTED
from acpsim.cli.options import (
    edition_default,
    edition_named,
    format_option,
    rule_option,
    seed_unused,
)
from acpsim.cli.output import explain, say
from acpsim.cli.vectors_run import run_command
from acpsim.files import write_whole
from acpsim.harness import HARNESSES, harness_text
from acpsim.vectors.export import check_directory, files
from acpsim.vectors.shipped import Shipped, shipped
from acpsim.views import document
from acpsim.views import vectors as view
from acpsim.wire.edition import DRAFT, Edition

EPILOG = """\b
Examples:
  acpsim vectors run --target mypackage.reducer:Reducer     all that ship
  acpsim vectors run --target "cmd:node reducer.mjs" --rule PROMPT-RECONCILE
  acpsim vectors export vectors/                            as files, to run without acpsim
  acpsim vectors harness javascript -o harness.mjs          a program for cmd:, to begin with
"""


@click.group("vectors", epilog=EPILOG)
def command() -> None:
    """Run, list or write out test vectors: one for each rule, law and seeded fault.

    A vector is a conversation and what a client holds after it, in one JSON file.
    """


command.add_command(run_command)


@command.command("export")
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@edition_default("draft")
@seed_unused
def export(directory: Path, edition: str | None) -> int:
    """Write every vector as a JSON file, with an index and a word on how to run one.

    The same files each time. A vector needs no acpsim to be run.
    """
    chosen = edition_named(edition) or DRAFT
    vectors = shipped(chosen)
    check_directory(directory)
    for name, data in files(vectors, chosen.name):
        write_whole(directory / name, data)
    say([f"{len(vectors)} vectors of edition {chosen.name} written to {directory}"])
    return 0


@command.command("list")
@rule_option
@edition_default("draft")
@format_option
@seed_unused
def listing(chosen: tuple[str, ...], edition: str | None, form: str) -> int:
    """Name the vectors that ship, with what a client that fails each gets wrong."""
    vectors = _about(chosen, edition_named(edition) or DRAFT)
    if form == "json":
        click.echo(document.text_of(view.list_document(vectors)))
    else:
        say(view.listed(vectors))
    if not vectors:
        explain("vectors", f"no vector is about {', '.join(chosen)}")
        return NOTHING_TESTED
    return 0


def _about(rules: tuple[str, ...], edition: Edition) -> list[Shipped]:
    every = shipped(edition)
    return [one for one in every if not rules or not set(rules).isdisjoint(one.vector.rules)]


@command.command("harness")
@click.argument("language", type=click.Choice(list(HARNESSES)))
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Default: standard output.")
@seed_unused
def harness(language: str, output: str | None) -> int:
    """Write a ready program that puts a reducer behind --target cmd:, to use or to translate."""
    text = harness_text(language)
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text.encode())
    return 0
