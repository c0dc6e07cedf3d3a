"""What a disturbance works on: a conversation, chance, and how to say something more in it.

Owns: `Stage`. A disturbance takes one and gives another conversation, or `None` where this one
offers no occasion.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable
from typing import TypeAlias

from acpsim.fuzz.scenario import Events
from acpsim.oracles import talk
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction
from acpsim.wire.trace import Event, event


class Stage:
    """One conversation that is about to be disturbed."""

    def __init__(self, events: Events, edition: Edition, chance: random.Random) -> None:
        self.events = events
        self.edition = edition
        self.chance = chance

    @functools.cached_property
    def prints(self) -> list[talk.Footprint | None]:
        return talk.footprints(self.events)

    @functools.cached_property
    def pairs(self) -> talk.Exchanges:
        return talk.exchanges(self.events)

    def pick(self, places: Iterable[int]) -> int | None:
        """One of these places, or `None` if there are none."""
        found = list(places)
        return self.chance.choice(found) if found else None

    def updates(self, fits: Callable[[talk.Footprint], bool]) -> list[int]:
        """The places of the usable updates that fit."""
        return [
            at
            for at, event in enumerate(self.events)
            if (own := self.prints[at]) is not None and talk.update_of(event) and fits(own)
        ]

    def spots(self) -> list[tuple[str, int]]:
        """Where something may be said for a session: after its id is known, until the end, but
        not between the loss of the connection and the next answer.
        """
        found: list[tuple[str, int]] = []
        known: dict[str, None] = {}
        for at, (told, names) in enumerate(
            zip(self.events, talk.belongings(self.events), strict=True)
        ):
            if told.dir == "lost":
                known = {}
            known.update(dict.fromkeys(sorted(names)))
            found += [(name, at + 1) for name in known]
        return found

    def make(
        self, direction: Direction, message: JsonObject, *, like: Event | None = None
    ) -> Event:
        """A message; in place of another one it has that one's line."""
        line, t = (0, 0.0) if like is None else (like.line, like.t)
        told = {"jsonrpc": "2.0", **message}
        return event(direction, told, edition=self.edition, line=line, t=t)

    def update(self, session: str, update: JsonObject, *, like: Event | None = None) -> Event:
        """A `session/update`."""
        params = {"sessionId": session, "update": update}
        return self.make("a2c", {"method": "session/update", "params": params}, like=like)

    def put(self, at: int, *more: Event) -> Events:
        """The conversation with something more said before this place."""
        return (*self.events[:at], *more, *self.events[at:])

    def instead(self, at: int, *others: Event) -> Events:
        """The conversation with other messages in place of this one."""
        return (*self.events[:at], *others, *self.events[at + 1 :])

    def move(self, source: int, goal: int) -> Events:
        """The conversation with one message taken out and put back at this place of the rest."""
        rest = [*self.events[:source], *self.events[source + 1 :]]
        rest.insert(goal, self.events[source])
        return tuple(rest)


Disturbance: TypeAlias = Callable[[Stage], Events | None]
"""Another conversation, in which a correct reducer is as right as before; `None`: no occasion."""
