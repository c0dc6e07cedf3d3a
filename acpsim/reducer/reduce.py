"""The reducer: every message of one connection in, per-session client state out.

Owns: `Behaviour`, the tables that say what each kind of message does, and `Reducer`, which looks
up and calls. A reducer that behaves otherwise in one point is the same reducer with one entry of
one table exchanged. It never raises on what a peer sent: what cannot be used is a diagnostic and
changes nothing else (law 10).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec
from msgspec import UNSET

from acpsim.reducer import foreground, requests
from acpsim.reducer.entities import ENTITY_HANDLERS, Handler
from acpsim.reducer.requests import CALLS, RESULTS, CallHandler, ResultHandler
from acpsim.reducer.session import SESSION_HANDLERS
from acpsim.reducer.snapshot import SECTION_BUILDERS, Section, snapshot, snapshot_bytes
from acpsim.reducer.state import Owner, Session
from acpsim.wire import methods, updates
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Malformed, OtherRequest, Response
from acpsim.wire.looks import Look, looks_of
from acpsim.wire.pairing import Pairing
from acpsim.wire.parse import NOT_STRICT, Reader, read_result
from acpsim.wire.trace import Diagnostic, Event

NO_REMARKS: Final[tuple[Diagnostic, ...]] = ()
NOWHERE: Final[dict[str, Session]] = {}
SessionUpdate: Final = methods.SessionUpdate
ID_LENGTH_MAX: Final = 60
"""How much of an id is said in a diagnostic."""

NOT_DIRECT: Final = (*NOT_STRICT, KeyError)
"""What ends the short way of `receive`: a line that is no strictly decoded update, or an update of
a session that this reducer does not hold or may not change in place."""
CLOSELY: Final = "read closely"
"""What a handler of the short way returns instead, where the edition reads the update otherwise."""

_decode_update: Final = msgspec.json.Decoder(SessionUpdate).decode


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What a reducer does, as tables. `HANDLERS` and its like are the reference's rows."""

    handlers: Mapping[type, Handler]
    """Update struct → what it does to its session."""
    transitions: Mapping[str, foreground.Move]
    """Reported foreground state → what it does; see `foreground`."""
    other_state: foreground.Move
    """What a state that is not in `transitions` does."""
    calls: Mapping[type, CallHandler]
    """Request or notification struct → what it does to the session that it names."""
    results: Mapping[type, ResultHandler]
    """Request struct → what its answer does."""
    lost: Callable[[Session], None]
    """What the loss of the connection does to each session."""
    sections: Mapping[str, Section]
    """Snapshot section → how it is built."""
    route: Callable[[str], str]
    """`params.sessionId` of an update → the session that it is applied to."""


def _cancelled(session: Session, message: methods.CancelSession) -> None:
    foreground.cancel_marks(session)


def _same(session_id: str) -> str:
    return session_id


REFERENCE: Final = Behaviour(
    handlers={**ENTITY_HANDLERS, **SESSION_HANDLERS},
    transitions=foreground.TRANSITIONS,
    other_state=foreground.other,
    calls={**CALLS, methods.CancelSession: _cancelled},
    results=RESULTS,
    lost=requests.connection_lost,
    sections=SECTION_BUILDERS,
    route=_same,
)


