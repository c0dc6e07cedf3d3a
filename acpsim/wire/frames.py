"""The line of a trace around its message: decoded in one go, or field by field.

Owns: three readings of such a line, from quick to careful. `read_whole` takes a line that was
written as this package and most others write one, with a well-formed call in it, and decodes it
once; `decode_line` takes any line with fields of the right types, its message left as text; and
`decode_loose` leaves every field as text.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from acpsim.wire.jsonrpc import Malformed, OtherNotification, OtherRequest, Response
from acpsim.wire.looks import Looks
from acpsim.wire.methods import AnyMessage, KnownCall, SessionUpdate
from acpsim.wire.parse import NOT_STRICT


class Line(Struct, frozen=True, gc=False):
    """A line of a trace, or a bare message. What is not known of it is skipped."""

    acpsim: Raw | UnsetType = UNSET
    dir: str | UnsetType = UNSET
    msg: Raw | UnsetType = UNSET
    raw: str | UnsetType = UNSET
    t: float | UnsetType = UNSET
    sent: float | None = None
    recv: float | None = None

    def keys(self) -> int:
        """How many of its fields are there."""
        keys = (self.dir is not UNSET) + (self.msg is not UNSET) + (self.t is not UNSET)
        keys += (self.raw is not UNSET) + (self.acpsim is not UNSET)
        return keys + (self.sent is not None) + (self.recv is not None)


class LooseLine(Struct, frozen=True, gc=False):
    """The same, each field for itself: one of them does not fit."""

    acpsim: Raw | UnsetType = UNSET
    dir: Raw | UnsetType = UNSET
    msg: Raw | UnsetType = UNSET
    raw: Raw | UnsetType = UNSET
    t: Raw | UnsetType = UNSET
    sent: Raw | UnsetType = UNSET
    recv: Raw | UnsetType = UNSET


class WholeLine(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A line with a message that decodes strictly, and nothing unknown in it."""

    t: float
    dir: Literal["c2a", "a2c"]
    msg: KnownCall
    sent: float | None = None
    recv: float | None = None


decode_line: Final = msgspec.json.Decoder(Line).decode
decode_loose: Final = msgspec.json.Decoder(LooseLine).decode
_decode_whole: Final = msgspec.json.Decoder(WholeLine).decode
_encode: Final = msgspec.json.Encoder().encode

_ENDS: Final = frozenset({b"}\n", b"}", b"}\r\n"})


def read_whole(line: bytes, looks: Looks) -> tuple[WholeLine, bytes] | None:
    """The line and the text of its message, or `None` where it has to be read more carefully.

    The text is found by its length, which is that of the message encoded again: it begins after
    `"msg":`, and only the frame's end, or its other times, may come after so many bytes. So it is
    also certain that no key stands twice: each has its place, and there is no room for another.
    """
    try:
        frame = _decode_whole(line)
    except NOT_STRICT:
        return None
    message = frame.msg
    told: Any = message.params.update if type(message) is SessionUpdate else message.params
    look = looks.get(type(told))
    if look is not None and look(told):
        return None
    start = line.find(b'"msg":') + 6
    end = start + len(_encode(message))
    rest = line[end:]
    if rest not in _ENDS and not (rest.startswith(b',"sent":') and rest.count(b'"') <= 4):
        return None
    # The quotes of `{"t":0.5,"dir":"a2c","msg":`, and of no other field.
    return (frame, line[start:end]) if line.count(b'"', 0, start) == 8 else None


def keys_of(message: AnyMessage, around: Line | None) -> int:
    """How many keys a line has, if none stands twice and no text looks like one."""
    keys = 0 if around is None else around.keys()
    if isinstance(message, Malformed):
        return keys + _encode(message.value).count(b'":')
    # The structs of these do not hold "jsonrpc".
    keys += isinstance(message, Response | OtherRequest | OtherNotification)
    return keys + _encode(message).count(b'":')
