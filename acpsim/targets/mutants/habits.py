"""Mutants made of habits: of the older protocol, and of clients that public reports tell of.

Each was right once, or is right as long as nothing crosses. One class or function a mutant;
`OF_HABITS` names them. What they remember is never changed in place, so that a fork may share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec import UNSET, structs

from acpsim.reducer import Behaviour
from acpsim.reducer.state import IDLE, Permission, Session
from acpsim.targets.mutants.mutant import MESSAGE_CHUNKS, MESSAGES, Mutant, with_calls, with_moves
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import methods, updates
from acpsim.wire.cells import ErrorObject, cell_field
from acpsim.wire.edition import TERMINAL_STATUSES
from acpsim.wire.jsonrpc import RequestId, Response
from acpsim.wire.trace import Event
from acpsim.wire.updates import StateUpdate

_USER: Final = (updates.UserMessage, updates.UserMessageChunk)


def _session_of(event: Event) -> str:
    """The session that an update is for, or nothing."""
    message = event.message
    return message.params.session_id if isinstance(message, methods.SessionUpdate) else ""


def _update_of(event: Event) -> Any:
    message = event.message
    return message.params.update if isinstance(message, methods.SessionUpdate) else None


def _answers(event: Event, request: RequestId) -> bool:
    return (
        event.dir == "a2c" and isinstance(event.message, Response) and (event.message.id == request)
    )


def _field(response: Response, name: str) -> Any:
    """A field of a result, if there is one."""
    return response.result.get(name) if isinstance(response.result, dict) else None


class EchoNotExpected(ReferenceTarget):
    """Draws each prompt itself once it is accepted, and takes every user message for an echo."""

    _sent: tuple[tuple[RequestId, str, list[Any]], ...] = ()

    def reset(self) -> None:
        self._sent = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            message = event.message
            if isinstance(_update_of(event), _USER):
                continue
            super().apply([event])
            if isinstance(message, methods.PromptRequest):
                params = message.params
                self._sent = (*self._sent, (message.id, params.session_id, params.prompt))
            for request, session, content in self._sent:
                if _answers(event, request) and isinstance(message, Response):
                    self._draw(event, session, content)

    def _draw(self, event: Event, session: str, content: list[Any]) -> None:
        message = event.message
        assert isinstance(message, Response)
        key = _field(message, "messageId")
        if isinstance(key, str):
            drawn = updates.UserMessage(message_id=key, content=content)
            super().apply([_told(event, session, drawn)])


def _told(event: Event, session: str, update: Any) -> Event:
    """An update as if the agent had sent it."""
    params = methods.SessionUpdateParams(session_id=session, update=update)
    return structs.replace(
        event, message=methods.SessionUpdate(jsonrpc="2.0", params=params), flaws=()
    )


class PromptTimedOut(ReferenceTarget):
    """Gives a prompt up whose response has not come by the time that so much else has."""

    patience: Final = 6
    _open: tuple[tuple[RequestId, int], ...] = ()

    def reset(self) -> None:
        self._open = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            super().apply([event])
            self._open = tuple(
                (request, waited + 1)
                for request, waited in self._open
                if not _answers(event, request) and event.dir != "lost"
            )
            if isinstance(event.message, methods.PromptRequest):
                self._open = (*self._open, (event.message.id, 0))
            for request, waited in self._open:
                if waited == self.patience:
                    error = ErrorObject(code=-32000, message="timed out")
                    answer = Response(id=request, error=error)
                    super().apply([structs.replace(event, dir="a2c", message=answer, flaws=())])


class UpdatesAwaitResponse(ReferenceTarget):
    """Handles no update while it waits for the response to a prompt."""

    _open: tuple[RequestId, ...] = ()
    _held: tuple[Event, ...] = ()

    def reset(self) -> None:
        self._open = self._held = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            if self._open and _update_of(event) is not None:
                self._held = (*self._held, event)
                continue
            if isinstance(event.message, methods.PromptRequest):
                self._open = (*self._open, event.message.id)
            self._open = tuple(n for n in self._open if not _answers(event, n))
            super().apply([event])
            if event.dir == "lost":
                self._open = self._held = ()
            if not self._open:
                super().apply(self._held)
                self._held = ()


class ReplayHiddenUntilPrompt(ReferenceTarget):
    """Takes all that comes between a resume and the next prompt for history that it has."""

    _hiding: frozenset[str] = frozenset()

    def reset(self) -> None:
        self._hiding = frozenset()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            message = event.message
            if isinstance(message, methods.ResumeSessionRequest):
                self._hiding |= {message.params.session_id}
            elif isinstance(message, methods.PromptRequest):
                self._hiding -= {message.params.session_id}
            if not (isinstance(_update_of(event), MESSAGES) and _session_of(event) in self._hiding):
                super().apply([event])


class NewSessionKnownLater(ReferenceTarget):
    """Registers a new session after it has read what came with the response that names it."""

    def apply(self, events: Sequence[Event]) -> None:
        named: set[object] = set()
        for event in events:
            message = event.message
            if event.dir == "a2c" and isinstance(message, Response):
                named.add(_field(message, "sessionId"))
            if _update_of(event) is None or _session_of(event) not in named:
                super().apply([event])


class RequestsOvertake(ReferenceTarget):
    """Hands over the permission requests of a batch before the updates that came with them."""

    def apply(self, events: Sequence[Event]) -> None:
        waiting: list[Event] = []
        for event in events:
            if _update_of(event) is not None:
                waiting.append(event)
                continue
            if not isinstance(event.message, methods.RequestPermissionRequest):
                super().apply(waiting)
                waiting = []
            super().apply([event])
        super().apply(waiting)


class _AskedAgain(methods.RequestPermissionRequest, frozen=True, kw_only=True):
    """A permission request that has been answered and is open once more."""


class SecondAnswerCounts(ReferenceTarget):
    """Lets a late click answer a permission request again."""

    _asked: tuple[methods.RequestPermissionRequest, ...] = ()
    _answered: tuple[methods.RequestPermissionRequest, ...] = ()

    def reset(self) -> None:
        self._asked = self._answered = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            message = event.message
            if event.dir == "lost":
                self._asked = self._answered = ()
            elif isinstance(message, methods.RequestPermissionRequest):
                self._asked = (*self._asked, message)
                self._answered = tuple(old for old in self._answered if old.id != message.id)
            elif event.dir == "c2a" and isinstance(message, Response):
                for old in self._answered:
                    if old.id == message.id:
                        params = structs.replace(old.params, subject=UNSET)
                        again = _AskedAgain(jsonrpc="2.0", id=old.id, params=params)
                        super().apply([structs.replace(event, dir="a2c", message=again)])
                self._answered += tuple(old for old in self._asked if old.id == message.id)
                self._asked = tuple(old for old in self._asked if old.id != message.id)
            super().apply([event])


def _open_once_more(reference: Behaviour) -> Behaviour:
    def asked(session: Session, message: _AskedAgain) -> None:
        for at, held in enumerate(session.permissions):
            if held.request == message.id and held.status == "answered":
                session.permissions[at] = Permission(message.id, "pending")

    return with_calls(reference, {_AskedAgain: asked})


class DeadAfterUnknown(ReferenceTarget):
    """Its queue of updates has ended with the first variant that it did not know."""

    _dead = False

    def reset(self) -> None:
        self._dead = False
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            if not (self._dead and _update_of(event) is not None):
                super().apply([event])
            self._dead = self._dead or isinstance(_update_of(event), updates.UnknownUpdate)


class EarlierMessageRestarted(ReferenceTarget):
    """Takes a messageId of earlier work for a new message: its first chunk replaces the content."""

    _current: frozenset[tuple[str, type, str]] = frozenset()
    _earlier: frozenset[tuple[str, type, str]] = frozenset()

    def reset(self) -> None:
        self._current = self._earlier = frozenset()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            update, session = _update_of(event), _session_of(event)
            if isinstance(update, StateUpdate) and update.state == IDLE:
                self._earlier |= {key for key in self._current if key[0] == session}
            if isinstance(update, MESSAGE_CHUNKS[1:3]):
                key = (session, type(update), update.message_id)
                self._current |= {key}
                if key in self._earlier:
                    self._earlier -= {key}
                    whole = MESSAGES[MESSAGE_CHUNKS.index(type(update))]
                    empty = whole(message_id=update.message_id, content=None)
                    super().apply([_told(event, session, empty)])
            super().apply([event])


# --- what is taken for a sign of work ------------------------------------------------------------


def _idle_unless(blocked: Callable[[Session], bool]) -> Callable[[Behaviour], Behaviour]:
    def changed(reference: Behaviour) -> Behaviour:
        def idle(session: Session, update: StateUpdate) -> None:
            if not blocked(session):
                reference.transitions[IDLE](session, update)

        return with_moves(reference, {IDLE: idle})

    return changed


def _idles_counted(reference: Behaviour) -> Behaviour:
    """Counts the reports instead of what they report."""

    def idle(session: Session, update: StateUpdate) -> None:
        count = session.completions + 1
        reference.transitions[IDLE](session, update)
        session.completions = count

    return with_moves(reference, {IDLE: idle})


def _has_open_tool(session: Session) -> bool:
    return any(call.status not in TERMINAL_STATUSES for call in session.tool_calls.values())


def _has_open_plan(session: Session) -> bool:
    entries = [
        entry for plan in session.plans.values() for entry in cell_field(plan, "entries") or ()
    ]
    return any(cell_field(entry, "status") != "completed" for entry in entries)


def _idle_settles_permissions(reference: Behaviour) -> Behaviour:
    def idle(session: Session, update: StateUpdate) -> None:
        reference.transitions[IDLE](session, update)
        session.permissions = [
            Permission(held.request, "withdrawn") if held.status == "pending" else held
            for held in session.permissions
        ]

    return with_moves(reference, {IDLE: idle})


OF_HABITS: Final = (
    Mutant(
        name="echo-not-expected",
        breaks=("PROMPT-RECONCILE", "response-order"),
        text="draws prompts itself once they are accepted, and drops every user message as an echo",
        made_as=EchoNotExpected,
    ),
    Mutant(
        name="prompt-timed-out",
        breaks=("PROMPT-NO-INFERENCE", "PROMPT-NOT-IDLE", "response-order"),
        text="takes a prompt for rejected whose response comes late, as if a timer had run out",
        made_as=PromptTimedOut,
    ),
    Mutant(
        name="updates-await-response",
        breaks=("PROMPT-RECONCILE", "response-order"),
        text="handles no update before the response to the prompt has come",
        made_as=UpdatesAwaitResponse,
    ),
    Mutant(
        name="replay-hidden-until-prompt",
        breaks=("RESUME-UPSERT", "replay"),
        text="drops the messages that come after session/resume until a prompt is sent",
        made_as=ReplayHiddenUntilPrompt,
    ),
    Mutant(
        name="new-session-known-later",
        breaks=("SESSION-ISOLATION", "batch"),
        text="drops the updates of a session that were read with the response that names it",
        made_as=NewSessionKnownLater,
    ),
    Mutant(
        name="requests-overtake",
        breaks=("PATCH-OMIT", "batch"),
        text="applies a permission request before the updates that were read with it",
        made_as=RequestsOvertake,
    ),
    Mutant(
        name="second-answer-counts",
        breaks=("RPC-RESPONSE-MATCH",),
        text="takes a second answer to a permission request for its outcome",
        behaviour=_open_once_more,
        made_as=SecondAnswerCounts,
    ),
    Mutant(
        name="dead-after-unknown",
        breaks=("UNKNOWN-PRESERVED", "absorb"),
        text="applies no more updates after one of a variant that it does not know",
        made_as=DeadAfterUnknown,
    ),
    Mutant(
        name="earlier-message-restarted",
        breaks=("CHUNK-APPEND", "ENTITY-KEY"),
        text="starts a message anew when a chunk comes for one of earlier work",
        made_as=EarlierMessageRestarted,
    ),
    Mutant(
        name="idles-counted",
        breaks=("STATE-CLIENT-IDLE", "idempotence"),
        text="counts the reports of idle instead of the ends of work",
        behaviour=_idles_counted,
        equivalent_to="repeated-idle-counted",
        why="whoever counts each repeated idle beside the ends of work counts every idle",
    ),
    Mutant(
        name="open-tool-blocks-idle",
        breaks=("STATE-CLIENT-IDLE", "STATE-BACKGROUND"),
        text="ignores an idle while a tool call is unfinished",
        behaviour=_idle_unless(_has_open_tool),
    ),
    Mutant(
        name="open-plan-blocks-idle",
        breaks=("STATE-CLIENT-IDLE", "STATE-BACKGROUND"),
        text="ignores an idle while an entry of a plan is not completed",
        behaviour=_idle_unless(_has_open_plan),
    ),
    Mutant(
        name="idle-settles-permissions",
        breaks=("CANCEL-PERMISSIONS-OPEN", "STATE-PERMISSION"),
        text="takes pending permission requests for settled when the work ends",
        behaviour=_idle_settles_permissions,
    ),
)
