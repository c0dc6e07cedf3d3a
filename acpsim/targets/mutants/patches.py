"""Mutants that misread a patch: omitted, null, value, chunk.

Themes: the patch rules of "3. Agent Reports Output" and their like for tool calls, terminals,
compactions, session messages, info and usage. One function a mutant; `OF_PATCHES` names them.
"""

from __future__ import annotations

from typing import Any, Final, cast

from msgspec import UNSET, structs

from acpsim.reducer import Behaviour
from acpsim.reducer.state import Session
from acpsim.targets.mutants.mutant import (
    KIND_OF,
    MESSAGE_CHUNKS,
    MESSAGES,
    UPSERTS,
    Mutant,
    altering,
    filled,
    held_message,
    then,
    with_handlers,
)
from acpsim.wire import updates
from acpsim.wire.edition import Edition


def _content_replaced_by_chunk(reference: Behaviour) -> Behaviour:
    def emptied(session: Session, update: Any) -> Any:
        held = held_message(session, update)
        if held is not None:
            whole = structs.replace(_upsert_of(update), content=None)
            reference.handlers[type(whole)](session, whole, b"")
        return update

    return altering(reference, MESSAGE_CHUNKS, emptied)


def _upsert_of(chunk: Any) -> Any:
    upsert = updates.VARIANTS[KIND_OF[type(chunk)]]
    return upsert(message_id=chunk.message_id)  # type: ignore[call-arg]


def _omitted_content_as_empty(reference: Behaviour) -> Behaviour:
    return altering(reference, MESSAGES, lambda session, update: filled(update, content=[]))


def _omitted_tool_fields_reset(reference: Behaviour) -> Behaviour:
    def emptied(session: Session, update: Any) -> Any:
        return filled(update, title=None, kind=None, content=None, locations=None)

    return altering(reference, (updates.ToolCallUpdate,), emptied)


def _omitted_status_as_pending(reference: Behaviour) -> Behaviour:
    def pending(session: Session, update: Any) -> Any:
        return filled(update, status="pending")

    return altering(reference, (updates.ToolCallUpdate,), pending)


def _omitted_title_cleared(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, update: Any) -> Any:
        return filled(update, title=None, updated_at=None)

    return altering(reference, (updates.SessionInfoUpdate,), cleared)


def _omitted_cost_cleared(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, update: Any) -> Any:
        return filled(update, cost=None)

    return altering(reference, (updates.UsageUpdate,), cleared)


def _omitted_summary_cleared(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, update: Any) -> Any:
        return filled(update, summary=None, error=None)

    return altering(reference, (updates.CompactionUpdate,), cleared)


def _null_as_omitted(reference: Behaviour) -> Behaviour:
    def kept(session: Session, update: Any) -> Any:
        fields = structs.asdict(update)
        return type(update)(
            **{name: UNSET if value is None else value for name, value in fields.items()}
        )

    return altering(reference, UPSERTS, kept)


def _null_kind_as_nothing(reference: Behaviour) -> Behaviour:
    def nothing(session: Session, update: updates.ToolCallUpdate) -> None:
        call = session.tool_calls[update.tool_call_id]
        if update.kind is None:
            call.kind = cast("str", None)
        if update.status is None:
            call.status = cast("str", None)

    return then(reference, (updates.ToolCallUpdate,), nothing)


def _empty_list_as_omitted(reference: Behaviour) -> Behaviour:
    def kept(session: Session, update: Any) -> Any:
        return structs.replace(update, content=UNSET) if update.content == [] else update

    return altering(reference, (*MESSAGES, updates.ToolCallUpdate), kept)


def _content_appended(reference: Behaviour) -> Behaviour:
    def appended(session: Session, update: Any) -> Any:
        held = held_message(session, update)
        if held is None or not update.content or update.content == held.content:
            return update
        return structs.replace(update, content=[*held.content, *update.content])

    return altering(reference, MESSAGES, appended)


def _tool_content_appended(reference: Behaviour) -> Behaviour:
    def appended(session: Session, update: Any) -> Any:
        held = session.tool_calls.get(update.tool_call_id)
        if held is None or not update.content:
            return update
        return structs.replace(update, content=[*held.content, *update.content])

    return altering(reference, (updates.ToolCallUpdate,), appended)


def _chunk_meta_patched(reference: Behaviour) -> Behaviour:
    def patched(session: Session, update: Any) -> None:
        held = held_message(session, update)
        if held is not None and update.meta is not UNSET:
            held.meta = update.meta

    return then(reference, MESSAGE_CHUNKS, patched)


def _meta_replaced_or_merged(reference: Behaviour) -> Behaviour:
    """Does what the other edition asks for: merges where it replaces, replaces where it merges."""

    def otherwise(session: Session, update: Any) -> Any:
        held = held_message(session, update)
        if held is None or not held.meta or not isinstance(update.meta, dict):
            return update
        first = held.meta
        if session.edition.meta_patches_by_key:
            first = dict.fromkeys(held.meta)
        return structs.replace(update, meta={**first, **update.meta})

    return altering(reference, MESSAGES, otherwise)


def _null_participant_forgotten(reference: Behaviour) -> Behaviour:
    def forgotten(session: Session, update: updates.SessionMessage) -> None:
        held = session.session_messages[update.message_id]
        if update.sender_session_id is None:
            held.sender_session_id = None
        if update.recipient_session_id is None:
            held.recipient_session_id = None

    return then(reference, (updates.SessionMessage,), forgotten)


def _null_leaves_participants(edition: Edition) -> bool:
    return not edition.identities_cleared_by_null


