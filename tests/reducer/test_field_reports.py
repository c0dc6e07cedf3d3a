"""Troubles that were reported about real clients, as conversations. The numbers are the reports'.

Those that one rule covers stand with that rule's tests; here are the rest.
"""

from __future__ import annotations

import pytest

from acpsim.reducer import Reducer, fold
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
from tests.reducer.states import ids, state, texts

TURN = 'setup\n> #1 prompt "a"\n< #1 ok u1\n< user_message u1 "a"\n< running\n< idle end_turn'


@pytest.mark.parametrize("response_at", [1, 2, 3])
def test_B02_updates_around_the_response_that_names_their_session_are_kept(
    response_at: int,
) -> None:
    lines = [
        "> #1 new",
        (
            '< available_commands_update {"availableCommands": [{"type": "command", "name": "x", '
            '"description": "d"}]}'
        ),
        '< usage_update {"used": 1, "size": 9}',
    ]
    lines.insert(response_at, '< #1 ok {"sessionId": "s1"}')

    held = state("\n".join(lines))

    assert [command["name"] for command in held["commands"]] == ["x"]
    assert held["usage"] == {"used": 1, "size": 9, "cost": None}


def test_B06_a_permission_request_finds_its_tool_with_its_title() -> None:
    held = state(
        '< tool_call_update t1 {"title": "Ask", "rawInput": {"a": 1}}\n< #a1 permission t1 yes/no'
    )

    call = held["toolCalls"]["t1"]
    assert (call["title"], call["rawInput"]) == ("Ask", {"a": 1})


def test_B06_a_subject_that_comes_first_creates_its_tool() -> None:
    """The report says that it does not; the subject is an update like any other all the same."""
    held = state('< #a1 permission t1 yes/no\n< tool_call_update t1 {"title": "Ask"}')

    assert held["timeline"] == [["tool_call", "t1"]]
    assert held["toolCalls"]["t1"]["title"] == "Ask"


def test_B06_ids_in_another_subject_are_mere_references() -> None:
    held = state(
        '< raw {"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", "params": '
        '{"sessionId": "s1", "title": "OK?", "options": [{"optionId": "y", "name": "Y", "kind": '
        '"allow_once"}], "subject": {"type": "command", "command": "ls", "cwd": "/p", '
        '"toolCallId": "t1", "terminalId": "T1"}}}'
    )

    assert (held["toolCalls"], held["terminals"]) == ({}, {})
    assert held["permissions"][0]["status"] == "pending"


def test_B12_work_of_the_agents_own_needs_no_prompt_and_invents_no_message() -> None:
    held = state(
        f'{TURN}\n< tool_call_update b1 {{"status": "completed"}}\n< running\n'
        '< agent_message m2 "b1 is done"\n< idle end_turn'
    )

    assert ids(held) == ["u1", "b1", "m2"]
    assert held["foreground"]["completions"] == 2
    assert len(held["prompts"]) == 1


def test_B13_work_is_not_paired_with_prompts_by_order() -> None:
    held = state(
        f'{TURN}\n> #2 prompt "Q2"\n< running\n< agent_message m2 "about b1"\n< idle end_turn\n'
        '> #3 prompt "Q3"\n< #3 ok u3\n< user_message u3 "Q3"\n< running\n'
        '< agent_message m3 "about b2"\n< idle end_turn'
    )

    assert [(p["request"], p["status"], p["messageId"]) for p in held["prompts"]] == [
        (1, "accepted", "u1"),
        (2, "pending", None),
        (3, "accepted", "u3"),
    ]


def test_B14_an_unfinished_tool_does_not_keep_the_session_running() -> None:
    held = state(
        '< running\n< tool_call_update t1 {"status": "in_progress"}\n'
        '< agent_message m1 "started"\n< idle end_turn'
    )

    assert held["foreground"]["state"] == "idle"
    assert held["toolCalls"]["t1"]["status"] == "in_progress"


def test_B20_a_failure_is_the_states_and_no_reply_and_the_prompt_stays_accepted() -> None:
    held = state(
        'setup\n> #1 prompt "a"\n< #1 ok u1\n< running\n'
        '< idle error {"error": {"code": -32603, "message": "HTTP 400"}}'
    )

    assert held["foreground"]["error"] == {"code": -32603, "message": "HTTP 400"}
    assert held["messages"]["agent_message"] == {}
    assert held["prompts"][0]["status"] == "accepted"


