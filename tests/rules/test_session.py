"""NOTICE-*, USAGE-*, SUBAGENT-*: what is said of the session and of its children."""

from __future__ import annotations

import pytest

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
> #2 close
< #2 ok {}
> #3 resume replay
< user_message u1 "hi"
"""
)
CHILD = TURN.replace(
    "< idle end_turn",
    '< subagent_update c1 {"title": "Helper", "state": {"state": "idle"}}\n< [c1] running\n',
)
WORK = '< [c1] agent_message cm1 "found"\n< [c1] idle end_turn\n'
MIRROR = '< subagent_update c1 {"state": {"state": "%s"}}\n'


# ---------------------------------------------------------------- notices


@pytest.mark.parametrize(
    "fields",
    [
        '{"severity": null, "title": ""}',
        '{"title": "x"}',
        '{"severity": "info"}',
        '{"severity": "info", "title": ""}',
        '{"severity": 7, "title": "x"}',
    ],
)
def test_a_notice_without_its_fields_is_told_by_one_rule(fields: str) -> None:
    assert [(f.rule, f.line) for f in report(TURN + f"< notice {fields}").findings] == [
        ("NOTICE-FIELDS", 11)
    ]


def test_a_malformed_description_is_shape() -> None:
    notice = TURN + '< notice {"severity": "info", "title": "x", "description": 7}'

    assert [f.rule for f in report(notice).findings] == ["UPDATE-SHAPE"]


def test_a_replayed_notice_is_told_where_it_comes() -> None:
    assert found("NOTICE-LIVE-ONLY", BREAKS["NOTICE-LIVE-ONLY"]) == ["15 definite"]


def test_a_live_notice_may_cross_the_resume_of_an_open_session() -> None:
    crossed = TURN + '> #2 resume replay\n< notice "busy"\n< idle end_turn\n< #2 ok {}'

    assert found("NOTICE-LIVE-ONLY", crossed) == ["12 suspect"]
    assert found("NOTICE-LIVE-ONLY", crossed, observer="agent") == ["12 definite"]


def test_a_notice_during_a_resume_without_replay_is_live() -> None:
    plain = TURN + '> #2 close\n< #2 ok {}\n> #3 resume\n< notice "busy"\n< idle\n< #3 ok {}'

    assert found("NOTICE-LIVE-ONLY", plain) == []


# ---------------------------------------------------------------- usage


@pytest.mark.parametrize(
    "fields",
    [
        '{"used": null, "size": 9}',
        '{"size": 9}',
        '{"used": -1, "size": 9}',
        '{"used": 0.5, "size": 9}',
        '{"used": 1, "size": 9, "cost": {"amount": 1}}',
        '{"used": 1, "size": 9, "cost": {"amount": "1", "currency": "USD"}}',
    ],
)
def test_usage_without_its_fields_is_told_by_one_rule(fields: str) -> None:
    assert [(f.rule, f.line) for f in report(TURN + f"< usage_update {fields}").findings] == [
        ("USAGE-FIELDS", 11)
    ]


def test_a_cost_in_another_unit_is_the_editions_to_say() -> None:
    credits = (
        TURN + '< usage_update {"used": 1, "size": 9, "cost": {"amount": 3, "currency": "credits"}}'
    )

    assert found("USAGE-FIELDS", credits) == ["11 definite"]
    assert found("USAGE-FIELDS", (credits, "sdk-2.4")) == []


@pytest.mark.parametrize("cost", ['{"used": 1, "size": 2}', '{"used": 1, "size": 2, "cost": null}'])
def test_no_cost_is_fine(cost: str) -> None:
    assert report(TURN + f"< usage_update {cost}").findings == []


# ---------------------------------------------------------------- children


def test_a_late_announcement_is_told_where_the_child_was_first_named() -> None:
    findings = report(BREAKS["SUBAGENT-ANNOUNCED"]).findings
    told = [f for f in findings if f.rule == "SUBAGENT-ANNOUNCED"]

    assert [(f.line, f.session, f.related) for f in told] == [(10, "c1", (12,))]


def test_a_session_that_the_client_opened_needs_no_announcement() -> None:
    opened = TURN + "> [c1] #2 resume\n< [c1] idle\n< #2 ok {}\n< subagent_update c1"

    assert found("SUBAGENT-ANNOUNCED", opened) == []


@pytest.mark.parametrize("mirrors", [1, 2])
def test_an_old_mirror_is_told_after_two_updates(mirrors: int) -> None:
    stale = CHILD + MIRROR % "idle" * mirrors + MIRROR % "running" + MIRROR % "idle" + WORK

    assert found("SUBAGENT-STATE-MIRRORED", stale) == (["11 suspect"] if mirrors == 2 else [])


def test_a_mirror_may_come_before_the_report() -> None:
    ahead = TURN.replace(
        "< idle end_turn", '< subagent_update c1 {"state": {"state": "running"}}\n'
    )

    ahead += "< [c1] running\n" + MIRROR % "idle" + WORK + "< idle end_turn"

    assert found("SUBAGENT-STATE-MIRRORED", ahead) == []


def test_several_reports_may_be_mirrored_as_one() -> None:
    once = CHILD + "< [c1] unknown\n< [c1] running\n" + MIRROR % "running" + WORK + MIRROR % "idle"

    assert found("SUBAGENT-STATE-MIRRORED", once + "< idle end_turn") == []


def test_a_cleared_mirror_stands_for_unknown() -> None:
    cleared = CHILD + MIRROR % "running" + '< [c1] unknown\n< subagent_update c1 {"state": null}\n'

    assert found("SUBAGENT-STATE-MIRRORED", cleared + "< idle end_turn") == []


def test_a_mirror_that_never_came_is_told_at_the_end_of_the_conversation_only() -> None:
    broken = BREAKS["SUBAGENT-STATE-MIRRORED"]

    assert found("SUBAGENT-STATE-MIRRORED", broken) == ["11 suspect"]
    assert found("SUBAGENT-STATE-MIRRORED", broken, complete=False) == []
