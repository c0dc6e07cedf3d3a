"""The questions that rows of the table of causes ask about a case, where a word is not enough.

Owns: one small function for each question. They look at the message after which the fault shows,
at what came before it, and at the two values; none of them knows which rule its answer leads to.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import UNSET, Struct, structs

from acpsim.oracles import talk
from acpsim.oracles.case import Case
from acpsim.wire import cells, methods, updates
from acpsim.wire.cells import Json
from acpsim.wire.edition import EDITIONS, STOP_REASONS
from acpsim.wire.jsonrpc import Flaw, Malformed

STATES: Final = frozenset({"running", "idle", "requires_action", "unknown"})
_WORDS: Final = frozenset(
    word for edition in EDITIONS.values() for word in edition.tool_statuses | edition.tool_kinds
)
_CONTENT_TYPES: Final = frozenset(
    {"text", "image", "audio", "resource_link", "resource", "content", "diff", "terminal"}
)


_CONTENT_FIELDS: Final = frozenset(
    field.encode_name
    for struct in vars(cells).values()
    if isinstance(struct, type) and issubclass(struct, Struct) and struct.__struct_config__.tag
    for field in structs.fields(struct)
) | {"type"}  # fmt: skip
"""The fields that some kind of block or item has."""


def unknown_variant(case: Case) -> bool:
    return case.print_ is not None and case.print_.key[0] == "unknown"


def state(case: Case) -> Json:
    return case.update.get("state")


def odd_usage(case: Case) -> bool:
    return isinstance(case.update.get("usage"), dict) and any(
        "usage" in flaw.path for flaw in case.events[case.at].flaws
    )


def odd_stop(case: Case) -> bool:
    reason = case.update.get("stopReason")
    return isinstance(reason, str) and reason not in STOP_REASONS


def odd_word(case: Case) -> bool:
    """A word, a content type or a field of a content that nothing defines was to be kept."""
    value, field = case.expected, case.field
    last = case.steps[-1] if case.steps else 0
    if field in ("content", "summary") and case.actual is UNSET and isinstance(last, str):
        return last not in _CONTENT_FIELDS or odd_type(case)
    if field in ("kind", "status") and isinstance(value, str):
        return value not in _WORDS
    return field in ("content", "summary") and odd_type(case)


def odd_type(case: Case) -> bool:
    """Below the content: the type itself, or something inside a block that is not understood."""
    given = case.update.get(case.field)
    blocks = given if isinstance(given, list) else [given]
    return any(
        isinstance(block, dict) and block.get("type") not in _CONTENT_TYPES for block in blocks
    )


def refers_to_terminal(case: Case) -> bool:
    given = case.update.get("content")
    items = given if isinstance(given, list) else [given]
    return any(isinstance(item, dict) and item.get("type") == "terminal" for item in items)


def late(case: Case) -> bool:
    """A cancelled tool call does not take up what the update says."""
    ignored = case.actual is UNSET or case.field == "status" or case.actual is None
    return case.cancelled_since() and ignored and case.update.get(case.field) is not None


def doubled_or_dropped(case: Case) -> bool:
    return case.answered() and (case.whole or (case.creates and case.expected is UNSET))


def lists_nothing(case: Case) -> bool:
    """The response does not have the list that differs."""
    field = {"commands": "availableCommands"}.get(case.section, case.section)
    return f'"{field}"'.encode() not in case.events[case.at].raw


def new_in_timeline(case: Case) -> bool:
    """It was first seen now and has no place."""
    return case.creates and case.actual is UNSET


def other_name(case: Case) -> bool:
    """The timeline has an id that no message has."""
    entry = case.actual
    if case.section != "timeline" or not isinstance(entry, list) or len(entry) != 2:
        return False
    return all(found is None or found.key[1] != entry[1] for found in case.prints)


def prompted(case: Case) -> bool:
    """The client had sent a prompt to this session."""
    return any(
        isinstance(event.message, methods.PromptRequest)
        and event.message.params.session_id == case.verdict.session
        for event in case.events[: case.at]
    )


def told_before(case: Case) -> bool:
    """An earlier user message has the same content."""
    content = case.update.get("content")
    return any(
        isinstance(talk.update_of(event), updates.UserMessage | updates.UserMessageChunk)
        and talk.update_json(event).get("content") == content
        for event in case.events[: case.at]
    )


def changes_another(case: Case) -> bool:
    """What differs is not what the update is of."""
    return case.print_ is not None and case.entity not in (None, case.print_.key)


def idle_now(case: Case) -> bool:
    """As far as the reports say, no foreground work is going on."""
    states = [
        event_update.state
        for event in case.events[: case.at]
        if isinstance(event_update := talk.update_of(event), updates.StateUpdate)
        and talk.session_of(event) == case.verdict.session
    ]
    return not states or states[-1] == "idle"


def after_unusable(case: Case) -> bool:
    """Nothing is applied, and an earlier message could not be used."""
    return case.unapplied and any(
        isinstance(event.message, Malformed) and event.message.kind != "response"
        for event in case.events[: case.at]
    )


def after_unknown(case: Case) -> bool:
    """Nothing is applied, and an earlier update was of a variant that is not understood."""
    return case.unapplied and any(
        own is not None and own.key[0] == "unknown" for own in case.prints[: case.at]
    )


def prompt_open(case: Case) -> bool:
    """A prompt to this session is not answered yet."""
    answers = talk.exchanges(case.events[: case.at]).answer_of
    return any(
        isinstance(event.message, methods.PromptRequest)
        and event.message.params.session_id == case.verdict.session
        and at not in answers
        for at, event in enumerate(case.events[: case.at])
    )


def malformed_field(case: Case) -> bool:
    """What the update says of the field that differs is malformed, or a part of it is."""
    return bool(case.field) and any(case.field in _NAME.findall(flaw.path) for flaw in _flaws(case))


def malformed_elsewhere(case: Case) -> bool:
    """Nothing of the update is applied, and a field of it is malformed."""
    return case.unapplied and bool(_flaws(case))


def _flaws(case: Case) -> tuple[Flaw, ...]:
    """What is malformed in a message that can be used all the same."""
    event = case.events[case.at]
    return () if isinstance(event.message, Malformed) else event.flaws


_NAME: Final = re.compile(r"\w+")


def other_request(case: Case) -> bool:
    """The permission request that differs is not the one that was answered."""
    steps = case.steps
    asked = [
        at
        for at, event in enumerate(case.events[: case.at])
        if isinstance(event.message, methods.RequestPermissionRequest)
        and event.message.params.session_id == case.verdict.session
    ]
    if len(steps) < 2 or not isinstance(steps[1], int) or steps[1] >= len(asked):
        return False
    answered = talk.exchanges(case.events[: case.at + 1]).request_of.get(case.at)
    return answered is not None and asked[steps[1]] != answered


def more_of_error(case: Case) -> bool:
    """What differs is neither the code nor the message of an error, but something beside them."""
    return case.place == "prompts.error" and case.steps[3:4] not in ((), ("code",), ("message",))


def clears_at_once(case: Case) -> bool:
    """It was first seen now and has no place, and the update has a null in it."""
    return new_in_timeline(case) and None in case.update.values()


def empties_meta(case: Case) -> bool:
    """The update's `_meta` has a key that is null."""
    meta = case.update.get("_meta")
    return case.field == "_meta" and isinstance(meta, dict) and None in meta.values()


def says(case: Case) -> Json:
    """What the update says of the field that differs; `UNSET` if nothing."""
    return case.update.get(case.field, UNSET)
