"""STATE-*: what an agent reports about its foreground work."""

from __future__ import annotations

import pytest

from tests.rules.both_ways import BREAKS, found, report

START = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
"""
TURN = (
    START
    + """
< agent_message m1 "hello"
< idle end_turn
"""
)
ASK = (
    START
    + """
< tool_call_update t1 {"title": "Edit", "status": "pending"}
< #a1 permission t1 yes/no
< requires_action
"""
)


# ---------------------------------------------------------------- STATE-RUNNING


def test_text_while_idle_is_told_at_the_text() -> None:
    assert found("STATE-RUNNING", BREAKS["STATE-RUNNING"]) == ["11 suspect"]


def test_text_that_running_follows_is_no_remark() -> None:
    later = TURN + '< agent_message m2 "done"\n< running\n< idle end_turn'

    assert found("STATE-RUNNING", later) == []


def test_text_while_idle_is_told_at_the_end_of_the_conversation_too() -> None:
    assert found("STATE-RUNNING", TURN + '< agent_message m2 "done"') == ["11 suspect"]


def test_text_while_idle_waits_in_a_conversation_that_goes_on() -> None:
    assert found("STATE-RUNNING", TURN + '< agent_message m2 "done"', complete=False) == []


def test_background_activity_needs_no_running() -> None:
    """B12, B14: a detached tool call goes on and ends while the session is idle."""
    background = (
        TURN
        + """
< tool_call_update b1 {"title": "Build", "status": "in_progress"}
< terminal_update T1 {"command": "make"}
< terminal_output_chunk T1 {"data": "aGk="}
< plan_update p1
< tool_call_update b1 {"status": "completed"}
< idle end_turn
"""
    )

    assert report(background).findings == []


def test_updates_outside_any_prompt_are_legal() -> None:
    """B09: a client that listened during prompts only took all of these for faults."""
    outside = 'setup\n< available_commands_update {"availableCommands": []}\n' + TURN.replace(
        "setup", ""
    )
    outside += """
