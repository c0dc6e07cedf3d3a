"""Test vectors: a conversation and the snapshots after it, in one file that needs no acpsim.

Owns: `Vector` and its JSON form, `vector/1` of the contracts.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event, event, lost

FORMAT: Final = "vector/1"


class NotAVector(ValueError):
    """The bytes are no vector. The text says where and why."""


class Vector(Struct, frozen=True, kw_only=True):
    """A conversation and, per session, what a client holds after it.

    `snapshots` may have only some of a session's sections; a session that must not exist is `None`.
    """

    name: str
    edition: Edition
    rules: tuple[str, ...] = ()
    events: tuple[Event, ...]
    snapshots: dict[str, JsonObject | None]


class _Event(Struct, frozen=True, kw_only=True):
    dir: str
    msg: JsonObject | None = None


class _Vector(Struct, frozen=True, kw_only=True):
    acpsim: str
    name: str
    edition: str
    rules: tuple[str, ...] = ()
    events: list[_Event]
    snapshots: dict[str, JsonObject | None]


def read_vector(data: bytes) -> Vector:
    """Read a vector. Raises `NotAVector`."""
    try:
        found = msgspec.json.decode(data, type=_Vector)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise NotAVector(f"is no vector: {error}") from error
    if found.acpsim != FORMAT:
        raise NotAVector(f"says that it is {found.acpsim!r}; {FORMAT!r} is read")
    if found.edition not in EDITIONS:
        raise NotAVector(f"no edition {found.edition!r}; known are {', '.join(EDITIONS)}")
    edition = EDITIONS[found.edition]
    events = tuple(_read(entry, edition, at) for at, entry in enumerate(found.events, 1))
    return Vector(
        name=found.name,
        edition=edition,
        rules=found.rules,
        events=events,
        snapshots=found.snapshots,
    )


def _read(entry: _Event, edition: Edition, at: int) -> Event:
    if entry.dir == "lost":
        return lost(line=at)
    if entry.dir not in ("c2a", "a2c") or entry.msg is None:
        raise NotAVector(f"$.events[{at - 1}]: no event")
    direction = "c2a" if entry.dir == "c2a" else "a2c"
    return event(direction, entry.msg, edition=edition, line=at)  # type: ignore[arg-type]


def encode_vector(vector: Vector) -> bytes:
    """The JSON form, with a line end."""
    body = {
        "acpsim": FORMAT,
        "name": vector.name,
        "edition": vector.edition.name,
        "rules": vector.rules,
        "events": [entry.as_json() for entry in vector.events],
        "snapshots": vector.snapshots,
    }
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"