def _participants_fixed_at_first(reference: Behaviour) -> Behaviour:
    def fixed(session: Session, update: Any) -> Any:
        if update.message_id not in session.session_messages:
            return update
        return structs.replace(update, sender_session_id=UNSET, recipient_session_id=UNSET)

    return altering(reference, (updates.SessionMessage, updates.SessionMessageChunk), fixed)


def _compaction_starts_completed(reference: Behaviour) -> Behaviour:
    honest = reference.handlers[updates.CompactionSummaryChunk]

    def handle(session: Session, update: Any, raw: bytes) -> str | None:
        first_seen = update.compaction_id not in session.compactions
        remark = honest(session, update, raw)
        if first_seen:
            session.compactions[update.compaction_id].status = "completed"
        return remark

    return with_handlers(reference, {updates.CompactionSummaryChunk: handle})


def _compaction_chunk_needs_update(reference: Behaviour) -> Behaviour:
    def unless_new(session: Session, update: Any) -> Any:
        return update if update.compaction_id in session.compactions else None

    return altering(reference, (updates.CompactionSummaryChunk,), unless_new)


def _compaction_forgets(reference: Behaviour) -> Behaviour:
    def forgets(session: Session, update: updates.CompactionUpdate) -> None:
        if update.status == "completed":
            for kind in session.messages:
                session.messages[kind] = {}

    return then(reference, (updates.CompactionUpdate,), forgets)


OF_PATCHES: Final = (
    Mutant(
        name="content-replaced-by-chunk",
        breaks=("CHUNK-APPEND", "chunks"),
        text="replaces a message's content by the chunk that comes",
        behaviour=_content_replaced_by_chunk,
    ),
    Mutant(
        name="omitted-content-as-empty",
        breaks=("PATCH-OMIT",),
        text="reads a message update without content as one with empty content",
        behaviour=_omitted_content_as_empty,
    ),
    Mutant(
        name="omitted-tool-fields-reset",
        breaks=("PATCH-OMIT",),
        text="resets the fields of a tool call that an update omits",
        behaviour=_omitted_tool_fields_reset,
    ),
    Mutant(
        name="omitted-status-as-pending",
        breaks=("PATCH-OMIT",),
        text="reads a tool call's update without a status as pending",
        behaviour=_omitted_status_as_pending,
    ),
    Mutant(
        name="omitted-title-cleared",
        breaks=("PATCH-OMIT",),
        text="forgets the session's title or time when an update omits it",
        behaviour=_omitted_title_cleared,
    ),
    Mutant(
        name="omitted-cost-cleared",
        breaks=("PATCH-OMIT",),
        text="forgets the cost when a usage update omits it",
        behaviour=_omitted_cost_cleared,
    ),
    Mutant(
        name="omitted-summary-cleared",
        breaks=("PATCH-OMIT", "COMPACTION-INIT"),
        text="forgets a compaction's streamed summary when an update omits it",
        behaviour=_omitted_summary_cleared,
    ),
    Mutant(
        name="null-as-omitted",
        breaks=("PATCH-NULL",),
        text="reads null as omitted, so that nothing is ever cleared",
        behaviour=_null_as_omitted,
    ),
    Mutant(
        name="null-kind-as-nothing",
        breaks=("PATCH-NULL",),
        text="holds null for a tool call's kind or status instead of the default",
        behaviour=_null_kind_as_nothing,
    ),
    Mutant(
        name="empty-list-as-omitted",
        breaks=("PATCH-NULL", "PATCH-REPLACE", "absorb"),
        text="keeps the content when an update carries an empty list",
        behaviour=_empty_list_as_omitted,
    ),
    Mutant(
        name="content-appended",
        breaks=("PATCH-REPLACE", "absorb"),
        text="appends the content of a message update to what is held",
        behaviour=_content_appended,
    ),
    Mutant(
        name="tool-content-appended",
        breaks=("PATCH-REPLACE", "absorb", "idempotence"),
        text="appends the content of a tool call's update to what is held",
        behaviour=_tool_content_appended,
    ),
    Mutant(
        name="chunk-meta-patched",
        breaks=("CHUNK-META",),
        text="patches a chunk's _meta onto the message",
        behaviour=_chunk_meta_patched,
    ),
    Mutant(
        name="meta-as-in-the-other-edition",
        breaks=("PATCH-REPLACE",),
        text="merges a message's _meta by key where it is replaced, and the other way round",
        behaviour=_meta_replaced_or_merged,
    ),
    Mutant(
        name="null-participant-forgotten",
        breaks=("SESSION-MESSAGE-IDENTITY",),
        text="forgets a session message's participant when an update carries null (a fault where "
        "null leaves it)",
        behaviour=_null_participant_forgotten,
        applies=_null_leaves_participants,
    ),
    Mutant(
        name="participants-fixed-at-first",
        breaks=("SESSION-MESSAGE-IDENTITY",),
        text="takes no participant that a later update adds to a session message",
        behaviour=_participants_fixed_at_first,
    ),
    Mutant(
        name="compaction-starts-completed",
        breaks=("COMPACTION-INIT",),
        text="starts a compaction that a chunk creates as completed",
        behaviour=_compaction_starts_completed,
    ),
    Mutant(
        name="compaction-chunk-needs-update",
        breaks=("COMPACTION-INIT", "CHUNK-APPEND"),
        text="drops a summary chunk of a compaction that no update has created",
        behaviour=_compaction_chunk_needs_update,
    ),
    Mutant(
        name="compaction-forgets-history",
        breaks=("COMPACTION-INIT", "monotone"),
        text="forgets all messages when a compaction completes",
        behaviour=_compaction_forgets,
    ),
)
