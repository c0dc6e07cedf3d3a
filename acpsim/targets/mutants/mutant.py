"""What a mutant is, and the few ways in which one thing of the reference is exchanged.

Owns: `Mutant` and the helpers that copy the reference's tables with an entry changed. Which things
people get wrong is told by the modules beside this one, by theme.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias

from msgspec import UNSET, structs

from acpsim.reducer import REFERENCE, Behaviour
from acpsim.reducer.entities import Handler
from acpsim.reducer.foreground import Move
from acpsim.reducer.requests import CallHandler, ResultHandler
from acpsim.reducer.snapshot import Section
from acpsim.reducer.state import Message, Prompt, Session
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import methods, updates
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import RequestId

REFERENCE_NAME: Final = "reference"

Change: TypeAlias = Callable[[Session, Any], Any]
"""`(session, update)` → the update to apply instead, or `None` to apply none."""


def _unchanged(reference: Behaviour) -> Behaviour:
    return reference


def _always(edition: Edition) -> bool:
    return True


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """The reference with one seeded fault: one entry of its tables, or how it is fed.

    `breaks` are the rules and the laws that the fault breaks, the first one above all.
    """

    name: str
    breaks: tuple[str, ...]
    text: str
    """What it does wrong, as one sentence without a subject."""
    behaviour: Callable[[Behaviour], Behaviour] = _unchanged
    made_as: type[ReferenceTarget] = ReferenceTarget
    """The class of the target, where the fault is in how events reach the tables."""
    applies: Callable[[Edition], bool] = _always
    """The editions in which it is a fault. In others it does what the reference does."""
    equivalent_to: str = ""
    """Another mutant, or `reference`, that nobody can tell from this one; `why` says why not."""
    why: str = ""

    @property
    def undetectable(self) -> bool:
        """Whether it does what the reference does, wherever anyone can look."""
        return self.equivalent_to == REFERENCE_NAME

    def target(self, edition: Edition) -> ReferenceTarget:
        """The mutant as a target."""
        behaviour = self.behaviour(REFERENCE)
        return self.made_as(edition, behaviour=behaviour, name=f"mutant:{self.name}")


MESSAGES: Final = (
    updates.UserMessage,
    updates.AgentMessage,
    updates.AgentThought,
    updates.SessionMessage,
)
MESSAGE_CHUNKS: Final = (
    updates.UserMessageChunk,
    updates.AgentMessageChunk,
    updates.AgentThoughtChunk,
    updates.SessionMessageChunk,
)
KIND_OF: Final[dict[type, str]] = {
    updates.UserMessage: "user_message",
    updates.UserMessageChunk: "user_message",
    updates.AgentMessage: "agent_message",
    updates.AgentMessageChunk: "agent_message",
    updates.AgentThought: "agent_thought",
    updates.AgentThoughtChunk: "agent_thought",
    updates.SessionMessage: "session_message",
    updates.SessionMessageChunk: "session_message",
}
"""The type of entity that an update of a message is about."""
UPSERTS: Final = (
    *MESSAGES,
    updates.ToolCallUpdate,
    updates.TerminalUpdate,
    updates.CompactionUpdate,
    updates.SubagentUpdate,
    updates.SessionInfoUpdate,
)


def with_handlers(reference: Behaviour, changes: dict[type, Handler]) -> Behaviour:
    """Other handlers for some updates."""
    return dataclasses.replace(reference, handlers={**reference.handlers, **changes})


def with_moves(reference: Behaviour, changes: dict[str, Move]) -> Behaviour:
    """Other moves of the foreground state."""
    return dataclasses.replace(reference, transitions={**reference.transitions, **changes})


def with_calls(reference: Behaviour, changes: dict[type, CallHandler]) -> Behaviour:
    """Other handlers for some requests or notifications."""
    return dataclasses.replace(reference, calls={**reference.calls, **changes})


def with_results(reference: Behaviour, changes: dict[type, ResultHandler]) -> Behaviour:
    """Other handlers for the answers to some requests."""
    return dataclasses.replace(reference, results={**reference.results, **changes})


def with_section(reference: Behaviour, name: str, section: Section) -> Behaviour:
    """Another builder for one section of the snapshot."""
    return dataclasses.replace(reference, sections={**reference.sections, name: section})


def altering(reference: Behaviour, variants: Iterable[type], change: Change) -> Behaviour:
    """The honest handlers of these updates, given another update than came."""

    def altered(honest: Handler) -> Handler:
        def handle(session: Session, update: Any, raw: bytes) -> str | None:
            other = change(session, update)
            return None if other is None else honest(session, other, raw)

        return handle

    return with_handlers(
        reference, {variant: altered(reference.handlers[variant]) for variant in variants}
    )


def then(
    reference: Behaviour, variants: Iterable[type], more: Callable[[Session, Any], None]
) -> Behaviour:
    """The honest handlers of these updates, and something more after each."""

    def extended(honest: Handler) -> Handler:
        def handle(session: Session, update: Any, raw: bytes) -> str | None:
            remark = honest(session, update, raw)
            more(session, update)
            return remark

        return handle

    return with_handlers(
        reference, {variant: extended(reference.handlers[variant]) for variant in variants}
    )


def filled(update: Any, **values: object) -> Any:
    """The update with these fields where it omits them."""
    omitted = {name: value for name, value in values.items() if getattr(update, name) is UNSET}
    return structs.replace(update, **omitted) if omitted else update


def messages_of(session: Session, kind: str) -> Mapping[str, Message]:
    """The messages of one type that a session holds."""
    return session.session_messages if kind == "session_message" else session.messages[kind]


def held_message(session: Session, update: Any) -> Message | None:
    """The message that an update of a message is about, or `None` if it is new."""
    return messages_of(session, KIND_OF[type(update)]).get(update.message_id)


def answering(
    reference: Behaviour,
    more: Callable[[Session, RequestId, methods.Outcome], None],
    request: type = methods.PromptRequest,
) -> Behaviour:
    """The honest handler of the answers to a request, and something more after it."""
    honest = reference.results[request]

    def answered(session: Session, number: RequestId, outcome: methods.Outcome) -> None:
        honest(session, number, outcome)
        more(session, number, outcome)

    return with_results(reference, {request: answered})


def report(reference: Behaviour, session: Session, state: str) -> None:
    """Moves the foreground state as if the agent had reported this one."""
    reference.transitions[state](session, updates.StateUpdate(state=state))


def settle_pending(session: Session, status: str) -> None:
    """Gives every pending submission this status."""
    session.prompts = [
        Prompt(held.request, status) if held.status == "pending" else held
        for held in session.prompts
    ]