class Reducer:
    """The client's side of one connection.

    `apply` takes events in the order in which the client sent or received them. A fork is an
    independent reducer that shares what neither has changed since.
    """

    __slots__ = (
        "_direct",
        "_handlers",
        "_owned",
        "_owner",
        "_pairing",
        "_reader",
        "_route",
        "_shared",
        "_strict_handlers",
        "behaviour",
        "edition",
    )

    def __init__(self, edition: Edition, behaviour: Behaviour = REFERENCE) -> None:
        self.edition = edition
        self.behaviour = behaviour
        state = foreground.state_update(behaviour.transitions, behaviour.other_state, edition)
        self._handlers: dict[type, Handler] = {updates.StateUpdate: state, **behaviour.handlers}
        self._route = None if behaviour.route is _same else behaviour.route
        self._reader = Reader(edition)
        # The handlers ask the edition themselves before they use a field that only one defines.
        looks = looks_of(edition, undefined=False)
        self._strict_handlers: dict[type, Handler] = {
            struct: _looking(looks[struct], handle) if struct in looks else handle
            for struct, handle in self._handlers.items()
        }
        """The handlers, for updates that were decoded strictly and not looked at yet."""
        self._owner = Owner()
        self._owned: dict[str, Session] = {}
        """Sessions that this reducer alone may change."""
        self._direct = self._owned if self._route is None else NOWHERE
        """Where an update's session is looked up first; nowhere if updates are routed."""
        self._shared: dict[str, Session] = {}
        """Sessions that a fork may hold too, until one of the two writes."""
        self._pairing = Pairing()

    # ------------------------------------------------------------ what comes in

    def receive(self, line: bytes) -> tuple[Diagnostic, ...]:
        """Apply one message from the agent, given as its JSON text without a line end."""
        try:
            params = _decode_update(line).params
            session = self._direct[params.session_id]
        except NOT_DIRECT:
            return self._receive_closely(line)
        update = params.update
        remark = self._strict_handlers[type(update)](session, update, line)
        if remark is None:
            return NO_REMARKS
        if remark is CLOSELY:
            return self._receive_closely(line)
        return _remarks(0, update, remark)

    def _receive_closely(self, line: bytes) -> tuple[Diagnostic, ...]:
        """The same for everything else, and for what the edition reads otherwise."""
        message, flaws, raw = self._reader.take(line)
        return self.apply(Event(dir="a2c", message=message, raw=raw, flaws=flaws))

    def apply(self, event: Event) -> tuple[Diagnostic, ...]:
        """Apply one event. Returns what could not be used; never raises on a peer's message."""
        message = event.message
        if type(message) is SessionUpdate and event.dir == "a2c":
            params = message.params
            session = self._direct.get(params.session_id)
            if session is None:
                session = self._session(params.session_id)
            update = params.update
            remark = self._handlers[type(update)](session, update, event.raw)
            return NO_REMARKS if remark is None else _remarks(event.line, update, remark)
        if event.dir == "lost":
            self._lose()
            return NO_REMARKS
        if isinstance(message, Response) or (
            isinstance(message, Malformed) and message.kind == "response"
        ):
            return self._answer(event, message)
        return self._call(event)

    def _answer(self, event: Event, response: Response | Malformed) -> tuple[Diagnostic, ...]:
        assert event.dir != "lost"
        opened = self._pairing.answer(event.dir, response)
        if opened is None:
            return _remark(event, f"{_named(response.id)} answers no open request: ignored")
        request = opened.message
        # A request that travelled the wrong way did nothing, and neither does its answer.
        if isinstance(request, OtherRequest | Malformed) or request.direction == event.dir:
            return NO_REMARKS
        remarks = NO_REMARKS
        if isinstance(response, Malformed):
            outcome: methods.Outcome = response
        else:
            outcome, _ = read_result(request, response, self.edition)
        if isinstance(outcome, Malformed):
            remarks = _remark(event, f"{_named(response.id)} cannot be read: {_why(outcome)}")
        handle = self.behaviour.results.get(type(request))
        if handle is not None:
            session_id = _session_of(request, outcome)
            if session_id is not None:
                handle(self._session(session_id), request.id, outcome)
        return remarks

    def _call(self, event: Event) -> tuple[Diagnostic, ...]:
        message = event.message
        assert event.dir != "lost"
        if isinstance(message, Malformed):
            if message.kind == "request":
                self._pairing.request(event.dir, message, event.line)
            return _remark(event, f"not applied: {_why(message)}")
        if isinstance(message, methods.Request | OtherRequest):
            self._pairing.request(event.dir, message, event.line)
        if not isinstance(message, methods.Call):
            return NO_REMARKS
        if message.direction != event.dir and not isinstance(message, methods.CancelRequest):
            return _remark(event, f"{message.method} does not travel this way: ignored")
        session_id = _session_of(message, None)
        if session_id is None:
            return NO_REMARKS
        session = self._session(session_id)
        handle = self.behaviour.calls.get(type(message))
        if handle is not None:
            handle(session, message)
        if isinstance(message, methods.RequestPermissionRequest):
            subject = message.params.subject
            if isinstance(subject, methods.ToolCallSubject):
                call = subject.tool_call
                self._handlers[updates.ToolCallUpdate](session, call, event.raw)
        return NO_REMARKS

    def _lose(self) -> None:
        self._pairing.lose()
        for session_id in self.sessions():
            self.behaviour.lost(self._session(session_id))

    def _session(self, session_id: str) -> Session:
        """The session to change: created by the first message that names it."""
        if self._route is not None:
            session_id = self._route(session_id)
        session = self._owned.get(session_id)
        if session is None:
            shared = self._shared.get(session_id)
            if shared is None:
                session = Session(session_id, self.edition, self._owner)
            else:
                session = shared.copy(self._owner)
            self._owned[session_id] = session
        return session

    # ------------------------------------------------------------ what goes out

    def sessions(self) -> list[str]:
        """The ids of all sessions, in the order in which they were first named."""
        return list({**self._shared, **self._owned})

    def _held(self, session_id: str) -> Session | None:
        return self._owned.get(session_id) or self._shared.get(session_id)

    def snapshot(self, session_id: str) -> JsonObject | None:
        """The canonical snapshot, fresh; `None` for a session that no message has named."""
        session = self._held(session_id)
        return None if session is None else snapshot(session, self.behaviour.sections)

    def snapshot_bytes(self, session_id: str) -> bytes | None:
        """The canonical snapshot as JSON text."""
        session = self._held(session_id)
        return None if session is None else snapshot_bytes(session, self.behaviour.sections)

    def fork(self) -> Reducer:
        """An independent reducer in the same state, for the price of two small dictionaries."""
        other: Reducer = Reducer.__new__(Reducer)
        other.edition = self.edition
        other.behaviour = self.behaviour
        other._handlers = self._handlers
        other._reader = self._reader
        other._strict_handlers = self._strict_handlers
        other._route = self._route
        self._shared = {**self._shared, **self._owned}
        other._shared = self._shared
        self._owned = {}
        other._owned = {}
        self._direct = self._owned if self._route is None else NOWHERE
        other._direct = other._owned if self._route is None else NOWHERE
        self._owner = Owner()
        other._owner = Owner()
        other._pairing = self._pairing.fork()
        return other


