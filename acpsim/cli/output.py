"""Lines on standard output: in colour on a terminal that wants it, plain everywhere else."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import click

from acpsim.cli.progress import without_bar
from acpsim.views import text
from acpsim.views.escape import visible
from acpsim.views.tone import Mixed, Tone, Toned
from acpsim.wire.trace import Diagnostic

if TYPE_CHECKING:
    from acpsim.views.ci import Told

STYLES: Final[dict[Tone, dict[str, Any]]] = {
    "breach": {"fg": "red"},
    "suspicion": {"fg": "yellow"},
    "quiet": {"dim": True},
    "expected": {"fg": "green"},
    "actual": {"fg": "red"},
    "client": {"fg": "cyan"},
}


def say(lines: Iterable[str]) -> None:
    """Write lines as they come."""
    coloured = in_colour()
    with without_bar():
        for line in lines:
            click.echo(_styled(line) if coloured else line)


def _styled(line: str) -> str:
    if isinstance(line, Mixed):
        return "".join(_styled(part) for part in line.parts)
    return click.style(str(line), **STYLES[line.tone]) if isinstance(line, Toned) else line


def in_colour() -> bool:
    """Whether standard output is a terminal whose user has not asked for none of it."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def draws_lines() -> bool:
    """Whether standard output can be written the characters that diagrams are drawn with."""
    try:
        "├─▶".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def explain(command: str, why: str) -> None:
    """Say on standard error why a run ends as it does."""
    click.echo(f"acpsim {command}: {visible(why)}", err=True)


def echo_ci(form: str, told: Told) -> None:
    """Write results as one document: `junit` or `sarif`."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
    click.echo(told.text(form, at=now))


def remark(path: str, diagnostics: Iterable[Diagnostic]) -> None:
    """Write diagnostics to standard error."""
    for line in text.diagnostics(path, diagnostics):
        click.echo(line, err=True)
