"""What a client holds at the end of each real conversation, stored exactly, in both editions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acpsim.reducer import fold
from acpsim.wire.edition import EDITIONS, SDK_2_4, Edition
from acpsim.wire.trace import read_trace

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in HERE.glob("*.jsonl"))
STORED = HERE / "snapshots"


def final(name: str, edition: Edition | None = None) -> dict[str, Any]:
    """Every session at the end of a recorded conversation, in its own edition or another."""
    with open(HERE / f"{name}.jsonl", "rb") as stream:
        trace = read_trace(stream, edition=edition)
    reducer = fold(trace.events, trace.edition)
    return {session: reducer.snapshot(session) for session in reducer.sessions()}


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.parametrize("name", NAMES)
def test_the_final_state_is_the_stored_one(name: str, edition: str, update: bool) -> None:
    actual = final(name, EDITIONS[edition])
    path = STORED / f"{name}.{edition}.json"
    if update:
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(actual, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    expected = json.loads(path.read_text(encoding="utf-8"))

    assert expected == actual


def one(name: str, session: str = "sess_1", edition: Edition | None = None) -> dict[str, Any]:
    state: dict[str, Any] = final(name, edition)[session]
    return state


def ids(state: dict[str, Any]) -> list[str]:
    return [f"{kind}/{identity}" for kind, identity in state["timeline"]]


def texts(state: dict[str, Any], kind: str, identity: str) -> list[str]:
    return [block.get("text", "") for block in state["messages"][kind][identity]["content"]]


def ended(state: dict[str, Any]) -> tuple[str, str | None, int]:
    foreground = state["foreground"]
    return foreground["state"], foreground["stopReason"], foreground["completions"]


PLAIN = ["user_message/msg_user_1", "agent_message/msg_agent_1"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "Here is the answer."),
        ("update_first", "Answer after an early echo."),
        ("user_chunks", "Echo was streamed."),
        ("local_command", "Commands: /help"),
    ],
)
def test_one_turn_leaves_one_message_each_and_one_completion(name: str, text: str) -> None:
    state = one(name)

    assert ids(state) == PLAIN
    assert texts(state, "agent_message", "msg_agent_1") == [text]
    assert ended(state) == ("idle", "end_turn", 1)
    assert [p["messageId"] for p in state["prompts"]] == ["msg_user_1"]


def test_thought_and_reply_of_one_id_are_two_entities() -> None:
    state = one("stream")

    assert texts(state, "agent_thought", "out_1") == ["The loop body ", "looks fine."]
    assert texts(state, "agent_message", "out_1") == ["I will ", "read the file", " and report."]
    assert state["messages"]["agent_message"]["out_1"]["meta"] is None
    assert state["foreground"]["usage"]["totalTokens"] == 150


def test_a_tools_content_is_what_replaced_it_last() -> None:
    call = one("tool_call")["toolCalls"]["call_1"]

    assert call["status"] == "completed"
    assert [item["content"]["text"] for item in call["content"]] == ["No errors found."]
    assert (call["title"], call["name"], call["kind"]) == ("Check main.py", "check_syntax", "read")
    assert len(call["locations"]) == 1


def test_a_permission_requests_own_title_changes_nothing() -> None:
    state = one("permission_allow")

    assert state["toolCalls"]["call_1"]["title"] == "Edit main.py"
    assert [p["status"] for p in state["permissions"]] == ["answered"]
    assert ended(state) == ("idle", "end_turn", 1)


@pytest.mark.parametrize("name", ["permission_cancel", "permission_cascade"])
def test_a_cancelled_permission_is_answered_and_its_tool_cancelled(name: str) -> None:
    state = one(name)

    assert state["permissions"][0]["outcome"] == {"outcome": "cancelled"}
    assert state["toolCalls"]["call_1"]["status"] == "cancelled"
    assert ended(state)[:2] == ("idle", "cancelled")


@pytest.mark.parametrize(
    ("name", "statuses", "completions"),
    [
        ("cancel_before_insert", ["rejected", "accepted"], 2),
        ("cancel_held", ["accepted", "rejected"], 1),
        ("withdraw", ["rejected", "accepted"], 1),
        ("reject", ["rejected", "accepted"], 1),
        ("fail_after_insert", ["accepted", "accepted"], 2),
        ("queue_next", ["accepted", "accepted"], 2),
        ("cancel_idle", ["accepted", "accepted"], 2),
        ("close_active", ["accepted", "rejected"], 1),
    ],
)
def test_prompts_end_as_they_were_answered(
    name: str, statuses: list[str], completions: int
) -> None:
    state = one(name)

    assert [p["status"] for p in state["prompts"]] == statuses
    assert state["foreground"]["completions"] == completions


@pytest.mark.parametrize("name", ["close_active", "close_idle"])
def test_a_closed_session_is_closed(name: str) -> None:
    assert one(name)["closed"] is True


def test_a_bare_repeated_idle_keeps_the_outcome_of_the_work() -> None:
    """The recording's own notes say that none stands; that choice was taken back since."""
    foreground = one("background_list")["foreground"]

    assert foreground["stopReason"] == "end_turn"
    assert foreground["background"] == []
    assert foreground["completions"] == 1


