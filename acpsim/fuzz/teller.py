"""A conversation written down in a few words a message.

Owns: `Teller`, by which the known kinds of trouble are told. It writes what it is told to write and
keeps no books: whether that is a conversation is the caller's business.
"""

from __future__ import annotations

import base64
from typing import Final

from acpsim.fuzz.scenario import SECONDS_PER_MESSAGE
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction
from acpsim.wire.trace import Event, event, lost

S: Final = "s1"
"""The session that is meant where none is named."""
INFO: Final = {"name": "acpsim", "version": "1"}
OPTIONS: Final = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]
MODEL: Final = {"configId": "web", "name": "Web", "type": "boolean", "currentValue": True}


def text(words: str) -> JsonObject:
    """A text block."""
    return {"type": "text", "text": words}


def item(words: str) -> JsonObject:
    """A text in a tool call's content."""
    return {"type": "content", "content": text(words)}


class Teller:
    """Writes a conversation down, one message a call."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.events: list[Event] = []

    def _say(self, direction: Direction, message: JsonObject) -> None:
        at = len(self.events)
        told = {"jsonrpc": "2.0", **message}
        t = round(at * SECONDS_PER_MESSAGE, 2)
        self.events.append(event(direction, told, edition=self.edition, line=at + 1, t=t))

    def asks(self, identity: int | str, method: str, **params: Json) -> None:
        """A request of the client."""
        self._say("c2a", {"id": identity, "method": f"{method}", "params": params})

    def answer(self, identity: int | str, result: Json = None, *, error: int | None = None) -> None:
        """The agent's answer to a request of the client."""
        told = None if error is None else {**failure(error), "data": {"of": identity}}
        body = {"result": result or {}} if told is None else {"error": told}
        self._say("a2c", {"id": identity, **body})

    def connect(self) -> None:
        """`initialize` and its answer."""
        self.asks("i", "initialize", protocolVersion=2, info=INFO, capabilities={})
        capabilities: JsonObject = {"session": {"prompt": {"image": {}, "embeddedContext": {}}}}
        self.answer("i", {"protocolVersion": 2, "info": INFO, "capabilities": capabilities})

    def open(self, session: str = S, **lists: Json) -> None:
        """`session/new` and its answer."""
        self.asks(f"n-{session}", "session/new", cwd="/p", mcpServers=[])
        self.answer(f"n-{session}", {"sessionId": session, **lists})

    def prompt(self, identity: int | str, words: str, session: str = S) -> None:
        """A submission."""
        self.asks(identity, "session/prompt", sessionId=session, prompt=[text(words)])

    def inserted(self, identity: int | str, own_id: str) -> None:
        """The response to a submission."""
        self.answer(identity, {"messageId": own_id})

    def up(self, variant: str, session: str = S, **fields: Json) -> None:
        """An update."""
        update = {"sessionUpdate": variant, **fields}
        params = {"sessionId": session, "update": update}
        self._say("a2c", {"method": "session/update", "params": params})

    def echo(self, own_id: str, words: str, session: str = S) -> None:
        """A user message as a whole."""
        self.up("user_message", session, messageId=own_id, content=[text(words)])

    def state(self, state: str, reason: Json = None, session: str = S, **fields: Json) -> None:
        """A state report."""
        stop = {} if reason is None else {"stopReason": reason}
        self.up("state_update", session, state=state, **stop, **fields)

    def tool(self, own_id: str, session: str = S, **fields: Json) -> None:
        """A tool call's update."""
        self.up("tool_call_update", session, toolCallId=own_id, **fields)

    def cancel(self, session: str = S) -> None:
        """`session/cancel`."""
        self._say("c2a", {"method": "session/cancel", "params": {"sessionId": session}})

    def permission(self, identity: int | str, own_id: str, session: str = S, **call: Json) -> None:
        """A permission request about a tool call."""
        subject = {"type": "tool_call", "toolCall": {"toolCallId": own_id, **call}}
        params = {"sessionId": session, "title": "OK?", "subject": subject, "options": OPTIONS}
        self._say("a2c", {"id": identity, "method": "session/request_permission", "params": params})

    def selected(self, identity: int | str, option: str) -> None:
        """The client's choice."""
        outcome = {"outcome": "selected", "optionId": option}
        self._say("c2a", {"id": identity, "result": {"outcome": outcome}})

    def declined(self, identity: int | str) -> None:
        """The outcome `cancelled`."""
        self._say("c2a", {"id": identity, "result": {"outcome": {"outcome": "cancelled"}}})

    def failed(self, identity: int | str, code: int) -> None:
        """An error answer of the client."""
        self._say("c2a", {"id": identity, "error": failure(code)})

    def takes_back(self, direction: Direction, identity: int | str) -> None:
        """`$/cancel_request`."""
        self._say(direction, {"method": "$/cancel_request", "params": {"requestId": identity}})

    def resume(self, identity: int | str, *, replay: bool, session: str = S) -> None:
        """`session/resume`."""
        params: JsonObject = {"sessionId": session, "cwd": "/p"}
        params |= {"replayFrom": {"type": "start"}} if replay else {}
        self.asks(identity, "session/resume", **params)

    def lose(self) -> None:
        """The connection breaks."""
        at = len(self.events)
        self.events.append(lost(line=at + 1, t=round(at * SECONDS_PER_MESSAGE, 2)))


def failure(code: int) -> JsonObject:
    """An error object."""
    return {"code": code, "message": "failed"}


def data(content: bytes) -> str:
    """Bytes as they travel."""
    return base64.b64encode(content).decode()
