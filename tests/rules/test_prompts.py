"""PROMPT-*: insertion, its response and its echo."""

from __future__ import annotations

from tests.helpers.shorthand import conversation
from tests.rules.both_ways import Table, found, report

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

KEEPS: Table = {
    "PROMPT-RESPONSE-ID": TURN,
    "PROMPT-ECHO": TURN,
    "PROMPT-DISTINCT-ID": TURN,
    "PROMPT-ERROR-AFTER-INSERT": TURN,
    "PROMPT-ECHO-OF-REJECTED": """
setup
> #1 prompt "hi"
< #1 error -32000 "sign in"
> #2 prompt "hi"
< #2 ok u1
< user_message u1 "hi"
< running
< idle end_turn
""",
    "PROMPT-ANSWERED": TURN,
    "PROMPT-PENDING-IDLE": TURN,
    "PROMPT-NOT-DELAYED": TURN,
    "PROMPT-CANCEL-CODE": """
setup
> #1 prompt "hi"
< running
> cancel
< #1 error -32800
< idle cancelled
""",
    "PROMPT-CONTENT-CAPABILITY": """
setup image
> #1 prompt {"type": "image", "data": "aGk=", "mimeType": "image/png"}
< #1 ok u1
< user_message u1 {"content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]}
< running
< idle end_turn
""",
    "PROMPT-AFTER-SETUP": TURN,
    "PROMPT-REPLAY-ID": REPLAY,
}

BREAKS: Table = {
    "PROMPT-RESPONSE-ID": """
setup
> #1 prompt "hi"
< #1 ok {"messageId": null}
""",
    "PROMPT-ECHO": """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message other "hi"
< running
< idle end_turn
""",
    "PROMPT-DISTINCT-ID": """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
> #2 prompt "hi"
< #2 ok u1
""",
    "PROMPT-ERROR-AFTER-INSERT": """
setup
> #1 prompt "hi"
< user_message u1 "hi"
< #1 error -32603 "boom"
""",
    "PROMPT-ECHO-OF-REJECTED": """
setup
> #1 prompt "hi"
< #1 error -32000 "sign in"
< user_message u1 "hi"
""",
    "PROMPT-ANSWERED": """
setup
> #1 prompt "/x"
""",
    "PROMPT-PENDING-IDLE": """
setup
> #1 prompt "status?"
< usage_update {"used": 1, "size": 2}
""",
    "PROMPT-NOT-DELAYED": """
setup
> #1 prompt "hi"
< user_message u1 "hi"
< running
< idle end_turn
< #1 ok u1
""",
    "PROMPT-CANCEL-CODE": """
setup
> #1 prompt "hi"
< running
> cancel
< #1 error -32603 "aborted"
< idle cancelled
""",
    "PROMPT-CONTENT-CAPABILITY": """
setup
> #1 prompt {"type": "image", "data": "aGk=", "mimeType": "image/png"}
< #1 error -32602
""",
    "PROMPT-AFTER-SETUP": """
> #i initialize {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
> #1 prompt "hi"
""",
    "PROMPT-REPLAY-ID": TURN
    + """
> #9 resume replay
< user_message replayed_1 "hi"
< idle
< #9 ok {}
""",
}


def test_an_error_after_insertion_is_proven_where_no_other_prompt_could_own_the_message() -> None:
    alone = BREAKS["PROMPT-ERROR-AFTER-INSERT"]

    assert found("PROMPT-ERROR-AFTER-INSERT", alone) == ["7 definite"]


def test_an_error_after_insertion_is_a_suspicion_while_an_equal_prompt_is_pending() -> None:
    two = """
setup
> #1 prompt "hi"
> #2 prompt "hi"
< user_message u1 "hi"
< #1 error -32603 "boom"
"""

    assert found("PROMPT-ERROR-AFTER-INSERT", two) == ["8 suspect"]


def test_another_clients_message_does_not_make_an_error_a_breach() -> None:
    """B39: while a prompt is pending the message of another client may be reported."""
    other = """
setup
> #1 prompt "hi"
< user_message u9 "something else"
< #1 error -32000 "sign in"
"""

    assert found("PROMPT-ERROR-AFTER-INSERT", other) == []


def test_an_echo_in_chunks_of_a_rejected_prompt_is_recognised_by_its_first_block() -> None:
    chunked = """
setup
> #1 prompt "hi" "there"
< #1 error -32000 "sign in"
< user_message_chunk u1 "hi"
"""

    assert found("PROMPT-ECHO-OF-REJECTED", chunked) == ["7 suspect"]


def test_an_equal_prompt_that_claims_the_message_clears_the_rejected_one() -> None:
    claimed = """
setup
> #1 prompt "hi"
< #1 error -32000 "sign in"
> #2 prompt "hi"
< user_message u1 "hi"
< #2 ok u1
"""

    assert found("PROMPT-ECHO-OF-REJECTED", claimed) == []


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
    from acpsim.rules.check import check
    from acpsim.wire.edition import DRAFT

    events = conversation(
        'setup\n> #1 prompt "a"\n< usage_update {"used": 1, "size": 2}\n< #1 ok u1'
    )
    hasty = check(events, edition=DRAFT, complete=False, quiet_s=0.005)
    patient = check(events, edition=DRAFT, complete=False, quiet_s=5.0)

    assert [f.rule for f in hasty.findings] == ["PROMPT-PENDING-IDLE"]
    assert patient.findings == []


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
