"""JSON text or value → typed message. Nothing here raises on what a peer sent.

Owns: `read_message` and `read_result`, and the envelope. There are two ways to read. The strict
one decodes at once into structs and succeeds where everything is well formed and known; the
tolerant one (`tolerant`) takes the rest. Where the strict one succeeds, the tolerant one would give
the same message: `looks` names the few that the edition at hand reads otherwise.

The envelope is read as the official SDK reads it: a message with `method` is a call, whatever else
it has, a request if it has `id`; one without is a response. A response needs exactly one of
`result` and `error`, and an error needs a whole number and a string. An id is a string or a whole
number: a call with another one is a request that cannot be answered, so it is malformed. A known
notification with an id, and a known request without, ask nothing that the other side could do.
"""

from __future__ import annotations

import json
from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

import msgspec
from msgspec import UNSET, UnsetType

from acpsim.wire.cells import ErrorObject, Json, JsonObject, LooseError
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import (
    Flaw,
    Malformed,
    OtherNotification,
    OtherRequest,
    RequestId,
    Response,
)
from acpsim.wire.lines import DEPTH_MAX, is_deep, mended
from acpsim.wire.looks import PARAMS, looks_of
from acpsim.wire.methods import (
    METHODS,
    AnyMessage,
    KnownCall,
    KnownRequest,
    Outcome,
    Request,
    SessionUpdate,
)
from acpsim.wire.shapes import json_word
from acpsim.wire.tolerant import Bad, read_object

Kind: TypeAlias = Literal["request", "notification", "response", "unreadable"]

strict_decode: Final = msgspec.json.Decoder(KnownCall).decode
"""Decodes a call where everything in it is well formed and known; raises otherwise.

What it takes is never nested too deep: see `cells.STRICT_LEVELS`.
"""

