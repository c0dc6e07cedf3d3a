"""The JSON-RPC 2.0 envelope: what every message is before its method says more.

Owns: the error codes, `Response`, the messages of methods that this package does not know, and
`Malformed`, the value that stands for a message that cannot be used. Nothing here raises.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from acpsim.wire.cells import ErrorObject, Json, JsonObject

Direction: TypeAlias = Literal["c2a", "a2c"]
RequestId: TypeAlias = int | str
"""`1` and `"1"` are two ids; fractions, booleans and null are none."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
AUTHENTICATION_REQUIRED: Final = -32000
NOT_FOUND: Final = -32002
REQUEST_CANCELLED: Final = -32800

OTHER_SIDE: Final[dict[Direction, Direction]] = {"c2a": "a2c", "a2c": "c2a"}


class Flaw(Struct, frozen=True, gc=False):
    """One malformed place in a message: a JSON path such as `$.params.update.usage`, and why.

    `dropped` says that the rest of the message was used without it; else it cost the message.
    """

    path: str
    text: str
    dropped: bool = True


class Response(Struct, frozen=True, gc=False, kw_only=True):
    """A response, its result not yet read: only its request says what it is.

    Exactly one of `result` and `error` is set. `id` is `None` in an error about a message whose id
    could not be read. An error with unknown fields is a `LooseError`.
    """

    id: RequestId | None
    result: Json | UnsetType = UNSET
    error: ErrorObject | UnsetType = UNSET


class OtherRequest(Struct, frozen=True, gc=False, kw_only=True):
    """A request whose method this package has no struct for."""

    id: RequestId
    method: str
    params: Json | UnsetType = UNSET


class OtherNotification(Struct, frozen=True, gc=False, kw_only=True):
    """A notification whose method this package has no struct for."""

    method: str
    params: Json | UnsetType = UNSET


class Malformed(Struct, frozen=True, gc=False, kw_only=True):
    """A message that cannot be used. What could be read of it is kept, so that a request is still
    known to be open and a response still closes its request.

    `kind` is what the message was: `unreadable` where not even the envelope could be read.
    `value` is the JSON value, `UNSET` where the line is no JSON.
    """

    kind: Literal["request", "notification", "response", "unreadable"]
    flaws: tuple[Flaw, ...]
    id: RequestId | None | UnsetType = UNSET
    method: str | UnsetType = UNSET
    value: JsonObject | Json | UnsetType = UNSET
