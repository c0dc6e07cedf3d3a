"""The final states that were noted down when the conversations were recorded, said out loud.

`test_snapshots` has the first part of them and everything exactly; here are tools and permissions,
and what a client holds after an agent or a client that breaks a rule.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acpsim.reducer import fold
from acpsim.wire.trace import lost, read_trace
from tests.recorded.test_snapshots import NAMES, PLAIN, ended, ids, one, texts

HERE = Path(__file__).parent


def prompts(state: dict[str, Any]) -> list[tuple[str, str | int | None]]:
    """Each prompt's end: its message, or the code of its error."""
    return [
        (held["status"], held["messageId"] or (held["error"] or {}).get("code"))
        for held in state["prompts"]
    ]


def tool_texts(state: dict[str, Any], call: str = "call_1") -> list[str]:
    return [item["content"]["text"] for item in state["toolCalls"][call]["content"]]


def statuses(state: dict[str, Any]) -> list[str]:
    return [call["status"] for call in state["toolCalls"].values()]


def test_every_recorded_conversation_has_its_final_state_said_out_loud() -> None:
    files = (Path(__file__), HERE / "test_snapshots.py")
    said = "".join(path.read_text("utf-8") for path in files)

    assert len(NAMES) == 58
    assert [name for name in NAMES if f'"{name}"' not in said] == []


def test_a_failed_tool_and_its_notice_change_no_state() -> None:
    state = one("tool_failed")

    assert (statuses(state), tool_texts(state)) == (["failed"], ["timed out"])
    assert [notice["severity"] for notice in state["notices"]] == ["warning"]
    assert texts(state, "agent_message", "msg_agent_1") == ["Answered from memory."]
    assert ended(state) == ("idle", "end_turn", 1)


def test_a_rejected_tool_fails_and_the_turn_goes_on() -> None:
    state = one("permission_reject")

    assert state["permissions"][0]["outcome"] == {"outcome": "selected", "optionId": "no"}
    assert statuses(state) == ["failed"]
    assert texts(state, "agent_message", "msg_agent_1") == ["I left the file alone."]
    assert ended(state) == ("idle", "end_turn", 1)


def test_a_cancelled_tool_keeps_what_came_late_and_the_next_turn_runs() -> None:
    state = one("cancel_tool")

    assert (statuses(state), tool_texts(state)) == (["cancelled"], ["1 passed", "interrupted"])
    assert ids(state)[-2:] == ["user_message/msg_user_2", "agent_message/msg_agent_1"]
    assert ended(state) == ("idle", "end_turn", 2)


def test_a_cancel_while_idle_leaves_no_mark() -> None:
    state = one("cancel_idle")

    assert state["toolCalls"] == {}
    assert ended(state) == ("idle", "end_turn", 2)


def test_a_background_tool_ends_while_the_session_is_idle() -> None:
    state = one("background")

    assert (statuses(state), tool_texts(state)) == (["completed"], ["build 1 ok"])
    assert ended(state) == ("idle", "end_turn", 1)


def test_options_and_commands_are_the_last_full_lists() -> None:
    state = one("config")

    options = {option["configId"]: option["currentValue"] for option in state["configOptions"]}
    assert options == {"model": "small", "web": True}
    assert [command["name"] for command in state["commands"]] == ["help"]
    assert ended(state) == ("idle", "end_turn", 1)


