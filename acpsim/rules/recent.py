"""A memory of what was said of entities lately, which does not grow with the conversation.

Owns: `Recent`. For suspicions only: what it has forgotten must cost a remark, never cause one.
"""

from __future__ import annotations

from typing import Final, Generic, TypeVar

REMEMBERED_MAX: Final = 4096
"""Entities of one kind that a session's memory holds at least: more than a client shows at once,
and a conversation of a million messages stays within tens of megabytes."""

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """The last `REMEMBERED_MAX` keys that were put, and up to as many before them.

    A key is an id, or the digest of what was said.
    """

    __slots__ = ("_before", "_now")

    def __init__(self) -> None:
        self._now: dict[str | bytes, Value] = {}
        self._before: dict[str | bytes, Value] = {}

    def __bool__(self) -> bool:
        return bool(self._now)

    def get(self, key: str | bytes) -> Value | None:
        """What was last put for a key, or `None` if it was never put or is forgotten."""
        value = self._now.get(key)
        return self._before.get(key) if value is None else value

    def put(self, key: str | bytes, value: Value) -> None:
        """Remember a value."""
        if len(self._now) >= REMEMBERED_MAX and key not in self._now:
            self._before, self._now = self._now, {}
        self._now[key] = value
