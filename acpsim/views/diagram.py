"""A conversation as a sequence diagram in the terminal, and as Mermaid.

Owns: `Row`, and the two ways to draw rows. A row is one message with what stands beside it: the
foreground state that it left its session in, and the findings of its line. A long conversation is
cut, and the picture says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from rich.cells import cell_len, set_cell_size

from acpsim.rules.finding import Finding
from acpsim.views.escape import visible
from acpsim.views.message import summary
from acpsim.wire import methods, updates
from acpsim.wire.trace import Event

ROWS_MAX: Final = 400
"""Messages drawn unless more are asked for: a diagram that nobody can scroll helps nobody."""
ARROW: Final = 46
"""Columns between the two lifelines."""
_SIGNS: Final = re.compile(r"[^\w ./,()\[\]=+*!?'…-]")
_END: Final = re.compile(r"\bend\b", re.IGNORECASE)
"""The word that closes a block of Mermaid, wherever it stands."""
_MARKS: Final = {"definite": "✗", "suspect": "?"}


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the diagram."""

    event: Event
    text: str
    session: str
    state: str
    """The session's foreground state after it, where it changed; else empty."""
    crosses: int = 0
    """How many messages of the other direction it passed on the way, where that is known."""
    findings: list[Finding] = field(default_factory=list)


def rows(
    events: Iterable[Event],
    findings: Iterable[Finding] = (),
    *,
    session: str | None = None,
    most: int = ROWS_MAX,
) -> tuple[list[Row], int]:
    """The rows of a conversation, of one session if it is named, and how many were left out."""
    remarks: dict[int, list[Finding]] = {}
    for finding in findings:
        remarks.setdefault(finding.line, []).append(finding)
    drawn: list[Row] = []
    left_out = 0
    requests: dict[tuple[str, object], str] = {}
    states: dict[str, str] = {}
    for event in events:
        name = _session(event, requests)
        if session is not None and name not in {session, ""}:
            continue
        if len(drawn) >= most:
            left_out += 1
            continue
        state = _state(event, name, states)
        drawn.append(Row(event, summary(event), name, state, findings=remarks.get(event.line, [])))
    return _crossings(drawn), left_out


def _session(event: Event, requests: dict[tuple[str, object], str]) -> str:
    """The session that a message belongs to; responses belong to their request's."""
    message = event.message
    params = getattr(message, "params", None)
    named = getattr(params, "session_id", None)
    identity = getattr(message, "id", None)
    if isinstance(identity, int | str):
        if isinstance(message, methods.Call):
            requests[event.dir, identity] = named if isinstance(named, str) else ""
        elif params is None:
            asked = "a2c" if event.dir == "c2a" else "c2a"
            return requests.pop((asked, identity), "")
    return named if isinstance(named, str) else ""


def _state(event: Event, name: str, states: dict[str, str]) -> str:
    message = event.message
    if not isinstance(message, methods.SessionUpdate):
        return ""
    update = message.params.update
    if not isinstance(update, updates.StateUpdate) or states.get(name) == update.state:
        return ""
    states[name] = update.state
    return update.state


def _crossings(drawn: list[Row]) -> list[Row]:
    """Count, for each message, those of the other direction that it crossed on the way.

    Two messages cross where each was sent before the other arrived. Known only in traces that say
    when a message was sent and received.
    """
    timed = [
        (at, row.event.dir, row.event.sent, row.event.recv)
        for at, row in enumerate(drawn)
        if row.event.sent is not None and row.event.recv is not None
    ]
    counts = [0] * len(drawn)
    open_: list[tuple[int, str, float]] = []
    for at, direction, sent, received in sorted(timed, key=lambda entry: (entry[2], entry[0])):
        assert sent is not None
        assert received is not None
        open_ = [entry for entry in open_ if entry[2] > sent]
        for other, other_direction, _ in open_:
            if other_direction != direction:
                counts[other] += 1
                counts[at] += 1
        open_.append((at, direction, received))
    return [
        Row(row.event, row.text, row.session, row.state, counts[at], row.findings)
        for at, row in enumerate(drawn)
    ]


def draw_text(drawn: list[Row], left_out: int, *, width: int = 100) -> Iterator[str]:
    """The diagram as lines for a terminal of `width` columns."""
    arrow = max(20, min(ARROW, width - 50))
    several = len({row.session for row in drawn if row.session}) > 1
    yield f"{'line':>6}  client{' ' * (arrow - 11)}agent"
    for row in drawn:
        yield _line(row, arrow, several=several)
        for finding in row.findings:
            mark = _MARKS[finding.certainty]
            yield f"{'':>6}  {mark} {finding.rule}: {visible(finding.text)}"
    if left_out:
        yield f"{'':>6}  … {left_out} more messages are not drawn; --most N draws more"


def _line(row: Row, arrow: int, *, several: bool) -> str:
    if row.event.dir == "lost":
        return f"{row.event.line:>6}  {' connection lost '.center(arrow, '╳')}"
    text = row.text
    if several and row.session:
        text = f"[{visible(row.session, 16)}] {text}"
    room = arrow - 4
    if cell_len(text) > room:
        text = f"{set_cell_size(text, room - 1).rstrip(' …')}…"
    body = f" {text} {'─' * (room - cell_len(text))}"
    drawn = f"├{body}▶" if row.event.dir == "c2a" else f"◀{body}┤"
    beside = f"  {visible(row.state, 24)}" if row.state else ""
    if row.crosses:
        beside += f"  ⤫ {row.crosses}"
    return f"{row.event.line:>6}  {drawn}{beside}"


def draw_mermaid(drawn: list[Row], left_out: int) -> Iterator[str]:
    """The diagram as the text of a Mermaid sequence diagram."""
    several = len({row.session for row in drawn if row.session}) > 1
    yield "sequenceDiagram"
    yield "  participant C as Client"
    yield "  participant A as Agent"
    for row in drawn:
        if row.event.dir == "lost":
            yield "  Note over C,A: connection lost"
            continue
        text = f"[{row.session}] {row.text}" if several and row.session else row.text
        arrow = "C->>A" if row.event.dir == "c2a" else "A->>C"
        yield f"  {arrow}: {_mermaid(text)}"
        if row.state:
            yield f"  Note right of A: {_mermaid(row.state)}"
        for finding in row.findings:
            mark = "breach" if finding.certainty == "definite" else "suspicion"
            side = "right of A" if finding.party == "agent" else "left of C"
            yield f"  Note {side}: {mark} {_mermaid(finding.rule)}"
    if left_out:
        yield f"  Note over C,A: {left_out} more messages are not drawn"


def _mermaid(text: str) -> str:
    """Text that Mermaid takes as text: its own signs become entities, and nothing is markup."""
    safe = _SIGNS.sub(lambda sign: f"#{ord(sign.group())};", visible(text))
    return _END.sub(lambda word: f"#{ord(word.group()[0])};{word.group()[1:]}", safe) or " "
