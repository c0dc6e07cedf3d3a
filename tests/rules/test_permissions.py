"""PERMISSION-*: what an agent asks, and what it does with the answer."""

from __future__ import annotations

import pytest

from tests.rules.both_ways import BREAKS, found, report

CALL = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< tool_call_update t1 {"title": "Edit", "status": "pending"}
"""
ASK = (
    CALL
    + """
< #a1 permission t1 yes/no
< requires_action
"""
)
RUN = '\n< running\n< tool_call_update t1 {"status": "in_progress"}\n'
DONE = '< tool_call_update t1 {"status": "completed"}\n< idle end_turn'
REQUEST = (
    '< raw {"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", "params": '
    '{"sessionId": "s1", %s}}\n'
)
YES = '{"optionId": "y", "name": "Yes", "kind": "allow_once"}'


# ---------------------------------------------------------------- PERMISSION-OPTIONS


@pytest.mark.parametrize(
    "fields",
    [
        f'"options": [{YES}]',
        '"title": "Edit?"',
        '"title": "Edit?", "options": []',
        f'"title": null, "options": [{YES}]',
    ],
)
def test_a_request_without_title_or_options_is_told_by_one_rule(fields: str) -> None:
    findings = report(CALL + REQUEST % fields).findings

    assert [(f.rule, f.line) for f in findings if f.line == 10] == [("PERMISSION-OPTIONS", 10)]


def test_a_malformed_option_is_shape() -> None:
    fields = f'"title": "Edit?", "options": [{YES}, {{"optionId": "n"}}]'
    findings = report(CALL + REQUEST % fields).findings

    assert [(f.rule, f.party) for f in findings if f.line == 10] == [("UPDATE-SHAPE", "agent")]


# ---------------------------------------------------------------- PERMISSION-OUTCOME


def test_an_option_that_was_not_offered_is_the_clients_fault() -> None:
    findings = report(BREAKS["PERMISSION-OUTCOME"]).findings

    assert [(f.line, f.party, f.related) for f in findings if f.rule == "PERMISSION-OUTCOME"] == [
        (12, "client", (10,))
    ]


def test_cancelled_names_no_option() -> None:
    """B31: a refusal is a reject option; cancelled without a cancel is not this rule's concern."""
    assert found("PERMISSION-OUTCOME", ASK + "> cancel\n> #a1 cancelled\n< idle cancelled") == []


# ---------------------------------------------------------------- PERMISSION-BEFORE-START


def test_a_start_before_the_answer_is_told_once_a_request() -> None:
    early = ASK + '< tool_call_update t1 {"status": "in_progress"}\n' * 2 + "> #a1 selected yes"

    assert found("PERMISSION-BEFORE-START", early) == ["12 suspect"]


def test_a_call_that_ran_before_it_asked_runs_in_part_without() -> None:
    running = ASK.replace('"status": "pending"', '"status": "in_progress"')

    assert found("PERMISSION-BEFORE-START", running + DONE) == []


def test_another_call_may_run_meanwhile() -> None:
    other = ASK + '< tool_call_update t2 {"title": "Read", "status": "in_progress"}'

    assert found("PERMISSION-BEFORE-START", other) == []


# ---------------------------------------------------------------- PERMISSION-NOT-APPROVED


@pytest.mark.parametrize("answer", ["selected no", "cancelled", "error -32800"])
def test_a_call_that_was_not_approved_does_not_start(answer: str) -> None:
    assert found("PERMISSION-NOT-APPROVED", ASK + f"> #a1 {answer}" + RUN + DONE) == ["14 suspect"]


def test_a_late_click_does_not_approve() -> None:
    """B29: the dialog outlived its work, and its answer still ran the tool."""
    late = (
        ASK
        + """
> cancel
> #a1 cancelled
< idle cancelled
> #a1 selected yes
< tool_call_update t1 {"status": "in_progress"}
< tool_call_update t1 {"status": "completed"}
"""
    )

    assert found("PERMISSION-NOT-APPROVED", late) == ["16 suspect"]


def test_a_second_request_may_approve_after_all() -> None:
    again = ASK + "> #a1 selected no\n< #a2 permission t1 yes/no\n> #a2 selected yes" + RUN + DONE

    assert found("PERMISSION-NOT-APPROVED", again) == []


def test_another_open_request_may_approve_yet() -> None:
    two = ASK + "< #a2 permission t1 yes/no\n> #a1 selected no\n> #a2 selected yes" + RUN + DONE

    assert found("PERMISSION-NOT-APPROVED", two) == []


def test_a_call_that_ran_before_it_asked_may_go_on() -> None:
    running = ASK.replace('"status": "pending"', '"status": "in_progress"')

    assert found("PERMISSION-NOT-APPROVED", running + "> #a1 selected no\n< running\n" + DONE) == []


def test_an_option_of_a_custom_kind_decides_nothing() -> None:
    option = YES.replace("allow_once", "_ask_again")
    asked = CALL + REQUEST % f'"title": "Edit?", "options": [{option}]' + "> #a1 selected y"

    assert found("PERMISSION-NOT-APPROVED", asked + RUN + DONE) == []


def test_stop_while_a_dialog_is_open_is_no_fault_of_the_agent() -> None:
    """B28: the client left requests unanswered; the permission rules themselves are kept."""
    stopped = (
        ASK + "< #a2 permission - yes/no\n> cancel\n< #a3 permission - yes/no\n> #a1 cancelled\n"
    )
    told = {f.rule for f in report(stopped + "< idle cancelled").findings}

    assert not {rule for rule in told if rule.startswith("PERMISSION-")}


def test_a_request_whose_id_is_used_again_is_open_no_longer() -> None:
    again = (
        ASK
        + """
< #a1 permission t2 yes/no
< tool_call_update t1 {"status": "in_progress"}
> #a1 selected yes
"""
    )

    assert found("PERMISSION-BEFORE-START", again) == []
