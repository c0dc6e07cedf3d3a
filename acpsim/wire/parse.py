"""JSON text or value → typed message. Never raises on what a peer sent.

First version: the strict way, envelopes, and `Malformed` for the rest; `tolerant` comes next.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from acpsim.wire.cells import ErrorObject, Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import (
    Flaw,
    Malformed,
    OtherNotification,
    OtherRequest,
    Response,
)
from acpsim.wire.methods import METHODS, AnyMessage, KnownCall, KnownRequest, Outcome

Kind: TypeAlias = Literal["request", "notification", "response", "unreadable"]

strict_decode: Final = msgspec.json.Decoder(KnownCall).decode
_any_decode: Final = msgspec.json.Decoder().decode


class Reading(NamedTuple):
    """A message and what was malformed in it."""

    message: AnyMessage
    flaws: tuple[Flaw, ...]


def _unreadable(text: str, value: Json = UNSET) -> Reading:
    flaw = Flaw("$", text, dropped=False)
    return Reading(Malformed(kind="unreadable", flaws=(flaw,), value=value), (flaw,))


def read_message(line: bytes, edition: Edition) -> Reading:
    """Read one message from its JSON text."""
    try:
        return Reading(strict_decode(line), ())
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    try:
        value = _any_decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return _unreadable(f"is no JSON: {error}")
    return _envelope(value, edition)


def read_value(value: Json, edition: Edition) -> Reading:
    """Read one message from a JSON value; nothing of it is kept by reference."""
    try:
        return read_message(msgspec.json.encode(value), edition)
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError, OverflowError) as error:
        return _unreadable(f"is no JSON: {error}")


def _envelope(value: Json, edition: Edition) -> Reading:
    if not isinstance(value, dict):
        return _unreadable("is no JSON object", value)
    method, identity = value.get("method"), value.get("id", UNSET)
    has_id = isinstance(identity, int | str) and not isinstance(identity, bool)
    if method is None:
        return _response(value, identity, has_id=has_id)
    if not isinstance(method, str):
        return _unreadable("has a method that is no string", value)
    if method in METHODS:
        flaw = Flaw("$.params", "does not fit its method", dropped=False)
        kind: Kind = "notification" if identity is UNSET else "request"
        message = Malformed(
            kind=kind, flaws=(flaw,), id=identity if has_id else UNSET, method=method, value=value
        )
        return Reading(message, (flaw,))
    params = value.get("params", UNSET)
    if has_id:
        return Reading(OtherRequest(id=identity, method=method, params=params), ())
    return Reading(OtherNotification(method=method, params=params), ())


def _response(value: JsonObject, identity: Json, *, has_id: bool) -> Reading:
    error = value.get("error", UNSET)
    result = value.get("result", UNSET)
    if (error is UNSET) == (result is UNSET) or not (has_id or identity is None):
        flaw = Flaw("$", "has not exactly one of result and error", dropped=False)
        return Reading(
            Malformed(
                kind="response", flaws=(flaw,), id=identity if has_id else UNSET, value=value
            ),
            (flaw,),
        )
    if error is UNSET:
        return Reading(Response(id=identity, result=result), ())
    try:
        return Reading(Response(id=identity, error=msgspec.convert(error, ErrorObject)), ())
    except msgspec.ValidationError as problem:
        flaw = Flaw("$.error", str(problem), dropped=False)
        return Reading(
            Malformed(
                kind="response", flaws=(flaw,), id=identity if has_id else UNSET, value=value
            ),
            (flaw,),
        )


def read_result(
    request: KnownRequest, response: Response, edition: Edition
) -> tuple[Outcome, tuple[Flaw, ...]]:
    """Read what a response means, now that its request is known."""
    if response.error is not UNSET:
        return response.error, ()
    try:
        return msgspec.convert(response.result, type(request).result), ()
    except msgspec.ValidationError as problem:
        flaw = Flaw("$.result", str(problem), dropped=False)
        return Malformed(kind="response", flaws=(flaw,), id=response.id), (flaw,)


def update_object(raw: bytes) -> JsonObject:
    """The `update` object of a `session/update` whose JSON text is `raw`, as it came."""
    value: JsonObject = _any_decode(raw)
    update: JsonObject = value["params"]["update"]
    return update
