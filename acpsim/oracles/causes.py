"""The table of causes: (where it differs, after what) → the rules broken, and why.

Owns: `CAUSES`, and the rows about what is no entity: sessions, prompts, the foreground state, the
connection. Rows are tried in order, the particular before the general; the headings are those of
prompt-lifecycle. A row's sentence reads on from "… is X, not Y: ". Every rule that binds a reducer
stands in some row (a test holds the table against rules.toml).
"""

from __future__ import annotations

from typing import Final

from acpsim.oracles import asks, kinds
from acpsim.oracles.case import Cause
from acpsim.oracles.entity_causes import ENTITY, FIELDS

ELSEWHERE: Final = (
    Cause(
        rules=("SESSION-MESSAGE-NO-SYNTHESIS",),
        kinds=kinds.SESSION_MESSAGES,
        when=lambda case: case.elsewhere and not case.verdict.misrouted,
        text="one session's view of a message creates nothing in another session",
    ),
    Cause(
        rules=("RPC-UNKNOWN-SESSION",),
        places=("$",),
        text="a session exists from the first message that names it, and not before",
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

UNAPPLIED: Final = (
    Cause(
        rules=("RPC-RESPONSE-MATCH",),
        kinds=frozenset({"stray response"}),
        text="a response that answers no open request changes nothing",
    ),
    Cause(
        rules=("UNKNOWN-PRESERVED",),
        kinds=kinds.UPDATES | kinds.TOOLS,
        when=asks.after_unknown,
        text="an update that is not understood costs only itself, and what follows it is applied",
    ),
    Cause(
        rules=("ENTITY-ID-PRESENT",),
        kinds=kinds.UPDATES | kinds.TOOLS,
        when=asks.after_unusable,
        text="a message that cannot be used costs only itself, and what follows it is applied",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=kinds.UPDATES - kinds.USER,
        when=lambda case: case.unapplied and asks.prompt_open(case),
        text="an update is applied as it comes, whether or not the prompt before it is answered",
    ),
    Cause(
        rules=("RESUME-UPSERT",),
        kinds=kinds.UPDATES,
        when=lambda case: case.unapplied and case.reopened(),
        text="what comes while a session is resumed, or closed, is applied like any other",
    ),
    Cause(
        rules=("STATE-USAGE-TOLERANT",),
        kinds=frozenset({"state_update"}),
        places=("foreground.usage", "foreground.state", "foreground.completions"),
        when=asks.odd_usage,
        text="a malformed usage counts as omitted, and the report stands",
    ),
    Cause(
        rules=("STATE-CLIENT-IDLE",),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        when=lambda case: asks.malformed_field(case) or asks.malformed_elsewhere(case),
        text="what is malformed in a report counts as omitted, and the report stands",
    ),
    Cause(
        rules=("PATCH-OMIT",),
        kinds=kinds.UPDATES | kinds.TOOLS,
        when=asks.malformed_field,
        text="what is malformed counts as omitted, and the rest of it stands",
    ),
    Cause(
        rules=("PATCH-OMIT",),
        kinds=kinds.UPDATES | kinds.TOOLS,
        when=asks.malformed_elsewhere,
        text="a malformed field counts as omitted and costs the update nothing else",
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
        kinds=kinds.PROMPTS,
        places=("foreground",),
        text="a prompt's response says nothing of the foreground state",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=kinds.PROMPTS,
        places=("prompts",),
        when=lambda case: case.place == "prompts.messageId" or case.expected == "uncertain",
        text="the response's messageId, and nothing else, ties a submission to its message",
    ),
    Cause(
        rules=("RPC-RESPONSE-MATCH",),
        kinds=kinds.PROMPTS,
        places=("prompts.request",),
        text='a request is known by its id, and 1 and "1" are two ids',
    ),
    Cause(
        rules=("UNKNOWN-ENUM-PRESERVED",),
        kinds=frozenset({"session/prompt error"}),
        when=asks.more_of_error,
        text="an error is kept as it came, with all that is in it",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=frozenset({"state_update"}),
        places=("prompts",),
        text="a prompt waits for its response, whatever becomes of the work meanwhile",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=frozenset({"session/prompt response"}),
        places=("prompts.error",),
        when=lambda case: case.expected is None,
        text="a submission is settled by its response, however late, and not by what came before",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=kinds.PROMPTS,
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
        kinds=kinds.USER,
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
        places=("foreground.usage",),
        when=lambda case: "usage" in case.update,
        text="usage belongs to the idle that carries it",
    ),
    Cause(
        rules=("STATE-REQUIRES-ACTION",),
        kinds=frozenset({"state_update"}),
        places=("foreground",),
        when=lambda case: asks.state(case) == "requires_action",
        text="requires_action is work that waits for the user, and no end of it",
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
        rules=("CANCEL-PERMISSIONS-OPEN", "PERMISSION-OUTCOME"),
        kinds=frozenset({"state_update"}),
        places=("permissions",),
        text="a permission request is pending until it is answered, whatever becomes of the work",
    ),
    Cause(
        rules=("STATE-CLIENT-IDLE",),
        kinds=frozenset({"state_update"}),
        text="a state report is about the foreground state and ends nothing else",
    ),
    Cause(
        rules=("STATE-PERMISSION",),
        kinds=kinds.PERMISSIONS,
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
        kinds=kinds.UPDATES,
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
        rules=("CANCEL-PERMISSIONS-OPEN",),
        kinds=frozenset({"lost"}),
        places=("permissions",),
        text="a request whose connection is lost can be answered no more, and is withdrawn",
    ),
    Cause(
        rules=("RPC-RESPONSE-MATCH",),
        kinds=kinds.PERMISSIONS,
        places=("permissions",),
        when=asks.other_request,
        text="an answer settles the request whose id it has, and no other",
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
        rules=(),
        places=("closed",),
        text="a successful session/close closes a session, and a successful resume opens it again",
    ),
    Cause(
        rules=("RESUME-UPSERT",),
        kinds=kinds.RESUMES | {"lost"},
        text="nothing that is held is reset when a session is resumed or its connection lost",
    ),
    Cause(
        rules=("RESUME-UPSERT",),
        kinds=frozenset({"session/close", "session/close response", "session/close error"}),
        text="a session that is closed keeps what it holds",
    ),
    Cause(
        rules=("PATCH-OMIT",),
        kinds=kinds.LISTERS,
        when=asks.lists_nothing,
        text="a list that a response does not have changes nothing",
    ),
    Cause(
        rules=("PATCH-REPLACE",),
        kinds=kinds.LISTERS,
        text="a list in a response replaces the list that is held",
    ),
)

CAUSES: Final = (
    *ELSEWHERE, *SIDE_EFFECTS, *UNAPPLIED, *PROMPT, *STATE, *CONNECTION, *ENTITY, *FIELDS,
)  # fmt: skip
