"""Which of a reducer's rules a conversation gives an occasion to break.

Owns: `occasions`. The rules that a trace can show are counted by the checks themselves; those that
bind a client's state are kept or broken by a target, and what they need is a conversation in which
it would show. One pass; each row of the table is one rule's occasion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET

from acpsim.oracles import talk
from acpsim.wire import methods, updates
from acpsim.wire.cells import Json, cell_field
from acpsim.wire.edition import STOP_REASONS, Edition
from acpsim.wire.jsonrpc import Response
from acpsim.wire.trace import Event


class Told(NamedTuple):
    """One update with what was known before it."""

    update: updates.AnyUpdate
    own: talk.Footprint
    busy: bool
    """Foreground work was going on in its session."""
    others: int
    """How many sessions had been spoken of, its own apart."""
    shared: bool
    """An entity of another type had the same id."""
    moved: bool
    """Another timeline entity was first seen since this one was."""
    cancelled: bool
    """Its session had been cancelled."""
    resuming: bool
    """A resume of its session waits for its answer."""
    flaws: tuple[str, ...]
    edition: Edition


def occasions(events: Sequence[Event], edition: Edition) -> set[str]:
    """The ids of the rules."""
    found = set(_of_requests(events))
    found.update(
        rule
        for told in _updates(events, edition)
        for rule, fits in OF_UPDATES.items()
        if rule not in found and fits(told)
    )
    return found


def _of_requests(events: Sequence[Event]) -> Iterator[str]:
    pairs = talk.exchanges(events)
    named = {
        update.message_id
        for event in events
        if isinstance(
            update := talk.update_of(event), updates.UserMessage | updates.UserMessageChunk
        )
    }
    prompts = 0
    for at, event in enumerate(events):
        message = event.message
        request = events[pairs.request_of[at]].message if at in pairs.request_of else None
        prompts += isinstance(message, methods.PromptRequest)
        if isinstance(message, methods.RequestPermissionRequest):
            yield "STATE-PERMISSION"
        if isinstance(request, methods.PromptRequest):
            yield "PROMPT-NOT-IDLE"
            result = message.result if isinstance(message, Response) else UNSET
            own_id = result.get("messageId") if isinstance(result, dict) else None
            if isinstance(own_id, str) and own_id in named:
                yield "PROMPT-RECONCILE"
                yield from ["PROMPT-NO-INFERENCE"] if prompts > 1 or len(named) > 1 else []


def _updates(events: Sequence[Event], edition: Edition) -> Iterator[Told]:
    """Each update with its circumstances."""
    prints = talk.footprints(events)
    pairs = talk.exchanges(events)
    busy: set[str] = set()
    cancelled: set[str] = set()
    resuming: dict[int, str] = {}
    types: dict[tuple[str, str], set[str]] = {}
    first: dict[str, list[talk.Key]] = {}
    sessions: set[str] = set()
    for at, event in enumerate(events):
        resuming.pop(pairs.request_of.get(at, -1), None)
        if isinstance(event.message, methods.CancelSession):
            cancelled.add(event.message.params.session_id)
        elif isinstance(event.message, methods.ResumeSessionRequest):
            resuming[at] = event.message.params.session_id
        own, update = prints[at], talk.update_of(event)
        if own is None or update is None:
            continue
        sessions.add(own.session)
        known = types.setdefault((own.session, own.key[1]), set())
        placed = first.setdefault(own.session, [])
        yield Told(
            update=update,
            own=own,
            busy=own.session in busy,
            others=len(sessions) - 1,
            shared=own.key[1] != "" and bool(known - {own.key[0]}),
            moved=own.key in placed and placed[-1] != own.key,
            cancelled=own.session in cancelled,
            resuming=own.session in resuming.values(),
            flaws=tuple(flaw.path for flaw in event.flaws),
            edition=edition,
        )
        known.add(own.key[0])
        if own.creates and own.key[0] in talk.TIMELINE_TYPES:
            placed.append(own.key)
        if isinstance(update, updates.StateUpdate) and update.state != "unknown":
            (busy.discard if update.state == "idle" else busy.add)(own.session)


def _state(told: Told) -> updates.StateUpdate | None:
    return told.update if isinstance(told.update, updates.StateUpdate) else None


def _is_state(told: Told, state: str) -> bool:
    found = _state(told)
    return found is not None and found.state == state


def _bare_idle(told: Told) -> bool:
    """An idle that says nothing a client knows of why the work ended."""
    found = _state(told)
    return found is not None and found.state == "idle" and found.stop_reason not in STOP_REASONS


def _chunk(told: Told) -> bool:
    return told.own.variant in talk.CHUNKS


def _upsert(told: Told) -> bool:
    return told.own.key[1] != "" and not _chunk(told)


def _values(told: Told) -> Iterator[Json]:
    """The values of an update's optional fields."""
    for name in told.update.__struct_fields__:
        if name not in {"message_id", "tool_call_id", "terminal_id", "compaction_id"}:
            yield getattr(told.update, name)


