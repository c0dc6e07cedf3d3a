"""Mutants that take one entity for another, or put it in the wrong place.

Themes: keys of type and ID ("Entity IDs"), and the timeline in first-seen order. One function a
mutant; `OF_IDENTITY` names them.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import structs

from acpsim.reducer import Behaviour
from acpsim.reducer.entities import Handler
from acpsim.reducer.state import Session
from acpsim.targets.mutants.mutant import (
    KIND_OF,
    MESSAGE_CHUNKS,
    MESSAGES,
    Mutant,
    altering,
    held_message,
    messages_of,
    then,
    with_handlers,
    with_section,
)
from acpsim.wire import updates
from acpsim.wire.cells import cell_field
from acpsim.wire.edition import TERMINAL_STATUSES


def _sharing_one_key(reference: Behaviour, *kinds: tuple[type, type]) -> Behaviour:
    """Messages of several types under one table: the type that came first has the ID."""

    def shared(at: int, honest: Handler) -> Handler:
        def handle(session: Session, update: Any, raw: bytes) -> str | None:
            for pair in kinds:
                if update.message_id in messages_of(session, KIND_OF[pair[at]]):
                    return reference.handlers[pair[at]](session, update, raw)
            return honest(session, update, raw)

        return handle

    return with_handlers(
        reference,
        {pair[at]: shared(at, reference.handlers[pair[at]]) for pair in kinds for at in (0, 1)},
    )


def _thought_reply_merged(reference: Behaviour) -> Behaviour:
    return _sharing_one_key(
        reference,
        (updates.AgentMessage, updates.AgentMessageChunk),
        (updates.AgentThought, updates.AgentThoughtChunk),
    )


def _user_reply_merged(reference: Behaviour) -> Behaviour:
    return _sharing_one_key(
        reference,
        (updates.UserMessage, updates.UserMessageChunk),
        (updates.AgentMessage, updates.AgentMessageChunk),
    )


def _terminal_hidden_by_tool_call(reference: Behaviour) -> Behaviour:
    def unless_taken(session: Session, update: Any) -> Any:
        return None if update.terminal_id in session.tool_calls else update

    variants = (updates.TerminalUpdate, updates.TerminalOutputChunk)
    return altering(reference, variants, unless_taken)


def _ids_without_case(reference: Behaviour) -> Behaviour:
    def folded(session: Session, update: Any) -> Any:
        return structs.replace(update, message_id=update.message_id.lower())

    return altering(reference, (*MESSAGES, *MESSAGE_CHUNKS), folded)


def _consecutive_joined(reference: Behaviour) -> Behaviour:
    """Joins what the same sender says in a row, as if the ID were not there."""

    def joined(session: Session, update: Any) -> Any:
        kind = KIND_OF[type(update)]
        if not session.timeline or held_message(session, update) is not None:
            return update
        last_kind, last_key = session.timeline[-1]
        return structs.replace(update, message_id=last_key) if last_kind == kind else update

    return altering(reference, MESSAGE_CHUNKS, joined)


def _number_like_first(reference: Behaviour) -> Behaviour:
    """The order of an object's keys in JavaScript: integers first, ascending."""

    def ordered(session: Session) -> list[tuple[str, str]]:
        numbers = [entry for entry in session.timeline if entry[1].isdecimal()]
        others = [entry for entry in session.timeline if not entry[1].isdecimal()]
        return sorted(numbers, key=lambda entry: int(entry[1])) + others

    return with_section(reference, "timeline", ordered)


def _to_the_end(session: Session, kind: str, key: str) -> None:
    session.timeline.remove((kind, key))
    session.timeline.append((kind, key))


def _moved_by_update(reference: Behaviour) -> Behaviour:
    def moved(session: Session, update: Any) -> None:
        _to_the_end(session, KIND_OF[type(update)], update.message_id)

    return then(reference, MESSAGES, moved)


def _moved_by_chunk(reference: Behaviour) -> Behaviour:
    def moved(session: Session, update: Any) -> None:
        _to_the_end(session, KIND_OF[type(update)], update.message_id)

    return then(reference, MESSAGE_CHUNKS, moved)


def _tool_placed_when_finished(reference: Behaviour) -> Behaviour:
    def moved(session: Session, update: updates.ToolCallUpdate) -> None:
        if session.tool_calls[update.tool_call_id].status in TERMINAL_STATUSES:
            _to_the_end(session, "tool_call", update.tool_call_id)

    return then(reference, (updates.ToolCallUpdate,), moved)


