"""RPC-*: the envelope, requests and answers, and the sessions that messages name."""

from __future__ import annotations

from msgspec import structs

from acpsim.rules.check import check
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
from tests.rules.both_ways import BREAKS, found, report

TURN = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< idle end_turn
"""


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


def test_a_session_that_a_cut_trace_does_not_open_is_a_suspicion() -> None:
    cut = '< running\n> #7 prompt "more"\n< [s2] usage_update {"used": 1, "size": 2}'

    assert found("RPC-UNKNOWN-SESSION", cut) == ["1 suspect", "3 suspect"]


def test_an_early_session_in_a_cut_trace_is_a_suspicion_too() -> None:
    cut = """
> #1 new
< [other] usage_update {"used": 1, "size": 2}
< #1 ok {"sessionId": "s1"}
"""

    assert found("RPC-UNKNOWN-SESSION", cut) == ["2 suspect"]


def test_an_initialize_that_is_malformed_still_begins_a_trace() -> None:
    whole = '> raw {"jsonrpc": "2.0", "id": 0, "method": "initialize"}\n< running'

    assert found("RPC-UNKNOWN-SESSION", whole) == ["2 definite"]


def test_after_a_lost_connection_nothing_may_have_been_before_the_trace() -> None:
    assert found("RPC-UNKNOWN-SESSION", "setup\nlost\n< [s2] running") == ["6 definite"]


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


NO_REPLY = "RPC-NO-REPLY-TO-NOTIFICATION"
ID_NULL = '< raw {"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "what?"}}'


def test_an_id_null_error_after_an_unreadable_line_is_only_a_suspicion() -> None:
    noise = TURN + f"> cancel\n> raw [1, 2]\n{ID_NULL}"

    assert found(NO_REPLY, noise) == ["12 suspect"]


def test_an_id_null_error_after_an_unusable_id_is_only_a_suspicion() -> None:
    fraction = TURN + f'> cancel\n> raw {{"jsonrpc": "2.0", "id": 1.5, "method": "_x"}}\n{ID_NULL}'

    assert found(NO_REPLY, fraction) == ["12 suspect"]


def test_an_id_null_error_after_a_line_that_reading_left_out_is_only_a_suspicion() -> None:
    events = conversation(TURN + f"> cancel\n> cancel\n{ID_NULL}")
    del events[10]

    result = check(events, edition=DRAFT)

    assert [f.certainty for f in result.findings if f.rule == NO_REPLY] == ["suspect"]


def test_an_id_null_error_to_a_side_that_sent_noise_and_no_notification_is_fine() -> None:
    noise = TURN + f"> raw [1, 2]\n{ID_NULL}"

    assert found(NO_REPLY, noise) == []
    assert found("RPC-RESPONSE-MATCH", noise) == []


def test_an_id_null_error_that_can_be_about_nothing_answers_no_request() -> None:
    assert found("RPC-RESPONSE-MATCH", TURN + ID_NULL) == ["10 definite"]


def test_a_cancel_that_is_answered_is_a_notification_that_is_answered() -> None:
    """B46: the agent answers `session/cancel` with an error, and its work goes on."""
    answered = f"""
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
> cancel
{ID_NULL}
< idle end_turn
"""

    assert found(NO_REPLY, answered) == ["10 definite"]
    assert found("CANCEL-IDLE", answered) == ["11 suspect"]


def test_a_session_that_was_listed_and_then_resumed_is_open() -> None:
    listed = """
setup
> #2 session/list {}
< #2 ok {"sessions": [{"sessionId": "s9", "cwd": "/p"}]}
> [s9] #3 resume
< [s9] idle
< #3 ok {}
> [s9] #4 prompt "hi"
< #4 ok u1
< [s9] user_message u1 "hi"
"""

    assert report(listed).findings == []


def test_a_session_whose_resume_failed_is_not_open() -> None:
    failed = """
setup
> [s9] #3 resume
< #3 error -32002 "no such session"
> [s9] #4 prompt "hi"
"""

    assert found("RPC-UNKNOWN-SESSION", failed) == ["7 definite"]
    assert found("PROMPT-AFTER-SETUP", failed) == ["7 definite"]


AGAIN = (
    TURN
    + """
lost
> #i initialize {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
< #i ok {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}}
"""
)


def test_a_session_of_a_lost_connection_has_to_be_resumed() -> None:
    silent = AGAIN + '< usage_update {"used": 1, "size": 2}\n< usage_update {"used": 2, "size": 2}'

    assert found("RPC-UNKNOWN-SESSION", silent) == ["13 definite"]


def test_a_session_of_a_lost_connection_is_known_once_it_is_resumed() -> None:
    resumed = AGAIN + '> #1 resume\n< idle\n< #1 ok {}\n< usage_update {"used": 1, "size": 2}'

    assert report(resumed).findings == []


def test_a_loss_leaves_undecided_whose_session_it_was() -> None:
    early = """
> #i initialize {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
< #i ok {"protocolVersion": 2, "info": {"name": "a", "version": "1"}, "capabilities": {}}
> #1 new
< [other] usage_update {"used": 1, "size": 2}
lost
"""

    assert report(early).findings == []


def test_a_request_that_names_no_session_is_owed_its_answer_too() -> None:
    early = """
> #i initialize {"protocolVersion": 2, "info": {"name": "c", "version": "1"}, "capabilities": {}}
> cancel_request "i"
"""
    finding = report(early).findings[-1]

    assert (finding.rule, finding.line, finding.party) == ("RPC-CANCEL-ANSWER", 2, "agent")


def test_a_permission_request_that_is_cancelled_is_owed_its_answer_by_the_client() -> None:
    asked = TURN + '< #a1 permission -\n< cancel_request "a1"'
    [finding] = [f for f in report(asked).findings if f.rule == "RPC-CANCEL-ANSWER"]

    assert (finding.line, finding.party) == (11, "client")


def test_events_that_were_never_in_a_trace_are_counted() -> None:
    events = [structs.replace(told, line=0) for told in conversation(BREAKS["RPC-ID-REUSE"][0])]

    result = check(events, edition=DRAFT)

    assert [f.line for f in result.findings if f.rule == "RPC-ID-REUSE"] == [6]
