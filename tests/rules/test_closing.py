"""CLOSE-*: closing a session."""

from __future__ import annotations

from tests.rules.both_ways import BREAKS, found, report

WORK = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< tool_call_update t1 {"title": "T", "status": "pending"}
"""


def test_a_prompt_that_a_close_kept_out_is_not_reported_twice() -> None:
    rules = {f.rule for f in report(BREAKS["CLOSE-PROMPT-OUTCOME"]).findings}

    assert "PROMPT-CANCEL-CODE" not in rules


def test_a_failure_of_its_own_may_cross_a_close() -> None:
    crossed = (
        WORK
        + """
> #2 prompt "next"
> #3 close
< #2 error -32000 "sign in"
< tool_call_update t1 {"status": "cancelled"}
< idle cancelled
< #3 ok {}
"""
    )

    assert found("CLOSE-PROMPT-OUTCOME", crossed) == ["12 suspect"]


def test_a_prompt_that_was_inserted_before_the_close_succeeds() -> None:
    inserted = """
setup
> #1 prompt "hi"
< user_message u1 "hi"
> #3 close
< #1 error -32800
< #3 ok {}
"""

    assert found("CLOSE-PROMPT-OUTCOME", inserted) == ["8 definite"]


def test_work_that_ends_otherwise_while_the_close_is_under_way_is_a_suspicion() -> None:
    ended = (
        WORK
        + """
> #3 close
< tool_call_update t1 {"status": "completed"}
< idle end_turn
< #3 ok {}
"""
    )

    assert found("CLOSE-CANCELS", ended) == ["12 suspect"]


def test_a_close_of_an_idle_session_is_no_occasion() -> None:
    idle = "setup\n> #3 close\n< #3 ok {}"

    assert report(idle).coverage["CLOSE-CANCELS"].exercised == 0


def test_a_session_that_is_not_there_counts_as_closed_in_one_edition() -> None:
    late = 'setup\n> #3 close\n< #3 error -32002 "gone"\n< usage_update {"used": 1, "size": 2}'

    assert found("CLOSE-SILENCE", (late, "sdk-2.4")) == ["7 definite"]


def test_a_resume_that_fails_leaves_the_session_closed() -> None:
    failed = """
setup
> #3 close
< #3 ok {}
> #4 resume
< #4 error -32002 "gone"
< usage_update {"used": 1, "size": 2}
"""

    assert found("CLOSE-SILENCE", (failed, "sdk-2.4")) == ["9 definite"]


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
