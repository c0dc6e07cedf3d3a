"""Every rule that a trace can decide, proven both ways: a conversation that keeps it and exercises
it, and one that breaks it: those of `acpsim/rules/examples.toml`, which the rule book shows."""

from __future__ import annotations

import pytest

from acpsim.rules.registry import RULES
from tests.rules.both_ways import BREAKS, KEEPS, found, report

CHECKABLE = [rule.id for rule in RULES.values() if rule.checkable]


def test_every_rule_has_a_conversation_that_keeps_it() -> None:
    assert [rule for rule in CHECKABLE if rule not in KEEPS] == []


def test_every_rule_has_a_conversation_that_breaks_it() -> None:
    assert [rule for rule in CHECKABLE if rule not in BREAKS] == []


def test_no_table_names_a_rule_that_is_not_there() -> None:
    assert sorted((KEEPS.keys() | BREAKS.keys()) - set(CHECKABLE)) == []


@pytest.mark.parametrize("rule", sorted(KEEPS))
def test_kept(rule: str) -> None:
    assert found(rule, KEEPS[rule]) == []
    assert report(KEEPS[rule]).coverage[rule].exercised > 0


@pytest.mark.parametrize("rule", sorted(KEEPS))
def test_what_keeps_one_rule_breaks_no_other_for_certain(rule: str) -> None:
    definite = [f for f in report(KEEPS[rule]).findings if f.certainty == "definite"]
    assert definite == []


@pytest.mark.parametrize("rule", sorted(BREAKS))
def test_broken(rule: str) -> None:
    assert found(rule, BREAKS[rule]) != []
