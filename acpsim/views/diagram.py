"""A conversation as a sequence diagram in the terminal.

Owns: `draw_text`. Time runs down, the client's line is on the left and the agent's on the right. A
message that crossed others takes two lines, one where it was sent and one where it arrived, joined
by a letter; what stands between the two happened while it was under way. A long conversation is
cut, and the picture says so.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from rich.cells import cell_len, set_cell_size

from acpsim.views.escape import visible
from acpsim.views.rows import Row
from acpsim.views.tone import Tone, toned

ARROW_MIN: Final = 20
ARROW_MAX: Final = 72
"""Columns between the two lifelines: the eye does not follow a longer arrow."""
GUTTER: Final = 8
"""Columns of the line number and of the space behind it."""
BESIDE: Final = 20
"""Columns for the foreground state."""
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
"""Join the two lines of a message that crossed others; used again after the last."""
_MARKS: Final = {"definite": "✗", "suspect": "?"}
_TONES: Final[dict[str, Tone]] = {"definite": "breach", "suspect": "suspicion"}
_PLAIN: Final = str.maketrans(
    {"├": "|", "┤": "|", "│": "|", "─": "-", "▶": ">", "◀": "<", "╳": "x", "╴": "-", "╶": "-",
     "✗": "x", "…": "~"}
)  # fmt: skip

Part: TypeAlias = Literal["whole", "sent", "received"]


def draw_text(
    drawn: list[Row], left_out: int, *, width: int = 100, plain: bool = False
) -> Iterator[str]:
    """The diagram as lines for a terminal of `width` columns; `plain` draws it in ASCII alone."""
    arrow = max(ARROW_MIN, min(ARROW_MAX, width - GUTTER - BESIDE))
    several = len({row.session for row in drawn if row.session}) > 1
    yield f"{'line':>6}  client{' ' * (arrow - 11)}agent"
    for row, part, letter in _parts(drawn):
        line = _line(row, part, letter, arrow=arrow, several=several)
        line = line.translate(_PLAIN) if plain else line
        yield toned(line, "client") if row.event.dir == "c2a" else line
        if part != "sent":
            yield from _findings(row, width, plain=plain)
    if left_out:
        dots = "..." if plain else "…"
        yield f"{'':>6}  {dots} {left_out} more messages are not drawn; --most N draws more"


def _parts(drawn: list[Row]) -> Iterator[tuple[Row, Part, str]]:
    """What is drawn line by line: whole messages, and those that crossed others in two parts.

    In a trace without crossings that is the order of the trace. Otherwise each part stands at its
    own time: a message that crossed nothing can stand where it was sent, for whatever the other
    side sent before it came had arrived before that, or had not been sent.
    """
    if not any(row.crosses for row in drawn):
        yield from ((row, "whole", "") for row in drawn)
        return
    timed: list[tuple[float, int, Part]] = []
    for at, row in enumerate(drawn):
        event = row.event
        sent = event.t if event.sent is None else event.sent
        timed.append((sent, at, "sent" if row.crosses else "whole"))
        if row.crosses and event.recv is not None:
            timed.append((event.recv, at, "received"))
    letters: dict[int, str] = {}
    for _, at, part in sorted(timed, key=lambda entry: entry[:2]):
        if part == "sent":
            letters[at] = LETTERS[len(letters) % len(LETTERS)]
        yield drawn[at], part, letters.get(at, "")


def _line(row: Row, part: Part, letter: str, *, arrow: int, several: bool) -> str:
    number = f"{row.event.line:>6}  "
    if row.event.dir == "lost":
        return f"{number}{' connection lost '.center(arrow, '╳')}"
    text = row.text
    if several and row.session:
        text = f"[{visible(row.session, 16)}] {text}"
    to_agent = row.event.dir == "c2a"
    if part == "whole":
        body = _body(text, arrow - 2)
        body = f"├{body}▶" if to_agent else f"◀{body}┤"
    else:
        body = _half(text, letter, arrow=arrow, to_agent=to_agent, sent=part == "sent")
    beside = f"  {visible(row.state, BESIDE - 2)}" if row.state and part != "sent" else ""
    return f"{number}{body}{beside}"


def _body(text: str, room: int) -> str:
    """A text with a line behind it, `room` columns in all."""
    if cell_len(text) > room - 2:
        text = f"{set_cell_size(text, room - 3).rstrip(' …')}…"
    return f" {text} {'─' * (room - 2 - cell_len(text))}"


def _half(text: str, letter: str, *, arrow: int, to_agent: bool, sent: bool) -> str:
    """One end of a message that is on its way for a while: the end at its sender, or the other."""
    length = arrow * 2 // 3
    body = _body(text, length - 3)
    space = " " * (arrow - length - 1)
    if sent:
        return f"├{body}╴{letter}{space}│" if to_agent else f"│{space}{letter}╶{body}┤"
    return f"│{space}{letter}╶{body}▶" if to_agent else f"◀{body}╴{letter}{space}│"


def _findings(row: Row, width: int, *, plain: bool) -> Iterator[str]:
    for finding in row.findings:
        said = f"{_MARKS[finding.certainty]} {finding.rule}: {visible(finding.text)}"
        indent = " " * GUTTER
        lines = textwrap.wrap(
            said.translate(_PLAIN) if plain else said,
            max(width, 2 * ARROW_MIN),
            initial_indent=indent,
            subsequent_indent=f"{indent}  ",
        )
        yield from (toned(line, _TONES[finding.certainty]) for line in lines)
