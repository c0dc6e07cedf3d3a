"""Which of a reducer's rules a conversation gives an occasion to break: each both ways."""

from __future__ import annotations

import pytest

from acpsim.fuzz.occasions import OF_REQUESTS, OF_UPDATES, occasions
from acpsim.rules.registry import RULES
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation

MESSAGE = '< agent_message m1 "a"'
OCCASIONS = {
    "PROMPT-RECONCILE": ('> #1 prompt "x"\n< user_message u1 "x"\n< #1 ok u1', MESSAGE),
    "PROMPT-NO-INFERENCE": (
        '> #1 prompt "x"\n> #2 prompt "x"\n< user_message u1 "x"\n< #1 ok u1',
        '> #1 prompt "x"\n< user_message u1 "x"\n< #1 ok u1',
    ),
    "PROMPT-NOT-IDLE": ('> #1 prompt "x"\n< #1 ok u1', '> #1 prompt "x"'),
    "STATE-PERMISSION": ("< #a1 permission -", MESSAGE),
    "STATE-CLIENT-IDLE": ("< running\n< idle", "< running\n< idle end_turn"),
    "STATE-USAGE-TOLERANT": ('< running\n< idle end_turn {"usage": 7}', "< running\n< idle"),
    "STATE-BACKGROUND": (MESSAGE, "< running"),
    "STATE-UNKNOWN": ("< unknown", "< running"),
    "CANCEL-MARK-TOOLS": ("> cancel\n< tool_call_update t1", "< tool_call_update t1\n> cancel"),
    "CANCEL-LATE-UPDATES": (
        "< tool_call_update t1\n> cancel\n< tool_call_update t1",
        "> cancel\n< tool_call_update t1",
    ),
    "ENTITY-KEY": ('< agent_message x "a"\n< agent_thought x "b"', '< agent_message x "a"'),
    "PATCH-OMIT": (f"{MESSAGE}\n< agent_message m1", MESSAGE),
    "PATCH-NULL": ('< agent_message m1 {"content": null}', MESSAGE),
    "PATCH-REPLACE": (f"{MESSAGE}\n{MESSAGE}", MESSAGE),
    "CHUNK-APPEND": ('< agent_message_chunk m1 "a"', MESSAGE),
    "CHUNK-META": (
        '< agent_message_chunk m1 "a" {"_meta": {"k": 1}}',
        '< agent_message_chunk m1 "a"',
    ),
    "TIMELINE-FIRST-SEEN": (
        f'{MESSAGE}\n< agent_message m2 "b"\n{MESSAGE}',
        f"{MESSAGE}\n{MESSAGE}",
    ),
    "SESSION-ISOLATION": ("< running\n< [s2] running", "< running"),
    "TERMINAL-BYTES": ('< terminal_output_chunk T1 {"data": ""}', "< terminal_update T1"),
    "TERMINAL-EITHER-ORDER": (
        '< tool_call_update t1 {"content": [{"type": "terminal", "terminalId": "T1"}]}',
        '< tool_call_update t1 "text"',
    ),
    "PLAN-REPLACE": ("< plan_update p1\n< plan_update p1", "< plan_update p1"),
    "SESSION-MESSAGE-IDENTITY": (
        '< session_message x1 "a"\n< session_message x1',
        '< session_message x1 "a"',
    ),
    "SESSION-MESSAGE-NO-SYNTHESIS": ('< session_message x1 "a"', MESSAGE),
    "NOTICE-NO-EFFECT": ('< notice "n"', MESSAGE),
    "COMPACTION-INIT": ('< compaction_summary_chunk c1 "a"', MESSAGE),
    "SUBAGENT-MIRROR": (
        '< subagent_update c {"state": {"state": "idle"}}',
        '< subagent_update c {"title": "C"}',
    ),
    "UNKNOWN-PRESERVED": ("< _metric", MESSAGE),
    "UNKNOWN-ENUM-PRESERVED": (
        '< tool_call_update t1 {"status": "_queued"}',
        '< tool_call_update t1 {"status": "completed"}',
    ),
    "RESUME-UPSERT": (
        f"{MESSAGE}\n> #1 resume replay\n{MESSAGE}",
        f"{MESSAGE}\n> #1 resume\n< #1 ok {{}}\n{MESSAGE}",
    ),
}


def found(text: str) -> set[str]:
    return occasions(conversation(f"setup\n{text}"), DRAFT)


@pytest.mark.parametrize("rule", OCCASIONS)
def test_a_conversation_that_gives_the_occasion_counts(rule: str) -> None:
    assert rule in found(OCCASIONS[rule][0])


@pytest.mark.parametrize("rule", OCCASIONS)
def test_a_conversation_that_gives_none_does_not(rule: str) -> None:
    assert rule not in found(OCCASIONS[rule][1])


def test_every_rule_of_a_reducer_has_its_occasion() -> None:
    of_reducers = {rule.id for rule in RULES.values() if rule.check == "reducer"}

    assert set(OF_UPDATES) | OF_REQUESTS == of_reducers == set(OCCASIONS)
