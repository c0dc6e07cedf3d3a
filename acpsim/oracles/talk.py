"""What the messages of a conversation are about: entities, exchanges, sessions.

Owns: the reading of a conversation that laws, explanations and shrinking share. It is made from
the messages alone and holds no client state: what an update is of, which request a response
answers, which sessions are spoken of. What any of it makes of a client is for a target to say.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from acpsim.wire import methods, updates
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import (
    OTHER_SIDE,
    Direction,
    Malformed,
    OtherRequest,
    RequestId,
    Response,
)
from acpsim.wire.methods import AnyMessage
from acpsim.wire.trace import Event

Key: TypeAlias = tuple[str, str]
"""(type, id) of what an update changes; the id of what a session has only one of is empty."""

TIMELINE_TYPES: Final = frozenset(
    {"user_message", "agent_message", "agent_thought", "session_message", "tool_call", "compaction"}
)
ENTITIES: Final[dict[str, tuple[str, str]]] = {
    "user_message": ("user_message", "messageId"),
    "user_message_chunk": ("user_message", "messageId"),
    "agent_message": ("agent_message", "messageId"),
    "agent_message_chunk": ("agent_message", "messageId"),
    "agent_thought": ("agent_thought", "messageId"),
    "agent_thought_chunk": ("agent_thought", "messageId"),
    "session_message": ("session_message", "messageId"),
    "session_message_chunk": ("session_message", "messageId"),
    "tool_call_update": ("tool_call", "toolCallId"),
    "tool_call_content_chunk": ("tool_call", "toolCallId"),
    "terminal_update": ("terminal", "terminalId"),
    "terminal_output_chunk": ("terminal", "terminalId"),
    "plan_removed": ("plan", "planId"),
    "compaction_update": ("compaction", "compactionId"),
    "compaction_summary_chunk": ("compaction", "compactionId"),
    "subagent_update": ("subagent", "sessionId"),
}
"""Variant → the type of its entity and the field that holds the id ("Entity IDs")."""
CHUNKS: Final = frozenset(variant for variant in ENTITIES if variant.endswith("_chunk"))

CONTENT_FIELD: Final[dict[str, str]] = {
    "user_message": "content",
    "agent_message": "content",
    "agent_thought": "content",
    "session_message": "content",
    "tool_call": "content",
    "compaction": "summary",
    "terminal": "output",
}
"""Entity type → the field of its upsert that replaces what its chunks append to."""
UPSERT_OF: Final[dict[str, str]] = {
    **{name: name for name in ("user_message", "agent_message", "agent_thought")},
    "session_message": "session_message",
    "tool_call": "tool_call_update",
    "compaction": "compaction_update",
    "terminal": "terminal_update",
}
CHUNK_OF: Final[dict[str, str]] = {entity: v for v, (entity, _) in ENTITIES.items() if v in CHUNKS}


class Footprint(NamedTuple):
    """What one usable message changes of a session as an update."""

    session: str
    key: Key
    variant: str
    """The update's variant, or the method of a permission request that has a tool call."""
    creates: bool
    """The first message that names this key as its own."""


class Exchanges(NamedTuple):
    """Which response answers which request, as indices into the conversation."""

    request_of: dict[int, int]
    answer_of: dict[int, int]
    reused: bool
    """An id was used again while its request was open: whose the answer is nobody can say."""


def this_way(event: Event) -> bool:
    """Whether a call travels in the direction in which it can; others mean nothing."""
    message = event.message
    if not isinstance(message, methods.Call) or isinstance(message, methods.CancelRequest):
        return True
    return message.direction == event.dir


def update_of(event: Event) -> updates.AnyUpdate | None:
    """The update of a usable `session/update`."""
    message = event.message
    if isinstance(message, methods.SessionUpdate) and this_way(event):
        return message.params.update
    return None


def session_of(event: Event) -> str | None:
    """The session that a usable `session/update` is for."""
    message = event.message
    return message.params.session_id if isinstance(message, methods.SessionUpdate) else None


def variant_of(update: updates.AnyUpdate) -> str:
    """Its `sessionUpdate`."""
    if isinstance(update, updates.UnknownUpdate):
        return update.variant
    return str(update.__struct_config__.tag)


def update_json(event: Event) -> JsonObject:
    """The update of a usable `session/update` as a fresh JSON object, as it came."""
    found: JsonObject = event.json()["params"]["update"]
    return found