@pytest.mark.parametrize(
    ("name", "expected", "ending"),
    [
        ("plain", [("accepted", "msg_user_1")], ("idle", "end_turn", 1)),
        (
            "cancel_before_insert",
            [("rejected", -32800), ("accepted", "msg_user_1")],
            ("idle", "end_turn", 2),
        ),
        (
            "cancel_held",
            [("accepted", "msg_user_1"), ("rejected", -32800)],
            ("idle", "cancelled", 1),
        ),
        (
            "withdraw",
            [("rejected", -32800), ("accepted", "msg_user_1")],
            ("idle", "end_turn", 1),
        ),
        ("reject", [("rejected", -32000), ("accepted", "msg_user_1")], ("idle", "end_turn", 1)),
        (
            "fail_after_insert",
            [("accepted", "msg_user_1"), ("accepted", "msg_user_2")],
            ("idle", "end_turn", 2),
        ),
        (
            "close_active",
            [("accepted", "msg_user_1"), ("rejected", -32800)],
            ("idle", "cancelled", 1),
        ),
        (
            "queue_next",
            [("accepted", "msg_user_1"), ("accepted", "msg_user_2")],
            ("idle", "end_turn", 2),
        ),
        ("broken_error_after_insert", [("rejected", -32603)], ("idle", "end_turn", 1)),
        (
            "broken_echo_after_reject",
            [("rejected", -32000), ("accepted", "msg_user_2")],
            ("idle", "end_turn", 1),
        ),
        ("broken_id_mismatch", [("accepted", "msg_user_1")], ("idle", "end_turn", 1)),
        ("broken_no_echo", [("accepted", "msg_user_1")], ("idle", "end_turn", 1)),
        ("broken_late_response", [("accepted", "msg_user_1")], ("idle", "end_turn", 1)),
        ("broken_hang_response", [("pending", None)], ("idle", "end_turn", 1)),
        (
            "broken_duplicate_message_id",
            [("accepted", "msg_user_1"), ("accepted", "msg_user_1")],
            ("idle", "end_turn", 1),
        ),
        (
            "broken_cancel_wrong_code",
            [("rejected", -32603), ("accepted", "msg_user_1")],
            ("idle", "end_turn", 2),
        ),
        (
            "broken_close_wrong_code",
            [("accepted", "msg_user_1"), ("rejected", -32603)],
            ("idle", "cancelled", 1),
        ),
        (
            "broken_client_image",
            [("rejected", -32602), ("accepted", "msg_user_1")],
            ("idle", "end_turn", 1),
        ),
        (
            "broken_resume_no_state",
            [("accepted", "msg_user_1"), ("accepted", "msg_user_2")],
            ("idle", "end_turn", 2),
        ),
    ],
)
def test_every_prompt_ends_as_it_was_answered_and_so_does_the_work(
    name: str, expected: list[tuple[str, str | int | None]], ending: tuple[str, str | None, int]
) -> None:
    state = one(name)

    assert prompts(state) == expected
    assert ended(state) == ending


@pytest.mark.parametrize(
    ("name", "timeline"),
    [
        ("broken_error_after_insert", PLAIN),
        ("broken_late_response", PLAIN),
        ("broken_hang_response", PLAIN),
        ("broken_missing_idle", PLAIN),
        ("broken_no_echo", PLAIN[1:]),
        ("broken_id_mismatch", ["user_message/msg_user_1_other", PLAIN[1]]),
        ("broken_echo_after_reject", [PLAIN[0], "user_message/msg_user_2", PLAIN[1]]),
        ("broken_update_after_close", [*PLAIN, "agent_message/msg_late"]),
        ("cancel_before_insert", PLAIN),
        ("withdraw", PLAIN),
        ("reject", PLAIN),
        ("broken_client_image", PLAIN),
        ("broken_cancel_wrong_code", PLAIN),
        (
            "broken_compaction_no_terminal",
            [
                "user_message/msg_user_1",
                "agent_message/msg_before",
                "compaction/cmp_1",
                "agent_message/msg_between",
            ],
        ),
    ],
)
def test_only_what_was_echoed_or_said_stands_in_the_timeline(
    name: str, timeline: list[str]
) -> None:
    assert ids(one(name)) == timeline


def test_two_prompts_answered_alike_have_one_message() -> None:
    messages = one("broken_duplicate_message_id")["messages"]["user_message"]

    assert list(messages) == ["msg_user_1"]


