"""What an agent retains of a session, and how it sends it again on `session/resume`.

Owns: `History`. It is the agent's own book-keeping: each entity as one update that says all of it.
Notices are live only and not retained ("Session Notices").
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from acpsim.wire.cells import JsonObject

CHUNKS: Final[dict[str, tuple[str, str, str]]] = {
    "user_message_chunk": ("user_message", "messageId", "content"),
    "agent_message_chunk": ("agent_message", "messageId", "content"),
    "agent_thought_chunk": ("agent_thought", "messageId", "content"),
    "session_message_chunk": ("session_message", "messageId", "content"),
    "tool_call_content_chunk": ("tool_call_update", "toolCallId", "content"),
    "compaction_summary_chunk": ("compaction_update", "compactionId", "summary"),
}
"""Chunk → the upsert that it adds to, the field with its id, and the list that it grows."""

UPSERTS: Final[dict[str, str]] = {
    "user_message": "messageId",
    "agent_message": "messageId",
    "agent_thought": "messageId",
    "session_message": "messageId",
    "tool_call_update": "toolCallId",
    "terminal_update": "terminalId",
    "compaction_update": "compactionId",
    "subagent_update": "sessionId",
}
"""Upsert → the field with its id."""

LATEST: Final = frozenset(
    {"available_commands_update", "config_option_update", "session_info_update", "usage_update"}
)
"""Updates of which the last one says all."""


class History:
    """The retained conversation, in the order in which its entities were first reported."""

    __slots__ = ("_bytes", "_held")

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], JsonObject] = {}
        self._bytes: dict[str, bytearray] = {}

    def note(self, update: JsonObject) -> None:
        """Retain what one of the agent's own updates says."""
        variant = update["sessionUpdate"]
        if variant in CHUNKS:
            upsert, key, grows = CHUNKS[variant]
            held = self._entity(upsert, key, update[key])
            held[grows] = [*held.get(grows, ()), update["content"]]
            if upsert == "compaction_update":
                held.setdefault("status", "in_progress")
        elif variant == "terminal_output_chunk":
            self._entity("terminal_update", "terminalId", update["terminalId"])
            output = self._bytes.setdefault(update["terminalId"], bytearray())
            output += base64.b64decode(update["data"])
        elif variant in UPSERTS:
            key = UPSERTS[variant]
            self._entity(variant, key, update[key]).update(update)
        elif variant == "plan_update":
            self._held["plan_update", update["plan"]["planId"]] = dict(update)
        elif variant == "plan_removed":
            self._held.pop(("plan_update", update["planId"]), None)
        elif variant in LATEST:
            self._held[variant, ""] = {**self._held.get((variant, ""), {}), **update}

    def _entity(self, upsert: str, key: str, identity: str) -> JsonObject:
        return self._held.setdefault((upsert, identity), {"sessionUpdate": upsert, key: identity})

    def replay(self) -> Iterator[JsonObject]:
        """The conversation as full updates: what a client already holds, they leave as it is."""
        for (variant, identity), update in self._held.items():
            if variant == "terminal_update" and identity in self._bytes:
                data = base64.b64encode(self._bytes[identity]).decode()
                yield {**update, "output": {"data": data}}
            else:
                yield update
