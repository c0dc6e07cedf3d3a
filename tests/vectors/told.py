"""The conversations of vectors that are written by hand, in shorthand.

For each rule that binds what a client holds, one that keeps it and would show it broken; for each
law two that are the same to it. The rules that a trace decides have theirs in `tests/rules`.
"""

from __future__ import annotations

from typing import Final

OPTION: Final = '{"type": "boolean", "configId": "a", "name": "A", "currentValue": true}'

RULES_TOLD: Final[dict[str, str]] = {
    "PROMPT-RECONCILE": """
> #1 prompt "one"
> #2 prompt "two"
< #1 ok u1
< user_message u1 "one"
< user_message u2 "two"
< #2 ok u2
""",
    "PROMPT-NO-INFERENCE": """
> #1 prompt "go on"
> #2 prompt "go on"
< user_message u9 "go on"
< user_message u2 "go on"
< #2 ok u2
< #1 error -32603
""",
    "PROMPT-NOT-IDLE": """
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
> #2 prompt "again"
< #2 error -32603
""",
    "STATE-CLIENT-IDLE": """
< running
< idle
< running
< idle {"stopReason": null}
< running
< idle {"stopReason": 7}
< running
< idle _napping
""",
    "STATE-USAGE-TOLERANT": """
< running
< idle end_turn {"usage": {"totalTokens": "many"}}
""",
    "STATE-BACKGROUND": """
< running
< idle end_turn
< agent_message m1 "late"
< tool_call_update t1 {"title": "T", "status": "in_progress"}
< plan_update p1
< session_info_update {"title": "T"}
< tool_call_update t1 {"status": "completed"}
""",
    "STATE-UNKNOWN": """
< running
> #1 prompt "hi"
< #a1 permission - yes/no
< tool_call_update t1 {"title": "T", "status": "in_progress"}
< unknown
""",
    "STATE-PERMISSION": """
< running
< #a1 permission t1 yes/no
< #a2 permission - yes/no
> #a1 selected yes
""",
    "CANCEL-MARK-TOOLS": """
< tool_call_update b1 {"title": "background", "status": "in_progress"}
< running
< tool_call_update t1 {"title": "done", "status": "completed"}
< tool_call_update t2 {"title": "failed", "status": "failed"}
< tool_call_update t3 {"title": "at work", "status": "in_progress"}
< tool_call_content_chunk t4 "waiting"
> cancel
""",
    "CANCEL-LATE-UPDATES": """
< running
< tool_call_update t1 {"title": "T", "status": "in_progress"}
< tool_call_update t2 {"title": "U", "status": "in_progress"}
> cancel
< tool_call_update t1 {"status": "completed"}
< tool_call_content_chunk t2 "so far"
""",
    "ENTITY-KEY": """
< user_message x "hi"
< agent_message x "hello"
< agent_thought x "hm"
< tool_call_update x {"title": "T"}
< terminal_update x {"command": "ls"}
< plan_update x
< compaction_update x {"status": "in_progress"}
""",
    "PATCH-OMIT": """
< tool_call_update t1 {"title": "T", "kind": "read", "status": "in_progress", "rawInput": {"a": 1}}
< tool_call_update t1 {"status": "completed"}
< agent_message m1 "hello"
< agent_message m1 {"_meta": {"a": 1}}
""",
    "PATCH-NULL": """
< tool_call_update t1 "out" {"title": "T", "kind": "read", "status": "in_progress"}
< tool_call_update t1 {"title": null, "kind": null, "status": null, "content": null}
< agent_message m1 "hello"
< agent_message m1 {"content": null}
< agent_message m2 "hello"
< agent_message m2 {"content": []}
""",
    "PATCH-REPLACE": """
< agent_message_chunk m1 "Hel"
< agent_message_chunk m1 "lo"
< agent_message m1 "Good day"
< tool_call_content_chunk t1 "first"
< tool_call_update t1 "second"
""",
    "CHUNK-APPEND": """
< agent_message m1 "Hel"
< agent_message_chunk m1 "lo"
< agent_message_chunk m2 "new"
< agent_message m2 {"content": null}
< agent_message_chunk m2 "afresh"
< tool_call_content_chunk t1 "out"
""",
    "CHUNK-META": """
< agent_message m1 "Hel" {"_meta": {"own": 1}}
< agent_message_chunk m1 "lo" {"_meta": {"chunk": 2}}
< agent_thought_chunk m2 "hm" {"_meta": {"chunk": 3}}
""",
    "TIMELINE-FIRST-SEEN": """
< agent_message m1 "first"
< tool_call_update t1 {"title": "second"}
< compaction_update c1 {"status": "in_progress"}
< agent_message m2 "fourth"
< tool_call_update t1 {"status": "completed"}
< compaction_update c1 {"status": "completed"}
< agent_message m1 "still first"
""",
    "SESSION-ISOLATION": """
> #1 new
< #1 ok {"sessionId": "s2"}
< agent_message m1 "one"
< [s2] agent_message m1 "two"
< running
< [s2] tool_call_update t1 {"title": "T", "status": "in_progress"}
> [s2] cancel
< [s3] agent_message m1 "of a session that nobody announced"
""",
    "TERMINAL-BYTES": """
< terminal_update T1 {"command": "ls"}
< terminal_output_chunk T1 "aA=="
< terminal_output_chunk T1 "w6k="
< terminal_output_chunk T1 "ww=="
< terminal_output_chunk T1 "qQ=="
< terminal_output_chunk T2 "b2xk"
< terminal_update T2 {"output": {"data": "bmV3"}}
< terminal_output_chunk T2 "IQ=="
""",
    "TERMINAL-EITHER-ORDER": """
< tool_call_update t1 {"content": [{"type": "terminal", "terminalId": "T1"}]}
< terminal_update T1 {"command": "ls"}
< terminal_update T2 {"command": "cat"}
< tool_call_update t2 {"content": [{"type": "terminal", "terminalId": "T2"}]}
""",
    "PLAN-REPLACE": """
< plan_update p1 {"entries": [{"content": "A", "priority": "low", "status": "pending"}]}
< plan_update p2 {"entries": [{"content": "B", "priority": "high", "status": "pending"}]}
< plan_update p1 {"entries": [{"content": "C", "priority": "low", "status": "completed"}]}
< plan_update p3
< plan_removed p3
< plan_removed p4
""",
    "SESSION-MESSAGE-IDENTITY": """
< session_message x1 "hi" {"senderSessionId": "s8"}
< session_message x1 {"recipientSessionId": "s9"}
< session_message x1 {"senderSessionId": null}
""",
    "SESSION-MESSAGE-NO-SYNTHESIS": """
> #1 new
< #1 ok {"sessionId": "s2"}
< session_message x1 "hi" {"senderSessionId": "s1", "recipientSessionId": "s2"}
""",
    "NOTICE-NO-EFFECT": """
< running
< agent_message m1 "at work"
< notice "no network" {"severity": "error"}
< notice "no network" {"severity": "error"}
""",
    "COMPACTION-INIT": """
< agent_message m1 "before"
< compaction_summary_chunk c1 "so far"
< compaction_update c2 {"status": "completed"}
< agent_message m2 "after"
""",
    "SUBAGENT-MIRROR": """
< running
< subagent_update c1 {"title": "child", "state": {"state": "running"}}
< subagent_update c1 {"state": {"state": "idle", "stopReason": "end_turn"}}
< subagent_update c1 {"state": {"state": "idle", "stopReason": "end_turn"}}
""",
    "UNKNOWN-PRESERVED": """
< running
< _metric {"value": 1, "messageId": "m1"}
< _metric {"value": 1, "messageId": "m1"}
< later_addition {"nested": {"deep": [1, null]}}
""",
    "UNKNOWN-ENUM-PRESERVED": """
< tool_call_update t1 {"title": "T", "kind": "_dance", "status": "_queued"}
< agent_message m1 {"content": [{"type": "_chart", "bars": [1, 2]}]}
< idle _napping
""",
    "RESUME-UPSERT": """
< agent_message m1 "hello"
< tool_call_update t1 {"title": "T", "status": "completed"}
lost
> #8 resume replay
< agent_message m1 "hello"
< agent_message m2 "missed"
< idle
< #8 ok {}
""",
}
"""Rule → a conversation after `setup`."""

