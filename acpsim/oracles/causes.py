"""The table of causes: (where it differs, after what) → the rules broken, and why.

Owns: `CAUSES`. Rows are tried in order, the particular before the general; the headings are those
of prompt-lifecycle. A row's sentence reads on from "… is X, not Y: ". Every rule that binds a
reducer stands in some row (a test holds the table against rules.toml).
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from acpsim.oracles import talk
from acpsim.oracles.case import Case, Cause
from acpsim.wire import updates
from acpsim.wire.cells import Json
from acpsim.wire.edition import EDITIONS, STOP_REASONS

UPDATES: Final = frozenset(updates.VARIANTS)
UPSERTS: Final = UPDATES - talk.CHUNKS - {"notice", "state_update"}
USER: Final = frozenset({"user_message", "user_message_chunk"})
SESSION_MESSAGES: Final = frozenset({"session_message", "session_message_chunk"})
TERMINALS: Final = frozenset({"terminal_update", "terminal_output_chunk"})
TOOLS: Final = frozenset(
    {"tool_call_update", "tool_call_content_chunk", "session/request_permission"}
)
PROMPTS: Final = frozenset({"session/prompt", "session/prompt response", "session/prompt error"})
PERMISSIONS: Final = frozenset(
    {
        "session/request_permission",
        "session/request_permission response",
        "session/request_permission error",
        "$/cancel_request",
    }
)
RESUMES: Final = frozenset({"session/resume", "session/resume response", "session/resume error"})
LISTERS: Final = frozenset(
    f"{method} response" for method in ("session/new", "session/fork", "session/set_config_option")
)

_STATES: Final = frozenset({"running", "idle", "requires_action", "unknown"})
_WORDS: Final = frozenset(
    word for edition in EDITIONS.values() for word in edition.tool_statuses | edition.tool_kinds
)
_CONTENT_TYPES: Final = frozenset(
    {"text", "image", "audio", "resource_link", "resource", "content", "diff", "terminal"}
)


def _unknown_variant(case: Case) -> bool:
    return case.print_ is not None and case.print_.key[0] == "unknown"


def _state(case: Case) -> Json:
    return case.update.get("state")


def _odd_usage(case: Case) -> bool:
    return isinstance(case.update.get("usage"), dict) and any(
        "usage" in flaw.path for flaw in case.events[case.at].flaws
    )


def _odd_stop(case: Case) -> bool:
    reason = case.update.get("stopReason")
    return isinstance(reason, str) and reason not in STOP_REASONS


def _odd_word(case: Case) -> bool:
    """A word or a content type that no edition defines was to be kept."""
    value, field = case.expected, case.field
    if field in ("kind", "status") and isinstance(value, str):
        return value not in _WORDS
    # Below the content: the type itself, or something inside a block that is not understood.
    given = case.update.get(field)
    blocks = given if isinstance(given, list) else [given]
    return field in ("content", "summary") and any(
        isinstance(block, dict) and block.get("type") not in _CONTENT_TYPES for block in blocks
    )


def _refers_to_terminal(case: Case) -> bool:
    given = case.update.get("content")
    items = given if isinstance(given, list) else [given]
    return any(isinstance(item, dict) and item.get("type") == "terminal" for item in items)


def _late(case: Case) -> bool:
    """A cancelled tool call does not take up what the update says."""
    ignored = case.actual is UNSET or case.field == "status" or case.actual is None
    return case.cancelled_since() and ignored and case.update.get(case.field) is not None


def _doubled_or_dropped(case: Case) -> bool:
    return case.answered() and (case.whole or (case.creates and case.expected is UNSET))


def _new_in_timeline(case: Case) -> bool:
    return case.creates and case.expected is not UNSET


def _idle_now(case: Case) -> bool:
    """As far as the reports say, no foreground work is going on."""
    states = [
        event_update.state
        for event in case.events[: case.at]
        if isinstance(event_update := talk.update_of(event), updates.StateUpdate)
        and talk.session_of(event) == case.verdict.session
    ]
    return not states or states[-1] == "idle"


def _says(case: Case) -> Json:
    """What the update says of the field that differs; `UNSET` if nothing."""
    return case.update.get(case.field, UNSET)


ELSEWHERE: Final = (
    Cause(
        rules=("SESSION-MESSAGE-NO-SYNTHESIS",),
        kinds=SESSION_MESSAGES,
        when=lambda case: case.elsewhere,
        text="one session's view of a message creates nothing in another session",
    ),
    Cause(
        rules=("SUBAGENT-MIRROR",),
        kinds=frozenset({"subagent_update"}),
        when=lambda case: case.elsewhere,
        text="a child's state as its parent mirrors it is the roster's, and no report to the child",
    ),
    Cause(
        rules=("SESSION-ISOLATION",),
        when=lambda case: case.elsewhere,
        text="an update touches only the session that it names",
    ),
)

SIDE_EFFECTS: Final = (
    Cause(
        rules=("NOTICE-NO-EFFECT",),
        kinds=frozenset({"notice"}),
        text="a notice is kept as a live remark and changes nothing else",
    ),
    Cause(
        rules=("NOTICE-NO-EFFECT",),
        places=("notices",),
        text="only a notice adds to the notices",
    ),
    Cause(
        rules=("UNKNOWN-PRESERVED",),
        when=_unknown_variant,
        text="an update that is not understood is kept raw and changes nothing else",
    ),
    Cause(
        rules=("UNKNOWN-PRESERVED",),
        places=("unknown",),
        text="only updates that are not understood are kept there",
    ),
)

PROMPT: Final = (
    Cause(
        rules=("PROMPT-NOT-IDLE",),
        kinds=PROMPTS,
        places=("foreground",),
        text="a prompt and its response say nothing of the foreground state",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=PROMPTS,
        places=("prompts.messageId",),
        text="the response's messageId, and nothing else, ties a submission to its message",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=PROMPTS,
        text="the response ties its request to a user message, which only the echo creates",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=frozenset({"lost"}),
        places=("prompts",),
        text="a response that is lost leaves its submission uncertain, whatever was seen of it",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=UPDATES,
        places=("prompts",),
        text="a submission is settled by its response, not by what a message says or when it comes",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=USER,
        places=("timeline", "messages.user_message"),
        when=_doubled_or_dropped,
        text="an echo after the response makes one message, neither two nor none",
    ),
)

STATE: Final = (
    Cause(
        rules=("STATE-UNKNOWN",),
        kinds=frozenset({"lost"}),
        places=("foreground",),
        text="a lost connection leaves the state as last known, unconfirmed",
    ),
    Cause(
        rules=("STATE-UNKNOWN",),
        kinds=frozenset({"state_update"}),
        when=lambda case: _state(case) == "unknown",
        text="unknown keeps the last known state, unconfirmed, and ends and resolves nothing",
    ),
    Cause(
        rules=("UNKNOWN-ENUM-PRESERVED",),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        when=lambda case: _state(case) not in _STATES,
        text="a state that is not understood is kept as it came, unconfirmed, and is not idle",
    ),
    Cause(
        rules=("STATE-UNKNOWN",),
        kinds=frozenset({"state_update"}),
        places=("foreground.confirmed",),
        text="running, requires_action or idle confirms the state again",
    ),
    Cause(
        rules=("STATE-USAGE-TOLERANT",),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        when=_odd_usage,
        text="a malformed usage counts as omitted, and the report stands",
    ),
    Cause(
        rules=("STATE-USAGE-TOLERANT",),
        kinds=frozenset({"state_update"}),
        places=("foreground.usage",),
        text="usage belongs to the idle that carries it",
    ),
    Cause(
        rules=("STATE-CLIENT-IDLE", "UNKNOWN-ENUM-PRESERVED"),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        when=_odd_stop,
        text="idle ends the work whatever its stop reason, which is kept as it came",
    ),
    Cause(
        rules=("STATE-CLIENT-IDLE",),
        kinds=frozenset({"state_update"}),
        places=("foreground.completions",),
        text="each move from another state to idle is one completion, a repeated idle is none",
    ),
    Cause(
        rules=("STATE-CLIENT-IDLE",),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        text="idle ends the work with the outcome that it carries, and another state clears that",
    ),
    Cause(
        rules=("STATE-CLIENT-IDLE",),
        kinds=frozenset({"state_update"}),
        text="a state report is about the foreground state and ends nothing else",
    ),
    Cause(
        rules=("STATE-PERMISSION",),
        kinds=PERMISSIONS,
        places=("foreground",),
        text="neither a permission request nor its answer changes the foreground state",
    ),
    Cause(
        rules=("SUBAGENT-MIRROR",),
        kinds=frozenset({"subagent_update"}),
        places=("foreground", "subagents.*.state"),
        text="a mirrored state is the child's: no work, completion or usage of the parent",
    ),
    Cause(
        rules=("STATE-BACKGROUND",),
        kinds=UPDATES,
        places=("foreground",),
        text="an update that is no state_update never changes the foreground state",
    ),
)

CONNECTION: Final = (
    Cause(
        rules=("CANCEL-MARK-TOOLS",),
        kinds=frozenset({"session/cancel"}),
        text="a cancel marks the unfinished tool calls of the current work and nothing else",
    ),
    Cause(
        rules=("RESUME-UPSERT",),
        kinds=RESUMES | {"lost"},
        text="nothing that is held is reset when a session is resumed or its connection lost",
    ),
    Cause(
        rules=(),
        kinds=PERMISSIONS,
        places=("permissions",),
        text="a request is pending until the client answers it; an error answer withdraws it",
    ),
    Cause(
        rules=(),
        kinds=frozenset({"session/close", "session/close response", "session/close error"}),
        text="a successful close response closes the session, which keeps what it holds",
    ),
    Cause(
        rules=("PATCH-REPLACE",),
        kinds=LISTERS,
        text="a list in a response replaces the list that is held, one that is absent does not",
    ),
)

ENTITY: Final = (
    Cause(
        rules=("ENTITY-KEY",),
        kinds=UPDATES,
        when=lambda case: case.same_id_elsewhere(),
        text="one id under two types names two entities",
    ),
    Cause(
        rules=("COMPACTION-INIT",),
        kinds=frozenset({"compaction_update", "compaction_summary_chunk"}),
        places=("timeline", "compactions"),
        when=lambda case: case.creates and (case.section == "timeline" or case.field != "summary"),
        text="a compaction starts in_progress at its first notification, by update or by chunk",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=TOOLS,
        places=("terminals",),
        text="a tool call that shows a terminal neither creates nor changes it",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=TOOLS,
        places=("toolCalls.*.content",),
        when=_refers_to_terminal,
        text="a reference to a terminal stands, whether the terminal is known or not",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=TERMINALS,
        places=("toolCalls", "timeline"),
        text="a terminal's updates leave the tool calls that show it alone",
    ),
    Cause(
        rules=("CHUNK-APPEND",),
        kinds=talk.CHUNKS,
        places=("timeline",),
        when=_new_in_timeline,
        text="a chunk under an id that is first seen creates the entity",
    ),
    Cause(
        rules=("TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        kinds=UPSERTS,
        places=("timeline",),
        when=lambda case: _new_in_timeline(case) and _idle_now(case),
        text="an update counts also while the session is idle, and its first fixes the place",
    ),
    Cause(
        rules=("TIMELINE-FIRST-SEEN",),
        places=("timeline",),
        text="an entity stands where its first notification put it, and later ones do not move it",
    ),
    Cause(
        rules=("CANCEL-LATE-UPDATES",),
        kinds=TOOLS,
        places=("toolCalls",),
        when=_late,
        text="an update after session/cancel still applies, over the provisional mark",
    ),
)

FIELDS: Final = (
    Cause(
        rules=("PLAN-REPLACE",),
        places=("plans",),
        text="an update replaces that plan whole, a removal removes it, and other plans stay",
    ),
    Cause(
        rules=("TERMINAL-BYTES",),
        places=("terminals.*.output",),
        text="each chunk is decoded alone and its bytes appended; an output replaces all bytes",
    ),
    Cause(
        rules=("SESSION-MESSAGE-IDENTITY",),
        kinds=SESSION_MESSAGES,
        when=lambda case: case.field.endswith(("SessionId", "MessageId")),
        text="the participants of a session message stay as known until the edition's rule",
    ),
    Cause(
        rules=("CHUNK-META",),
        kinds=talk.CHUNKS,
        when=lambda case: case.field == "_meta",
        text="a chunk's _meta is its own and never the entity's",
    ),
    Cause(
        rules=("UNKNOWN-ENUM-PRESERVED",),
        kinds=UPDATES | TOOLS,
        when=_odd_word,
        text="a word or a content that is not understood is kept as it came",
    ),
    Cause(
        rules=("CHUNK-APPEND",),
        kinds=talk.CHUNKS,
        text="a chunk appends its one item to the current content and changes nothing else",
    ),
    Cause(
        rules=("PATCH-NULL",),
        kinds=UPSERTS | TOOLS,
        when=lambda case: _says(case) is None or _says(case) == [],
        text="null clears a value or resets it to its default",
    ),
    Cause(
        rules=("PATCH-OMIT",),
        kinds=UPSERTS | TOOLS,
        when=lambda case: bool(case.field) and _says(case) is UNSET,
        text="a field that is omitted keeps its value, or takes its default on a first-seen id",
    ),
    Cause(
        rules=("PATCH-REPLACE",),
        kinds=UPSERTS | TOOLS,
        text="a concrete value replaces the whole value",
    ),
)

CAUSES: Final = (*ELSEWHERE, *SIDE_EFFECTS, *PROMPT, *STATE, *CONNECTION, *ENTITY, *FIELDS)
