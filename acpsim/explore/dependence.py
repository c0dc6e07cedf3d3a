"""Which messages of a scenario may be exchanged without anybody seeing it.

Owns: `Dependence`, the protocol's own independence ("Independence" among the laws of a reducer) for
any two messages of a scenario. Each message touches *places* of the client state; two messages
depend on each other where they touch one place, and commute otherwise:

- an entity, by session and key; what belongs to a whole session, by its section;
- the timeline, for what may be the first to name an entity that has a place in it;
- the list of prompts, of permission requests, of notices, of unknown updates, for what is added;
- the foreground state, for its reports;
- an open request, for the request, its answer, and what carries its id;
- everything, for a lost connection.

A cancel reads the foreground state and marks the tool calls of the current work. So in a session
that is cancelled somewhere, creating a tool call depends on the reports of the state: they decide
which work the call belongs to.

What may be first is judged by the order that always holds: of two concurrent messages about one
entity either may be first. Where in doubt two messages depend: that gives more classes, never a
wrong one.

By the *state* alone, a prompt's response commutes with the echo of its message. A client has to
bring the two together all the same, and that is where clients go wrong: of the seeded faults of
`acpsim.targets.mutants` four are found so that are not found by the state alone. See `RELATIONS`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Final, TypeAlias

from acpsim.fuzz.scenario import Node, Scenario
from acpsim.oracles import talk
from acpsim.wire import methods
from acpsim.wire.jsonrpc import OTHER_SIDE, Response

Place: TypeAlias = tuple[str, ...]
"""A part of the client state: its kind, the session, and what tells it from others of its kind."""
Touch: TypeAlias = tuple[Place, bool]
"""A place, and whether it is changed there: what only reads it, or what adds to different parts of
it, commutes with its like.
"""

RELATIONS: Final[dict[str, str]] = {
    "reconcile": "as state; and a prompt's response and the updates of the user message that it "
    "names depend on each other, since a client brings them together",
    "state": "two messages depend where exchanging them can change what the protocol makes of them",
    "wide": "as reconcile; and prompt responses and state reports depend on all of their session",
}
"""Relation → what depends in it, the default first."""

OPENING: Final = (
    methods.NewSessionRequest,
    methods.ForkSessionRequest,
    methods.ResumeSessionRequest,
    methods.SetConfigOptionRequest,
)
"""Requests whose answers may carry the lists of a session."""
CLOSING: Final = (methods.CloseSessionRequest, methods.ResumeSessionRequest)
"""Requests whose answers close a session or take that back."""
LISTS: Final = {
    b"onfigOptions": "config_option_update",
    b"vailableCommands": "available_commands_update",
}
"""A piece of the field in the answer → the update that replaces the same list."""
EVERYWHERE: Final[Place] = ("everywhere",)


class Dependence:
    """For any two messages of a scenario, whether their order can be seen."""

    def __init__(self, scenario: Scenario, relation: str = "reconcile") -> None:
        assert relation in RELATIONS, relation
        self.scenario = scenario
        self.relation = relation
        self._pairs = talk.exchanges(scenario.events)
        self._belongings = talk.belongings(scenario.events)
        self._prints = talk.footprints(scenario.events)
        self._cancelled = {
            session
            for at, told in enumerate(scenario.events)
            if isinstance(told.message, methods.CancelSession)
            for session in self._belongings[at]
        }
        self._touches = [dict(sorted(self._touched(at))) for at in range(len(scenario.events))]

    @functools.cached_property
    def masks(self) -> list[int]:
        """For each message, those that depend on it and are concurrent with it, as bits."""
        return self._concurrent_masks()

    @functools.cached_property
    def state_masks(self) -> list[int]:
        """The same by the relation `state`."""
        return self.masks if self.relation == "state" else Dependence(self.scenario, "state").masks

    def depend(self, one: Node, other: Node) -> bool:
        """Whether two messages touch one place, and one of them changes it. Symmetric."""
        mine, theirs = self._touches[one], self._touches[other]
        if EVERYWHERE in mine or EVERYWHERE in theirs:
            return True
        if (
            self.relation == "wide"
            and self._belongings[one] & self._belongings[other]
            and (self._seen_everywhere(one) or self._seen_everywhere(other))
        ):
            return True
        return any(changes or theirs[place] for place, changes in mine.items() if place in theirs)

    def _concurrent_masks(self) -> list[int]:
        order, count = self.scenario.order, len(self.scenario.events)
        masks = [0] * count
        for other in range(count):
            for one in range(other):
                if order.concurrent(one, other) and self.depend(one, other):
                    masks[one] |= 1 << other
                    masks[other] |= 1 << one
        return masks

    # ------------------------------------------------------------------ what a message touches

    def _touched(self, at: Node) -> Iterator[Touch]:
        """Sorted, the last mention of a place counts: that it is changed."""
        told = self.scenario.events[at]
        if told.dir == "lost":
            yield EVERYWHERE, True
            return
        if not talk.this_way(told):
            return
        yield from self._exchanged(at)
        own = self._prints[at]
        if own is not None:
            yield from self._updated(at, own)
        for session in self._belongings[at]:
            match told.message:
                case methods.PromptRequest():
                    yield ("prompts", session), True
                case methods.RequestPermissionRequest():
                    yield ("permissions", session), True
                case methods.CancelSession():
                    yield ("foreground", session), False
                    yield ("tool calls", session), True

    def _seen_everywhere(self, at: Node) -> bool:
        """Whether the relation `wide` lets it depend on all of its session."""
        own = self._prints[at]
        return self._of_a_prompt(at) or (own is not None and own.variant == "state_update")

    def _of_a_prompt(self, at: Node) -> bool:
        """Whether it answers a prompt."""
        request = self._pairs.request_of.get(at)
        asked = None if request is None else self.scenario.events[request].message
        return isinstance(asked, methods.PromptRequest)

    def _updated(self, at: Node, own: talk.Footprint) -> Iterator[Touch]:
        session, (kind, name) = own.session, own.key
        if kind == "state_update":
            yield ("foreground", session), True
            if session in self._cancelled:
                yield ("work of tool calls", session), True
            return
        yield (kind, session, name), True
        first = self._may_be_first(at, own)
        if first and kind in talk.TIMELINE_TYPES:
            yield ("timeline", session), True
        if kind == "tool_call" and session in self._cancelled:
            yield ("tool calls", session), False
            if first:
                yield ("work of tool calls", session), False

    def _may_be_first(self, at: Node, own: talk.Footprint) -> bool:
        """Whether no message that always comes before names the same entity."""
        before = self.scenario.order.closure[at]
        return not any(
            before >> other & 1 and theirs is not None and theirs[:2] == own[:2]
            for other, theirs in enumerate(self._prints[:at])
        )

    def _exchanged(self, at: Node) -> Iterator[Touch]:
        """The request that this is, or answers; and what its answer carries."""
        told = self.scenario.events[at]
        asked, answered = talk.request_id(told), talk.response_id(told)
        if asked is not None:
            yield ("request", told.dir, type(asked).__name__, str(asked)), True
        if answered is None or told.dir == "lost":
            return
        yield ("request", OTHER_SIDE[told.dir], type(answered).__name__, str(answered)), True
        request = self._pairs.request_of.get(at)
        if request is None or not isinstance(told.message, Response):
            return
        message = self.scenario.events[request].message
        for session in self._belongings[at]:
            if isinstance(message, CLOSING):
                yield ("closed", session), True
            if isinstance(message, OPENING):
                # The lists of the session, if the answer has them.
                for field, variant in LISTS.items():
                    if field in told.raw:
                        yield (variant, session, ""), True
            if isinstance(message, methods.PromptRequest) and self.relation != "state":
                inserted = told.message.result
                if isinstance(inserted, dict):
                    yield ("user_message", session, str(inserted.get("messageId"))), True
