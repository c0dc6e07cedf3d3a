"""RESUME-*: what comes between `session/resume` and its response."""

from __future__ import annotations

from tests.rules.both_ways import BREAKS, found, report

TURN = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< agent_message m1 "hello"
< idle end_turn
"""


def test_history_is_remarked_on_once_a_resume() -> None:
    """B47: history was replayed although nobody had asked for it."""
    assert found("RESUME-NO-REPLAY", BREAKS["RESUME-NO-REPLAY"]) == ["12 definite"]


def test_work_that_goes_on_in_a_resumed_session_may_speak_after_its_state() -> None:
    live = (
        TURN
        + """
> #2 resume
< running
< agent_message_chunk m2 "still here"
< #2 ok {}
"""
    )

    assert found("RESUME-NO-REPLAY", live) == []


def test_the_state_comes_after_the_replay() -> None:
    early = (
        TURN
        + """
> #2 resume replay
< idle
< user_message u1 "hi"
< #2 ok {}
"""
    )

    assert found("RESUME-STATE", (early, "sdk-2.4")) == ["14 definite"]


def test_the_draft_is_silent_on_the_state_after_a_resume() -> None:
    text = TURN + "> #2 resume\n< #2 ok {}"

    assert found("RESUME-STATE", text) == []


def test_a_live_update_after_the_state_is_no_proof_of_a_late_replay() -> None:
    live = (
        TURN
        + """
> #2 resume replay
< user_message u1 "hi"
< running
< agent_message_chunk m2 "still here"
< #2 ok {}
"""
    )

    assert found("RESUME-STATE", (live, "sdk-2.4")) == ["15 suspect"]


def test_work_of_an_open_session_may_speak_while_the_resume_is_under_way() -> None:
    open_before = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< agent_message_chunk m1 "a"
> #2 resume
< agent_message_chunk m1 "b"
< #2 ok {}
"""

    assert found("RESUME-NO-REPLAY", open_before) == ["11 suspect"]


def test_work_that_outlived_the_connection_may_speak_while_the_resume_is_under_way() -> None:
    outlived = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
lost
> #2 resume
< agent_message_chunk m1 "b"
< #2 ok {}
"""

    assert found("RESUME-NO-REPLAY", outlived) == ["11 suspect"]


def test_what_a_session_says_that_was_not_open_is_history() -> None:
    other = """
setup
> [s9] #2 resume
< [s9] agent_message_chunk m1 "long ago"
< #2 ok {}
"""

    assert found("RESUME-NO-REPLAY", other) == ["6 definite"]


def test_a_replay_followed_at_once_by_a_prompt_is_fine() -> None:
    """B48: the response alone is the boundary; nothing may be hidden until a live message."""
    at_once = (
        TURN
        + """
> #8 resume replay
< user_message u1 "hi"
< agent_message m1 {"content": null}
< agent_message_chunk m1 "hello"
< idle
< #8 ok {}
> #9 prompt "next"
< #9 ok u2
< user_message u2 "next"
< running
< agent_message m2 "there"
< idle end_turn
"""
    )

    assert report(at_once).findings == []


def test_at_the_client_the_response_may_have_overtaken_the_state() -> None:
    assert found("RESUME-STATE", BREAKS["RESUME-STATE"], observer="client") == ["12 suspect"]
