"""ENTITY-ID-PRESENT, TOOL-*, TERMINAL-*, PLAN-*, COMPACTION-*: entities, update by update."""

from __future__ import annotations

import pytest

from tests.rules.both_ways import KEEPS, found, report

START = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
"""
END = "\n< idle end_turn"
ALLOWED = (
    START
    + """
< tool_call_update t1 {"title": "Edit", "status": "pending"}
< #a1 permission t1 yes/no
< requires_action
> #a1 selected yes
< running
"""
)
ENTRY = '{"content": "Read", "priority": "high", "status": "pending"}'


# ---------------------------------------------------------------- ENTITY-ID-PRESENT


@pytest.mark.parametrize(
    "update",
    [
        '{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "A1"}}',
        '{"sessionUpdate": "agent_message", "messageId": null}',
        '{"sessionUpdate": "agent_message", "messageId": 7}',
        '{"sessionUpdate": "tool_call_update", "title": "x"}',
        '{"sessionUpdate": "tool_call_content_chunk", "toolCallId": "t1"}',
        '{"sessionUpdate": "terminal_output_chunk", "terminalId": "T1"}',
        '{"sessionUpdate": "plan_update", "plan": {"type": "items", "entries": []}}',
        '{"sessionUpdate": "plan_removed"}',
        '{"sessionUpdate": "compaction_summary_chunk", "content": {"type": "text", "text": "x"}}',
        '{"sessionUpdate": "subagent_update"}',
        '{"sessionUpdate": "state_update"}',
    ],
)
def test_a_missing_id_is_told_by_one_rule(update: str) -> None:
    """B50: text of parallel subagents came without any identity."""
    params = f'{{"sessionId": "s1", "update": {update}}}'
    raw = f'< raw {{"jsonrpc": "2.0", "method": "session/update", "params": {params}}}'
    findings = report(START + raw + END).findings

    assert [(f.rule, f.line, f.session) for f in findings] == [("ENTITY-ID-PRESENT", 9, "s1")]


def test_a_repeated_id_of_parallel_streams_is_no_provable_fault() -> None:
    """B50: with an id given, one garbled message is what the agent asked for."""
    garbled = START + '< agent_message_chunk m1 "A1"\n< agent_message_chunk m1 "B1"' + END

    assert report(garbled).findings == []


# ---------------------------------------------------------------- tool calls


def test_a_chunk_before_the_first_update_does_not_excuse_the_title() -> None:
    chunk = '< tool_call_content_chunk t1 "x"\n< tool_call_update t1 {"status": "pending"}'

    assert found("TOOL-TITLE-FIRST", START + chunk + END) == ["10 definite"]


def test_only_the_first_update_owes_a_title() -> None:
    more = '< tool_call_update t1 {"title": "A"}\n< tool_call_update t1 {"status": "completed"}'

    assert found("TOOL-TITLE-FIRST", START + more + END) == []


def test_a_permission_request_is_no_first_update() -> None:
    asked = '< #a1 permission t1 yes/no\n> #a1 selected no\n< tool_call_update t1 {"title": "A"}'

    assert found("TOOL-TITLE-FIRST", START + asked + END) == []


def test_a_title_in_the_permission_request_is_a_title() -> None:
    raw = (
        '< raw {"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", "params": '
        '{"sessionId": "s1", "title": "Edit?", "options": [{"optionId": "y", "name": "Yes", '
        '"kind": "allow_once"}], "subject": {"type": "tool_call", "toolCall": '
        '{"toolCallId": "t1", "title": "Edit"}}}}\n> #a1 selected y\n'
    )

    started = raw + '< tool_call_update t1 {"status": "in_progress"}'

    assert found("TOOL-TITLE-FIRST", START + started + END) == []


def test_a_call_of_a_resumed_session_may_be_an_old_one() -> None:
    resumed = """