LAWS_TOLD: Final[dict[str, tuple[str, ...]]] = {
    "batch": (
        """
< running
< idle end_turn
< agent_message_chunk m1 "a long chunk, the work on which takes longer than on the next one, "
< agent_message_chunk m1 "short"
> #1 new
< [s2] config_option_update {"configOptions": []}
< #1 ok {"sessionId": "s2", "configOptions": [OPTION]}
""".replace("OPTION", OPTION),
    ),
    "response-order": (
        """
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
""",
        """
> #1 prompt "hi"
< user_message u1 "hi"
< running
< #1 ok u1
""",
    ),
    "independence": (
        """
< agent_message m1 "hello"
< tool_call_update t1 {"title": "T"}
< usage_update {"used": 1, "size": 9}
< agent_message_chunk m1 "!"
< tool_call_update t1 {"status": "completed"}
""",
        """
< agent_message m1 "hello"
< tool_call_update t1 {"title": "T"}
< tool_call_update t1 {"status": "completed"}
< agent_message_chunk m1 "!"
< usage_update {"used": 1, "size": 9}
""",
    ),
    "chunks": (
        """
< agent_message_chunk m1 "Hel"
< agent_message_chunk m1 "lo"
< terminal_output_chunk T1 "w6k="
""",
        """
< agent_message m1 {"content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}
< terminal_update T1 {"output": {"data": "w6k="}}
""",
    ),
    "absorb": (
        """
< agent_message_chunk m1 "draft"
< agent_message m1 {"content": null}
< agent_message_chunk m1 "another"
< agent_message m1 "final"
""",
        """
< agent_message m1 "final"
""",
    ),
    "idempotence": (
        """
< running
< agent_message m1 "hello"
< agent_message m1 "hello"
< idle end_turn
< idle end_turn
< available_commands_update {"availableCommands": [{"name": "a", "description": "A"}]}
< available_commands_update {"availableCommands": [{"name": "a", "description": "A"}]}
""",
        """
< running
< agent_message m1 "hello"
< idle end_turn
< available_commands_update {"availableCommands": [{"name": "a", "description": "A"}]}
""",
    ),
    "neutrality": (
        """
< running
< agent_message m1 "hello"
< _metric {"messageId": "m1", "content": []}
< notice "no network" {"severity": "error"}
< agent_message_chunk m1 "!"
""",
        """
< running
< agent_message m1 "hello"
< agent_message_chunk m1 "!"
""",
    ),
    "isolation": (
        """
> #1 new
< #1 ok {"sessionId": "s2"}
< running
< agent_message m1 "one"
< [s2] agent_message m1 "two"
< tool_call_update t1 {"title": "T", "status": "in_progress"}
> [s2] cancel
< [s2] idle cancelled
""",
        """
< running
< agent_message m1 "one"
< tool_call_update t1 {"title": "T", "status": "in_progress"}
""",
    ),
    "replay": (
        """
< agent_message_chunk m1 "Hel"
< agent_message_chunk m1 "lo"
< tool_call_update t1 {"title": "T", "status": "completed"}
< agent_message m2 "bye"
> #1 resume replay
< agent_message m1 {"content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}
< tool_call_update t1 {"title": "T", "status": "completed"}
< agent_message m2 "bye"
< idle
< #1 ok {}
""",
        """
< agent_message_chunk m1 "Hel"
< agent_message_chunk m1 "lo"
< tool_call_update t1 {"title": "T", "status": "completed"}
< agent_message m2 "bye"
> #1 resume
< idle
< #1 ok {}
""",
    ),
    "never-raise": (
        """
< agent_message m1 "held"
< raw {"jsonrpc": "2.0", "method": "session/update", "params": {}}
< raw {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": 7}}
< raw {"jsonrpc": "2.0", "method": "session/update"}
< raw {"jsonrpc": "2.0", "id": "nobody asked", "result": {}}
< raw {"jsonrpc": "2.0", "method": "_vendor/ping", "params": {"a": 1}}
< raw {"method": 7}
< raw {}
< agent_message {"content": "no id"}
< tool_call_update t1 {"title": 7, "status": "completed", "content": "no list"}
< agent_message_chunk m1 "!"
""",
        """
< agent_message m1 "held"
< tool_call_update t1 {"status": "completed"}
< agent_message_chunk m1 "!"
""",
    ),
    "monotone": (
        """
< user_message u1 "hi"
< agent_message m1 "hello"
< tool_call_update t1 {"title": "T", "status": "completed"}
< compaction_update c1 {"status": "completed"}
< plan_update p1
> #1 close
< #1 ok {}
> #2 resume
< idle
< #2 ok {}
lost
""",
    ),
    "no-aliasing": (
        """
< agent_message_chunk m1 "Hel"
< agent_message_chunk m1 "lo"
< tool_call_update t1 {"title": "T", "rawInput": {"a": [1]}}
""",
    ),
    "text-blind": (
        """
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< agent_message m1 "hi"
< agent_message_chunk m1 ""
< agent_message_chunk m1 "hi"
""",
        """
> #1 prompt "привет"
< #1 ok u1
< user_message u1 "привет"
< agent_message m1 "👋🏽"
< agent_message_chunk m1 "__proto__"
< agent_message_chunk m1 "</div> \\u0000 \\\\ null"
""",
    ),
    "name-blind": (
        """
> #1 prompt "hi"
< #1 ok u1
< agent_message m1 "A"
< agent_message M1 "B"
< tool_call_update t1 {"title": "T"}
""",
        """
> #7 prompt "hi"
< #7 ok __proto__
< agent_message 2 "A"
< agent_message 1 "B"
< tool_call_update constructor {"title": "T"}
""",
    ),
}
"""Law → one conversation, or two that have to end alike, after `setup`."""

ALIKE: Final = frozenset(
    {
        *("response-order", "independence", "chunks", "absorb", "idempotence", "replay"),
        *("never-raise", "isolation"),
    }
)
"""The laws whose two conversations end in the same state of session s1."""
