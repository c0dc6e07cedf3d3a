"""What is open in a session at one place of a recorded conversation.

Owns: `Standing` and `Recording`. Everything is read out of the messages and of what the reference
makes of them: which prompts wait, which echoes are owed, which questions are open, which tool calls
a cancel would mark, where a client may act at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from msgspec import UNSET
from msgspec.structs import replace

from acpsim.oracles import talk
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import methods, updates
from acpsim.wire.cells import Json, JsonObject, cell_field
from acpsim.wire.edition import TERMINAL_STATUSES, Edition
from acpsim.wire.jsonrpc import RequestId, Response
from acpsim.wire.trace import Event, event

Events: TypeAlias = tuple[Event, ...]

STOPS: Final = (methods.CancelSession, methods.CloseSessionRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A prompt whose answer or echo is still to come."""

    request: RequestId
    content: Json
    message_id: str | None
    """Its message, where the recording says which one it becomes."""
    inserted: bool
    """Whether what was said so far shows that it was inserted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A permission request that waits for its answer, and where it was recorded."""

    request: RequestId
    line: int
    tool: str | None
    options: tuple[tuple[str, str], ...]
    """Kind and id of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is open in one session."""

    session: str
    state: str
    background: Json
    prompts: tuple[Waiting, ...]
    """Those without an answer."""
    echoes: tuple[Waiting, ...]
    """Those with an answer and without an echo."""
    questions: tuple[Question, ...]
    tools: tuple[str, ...]
    """Tool calls that a cancel would mark: those of the work that is going on."""
    compactions: tuple[str, ...]
    snapshot: JsonObject
    stopping: bool
    """A cancel or a close was sent, and no idle has answered it yet."""

    @property
    def busy(self) -> bool:
        """Whether foreground work is going on, as far as anybody can tell."""
        return self.state != "idle"

    @property
    def quiet(self) -> bool:
        """Whether there is nothing that a cancel would end."""
        return not (self.busy or self.prompts or self.echoes or self.questions)


class Recording:
    """A recorded conversation. The line of an event is its place in it, from 1; what is put into
    it later has line 0.
    """

    def __init__(self, events: Sequence[Event], edition: Edition) -> None:
        self.edition = edition
        self.events: Events = tuple(
            replace(told, line=number) for number, told in enumerate(events, start=1)
        )
        self.pairs = talk.exchanges(self.events)
        self.open = list(_open_at(self.events, self.pairs))
        """For each place, the sessions for which the client may send something there."""
        self._reference = ReferenceTarget(edition)

    def standing(self, heard: Sequence[Event], session: str) -> Standing:
        """What is open in a session after these messages."""
        snapshot, tools = self._held(heard, session)
        since = _since_loss(heard)
        pairs = talk.exchanges(heard)
        waiting = list(self._prompts(heard, since, pairs, snapshot))
        mine = [one for one, owner in waiting if owner == session]
        compactions = snapshot["compactions"]
        foreground = snapshot["foreground"]
        return Standing(
            session=session,
            state=foreground["state"],
            background=foreground.get("background"),
            prompts=tuple(one for one, answered in mine if not answered),
            echoes=tuple(one for one, answered in mine if answered),
            questions=tuple(_questions(heard, since, session, pairs)),
            tools=tools,
            compactions=tuple(
                own_id
                for own_id, held in compactions.items()
                if held["status"] not in TERMINAL_STATUSES
            ),
            snapshot=snapshot,
            stopping=_stopping(heard[since:], session),
        )

    def _held(self, heard: Sequence[Event], session: str) -> tuple[JsonObject, tuple[str, ...]]:
        """What a client holds of the session, and which tool calls a cancel would mark in it."""
        self._reference.reset()
        self._reference.apply(heard)
        before = self._reference.snapshot(session)
        self._reference.apply([self.cancel(session)])
        after = self._reference.snapshot(session)
        assert after is not None
        before = before or after
        marked = tuple(
            own_id
            for own_id, held in before["toolCalls"].items()
            if held["status"] != after["toolCalls"][own_id]["status"]
        )
        return before, marked

    def cancel(self, session: str) -> Event:
        """`session/cancel`."""
        message = {
            "jsonrpc": "2.0",
            "method": "session/cancel",
            "params": {"sessionId": session},
        }
        return event("c2a", message, edition=self.edition)

    def _prompts(
        self, heard: Sequence[Event], since: int, pairs: talk.Exchanges, snapshot: JsonObject
    ) -> Iterator[tuple[tuple[Waiting, bool], str]]:
        """Each prompt of this connection that has no answer or no echo, whether it is answered,
        and its session.
        """
        echoed = snapshot["messages"]["user_message"]
        for at in range(since, len(heard)):
            message = heard[at].message
            if not isinstance(message, methods.PromptRequest) or heard[at].dir != "c2a":
                continue
            answer = pairs.answer_of.get(at)
            own_id = _message_id(heard[answer]) if answer is not None else None
            if answer is not None and (own_id is None or own_id in echoed):
                continue
            if answer is None:
                recorded = self.pairs.answer_of.get(heard[at].line - 1)
                own_id = None if recorded is None else _message_id(self.events[recorded])
            one = Waiting(
                request=message.id,
                content=heard[at].json()["params"]["prompt"],
                message_id=own_id,
                inserted=answer is not None or own_id in echoed,
            )
            yield (one, answer is not None), message.params.session_id