< session_info_update {"title": "T"}
< tool_call_update bg1 {"title": "Detached", "status": "in_progress"}
< tool_call_update bg1 {"status": "completed"}
< usage_update {"used": 1, "size": 9}
"""

    assert report(outside).findings == []


def test_work_that_starts_blocked_is_running_first_in_the_draft_only() -> None:
    blocked = TURN + "< requires_action\n< running\n< idle end_turn"

    assert found("STATE-RUNNING", blocked) == ["11 suspect"]
    assert found("STATE-RUNNING", (blocked, "sdk-2.4")) == []


def test_replayed_text_is_no_unreported_work() -> None:
    replayed = TURN + '> #2 close\n< #2 ok {}\n> #3 resume replay\n< agent_message m1 "hello"\n'

    assert found("STATE-RUNNING", replayed + "< idle end_turn\n< #3 ok {}") == []


def test_text_of_a_session_nobody_opened_is_no_unreported_work() -> None:
    assert found("STATE-RUNNING", TURN + '< [ghost] agent_message m9 "boo"') == []


# ---------------------------------------------------------------- STATE-IDLE


def test_missing_idle_is_told_at_the_last_report() -> None:
    assert found("STATE-IDLE", BREAKS["STATE-IDLE"]) == ["8 definite"]


def test_missing_idle_is_open_while_the_conversation_goes_on() -> None:
    result = report(BREAKS["STATE-IDLE"], complete=False)

    assert [(f.rule, f.line) for f in result.open if f.rule == "STATE-IDLE"] == [("STATE-IDLE", 8)]
    assert result.findings == []


def test_failure_without_an_end_is_a_missing_idle() -> None:
    """B15: an internal failure was not followed by an end; the client waited for ever."""
    failed = START + '< tool_call_update t1 {"title": "Search", "status": "in_progress"}'

    assert found("STATE-IDLE", failed) == ["8 definite"]


def test_a_lost_connection_voids_the_idle() -> None:
    assert found("STATE-IDLE", START + "lost") == []


def test_deleting_the_session_voids_the_idle() -> None:
    deleted = START + '> #7 session/delete {"sessionId": "s1"}\n< #7 ok {}'

    assert found("STATE-IDLE", deleted) == []


def test_closing_without_an_idle_is_told_once() -> None:
    closed = START + "> #7 close\n< #7 ok {}"

    assert found("STATE-IDLE", closed) == ["8 definite"]
    assert found("STATE-IDLE", (closed, "sdk-2.4")) == []
    assert found("CLOSE-CANCELS", (closed, "sdk-2.4")) == ["10 definite"]


def test_requires_action_owes_an_idle_too() -> None:
    """B05: the agent could not read the answer, and the work hung."""
    assert found("STATE-IDLE", ASK + "> #a1 selected yes") == ["11 definite"]


def test_unknown_owes_no_idle() -> None:
    assert found("STATE-IDLE", START + "< unknown") == []


def test_a_detached_tool_call_does_not_keep_the_session_busy() -> None:
    """B14: idle is due although the tool call goes on; leaving the call open is no fault."""
    detached = START + '< tool_call_update t1 {"title": "Watch", "status": "in_progress"}\n'

    assert report(detached + '< agent_message m1 "started"\n< idle end_turn').findings == []


# ---------------------------------------------------------------- stop reasons and errors


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ('"quota"', "STATE-STOP-REASON-VALUE"),
        ("7", "UPDATE-SHAPE"),
        ("null", "STATE-STOP-REASON"),
        ('"_x"', None),
        ('{"a": 1}', "UPDATE-SHAPE"),
    ],
)
def test_each_stop_reason_outside_the_list_is_told_once(reason: str, rule: str | None) -> None:
    """B21: each of these ended the work, and a strict client threw the end away."""
    findings = report(START + f'< idle {{"stopReason": {reason}}}').findings

    assert [f.rule for f in findings] == ([] if rule is None else [rule])
    assert all(f.line == 9 for f in findings)


def test_malformed_error_is_told_as_shape_alone() -> None:
    """B21: stop reason error with a text where the error object belongs."""
    findings = report(START + '< idle error {"error": "text"}').findings

    assert [f.rule for f in findings] == ["UPDATE-SHAPE"]


def test_idle_that_repeats_needs_no_stop_reason() -> None:
    assert found("STATE-STOP-REASON", TURN + "< idle") == []


def test_idle_after_unknown_needs_no_stop_reason() -> None:
    assert found("STATE-STOP-REASON", START + "< unknown\n< idle") == []


def test_stop_reason_of_a_mirrored_state_is_looked_at() -> None:
    mirrored = TURN + '< subagent_update c1 {"state": {"state": "idle", "stopReason": "bored"}}'

    assert found("STATE-STOP-REASON-VALUE", mirrored) == ["11 definite"]


def test_clean_end_without_output_is_no_provable_failure() -> None:
    """B20: a failed model call ended in end_turn; nothing on the wire proves it."""
    assert report(START + "< idle end_turn").findings == []


def test_error_before_any_output_is_right() -> None:
    """B20: the right form, and the error goes with the next running."""
    failed = START + '< idle error {"error": {"code": -32603, "message": "HTTP 400"}}\n'

    assert report(failed + '< running\n< agent_message m1 "ok"\n< idle end_turn').findings == []


def test_repeated_error_idle_needs_no_details_again() -> None:
    failed = START + '< idle error {"error": {"code": 1, "message": "x"}}\n< idle error'

    assert found("STATE-ERROR-FIELD", failed) == []


def test_error_beside_a_custom_stop_reason_is_the_editions_to_say() -> None:
    custom = START + '< idle _mine {"error": {"code": 1, "message": "x"}}'

    assert found("STATE-ERROR-MISPLACED", custom) == ["9 definite"]
    assert found("STATE-ERROR-MISPLACED", (custom, "sdk-2.4")) == []


def test_error_beside_running_is_misplaced() -> None:
    wrong = TURN + '< running {"error": {"code": 1, "message": "x"}}\n< idle end_turn'

    assert found("STATE-ERROR-MISPLACED", wrong) == ["11 definite"]


# ---------------------------------------------------------------- STATE-PENDING-BEFORE-IDLE

TAIL = (
    START
    + """
< agent_message_chunk m1 "Hel"
< tool_call_update t1 {"title": "Run", "status": "in_progress"}
"""
)


def test_late_text_is_told_and_a_late_end_of_a_tool_call_is_not() -> None:
    """B07: the end of the turn went out while the pipe still held the tail."""
    late = '< idle end_turn\n< agent_message_chunk m1 "lo"\n< tool_call_update t1 '

    assert found("STATE-PENDING-BEFORE-IDLE", TAIL + late + '{"status": "completed"}') == [
        "12 suspect"
    ]


def test_late_end_of_a_tool_call_is_told_after_a_cancel() -> None:
    late = '> cancel\n< idle cancelled\n< tool_call_update t1 {"status": "cancelled"}'

    assert found("STATE-PENDING-BEFORE-IDLE", TAIL + late) == ["13 suspect"]


@pytest.mark.parametrize(
    ("listed", "told"),
    [("[]", ["12 suspect"]), ('[{"type": "tool_call", "toolCallId": "t1"}]', [])],
)
def test_the_background_list_tells_which_calls_go_on(listed: str, told: list[str]) -> None:
    late = f'< idle end_turn {{"background": {listed}}}\n'
    late += '< tool_call_update t1 {"status": "completed"}'

    assert found("STATE-PENDING-BEFORE-IDLE", (TAIL + late, "sdk-2.4")) == told


def test_many_late_chunks_of_one_message_are_one_remark() -> None:
    late = TURN + '< agent_message_chunk m1 "a"\n' * 5

    assert found("STATE-PENDING-BEFORE-IDLE", late) == ["11 suspect"]


def test_a_late_plan_is_background_activity() -> None:
    """B11: the client took a plan that was ever shown for live work."""
    plan = (
        TURN
        + """
