"""One pass over a conversation: what the report holds, and how the pass is fed."""

from __future__ import annotations

from acpsim.rules.check import Checker, check
from acpsim.rules.registry import RULES
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
from tests.rules.both_ways import report

TURN = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< agent_message m1 "hello"
< idle end_turn
"""


def test_a_kept_conversation_says_what_it_exercised() -> None:
    result = report(TURN)

    assert result.messages == 10
    assert (result.findings, result.open) == ([], [])
    assert result.coverage["PROMPT-ECHO"].exercised == 1
    assert result.coverage["PROMPT-ECHO"].breached == 0
    assert result.coverage["CANCEL-IDLE"].exercised == 0


def test_every_rule_is_either_covered_or_told_not_to_be_in_traces() -> None:
    result = report(TURN)

    assert result.coverage.keys() | set(result.not_in_traces) == set(RULES)
    assert not result.coverage.keys() & set(result.not_in_traces)


def test_an_empty_conversation_exercises_nothing() -> None:
    result = check([], edition=DRAFT)

    assert result.messages == 0
    assert {coverage.exercised for coverage in result.coverage.values()} == {0}


def test_only_what_is_proven_counts_as_breached() -> None:
    late = TURN + '< agent_message_chunk m1 "!"'
    result = report(late)

    assert [finding.certainty for finding in result.findings] == ["suspect"]
    assert {coverage.breached for coverage in result.coverage.values()} == {0}


def test_findings_stand_in_the_order_of_their_lines() -> None:
    broken = (
        TURN
        + """
> #2 prompt "next"
< idle stopped
< #1 ok u1
"""
    )
    lines = [finding.line for finding in report(broken).findings]

    assert len(lines) > 1
    assert lines == sorted(lines)


def test_an_unfinished_conversation_owes_where_a_finished_one_breaks() -> None:
    begun = 'setup\n> #1 prompt "hi"\n< #1 ok u1\n< running'
    open_, over = report(begun, complete=False), report(begun)
    broken = {finding.rule for finding in over.findings if finding.certainty == "definite"}

    assert open_.findings == []
    assert {promise.rule for promise in open_.open} == broken == {"PROMPT-ECHO", "STATE-IDLE"}
    assert over.open == []


def test_a_lost_connection_voids_every_promise() -> None:
    begun = """
setup
> #1 prompt "hi"
< #1 ok u1
< running
< #a1 permission -
> #2 prompt "next"
> cancel
> #3 close
lost
"""
    result = report(begun)

    assert (result.findings, result.open) == ([], [])
    assert result.messages == 11


def test_findings_can_be_had_before_the_end() -> None:
    checker = Checker(DRAFT)
    for told in conversation(TURN + "< #1 ok u1"):
        checker.feed(told)

    assert [finding.rule for finding in checker.findings] == ["RPC-RESPONSE-MATCH"]


def test_a_finding_says_who_broke_what_where() -> None:
    [finding] = report(TURN + "< #1 ok u1").findings

    assert (finding.party, finding.level, finding.line) == ("agent", "must", 11)
    assert finding.text == "the agent answers 1, which is no open request of the client"


def test_closed_prompts_and_requests_are_not_kept() -> None:
    checker = Checker(DRAFT)
    turn = conversation(TURN)
    for told in turn[:4]:
        checker.feed(told)
    for told in turn[4:] * 50:
        checker.feed(told)
    session = checker._case.ledger.sessions["s1"]

    assert (session.prompts, session.permissions, session.unclaimed) == ({}, {}, {})
    assert checker._case.ledger.pairing.open("c2a") == {}


def test_messages_that_no_prompt_can_claim_are_not_held_for_one() -> None:
    watching = "setup\n" + "\n".join(f'< user_message u{at} "hi"' for at in range(50))
    checker = Checker(DRAFT)
    for told in conversation(watching):
        checker.feed(told)

    assert checker._case.ledger.sessions["s1"].unclaimed == {}
