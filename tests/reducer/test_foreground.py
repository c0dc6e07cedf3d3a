"""The foreground state, cancel marks, and what does not move them."""

from __future__ import annotations

from typing import Any

import pytest

from acpsim.wire.edition import SDK_2_4
from tests.reducer.states import state


def foreground(text: str, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = state(text, **options)["foreground"]
    return found


def test_a_new_session_is_idle_and_has_ended_nothing() -> None:
    assert foreground('< agent_message m1 "A"') == {
        "state": "idle",
        "confirmed": True,
        "stopReason": None,
        "error": None,
        "usage": None,
        "completions": 0,
    }


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ('{"stopReason": "quota"}', "quota"),
        ('{"stopReason": 7}', None),
        ('{"stopReason": null}', None),
        ("{}", None),
        ('{"stopReason": "_x"}', "_x"),
        ('{"stopReason": {"a": 1}}', None),
        ('{"stopReason": "error", "error": "text"}', "error"),
    ],
)
def test_idle_ends_the_work_whatever_its_stop_reason(fields: str, kept: str | None) -> None:
    """B21: STATE-CLIENT-IDLE."""
    found = foreground(f"< running\n< idle {fields}")

    assert (found["state"], found["completions"], found["stopReason"]) == ("idle", 1, kept)
    assert found["error"] is None


def test_a_malformed_usage_does_not_cost_the_idle() -> None:
    """STATE-USAGE-TOLERANT."""
    found = foreground('< running\n< idle end_turn {"usage": {"totalTokens": "many"}}')

    assert (found["state"], found["usage"]) == ("idle", None)


def test_an_error_is_held_until_work_begins_again() -> None:
    failed = '< running\n< idle error {"error": {"code": -32603, "message": "no"}}'

    assert foreground(failed)["error"] == {"code": -32603, "message": "no"}
    assert foreground(f"{failed}\n< running")["error"] is None


def test_an_error_beside_another_stop_reason_is_an_unknown_field() -> None:
    found = foreground('< running\n< idle end_turn {"error": {"code": 1, "message": "x"}}')

    assert found["error"] is None


def test_a_repeated_idle_is_no_completion_and_keeps_what_it_does_not_carry() -> None:
    found = foreground('< running\n< idle end_turn\n< idle\n< idle {"usage": null}')

    assert (found["completions"], found["stopReason"]) == (1, "end_turn")


def test_a_repeated_idle_replaces_what_it_carries() -> None:
    assert foreground("< running\n< idle end_turn\n< idle cancelled")["stopReason"] == "cancelled"


def test_unknown_keeps_the_last_known_state_unconfirmed() -> None:
    """STATE-UNKNOWN."""
    found = foreground("< running\n< unknown")

    assert (found["state"], found["confirmed"], found["completions"]) == ("running", False, 0)
    assert foreground("< running\n< unknown\n< idle end_turn")["completions"] == 1


def test_a_state_that_is_not_understood_is_kept_unconfirmed_and_is_not_idle() -> None:
    found = foreground('< state_update {"state": "_dreaming"}')

    assert (found["state"], found["confirmed"]) == ("_dreaming", False)


@pytest.mark.parametrize(
    "update",
    [
        '< agent_message m1 "A"',
        '< tool_call_update t1 {"status": "in_progress"}',
        '< plan_update p1 {"type": "markdown", "content": "- [ ] a"}',
        '< notice {"severity": "error", "title": "Down"}',
        '< terminal_output_chunk T "aGk="',
        "< _vendor_thing {}",
        '< usage_update {"used": 1, "size": 2}',
    ],
)
def test_no_other_update_moves_the_foreground_state(update: str) -> None:
    """B07, B09, B11: STATE-BACKGROUND, NOTICE-NO-EFFECT."""
    turn = "< running\n< idle end_turn"

    assert foreground(f"{turn}\n{update}") == foreground(turn)
    assert foreground(f"< running\n{update}") == foreground("< running")


def test_a_prompts_response_moves_nothing() -> None:
    """B08: PROMPT-NOT-IDLE."""
    turn = 'setup\n> #1 prompt "hi"\n< running'

    assert foreground(f"{turn}\n< #1 ok u1") == foreground(turn)
    assert foreground(f"{turn}\n< #1 error -32000") == foreground(turn)


def test_neither_a_permission_request_nor_its_answer_moves_the_state() -> None:
    """B31: STATE-PERMISSION."""
    asked = "< running\n< #a1 permission t1\n< #a2 permission t2\n< requires_action"
    held = state(f"{asked}\n> #a1 selected yes")

    assert held["foreground"]["state"] == "requires_action"
    assert [p["status"] for p in held["permissions"]] == ["answered", "pending"]


def test_a_cancel_marks_the_unfinished_tools_of_this_work_and_no_others() -> None:
    """CANCEL-MARK-TOOLS."""
    held = state(
        '< running\n< tool_call_update old {"status": "in_progress"}\n< idle end_turn\n'
        '< tool_call_update between {"status": "in_progress"}\n< running\n'
        '< tool_call_update open {"status": "in_progress"}\n'
        '< tool_call_update done {"status": "completed"}\n> cancel'
    )

    assert {key: call["status"] for key, call in held["toolCalls"].items()} == {
        "old": "in_progress",
        "between": "in_progress",
        "open": "cancelled",
        "done": "completed",
    }