def _compaction_not_placed(reference: Behaviour) -> Behaviour:
    def without(session: Session) -> list[tuple[str, str]]:
        return [entry for entry in session.timeline if entry[0] != "compaction"]

    return with_section(reference, "timeline", without)


def _equal_text_hidden(reference: Behaviour) -> Behaviour:
    """Takes a message that says what another has said for a replay of it."""

    def unless_known(session: Session, update: Any) -> Any:
        table = messages_of(session, KIND_OF[type(update)])
        if update.message_id in table or not isinstance(update.content, list):
            return update
        if update.content and any(held.content == update.content for held in table.values()):
            return None
        return update

    return altering(reference, MESSAGES, unless_known)


def _repeated_chunk_dropped(reference: Behaviour) -> Behaviour:
    def unless_repeated(session: Session, update: Any) -> Any:
        held = held_message(session, update)
        repeated = held is not None and held.content and held.content[-1] == update.content
        return None if repeated else update

    return altering(reference, MESSAGE_CHUNKS, unless_repeated)


def _empty_text_dropped(reference: Behaviour) -> Behaviour:
    def unless_empty(session: Session, update: Any) -> Any:
        return None if cell_field(update.content, "text") == "" else update

    return altering(reference, MESSAGE_CHUNKS, unless_empty)


OF_IDENTITY: Final = (
    Mutant(
        name="thought-reply-merged",
        breaks=("ENTITY-KEY", "independence", "name-blind"),
        text="merges a thought and a reply that have one messageId",
        behaviour=_thought_reply_merged,
    ),
    Mutant(
        name="user-reply-merged",
        breaks=("ENTITY-KEY", "independence", "name-blind"),
        text="merges a user message and a reply that have one messageId",
        behaviour=_user_reply_merged,
    ),
    Mutant(
        name="terminal-hidden-by-tool-call",
        breaks=("ENTITY-KEY", "name-blind"),
        text="drops a terminal whose ID is a tool call's too",
        behaviour=_terminal_hidden_by_tool_call,
    ),
    Mutant(
        name="ids-without-case",
        breaks=("ENTITY-KEY", "name-blind"),
        text="takes messageIds that differ in case for one",
        behaviour=_ids_without_case,
    ),
    Mutant(
        name="consecutive-messages-joined",
        breaks=("ENTITY-KEY", "CHUNK-APPEND"),
        text="joins the chunks of two messages of one type that follow each other",
        behaviour=_consecutive_joined,
    ),
    Mutant(
        name="number-like-ids-first",
        breaks=("TIMELINE-FIRST-SEEN", "name-blind"),
        text="lists entities whose IDs look like integers first, as an object's keys are",
        behaviour=_number_like_first,
    ),
    Mutant(
        name="timeline-moved-by-update",
        breaks=("TIMELINE-FIRST-SEEN", "replay"),
        text="moves a message to the end of the timeline whenever it is updated",
        behaviour=_moved_by_update,
    ),
    Mutant(
        name="timeline-moved-by-chunk",
        breaks=("TIMELINE-FIRST-SEEN",),
        text="moves a message to the end of the timeline whenever a chunk comes",
        behaviour=_moved_by_chunk,
    ),
    Mutant(
        name="tool-placed-when-finished",
        breaks=("TIMELINE-FIRST-SEEN",),
        text="places a tool call where it finished instead of where it was first seen",
        behaviour=_tool_placed_when_finished,
    ),
    Mutant(
        name="compaction-not-placed",
        breaks=("TIMELINE-FIRST-SEEN", "COMPACTION-INIT"),
        text="gives a compaction no place in the timeline",
        behaviour=_compaction_not_placed,
    ),
    Mutant(
        name="equal-text-hidden",
        breaks=("PROMPT-NO-INFERENCE", "RESUME-UPSERT", "text-blind"),
        text="hides a new message that says the same as a held one, as if it were a replay",
        behaviour=_equal_text_hidden,
    ),
    Mutant(
        name="repeated-chunk-dropped",
        breaks=("CHUNK-APPEND", "text-blind", "chunks"),
        text="drops a chunk that is equal to the one before it",
        behaviour=_repeated_chunk_dropped,
    ),
    Mutant(
        name="empty-chunk-dropped",
        breaks=("CHUNK-APPEND", "text-blind", "chunks"),
        text="drops a chunk without text",
        behaviour=_empty_text_dropped,
    ),
)
