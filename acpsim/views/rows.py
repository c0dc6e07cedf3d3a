"""A conversation as the rows of a diagram: one message each, with what stands beside it.

Owns: `Row`, and `Picture`, which is shown a conversation event by event and keeps the first rows
of it: the session that a message belongs to, the foreground state that it left behind, the messages
that it crossed on its way. How rows are drawn is for `diagram` and `mermaid`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from acpsim.rules.finding import Finding
from acpsim.views.message import summary
from acpsim.wire import methods, updates
from acpsim.wire.jsonrpc import OTHER_SIDE
from acpsim.wire.trace import Event

ROWS_MAX: Final = 400
"""Messages drawn unless more are asked for: a diagram that nobody can scroll helps nobody."""


@dataclass(frozen=True, slots=True)
class Row:
    """One message of the diagram."""

    event: Event
    text: str
    session: str
    """The session that it belongs to; empty where it names none."""
    state: str
    """The session's foreground state after it, where it changed; else empty."""
    crosses: int = 0
    """How many messages of the other direction it passed on the way, where that is known."""
    findings: list[Finding] = field(default_factory=list)


class Picture:
    """Keeps what is to be drawn of a conversation; of the rest, how much it was."""

    def __init__(self, *, session: str | None = None, most: int = ROWS_MAX) -> None:
        self._only = session
        self._most = most
        self._rows: list[Row] = []
        self._requests: dict[tuple[str, object], str] = {}
        self._states: dict[str, str] = {}
        self.named = False
        """Whether any message belongs to the session that was asked for."""
        self.left_out = 0
        """Messages that would be drawn if there were fewer."""

    def see(self, event: Event) -> None:
        """Take the next event of the conversation."""
        name = self._session(event)
        self.named |= name == self._only
        if self._only is not None and name not in {self._only, ""}:
            return
        if len(self._rows) >= self._most:
            self.left_out += 1
            return
        self._rows.append(Row(event, summary(event), name, self._state(event, name)))

    def rows(self, findings: Iterable[Finding] = ()) -> list[Row]:
        """What was kept, with the findings of its lines."""
        remarks: dict[int, list[Finding]] = {}
        for finding in findings:
            remarks.setdefault(finding.line, []).append(finding)
        counts = _crossings([row.event for row in self._rows])
        return [
            replace(row, crosses=crosses, findings=remarks.get(row.event.line, []))
            for row, crosses in zip(self._rows, counts, strict=True)
        ]

    def _session(self, event: Event) -> str:
        """The session that a message belongs to; responses belong to their request's."""
        message = event.message
        params = getattr(message, "params", None)
        named = getattr(params, "session_id", None)
        identity = getattr(message, "id", None)
        if event.dir != "lost" and isinstance(identity, int | str):
            if isinstance(message, methods.Call):
                self._requests[event.dir, identity] = named if isinstance(named, str) else ""
            elif params is None:
                return self._requests.pop((OTHER_SIDE[event.dir], identity), "")
        return named if isinstance(named, str) else ""

    def _state(self, event: Event, name: str) -> str:
        message = event.message
        if not isinstance(message, methods.SessionUpdate):
            return ""
        update = message.params.update
        if not isinstance(update, updates.StateUpdate) or self._states.get(name) == update.state:
            return ""
        self._states[name] = update.state
        return update.state


def rows(
    events: Iterable[Event],
    findings: Iterable[Finding] = (),
    *,
    session: str | None = None,
    most: int = ROWS_MAX,
) -> tuple[list[Row], int]:
    """The rows of a conversation, of one session if it is named, and how many were left out."""
    picture = Picture(session=session, most=most)
    for event in events:
        picture.see(event)
    return picture.rows(findings), picture.left_out


def _crossings(events: list[Event]) -> list[int]:
    """Count, for each message, those of the other direction that it crossed on the way.

    Two messages cross where each was sent before the other arrived. Known only in traces that say
    when a message was sent and received.
    """
    counts = [0] * len(events)
    timed = [
        (event.sent, at, event.dir, event.recv)
        for at, event in enumerate(events)
        if event.sent is not None and event.recv is not None
    ]
    under_way: list[tuple[int, str, float]] = []
    for sent, at, direction, received in sorted(timed):
        under_way = [entry for entry in under_way if entry[2] > sent]
        for other, other_direction, _ in under_way:
            if other_direction != direction:
                counts[other] += 1
                counts[at] += 1
        under_way.append((at, direction, received))
    return counts
