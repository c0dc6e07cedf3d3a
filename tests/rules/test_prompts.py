"""PROMPT-*: insertion, its response and its echo."""

from __future__ import annotations

from acpsim.rules.check import check
from acpsim.rules.finding import Report
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
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
REPLAY = (
    TURN
    + """
> #8 close
< #8 ok {}
> #9 resume replay
< user_message u1 "hi"
< agent_message m1 "hello"
< idle
< #9 ok {}
"""
)


def test_a_response_whose_envelope_is_broken_is_not_one_without_an_id() -> None:
    text = 'setup\n> #1 prompt "hi"\n< raw {"jsonrpc": "2.0", "id": 1, "error": {"code": "x"}}'

    assert found("PROMPT-RESPONSE-ID", text) == []
    assert found("RPC-ENVELOPE", text) == ["6 definite"]


def test_a_local_command_that_nobody_answers_is_found_at_its_prompt() -> None:
    """B16: no model turn starts, so nothing ever answers."""
    assert found("PROMPT-ANSWERED", BREAKS["PROMPT-ANSWERED"]) == ["5 definite"]


def test_a_local_command_needs_no_state_update() -> None:
    """B16, as it should be."""
    local = 'setup\n> #1 prompt "/x"\n< #1 ok u1\n< user_message u1 "/x"'

    assert report(local).findings == []


def test_work_that_the_agent_starts_by_itself_needs_no_prompt() -> None:
    """B13, as it should be: the background task ends, the agent tells of it, then the prompt."""
    by_itself = (
        TURN
        + """
< tool_call_update b1 {"title": "B", "status": "completed"}
> #2 prompt "status?"
< running
< agent_message m2 "b1 is done"
< idle end_turn
< #2 ok u2
< user_message u2 "status?"
< running
< agent_message m3 "all is well"
< idle end_turn
"""
    )

    assert report(by_itself).findings == []


def test_an_error_without_a_code_after_a_cancel_is_an_abort_that_leaked() -> None:
    leaked = """
setup
> #1 prompt "hi"
< running
> cancel
< raw {"jsonrpc": "2.0", "id": 1, "error": {"message": "aborted"}}
< idle cancelled
"""

    assert found("PROMPT-CANCEL-CODE", leaked) == ["8 definite"]


def test_a_later_cancel_proves_nothing_of_a_prompt_that_was_withdrawn() -> None:
    later = """
setup
> #1 prompt "a"
> cancel_request 1
< #1 error -32603 "boom"
> #2 prompt "b"
< #2 ok u2
< user_message u2 "b"
< running
> cancel
< idle cancelled
"""

    assert found("PROMPT-CANCEL-CODE", later) == ["7 suspect"]


COVERED = """
setup
> #1 prompt "hi"
> cancel
< #1 ok u1
< user_message u1 "hi"
< running
< agent_message m1 "hello"
"""


def test_a_whole_turn_after_a_cancel_that_came_before_insertion_is_a_suspicion() -> None:
    """B25: the cancel came while the agent prepared, and was lost."""
    assert found("PROMPT-CANCEL-CODE", COVERED + "< idle end_turn") == ["7 suspect"]


def test_an_inserted_prompt_whose_work_ends_cancelled_is_fine() -> None:
    """B25, as it may be."""
    assert report(COVERED + "< idle cancelled").findings == []


def test_a_prompt_to_a_session_that_is_open_may_pass_a_resume() -> None:
    again = TURN + '> #8 resume replay\n> #9 prompt "next"'

    assert found("PROMPT-AFTER-SETUP", again) == []


def test_a_prompt_before_the_resume_is_answered_is_too_early() -> None:
    early = 'setup\n> [s9] #8 resume\n> [s9] #9 prompt "next"'

    assert found("PROMPT-AFTER-SETUP", early) == ["6 definite"]


def test_a_prompt_in_a_cut_trace_may_come_after_a_set_up_that_is_not_shown() -> None:
    assert found("PROMPT-AFTER-SETUP", '> #7 prompt "more"\n< #7 ok u7') == ["1 suspect"]


