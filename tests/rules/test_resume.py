"""RESUME-*: what comes between `session/resume` and its response."""

from __future__ import annotations

from tests.rules.both_ways import Table, found

TURN = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< agent_message m1 "hello"
< idle end_turn
"""

KEEPS: Table = {
    "RESUME-NO-REPLAY": TURN
    + """
> #2 resume
< idle
< #2 ok {}
""",
    "RESUME-STATE": (
        TURN
        + """
> #2 resume replay
< user_message u1 "hi"
< idle
< #2 ok {}
""",
        "sdk-2.4",
    ),
}

BREAKS: Table = {
    "RESUME-NO-REPLAY": TURN
    + """
> #2 resume
< user_message u1 "hi"
< agent_message_chunk m1 "hello"
< #2 ok {}
""",
    "RESUME-STATE": (
        TURN
        + """
> #2 resume
< #2 ok {}
""",
        "sdk-2.4",
    ),
}


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


def test_at_the_client_the_response_may_have_overtaken_the_state() -> None:
    assert found("RESUME-STATE", BREAKS["RESUME-STATE"], observer="client") == ["12 suspect"]
