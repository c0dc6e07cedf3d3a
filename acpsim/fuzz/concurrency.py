"""What has to come before what in a conversation that was only recorded.

Owns: `scenario_of`. A recording shows one order; which others the parties could have produced is
read out of what the messages are:

- an answer follows its question, and the answers to close and resume what was told before them;
- what the client sends for one session keeps its order, and so do the updates of one entity;
- what belongs to foreground work stays between the state reports around it, and a question of the
  agent's too; echoes, lists, session messages and rosters are bound to no state;
- what the agent does because of what the client sent follows it: everything after a prompt, a
  close or a resume; the end of the work after a cancel; the next state and the tool call's updates
  after an answered question;
- the agent reads in order: its answer to what came after a cancel follows what it had reported
  before the cancel;
- a child session's messages follow its announcement, a session's its making, all the connection.

Where this is in doubt the recorded order is kept, so that every order is one that can happen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from acpsim.fuzz.scenario import Node, Scenario
from acpsim.oracles import talk
from acpsim.schedule.order import PartialOrder
from acpsim.wire import methods, updates
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.trace import Event

FREE: Final = frozenset(
    {
        "user_message",
        "session_message",
        "subagent",
        "available_commands_update",
        "config_option_update",
        "session_info_update",
        "usage_update",
        "notice",
        "unknown",
    }
)
"""What is bound to no foreground state: its place between the state reports means nothing."""


CONCURRENT_MAX: Final = 400
"""Messages of a recording whose concurrency is worked out, pair by pair. A longer one is taken in
the order in which it was recorded.
"""


class _Reader:
    """One pass over a recording."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = events
        self.prints = talk.footprints(events)
        self.pairs = talk.exchanges(events)
        self.belongings = talk.belongings(events)
        self.before: list[set[Node]] = [set() for _ in events]
        self.cancels: list[Node] = []
        self.resumes: list[Node] = []
        self.kept: set[Node] = set()
        self._connected: set[Node] = set()
        self._loss = -1

    def read(self) -> None:
        """Fills `before`."""
        cancels = (methods.CancelSession, methods.CloseSessionRequest)
        for at, event in enumerate(self.events):
            if isinstance(event.message, cancels):
                self.cancels.append(at)
            elif isinstance(event.message, methods.ResumeSessionRequest):
                self.resumes.append(at)
        for at, event in enumerate(self.events):
            if event.dir == "lost":
                self.before[at].update(range(self._loss + 1, at))
                self._loss, self._connected = at, set()
                continue
            if self._loss >= 0:
                self.before[at].add(self._loss)
            if self._sets_up(at):
                continue
            self.before[at] |= self._connected
            for other in range(self._loss + 1, at):
                if self._bound(other, at):
                    self.before[at].add(other)

    def _sets_up(self, at: Node) -> bool:
        """The connection comes first, in the order in which it was recorded."""
        request = self.pairs.request_of.get(at, at)
        if not isinstance(self.events[request].message, methods.InitializeRequest):
            return False
        self.before[at].update(range(self._loss + 1, at))
        self._connected |= {request, at}
        self.kept.add(at)
        return True

    def _bound(self, one: Node, other: Node) -> bool:
        """Whether the earlier one has to stay before the other."""
        if self.pairs.request_of.get(other) == one or _names(self.events[one], self.events[other]):
            return True
        if _unclear(self.events[one]) or _unclear(self.events[other]):
            return True
        shared = self.belongings[one] & self.belongings[other]
        if self._announces(one, other) or self._around_a_cancel(one, other):
            return True
        if not shared:
            return False
        first, second = self.events[one], self.events[other]
        if first.dir == "c2a" and second.dir == "c2a":
            return True
        if first.dir == "c2a":
            return self._follows_client(one, other)
        if second.dir == "c2a":
            return self._client_waits(one, other)
        return self._agent_keeps(one, other)

    def _around_a_cancel(self, one: Node, other: Node) -> bool:
        """The agent reads in order. Its answer to what was sent after a cancel, or an answer that
        only the cancel explains, shows that it had read the cancel, so the states that it reported
        before come before that answer.
        """
        if self.events[one].dir == self.events[other].dir == "c2a":
            sent = (self.events[one].message, self.events[other].message)
            return any(isinstance(message, methods.CancelSession) for message in sent)
        request = self.pairs.request_of.get(other)
        if request is None or self.events[request].dir != "c2a" or not self._state(one):
            return False
        shows = other if self._obeys(other) else request
        return any(
            one < cancel < shows and self.belongings[cancel] & self.belongings[one]
            for cancel in self.cancels
        )

    def _announces(self, one: Node, other: Node) -> bool:
        update = talk.update_of(self.events[one])
        return isinstance(update, updates.SubagentUpdate) and (
            update.session_id in self.belongings[other]
        )

    def _follows_client(self, one: Node, other: Node) -> bool:
        """Whether what the agent says here may be for what the client sent there."""
        sent = self.events[one].message
        answer = self._answer(other)
        if isinstance(sent, methods.CancelSession):
            return self._obeys(other)
        if isinstance(sent, methods.PromptRequest):
            echo = self._print(other).startswith("user_message")
            return echo or (answer is None and not self._only_told(other))
        if isinstance(sent, Response):
            return self._same_question(one, other) or self._state(other)
        if isinstance(sent, methods.CancelRequest):
            return answer is not None
        if isinstance(sent, methods.SetConfigOptionRequest):
            return self._print(other) == "config_option_update"
        if isinstance(sent, methods.NewSessionRequest):
            return True
        return not isinstance(self._answer(other), methods.PromptRequest)

    def _obeys(self, at: Node) -> bool:
        """What only a cancel explains."""
        event = self.events[at]
        if isinstance(event.message, methods.CancelRequest):
            return True
        if isinstance(event.message, Response):
            return event.message.error is not UNSET
        update = talk.update_of(event)
        if isinstance(update, updates.StateUpdate):
            return update.state == "idle"
        return isinstance(update, updates.ToolCallUpdate) and update.status == "cancelled"

    def _client_waits(self, one: Node, other: Node) -> bool:
        """Whether the client sends this because of what the agent said there."""
        sent = self.events[other].message
        answer = self._answer(one)
        if isinstance(sent, methods.PromptRequest | methods.CloseSessionRequest):
            return isinstance(answer, methods.NewSessionRequest | methods.ResumeSessionRequest)
        if isinstance(sent, methods.ResumeSessionRequest):
            return True
        return isinstance(answer, methods.NewSessionRequest)

    def _agent_keeps(self, one: Node, other: Node) -> bool:
        """Whether the agent could not have said the two the other way round."""
        answer, earlier = self._answer(other), self._answer(one)
        if isinstance(answer, methods.CloseSessionRequest | methods.ResumeSessionRequest):
            return not isinstance(earlier, methods.PromptRequest)
        if isinstance(earlier, methods.NewSessionRequest):
            return not self._only_told(other)  # updates may come before the response
        if answer is not None or earlier is not None:
            reopened = (methods.CloseSessionRequest, methods.ResumeSessionRequest)
            return isinstance(earlier, reopened) or (
                isinstance(answer, methods.SetConfigOptionRequest)
                and self._print(one) == "config_option_update"
            )
        if self._key(one) == self._key(other):
            return True
        if self._state(one) == self._state(other):
            return False
        free = self._only_told(one) or self._only_told(other)
        return not free or self._both_resuming(one, other)

    def _both_resuming(self, one: Node, other: Node) -> bool:
        """Both come while a resume waits for its answer: the state is told after the history."""
        return any(
            request < one and other < self.pairs.answer_of.get(request, len(self.events))
            for request in self.resumes
        )

    # ------------------------------------------------------------------ what a message is

    def _answer(self, at: Node) -> object:
        """The request that this answers, if it answers one of the client's."""
        request = self.pairs.request_of.get(at)
        if request is None or self.events[request].dir != "c2a":
            return None
        return self.events[request].message

    def _print(self, at: Node) -> str:
        found = self.prints[at]
        return "" if found is None else found.variant

    def _key(self, at: Node) -> object:
        found = self.prints[at]
        return at if found is None else (found.session, found.key)

    def _state(self, at: Node) -> bool:
        return self._print(at) == "state_update"

    def _only_told(self, at: Node) -> bool:
        found = self.prints[at]
        return found is not None and found.key[0] in FREE

    def _same_question(self, answer: Node, other: Node) -> bool:
        """Whether an update is of the tool call that the answered question was about."""
        request = self.pairs.request_of.get(answer)
        return request is not None and self._key(request) == self._key(other)


def _unclear(event: Event) -> bool:
    """What cannot be read stays where it is."""
    return isinstance(event.message, Malformed)


def _names(one: Event, other: Event) -> bool:
    """Whether the other takes the one back."""
    if not isinstance(other.message, methods.CancelRequest) or one.dir != other.dir:
        return False
    return talk.request_id(one) == other.message.params.request_id


def scenario_of(events: Sequence[Event], *, name: str, settled: bool) -> Scenario:
    """The scenario of which a recorded conversation is one order."""
    reader = _Reader(events)
    if len(events) > CONCURRENT_MAX:
        order = PartialOrder([[at - 1] if at else [] for at in range(len(events))])
        return Scenario(
            name=name, events=tuple(events), order=order, kept=frozenset(), settled=settled
        )
    reader.read()
    kept = set(reader.kept)
    for at, request in reader.pairs.request_of.items():
        if isinstance(events[request].message, methods.NewSessionRequest):
            kept |= {at, request}
    return Scenario(
        name=name,
        events=tuple(events),
        order=PartialOrder([sorted(earlier) for earlier in reader.before]),
        kept=frozenset(kept),
        settled=settled,
    )
