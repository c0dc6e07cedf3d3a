"""CANCEL-*: stopping work."""

from __future__ import annotations

from tests.rules.both_ways import found, report

WORK = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< tool_call_update t1 {"title": "T", "status": "pending"}
"""
ASKED = (
    WORK
    + """
< #a1 permission t1 yes/no
< requires_action
"""
)


def test_an_idle_of_another_reason_may_have_crossed_the_cancel() -> None:
    crossed = WORK + "> cancel\n< idle end_turn"

    assert found("CANCEL-IDLE", crossed) == ["11 suspect"]


def test_at_the_agent_nothing_crosses() -> None:
    crossed = WORK + "> cancel\n< idle end_turn"

    assert found("CANCEL-IDLE", crossed, observer="agent") == ["11 definite"]


def test_an_idle_of_another_reason_is_a_breach_once_the_agent_had_read_the_cancel() -> None:
    proven = (
        ASKED
        + """
> cancel
< cancel_request "a1"
> #a1 cancelled
< idle end_turn
"""
    )

    assert found("CANCEL-IDLE", proven) == ["15 definite"]


def test_who_answers_a_later_request_has_read_the_cancel() -> None:
    later = (
        WORK
        + """
> cancel
> #5 session/list {}
< #5 ok {"sessions": []}
< idle end_turn
"""
    )

    assert found("CANCEL-IDLE", later) == ["13 definite"]


def test_who_answers_an_earlier_request_need_not_have_read_the_cancel() -> None:
    earlier = (
        WORK
        + """
> #5 session/list {}
> cancel
< #5 ok {"sessions": []}
< idle end_turn
"""
    )

    assert found("CANCEL-IDLE", earlier) == ["13 suspect"]


def test_a_cancelled_prompt_shows_that_the_cancel_was_read() -> None:
    held = (
        WORK
        + """
> #2 prompt "next"
> cancel
< #2 error -32800
< idle end_turn
"""
    )

    assert found("CANCEL-IDLE", held) == ["13 definite"]


def test_a_prompt_that_was_withdrawn_before_the_cancel_does_not_show_that_it_was_read() -> None:
    withdrawn = (
        WORK
        + """
> #2 prompt "next"
> cancel_request 2
> cancel
< #2 error -32800
< idle end_turn
"""
    )

    assert found("CANCEL-IDLE", withdrawn) == ["14 suspect"]


def test_a_second_cancel_of_the_same_work_asks_for_nothing_new() -> None:
    """B24: two stops in one turn."""
    twice = (
        WORK
        + """
> cancel
< cancel_request "none"
> cancel
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
"""
    )

    assert report(twice).findings == []


def test_a_cancel_that_reaches_an_idle_session_is_owed_nothing() -> None:
    """B23: a common editor sends a cancel before every prompt."""
    idle = """
setup
> cancel
> #2 prompt "hi"
< #2 ok u1
< user_message u1 "hi"
< running
< idle end_turn
"""

    assert report(idle).findings == []


def test_a_selected_outcome_before_the_cancel_is_fine() -> None:
    before = (
        ASKED
        + """
> #a1 selected yes
> cancel
< running
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
"""
    )

    assert found("CANCEL-PERMISSIONS", before) == []


def test_a_request_that_crossed_the_cancel_is_owed_cancelled_but_may_have_come_after_it() -> None:
    """B28: a third request crosses the cancel."""
    crossed = (
        WORK
        + """
> cancel
< #a3 permission t1 yes/no
> #a3 selected yes
< idle cancelled
"""
    )

    assert found("CANCEL-PERMISSIONS", crossed) == ["12 suspect"]


def test_a_request_that_was_asked_after_the_cancel_was_read_is_not_covered_by_it() -> None:
    read = (
        WORK
        + """
> cancel
> #5 session/list {}
< #5 ok {"sessions": []}
< #a3 permission - yes/no
> #a3 selected yes
< idle cancelled
"""
    )

    assert found("CANCEL-PERMISSIONS", read) == []


REFUSED = (
    ASKED
    + """
> cancel
< cancel_request "a1"
> #a1 error -32800
< idle cancelled
"""
)


def test_an_error_to_a_request_that_the_agent_took_back_is_answer_enough_in_one_edition() -> None:
    assert found("CANCEL-PERMISSIONS", (REFUSED, "sdk-2.4")) == []
    assert found("CANCEL-PERMISSIONS", REFUSED) == ["14 suspect"]


def test_a_call_that_may_run_as_a_listed_terminal_may_be_background_work() -> None:
    terminal = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running {"background": [{"type": "terminal", "terminalId": "T1"}]}
< tool_call_update t1 {"title": "T", "status": "in_progress"}
< #a1 permission t1 yes/no
> cancel
> #a1 selected yes
< idle cancelled {"background": [{"type": "terminal", "terminalId": "T1"}]}
"""

    assert found("CANCEL-PERMISSIONS", (terminal, "sdk-2.4")) == ["12 suspect"]


def test_a_tool_call_first_told_as_cancelled_does_not_start() -> None:
    told = (
        ASKED
        + """
> cancel
< cancel_request "a1"
> #a1 cancelled
< tool_call_update t2 {"title": "U", "status": "cancelled"}
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
"""
    )

    assert found("CANCEL-STOPS", told) == []


def test_requests_of_listed_background_work_stay_open_where_the_edition_lists_it() -> None:
    listed = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running {"background": []}
< tool_call_update b1 {"title": "B", "status": "in_progress"}
< running {"background": [{"type": "tool_call", "toolCallId": "b1"}]}
< #a1 permission b1 yes/no
> cancel
< idle cancelled {"background": [{"type": "tool_call", "toolCallId": "b1"}]}
> #a1 selected yes
"""

    assert found("CANCEL-PERMISSIONS", (listed, "sdk-2.4")) == []
    assert found("CANCEL-PERMISSIONS", listed) != []


def test_a_hook_that_is_cancelled_owes_no_idle() -> None:
    hook = """
setup
> #1 prompt "hi"
> cancel
< #1 error -32800
"""

    assert report(hook).findings == []