def fold(events: Iterable[Event], edition: Edition) -> Reducer:
    """The reducer after all events."""
    reducer = Reducer(edition)
    for event in events:
        reducer.apply(event)
    return reducer


def _looking(look: Look, handle: Handler) -> Handler:
    def looking(session: Session, update: object, raw: bytes) -> str | None:
        return CLOSELY if look(update) else handle(session, update, raw)

    return looking


def _session_of(call: methods.Call, outcome: methods.Outcome | None) -> str | None:
    """The session that a call names, or that the response to it gives its name."""
    if isinstance(outcome, methods.NewSessionResult):
        return outcome.session_id
    if isinstance(call, methods.ForkSessionRequest) and outcome is not None:
        return None
    named = getattr(call.params, "session_id", UNSET)  # type: ignore[attr-defined]
    return named if isinstance(named, str) else None


def _named(identity: object) -> str:
    """A response by its id, which may be any string or number, or none that can be used."""
    if not isinstance(identity, int | str):
        return "a response without an id"
    text = msgspec.json.encode(identity).decode()
    return f"the response to {text if len(text) <= ID_LENGTH_MAX else text[:ID_LENGTH_MAX] + '…'}"


def _why(message: Malformed) -> str:
    fatal = [flaw for flaw in message.flaws if not flaw.dropped] or list(message.flaws)
    return "; ".join(f"{flaw.path} {flaw.text}" for flaw in fatal) or "malformed"


def _remark(event: Event, text: str) -> tuple[Diagnostic, ...]:
    return (Diagnostic(line=event.line, text=text),)


def _remarks(line: int, update: object, text: str) -> tuple[Diagnostic, ...]:
    variant = type(update).__struct_config__.tag  # type: ignore[attr-defined]
    return (Diagnostic(line=line, text=f"{variant}: {text}"),)