def key_of(update: updates.AnyUpdate) -> Key:
    """What an update changes. Notices share one key, unknown variants another: order counts."""
    if isinstance(update, updates.UnknownUpdate):
        return ("unknown", "")
    variant = variant_of(update)
    if isinstance(update, updates.PlanUpdate):
        return ("plan", plan_id(update))
    if variant not in ENTITIES:
        return (variant, "")
    entity, name = ENTITIES[variant]
    return (entity, str(getattr(update, _SNAKE[name])))


_SNAKE: Final = {
    "messageId": "message_id",
    "toolCallId": "tool_call_id",
    "terminalId": "terminal_id",
    "planId": "plan_id",
    "compactionId": "compaction_id",
    "sessionId": "session_id",
}


def plan_id(update: updates.PlanUpdate) -> str:
    """The plan's id, also where the plan is kept as a plain JSON object."""
    plan: Json = update.plan
    return str(plan["planId"] if isinstance(plan, dict) else plan.plan_id)


def footprints(events: Sequence[Event]) -> list[Footprint | None]:
    """For each event, what it changes as an update; `None` for all other messages."""
    seen: set[tuple[str, Key]] = set()
    found: list[Footprint | None] = []
    for event in events:
        about = _about(event.message) if this_way(event) else None
        if about is None:
            found.append(None)
            continue
        session, key, variant = about
        found.append(Footprint(session, key, variant, (session, key) not in seen))
        seen.add((session, key))
    return found


def _about(message: AnyMessage | None) -> tuple[str, Key, str] | None:
    if isinstance(message, methods.SessionUpdate):
        update = message.params.update
        return message.params.session_id, key_of(update), variant_of(update)
    if isinstance(message, methods.RequestPermissionRequest):
        subject = message.params.subject
        if isinstance(subject, methods.ToolCallSubject):
            key = ("tool_call", subject.tool_call.tool_call_id)
            return message.params.session_id, key, message.method
    return None


def request_id(event: Event) -> RequestId | None:
    """The id of a request, usable or not."""
    message = event.message
    if isinstance(message, methods.Request | OtherRequest):
        return message.id
    if isinstance(message, Malformed) and message.kind == "request":
        return message.id if isinstance(message.id, int | str) else None
    return None


def response_id(event: Event) -> RequestId | None:
    """The id of a response, usable or not."""
    message = event.message
    if isinstance(message, Response):
        return message.id
    if isinstance(message, Malformed) and message.kind == "response":
        return message.id if isinstance(message.id, int | str) else None
    return None


def exchanges(events: Sequence[Event]) -> Exchanges:
    """Pairs each response with the open request of its id. A lost connection closes all.

    A request that uses the id of an open one takes its place, as it does in a client.
    """
    open_: dict[tuple[Direction, RequestId], int] = {}
    request_of: dict[int, int] = {}
    reused = False
    for at, event in enumerate(events):
        if type(event.message) is methods.SessionUpdate:
            continue  # most messages; nothing else is asked of them
        if event.dir == "lost":
            open_.clear()
            continue
        asked, answered = request_id(event), response_id(event)
        if asked is not None:
            reused = reused or (event.dir, asked) in open_
            open_[event.dir, asked] = at
        elif answered is not None and (OTHER_SIDE[event.dir], answered) in open_:
            request_of[at] = open_.pop((OTHER_SIDE[event.dir], answered))
    return Exchanges(request_of, {request: at for at, request in request_of.items()}, reused)


def belongings(events: Sequence[Event]) -> list[frozenset[str]]:
    """For each event, the sessions whose state it may change. Those it only mentions do not count.

    A response belongs where its request does and where its result says. A `$/cancel_request`
    belongs where the request it names does.
    """
    pairs = exchanges(events)
    asked: dict[tuple[Direction, RequestId], frozenset[str]] = {}
    found: list[frozenset[str]] = []
    for at, event in enumerate(events):
        sessions = _addressed(event)
        if type(event.message) is methods.SessionUpdate:
            found.append(sessions)
            continue
        if at in pairs.request_of:
            sessions |= found[pairs.request_of[at]] | _opened(event, events[pairs.request_of[at]])
        elif isinstance(event.message, methods.CancelRequest) and event.dir != "lost":
            named = event.message.params.request_id
            sessions |= asked.get((event.dir, named), frozenset())
        found.append(sessions)
        own = request_id(event)
        if own is not None and event.dir != "lost":
            asked[event.dir, own] = sessions
    # The request of a session/new belongs to the session that its response names.
    for answer, request in pairs.request_of.items():
        found[request] |= _opened(events[answer], events[request])
    return found


