"""RPC-*: the envelope, requests and answers, and the sessions that messages name."""

from __future__ import annotations

from tests.rules.both_ways import Table, found, report

TURN = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< idle end_turn
"""

KEEPS: Table = {
    "RPC-ENVELOPE": TURN,
    "RPC-RESPONSE-MATCH": TURN,
    "RPC-ID-REUSE": TURN
    + """
> #1 prompt "again"
< #1 ok u2
< user_message u2 "again"
< running
< idle end_turn
""",
    "RPC-CANCEL-ANSWER": """
setup
> #1 prompt "hi"
> cancel_request 1
< #1 error -32800
""",
    "RPC-UNKNOWN-SESSION": TURN,
    "RPC-NO-REPLY-TO-NOTIFICATION": TURN,
}

BREAKS: Table = {
    "RPC-ENVELOPE": """
setup
< raw {"id": 1, "result": {}, "error": {"code": 1, "message": "x"}}
""",
    "RPC-RESPONSE-MATCH": TURN + "< #1 ok u1",
    "RPC-ID-REUSE": """
setup
> #1 prompt "a"
> #1 prompt "b"
< #1 ok u1
""",
    "RPC-CANCEL-ANSWER": """
setup
> #1 prompt "hi"
> cancel_request 1
""",
    "RPC-UNKNOWN-SESSION": TURN + '< [ghost] agent_message m1 "boo"',
    "RPC-NO-REPLY-TO-NOTIFICATION": TURN
    + """
> raw {"jsonrpc": "2.0", "method": "_vendor/settings", "params": {}}
< raw {"jsonrpc": "2.0", "id": null, "error": {"code": -32601, "message": "no such method"}}
""",
}


def test_an_update_before_the_response_that_returns_its_session_is_no_breach() -> None:
    """B01: an agent announced commands before it answered `session/new`."""
    early = """
> #i initialize {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
< #i ok {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}}
> #1 new
< available_commands_update {"availableCommands": []}
< #1 ok {"sessionId": "s1"}
"""

    assert report(early).findings == []


def test_an_early_session_that_no_response_returned_is_a_breach_at_its_own_line() -> None:
    early = """
> #i initialize {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
< #i ok {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}}
> #1 new
< [other] usage_update {"used": 1, "size": 2}
< #1 ok {"sessionId": "s1"}
"""

    assert found("RPC-UNKNOWN-SESSION", early) == ["4 definite"]


def test_a_session_that_only_a_list_showed_is_a_suspicion() -> None:
    listed = """
setup
> #2 session/list {}
< #2 ok {"sessions": [{"sessionId": "s9", "cwd": "/p"}]}
< [s9] usage_update {"used": 1, "size": 2}
"""

    assert found("RPC-UNKNOWN-SESSION", listed) == ["7 suspect"]


def test_a_resumed_session_is_known_at_once() -> None:
    resumed = """
setup
> [old] #2 resume replay
< [old] user_message u1 "hi"
< [old] idle
< #2 ok {}
"""

    assert found("RPC-UNKNOWN-SESSION", resumed) == []


def test_a_lost_connection_voids_what_was_owed() -> None:
    lost = """
setup
> #1 prompt "hi"
> cancel_request 1
lost
"""

    assert report(lost).findings == []


def test_what_an_unfinished_conversation_owes_is_open_and_no_finding() -> None:
    result = report(BREAKS["RPC-CANCEL-ANSWER"], complete=False)

    assert [promise.rule for promise in result.open if promise.rule.startswith("RPC-")] == [
        "RPC-CANCEL-ANSWER"
    ]
    assert [finding for finding in result.findings if finding.certainty == "definite"] == []


def test_an_id_null_error_after_an_unreadable_line_is_only_a_suspicion() -> None:
    noise = (
        TURN
        + """
> raw [1, 2]
< raw {"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "a batch"}}
"""
    )

    assert found("RPC-NO-REPLY-TO-NOTIFICATION", noise) == ["11 suspect"]
