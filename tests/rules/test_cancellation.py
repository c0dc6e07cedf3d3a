"""CANCEL-* and CLOSE-*: stopping work, and closing a session."""

from __future__ import annotations

from tests.rules.both_ways import Table, found, report

WORK = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< tool_call_update t1 {"title": "T", "status": "pending"}
"""
CANCELLED = (
    WORK
    + """
> cancel
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
"""
)
ASKED = (
    WORK
    + """
< #a1 permission t1 yes/no
< requires_action
"""
)

KEEPS: Table = {
    "CANCEL-IDLE": CANCELLED,
    "CANCEL-NOT-ERROR": CANCELLED,
    "CANCEL-UPDATES-BEFORE-IDLE": CANCELLED,
    "CANCEL-STOPS": ASKED
    + """
> cancel
< cancel_request "a1"
> #a1 cancelled
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
""",
    "CANCEL-PERMISSIONS": ASKED
    + """
> cancel
> #a1 cancelled
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
""",
    "CANCEL-PERMISSIONS-OPEN": ASKED
    + """
> #a1 selected no
< running
< tool_call_update t1 {"status": "failed"}
< idle end_turn
""",
    "CANCEL-KEEPS-INSERTION": """
setup
> #1 prompt "hi"
< user_message u1 "hi"
< running
> cancel
< #1 ok u1
< idle cancelled
""",
    "CLOSE-PROMPT-OUTCOME": WORK
    + """
> #2 prompt "next"
> #3 close
< #2 error -32800
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
< #3 ok {}
""",
    "CLOSE-CANCELS": WORK
    + """
> #3 close
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
< #3 ok {}
""",
    "CLOSE-SILENCE": (
        WORK
        + """
> #3 close
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
< #3 ok {}
""",
        "sdk-2.4",
    ),
}

BREAKS: Table = {
    "CANCEL-IDLE": WORK
    + """
> cancel
""",
    "CANCEL-NOT-ERROR": WORK
    + """
> cancel
< idle error {"error": {"code": -32603, "message": "aborted"}}
""",
    "CANCEL-UPDATES-BEFORE-IDLE": WORK
    + """
> cancel
< idle cancelled
< tool_call_update t1 {"status": "cancelled"}
""",
    "CANCEL-STOPS": ASKED
    + """
> cancel
> #a1 cancelled
< running
< tool_call_update t1 {"status": "in_progress"}
< idle cancelled
""",
    "CANCEL-PERMISSIONS": ASKED
    + """
> cancel
> #a1 selected yes
< idle cancelled
""",
    "CANCEL-PERMISSIONS-OPEN": ASKED
    + """
> cancel
< idle cancelled
""",
    "CANCEL-KEEPS-INSERTION": """
setup
> #1 prompt "hi"
< user_message u1 "hi"
< running
> cancel
< #1 error -32800
< idle cancelled
""",
    "CLOSE-PROMPT-OUTCOME": WORK
    + """
> #2 prompt "next"
> #3 close
< #2 error -32603 "aborted"
< idle cancelled
< #3 ok {}
""",
    "CLOSE-CANCELS": (
        WORK
        + """
> #3 close
< #3 ok {}
""",
        "sdk-2.4",
    ),
    "CLOSE-SILENCE": (
        WORK
        + """
> #3 close
< idle cancelled
< #3 ok {}
< agent_message late "oh"
""",
        "sdk-2.4",
    ),
}


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


def test_a_prompt_that_a_close_kept_out_is_not_reported_twice() -> None:
    rules = {f.rule for f in report(BREAKS["CLOSE-PROMPT-OUTCOME"]).findings}

    assert "PROMPT-CANCEL-CODE" not in rules


def test_close_without_idle_is_only_a_suspicion_in_the_draft() -> None:
    text = WORK + "> #3 close\n< #3 ok {}"

    assert found("CLOSE-CANCELS", text) == ["11 suspect"]


def test_at_the_client_the_close_response_may_have_overtaken_what_was_sent_before() -> None:
    assert found("CLOSE-SILENCE", BREAKS["CLOSE-SILENCE"], observer="client") == ["13 suspect"]


def test_a_resume_ends_the_silence() -> None:
    resumed = (
        WORK
        + """
> #3 close
< idle cancelled
< #3 ok {}
> #4 resume
< idle
< #4 ok {}
< agent_message m2 "back"
"""
    )

    assert found("CLOSE-SILENCE", (resumed, "sdk-2.4")) == []


def test_a_hook_that_is_cancelled_owes_no_idle() -> None:
    hook = """
setup
> #1 prompt "hi"
> cancel
< #1 error -32800
"""

    assert report(hook).findings == []
