"""The rules as data, and which function checks which."""

from __future__ import annotations

from collections import Counter

import pytest

from acpsim.rules import check as checking
from acpsim.rules import registry
from acpsim.rules.registry import NOT_IN_TRACES, RULES, SUBSCRIPTIONS


def test_every_rule_that_a_trace_can_decide_has_one_function() -> None:
    assert checking.RULE_MODULES
    assert registry.orphans() == []
    assert set(SUBSCRIPTIONS.functions) == {rule.id for rule in RULES.values() if rule.checkable}


def test_no_function_checks_two_rules() -> None:
    shared = [f for f, count in Counter(SUBSCRIPTIONS.functions.values()).items() if count > 1]

    assert shared == []


def test_what_a_trace_cannot_decide_is_told_apart() -> None:
    assert {RULES[rule].check for rule in NOT_IN_TRACES} <= {"reducer", "none"}
    assert len(NOT_IN_TRACES) + len(SUBSCRIPTIONS.functions) == len(RULES)


def test_every_row_of_the_table_uses_the_words_that_its_head_explains() -> None:
    for rule in RULES.values():
        assert rule.party in {"agent", "client", "both"}
        assert rule.level in {"must", "should", "may"}
        assert rule.check in {"trace", "end", "reducer", "none"}
        assert rule.certainty in {"definite", "suspect"}
        assert rule.text


def test_a_rule_is_tied_to_one_function_only() -> None:
    with pytest.raises(AssertionError, match="two functions"):
        registry.check("PROMPT-ECHO")


def test_only_a_rule_of_the_table_can_be_tied() -> None:
    with pytest.raises(AssertionError, match="not in"):
        registry.check("PROMPT-NOWHERE")


def test_a_rule_of_the_reducer_cannot_be_tied() -> None:
    with pytest.raises(AssertionError, match="cannot be decided"):
        registry.check("PATCH-OMIT")


def test_moments_are_called_by_their_names() -> None:
    assert repr(registry.LOST) == "LOST"
