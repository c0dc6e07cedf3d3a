"""`acpsim vectors run`: vectors on a reducer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import click

from acpsim.cli import FOUND, NOTHING_TESTED
from acpsim.cli.options import (
    ci_format,
    edition_default,
    edition_named,
    rule_option,
    seed_unused,
    target_option,
)
from acpsim.cli.output import echo_ci, explain, say
from acpsim.cli.progress import progress
from acpsim.errors import UsageError
from acpsim.rules.registry import RULES
from acpsim.targets.address import open_target
from acpsim.targets.target import ANSWER_TIMEOUT_S, nearest
from acpsim.vectors.running import Found, Result, find, run, shipped_as_found
from acpsim.views import ci, document
from acpsim.views import vectors as view
from acpsim.wire.edition import DRAFT

EPILOG = """\b
Examples:
  acpsim vectors run --target mypackage.reducer:Reducer
  acpsim vectors run rule-PROMPT-RECONCILE --target "cmd:node reducer.mjs"
  acpsim vectors run vectors/ --target mutant:echo-doubled --format junit
"""


@click.command("run", epilog=EPILOG)
@click.argument("words", metavar="[NAME|FILE|DIR]...", nargs=-1)
@target_option
@rule_option
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=ANSWER_TIMEOUT_S,
    show_default=True,
    help="Seconds for one answer.",
)
@edition_default("a file's own; draft for those that ship")
@ci_format
@seed_unused
def run_command(
    words: tuple[str, ...],
    target: str,
    chosen: tuple[str, ...],
    time_limit: float,
    edition: str | None,
    form: str,
) -> int:
    """Run vectors on a reducer: those named, else all that ship. 0 all hold, 1 some fail.

    Compared are the sections that both have. A file is data: only --target says what is run.
    """
    for rule in chosen:
        if rule not in RULES:
            raise UsageError(f"--rule {rule}: no such rule{nearest(rule, list(RULES))}")
    given = edition_named(edition)
    found = find(words, given) if words else shipped_as_found(given or DRAFT)
    found = [one for one in found if not chosen or not set(chosen).isdisjoint(one.vector.rules)]
    results: list[Result] = []
    with progress("vectors", float(len(found))) as bar:
        for result in _run(found, target, time_limit):
            results.append(result)
            bar(float(len(results)), result.name)
            if form == "text":
                say(view.told(result))
    if form == "text":
        say([view.closing(results)])
    elif form == "json":
        click.echo(document.text_of(view.run_document(target, results)))
    else:
        echo_ci(form, ci.Told(results=view.results_for_ci(target, results)))
    if all(result.outcome == "skipped" for result in results):
        explain("vectors", "no vector was run")
        return NOTHING_TESTED
    return FOUND if any(result.outcome == "failed" for result in results) else 0


def _run(found: list[Found], address: str, time_limit: float) -> Iterator[Result]:
    """Each edition's vectors on a target of its own."""
    for edition in dict.fromkeys(one.vector.edition for one in found):
        with closing(open_target(address, edition=edition, timeout_s=time_limit)) as target:
            yield from run([one for one in found if one.vector.edition == edition], target)
