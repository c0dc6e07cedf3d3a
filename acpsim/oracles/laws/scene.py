"""The ground on which laws are judged: one conversation, the target that is run on it, occasions.

Owns: `Scene` (what the conversation offers to the laws), `Bench` (runs of the target on it and on
its variants), `Breach` and the usual kind of occasion, `Variant`. A law is a transformation of a
conversation and what must stay equal; it needs no reference, and never looks into the target.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, Snapshots, first_difference
from acpsim.targets.target import Target
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction
from acpsim.wire.trace import Event, event

Events: TypeAlias = tuple[Event, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """How a target broke a law.

    `text` says what was done to the conversation. `events` is the conversation that shows it where
    the law made it itself; `kind` is the kind of message that the occasion is about.
    """

    text: str
    session: str | None = None
    difference: Difference | None = None
    events: Events | None = None
    variant: Events = ()
    kind: str | None = None
    after: int | None = None


class Scene:
    """One conversation as the laws see it. Everything derived is worked out once, when needed."""

    def __init__(self, events: Sequence[Event], edition: Edition, chance: random.Random) -> None:
        self.events: Events = tuple(events)
        self.edition = edition
        self.chance = chance
        self.seed = chance.getrandbits(64)

    @functools.cached_property
    def prints(self) -> list[talk.Footprint | None]:
        return talk.footprints(self.events)

    @functools.cached_property
    def pairs(self) -> talk.Exchanges:
        return talk.exchanges(self.events)

    @functools.cached_property
    def belongings(self) -> list[frozenset[str]]:
        return talk.belongings(self.events)

    @functools.cached_property
    def sessions(self) -> list[str]:
        return talk.addressed(self.events)

    def own_chance(self, name: str) -> random.Random:
        """Chance for one occasion that does not depend on which others are tried."""
        return random.Random(f"{self.seed}/{name}")

    def updates(self) -> list[int]:
        """The indices of all usable `session/update`s."""
        return [
            at
            for at, event in enumerate(self.events)
            if self.prints[at] is not None and talk.update_of(event) is not None
        ]

    def make(self, dir: Direction, message: JsonObject, *, like: Event | None = None) -> Event:
        """A new event; its place in the original order is that of the event it stands in for."""
        line, t = (0, 0.0) if like is None else (like.line, like.t)
        return event(dir, message, edition=self.edition, line=line, t=t)

    def make_update(self, session: str, update: JsonObject, *, like: Event | None = None) -> Event:
        """A new `session/update`."""
        params = {"sessionId": session, "update": update}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
        return self.make("a2c", message, like=like)

    def with_update(self, at: int, update: JsonObject) -> Event:
        """The `session/update` at this index with another update in it."""
        message = self.events[at].json()
        message["params"]["update"] = update
        return self.make("a2c", message, like=self.events[at])


class Bench:
    """Runs of one target. `current` is the conversation of the latest run, for when it fails."""

    def __init__(self, target: Target, scene: Scene, *, base: Snapshots | None = None) -> None:
        self.target = target
        self.scene = scene
        self.current: Events = scene.events
        if base is not None:
            self.__dict__["base"] = base

    @functools.cached_property
    def base(self) -> Snapshots:
        """What the target holds after the conversation as it is."""
        return self.run(self.scene.events)

    def run(
        self,
        events: Events,
        *,
        batches: Iterable[Events] | None = None,
        sessions: Iterable[str] | None = None,
    ) -> Snapshots:
        """What the target holds after this conversation, handed over at once or in batches."""
        self.start(events)
        for batch in (events,) if batches is None else batches:
            self.target.apply(batch)
        return self.look(sessions)

    def start(self, events: Events) -> None:
        """Resets the target for a run of this conversation that the caller conducts."""
        self.current = events
        self.target.reset()

    def look(self, sessions: Iterable[str] | None = None) -> Snapshots:
        """What the target holds now of these sessions, or of all that the scene names."""
        names = self.scene.sessions if sessions is None else sessions
        return {name: self.target.snapshot(name) for name in names}

    def compare(self, expected: Snapshots, actual: Snapshots) -> tuple[str, Difference] | None:
        """The first difference in the sections that the target keeps, and the session it is in."""
        for session, snapshot in expected.items():
            found = first_difference(snapshot, actual.get(session), self.target.sections)
            if found is not None:
                return session, found
        return None


class Occasion(Protocol):
    """One place in a conversation where a law can be broken."""

    def judge(self, bench: Bench) -> Breach | None:
        """Tries it. Raises `TargetFailure` where the target fails."""


def unchanged(base: Snapshots) -> Snapshots:
    """What most laws expect: the same as before."""
    return base


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The usual occasion: another conversation, after which the target holds what is expected.

    `make` builds the conversation only when the occasion is tried: most are not.
    """

    text: str
    make: Callable[[], Events]
    expected: Callable[[Snapshots], Snapshots] = unchanged
    kind: str | None = None

    def judge(self, bench: Bench) -> Breach | None:
        base = bench.base
        events = self.make()
        actual = bench.run(events)
        found = bench.compare(self.expected(base), actual)
        if found is None:
            return None
        session, difference = found
        return Breach(
            text=self.text, session=session, difference=difference, variant=events, kind=self.kind
        )


def numbered(events: Sequence[Event], at: int) -> str:
    """A message as texts name it: its line in the file if it has one, else its place."""
    line = events[at].line
    return f"message {at + 1}" if line == 0 else f"line {line}"