def _content(told: Told) -> Json:
    entity = told.own.key[0]
    name = talk.CONTENT_FIELD.get(entity)
    return UNSET if name is None or _chunk(told) else getattr(told.update, name, UNSET)


def _refers_to_terminal(told: Told) -> bool:
    content = getattr(told.update, "content", UNSET)
    items: Iterable[Json] = content if isinstance(content, list) else [content]
    return any(
        hasattr(item, "__struct_fields__") and cell_field(item, "type") == "terminal"
        for item in items
    )


def _unknown_words(told: Told) -> bool:
    """A status, kind, severity, state or stop reason that the edition does not list."""
    update = told.update
    if isinstance(update, updates.ToolCallUpdate):
        status, kind = update.status, update.kind
        return (isinstance(status, str) and status not in told.edition.tool_statuses) or (
            isinstance(kind, str) and kind not in told.edition.tool_kinds
        )
    if isinstance(update, updates.Notice):
        return update.severity not in {"info", "warning", "error"}
    found = _state(told)
    return found is not None and (
        found.state not in {"idle", "running", "requires_action", "unknown"}
        or (isinstance(found.stop_reason, str) and found.stop_reason not in STOP_REASONS)
    )


def _session_message(told: Told) -> bool:
    return told.own.key[0] == "session_message"


OF_UPDATES: Final[dict[str, Callable[[Told], bool]]] = {
    "STATE-CLIENT-IDLE": lambda told: told.busy and _bare_idle(told),
    "STATE-USAGE-TOLERANT": lambda told: (
        _is_state(told, "idle") and any(path.endswith(".usage") for path in told.flaws)
    ),
    "STATE-BACKGROUND": lambda told: _state(told) is None,
    "STATE-UNKNOWN": lambda told: _is_state(told, "unknown"),
    "CANCEL-MARK-TOOLS": lambda told: told.cancelled and told.own.key[0] == "tool_call",
    "CANCEL-LATE-UPDATES": lambda told: (
        told.cancelled and told.own.key[0] == "tool_call" and not told.own.creates
    ),
    "ENTITY-KEY": lambda told: told.shared,
    "PATCH-OMIT": lambda told: (
        _upsert(told) and not told.own.creates and any(v is UNSET for v in _values(told))
    ),
    "PATCH-NULL": lambda told: (
        _upsert(told) and any(value is None or value == [] for value in _values(told))
    ),
    "PATCH-REPLACE": lambda told: not told.own.creates and _content(told) not in (UNSET, None),
    "CHUNK-APPEND": _chunk,
    "CHUNK-META": lambda told: _chunk(told) and bool(getattr(told.update, "meta", None)),
    "TIMELINE-FIRST-SEEN": lambda told: told.moved,
    "SESSION-ISOLATION": lambda told: told.others > 0,
    "TERMINAL-BYTES": lambda told: told.own.variant == "terminal_output_chunk",
    "TERMINAL-EITHER-ORDER": _refers_to_terminal,
    "PLAN-REPLACE": lambda told: told.own.key[0] == "plan" and not told.own.creates,
    "SESSION-MESSAGE-IDENTITY": lambda told: _session_message(told) and not told.own.creates,
    "SESSION-MESSAGE-NO-SYNTHESIS": _session_message,
    "NOTICE-NO-EFFECT": lambda told: isinstance(told.update, updates.Notice),
    "COMPACTION-INIT": lambda told: told.own.key[0] == "compaction" and told.own.creates,
    "SUBAGENT-MIRROR": lambda told: (
        isinstance(told.update, updates.SubagentUpdate) and told.update.state is not UNSET
    ),
    "UNKNOWN-PRESERVED": lambda told: isinstance(told.update, updates.UnknownUpdate),
    "UNKNOWN-ENUM-PRESERVED": _unknown_words,
    "RESUME-UPSERT": lambda told: told.resuming and not told.own.creates,
}
"""Rule → when an update is an occasion for it."""
OF_REQUESTS: Final = frozenset(
    {"PROMPT-RECONCILE", "PROMPT-NO-INFERENCE", "PROMPT-NOT-IDLE", "STATE-PERMISSION"}
)
"""The rest, which are about requests and their answers."""
