"""The options that commands share, each written once.

What their values are checked against is imported when a command line is read, not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from acpsim.errors import UsageError

if TYPE_CHECKING:
    from acpsim.wire.edition import Edition

Command = TypeVar("Command", bound=Callable[..., Any])


def edition_named(name: str | None) -> Edition | None:
    """The edition of that name, or `None` for none. Raises `UsageError`."""
    from acpsim.wire.edition import EDITIONS

    if name is None:
        return None
    if name not in EDITIONS:
        raise UsageError(f"--edition {name}: no such edition; one of {', '.join(EDITIONS)}")
    return EDITIONS[name]


def one_of(known: Callable[[], Iterable[str]]) -> Callable[..., list[str]]:
    """What a shell completes a word to, found only when it is asked for."""
    return lambda ctx, param, incomplete: [name for name in known() if name.startswith(incomplete)]


def _editions() -> Iterable[str]:
    from acpsim.wire.edition import EDITIONS

    return EDITIONS


def _rules() -> Iterable[str]:
    from acpsim.rules.registry import RULES

    return RULES


def edition_default(default: str) -> Callable[[Command], Command]:
    """The edition option of a command whose default is said so."""
    return click.option(
        "--edition",
        metavar="NAME",
        shell_complete=one_of(_editions),
        help=f"The reading of the draft: draft or sdk-2.4. Default: {default}.",
    )


edition_option = edition_default("the trace header's, else draft")
seed_option = click.option(
    "--seed", type=int, default=0, show_default=True, help="Repeats a run exactly."
)
seed_unused = click.option("--seed", type=int, hidden=True, expose_value=False)
"""For commands that draw nothing at random: every command takes a seed, so that scripts may."""
rule_option = click.option(
    "--rule",
    "chosen",
    multiple=True,
    metavar="ID",
    shell_complete=one_of(_rules),
    help="Only these rules; repeatable.",
)
target_option = click.option(
    "--target",
    default="reference",
    show_default=True,
    metavar="ADDRESS",
    help='The reducer: module:attribute, "cmd:COMMAND LINE", mutant:NAME or reference.',
)
ci_format = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit", "sarif"]),
    default="text",
    show_default=True,
    help="json, junit and sarif print one document on standard output and nothing else there.",
)
"""For commands whose results a CI system shows: as tests (junit), as remarks on lines (sarif)."""
format_option = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json prints one document on standard output and nothing else there.",
)