def _addressed(event: Event) -> frozenset[str]:
    params = getattr(event.message, "params", None) if this_way(event) else None
    session = getattr(params, "session_id", UNSET)
    return frozenset({session}) if isinstance(session, str) else frozenset()


_OPENERS: Final = (methods.NewSessionRequest, methods.ForkSessionRequest)


def _opened(answer: Event, request: Event) -> frozenset[str]:
    """The session that the answer to a session/new or session/fork names."""
    message = answer.message
    if isinstance(request.message, _OPENERS) and isinstance(message, Response):
        result = message.result
        if isinstance(result, dict) and isinstance(result.get("sessionId"), str):
            return frozenset({result["sessionId"]})
    return frozenset()


def addressed(events: Sequence[Event]) -> list[str]:
    """The sessions to which some usable message belongs, in the order of their appearance."""
    found: dict[str, None] = {}
    for sessions in belongings(events):
        if len(sessions) > 1:
            found.update(dict.fromkeys(sorted(sessions)))
        else:
            found.update(dict.fromkeys(sessions))
    return list(found)


class Named(NamedTuple):
    """The sessions that a conversation names, each kind in the order of appearance.

    Whether a mere mention makes a session exist is not said, so that a target may hold either
    nothing or an untouched session for one that is only mentioned.
    """

    addressed: list[str]
    mentioned: list[str]


def named(events: Sequence[Event]) -> Named:
    """Every session that a message names. The order of the messages changes only the order here."""
    return Named(addressed(events), mentioned(events))


def mentioned(events: Sequence[Event]) -> list[str]:
    """The sessions to which no message belongs but which one names: children, senders, listed."""
    found: dict[str, None] = {}
    for event in events:
        if event.dir != "lost" and b"ession" in event.raw and _may_mention(event):
            found.update(dict.fromkeys(_names(event.json())))
    if not found:
        return []
    known = set(addressed(events))
    return [name for name in found if name not in known]


_MENTIONS: Final = ("sessionId", "senderSessionId", "recipientSessionId")
_MENTIONING: Final = (
    updates.SubagentUpdate,
    updates.SessionMessage,
    updates.SessionMessageChunk,
    updates.UnknownUpdate,
)


def _may_mention(event: Event) -> bool:
    """Whether a message can name a session that it is not for; most cannot, and are not decoded."""
    update = update_of(event)
    if update is not None:
        return isinstance(update, _MENTIONING)
    if isinstance(event.message, Response):
        return b'"sessions"' in event.raw
    return not isinstance(event.message, methods.Call) or not this_way(event)


def _names(value: Json) -> Iterator[str]:
    work = [value]
    while work:
        here = work.pop()
        if isinstance(here, dict):
            yield from (here[k] for k in _MENTIONS if isinstance(here.get(k), str))
            work += reversed(here.values())
        elif isinstance(here, list):
            work += reversed(here)


def kind_of(events: Sequence[Event], at: int) -> str:
    """What kind of message this is, as explanations name it.

    The variant of an update; the method of a request or notification; `session/prompt response` or
    `session/prompt error` for the answer to a prompt; `lost`; `unusable` with the method for what
    cannot be used.
    """
    event = events[at]
    if event.message is None:
        return "lost"
    if isinstance(event.message, methods.SessionUpdate):
        return variant_of(event.message.params.update)
    if isinstance(event.message, Response) or _is_bad_response(event.message):
        request = exchanges(events[: at + 1]).request_of.get(at)
        return _answer_kind(event.message, events, request)
    if isinstance(event.message, Malformed):
        method = event.message.method
        return f"unusable {method}" if isinstance(method, str) else "unusable"
    return event.message.method


def _is_bad_response(message: AnyMessage) -> bool:
    return isinstance(message, Malformed) and message.kind == "response"


def _answer_kind(message: AnyMessage, events: Sequence[Event], request: int | None) -> str:
    if request is None:
        return "stray response"
    failed = isinstance(message, Response) and message.error is not UNSET
    return f"{kind_of(events, request)} {'error' if failed else 'response'}"


@functools.cache
def required_fields(variant: str) -> frozenset[str]:
    """The fields without which an update of this variant is unusable, as JSON names."""
    struct = updates.VARIANTS.get(variant)
    if struct is None:
        return frozenset()
    return frozenset(f.encode_name for f in msgspec.structs.fields(struct) if f.required)