def test_a_cancel_while_idle_marks_nothing() -> None:
    held = state('< tool_call_update b1 {"status": "in_progress"}\n> cancel')

    assert held["toolCalls"]["b1"]["status"] == "in_progress"


def test_listed_background_work_is_spared_where_the_edition_lists_it() -> None:
    held = state(
        '< running\n< tool_call_update b1 {"status": "in_progress"}\n'
        '< running {"background": [{"type": "tool_call", "toolCallId": "b1"}]}\n> cancel',
        edition=SDK_2_4,
    )

    assert held["toolCalls"]["b1"]["status"] == "in_progress"


def test_a_late_update_patches_over_the_mark() -> None:
    """CANCEL-LATE-UPDATES."""
    held = state(
        '< running\n< tool_call_update t1 {"status": "in_progress"}\n> cancel\n'
        '< tool_call_update t1 {"status": "completed", "title": "T"}'
    )

    assert (held["toolCalls"]["t1"]["status"], held["toolCalls"]["t1"]["title"]) == (
        "completed",
        "T",
    )


@pytest.mark.parametrize(
    ("report", "background"),
    [
        ('< running {"background": []}', []),
        ("< running", None),
        ('< running {"background": null}', None),
        ('< running {"background": 7}', None),
        ('< running {"background": [{"type": "tool_call"}]}', None),
    ],
)
def test_background_is_a_full_list_or_not_reported(report: str, background: object) -> None:
    assert foreground(report, edition=SDK_2_4)["background"] == background


def test_the_draft_knows_no_background_list() -> None:
    assert "background" not in foreground('< running {"background": []}')


def test_work_may_begin_blocked_or_in_a_state_that_is_not_understood() -> None:
    for first in ("requires_action", 'state_update {"state": "_dreaming"}'):
        held = state(
            f'< {first}\n< tool_call_update t1 {{"status": "in_progress"}}\n< running\n> cancel\n'
            "< idle cancelled"
        )

        assert held["toolCalls"]["t1"]["status"] == "cancelled"
        assert held["foreground"]["completions"] == 1


def test_a_cancel_marks_while_the_state_is_unknown_as_while_it_was_last_known() -> None:
    """STATE-UNKNOWN ends no work."""
    held = state('< running\n< tool_call_update t1 {"status": "in_progress"}\n< unknown\n> cancel')

    assert held["toolCalls"]["t1"]["status"] == "cancelled"


def test_a_tool_first_seen_by_a_chunk_or_a_permission_belongs_to_the_work_too() -> None:
    held = state('< running\n< tool_call_content_chunk t1 "a"\n< #a1 permission t2\n> cancel')

    assert [call["status"] for call in held["toolCalls"].values()] == ["cancelled", "cancelled"]


def test_a_mark_is_left_alone_by_what_does_not_name_the_status() -> None:
    held = state(
        '< running\n< tool_call_update t1 {"status": "in_progress"}\n> cancel\n'
        '< tool_call_content_chunk t1 "late"\n< tool_call_update t1 {"title": "T"}'
    )

    assert held["toolCalls"]["t1"]["status"] == "cancelled"


def test_a_cancel_touches_only_its_own_session() -> None:
    held = state(
        '< running\n< tool_call_update t1 {"status": "in_progress"}\n> [s2] cancel',
    )

    assert held["toolCalls"]["t1"]["status"] == "in_progress"


def test_a_cancel_that_the_agent_sends_does_not_travel_that_way() -> None:
    held = state(
        '< running\n< tool_call_update t1 {"status": "in_progress"}\n'
        '< raw {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s1"}}'
    )

    assert held["toolCalls"]["t1"]["status"] == "in_progress"


def test_a_tool_of_earlier_work_that_is_updated_now_is_not_of_this_work() -> None:
    held = state(
        '< running\n< tool_call_update b1 {"status": "in_progress"}\n< idle end_turn\n< running\n'
        '< tool_call_update b1 {"title": "T"}\n> cancel'
    )

    assert held["toolCalls"]["b1"]["status"] == "in_progress"


def test_an_unknown_state_is_not_taken_for_the_end_when_idle_was_last_known() -> None:
    found = foreground("< running\n< idle end_turn\n< unknown\n< idle")

    assert (found["completions"], found["confirmed"], found["stopReason"]) == (1, True, "end_turn")


def test_an_outcome_beside_a_state_that_is_not_idle_is_an_unknown_field() -> None:
    found = foreground(
        '< running {"stopReason": "end_turn", "usage": {"totalTokens": 1, "inputTokens": 1, '
        '"outputTokens": 0}}'
    )

    assert (found["state"], found["stopReason"], found["usage"]) == ("running", None, None)


def test_a_report_without_a_state_changes_nothing() -> None:
    for fields in ("{}", '{"state": null}', '{"state": 7}'):
        assert foreground(f"< running\n< state_update {fields}") == foreground("< running")


def test_null_in_a_repeated_idle_reports_nothing_and_so_replaces_nothing() -> None:
    """Omitted and null mean the same of an outcome: "Failures", "End-Turn Token Usage"."""
    ended = (
        '< running\n< idle error {"error": {"code": 1, "message": "m"}, "usage": '
        '{"totalTokens": 1, "inputTokens": 1, "outputTokens": 0}}'
    )

    again = f'{ended}\n< idle {{"stopReason": null, "error": null, "usage": null}}'

    assert foreground(again) == foreground(ended)
