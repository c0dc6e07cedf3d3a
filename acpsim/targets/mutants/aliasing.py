"""Mutants that share objects with their caller.

Theme: the law of no aliasing. They show only to a caller who changes what it has given or was
given. One class a mutant; `OF_ALIASING` names them.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Final

from acpsim.targets.mutants.mutant import Mutant
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.trace import Event


class MessageAliased(ReferenceTarget):
    """Keeps notices and unknown updates as the very objects that it was given."""

    _kept: tuple[tuple[str, str, Json], ...] = ()

    def reset(self) -> None:
        self._kept = ()
        super().reset()

    def apply_value(self, value: JsonObject) -> None:
        sections = ("notices", "unknown")
        before = {name: _counts(self, name, value) for name in sections}
        super().apply_value(value)
        for name in sections:
            if _counts(self, name, value) > before[name]:
                params = value["msg"]["params"]
                self._kept = (*self._kept, (params["sessionId"], name, params["update"]))

    def snapshot(self, session_id: str) -> JsonObject | None:
        held = super().snapshot(session_id)
        if held is not None:
            for name in ("notices", "unknown"):
                own = [kept for kept in self._kept if kept[:2] == (session_id, name)]
                if own:
                    held[name] = held[name][: -len(own)] + copy.deepcopy([kept[2] for kept in own])
        return held


def _counts(target: ReferenceTarget, section: str, value: JsonObject) -> int:
    message = value.get("msg")
    params = message.get("params") if isinstance(message, dict) else None
    session_id = params.get("sessionId") if isinstance(params, dict) else None
    held = ReferenceTarget.snapshot(target, session_id) if isinstance(session_id, str) else None
    return len(held[section]) if held is not None else 0


class SnapshotAliased(ReferenceTarget):
    """Hands out the same snapshot until something changes, also if the caller has changed it."""

    _given: tuple[tuple[str, JsonObject | None], ...] = ()

    def reset(self) -> None:
        self._given = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        self._given = ()
        super().apply(events)

    def snapshot(self, session_id: str) -> JsonObject | None:
        return copy.deepcopy(self.snapshot_value(session_id))

    def snapshot_value(self, session_id: str) -> JsonObject | None:
        given = dict(self._given)
        if session_id not in given:
            given[session_id] = super().snapshot(session_id)
            self._given = tuple(given.items())
        return given[session_id]


OF_ALIASING: Final = (
    Mutant(
        name="message-aliased",
        breaks=("UNKNOWN-PRESERVED", "no-aliasing"),
        text="keeps the very object that it was given, so that the caller's changes reach it",
        made_as=MessageAliased,
    ),
    Mutant(
        name="snapshot-aliased",
        breaks=("UNKNOWN-PRESERVED", "no-aliasing"),
        text="hands out the very object that it keeps, so that the caller's changes reach it",
        made_as=SnapshotAliased,
    ),
)
