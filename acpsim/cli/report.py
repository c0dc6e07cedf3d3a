"""`acpsim report`: the pages of `reports/`, each made by one command."""

from __future__ import annotations

from pathlib import Path

import click

from acpsim.cli.options import edition_default, edition_named, one_of, seed_option
from acpsim.cli.progress import progress
from acpsim.errors import UsageError
from acpsim.files import reason, write_whole
from acpsim.report.page import Given
from acpsim.report.reports import REPORTS
from acpsim.wire.edition import DRAFT

EPILOG = """\b
Examples:
  acpsim report                      all of them, into ./reports
  acpsim report rules -o book        the rule book, into ./book
"""


@click.command("report", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME]…", shell_complete=one_of(lambda: REPORTS))
@click.option(
    "-o", "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("reports")
)
@seed_option
@edition_default("draft")
def command(names: tuple[str, ...], out: Path, seed: int, edition: str | None) -> int:
    """Write reports: rules, coverage, ambiguities, a fault, performance; all if none is named.

    Each begins with the command that makes it again, the version, the edition and the seed.
    """
    for name in names:
        if name not in REPORTS:
            raise UsageError(f"{name}: no such report; one of {', '.join(REPORTS)}")
    given = Given(edition=(edition_named(edition) or DRAFT).name, seed=seed)
    wanted = names or tuple(REPORTS)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{out}: cannot be made: {reason(error)}") from error
    with progress("writing reports", float(len(wanted))) as bar:
        for at, name in enumerate(wanted):
            bar(at, f"writing reports: {name}")
            for file, text in REPORTS[name](given).items():
                write_whole(out / file, text)
                click.echo(str(out / file))
    return 0
