"""The readings of the draft, and every difference between them as a named field.

Owns: `Edition` and `EDITIONS`. Nothing outside this file compares an edition's *name*; code asks
for the one difference it cares about, so that a third reading is one more row here.
The rows cite the numbers of the comparison that the project keeps of the two readings.
"""

from __future__ import annotations

import dataclasses
from typing import Final

_STATUSES: Final = frozenset({"pending", "in_progress", "completed", "failed", "cancelled"})
_KINDS: Final = frozenset(
    {"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"}
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """One reading of the draft. Two editions with equal fields are the same edition."""

    name: str
    """What `--edition` takes and what a trace's header says; for people, never compared."""

    meta_patches_by_key: bool
    """Row 1: a concrete `_meta` on an upsert patches the stored object by top-level key."""
    identities_cleared_by_null: bool
    """Row 2: `null` clears a session message's sender and recipient instead of leaving them."""
    chunks_carry_identities: bool
    """Row 3: `session_message_chunk` may name the participants."""
    message_cross_references: bool
    """Row 4: session messages have `senderMessageId` and `recipientMessageId`."""
    cancel_spares_background: bool
    """Row 5: a cancel leaves tool calls and permissions of listed background work alone."""
    outcome_cancelled_needs_cancel: bool
    """Row 6: a client answers `cancelled` only after it cancelled something."""
    stop_cancelled_needs_cancel: bool
    """Row 8: an idle with `cancelled` follows a cancel or a close."""
    work_may_start_blocked: bool
    """Row 9: `requires_action` may be the first state of new work."""
    reports_background: bool
    """Row 11: `state_update.background` exists, a full list or not reported."""
    held_prompts_keep_order: bool
    """Row 13: held prompts are inserted in the order in which they were received."""
    resume_reports_state: bool
    """Row 16: a current `state_update` comes before the `session/resume` response."""
    close_ends_work_first: bool
    """Row 18: active work ends in idle `cancelled` before the successful close response."""
    close_silences: bool
    """Row 18: after the close response nothing but prompt responses for that session."""
    not_found_closes: bool
    """Row 19: error -32002 to `session/close` counts as closed."""
    tool_statuses: frozenset[str]
    """Row 20: the standard tool-call statuses."""
    tool_kinds: frozenset[str]
    """Row 21: the standard tool kinds."""
    currency_is_iso_4217: bool
    """Row 22: a cost's currency is an ISO 4217 code and no other unit."""
    error_beside_custom_stop: bool
    """Row 23: `error` beside a custom stop reason is that reason's payload, not misplaced."""
    prompt_may_be_empty: bool
    """Row 26: the edition does not forbid a prompt without blocks."""
    children_announced_first: bool
    """Row 27: `subagent_update` precedes every message that bears the child's id."""
    extras: bool
    """Section 2: `capabilities` on tool calls and terminals, `size` on terminals,
    `availableCommands` in the responses of `session/new` and `session/resume`."""
    commands_are_typed: bool
    """Section 2: a command's `type` is required."""


DRAFT: Final = Edition(
    name="draft",
    meta_patches_by_key=False,
    identities_cleared_by_null=False,
    chunks_carry_identities=True,
    message_cross_references=False,
    cancel_spares_background=False,
    outcome_cancelled_needs_cancel=True,
    stop_cancelled_needs_cancel=True,
    work_may_start_blocked=False,
    reports_background=False,
    held_prompts_keep_order=False,
    resume_reports_state=False,
    close_ends_work_first=False,
    close_silences=False,
    not_found_closes=False,
    tool_statuses=_STATUSES,
    tool_kinds=_KINDS,
    currency_is_iso_4217=True,
    error_beside_custom_stop=False,
    prompt_may_be_empty=True,
    children_announced_first=True,
    extras=False,
    commands_are_typed=False,
)

SDK_2_4: Final = Edition(
    name="sdk-2.4",
    meta_patches_by_key=True,
    identities_cleared_by_null=True,
    chunks_carry_identities=False,
    message_cross_references=True,
    cancel_spares_background=True,
    outcome_cancelled_needs_cancel=False,
    stop_cancelled_needs_cancel=False,
    work_may_start_blocked=True,
    reports_background=True,
    held_prompts_keep_order=True,
    resume_reports_state=True,
    close_ends_work_first=True,
    close_silences=True,
    not_found_closes=True,
    tool_statuses=_STATUSES | {"paused"},
    tool_kinds=_KINDS | {"switch_mode"},
    currency_is_iso_4217=False,
    error_beside_custom_stop=True,
    prompt_may_be_empty=False,
    children_announced_first=True,
    extras=True,
    commands_are_typed=True,
)

EDITIONS: Final[dict[str, Edition]] = {edition.name: edition for edition in (DRAFT, SDK_2_4)}

TERMINAL_STATUSES: Final = frozenset({"completed", "failed", "cancelled"})
"""The statuses after which a tool call or a compaction has ended ("terminal status")."""

STOP_REASONS: Final = frozenset(
    {"end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"}
)
"""The standard stop reasons, in both editions ("Stop Reasons")."""
