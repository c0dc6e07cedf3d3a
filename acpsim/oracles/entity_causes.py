"""The rows of the table of causes about entities: that there is one, its place, its fields.

Owns: `ENTITY`, whether an entity is what and where it should be, and `FIELDS`, what its fields say.
They come last in `causes.CAUSES`.
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from acpsim.oracles import asks, kinds, talk
from acpsim.oracles.case import Cause

ENTITY: Final = (
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=kinds.TOOLS,
        places=("terminals", "toolCalls.*.content"),
        when=asks.refers_to_terminal,
        text="a reference to a terminal stands by itself and neither creates nor changes one",
    ),
    Cause(
        rules=("ENTITY-KEY",),
        kinds=kinds.UPDATES,
        when=lambda case: case.same_id_elsewhere(),
        text="one id under two types names two entities",
    ),
    Cause(
        rules=("ENTITY-KEY",),
        kinds=kinds.UPDATES,
        when=asks.other_name,
        text="an id is an opaque string, and stands as it came",
    ),
    Cause(
        rules=("COMPACTION-INIT",),
        kinds=kinds.COMPACTIONS,
        when=asks.changes_another,
        text="a compaction is one more entity, and the history before it is kept",
    ),
    Cause(
        rules=("COMPACTION-INIT",),
        kinds=kinds.COMPACTIONS,
        places=("timeline", "compactions"),
        when=lambda case: case.creates and (case.section == "timeline" or case.field != "summary"),
        text="a compaction starts in_progress at its first notification, by update or by chunk",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=kinds.TERMINALS,
        places=("terminals",),
        when=lambda case: case.whole and case.actual is UNSET,
        text="a terminal's own updates create it, whether a tool call shows it or not",
    ),
    Cause(
        rules=("TERMINAL-BYTES",),
        kinds=kinds.TERMINALS,
        places=("terminals",),
        when=lambda case: case.whole,
        text="a chunk whose data is no base64 is unusable and creates nothing",
    ),
    Cause(
        rules=("TERMINAL-EITHER-ORDER",),
        kinds=kinds.TERMINALS,
        places=("toolCalls", "timeline"),
        text="a terminal's updates leave the tool calls that show it alone",
    ),
    Cause(
        rules=("PATCH-NULL",),
        kinds=kinds.UPSERTS | kinds.TOOLS,
        places=("timeline",),
        when=asks.clears_at_once,
        text="null resets a field to its default, and leaves the entity where it is",
    ),
    Cause(
        rules=("PROMPT-NO-INFERENCE",),
        kinds=kinds.USER,
        places=("timeline",),
        when=lambda case: asks.new_in_timeline(case) and asks.told_before(case),
        text="two user messages with equal content are two, whatever their text says",
    ),
    Cause(
        rules=("PROMPT-RECONCILE",),
        kinds=kinds.USER,
        places=("timeline",),
        when=lambda case: (
            asks.new_in_timeline(case) and (asks.prompted(case) or not asks.idle_now(case))
        ),
        text="a user message is reported by its updates alone, at any time and for any client",
    ),
    Cause(
        rules=("PROMPT-RECONCILE", "TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        kinds=frozenset({"user_message"}),
        places=("timeline",),
        when=asks.new_in_timeline,
        text="a user message counts at any time, also one that no prompt of this client asked for",
    ),
    Cause(
        rules=("CHUNK-APPEND",),
        kinds=talk.CHUNKS,
        places=("timeline",),
        when=asks.new_in_timeline,
        text="a chunk under an id that is first seen creates the entity",
    ),
    Cause(
        rules=("PATCH-OMIT", "TIMELINE-FIRST-SEEN"),
        kinds=frozenset({"session/request_permission"}),
        places=("timeline",),
        when=lambda case: asks.new_in_timeline(case) and "title" not in case.update,
        text="the tool call in a permission request is an update, and may be its first, untitled",
    ),
    Cause(
        rules=("TIMELINE-FIRST-SEEN",),
        kinds=frozenset({"session/request_permission"}),
        places=("timeline",),
        when=asks.new_in_timeline,
        text="the tool call in a permission request is an update, and may be its first",
    ),
    Cause(
        rules=("PATCH-OMIT", "TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        kinds=frozenset({"tool_call_update"}),
        places=("timeline",),
        when=lambda case: asks.new_in_timeline(case) and "title" not in case.update,
        text="an update creates its tool call at any time, and also where it has no title",
    ),
    Cause(
        rules=("TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        kinds=kinds.UPSERTS,
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
        kinds=kinds.TOOLS,
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
        kinds=kinds.SESSION_MESSAGES,
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
        rules=("PATCH-NULL",),
        kinds=kinds.UPSERTS | kinds.TOOLS,
        when=asks.empties_meta,
        text="null takes a key out of _meta, and without keys there is no _meta",
    ),
    Cause(
        rules=("UNKNOWN-ENUM-PRESERVED",),
        kinds=kinds.UPDATES | kinds.TOOLS,
        when=asks.odd_word,
        text="a word or a content that is not understood is kept as it came",
    ),
    Cause(
        rules=("ENTITY-KEY",),
        kinds=kinds.UPDATES,
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
        kinds=kinds.UPSERTS | kinds.TOOLS,
        when=lambda case: asks.says(case) is None or asks.says(case) == [],
        text="null clears a value or resets it to its default",
    ),
    Cause(
        rules=("PATCH-OMIT",),
        kinds=kinds.UPSERTS | kinds.TOOLS,
        when=lambda case: bool(case.field) and asks.says(case) is UNSET,
        text="a field that is omitted keeps its value, or takes its default on a first-seen id",
    ),
    Cause(
        rules=("PATCH-REPLACE",),
        kinds=kinds.UPSERTS | kinds.TOOLS,
        text="a concrete value replaces the whole value",
    ),
)
