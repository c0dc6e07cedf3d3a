"""A party's mouth and ears when it misbehaves: what it says is changed on its way out.

Owns: `Rogue`, which stands between a party and its link, remembers the little that misbehaviours
need (open cancels, closes and resumes, prompts and their contents), and lets each of them change
one message into several, or none. The party itself goes on keeping the rules and knows nothing.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from acpsim.wire.cells import JsonObject

Change: TypeAlias = Callable[["Rogue", JsonObject], list[JsonObject]]
"""What is sent in the place of one message; the same list for none of its business."""


class Rogue:
    """The memory of one misbehaving party: rule → what is changed to break it.

    `broke` is told the rule whenever something is said otherwise than it was meant.
    """

    def __init__(self, changes: Mapping[str, Change], broke: Callable[[str], None]) -> None:
        self._changes = changes
        self._broke = broke
        self.prompts: dict[Any, JsonObject] = {}
        """Open prompts heard: request id → the request."""
        self.cancelled: set[str] = set()
        """Sessions with a cancel that no idle has answered."""
        self.cancelled_prompts: set[Any] = set()
        self.withdrawn: set[Any] = set()
        self.closing: dict[Any, str] = {}
        """Open closes heard: request id → session."""
        self.resuming: dict[Any, JsonObject] = {}
        """Open resumes heard: request id → the request."""
        self.refused_tools: set[str] = set()
        self.asked: dict[Any, JsonObject] = {}
        """This party's own open permission requests."""
        self.memory: dict[Any, Any] = {}
        """Room for one misbehaviour's own notes."""

    def hear(self, message: JsonObject) -> None:
        """A message arrived at this party."""
        method, params = message.get("method"), message.get("params", {})
        session = params.get("sessionId", "")
        if method == "session/prompt":
            self.prompts[message["id"]] = message
        elif method == "session/cancel":
            self.cancelled.add(session)
            self.cancelled_prompts |= {
                key
                for key, asked in self.prompts.items()
                if asked["params"]["sessionId"] == session
            }
        elif method == "$/cancel_request":
            self.withdrawn.add(params["requestId"])
        elif method == "session/close":
            self.closing[message["id"]] = session
        elif method == "session/resume":
            self.resuming[message["id"]] = message
        elif method is None and message["id"] in self.asked:
            self._answered(message)

    def _answered(self, message: JsonObject) -> None:
        asked = self.asked.pop(message["id"])
        outcome = message.get("result", {}).get("outcome", {})
        call = asked["params"].get("subject", {}).get("toolCall", {}).get("toolCallId")
        if call is not None and outcome.get("optionId") not in {"yes", "always"}:
            self.refused_tools.add(call)

    def say(self, message: JsonObject) -> list[JsonObject]:
        """What is really sent when the party means to send `message`."""
        if message.get("method") == "session/request_permission":
            self.asked[message["id"]] = message
        said = [message]
        for rule, change in self._changes.items():
            meant, said = said, []
            for part in meant:
                said += change(self, copy.deepcopy(part))
            if said != meant:
                self._broke(rule)
        self._close_books(message)
        return said

    def _close_books(self, message: JsonObject) -> None:
        if "method" not in message:
            for book in (self.prompts, self.closing, self.resuming):
                book.pop(message["id"], None)
        update = update_of(message)
        if update.get("sessionUpdate") == "state_update" and update.get("state") == "idle":
            self.cancelled.discard(session_of(message))

    def is_prompt_answer(self, message: JsonObject, *, ok: bool) -> bool:
        """Whether a message answers a prompt, with success or with an error."""
        if "method" in message or message.get("id") not in self.prompts:
            return False
        return ("result" in message) == ok

    def closed_by(self, message: JsonObject) -> str | None:
        """The session whose close this response answers."""
        return self.closing.get(message.get("id")) if "method" not in message else None

    def resume_of(self, session: str, *, replay: bool) -> bool:
        """Whether a resume of that session is open, with or without history."""
        return any(
            asked["params"]["sessionId"] == session
            and bool(asked["params"].get("replayFrom")) == replay
            for asked in self.resuming.values()
        )


def update_of(message: JsonObject) -> JsonObject:
    """The update that a message carries, or an empty object."""
    if message.get("method") != "session/update":
        return {}
    update: JsonObject = message["params"]["update"]
    return update


def session_of(message: JsonObject) -> str:
    """The session that a message names, or the empty string."""
    name: str = message.get("params", {}).get("sessionId", "")
    return name


def saying(session: str, update: JsonObject) -> JsonObject:
    """A `session/update` message."""
    params = {"sessionId": session, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}
