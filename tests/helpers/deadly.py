"""Reducers that end their process, or that keep what a reset should have taken, by address."""

from __future__ import annotations

import ctypes
import os

from acpsim.wire.cells import JsonObject
from tests.helpers.small import Small


class Segfaults(Small):
    """Reads where nothing is, once a plan is removed."""

    def apply(self, event: JsonObject) -> None:
        if "plan_removed" in str(event):
            ctypes.string_at(0)
        super().apply(event)


class Exits(Small):
    """Ends the whole process, once a plan is removed."""

    def apply(self, event: JsonObject) -> None:
        if "plan_removed" in str(event):
            os._exit(9)
        super().apply(event)


class Interrupts(Small):
    """Raises what Ctrl-C raises, once a plan is removed."""

    def apply(self, event: JsonObject) -> None:
        if "plan_removed" in str(event):
            raise KeyboardInterrupt
        super().apply(event)


class Remembers(Small):
    """Holds its sessions where a new instance finds them again."""

    everything: dict[str, JsonObject] = {}  # noqa: RUF012 (that is its mistake)

    def __init__(self, edition: str) -> None:
        super().__init__(edition)
        self.sessions = self.everything