def test_a_message_told_whole_and_replayed_in_a_chunk_is_recognised() -> None:
    chunked = (
        TURN
        + """
> #9 resume replay
< user_message_chunk replayed_1 "hi"
< idle
< #9 ok {}
"""
    )

    assert found("PROMPT-REPLAY-ID", chunked) == ["12 suspect"]


def test_a_failure_of_its_own_may_cross_a_cancel() -> None:
    crossed = """
setup
> #1 prompt "hi"
> cancel
< #1 error -32000 "sign in"
"""

    assert found("PROMPT-CANCEL-CODE", crossed) == ["7 suspect"]


def test_an_internal_error_is_proof_once_the_agent_is_known_to_have_read_the_cancel() -> None:
    assert found("PROMPT-CANCEL-CODE", BREAKS["PROMPT-CANCEL-CODE"]) == ["8 definite"]


def test_an_internal_error_is_proof_where_the_trace_was_seen_at_the_agent() -> None:
    internal = """
setup
> #1 prompt "hi"
> cancel
< #1 error -32603 "aborted"
"""

    assert found("PROMPT-CANCEL-CODE", internal, observer="agent") == ["7 definite"]


def test_work_that_began_before_the_echo_does_not_make_its_response_late() -> None:
    early = """
setup
> #1 prompt "hi"
< running
< user_message u1 "hi"
< #1 ok u1
< idle end_turn
"""

    assert found("PROMPT-NOT-DELAYED", early) == []


def test_a_prompt_that_waits_is_remarked_on_after_the_quiet_time_of_the_user() -> None:
    waits = ["PROMPT-PENDING-IDLE"]

    assert [f.rule for f in after(0.005, SPEAKS).findings] == waits
    assert after(5.0, SPEAKS).findings == []


def test_a_prompt_that_is_answered_after_a_long_silence_is_remarked_on() -> None:
    """B12: nothing at all, and much later a response."""
    assert [f.line for f in after(0.005, 'setup\n> #1 prompt "a"\n< #1 ok u1').findings] == [5]


def test_a_prompt_that_waits_is_remarked_on_once() -> None:
    again = SPEAKS.replace("< #1 ok u1", '< usage_update {"used": 2, "size": 2}\n< #1 ok u1')

    assert len(after(0.005, again).findings) == 1


def test_a_prompt_that_was_just_sent_where_a_conversation_breaks_off_is_not_remarked_on() -> None:
    assert after(None, 'setup\n> #1 prompt "a"').findings == []


SPEAKS = 'setup\n> #1 prompt "a"\n< usage_update {"used": 1, "size": 2}\n< #1 ok u1'


def after(quiet_s: float | None, text: str) -> Report:
    return check(conversation(text), edition=DRAFT, complete=False, quiet_s=quiet_s)


def test_two_messages_of_equal_content_replay_under_their_own_ids() -> None:
    twice = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
> #2 prompt "hi"
< #2 ok u2
< user_message u2 "hi"
> #9 resume replay
< user_message u1 "hi"
< user_message u2 "hi"
< user_message u3 "hi"
< idle
< #9 ok {}
"""

    assert found("PROMPT-REPLAY-ID", twice) == []


def test_a_message_that_was_missed_live_may_equal_one_that_was_not() -> None:
    missed = (
        TURN
        + """
lost
> #9 resume replay
< user_message u0 "hi"
< user_message u1 "hi"
< idle
< #9 ok {}
"""
    )

    assert found("PROMPT-REPLAY-ID", missed) == []


def test_a_held_prompt_is_no_finding_while_the_conversation_goes_on() -> None:
    held = """
setup
> #1 prompt "a"
< #1 ok u1
< user_message u1 "a"
< running
> #2 prompt "b"
"""
    result = report(held, complete=False)

    assert result.findings == []
    assert "PROMPT-ANSWERED" in {promise.rule for promise in result.open}
