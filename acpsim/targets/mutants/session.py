"""Mutants that misread what belongs to the session: plans, lists, notices, unknown updates, roster.

Themes: plans, commands, options, "Session Notices", custom variants, child sessions. One function a
mutant; `OF_SESSION` names them.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import UNSET, structs

from acpsim.reducer import Behaviour
from acpsim.reducer.state import IDLE, Session
from acpsim.targets.mutants.mutant import (
    MESSAGE_CHUNKS,
    MESSAGES,
    Mutant,
    altering,
    filled,
    then,
    with_handlers,
    with_results,
)
from acpsim.wire import methods, updates
from acpsim.wire.cells import JsonObject, cell_field
from acpsim.wire.jsonrpc import RequestId

_BLOCK_TYPES: Final = frozenset({"text", "image", "audio", "resource_link", "resource"})


# --- plans and lists -----------------------------------------------------------------------------


def _plan_merged(reference: Behaviour) -> Behaviour:
    """Keeps the entries of the old plan that the new one does not have."""

    def merged(session: Session, update: updates.PlanUpdate) -> updates.PlanUpdate:
        old = session.plans.get(cell_field(update.plan, "planId"))
        if old is None:
            return update
        before, now = _as_json(old), _as_json(update.plan)
        entries = now.get("entries")
        if isinstance(entries, list):
            known = {entry.get("content") for entry in entries}
            kept = [entry for entry in before.get("entries") or [] if entry["content"] not in known]
            now["entries"] = kept + entries
        return structs.replace(update, plan={**before, **now})

    return altering(reference, (updates.PlanUpdate,), merged)


def _as_json(cell: Any) -> JsonObject:
    copy: JsonObject = msgspec.json.decode(msgspec.json.encode(cell))
    return copy


def _one_plan(reference: Behaviour) -> Behaviour:
    def alone(session: Session, update: updates.PlanUpdate) -> updates.PlanUpdate:
        session.plans = {}
        return update

    return altering(reference, (updates.PlanUpdate,), alone)


def _removal_ignored(reference: Behaviour) -> Behaviour:
    return altering(reference, (updates.PlanRemoved,), lambda session, update: None)


def _removal_clears_all(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, update: Any) -> None:
        session.plans = {}

    return then(reference, (updates.PlanRemoved,), cleared)


def _commands_appended(reference: Behaviour) -> Behaviour:
    def appended(session: Session, update: updates.AvailableCommandsUpdate) -> Any:
        commands: Any = [*session.commands, *update.available_commands]
        return structs.replace(update, available_commands=commands)

    return altering(reference, (updates.AvailableCommandsUpdate,), appended)


def _options_merged(reference: Behaviour) -> Behaviour:
    def merged(session: Session, update: updates.ConfigOptionUpdate) -> Any:
        given = {cell_field(option, "configId") for option in update.config_options}
        kept = [
            option
            for option in session.config_options
            if cell_field(option, "configId") not in given
        ]
        options: Any = [*kept, *update.config_options]
        return structs.replace(update, config_options=options)

    return altering(reference, (updates.ConfigOptionUpdate,), merged)


def _response_options_ignored(reference: Behaviour) -> Behaviour:
    def ignored(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        """Looks at nothing but whether there was an answer."""

    return with_results(
        reference,
        {methods.SetConfigOptionRequest: ignored, methods.NewSessionRequest: ignored},
    )


def _absent_options_clear(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, request: RequestId, outcome: methods.Outcome) -> None:
        reference.results[methods.NewSessionRequest](session, request, outcome)
        if isinstance(outcome, methods.SessionResult) and outcome.config_options is UNSET:
            session.config_options = []

    return with_results(reference, {methods.NewSessionRequest: cleared})


# --- notices and what is not understood ----------------------------------------------------------


def _notice_as_history(reference: Behaviour) -> Behaviour:
    def entered(session: Session, update: updates.Notice) -> None:
        session.timeline.append(("notice", update.title))

    return then(reference, (updates.Notice,), entered)


def _equal_notices_joined(reference: Behaviour) -> Behaviour:
    def unless_known(session: Session, update: updates.Notice) -> updates.Notice | None:
        known = {notice.get("title") for notice in session.notices}
        return None if update.title in known else update

    return altering(reference, (updates.Notice,), unless_known)


def _unknown_dropped(reference: Behaviour) -> Behaviour:
    return altering(reference, (updates.UnknownUpdate,), lambda session, update: None)


def _unknown_raises(reference: Behaviour) -> Behaviour:
    def handle(session: Session, update: updates.UnknownUpdate, raw: bytes) -> None:
        raise ValueError(f"no such update: {update.variant}")

    return with_handlers(reference, {updates.UnknownUpdate: handle})


def _unknown_latest_only(reference: Behaviour) -> Behaviour:
    def latest(session: Session, update: updates.UnknownUpdate) -> updates.UnknownUpdate:
        session.unknown = [
            held for held in session.unknown if held["sessionUpdate"] != update.variant
        ]
        return update

    return altering(reference, (updates.UnknownUpdate,), latest)


def _unknown_touches_message(reference: Behaviour) -> Behaviour:
    def touched(session: Session, update: updates.UnknownUpdate) -> None:
        key = update.payload.get("messageId")
        if isinstance(key, str):
            message = updates.AgentMessage(message_id=key)
            reference.handlers[updates.AgentMessage](session, message, b"")

    return then(reference, (updates.UnknownUpdate,), touched)


def _unknown_content_dropped(reference: Behaviour) -> Behaviour:
    def known(session: Session, update: Any) -> Any:
        content = update.content
        if isinstance(content, list):
            return structs.replace(update, content=[b for b in content if _is_known(b)])
        return update if content is UNSET or content is None or _is_known(content) else None

    return altering(reference, (*MESSAGES, *MESSAGE_CHUNKS), known)


def _is_known(block: Any) -> bool:
    return cell_field(block, "type") in _BLOCK_TYPES


# --- child sessions ------------------------------------------------------------------------------


def _child_forgotten(reference: Behaviour) -> Behaviour:
    def forgotten(session: Session, update: updates.SubagentUpdate) -> None:
        if update.state and cell_field(update.state, "state") == IDLE:
            del session.subagents[update.session_id]

    return then(reference, (updates.SubagentUpdate,), forgotten)


def _child_omitted_cleared(reference: Behaviour) -> Behaviour:
    def cleared(session: Session, update: updates.SubagentUpdate) -> updates.SubagentUpdate:
        other: updates.SubagentUpdate = filled(update, title=None, description=None, state=None)
        return other

    return altering(reference, (updates.SubagentUpdate,), cleared)


OF_SESSION: Final = (
    Mutant(
        name="plan-merged",
        breaks=("PLAN-REPLACE",),
        text="merges a plan update into the old plan",
        behaviour=_plan_merged,
    ),
    Mutant(
        name="plans-replaced-by-one",
        breaks=("PLAN-REPLACE", "independence", "monotone"),
        text="holds one plan only, the last that was reported",
        behaviour=_one_plan,
    ),
    Mutant(
        name="plan-removal-ignored",
        breaks=("PLAN-REPLACE",),
        text="goes on showing a plan that was removed",
        behaviour=_removal_ignored,
    ),
    Mutant(
        name="plan-removal-clears-all",
        breaks=("PLAN-REPLACE", "independence", "monotone"),
        text="removes all plans when one is removed",
        behaviour=_removal_clears_all,
    ),
    Mutant(
        name="commands-appended",
        breaks=("PATCH-REPLACE", "idempotence"),
        text="appends a list of commands to the last one",
        behaviour=_commands_appended,
    ),
    Mutant(
        name="options-merged",
        breaks=("PATCH-REPLACE",),
        text="keeps the options that a new list does not have",
        behaviour=_options_merged,
    ),
    Mutant(
        name="response-options-ignored",
        breaks=("PATCH-REPLACE",),
        text="looks for options in updates only, not in responses",
        behaviour=_response_options_ignored,
    ),
    Mutant(
        name="absent-options-clear",
        breaks=("PATCH-OMIT",),
        text="clears the options when the response of session/new has none",
        behaviour=_absent_options_clear,
    ),
    Mutant(
        name="notice-as-history",
        breaks=("NOTICE-NO-EFFECT", "neutrality"),
        text="enters notices in the timeline",
        behaviour=_notice_as_history,
    ),
    Mutant(
        name="equal-notices-joined",
        breaks=("NOTICE-NO-EFFECT", "text-blind"),
        text="shows notices with equal titles once",
        behaviour=_equal_notices_joined,
    ),
    Mutant(
        name="unknown-dropped",
        breaks=("UNKNOWN-PRESERVED",),
        text="drops updates of a variant that it does not know",
        behaviour=_unknown_dropped,
    ),
    Mutant(
        name="unknown-raises",
        breaks=("UNKNOWN-PRESERVED", "never-raise"),
        text="raises on an update of a variant that it does not know",
        behaviour=_unknown_raises,
    ),
    Mutant(
        name="unknown-latest-only",
        breaks=("UNKNOWN-PRESERVED",),
        text="keeps only the last update of each variant that it does not know",
        behaviour=_unknown_latest_only,
    ),
    Mutant(
        name="unknown-touches-message",
        breaks=("UNKNOWN-PRESERVED", "neutrality"),
        text="creates the message that an unknown update names",
        behaviour=_unknown_touches_message,
    ),
    Mutant(
        name="unknown-content-dropped",
        breaks=("UNKNOWN-ENUM-PRESERVED",),
        text="drops content blocks of a type that it does not know",
        behaviour=_unknown_content_dropped,
    ),
    Mutant(
        name="child-forgotten-when-idle",
        breaks=("SUBAGENT-MIRROR", "monotone"),
        text="takes a child session off the roster when it is idle",
        behaviour=_child_forgotten,
    ),
    Mutant(
        name="child-omitted-cleared",
        breaks=("PATCH-OMIT",),
        text="clears what an update of the roster omits",
        behaviour=_child_omitted_cleared,
    ),
)