< tool_call_update t9 {"title": "Detached", "status": "completed"}
< plan_update p1 {"entries": [{"content": "x", "priority": "low", "status": "in_progress"}]}
"""
    )

    assert report(plan).findings == []


# ---------------------------------------------------------------- requires_action

ANSWERED = (
    START
    + """
< tool_call_update t1 {"title": "Edit", "status": "pending"}
< #a1 permission t1 yes/no
> #a1 selected yes
"""
)


def test_requires_action_that_crossed_the_answer_is_no_remark() -> None:
    assert found("STATE-REQUIRES-ACTION", ANSWERED + "< requires_action\n< running") == []


def test_blocked_work_that_stayed_running_is_told_at_the_answer() -> None:
    assert found("STATE-REQUIRES-ACTION", ANSWERED + "< idle end_turn") == ["11 suspect"]


def test_work_that_went_on_meanwhile_was_not_blocked() -> None:
    went_on = ANSWERED.replace("> #a1", '< agent_message m1 "meanwhile"\n> #a1')

    assert found("STATE-REQUIRES-ACTION", went_on + "< idle end_turn") == []


def test_a_background_request_while_idle_needs_no_report() -> None:
    background = TURN + "< #a1 permission - yes/no\n> #a1 selected yes\n< running\n< idle end_turn"

    assert found("STATE-REQUIRES-ACTION", background) == []


def test_two_requests_and_one_report_are_right() -> None:
    """B31: after the first answer the work is still blocked on the second."""
    two = (
        START
        + """
< tool_call_update t1 {"title": "A", "status": "pending"}
< tool_call_update t2 {"title": "B", "status": "pending"}
< #a1 permission t1 yes/no
< #a2 permission t2 yes/no
< requires_action
> #a1 selected yes
> #a2 selected no
< running
< tool_call_update t1 {"status": "in_progress"}
< tool_call_update t2 {"status": "failed"}
< tool_call_update t1 {"status": "completed"}
< idle end_turn
"""
    )

    assert report(two).findings == []


def test_work_that_resumes_in_silence_is_told_once() -> None:
    more, _ = BREAKS["STATE-RESUME-RUNNING"]
    more = more.replace("< idle", '< agent_message m1 "a"\n< agent_message m2 "b"\n< idle')

    assert found("STATE-RESUME-RUNNING", more) == ["13 suspect"]


def test_text_while_a_request_is_open_proves_no_resumption() -> None:
    assert found("STATE-RESUME-RUNNING", ASK + '< agent_message m1 "other work"') == []


def test_requires_action_may_end_in_idle() -> None:
    assert report(ASK + "> #a1 selected no\n< idle end_turn").findings == []


# ---------------------------------------------------------------- STATE-FAILED-TOOLS


def test_a_call_left_open_is_told_at_the_idle_once_new_work_begins() -> None:
    left, _ = BREAKS["STATE-FAILED-TOOLS"]

    assert found("STATE-FAILED-TOOLS", left + "< running\n< idle end_turn") == ["10 suspect"]
    assert found("STATE-FAILED-TOOLS", left) == ["10 suspect"]


def test_a_call_that_ends_while_idle_was_detached() -> None:
    left, _ = BREAKS["STATE-FAILED-TOOLS"]

    assert found("STATE-FAILED-TOOLS", left + '< tool_call_update t1 {"status": "failed"}') == []


def test_a_listed_call_may_stay_open() -> None:
    left = (
        START
        + """
< tool_call_update t1 {"title": "Watch", "status": "in_progress"}
< idle error {"error": {"code": 1, "message": "x"},
"background": [{"type": "tool_call", "toolCallId": "t1"}]}
""".replace(",\n", ", ")
    )

    assert found("STATE-FAILED-TOOLS", (left, "sdk-2.4")) == []


def test_a_call_taken_up_again_counts_as_unfinished() -> None:
    again = (
        START
        + """
< tool_call_update t1 {"title": "Search", "status": "failed"}
< tool_call_update t1 {"status": "in_progress"}
< idle error {"error": {"code": 1, "message": "x"}}
"""
    )

    assert found("STATE-FAILED-TOOLS", again) == ["11 suspect"]
