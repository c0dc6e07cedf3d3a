"""One party's end of the connection: request ids, who waits for which answer, what is sent how.

Owns: `Endpoint`. It knows JSON-RPC and nothing of sessions: what a method means is the party's
affair, which registers a handler for each. Every message is encoded once, here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from acpsim.sim.link import Link
from acpsim.sim.rogue import Rogue
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import METHOD_NOT_FOUND, RequestId

Handler: TypeAlias = Callable[[JsonObject], None]
Waiter: TypeAlias = Callable[[JsonObject], None]

_encode = msgspec.json.Encoder().encode

PLACE: Final = "\0place\0"
"""Where a text will stand: it is written in escapes, and is in no message that is made here."""


class Endpoint:
    """Sends on one link and is called back for what arrives on the other.

    `prefix` begins the ids of this end's requests; an empty one makes them integers. Each message
    names its session and its lane: what it may not overtake on a link whose order is `any`.
    """

    __slots__ = ("_handlers", "_link", "_next", "_prefix", "_rogue", "waiting")

    def __init__(self, link: Link, *, prefix: str = "", rogue: Rogue | None = None) -> None:
        self._link = link
        self._rogue = rogue
        self._prefix = prefix
        self._next = 0
        self._handlers: dict[str, Handler] = {}
        self.waiting: dict[RequestId, Waiter] = {}
        """Requests of this end that are still open."""

    def on(self, method: str, handler: Handler) -> None:
        """Call `handler` with every request or notification of that method that arrives."""
        self._handlers[method] = handler

    def reset(self) -> None:
        """A new connection: ids start anew, nobody waits any more."""
        self._next = 0
        self.waiting.clear()

    def request(
        self, method: str, params: JsonObject, waiter: Waiter, *, session: str
    ) -> RequestId:
        """Send a request; `waiter` is called with the response. Returns the request's id."""
        number = self._next
        self._next += 1
        key: RequestId = f"{self._prefix}{number}" if self._prefix else number
        self.waiting[key] = waiter
        self.send({"jsonrpc": "2.0", "id": key, "method": method, "params": params}, session, None)
        return key

    def notify(
        self, method: str, params: JsonObject, session: str, lane: str | None = None
    ) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params}, session, lane)

    def update(self, session: str, update: JsonObject, lane: str | None) -> None:
        """Send `session/update`: most of what is ever sent, hence without detours."""
        message = {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {"sessionId": session, "update": update},
        }
        link = self._link
        if self._rogue is None:
            heard = link.heard is None or update["sessionUpdate"] in link.heard
            link.send(message, _encode(message), session=session, lane=lane, heard=heard)
        else:
            self.send(message, session, lane)

    def speaker(self, session: str, chunk: JsonObject, lane: str) -> Callable[[str], None] | None:
        """What sends one text after the other, each as this chunk with the text as its content.

        `None` where somebody looks at the messages on the way. What does not change from one to the
        next is written once: streamed text is most of what is ever sent.
        """
        link = self._link
        heard = link.heard is None or chunk["sessionUpdate"] in link.heard
        if heard or self._rogue is not None:
            return None
        content = {"type": "text", "text": PLACE}
        params = {"sessionId": session, "update": {**chunk, "content": content}}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        head, tail = _encode(message).split(_encode(PLACE))
        if link.plain:
            pass_on = link.pass_on
            return lambda text: pass_on(head + _encode(text) + tail)
        send = link.send
        return lambda text: send(
            message, head + _encode(text) + tail, session=session, lane=lane, heard=False
        )

    def answer(
        self, request: RequestId, result: Json, session: str, lane: str | None = None
    ) -> None:
        """Answer a request of the other end with a result."""
        self.send({"jsonrpc": "2.0", "id": request, "result": result}, session, lane)

    def refuse(
        self,
        request: RequestId,
        *,
        code: int,
        message: str,
        session: str,
        lane: str | None = None,
    ) -> None:
        """Answer a request of the other end with an error."""
        error = {"code": code, "message": message}
        self.send({"jsonrpc": "2.0", "id": request, "error": error}, session, lane)

    def send(self, message: JsonObject, session: str, lane: str | None = None) -> None:
        """Send any message; what a party that misbehaves makes of it is sent in its place."""
        if self._rogue is None:
            self._link.send(message, _encode(message), session=session, lane=lane)
            return
        for said in self._rogue.say(message):
            self._link.send(said, _encode(said), session=session, lane=lane)

    def receive(self, message: JsonObject) -> None:
        """Take what arrived: to its handler, or to whom waits for it."""
        if self._rogue is not None:
            self._rogue.hear(message)
        method = message.get("method")
        if method is None:
            waiter = self.waiting.pop(message["id"], None)
            if waiter is not None:
                waiter(message)
            return
        handler = self._handlers.get(method)
        if handler is not None:
            handler(message)
        elif "id" in message:
            what = f"no method {method}"
            self.refuse(message["id"], code=METHOD_NOT_FOUND, message=what, session="")
