"""Every misbehaviour breaks its rule, and the checker finds it."""

from __future__ import annotations

from functools import cache

import pytest

from acpsim.errors import UsageError
from acpsim.rules.registry import RULES
from acpsim.sim.misbehave import ENTAILED, MISBEHAVIOURS, UNSEEN
from acpsim.sim.model import Model, parse_model
from acpsim.wire.edition import EDITIONS
from tests.sim.runs import checked, traces

BUSY = """
sessions = 3
[client]
prompts = 12
prompt_blocks = 2
think = { kind = "exponential", mean_s = 0.4 }
prompt_while_running = 0.3
cancel = 0.3
cancel_after = { kind = "exponential", mean_s = 0.3 }
withdraw = 0.1
permission_allow = 0.5
close_during_work = 0.1
close_between = 0.2
replay = 0.5
resume_after_close = 1.0
[agent]
hook = { kind = "exponential", mean_s = 0.1 }
hook_is_foreground = 0.5
reject = 0.1
response_delay = { kind = "exponential", mean_s = 0.3 }
steps = [1, 4]
tool_asks = 0.5
fail = 0.1
[agent.activities]
message = 3
thought = 1
tool = 3
terminal = 1
plan = 1
permission = 1
usage = 1
notice = 1
compaction = 1
[background]
start = 0.1
[subagents]
start = 0.3
[link.c2a]
latency = { kind = "exponential", mean_s = 0.02 }
[link.a2c]
latency = { kind = "exponential", mean_s = 0.02 }
"""
"""A model in which every rule has an occasion to be broken."""


def model(rule: str | None) -> Model:
    head = "" if rule is None else f'misbehave = ["{rule}"]\n'
    return parse_model(head + BUSY, where="busy", default_name="busy")


@cache
def found(rule: str) -> frozenset[tuple[str, str]]:
    """Every rule that some run with the misbehaviour has a finding of, and how certain it is."""
    return frozenset(
        (finding.rule, finding.certainty)
        for seed in range(5)
        for edition in EDITIONS.values()
        for finding in checked(traces(model(rule), seed=seed, edition=edition)["wire"]).findings
    )


@pytest.mark.slow
@pytest.mark.parametrize("rule", MISBEHAVIOURS)
def test_the_checker_finds_what_the_misbehaviour_breaks(rule: str) -> None:
    assert rule in {name for name, _ in found(rule)}


@pytest.mark.slow
@pytest.mark.parametrize("rule", MISBEHAVIOURS)
def test_a_misbehaviour_breaks_exactly_its_rule_and_what_that_entails(rule: str) -> None:
    others = {name for name, certainty in found(rule) if certainty == "definite"} - {rule}

    assert others <= ENTAILED.get(rule, {}).keys()


@pytest.mark.parametrize("rule", ENTAILED)
def test_what_a_breach_entails_are_other_rules_and_why(rule: str) -> None:
    assert rule in MISBEHAVIOURS
    assert all(other in RULES and other != rule and why for other, why in ENTAILED[rule].items())


@pytest.mark.parametrize("rule", MISBEHAVIOURS)
def test_the_party_that_misbehaves_is_one_that_the_rule_binds(rule: str) -> None:
    assert RULES[rule].party in {MISBEHAVIOURS[rule].party, "both"}


def test_every_rule_that_a_trace_can_decide_has_a_misbehaviour_or_a_reason() -> None:
    checkable = {rule.id for rule in RULES.values() if rule.checkable}

    assert checkable - MISBEHAVIOURS.keys() - UNSEEN.keys() == set()
    assert (MISBEHAVIOURS.keys() | UNSEEN.keys()) - checkable == set()


def test_without_a_misbehaviour_the_same_model_breaks_nothing() -> None:
    definite = [
        finding
        for edition in EDITIONS.values()
        for seed in range(5)
        for finding in checked(traces(model(None), seed=seed, edition=edition)["wire"]).findings
        if finding.certainty == "definite"
    ]
    assert definite == []


def test_a_misbehaviour_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(
        UsageError, match="busy: misbehave: PROMPT-EKKO: no such rule; one of PROMPT"
    ):
        model("PROMPT-EKKO")
