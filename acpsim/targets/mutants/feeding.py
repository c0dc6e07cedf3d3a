"""Mutants whose tables are the reference's, but whose messages reach them wrongly or not at all.

Themes: batches and queues, what is malformed, which session an update is for. One class a mutant;
`OF_FEEDING` names them. What they remember is never changed in place, so that a fork may share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import UNSET, structs

from acpsim.targets.mutants.mutant import Mutant
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import methods, updates
from acpsim.wire.cells import ErrorObject
from acpsim.wire.jsonrpc import REQUEST_CANCELLED, Malformed, Response
from acpsim.wire.trace import Event


def _update_of(event: Event) -> updates.AnyUpdate | None:
    message = event.message
    return message.params.update if isinstance(message, methods.SessionUpdate) else None


def _for_session(event: Event, session_id: str) -> Event:
    """The same update, for another session."""
    message = event.message
    assert isinstance(message, methods.SessionUpdate)
    params = structs.replace(message.params, session_id=session_id)
    return structs.replace(event, message=structs.replace(message, params=params))


class StatesCoalesced(ReferenceTarget):
    """Draws once a batch, with the last state that was reported in it."""

    def apply(self, events: Sequence[Event]) -> None:
        last: dict[str, Event] = {}
        for event in events:
            if isinstance(_update_of(event), updates.StateUpdate):
                last[_session_of(event)] = event
        super().apply(
            [
                event
                for event in events
                if not isinstance(_update_of(event), updates.StateUpdate)
                or last[_session_of(event)] is event
            ]
        )


def _session_of(event: Event) -> str:
    message = event.message
    assert isinstance(message, methods.SessionUpdate)
    return message.params.session_id


class ResponsesOvertake(ReferenceTarget):
    """Hands over the responses of a batch before the notifications that came with them."""

    def apply(self, events: Sequence[Event]) -> None:
        waiting: list[Event] = []
        for event in events:
            if isinstance(event.message, methods.SessionUpdate):
                waiting.append(event)
                continue
            if event.dir != "a2c" or not isinstance(event.message, Response):
                # What the client sends is sent later than what it has read.
                super().apply(waiting)
                waiting = []
            super().apply([event])
        super().apply(waiting)


class WorkerPerMessage(ReferenceTarget):
    """Gives each message of a batch to a worker: a long one is done after the short one behind."""

    long_bytes: Final = 300

    def apply(self, events: Sequence[Event]) -> None:
        order = list(events)
        for at in range(len(order) - 1):
            first, second = order[at], order[at + 1]
            both = isinstance(first.message, methods.SessionUpdate) and isinstance(
                second.message, methods.SessionUpdate
            )
            if both and len(first.raw) >= self.long_bytes > len(second.raw):
                order[at], order[at + 1] = second, first
        super().apply(order)


class DeadAfterUnusable(ReferenceTarget):
    """Its queue has ended with the first message that it could not use."""

    _dead = False

    def reset(self) -> None:
        self._dead = False
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            self._dead = self._dead or isinstance(event.message, Malformed)
            if not self._dead:
                super().apply([event])


class MalformedFieldDropsUpdate(ReferenceTarget):
    """Validates updates whole: one malformed optional field costs the message."""

    def apply(self, events: Sequence[Event]) -> None:
        super().apply([e for e in events if not (e.flaws and _update_of(e) is not None)])


class MalformedUsageDropsIdle(ReferenceTarget):
    """Validates state updates whole: a malformed usage costs the end of the work."""

    def apply(self, events: Sequence[Event]) -> None:
        super().apply([event for event in events if not self._costs(event)])

    def _costs(self, event: Event) -> bool:
        update = _update_of(event)
        return isinstance(update, updates.StateUpdate) and any(
            ".usage" in flaw.path for flaw in event.flaws
        )


class ToCurrentSession(ReferenceTarget):
    """Applies every update to the session that was prompted last."""

    _current = ""

    def reset(self) -> None:
        self._current = ""
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event.message, methods.PromptRequest):
                self._current = event.message.params.session_id
            elif self._current and _update_of(event) is not None:
                event = _for_session(event, self._current)
            super().apply([event])


class ChildIntoParent(ReferenceTarget):
    """Applies the updates of a child session to its parent."""

    _parents: tuple[tuple[str, str], ...] = ()

    def reset(self) -> None:
        self._parents = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            update = _update_of(event)
            parent = dict(self._parents).get(_session_of(event)) if update is not None else None
            if isinstance(update, updates.SubagentUpdate):
                self._parents = (*self._parents, (update.session_id, _session_of(event)))
            super().apply([event if parent is None else _for_session(event, parent)])


class MessageSynthesised(ReferenceTarget):
    """Enters a message between sessions in the recipient's transcript too."""

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            super().apply([event])
            update = _update_of(event)
            if isinstance(update, updates.SessionMessage | updates.SessionMessageChunk):
                other = update.recipient_session_id
                if isinstance(other, str) and other != _session_of(event):
                    super().apply([_for_session(event, other)])


class UnknownSessionDropped(ReferenceTarget):
    """Drops updates for a session whose session/new has not been answered yet."""

    _known: frozenset[str] = frozenset()

    def reset(self) -> None:
        self._known = frozenset()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            message = event.message
            if isinstance(message, methods.SessionUpdate):
                if message.params.session_id not in self._known:
                    continue
            elif isinstance(message, Response) and isinstance(message.result, dict):
                self._known |= {str(message.result.get("sessionId"))}
            elif isinstance(message, methods.Call):
                self._known |= {str(getattr(message.params, "session_id", ""))}
            super().apply([event])


