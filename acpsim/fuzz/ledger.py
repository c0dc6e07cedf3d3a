"""What the two parties know and owe while a conversation is written.

Owns: `Ledger`, `Session` (one session) and `Thing` (one entity). It is the agent's book-keeping and
the client's promises, never the client's state: what any of it makes of a client is a target's to
say. Each message is written with the messages that it has to follow, so that all its other
neighbours may change places with it:

- updates of one entity keep their order;
- foreground updates lie between the state reports around them, background ones anywhere;
- a response follows its request, an answer its question, an echo its insertion;
- what the client sends for one session keeps its order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Final

from acpsim.fuzz.scenario import Node, Script
from acpsim.fuzz.values import Values
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import TERMINAL_STATUSES, Edition
from acpsim.wire.jsonrpc import RequestId

VERSION: Final = {"jsonrpc": "2.0"}


@dataclasses.dataclass(slots=True, frozen=False)
class Thing:
    """An entity. `stretch` numbers the stretch of foreground work it was made in, if any."""

    kind: str
    own_id: str
    made: Node
    last: Node
    stretch: int | None
    status: str = "pending"
    detached: bool = False
    """It is listed as background work: neither the end of the work nor a cancel ends it."""
    told: list[JsonObject] = dataclasses.field(default_factory=list)
    """What has been said of it, for a history replay."""

    @property
    def open(self) -> bool:
        """Whether a terminal status is still to come."""
        return self.status not in TERMINAL_STATUSES


@dataclasses.dataclass(slots=True, frozen=False)
class Asked:
    """A request that waits for its answer."""

    identity: RequestId
    node: Node
    payload: Json = None
    thing: Thing | None = None
    withdrawn: Node | None = None
    """The `$/cancel_request` or the cancel that took it back."""
    foreground: bool = False
    decline: bool = False
    """Its session was cancelled: only the outcome `cancelled` is left for it."""


@dataclasses.dataclass(slots=True, frozen=False)
class Session:
    """One session."""

    name: str
    ready: Node
    """What the agent's first message for it has to follow."""
    client_last: Node
    """The last that the client sent for it, or the response after which it may send."""
    parent: Session | None = None
    state: str = "idle"
    state_node: Node | None = None
    stretch: int = 0
    since_state: list[Node] = dataclasses.field(default_factory=list)
    all_nodes: list[Node] = dataclasses.field(default_factory=list)
    things: dict[str, dict[str, Thing]] = dataclasses.field(default_factory=dict)
    prompts: list[Asked] = dataclasses.field(default_factory=list)
    """Pending prompts, the oldest first."""
    permissions: list[Asked] = dataclasses.field(default_factory=list)
    cancelled: Node | None = None
    """The cancel that this stretch of work has to end with."""
    refused: list[Json] = dataclasses.field(default_factory=list)
    """What the prompts said that were never inserted: no user message says the same."""
    rejected: list[Node] = dataclasses.field(default_factory=list)
    """Answers to prompts that were rejected of the agent's own accord. A client that closes has
    seen them: else they could not be told from prompts that the closing kept out.
    """
    cancel_last: Node | None = None
    """The last cancel: work that begins later was begun by an agent that had read it."""
    closed: Node | None = None
    """Since when it is not to be spoken of: closed, or not resumed after the connection broke."""
    background: bool = False
    """It has reported its background work and has to go on doing so (edition's row 11)."""
    singles: dict[str, Node] = dataclasses.field(default_factory=dict)
    """The last message about what a session has only one of: lists, info, usage."""

    @property
    def working(self) -> bool:
        """Whether foreground work is going on."""
        return self.state != "idle"

    def says(self, content: Json) -> bool:
        """Whether a user message has this very content."""
        return any(
            update.get("content") == content
            for thing in self.of("user_message")
            for update in thing.told
        )

    def of(self, kind: str) -> list[Thing]:
        """The entities of one type, the oldest first."""
        return list(self.things.get(kind, {}).values())


