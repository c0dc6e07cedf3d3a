"""Test vectors: a conversation and the snapshots after it, in one file that needs no acpsim.

Owns: `Vector` and its JSON form, `vector/1` of the contracts.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.event import Event, event, lost
from acpsim.wire.jsonrpc import Direction
from acpsim.wire.lines import mended
from acpsim.wire.parse import NOT_STRICT, why_unreadable

FORMAT: Final = "vector/1"


class NotAVector(ValueError):
    """The bytes are no vector. The text says where and why, in one line."""


class Vector(Struct, frozen=True, kw_only=True):
    """A conversation and, per session, what a client holds after it.

    `snapshots` may have only some of a session's sections; a session that must not exist has
    `None`.
    """

    name: str
    edition: Edition
    rules: tuple[str, ...] = ()
    events: tuple[Event, ...]
    snapshots: dict[str, JsonObject | None]


class _Event(Struct, frozen=True):
    dir: str
    msg: Raw | UnsetType = UNSET
    raw: str | UnsetType = UNSET


class _Vector(Struct, frozen=True):
    acpsim: str
    name: str
    edition: str
    events: list[_Event]
    snapshots: dict[str, JsonObject | None]
    rules: tuple[str, ...] = ()


def read_vector(data: bytes) -> Vector:
    """Read a vector. Raises `NotAVector`; messages in it may be as malformed as they like."""
    try:
        found = msgspec.json.decode(mended(data)[0], type=_Vector)
    except msgspec.ValidationError as error:
        raise NotAVector(f"is no vector: {error}") from error
    except NOT_STRICT as error:
        raise NotAVector(why_unreadable(error)) from error
    if found.acpsim != FORMAT:
        raise NotAVector(f"says that it is {found.acpsim!r}; {FORMAT!r} is read")
    if found.edition not in EDITIONS:
        raise NotAVector(f"no edition {found.edition!r}; known are {', '.join(EDITIONS)}")
    edition = EDITIONS[found.edition]
    events = [_event(entry, edition, number) for number, entry in enumerate(found.events, 1)]
    return Vector(
        name=found.name,
        edition=edition,
        rules=found.rules,
        events=tuple(events),
        snapshots=found.snapshots,
    )


def _event(entry: _Event, edition: Edition, number: int) -> Event:
    if entry.dir == "lost":
        return lost(line=number)
    place = f"$.events[{number - 1}]"
    direction = _WAYS.get(entry.dir)
    if direction is None:
        raise NotAVector(f"{place}.dir is {entry.dir!r}; c2a, a2c and lost are known")
    if entry.msg is not UNSET:
        text = msgspec.json.format(bytes(entry.msg), indent=-1)  # one line, as on the wire
    elif entry.raw is not UNSET:
        text = entry.raw.encode()
    else:
        raise NotAVector(f"{place} has neither msg nor raw")
    return event(direction, text, edition=edition, line=number)


_WAYS: Final[dict[str, Direction]] = {"c2a": "c2a", "a2c": "a2c"}


def encode_vector(vector: Vector) -> bytes:
    """The JSON form, indented for people, with a line end."""
    body = {
        "acpsim": FORMAT,
        "name": vector.name,
        "edition": vector.edition.name,
        "rules": vector.rules,
        "events": [entry.as_json() for entry in vector.events],
        "snapshots": vector.snapshots,
    }
    return msgspec.json.format(msgspec.json.encode(body), indent=2) + b"\n"
