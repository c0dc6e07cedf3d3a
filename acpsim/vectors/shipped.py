"""The vectors that ship with the package.

Owns: `Conversation`, a line of `conversations.jsonl`, and `shipped`, which makes vectors of them.
Only conversations are kept; the snapshots are what the reference makes of them in the edition that
is asked for, so that they are never older than it is.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from acpsim.oracles import talk
from acpsim.oracles.compare import UNTOUCHED
from acpsim.targets.address import open_target
from acpsim.targets.target import SECTIONS
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.event import Event, EventDirection, event, lost
from acpsim.wire.vector import Vector

FILE: Final = "conversations.jsonl"


class Told(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One message of a line of the file: an event as in a trace."""

    dir: EventDirection
    msg: Raw | UnsetType = UNSET
    raw: str | UnsetType = UNSET


class Conversation(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of the file. `shows` says what a reducer that fails it gets wrong.

    `mutant` is the seeded fault that it is the smallest conversation for. `untouched` is for
    sessions that a message only mentions: the section in which nothing may have happened.
    """

    name: str
    shows: str
    rules: tuple[str, ...] = ()
    editions: tuple[str, ...] = tuple(EDITIONS)
    mutant: str | None = None
    untouched: dict[str, str] = {}
    events: tuple[Told, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """One vector and what is told of it. `sections` are those in which anything happens."""

    vector: Vector
    shows: str
    mutant: str | None
    sections: tuple[str, ...]


@functools.cache
def conversations() -> tuple[Conversation, ...]:
    """Every line of the file, by name."""
    data = resources.files("acpsim.vectors").joinpath(FILE).read_bytes()
    read = msgspec.json.Decoder(Conversation).decode
    return tuple(read(line) for line in data.splitlines())


def shipped(edition: Edition) -> list[Shipped]:
    """Every vector of an edition, by name; the same ones each time."""
    reference = open_target("reference", edition=edition)
    found = []
    for told in conversations():
        if edition.name not in told.editions:
            continue
        events = events_of(told, edition)
        reference.reset()
        reference.apply(events)
        snapshots = {name: reference.snapshot(name) for name in talk.addressed(events)}
        vector = vector_of(told, edition, events=events, snapshots=snapshots)
        found.append(
            Shipped(
                vector=vector,
                shows=told.shows,
                mutant=told.mutant,
                sections=_eventful(vector.snapshots.values()),
            )
        )
    return found


def events_of(told: Conversation, edition: Edition) -> tuple[Event, ...]:
    """The messages as the wire reads them in an edition, numbered from 1."""
    return tuple(_event(one, edition, number) for number, one in enumerate(told.events, 1))


def _event(told: Told, edition: Edition, number: int) -> Event:
    if told.dir == "lost":
        return lost(line=number)
    text = told.raw.encode() if isinstance(told.raw, str) else bytes(told.msg or b"")
    return event(told.dir, text, edition=edition, line=number)


def vector_of(
    told: Conversation,
    edition: Edition,
    *,
    events: Sequence[Event],
    snapshots: dict[str, JsonObject | None],
) -> Vector:
    """The vector of a conversation and of what is held after it."""
    mentioned: dict[str, JsonObject | None] = {
        session: {section: UNTOUCHED[section]} for session, section in told.untouched.items()
    }
    return Vector(
        name=told.name,
        edition=edition,
        rules=told.rules,
        events=tuple(events),
        snapshots={**snapshots, **mentioned},
    )


def _eventful(snapshots: Iterable[JsonObject | None]) -> tuple[str, ...]:
    held = [snapshot for snapshot in snapshots if snapshot is not None]
    return tuple(
        section
        for section in SECTIONS
        if any(
            section in snapshot and _plain(snapshot, section) != UNTOUCHED[section]
            for snapshot in held
        )
    )


def _plain(snapshot: JsonObject, section: str) -> object:
    """A section without what only one edition has."""
    value = snapshot[section]
    if section == "foreground" and isinstance(value, dict) and value.get("background") is None:
        return {name: part for name, part in value.items() if name != "background"}
    return value
