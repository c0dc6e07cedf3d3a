"""The options of a campaign, and what they come to: each is a field of `Options`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from acpsim.cli.options import edition_default, edition_named, seed_option, target_option
from acpsim.fuzz.campaign import JOBS_MAX, Options
from acpsim.wire.edition import DRAFT

POSITIVE: Final = click.FloatRange(min=0, min_open=True)
DIRECTORY: Final[Any] = click.Path(file_okay=False, path_type=Path)

_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    target_option,
    click.option("--seconds", type=POSITIVE, help="Default: 10."),
    click.option("--cases", type=click.IntRange(min=1), help="Stop after so many cases."),
    click.option(
        "--until-risk",
        type=click.FloatRange(min=0, max=1, min_open=True, max_open=True),
        metavar="P",
        help="Stop once the next scenario shows something new with less than this chance.",
    ),
    seed_option,
    click.option(
        "--jobs",
        type=click.IntRange(min=1, max=JOBS_MAX),
        default=1,
        show_default=True,
        help="Processes. The same cases give the same result in any number of them.",
    ),
    click.option(
        "--dask", metavar="ADDRESS", help="Have the workers of a Dask cluster do it: HOST:PORT."
    ),
    click.option(
        "--time-limit",
        "timeout_s",
        type=POSITIVE,
        default=5.0,
        show_default=True,
        help="Seconds for one answer.",
    ),
    click.option(
        "--out",
        "--report",
        "faults",
        type=DIRECTORY,
        default=Path("acpsim-faults"),
        show_default=True,
        help="Directory for the faults of this run; those of an earlier run are replaced.",
    ),
    click.option(
        "--corpus",
        type=DIRECTORY,
        help="Directory of traces that are tried first; new faults are added to it.",
    ),
    edition_default("draft"),
)


def campaign_options(command: Callable[..., int]) -> Callable[..., int]:
    """The command with these options, which reach it as one `options`."""

    @functools.wraps(command)
    def called(*, form: str, edition: str | None, **named: Any) -> int:
        options = Options(edition=edition_named(edition) or DRAFT, **named)
        return command(options=options, form=form)

    decorated: Callable[..., int] = called
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated
