"""The table of causes: (where it differs, after what) → the rules broken, and why.

Owns: `CAUSES`. Rows are tried in order, the particular before the general; the headings are those
of prompt-lifecycle. A row's sentence reads on from "… is X, not Y: ". Every rule that binds a
reducer stands in some row (a test holds the table against rules.toml).
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from acpsim.oracles import asks, talk
from acpsim.oracles.case import Cause
from acpsim.wire import updates

UPDATES: Final = frozenset(updates.VARIANTS)
COMPACTIONS: Final = frozenset({"compaction_update", "compaction_summary_chunk"})
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

ELSEWHERE: Final = (
    Cause(
        rules=("RPC-UNKNOWN-SESSION",),
        places=("$",),
        text="a session exists from the first message that names it, and not before",
    ),
    Cause(
        rules=("SESSION-MESSAGE-NO-SYNTHESIS",),
        kinds=SESSION_MESSAGES,
        when=lambda case: case.elsewhere and not case.verdict.misrouted,
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
        when=asks.unknown_variant,
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
        rules=("STATE-BACKGROUND",),
        kinds=frozenset({"session/prompt"}),
        places=("foreground",),
        text="sending a prompt starts no work; the agent reports when work starts",
    ),
    Cause(
        rules=("PROMPT-NOT-IDLE",),
        kinds=PROMPTS,
        places=("foreground",),
        text="a prompt's response says nothing of the foreground state",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=PROMPTS,
        places=("prompts",),
        when=lambda case: case.place == "prompts.messageId" or case.expected == "uncertain",
        text="the response's messageId, and nothing else, ties a submission to its message",
    ),
    Cause(
        rules=("RPC-RESPONSE-MATCH",),
        kinds=PROMPTS,
        places=("prompts.request",),
        text='a request is known by its id, and 1 and "1" are two ids',
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
        places=("prompts",),
        text="a submission is settled by its response, not by what a message says or when it comes",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=USER,
        places=("timeline", "messages.user_message"),
        when=asks.doubled_or_dropped,
        text="an echo after the response makes one message, neither two nor none",
    ),
)

STATE: Final = (
    Cause(
        rules=("STATE-UNKNOWN",),
        kinds=frozenset({"lost"}),
        places=("foreground.confirmed",),
        text="a lost connection leaves the state as last known, unconfirmed",
    ),
    Cause(
        rules=("STATE-BACKGROUND",),
        kinds=frozenset({"lost"}),
        places=("foreground",),
        text="a lost connection reports nothing: it ends no work and starts none",
    ),
    Cause(
        rules=("STATE-UNKNOWN",),
        kinds=frozenset({"state_update"}),
        when=lambda case: asks.state(case) == "unknown",
        text="unknown keeps the last known state, unconfirmed, and ends and resolves nothing",
    ),
    Cause(
        rules=("UNKNOWN-ENUM-PRESERVED",),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        when=lambda case: asks.state(case) not in asks.STATES,
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
        when=asks.odd_usage,
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
        when=asks.odd_stop,
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
        rules=("SUBAGENT-MIRROR",),
        kinds=frozenset({"subagent_update"}),
        places=("subagents",),
        when=lambda case: case.whole,
        text="the roster keeps a child that was announced, whatever state is mirrored",
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
        rules=("CANCEL-PERMISSIONS",),
        kinds=frozenset({"session/cancel"}),
        places=("permissions",),
        text="cancelling answers no permission request; the client still has to",
    ),
    Cause(
        rules=("RPC-CANCEL-ANSWER",),
        kinds=frozenset({"$/cancel_request"}),
        places=("permissions",),
        text="a request that is asked to be cancelled is pending until it is answered",
    ),
    Cause(
        rules=("PERMISSION-OUTCOME",),
        places=("permissions",),
        text="a request is pending until the client answers it, and an error answer withdraws it",
    ),
    Cause(
        rules=("STATE-BACKGROUND",),
        kinds=frozenset({"session/cancel"}),
        places=("foreground",),
        text="cancelling ends no work by itself; the agent reports idle when it has",
    ),
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
        rules=("RESUME-UPSERT",),
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
        rules=("RESUME-UPSERT",),
        kinds=UPDATES,
        when=lambda case: asks.ignored(case) and case.reopened(),
        text="what comes while a session is resumed, or closed, is applied like any other",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=TOOLS,
        places=("terminals", "toolCalls.*.content"),
        when=asks.refers_to_terminal,
        text="a reference to a terminal stands by itself and neither creates nor changes one",
    ),
    Cause(
        rules=("ENTITY-KEY",),
        kinds=UPDATES,
        when=lambda case: case.same_id_elsewhere(),
        text="one id under two types names two entities",
    ),
    Cause(
        rules=("ENTITY-KEY",),
        kinds=UPDATES,
        when=asks.other_name,
        text="an id is an opaque string, and stands as it came",
    ),
    Cause(
        rules=("COMPACTION-INIT",),
        kinds=COMPACTIONS,
        when=asks.changes_another,
        text="a compaction is one more entity, and the history before it is kept",
    ),
    Cause(
        rules=("COMPACTION-INIT",),
        kinds=COMPACTIONS,
        places=("timeline", "compactions"),
        when=lambda case: case.creates and (case.section == "timeline" or case.field != "summary"),
        text="a compaction starts in_progress at its first notification, by update or by chunk",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=TERMINALS,
        places=("terminals",),
        when=lambda case: case.whole and case.actual is UNSET,
        text="a terminal's own updates create it, whether a tool call shows it or not",
    ),
    Cause(
        rules=("TERMINAL-BYTES",),
        kinds=TERMINALS,
        places=("terminals",),
        when=lambda case: case.whole,
        text="a chunk whose data is no base64 is unusable and creates nothing",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=TERMINALS,
        places=("toolCalls", "timeline"),
        text="a terminal's updates leave the tool calls that show it alone",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=USER,
        places=("timeline",),
        when=lambda case: asks.new_in_timeline(case) and asks.told_before(case),
        text="two user messages with equal content are two, whatever their text says",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=USER,
        places=("timeline",),
        when=lambda case: asks.new_in_timeline(case) and asks.prompted(case),
        text="a user message is reported by its updates alone, at any time and for any client",
    ),
    Cause(
        rules=("CHUNK-APPEND",),
        kinds=talk.CHUNKS,
        places=("timeline",),
        when=asks.new_in_timeline,
        text="a chunk under an id that is first seen creates the entity",
    ),
    Cause(
        rules=("TIMELINE-FIRST-SEEN",),
        kinds=frozenset({"session/request_permission"}),
        places=("timeline",),
        when=asks.new_in_timeline,
        text="the tool call in a permission request is an update, and may be its first",
    ),
    Cause(
        rules=("TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        kinds=UPSERTS,
        places=("timeline",),
        when=lambda case: asks.new_in_timeline(case) and asks.idle_now(case),
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
        when=asks.late,
        text="an update after session/cancel still applies, over the provisional mark",
    ),
)

FIELDS: Final = (
    Cause(
        rules=("PATCH-REPLACE",),
        places=("commands", "configOptions"),
        text="each list replaces the one before it",
    ),
    Cause(
        rules=("PATCH-OMIT", "TERMINAL-BYTES"),
        kinds=frozenset({"terminal_update"}),
        places=("terminals.*.output",),
        when=lambda case: "output" not in case.update,
        text="an update without output leaves the bytes alone",
    ),
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
        when=asks.odd_word,
        text="a word or a content that is not understood is kept as it came",
    ),
    Cause(
        rules=("ENTITY-KEY",),
        kinds=UPDATES,
        when=asks.changes_another,
        text="an update changes the entity that it names and no other",
    ),
    Cause(
        rules=("CHUNK-APPEND",),
        kinds=talk.CHUNKS,
        text="a chunk appends its one item to the current content and changes nothing else",
    ),
    Cause(
        rules=("PATCH-NULL",),
        kinds=UPSERTS | TOOLS,
        when=lambda case: asks.says(case) is None or asks.says(case) == [],
        text="null clears a value or resets it to its default",
    ),
    Cause(
        rules=("PATCH-OMIT",),
        kinds=UPSERTS | TOOLS,
        when=lambda case: bool(case.field) and asks.says(case) is UNSET,
        text="a field that is omitted keeps its value, or takes its default on a first-seen id",
    ),
    Cause(
        rules=("PATCH-REPLACE",),
        kinds=UPSERTS | TOOLS,
        text="a concrete value replaces the whole value",
    ),
)

CAUSES: Final = (*ELSEWHERE, *SIDE_EFFECTS, *PROMPT, *STATE, *CONNECTION, *ENTITY, *FIELDS)