NOT_STRICT: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What `strict_decode` raises for a line that it does not take."""

_any_decode: Final = msgspec.json.Decoder().decode


class Reading(NamedTuple):
    """A message and what was malformed in it."""

    message: AnyMessage
    flaws: tuple[Flaw, ...]


Taken: TypeAlias = tuple[AnyMessage, tuple[Flaw, ...], bytes]


class Reader:
    """Reads messages in one edition."""

    __slots__ = ("edition", "looks")

    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.looks = looks_of(edition)
        """Struct → whether a strictly decoded one is to be read the tolerant way all the same."""

    def read(self, line: bytes) -> Reading:
        """Read one message from its JSON text."""
        message, flaws, _ = self.take(line)
        return Reading(message, flaws)

    def take(self, line: bytes) -> Taken:
        """The message, its flaws, and its text, as any reader of JSON takes it where it is JSON."""
        try:
            message = strict_decode(line)
        except NOT_STRICT:
            return self.take_closely(line)
        told: Any = message.params.update if type(message) is SessionUpdate else message.params
        look = self.looks.get(type(told))
        if look is None or not look(told):
            return message, (), line
        return self.take_closely(line)

    def take_closely(self, line: bytes) -> Taken:
        """The same, the tolerant way: what `take` gives wherever it decodes strictly, too."""
        remarks: tuple[str, ...] = ()
        try:
            value = _any_decode(line)
        except NOT_STRICT as error:
            line, remarks = mended(line)
            if not remarks:
                return *unreadable(why_unreadable(error)), line
            try:
                value = _any_decode(line)
            except NOT_STRICT as still:
                return *unreadable(why_unreadable(still)), line
        if is_deep(line, value):
            return *unreadable(_TOO_DEEP), line
        message, flaws = self._message(value)
        return message, (*(Flaw("$", text) for text in remarks), *flaws), line

    def result(self, request: KnownRequest, response: Response) -> tuple[Outcome, tuple[Flaw, ...]]:
        """Read what a response means, now that its request is known."""
        if response.error is not UNSET:
            return response.error, ()
        struct = type(request).result
        try:
            found = msgspec.convert(response.result, struct)
        except msgspec.ValidationError:
            pass
        else:
            look = self.looks.get(struct)
            if look is None or not look(found):
                return found, ()
        read, flaws = read_object(struct, response.result, path="$.result", edition=self.edition)
        if isinstance(read, Bad):
            return Malformed(kind="response", flaws=flaws, id=response.id), flaws
        return cast("Outcome", read), flaws

    # ------------------------------------------------------------ the envelope

    def _message(self, value: Json) -> Reading:
        if not isinstance(value, dict):
            return unreadable(f"is {json_word(value)}, not an object", value)
        if "method" in value:
            return self._call(value)
        if value.keys() & {"id", "result", "error"}:
            return _response(value)
        return unreadable("has neither a method nor a result nor an error", value)

    def _call(self, value: JsonObject) -> Reading:
        method = value["method"]
        kind: Kind = "request" if "id" in value else "notification"
        flaws = _version_flaws(value)
        identity = _identity(value, flaws)
        if not isinstance(method, str):
            flaws.append(_fatal("$.method", f"is {json_word(method)}, not a string"))
            return _malformed(kind, flaws, value)
        call = METHODS.get(method)
        if call is not None and issubclass(call, Request) != (kind == "request"):
            known = "a request" if issubclass(call, Request) else "a notification"
            text = "is missing" if kind == "notification" else "is there"
            flaws.append(_fatal("$.id", f"{text}, but {method} is {known}"))
        if flaws:
            return _malformed(kind, flaws, value)
        if call is None:
            params = value.get("params", UNSET)
            if kind == "request":
                request = OtherRequest(id=cast("RequestId", identity), method=method, params=params)
                return Reading(request, ())
            return Reading(OtherNotification(method=method, params=params), ())
        # As the SDK does: no parameters are empty ones.
        params = {} if value.get("params") is None else value["params"]
        read, found = read_object(PARAMS[method], params, path="$.params", edition=self.edition)
        if isinstance(read, Bad):
            return _malformed(kind, found, value)
        told = {"jsonrpc": "2.0", "params": read}
        if kind == "request":
            told["id"] = identity
        return Reading(cast("AnyMessage", call(**told)), found)


def _response(value: JsonObject) -> Reading:
    flaws = _version_flaws(value)
    identity = _identity(value, flaws, null_ok="error" in value)
    if "id" not in value:
        flaws.append(_fatal("$.id", "is missing"))
    error, result = value.get("error", UNSET), value.get("result", UNSET)
    if (error is UNSET) == (result is UNSET):
        flaws.append(_fatal("$", "has not exactly one of result and error"))
    elif error is not UNSET:
        flaws += _error_flaws(error)
    if flaws:
        return _malformed("response", flaws, value)
    assert identity is not UNSET
    if error is UNSET:
        return Reading(Response(id=identity, result=result), ())
    return Reading(Response(id=identity, error=_error(error)), ())


def _error_flaws(error: Json) -> list[Flaw]:
    if not isinstance(error, dict):
        return [_fatal("$.error", f"is {json_word(error)}, not an object")]
    flaws = []
    code, message = error.get("code", UNSET), error.get("message", UNSET)
    if _whole(code) is None:
        told = "is missing" if code is UNSET else f"is {json_word(code)}, not a whole number"
        flaws.append(_fatal("$.error.code", told))
    if not isinstance(message, str):
        told = "is missing" if message is UNSET else f"is {json_word(message)}, not a string"
        flaws.append(_fatal("$.error.message", told))
    return flaws


def _error(error: JsonObject) -> ErrorObject:
    """The error; a plain struct where that loses nothing."""
    told = {**error, "code": _whole(error["code"])}
    try:
        return msgspec.convert(told, ErrorObject)
    except msgspec.ValidationError:
        data = told.get("data", UNSET)
        return LooseError(code=told["code"], message=told["message"], data=data, whole=told)


def _version_flaws(value: JsonObject) -> list[Flaw]:
    version = value.get("jsonrpc", UNSET)
    if version == "2.0":
        return []
    return [_fatal("$.jsonrpc", "is missing" if version is UNSET else 'is not "2.0"')]


def _identity(
    value: JsonObject, flaws: list[Flaw], *, null_ok: bool = False
) -> RequestId | None | UnsetType:
    """The id of a message, `UNSET` where there is none that can be used; notes what is wrong."""
    told = value.get("id", UNSET)
    if told is UNSET or isinstance(told, str) or (told is None and null_ok):
        return told
    whole = _whole(told)
    if whole is None:
        flaws.append(_fatal("$.id", f"is {json_word(told)}, not a string or a whole number"))
        return UNSET
    return whole


def _whole(value: Json) -> int | None:
    """A whole number, also one written as a fraction (`5.0`), or `None`."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _fatal(path: str, text: str) -> Flaw:
    return Flaw(path, text, dropped=False)


