"""Reducers that are wrong or that fail on purpose, by address, to test the reporting itself."""

from __future__ import annotations

import time

from acpsim.wire import updates
from acpsim.wire.cells import JsonObject
from tests.helpers.small import Small


class Canary(Small):
    """Right in everything but one: the second usage update is ignored."""

    def usage(self, held: JsonObject, update: updates.UsageUpdate) -> None:
        if held["usage"] is None:
            super().usage(held, update)


class Raises(Small):
    """Falls over a plan that is removed."""

    def apply(self, event: JsonObject) -> None:
        if "plan_removed" in str(event):
            raise KeyError("plan")
        super().apply(event)


class Hangs(Small):
    """Does not return from a plan that is removed."""

    def apply(self, event: JsonObject) -> None:
        while "plan_removed" in str(event):
            time.monotonic()
        super().apply(event)


class Forgets(Small):
    """A snapshot that it gives is the last that it knows anything of."""

    def snapshot(self, session_id: str) -> JsonObject | None:
        held: JsonObject | None = super().snapshot(session_id)
        self.sessions.pop(session_id, None)
        return held
