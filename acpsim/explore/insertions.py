"""What a client's action makes of a recorded conversation, wherever it is put.

Owns: `INSERTIONS`. An action may be read by the agent at once, or cross what the agent had under
way; what follows is what an agent that keeps the rules then says. The recording goes on where the
action changes nothing of it, and ends where nobody can know what this agent would have done. After
an ending the conversation is taken up again: with a prompt, or by resuming the session.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from acpsim.explore.standing import STOPS, Events, Question, Recording, Standing
from acpsim.fuzz.teller import Teller
from acpsim.oracles.laws.history import history_updates
from acpsim.wire import methods
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import INTERNAL_ERROR, REQUEST_CANCELLED, RequestId
from acpsim.wire.trace import Event


class Variation(NamedTuple):
    """One conversation with the action in it. `first` is the place of its first new message."""

    text: str
    events: Events
    first: int


class Place(NamedTuple):
    """Before the message of this number (from 0), for this session."""

    recording: Recording
    at: int
    session: str

    @property
    def before(self) -> Events:
        return self.recording.events[: self.at]

    @property
    def under_way(self) -> int:
        """Up to where everything may have been written before the agent read the action: the
        client's next message, which it reads later, or the end.
        """
        events = self.recording.events
        return next(
            (at for at in range(self.at, len(events)) if events[at].dir != "a2c"), len(events)
        )

    def standing(self, end: int | None = None) -> Standing:
        """What is open here, or at a later place."""
        heard = self.recording.events[: self.at if end is None else end]
        return self.recording.standing(heard, self.session)


Insertion: TypeAlias = Callable[[Place], Iterator[Variation]]
"""The conversations with an action at a place; none where it has no occasion there."""

AT_ONCE: Final = "read at once"
CROSSED: Final = "crossing what was under way"
PROMPT_ID: Final = "again"
"""The request and the message of the prompt with which an ended conversation goes on."""


class Pen(Teller):
    """Writes what the parties say more for one session."""

    def __init__(self, place: Place) -> None:
        super().__init__(place.recording.edition)
        self.session = place.session

    def said(self) -> Events:
        """All of it, belonging to no line of the recording."""
        return tuple(replace(told, line=0) for told in self.events)

    def report(self, state: str, reason: str | None, standing: Standing) -> None:
        """A state report; where background work is listed, with the list as it was."""
        listed: JsonObject = {}
        if self.edition.reports_background:
            listed["background"] = standing.background or []
        self.state(state, reason, self.session, **listed)

    def end_work(self, standing: Standing, reason: str, *, refused: bool = True) -> None:
        """End what is open: prompts answered, echoes sent, entities ended, then idle."""
        self.settle_prompts(standing, refused=refused)
        status = "cancelled" if reason == "cancelled" else "completed"
        for own_id in standing.tools:
            self.tool(own_id, self.session, status=status)
        for own_id in standing.compactions:
            self.up("compaction_update", self.session, compactionId=own_id, status=status)
        if standing.busy:
            self.report("idle", reason, standing)

    def settle_prompts(self, standing: Standing, *, refused: bool) -> None:
        """Answer every prompt: with its message if it was inserted, else as it says."""
        for one in standing.prompts:
            if one.inserted and one.message_id is not None:
                self.inserted(one.request, one.message_id)
            elif refused:
                self.answer(one.request, error=REQUEST_CANCELLED)
            else:
                own_id = one.message_id or f"of-{one.request}"
                self.inserted(one.request, own_id)
                self.up("user_message", self.session, messageId=own_id, content=one.content)
        for one in standing.echoes:
            self.up("user_message", self.session, messageId=one.message_id, content=one.content)

    def go_on(self, standing: Standing, request: RequestId = PROMPT_ID) -> None:
        """Another prompt, and its work from beginning to end."""
        self.prompt(request, "go on", self.session)
        self.inserted(request, PROMPT_ID)
        self.echo(PROMPT_ID, "go on", self.session)
        self.report("running", None, standing)
        content: Json = [{"type": "text", "text": "going on"}]
        self.up("agent_message", self.session, messageId=PROMPT_ID, content=content)
        self.report("idle", "end_turn", standing)

    def take_up(self, standing: Standing, identity: RequestId, state: str, *, replay: bool) -> None:
        """Resume the session, with its history told again or without."""
        # A resume is no reason to end work: an idle that tells of it says how it ended.
        reason = "end_turn" if state == "idle" and standing.busy else None
        self.resume(identity, replay=replay, session=self.session)
        for update in history_updates(standing.snapshot) if replay else ():
            fields = {name: value for name, value in update.items() if name != "sessionUpdate"}
            self.up(str(update["sessionUpdate"]), self.session, **fields)
        self.up("session_info_update", self.session, title="Taken up again")
        self.report(state, reason, standing)
        self.answer(identity, {})


# ------------------------------------------------------------------------------ cancel, close


def cancel(place: Place) -> Iterator[Variation]:
    """`session/cancel`: open questions are answered, the work ends as cancelled."""
    for text, end in _readings(place):
        pen = Pen(place)
        pen.cancel(place.session)
        told, standing = _sent(place, end, pen), place.standing(end)
        if standing.quiet:
            yield _variation(place, text, (*told, *place.recording.events[end:]))
            continue
        pen = Pen(place)
        pen.end_work(standing, "cancelled")
        pen.go_on(standing)
        yield _variation(place, text, (*told, *pen.said()))


def close(place: Place) -> Iterator[Variation]:
    """`session/close`: as a cancel, then the answer, then the session is resumed."""
    for text, end in _readings(place):
        told, standing = _sent(place, end, _closing(place)), place.standing(end)
        pen = Pen(place)
        pen.end_work(standing, "cancelled")
        pen.answer("close")
        after = place.recording.standing((*told, *pen.said()), place.session)
        pen.take_up(after, "resume", "idle", replay=text == AT_ONCE)
        pen.go_on(after)
        yield _variation(place, text, (*told, *pen.said()))
    standing = place.standing()
    if standing.prompts:
        told, pen = _sent(place, place.at, _closing(place)), Pen(place)
        pen.end_work(dataclasses.replace(standing, prompts=()), "cancelled")
        pen.answer("close")
        pen.settle_prompts(dataclasses.replace(standing, echoes=()), refused=True)
        yield _variation(place, "answered before the prompts are", (*told, *pen.said()))
    if not standing.questions:
        pen = _closing(place)
        pen.answer("close", error=INTERNAL_ERROR)
        rest = place.recording.events[place.at :]
        yield _variation(place, "refused", (*place.before, *pen.said(), *rest))


def _closing(place: Place) -> Pen:
    pen = Pen(place)
    pen.asks("close", "session/close", sessionId=place.session)
    return pen


def _readings(place: Place) -> Iterator[tuple[str, int]]:
    """How late the agent may read what is sent here, and from where it then goes another way."""
    yield AT_ONCE, place.at
    if place.under_way > place.at:
        yield CROSSED, place.under_way


def _sent(place: Place, end: int, action: Pen) -> Events:
    """The conversation up to `end` with an action that stops work. A client answers its open
    questions at once, and those that come later as they come.
    """
    for question in place.standing().questions:
        action.declined(question.request)
    told = [*place.before, *action.said()]
    for one in place.recording.events[place.at : end]:
        told.append(one)
        message = one.message
        if (
            isinstance(message, methods.RequestPermissionRequest)
            and message.params.session_id == place.session
        ):
            answer = Pen(place)
            answer.declined(message.id)
            told += answer.said()
    return tuple(told)


def _variation(place: Place, text: str, events: Sequence[Event]) -> Variation:
    return Variation(text, tuple(events), place.at)


# ------------------------------------------------------------------------------ cancel-request


def cancel_request(place: Place) -> Iterator[Variation]:
    """`$/cancel_request` for each pending prompt: refused where it is not inserted yet, answered as
    recorded where the agent was faster.
    """
    standing = place.standing()
    for one in standing.prompts:
        pen = Pen(place)
        pen.takes_back("c2a", one.request)
        told = (*place.before, *pen.said())
        yield _variation(place, CROSSED, (*told, *place.recording.events[place.at :]))
        if one.inserted:
            continue
        pen = Pen(place)
        pen.answer(one.request, error=REQUEST_CANCELLED)
        if not standing.questions:
            others = tuple(other for other in standing.prompts if other is not one)
            rest = dataclasses.replace(standing, prompts=others)
            # Unless the session was cancelled too, the work just ends.
            reason = "cancelled" if standing.stopping else "end_turn"
            pen.end_work(rest, reason, refused=standing.stopping)
            pen.go_on(rest)
        yield _variation(place, AT_ONCE, (*told, *pen.said()))


# ------------------------------------------------------------------------------ permission-answer


def permission_answer(place: Place) -> Iterator[Variation]:
    """The answer to each open question: the one that was recorded, sooner; and the others."""
    standing = place.standing()
    for question in standing.questions:
        recorded = place.recording.pairs.answer_of.get(question.line - 1)
        if recorded is not None and not _stops_between(place, recorded):
            answer = place.recording.events[recorded]
            rest = place.recording.events[place.at : recorded]
            after = place.recording.events[recorded + 1 :]
            sooner = (*place.before, answer, *rest, *after)
            yield _variation(place, "as recorded, sooner", sooner)
        if not standing.stopping:
            yield from _other_answers(place, standing, question)


def _stops_between(place: Place, end: int) -> bool:
    """Whether something up to there is the reason of the recorded answer."""
    reasons = (*STOPS, methods.CancelRequest)
    return any(isinstance(told.message, reasons) for told in place.recording.events[place.at : end])


def _other_answers(place: Place, standing: Standing, question: Question) -> Iterator[Variation]:
    kinds: dict[str, str] = {}
    for kind, own_id in question.options:
        kinds.setdefault(kind.split("_")[0], own_id)
    for name, text in (("allow", "allowed"), ("reject", "rejected"), ("", "answered by an error")):
        if name and name not in kinds:
            continue
        pen = Pen(place)
        if name:
            pen.selected(question.request, kinds[name])
        else:
            pen.failed(question.request, INTERNAL_ERROR)
        if len(standing.questions) == 1:
            _act_on(pen, standing, question, allowed=name == "allow")
        yield _variation(place, text, (*place.before, *pen.said()))


def _act_on(pen: Pen, standing: Standing, question: Question, *, allowed: bool) -> None:
    """What an agent does with an answer: it goes on with the tool call or without, and ends."""
    if standing.state == "requires_action":
        pen.report("running", None, standing)
    tools = tuple(own_id for own_id in standing.tools if own_id != question.tool)
    if question.tool is not None:
        for status in ("in_progress", "completed") if allowed else ("failed",):
            pen.tool(question.tool, pen.session, status=status)
    rest = dataclasses.replace(standing, tools=tools)
    pen.end_work(rest, "end_turn", refused=False)
    pen.go_on(rest)


# ------------------------------------------------------------------------------ lost-resume


def lost_resume(place: Place) -> Iterator[Variation]:
    """The connection breaks; what was in flight vanishes, and every open session is resumed: with
    its history, while its work goes on, or without, after its work has ended unheard.
    """
    events = place.recording.events
    for replay, text in ((True, "resumed with history"), (False, "resumed without history")):
        pen = Pen(place)
        pen.lose()
        pen.connect()
        for number, session in enumerate(place.recording.open[place.at], start=1):
            pen.session = session
            standing = place.recording.standing(place.before, session)
            state = "running" if replay and standing.busy else "idle"
            pen.take_up(standing, number, state, replay=replay)
        if replay:
            said = pen.said()
            rest = [
                told
                for told in events[place.at : place.under_way]
                if isinstance(told.message, methods.SessionUpdate)
            ]
            yield _variation(place, text, (*place.before, *said, *rest))
            continue
        pen.session = place.session
        pen.go_on(place.standing(), _used_id(place))
        yield _variation(place, text, (*place.before, *pen.said()))


def _used_id(place: Place) -> RequestId:
    """The id of the last prompt before the loss, to be used again: ids start anew."""
    used = (
        told.message.id for told in place.before if isinstance(told.message, methods.PromptRequest)
    )
    return [PROMPT_ID, *used][-1]


INSERTIONS: Final[dict[str, Insertion]] = {
    "cancel": cancel,
    "cancel-request": cancel_request,
    "close": close,
    "permission-answer": permission_answer,
    "lost-resume": lost_resume,
}
"""What can be put into a conversation, by name, in the order in which it is told."""


def variations(place: Place, name: str) -> list[Variation]:
    """The different conversations with an action at this place."""
    found: dict[tuple[tuple[str, bytes], ...], Variation] = {}
    for one in INSERTIONS[name](place):
        found.setdefault(tuple((told.dir, told.raw) for told in one.events), one)
    return list(found.values())