@pytest.mark.parametrize(
    ("name", "expected", "ending"),
    [
        ("cancel_held", ["cancelled"], ("idle", "cancelled", 1)),
        ("close_active", ["cancelled"], ("idle", "cancelled", 1)),
        ("fail_after_insert", ["failed"], ("idle", "end_turn", 2)),
        ("broken_idle_before_updates", ["cancelled"], ("idle", "cancelled", 1)),
        ("broken_cancel_as_error", ["cancelled"], ("idle", "error", 1)),
        ("broken_cancel_ignored", ["completed"], ("idle", "cancelled", 1)),
        ("broken_close_wrong_code", ["cancelled"], ("idle", "cancelled", 1)),
        ("broken_tool_left_open", ["in_progress"], ("idle", "end_turn", 2)),
        ("broken_client_hang_permission", ["cancelled"], ("idle", "cancelled", 1)),
        ("broken_client_unoffered_option", ["failed"], ("idle", "end_turn", 1)),
    ],
)
def test_tools_end_as_they_were_reported_or_marked(
    name: str, expected: list[str], ending: tuple[str, str | None, int]
) -> None:
    state = one(name)

    assert statuses(state) == expected
    assert ended(state) == ending


def test_an_abort_that_surfaced_as_an_error_is_held_as_one() -> None:
    assert one("broken_cancel_as_error")["foreground"]["error"]["code"] == -32603


@pytest.mark.parametrize(
    ("name", "status", "outcome"),
    [
        ("broken_client_hang_permission", "pending", None),
        (
            "broken_client_unoffered_option",
            "answered",
            {"outcome": "selected", "optionId": "always-yes"},
        ),
        ("broken_cancel_ignored", "answered", {"outcome": "cancelled"}),
    ],
)
def test_permissions_end_as_the_client_answered(
    name: str, status: str, outcome: dict[str, str] | None
) -> None:
    held = one(name)["permissions"]

    assert [(p["status"], p["outcome"]) for p in held] == [(status, outcome)]


def test_a_tool_id_used_again_is_one_tool_with_what_was_not_replaced() -> None:
    call = one("broken_reuse_tool_id")["toolCalls"]["call_1"]

    assert (call["title"], call["name"], call["kind"], call["status"]) == (
        "Delete build directory",
        "remove",
        "delete",
        "completed",
    )
    assert (call["content"], call["rawOutput"], len(call["locations"])) == ([], {"errors": 0}, 1)


def test_a_compaction_without_an_end_stays_in_progress() -> None:
    state = one("broken_compaction_no_terminal")
    held = state["compactions"]["cmp_1"]

    assert (held["status"], len(held["summary"])) == ("in_progress", 2)
    assert ended(state) == ("idle", "end_turn", 1)


def test_a_replay_under_new_ids_doubles_every_message() -> None:
    state = one("broken_replay_new_ids")

    assert texts(state, "agent_message", "replayed_3") == texts(state, "agent_message", "out_1")
    assert [entry for entry in ids(state) if "replayed" in entry] == [
        "user_message/replayed_1",
        "agent_thought/replayed_2",
        "agent_message/replayed_3",
        "user_message/replayed_4",
        "agent_message/replayed_5",
    ]
    assert ended(state) == ("idle", "end_turn", 3)


@pytest.mark.parametrize("name", ["broken_update_after_close", "broken_close_wrong_code"])
def test_what_was_closed_stays_closed(name: str) -> None:
    assert one(name)["closed"] is True


def test_a_resumed_session_is_open_again() -> None:
    assert one("broken_resume_no_state")["closed"] is False


def test_an_uncertain_prompt_is_so_only_when_the_connection_is_gone() -> None:
    with open(HERE / "broken_hang_response.jsonl", "rb") as stream:
        trace = read_trace(stream)
    state = fold([*trace.events, lost()], trace.edition).snapshot("sess_1")

    assert state is not None
    assert prompts(state) == [("uncertain", None)]
    assert ended(state) == ("idle", "end_turn", 1)
