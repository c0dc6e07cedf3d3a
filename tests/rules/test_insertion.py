"""PROMPT-ERROR-AFTER-INSERT and PROMPT-ECHO-OF-REJECTED: errors beside user messages."""

from __future__ import annotations

from tests.rules.both_ways import BREAKS, found, report

ERROR = "PROMPT-ERROR-AFTER-INSERT"
ECHO = "PROMPT-ECHO-OF-REJECTED"

ALONE = """
setup
> #1 prompt "hi"
< user_message u1 "hi"
"""


TWO = """
setup
> #1 prompt "hi"
> #2 prompt "hi"
< user_message u1 "hi"
< #1 error -32603 "boom"
"""


def test_an_error_after_insertion_is_proven_where_no_other_prompt_could_own_the_message() -> None:
    assert found(ERROR, BREAKS[ERROR]) == ["7 definite"]


def test_an_error_without_a_code_after_insertion_is_one_too() -> None:
    bare = ALONE + '< raw {"jsonrpc": "2.0", "id": 1, "error": {"message": "x"}}'

    assert found(ERROR, bare) == ["7 definite"]


def test_an_error_after_insertion_is_a_suspicion_while_another_prompt_may_own_the_message() -> None:
    assert found(ERROR, TWO) == ["8 suspect"]


def test_the_other_prompt_that_owns_the_message_clears_the_error() -> None:
    assert found(ERROR, TWO + "< #2 ok u1") == []


def test_the_other_prompt_that_owns_another_message_proves_the_error() -> None:
    assert found(ERROR, TWO + '< #2 ok u2\n< user_message u2 "hi"') == ["8 definite"]


def test_a_loss_leaves_the_error_a_suspicion() -> None:
    assert found(ERROR, TWO + "lost") == ["8 suspect"]


def test_a_message_of_other_content_beside_an_error_is_only_a_suspicion() -> None:
    """B39: an echo may differ from what was sent, and may be another client's message."""
    other = """
setup
> #1 prompt "hi"
< user_message u9 "something else"
< #1 error -32000 "sign in"
"""

    assert found(ERROR, other) == ["7 suspect"]


def test_a_cancelled_prompt_beside_another_clients_message_is_no_suspicion() -> None:
    steered = """
setup
> #1 prompt "a"
< #1 ok u1
< user_message u1 "a"
< running
> #2 prompt "b"
< user_message u9 "another client says this"
> cancel
< #2 error -32800
< idle cancelled
"""

    assert report(steered).findings == []


def test_a_message_of_another_pending_prompt_says_nothing_of_this_one() -> None:
    other = """
setup
> #1 prompt "a"
> #2 prompt "b"
< user_message u2 "b"
< #1 error -32000 "sign in"
< #2 ok u2
"""

    assert found(ERROR, other) == []


def test_an_aborted_prompt_whose_message_was_told_breaks_three_rules() -> None:
    """B19: the aborted model call surfaced as an error to the prompt."""
    aborted = (
        ALONE
        + """
< running
> cancel
< #1 error -32603 "aborted"
< idle error {"error": {"code": -32603, "message": "aborted"}}
"""
    )
    rules = {f"{finding.line} {finding.rule}" for finding in report(aborted).findings}

    assert rules >= {"9 " + ERROR, "9 CANCEL-KEEPS-INSERTION", "10 CANCEL-NOT-ERROR"}
    assert "9 PROMPT-CANCEL-CODE" not in rules


def test_an_echo_in_chunks_of_a_rejected_prompt_is_recognised_by_its_first_block() -> None:
    chunked = """
setup
> #1 prompt "hi" "there"
< #1 error -32000 "sign in"
< user_message_chunk u1 "hi"
"""

    assert found(ECHO, chunked) == ["7 suspect"]


def test_an_equal_prompt_that_claims_the_message_clears_the_rejected_one() -> None:
    claimed = """
setup
> #1 prompt "hi"
< #1 error -32000 "sign in"
> #2 prompt "hi"
< user_message u1 "hi"
< #2 ok u1
"""

    assert found(ECHO, claimed) == []


def test_an_equal_prompt_that_claims_another_message_leaves_an_orphan() -> None:
    orphan = """
setup
> #1 prompt "hi"
< #1 error -32000 "sign in"
> #2 prompt "hi"
< user_message u1 "hi"
< #2 ok u2
< user_message u2 "hi"
"""

    assert found(ECHO, orphan) == ["8 suspect"]


def test_a_loss_leaves_undecided_whose_message_it_was() -> None:
    """B17: the response is lost, and with it who was inserted."""
    uncertain = """
setup
> #1 prompt "hi"
< #1 error -32000 "sign in"
> #2 prompt "hi"
< user_message u1 "hi"
lost
"""

    assert found(ECHO, uncertain) == []


PAIR = (
    '\nsetup\n> raw {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId":'
    ' "s1", "prompt": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}}\n'
)
"""A prompt of two blocks."""


def test_an_error_after_all_chunks_of_its_message_is_proven() -> None:
    whole = PAIR + '< user_message_chunk u1 "a"\n< user_message_chunk u1 "b"\n< #1 error -32603 "x"'

    assert found(ERROR, whole) == ["8 definite"]


def test_an_error_after_some_chunks_of_its_message_is_a_suspicion() -> None:
    """So far the content is not the prompt's: another client's message may begin the same."""
    some = PAIR + '< user_message_chunk u1 "a"\n< #1 error -32603 "x"'

    assert found(ERROR, some) == ["7 suspect"]


def test_a_message_that_goes_on_otherwise_than_the_prompt_proves_nothing() -> None:
    other = PAIR + '< user_message_chunk u9 "a"\n< user_message_chunk u9 "c"\n< #1 error -32603 "x"'

    assert found(ERROR, other) == ["8 suspect"]


def test_a_message_longer_than_a_cancelled_prompt_proves_no_insertion() -> None:
    longer = (
        ALONE.replace("user_message", "user_message_chunk")
        + '< user_message_chunk u1 "more"\n> cancel\n< #1 error -32800 "x"'
    )

    assert found("CANCEL-KEEPS-INSERTION", longer) == []


def test_a_message_that_was_rewritten_proves_nothing() -> None:
    rewritten = ALONE + '< user_message u1 "something else"\n< #1 error -32603 "x"'

    assert found(ERROR, rewritten) == ["8 suspect"]


def test_a_message_reported_again_with_the_prompts_content_is_still_proof() -> None:
    again = (
        ALONE + '< user_message u1 {"_meta": {"k": 1}}\n< user_message u1 {"content": null}\n'
        '< user_message_chunk u1 "hi"\n< #1 error -32603 "x"'
    )

    assert found(ERROR, again) == ["10 definite"]


def test_a_message_may_be_that_of_a_prompt_whose_response_names_none() -> None:
    unusable = TWO.replace('< #1 error -32603 "boom"', '< #1 ok {}\n< #2 error -32603 "boom"')

    assert found(ERROR, unusable) == ["9 suspect"]


def test_an_error_held_until_a_response_that_names_no_message_stays_a_suspicion() -> None:
    assert found(ERROR, TWO + "< #2 ok {}") == ["8 suspect"]


def test_a_message_may_be_that_of_a_prompt_that_was_lost_with_its_connection() -> None:
    """B17: what became of the lost prompt is uncertain; it may be inserted only now."""
    lost = """
setup
> #1 prompt "hi"
lost
setup
> #2 prompt "hi"
< user_message u1 "hi"
< #2 error -32603 "boom"
"""

    assert found(ERROR, lost)[-1:] == ["13 suspect"]
