"""How every report begins, and the tables in it.

Owns: `page`, `table` and what a text needs to stand in either.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acpsim import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a report is made from."""

    edition: str
    seed: int = 0


def page(title: str, name: str, given: Given, body: Iterable[str]) -> str:
    """A report: its command, how it was made, its title, its body."""
    words = ["acpsim", "report", name, "--edition", given.edition, "--seed", str(given.seed)]
    head = [
        f"<!-- {shlex.join(words)} -->",
        f"<!-- acpsim {__version__}, edition {given.edition}, seed {given.seed} -->",
        "",
        f"# {title}",
        "",
    ]
    return "\n".join([*head, *body]).rstrip("\n") + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table; numbers stand to the right."""
    filled = [[cell(value) for value in row] for row in rows]
    right = [
        bool(filled) and all(row[at].replace(",", "").replace(".", "").isdigit() for row in filled)
        for at in range(len(head))
    ]
    lines = ["| " + " | ".join(head) + " |"]
    lines.append("|" + "|".join("---:" if one else "---" for one in right) + "|")
    lines += ["| " + " | ".join(row) + " |" for row in filled]
    return [*lines, ""]


def cell(value: object) -> str:
    """A value as it can stand in a table."""
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return " ".join(text.replace("|", "\\|").split())


def block(text: str, language: str = "text") -> list[str]:
    """A text as it stands."""
    return [f"```{language}", *text.strip("\n").split("\n"), "```", ""]