setup
> [s7] #2 resume
< [s7] idle
< #2 ok {}
< [s7] tool_call_update t1 {"status": "completed"}
"""

    assert found("TOOL-TITLE-FIRST", resumed) == ["8 suspect"]


def test_a_malformed_title_is_told_as_shape_alone() -> None:
    findings = report(START + '< tool_call_update t1 {"title": 7}' + END).findings

    assert [f.rule for f in findings] == ["UPDATE-SHAPE"]


def test_a_call_that_ran_before_it_asked_need_not_start_again() -> None:
    ran = ALLOWED.replace('"status": "pending"', '"status": "in_progress"')

    assert found("TOOL-IN-PROGRESS", ran + '< tool_call_update t1 {"status": "completed"}') == []


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_granted_call_that_does_not_complete_need_not_start(status: str) -> None:
    assert (
        found("TOOL-IN-PROGRESS", ALLOWED + f'< tool_call_update t1 {{"status": "{status}"}}') == []
    )


def test_paused_is_a_status_of_the_later_edition_only() -> None:
    paused = START + '< tool_call_update t1 {"title": "A", "status": "paused"}' + END

    assert found("TOOL-STATUS-VALUE", paused) == ["9 definite"]
    assert found("TOOL-STATUS-VALUE", (paused, "sdk-2.4")) == []


# ---------------------------------------------------------------- terminals


@pytest.mark.parametrize(
    "data", ["aA", "a===", "AAAA=", "AAAA==", "aGk=aGk=", "aG k=", "aGk=\\n", "_-8=", "é"]
)
def test_what_is_no_base64_is_told(data: str) -> None:
    assert found("TERMINAL-BASE64", START + f'< terminal_output_chunk T1 {{"data": "{data}"}}') == [
        "9 definite"
    ]


def test_a_snapshot_is_base64_too() -> None:
    snapshot = START + '< terminal_update T1 {"output": {"data": "%"}}' + END

    assert found("TERMINAL-BASE64", snapshot) == ["9 definite"]


@pytest.mark.parametrize(
    ("cwd", "told"),
    [
        ("C:\\\\work", []),
        ("\\\\\\\\host\\\\share", []),
        ("", ["9 definite"]),
        ("~", ["9 definite"]),
    ],
)
def test_absolute_is_meant_for_every_system(cwd: str, told: list[str]) -> None:
    update = START + f'< terminal_update T1 {{"cwd": "{cwd}"}}' + END

    assert found("TERMINAL-CWD-ABSOLUTE", update) == told


# ---------------------------------------------------------------- plans


@pytest.mark.parametrize(
    "entry",
    [
        '{"priority": "high", "status": "pending"}',
        '{"content": "Read", "status": "pending"}',
        '{"content": "Read", "priority": "high", "status": "failed"}',
        '{"content": 7, "priority": "high", "status": "pending"}',
        '"Read"',
    ],
)
def test_a_bad_plan_entry_is_told_by_one_rule(entry: str) -> None:
    plan = START + f'< plan_update p1 {{"entries": [{ENTRY}, {entry}]}}' + END

    assert [(f.rule, f.line) for f in report(plan).findings] == [("PLAN-ENTRY-VALUES", 9)]


def test_custom_plan_values_are_fine() -> None:
    entry = ENTRY.replace("high", "_now").replace("pending", "_parked")

    assert report(START + f'< plan_update p1 {{"entries": [{entry}]}}' + END).findings == []


def test_malformed_metadata_of_an_entry_is_shape() -> None:
    entry = ENTRY.replace("}", ', "_meta": "x"}')
    plan = START + f'< plan_update p1 {{"entries": [{entry}]}}' + END

    assert [f.rule for f in report(plan).findings] == ["UPDATE-SHAPE"]


# ---------------------------------------------------------------- compactions


def test_an_open_compaction_is_told_where_it_began() -> None:
    began = '< compaction_summary_chunk c1 "a"\n< compaction_update c1 {"status": "in_progress"}'

    assert found("COMPACTION-TERMINAL", START + began + END) == ["9 definite"]


def test_a_late_chunk_does_not_open_an_ended_compaction() -> None:
    late = '< compaction_update c1 "all"\n< compaction_summary_chunk c1 "more"'

    assert found("COMPACTION-TERMINAL", START + late + END) == []


def test_a_custom_status_is_not_known_to_go_on() -> None:
    assert found("COMPACTION-TERMINAL", KEEPS["COMPACTION-FIELDS"]) == []


def test_a_lost_connection_voids_the_compaction() -> None:
    opened = START + '< compaction_update c1 {"status": "in_progress"}\nlost'

    assert found("COMPACTION-TERMINAL", opened) == []


@pytest.mark.parametrize("fields", ['{"status": null}', "{}", '{"compactionId": 7}'])
def test_a_compaction_without_id_or_status_is_told_by_one_rule(fields: str) -> None:
    update = START + f"< compaction_update c1 {fields}" + END

    assert [(f.rule, f.line) for f in report(update).findings] == [("COMPACTION-FIELDS", 9)]
