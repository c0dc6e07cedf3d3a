"""A conversation as the text of a Mermaid sequence diagram.

Owns: `draw_mermaid`, and what of a text Mermaid would take for its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from acpsim.views.escape import visible
from acpsim.views.rows import Row
from acpsim.wire.jsonrpc import Malformed, Response

_SIGNS: Final = re.compile(r"[^\w ./,()\[\]=+*!?'…-]")
_END: Final = re.compile(r"\bend\b", re.IGNORECASE)
"""The word that closes a block of Mermaid, wherever it stands."""


def draw_mermaid(drawn: list[Row], left_out: int) -> Iterator[str]:
    """The diagram as lines; answers have broken arrows, as is usual in such diagrams."""
    several = len({row.session for row in drawn if row.session}) > 1
    yield "sequenceDiagram"
    yield "  participant C as Client"
    yield "  participant A as Agent"
    for row in drawn:
        if row.event.dir == "lost":
            yield "  Note over C,A: connection lost"
            continue
        text = f"[{row.session}] {row.text}" if several and row.session else row.text
        crossed = f" (crosses {row.crosses})" if row.crosses else ""
        yield f"  {_arrow(row)}: {escaped(text)}{crossed}"
        if row.state:
            yield f"  Note right of A: {escaped(row.state)}"
        for finding in row.findings:
            mark = "breach" if finding.certainty == "definite" else "suspicion"
            side = "right of A" if finding.party == "agent" else "left of C"
            yield f"  Note {side}: {mark} {escaped(finding.rule)}"
    if left_out:
        yield f"  Note over C,A: {left_out} more messages are not drawn"


def _arrow(row: Row) -> str:
    message = row.event.message
    answer = isinstance(message, Response) or (
        isinstance(message, Malformed) and message.kind == "response"
    )
    line = "-->>" if answer else "->>"
    return f"C{line}A" if row.event.dir == "c2a" else f"A{line}C"


def escaped(text: str) -> str:
    """Text that Mermaid takes as text: its own signs become entities, and nothing is markup."""
    safe = _SIGNS.sub(lambda sign: f"#{ord(sign.group())};", visible(text))
    return _END.sub(lambda word: f"#{ord(word.group()[0])};{word.group()[1:]}", safe) or " "