def _malformed(kind: Kind, flaws: list[Flaw] | tuple[Flaw, ...], value: JsonObject) -> Reading:
    """A message that cannot be used, with the id and the method that could be read of it."""
    method = value.get("method")
    identity = UNSET if value.get("id", UNSET) is UNSET else _identity(value, [], null_ok=True)
    message = Malformed(
        kind=kind,
        flaws=tuple(flaws),
        id=identity,
        method=method if isinstance(method, str) else UNSET,
        value=value,
    )
    return Reading(message, message.flaws)


def unreadable(text: str, value: Json = UNSET) -> Reading:
    """A message of which not even the envelope can be read."""
    flaw = _fatal("$", text)
    return Reading(Malformed(kind="unreadable", flaws=(flaw,), value=value), (flaw,))


_TOO_DEEP: Final = f"is nested deeper than {DEPTH_MAX}"


def why_unreadable(error: Exception) -> str:
    """What a reader of JSON objected to, in words."""
    if isinstance(error, RecursionError):
        return _TOO_DEEP
    text = str(error).removeprefix("JSON is malformed: ").partition(" - at ")[0]
    return f"is no JSON: {text[:1].lower()}{text[1:]}"


# ---------------------------------------------------------------- by edition

_READERS_MAX: Final = 64
_readers: dict[int, Reader] = {}
"""By identity of the edition, because hashing one takes longer than reading a message. A reader
keeps its edition, so an identity is never used again while it stands here."""


def reader(edition: Edition) -> Reader:
    """The reader of an edition; the same one each time."""
    found = _readers.get(id(edition))
    if found is None:
        if len(_readers) >= _READERS_MAX:
            _readers.clear()
        found = _readers[id(edition)] = Reader(edition)
    return found


def read_message(line: bytes, edition: Edition) -> Reading:
    """Read one message from its JSON text. Raises nothing."""
    return reader(edition).read(line)


def read_value(value: Json, edition: Edition) -> Reading:
    """Read one message from a JSON value; nothing of it is kept by reference. Raises nothing."""
    try:
        return reader(edition).read(json_text(value))
    except (TypeError, ValueError, RecursionError) as error:
        return unreadable(f"is no JSON value: {error}")


def json_text(value: Json) -> bytes:
    """A JSON value as text. Lone surrogates become escapes; raises for what is no JSON value."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def read_result(
    request: KnownRequest, response: Response, edition: Edition
) -> tuple[Outcome, tuple[Flaw, ...]]:
    """Read what a response means, now that its request is known. Raises nothing."""
    return reader(edition).result(request, response)


def update_object(raw: bytes) -> JsonObject:
    """The `update` object of a `session/update` whose JSON text is `raw`, as it came."""
    try:
        value = _any_decode(raw)
    except NOT_STRICT:
        value = _any_decode(mended(raw)[0])
    update: JsonObject = value["params"]["update"]
    return update
