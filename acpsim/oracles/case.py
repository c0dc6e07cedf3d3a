"""What may be asked about a verdict in order to name its cause.

Owns: `Case`, one verdict with the message after which it first shows, and `Cause`, one row of the
table in `causes`. A row asks by name (`case.creates`, `case.elsewhere`); what is asked often is
worked out once.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Final

from msgspec import UNSET

from acpsim.oracles import talk
from acpsim.oracles.compare import ENTITY_DEPTH, equal
from acpsim.oracles.verdict import Verdict
from acpsim.wire import methods
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import Response

_TYPES: Final = {
    "toolCalls": "tool_call",
    "terminals": "terminal",
    "plans": "plan",
    "compactions": "compaction",
    "subagents": "subagent",
}


class Case:
    """One verdict with everything that a row of the table may ask about it."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.events = verdict.events
        self.at = -1 if verdict.after is None else verdict.after
        self.kind = verdict.kind or ""
        self.steps = () if verdict.difference is None else verdict.difference.steps
        self.place = "" if verdict.difference is None else verdict.difference.place
        self.section = str(self.steps[0]) if self.steps else ""

    @functools.cached_property
    def prints(self) -> list[talk.Footprint | None]:
        return talk.footprints(self.events[: self.at + 1])

    @property
    def print_(self) -> talk.Footprint | None:
        return self.prints[self.at] if 0 <= self.at < len(self.events) else None

    @functools.cached_property
    def update(self) -> JsonObject:
        """The update, or the tool call that a permission request brings; empty for all else."""
        if not 0 <= self.at < len(self.events):
            return {}
        message = self.events[self.at].message
        if isinstance(message, methods.SessionUpdate):
            return talk.update_json(self.events[self.at])
        if self.print_ is not None:
            subject: JsonObject = self.events[self.at].json()["params"]["subject"]["toolCall"]
            return subject
        return {}

    @property
    def entity(self) -> talk.Key | None:
        """The entity that the difference is about, as far as its path says."""
        if self.section == "timeline" and self.verdict.difference is not None:
            wanted = self.verdict.difference.expected
            if isinstance(wanted, list) and len(wanted) == 2:
                return str(wanted[0]), str(wanted[1])
            return None
        depth = ENTITY_DEPTH.get(self.section)
        if depth is None or len(self.steps) < depth:
            return None
        kind = str(self.steps[1]) if self.section == "messages" else _TYPES[self.section]
        return kind, str(self.steps[depth - 1])

    @property
    def whole(self) -> bool:
        """The entity itself is missing or too many, not a field of it."""
        depth = ENTITY_DEPTH.get(self.section)
        return depth is not None and len(self.steps) <= depth

    @property
    def field(self) -> str:
        """The field of the update that is about what differs."""
        depth = ENTITY_DEPTH.get(self.section, 1)
        name = str(self.steps[depth]) if len(self.steps) > depth else ""
        return "_meta" if name == "meta" else name

    @property
    def creates(self) -> bool:
        return self.print_ is not None and self.print_.creates

    @property
    def elsewhere(self) -> bool:
        """The message is for another session than the one that differs."""
        own, there = self.print_, self.verdict.session
        return own is not None and there is not None and own.session != there

    @property
    def expected(self) -> Json:
        return UNSET if self.verdict.difference is None else self.verdict.difference.expected

    @property
    def actual(self) -> Json:
        return UNSET if self.verdict.difference is None else self.verdict.difference.actual

    @property
    def unapplied(self) -> bool:
        """After the message there stands what stood there before it."""
        return self.verdict.difference is not None and equal(self.verdict.before, self.actual)

    def same_id_elsewhere(self) -> bool:
        """Its id names an entity of another type too."""
        own = self.print_
        if own is None:
            return False
        if self.entity is not None and self.entity != own.key and self.entity[1] == own.key[1]:
            return True
        return own.creates and any(
            p is not None
            and p.session == own.session
            and p.key[1] == own.key[1] != ""
            and p.key[0] != own.key[0]
            for p in self.prints
        )

    def answered(self) -> bool:
        """A prompt response had named this user message before."""
        own = self.update.get("messageId")
        return any(
            isinstance(e.message, Response)
            and isinstance(e.message.result, dict)
            and e.message.result.get("messageId") == own
            for e in self.events[: self.at]
        )

    def reopened(self) -> bool:
        """The session was closed, or a `session/resume` of it is not answered yet."""
        answers = talk.exchanges(self.events[: self.at]).answer_of
        closed = False
        for at, event in enumerate(self.events[: self.at]):
            message = event.message
            if isinstance(message, methods.ResumeSessionRequest | methods.CloseSessionRequest):
                if message.params.session_id != self.verdict.session:
                    continue
                if isinstance(message, methods.CloseSessionRequest):
                    closed = closed or at in answers
                else:
                    closed = at not in answers
        return closed

    def cancelled_since(self) -> bool:
        """The tool call was known before a `session/cancel` that was sent before this."""
        own = self.print_
        if own is None or own.creates:
            return False
        first = next(at for at, p in enumerate(self.prints) if p is not None and p[:2] == own[:2])
        return any(
            isinstance(e.message, methods.CancelSession)
            and e.message.params.session_id == own.session
            for e in self.events[first : self.at]
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One row: which cases it fits, the rules that are broken then, and why."""

    rules: tuple[str, ...]
    text: str
    kinds: frozenset[str] | None = None
    places: tuple[str, ...] | None = None
    when: Callable[[Case], bool] | None = None

    def fits(self, case: Case) -> bool:
        """Whether this is the cause. A place fits with everything below it."""
        if self.kinds is not None and case.kind not in self.kinds:
            return False
        if self.places is not None and not any(_below(case.place, p) for p in self.places):
            return False
        return self.when is None or self.when(case)


def _below(place: str, above: str) -> bool:
    return place == above or place.startswith(f"{above}.")