class ReplayHidden(ReferenceTarget):
    """Drops updates while a resume is open, since it holds the history already."""

    _resuming: tuple[tuple[object, str], ...] = ()

    def reset(self) -> None:
        self._resuming = ()
        super().reset()

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            message = event.message
            if isinstance(message, methods.ResumeSessionRequest):
                self._resuming = (*self._resuming, (message.id, message.params.session_id))
            elif isinstance(message, Response):
                self._resuming = tuple(r for r in self._resuming if r[0] != message.id)
            elif isinstance(message, methods.SessionUpdate) and message.params.session_id in {
                session for _, session in self._resuming
            }:
                continue
            super().apply([event])


class SubjectIgnored(ReferenceTarget):
    """Takes the tool call of a permission request for a mere reference."""

    def apply(self, events: Sequence[Event]) -> None:
        super().apply([self._without_subject(event) for event in events])

    def _without_subject(self, event: Event) -> Event:
        message = event.message
        if not isinstance(message, methods.RequestPermissionRequest):
            return event
        params = structs.replace(message.params, subject=UNSET)
        return structs.replace(event, message=structs.replace(message, params=params))


class WithdrawnByCancelRequest(ReferenceTarget):
    """Takes the agent's $/cancel_request for the end of its permission request."""

    def apply(self, events: Sequence[Event]) -> None:
        for event in events:
            super().apply([event])
            message = event.message
            if event.dir == "a2c" and isinstance(message, methods.CancelRequest):
                error = ErrorObject(code=REQUEST_CANCELLED, message="withdrawn")
                answer = Response(id=message.params.request_id, error=error)
                super().apply([structs.replace(event, dir="c2a", message=answer)])


class NumbersAndTextsOneId(ReferenceTarget):
    """Takes request ids that are written alike for one, numbers and texts."""

    def apply(self, events: Sequence[Event]) -> None:
        super().apply([self._renumbered(event) for event in events])

    def _renumbered(self, event: Event) -> Event:
        message: Any = event.message
        request = getattr(message, "id", None)
        if not isinstance(request, str) or not request.isdecimal():
            return event
        return structs.replace(event, message=structs.replace(message, id=int(request)))


OF_FEEDING: Final = (
    Mutant(
        name="states-coalesced",
        breaks=("STATE-CLIENT-IDLE", "batch"),
        text="applies only the last foreground state of those that came in one read",
        made_as=StatesCoalesced,
    ),
    Mutant(
        name="responses-overtake",
        breaks=("PATCH-REPLACE", "batch"),
        text="applies a response before the updates that were read with it",
        made_as=ResponsesOvertake,
    ),
    Mutant(
        name="worker-per-message",
        breaks=("CHUNK-APPEND", "batch"),
        text="applies a long message after the short one behind it when both were read at once",
        made_as=WorkerPerMessage,
    ),
    Mutant(
        name="dead-after-unusable",
        breaks=("ENTITY-ID-PRESENT", "never-raise"),
        text="applies nothing more after a message that it could not use",
        made_as=DeadAfterUnusable,
    ),
    Mutant(
        name="malformed-field-drops-update",
        breaks=("STATE-USAGE-TOLERANT", "PATCH-OMIT"),
        text="drops an update because of one malformed optional field",
        made_as=MalformedFieldDropsUpdate,
    ),
    Mutant(
        name="malformed-usage-drops-idle",
        breaks=("STATE-USAGE-TOLERANT",),
        text="ignores an idle whose usage is malformed",
        made_as=MalformedUsageDropsIdle,
    ),
    Mutant(
        name="updates-to-current-session",
        breaks=("SESSION-ISOLATION", "isolation"),
        text="applies every update to the session that was prompted last",
        made_as=ToCurrentSession,
    ),
    Mutant(
        name="child-into-parent",
        breaks=("SESSION-ISOLATION", "SUBAGENT-MIRROR", "isolation"),
        text="applies the updates of a child session to its parent",
        made_as=ChildIntoParent,
    ),
    Mutant(
        name="session-message-synthesised",
        breaks=("SESSION-MESSAGE-NO-SYNTHESIS", "isolation"),
        text="enters a message between sessions in the recipient's transcript too",
        made_as=MessageSynthesised,
    ),
    Mutant(
        name="unknown-session-dropped",
        breaks=("RPC-UNKNOWN-SESSION",),
        text="drops updates of a session that arrive before the response to session/new",
        made_as=UnknownSessionDropped,
    ),
    Mutant(
        name="replay-hidden",
        breaks=("RESUME-UPSERT", "replay"),
        text="drops the updates that arrive while session/resume is open",
        made_as=ReplayHidden,
    ),
    Mutant(
        name="permission-subject-ignored",
        breaks=("PATCH-OMIT",),
        text="does not apply the tool call that a permission request carries",
        made_as=SubjectIgnored,
    ),
    Mutant(
        name="withdrawn-by-cancel-request",
        breaks=("RPC-CANCEL-ANSWER",),
        text="takes the agent's $/cancel_request for the end of its permission request",
        made_as=WithdrawnByCancelRequest,
    ),
    Mutant(
        name="numbers-and-texts-one-id",
        breaks=("RPC-RESPONSE-MATCH",),
        text='takes the request ids 1 and "1" for one',
        made_as=NumbersAndTextsOneId,
    ),
)
