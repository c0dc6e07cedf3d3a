"""A scenario: the messages of one conversation and what has to come before what among them.

Owns: `Scenario`, `Script` which writes one message after the other, and `deliver`, which makes a
conversation of one of its orders. Each event is built once, however many orders it is delivered
in; its line is its place in the scenario, so that an inversion can be told later.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from acpsim.schedule.order import PartialOrder
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction
from acpsim.wire.trace import Event, event, lost

Events: TypeAlias = tuple[Event, ...]
Node: TypeAlias = int
"""A message of a scenario, as its place in it."""

SECONDS_PER_MESSAGE = 0.01
"""Between two messages of a generated trace. Nothing depends on it; times have to grow."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The oracle that once objected to a conversation, and the seed of its chance."""

    oracle: str
    seed: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """`kept` are the messages without which nothing else makes sense: they are delivered even
    where a lost connection swallows what was under way. `settled` says that nothing is owed at the
    end. `name` says where it comes from.
    """

    name: str
    events: Events
    order: PartialOrder
    kept: frozenset[Node]
    settled: bool
    known: Known | None = None
    """What is known to be wrong with it, where it is a fault that was kept."""


class Script:
    """A scenario being written."""

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.events: list[Event] = []
        self.before: list[tuple[Node, ...]] = []
        self.kept: set[Node] = set()
        self._since_loss = 0
        self._loss: tuple[Node, ...] = ()

    def say(
        self,
        direction: Direction,
        message: JsonObject,
        after: Iterable[Node],
        *,
        keep: bool = False,
    ) -> Node:
        """A message that comes after these others. `keep`: no lost connection swallows it."""
        here = len(self.events)
        told = event(
            direction,
            message,
            edition=self.edition,
            line=here + 1,
            t=round(here * SECONDS_PER_MESSAGE, 2),
        )
        self.events.append(told)
        self.before.append((*self._loss, *(node for node in after if node >= self._since_loss)))
        if keep:
            self.kept.add(here)
        return here

    def lose(self) -> Node:
        """The connection breaks: after all that was said, before all that will be."""
        here = len(self.events)
        self.events.append(lost(line=here + 1, t=round(here * SECONDS_PER_MESSAGE, 2)))
        self.before.append(tuple(range(self._since_loss, here)))
        self._since_loss, self._loss = here + 1, (here,)
        return here

    def scenario(self, name: str, *, settled: bool) -> Scenario:
        """What was written."""
        return Scenario(
            name=name,
            events=tuple(self.events),
            order=PartialOrder(self.before),
            kept=frozenset(self.kept),
            settled=settled,
        )


def in_sequence(events: Iterable[Event]) -> Events:
    """The same conversation with lines that count up from 1, as a trace of it has them."""
    return tuple(replace(told, line=at) for at, told in enumerate(events, 1))


def deliver(scenario: Scenario, order: Sequence[Node], chance: random.Random) -> Events:
    """The conversation in this order. Each lost connection swallows some of what was last."""
    told: list[Node] = []
    since_loss = 0
    for node in order:
        if scenario.events[node].dir == "lost":
            gone = chance.randint(0, len(told) - since_loss) if chance.random() < 0.7 else 0
            swallowed = told[len(told) - gone :]
            del told[len(told) - gone :]
            told += [last for last in swallowed if last in scenario.kept]
            since_loss = len(told) + 1
        told.append(node)
    return tuple(scenario.events[node] for node in told)