def _message_id(told: Event) -> str | None:
    """The id that a prompt's response gives, if it is one that can be read."""
    message = told.message
    if not isinstance(message, Response) or not isinstance(message.result, dict):
        return None
    own_id = message.result.get("messageId")
    return own_id if isinstance(own_id, str) else None


def _since_loss(heard: Sequence[Event]) -> int:
    return max((at + 1 for at, told in enumerate(heard) if told.dir == "lost"), default=0)


def _questions(
    heard: Sequence[Event], since: int, session: str, pairs: talk.Exchanges
) -> Iterator[Question]:
    for at in range(since, len(heard)):
        message = heard[at].message
        if (
            isinstance(message, methods.RequestPermissionRequest)
            and heard[at].dir == "a2c"
            and message.params.session_id == session
            and at not in pairs.answer_of
        ):
            subject = message.params.subject
            options = (
                (str(cell_field(option, "kind")), str(cell_field(option, "optionId")))
                for option in message.params.options
            )
            yield Question(
                request=message.id,
                line=heard[at].line,
                tool=subject.tool_call.tool_call_id
                if isinstance(subject, methods.ToolCallSubject)
                else None,
                options=tuple(options),
            )


def _stopping(heard: Sequence[Event], session: str) -> bool:
    stopping = False
    for told in heard:
        message = told.message
        if isinstance(message, STOPS) and message.params.session_id == session:
            stopping = True
        update = talk.update_of(told)
        if isinstance(update, updates.StateUpdate) and talk.session_of(told) == session:
            stopping = stopping and update.state != "idle"
    return stopping


def _open_at(events: Events, pairs: talk.Exchanges) -> Iterator[tuple[str, ...]]:
    """For each place, from the first to the one after the last, the sessions that are open.

    A session that no message opens is open from the first one that names it; a child never is:
    what a client may do with it is another matter.
    """
    opened = _opened(events, pairs)
    children = {
        update.session_id
        for told in events
        if isinstance(update := talk.update_of(told), updates.SubagentUpdate)
    }
    found: dict[str, None] = {}
    yield ()
    for at, (told, names) in enumerate(zip(events, talk.belongings(events), strict=True)):
        if told.dir == "lost":
            found = {}
        found.update(dict.fromkeys(sorted(names - opened - children)))
        request = events[pairs.request_of.get(at, at)].message
        if isinstance(request, methods.CloseSessionRequest | methods.ResumeSessionRequest):
            session = request.params.session_id
            answered = at in pairs.request_of
            refused = answered and getattr(told.message, "error", UNSET) is not UNSET
            closes = isinstance(request, methods.CloseSessionRequest)
            found.pop(session, None)
            if answered and closes == refused:
                found[session] = None
        elif isinstance(request, methods.NewSessionRequest) and at in pairs.request_of:
            found.update(dict.fromkeys(sorted(names)))
        yield tuple(found)


def _opened(events: Events, pairs: talk.Exchanges) -> frozenset[str]:
    """The sessions that some message of this conversation opens or resumes."""
    belongs = talk.belongings(events)
    names: set[str] = set()
    for at, told in enumerate(events):
        if isinstance(told.message, methods.ResumeSessionRequest):
            names.add(told.message.params.session_id)
        elif isinstance(told.message, methods.NewSessionRequest):
            answer = pairs.answer_of.get(at)
            names |= belongs[answer] if answer is not None else frozenset()
    return frozenset(names)