def test_plans_are_replaced_whole_and_removed_one_by_one() -> None:
    plans = one("plans")["plans"]

    assert [entry["status"] for entry in plans["plan-1"]["entries"]] == ["completed", "cancelled"]
    assert plans["plan-3"]["type"] == "_graph"
    assert "plan-2" not in plans


def test_terminal_bytes_are_whole_again() -> None:
    import base64

    terminal = one("terminal")["terminals"]["term_1"]
    output = base64.b64decode(terminal["output"]).decode()

    assert output == "collected 2\r\nhéllo ✓ \x1b[32mok\x1b[0m 🚀\r\n"
    assert terminal["exitStatus"]["exitCode"] == 0
    assert terminal["meta"] == {"pid": 7}


def test_notices_are_kept_in_order_and_change_nothing() -> None:
    state = one("notices")

    assert [n["severity"] for n in state["notices"]] == ["info", "error", "_celebration", "warning"]
    assert ended(state) == ("idle", "end_turn", 1)


def test_compactions_stand_where_they_were_first_seen() -> None:
    state = one("compaction")

    assert ids(state) == [
        "user_message/msg_user_1",
        "agent_message/msg_before",
        "compaction/cmp_1",
        "agent_message/msg_between",
        "compaction/cmp_2",
        "compaction/cmp_3",
        "agent_message/msg_after",
    ]
    assert state["compactions"]["cmp_3"]["summary"] == []
    assert state["compactions"]["cmp_1"]["meta"] == {"pass": 2, "trigger": None}


def test_metadata_is_patched_by_key_in_the_other_edition() -> None:
    assert one("compaction", edition=SDK_2_4)["compactions"]["cmp_1"]["meta"] == {"pass": 2}
    assert one("usage", edition=SDK_2_4)["info"]["meta"] == {"pinned": True, "size": 2}
    assert one("usage")["info"]["meta"] == {"color": None, "size": 2}


def test_an_omitted_cost_keeps_the_last() -> None:
    assert one("usage")["usage"] == {
        "used": 54100,
        "size": 200000,
        "cost": {"amount": 0.045, "currency": "USD"},
    }


def test_null_identities_stay_or_go_by_edition() -> None:
    draft = one("session_messages")["messages"]["session_message"]["x1"]
    other = one("session_messages", edition=SDK_2_4)["messages"]["session_message"]["x1"]

    assert (draft["senderSessionId"], draft["recipientSessionId"]) == ("sess_1", "sess_peer")
    assert (other["senderSessionId"], other["recipientSessionId"]) == (None, None)
    assert draft["meta"] == {"read": True}
    assert other["meta"] == {"read": True, "via": "bus"}


def test_a_childs_states_are_its_own() -> None:
    parent, child = one("subagent"), one("subagent", "sess_1_child")

    assert ended(parent) == ("idle", "end_turn", 1)
    assert ended(child) == ("idle", "end_turn", 1)
    assert child["foreground"]["confirmed"] is True
    assert parent["subagents"]["sess_1_child"]["state"]["state"] == "idle"


def test_a_replay_over_what_is_held_doubles_nothing() -> None:
    state = one("resume_replay")

    assert texts(state, "agent_message", "out_1") == ["I will ", "read the file", " and report."]
    assert len(state["timeline"]) == 8
    assert state["foreground"]["completions"] == 3
    assert state["closed"] is False


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("broken_missing_idle", ("running", None, 0)),
        ("broken_bad_stop_reason", ("idle", "stopped_by_policy", 1)),
        ("broken_malformed_usage", ("idle", "end_turn", 1)),
        ("broken_cancel_as_error", ("idle", "error", 1)),
        ("broken_cancel_ignored", ("idle", "cancelled", 1)),
    ],
)
def test_broken_conversations_are_reduced_all_the_same(
    name: str, ending: tuple[str, str | None, int]
) -> None:
    assert ended(one(name)) == ending


def test_the_unusable_notice_is_not_kept() -> None:
    assert len(one("broken_notice_empty_title")["notices"]) == 4


def test_nothing_of_an_unknown_session_leaks_into_another() -> None:
    assert ids(one("broken_unknown_session")) == PLAIN