def test_B29_the_first_answer_to_a_permission_stands() -> None:
    events = conversation(
        "< running\n< #a1 permission t1 yes/no\n< requires_action\n> cancel\n> #a1 cancelled\n"
        "< idle cancelled\n> #a1 selected yes"
    )
    reducer = Reducer(DRAFT)

    remarks = [remark for event in events for remark in reducer.apply(event)]

    held = reducer.snapshot("s1")
    assert held is not None
    assert held["permissions"][0]["outcome"] == {"outcome": "cancelled"}
    assert [(remark.line, remark.text) for remark in remarks] == [
        (7, 'the response to "a1" answers no open request: ignored')
    ]


def test_B50_streams_of_one_session_are_told_apart_by_their_ids() -> None:
    held = state(
        '< agent_message_chunk ma "A1"\n< agent_message_chunk mb "B1"\n'
        '< agent_message_chunk ma "A2"\n< agent_message_chunk mb "B2"'
    )

    assert texts(held, "agent_message", "ma") == ["A1", "A2"]
    assert texts(held, "agent_message", "mb") == ["B1", "B2"]
    assert ids(held) == ["ma", "mb"]


def test_B50_streams_in_child_sessions_stay_there() -> None:
    reducer = fold(
        conversation(
            '< subagent_update ca {"title": "A"}\n< subagent_update cb {"title": "B"}\n'
            '< [ca] agent_message_chunk m "A1"\n< [cb] agent_message_chunk m "B1"\n'
            '< [ca] agent_message_chunk m "A2"'
        ),
        DRAFT,
    )

    held = {session: reducer.snapshot(session) or {} for session in reducer.sessions()}
    assert texts(held["ca"], "agent_message", "m") == ["A1", "A2"]
    assert texts(held["cb"], "agent_message", "m") == ["B1"]
    assert held["s1"]["timeline"] == []


def test_B08_all_that_follows_the_prompts_response_is_applied() -> None:
    text = 'setup\n> #1 prompt "a"\n< #1 ok u1\n< user_message u1 "a"\n< running\n'
    many = "\n".join(f'< tool_call_update t{at} {{"status": "completed"}}' for at in range(300))

    held = state(f"{text}{many}\n< idle end_turn")

    assert len(held["toolCalls"]) == 300
    assert held["foreground"]["completions"] == 1


def test_B09_updates_between_turns_are_applied_and_are_no_work() -> None:
    held = state(
        f'{TURN}\n< session_info_update {{"title": "T"}}\n'
        '< tool_call_update bg1 {"status": "in_progress"}\n'
        '< tool_call_update bg1 {"status": "completed"}\n< usage_update {"used": 1, "size": 9}'
    )

    assert held["info"]["title"] == "T"
    assert held["toolCalls"]["bg1"]["status"] == "completed"
    assert (held["foreground"]["state"], held["foreground"]["completions"]) == ("idle", 1)


def test_B17_a_retry_after_a_lost_answer_is_a_message_of_its_own() -> None:
    held = state(
        'setup\n> #1 prompt "order"\n< user_message u1 "order"\n< running\nlost\n'
        '> #1 resume replay\n< user_message u1 "order"\n< #1 ok {}\n'
        '> #2 prompt "order"\n< #2 ok u2\n< user_message u2 "order"'
    )

    assert ids(held) == ["u1", "u2"]
    assert [(p["status"], p["messageId"]) for p in held["prompts"]] == [
        ("uncertain", None),
        ("accepted", "u2"),
    ]


def test_B45_what_is_not_understood_changes_its_own_section_only() -> None:
    known = '< running\n< usage_update {"used": 1, "size": 9}\n< agent_message m1 "A"\n'
    unknown = '< _vendor_metric {"n": 1}\n< future_thing m1 {"content": []}\n'
    ending = "< idle end_turn"

    without, held = state(known + ending), state(known + unknown + ending)

    assert [update["sessionUpdate"] for update in held.pop("unknown")] == [
        "_vendor_metric",
        "future_thing",
    ]
    assert held == {name: value for name, value in without.items() if name != "unknown"}
