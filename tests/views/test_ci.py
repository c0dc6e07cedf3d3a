"""Which tests `check`, `fuzz` and `replay` say that they were, and how each came out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from acpsim.fuzz.campaign import CampaignFinished, Fault, Options, run
from acpsim.oracles.verdict import Verdict
from acpsim.rules.check import check
from acpsim.rules.finding import Report
from acpsim.rules.registry import NOT_IN_TRACES, RULES
from acpsim.views import ci
from acpsim.views.outcome import CheckResult
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation

NO_ECHO = """
    setup
    > #1 prompt "hi"
    < #1 ok u1
    < running
    < idle end_turn
"""


def report(talk: str, *, complete: bool = True) -> Report:
    return check(conversation(talk), edition=DRAFT, complete=complete)


def named(results: list[CheckResult], name: str) -> CheckResult:
    (found,) = [result for result in results if result.name == name]
    return found


def fault(**fields: object) -> Fault:
    events = tuple(conversation('setup\n< agent_message m1 "hi"'))
    found = Fault(
        oracle="agreement",
        rules=("PATCH-OMIT",),
        text="it is wrong",
        session="s1",
        path="$.timeline",
        expected=1,
        actual=2,
        messages=1,
        minimal=True,
        inversions=(),
        events=events,
        last_words="",
        seed=0,
        case=0,
        source="field",
        disturbances=(),
        trace="faults/01.jsonl",
        replay="acpsim replay faults/01.jsonl",
    )
    return replace(found, **fields)  # type: ignore[arg-type]


@cache
def campaign() -> CampaignFinished:
    last = list(run(Options(cases=1)))[-1]
    assert isinstance(last, CampaignFinished)
    return last


def finished(*faults: Fault, cases: int = 9, exercised: int = 3) -> CampaignFinished:
    return replace(
        campaign(),
        target="my:Reducer",
        cases=cases,
        failed=len(faults),
        faults=faults,
        exercised=dict.fromkeys(RULES, exercised),
    )


def test_a_rule_that_a_trace_breaks_is_a_test_that_failed() -> None:
    broken = named(ci.checked("a.jsonl", report(NO_ECHO), strict=False), "PROMPT-ECHO")

    assert (broken.group, broken.outcome) == ("a.jsonl", "failed")
    (spot,) = broken.spots
    assert (spot.file, spot.level) == ("a.jsonl", "error")
    assert spot.line > 0


def test_a_rule_that_a_trace_keeps_passed() -> None:
    results = ci.checked("a.jsonl", report(NO_ECHO), strict=False)

    assert named(results, "PROMPT-RESPONSE-ID").outcome == "passed"


def test_a_rule_that_nothing_could_have_broken_is_no_test_of_the_trace() -> None:
    results = ci.checked("a.jsonl", report(NO_ECHO), strict=False)

    assert "PLAN-ENTRY-VALUES" not in {result.name for result in results}


def test_what_no_trace_exercised_is_skipped_and_says_why() -> None:
    told = ci.Told()
    checked = report(NO_ECHO)
    told.check("a.jsonl", checked, [], strict=False)
    told.skip(checked.coverage, ())

    assert named(told.results, "PLAN-ENTRY-VALUES").outcome == "skipped"
    assert named(told.results, NOT_IN_TRACES[0]).text == "no trace can show whether it is kept"
    assert {result.name for result in told.results} == set(RULES)


def test_of_a_choice_of_rules_no_other_is_skipped() -> None:
    told = ci.Told()
    told.skip({}, ("PROMPT-ECHO",))

    assert [result.name for result in told.results] == ["PROMPT-ECHO"]


def test_a_breach_of_a_should_fails_only_where_that_is_asked() -> None:
    chunks = "setup\n< running\n< idle"
    (rule,) = {f.rule for f in report(chunks).findings if f.level == "should"}

    lenient = named(ci.checked("a.jsonl", report(chunks), strict=False), rule)
    strict = named(ci.checked("a.jsonl", report(chunks), strict=True), rule)

    assert (lenient.outcome, strict.outcome) == ("passed", "failed")
    assert [spot.level for spot in lenient.spots] == ["warning"]


def test_a_suspicion_fails_nothing_and_is_a_note() -> None:
    suspected = '< running\n> #7 prompt "more"\n< #7 ok u7\n< user_message u7 "more"\n< idle'
    result = named(ci.checked("a.jsonl", report(suspected), strict=True), "PROMPT-AFTER-SETUP")

    assert result.outcome == "passed"
    assert [spot.level for spot in result.spots] == ["note"]


def test_an_open_promise_fails_nothing_and_is_a_note() -> None:
    unfinished = report(NO_ECHO, complete=False)
    result = named(ci.checked("a.jsonl", unfinished, strict=True), "PROMPT-ECHO")

    assert result.outcome == "passed"
    (spot,) = result.spots
    assert spot.text.startswith("open: ")
    assert spot.level == "note"


def test_a_fault_is_a_test_that_failed_under_the_rule_that_it_names() -> None:
    result = named(ci.fuzzed(finished(fault())), "PATCH-OMIT")

    assert (result.group, result.outcome) == ("my:Reducer", "failed")
    (spot,) = result.spots
    assert (spot.file, spot.line) == ("faults/01.jsonl", 6)
    assert spot.text == "it is wrong\nacpsim replay faults/01.jsonl"


def test_a_fault_that_names_no_rule_stands_under_its_oracle() -> None:
    results = ci.fuzzed(finished(fault(rules=(), oracle="crash:raised")))

    assert named(results, "crash:raised").outcome == "failed"


def test_the_other_rules_of_a_fault_are_not_said_to_be_kept() -> None:
    results = ci.fuzzed(finished(fault(rules=("PATCH-OMIT", "TIMELINE-FIRST-SEEN"))))

    other = named(results, "TIMELINE-FIRST-SEEN")
    assert other.outcome == "skipped"
    assert "PATCH-OMIT" in other.text


def test_a_rule_that_a_campaign_exercised_passed() -> None:
    assert named(ci.fuzzed(finished()), "PATCH-NULL").outcome == "passed"


def test_a_rule_that_a_campaign_never_exercised_is_skipped() -> None:
    assert named(ci.fuzzed(finished(exercised=0)), "PATCH-NULL").outcome == "skipped"


def test_a_campaign_without_a_case_passed_nothing() -> None:
    results = ci.fuzzed(finished(cases=0, exercised=0))

    assert {result.outcome for result in results} == {"skipped"}


def test_a_replay_is_one_test_at_the_message_where_it_fails() -> None:
    verdict = Verdict(oracle="agreement", text="wrong", rules=("PATCH-OMIT",), after=5)

    result = ci.replayed("f.jsonl", ("PATCH-OMIT",), verdict)

    assert (result.name, result.outcome, result.line) == ("PATCH-OMIT", "failed", 7)


def test_a_replay_that_holds_passed() -> None:
    assert ci.replayed("f.jsonl", ("PATCH-OMIT",), None).outcome == "passed"


def test_every_kind_of_test_is_explained() -> None:
    for name in ("PROMPT-ECHO", "law:batch", "crash:hung", "reset", "agreement"):
        assert ci.help_of(name).text != name