class Ledger:
    """The whole conversation so far."""

    def __init__(self, edition: Edition, values: Values) -> None:
        self.edition = edition
        self.values = values
        self.script = Script(edition)
        self.sessions: list[Session] = []
        self.supported: frozenset[str] = frozenset()
        self.connected: Node = 0
        """The answer to `initialize`, which all else follows."""
        self.before_cancels: list[Node] = []
        """The states that were reported when a session was cancelled. The agent reads in order: its
        reactions to what came later show that it had read the cancel, and come after these.
        """
        self._cancelled: list[Node] = []
        self._loose: list[Node] = []
        """What the client sent for no session."""
        self._counts = {"c2a": 0, "a2c": 0}
        self._id_style = values.chance.choice(("numbers", "texts", "mixed"))
        self._sessions = 0

    # ---------------------------------------------------------------- sending

    def request_id(self, direction: str) -> RequestId:
        """A fresh request id. `1` and `"1"` are two; each direction has its own."""
        count = self._counts[direction]
        self._counts[direction] = count + 1
        if self._id_style == "texts":
            return f"r{count}"
        if self._id_style == "mixed" and count % 2:
            return str(count // 2)
        return count // 2 if self._id_style == "mixed" else count

    def client_asks(
        self,
        session: Session | None,
        method: str,
        params: JsonObject,
        *,
        after: Iterable[Node] = (),
        keep: bool = False,
    ) -> Asked:
        """A request of the client, for a session or for none."""
        identity = self.request_id("c2a")
        named = params if session is None else {"sessionId": session.name, **params}
        message = {**VERSION, "id": identity, "method": method, "params": named}
        bound = (*self._client_after(session), *self._cancelled, *after)
        node = self.script.say("c2a", message, bound, keep=keep)
        if session is None:
            self._loose.append(node)
        else:
            session.client_last = node
        return Asked(identity, node, params)

    def client_cancels(self, session: Session) -> Node:
        """`session/cancel`, after every request that the client has sent so far."""
        params = {"sessionId": session.name}
        message = {**VERSION, "method": "session/cancel", "params": params}
        sent = [other.client_last for other in self.sessions]
        node = self.script.say("c2a", message, (self.connected, *sent, *self._loose))
        session.client_last = node
        self._cancelled.append(node)
        self._loose = []
        if session.state_node is not None:
            self.before_cancels.append(session.state_node)
        return node

    def _client_after(self, session: Session | None) -> tuple[Node, ...]:
        return (self.connected,) if session is None else (self.connected, session.client_last)

    def answers(
        self, asked: Asked, answer: JsonObject, after: Iterable[Node] = (), *, keep: bool = False
    ) -> Node:
        """The agent's answer: `{"result": …}` or `{"error": …}`."""
        message = {**VERSION, "id": asked.identity, **answer}
        bound = (asked.node, *self.before_cancels, *after)
        return self.script.say("a2c", message, bound, keep=keep)

    def agent_asks(
        self, session: Session, method: str, params: JsonObject, *, after: Iterable[Node] = ()
    ) -> Asked:
        """A request of the agent."""
        identity = self.request_id("a2c")
        named = {"sessionId": session.name, **params}
        message = {**VERSION, "id": identity, "method": method, "params": named}
        node = self.script.say("a2c", message, (session.ready, *after))
        session.all_nodes.append(node)
        return Asked(identity, node)

    def client_answers(self, session: Session, asked: Asked, answer: JsonObject) -> Node:
        """The client's answer, after all else that it has sent for the session."""
        message = {**VERSION, "id": asked.identity, **answer}
        node = self.script.say("c2a", message, (asked.node, session.client_last))
        session.client_last = node
        return node

    def agent_tells(self, method: str, params: JsonObject, after: Iterable[Node]) -> Node:
        """A notification of the agent that is no session's."""
        message = {**VERSION, "method": method, "params": params}
        return self.script.say("a2c", message, (self.connected, *after))

    def update(self, session: Session, update: JsonObject, after: Iterable[Node] = ()) -> Node:
        """Any `session/update`, bound to nothing but what is given."""
        params = {"sessionId": session.name, "update": update}
        message = {**VERSION, "method": "session/update", "params": params}
        node = self.script.say("a2c", message, (session.ready, *after))
        session.all_nodes.append(node)
        return node

    # ---------------------------------------------------------------- entities

    def about(
        self, session: Session, thing: Thing, update: JsonObject, *, after: Iterable[Node] = ()
    ) -> Node:
        """An update of an entity that is there. It is foreground work's if the entity was made in
        this stretch of it.
        """
        bound = [thing.last, *after]
        foreground = session.working and thing.stretch == session.stretch and not thing.detached
        if foreground and session.state_node is not None:
            bound.append(session.state_node)
        node = self.update(session, update, bound)
        thing.last = node
        thing.told.append(update)
        if foreground:
            session.since_state.append(node)
        return node

    def make(
        self,
        session: Session,
        kind: str,
        update: JsonObject,
        *,
        own_id: str,
        background: bool = False,
        after: Iterable[Node] = (),
    ) -> Thing:
        """An entity's first update. It belongs to the work that goes on, unless background."""
        foreground = session.working and not background
        bound = list(after)
        if foreground and session.state_node is not None:
            bound.append(session.state_node)
        node = self.update(session, update, bound)
        if foreground:
            session.since_state.append(node)
        thing = Thing(kind, own_id, node, node, session.stretch if foreground else None)
        thing.told.append(update)
        session.things.setdefault(kind, {})[own_id] = thing
        return thing

    def fresh_id(self, session: Session, kind: str) -> str:
        """An id that no entity of this type has in the session."""
        held = session.things.get(kind, {})
        count = len(held) + 1
        while (own_id := self.values.entity_id(kind, count)) in held:
            count += 1
        return own_id

    def single(self, session: Session, update: JsonObject, *, key: str | None = None) -> Node:
        """An update of something that the session has only one of."""
        name = str(update["sessionUpdate"]) if key is None else key
        last = session.singles.get(name)
        node = self.update(session, update, () if last is None else (last,))
        session.singles[name] = node
        return node

    # ---------------------------------------------------------------- states

    def report(
        self,
        session: Session,
        state: str,
        fields: JsonObject | None = None,
        *,
        after: Iterable[Node] = (),
    ) -> Node:
        """A state report: after all that the agent has said of the work so far."""
        update: JsonObject = {"sessionUpdate": "state_update", "state": state, **(fields or {})}
        if session.background and self.edition.reports_background:
            update["background"] = self._background(session)
        bound = [*session.since_state, *after]
        if not session.working and session.cancel_last is not None:
            bound.append(session.cancel_last)
        if session.state_node is not None:
            bound.append(session.state_node)
        node = self.update(session, update, bound)
        session.since_state = []
        session.state_node = node
        if state != "unknown":
            if not session.working and state != "idle":
                session.stretch += 1
            session.state = state
        return node

    def _background(self, session: Session) -> list[JsonObject]:
        """What goes on apart from the work. Each is announced before it is listed."""
        found: list[JsonObject] = []
        for thing in session.of("tool_call"):
            own_work = session.working and thing.stretch == session.stretch
            thing.detached = thing.detached or not own_work or self.values.maybe(0.3)
            if thing.open and thing.detached:
                found.append({"type": "tool_call", "toolCallId": thing.own_id})
                session.since_state.append(thing.last)
        return found

    def new_session_name(self) -> str:
        """A fresh session id."""
        self._sessions += 1
        return f"s{self._sessions}"

    def reconnect(self) -> None:
        """The connection breaks: nothing is open any more and request ids start anew."""
        self.script.lose()
        self._counts = {"c2a": 0, "a2c": 0}
        self.before_cancels, self._cancelled, self._loose = [], [], []
        for session in self.sessions:
            session.prompts, session.permissions = [], []
            session.cancelled = None
