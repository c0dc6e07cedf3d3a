"""Every mutant differs from the reference on a short conversation and agrees on a plain one."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from acpsim.reducer import SECTIONS
from acpsim.targets import target as targets
from acpsim.targets.mutants import MUTANTS, Mutant
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from acpsim.wire.trace import Event
from tests.helpers.shorthand import conversation
from tests.targets.mutant_cases import ALIASED, AT_ONCE, CASES, PLAIN

SETUP_MESSAGES = 4
MESSAGES_MAX = 8
LAWS = {
    *("batch", "response-order", "independence", "chunks", "absorb", "idempotence", "neutrality"),
    *("isolation", "replay", "never-raise", "monotone", "no-aliasing", "text-blind", "name-blind"),
}
"""The fourteen laws of the reducer, by the names that the oracles give them."""

mutants = pytest.mark.parametrize("mutant", [pytest.param(m, id=m.name) for m in MUTANTS.values()])


def rules() -> list[dict[str, Any]]:
    """The table of rules, read as data: what its own package makes of it is not our concern."""
    path = Path(__file__).resolve().parents[2] / "acpsim" / "rules" / "rules.toml"
    table: list[dict[str, Any]] = tomllib.loads(path.read_text("utf-8"))["rule"]
    return table


def seen(target: Target, events: Sequence[Event], *, at_once: bool) -> Any:
    """What a target holds of each session after a conversation, or how it failed."""
    target.reset()
    try:
        for batch in [events] if at_once else [[event] for event in events]:
            target.apply(batch)
        return {session_id: target.snapshot(session_id) for session_id in ("s1", "s2", "c1")}
    except TargetFailure as failure:
        return failure.kind


def case(name: str, edition: Edition = DRAFT) -> list[Event]:
    return conversation(f"setup\n{CASES[name]}", edition=edition)


def where_it_is_a_fault(mutant: Mutant) -> Edition:
    """The first edition in which the mutant is to be told from the reference."""
    return next(edition for edition in EDITIONS.values() if mutant.applies(edition))


@mutants
def test_a_mutant_differs_on_its_own_conversation(mutant: Mutant) -> None:
    if mutant.name in ALIASED:
        pytest.skip("seen only by a caller who changes the objects; see below")
    edition = where_it_is_a_fault(mutant)
    events = case(mutant.name, edition)
    at_once = mutant.name in AT_ONCE

    honest = seen(ReferenceTarget(edition), events, at_once=at_once)
    assert seen(mutant.target(edition), events, at_once=at_once) != honest
    assert len(events) - SETUP_MESSAGES <= MESSAGES_MAX


@mutants
def test_a_mutant_agrees_on_a_plain_conversation(mutant: Mutant) -> None:
    events = conversation(PLAIN)

    honest = seen(ReferenceTarget(DRAFT), events, at_once=False)
    assert seen(mutant.target(DRAFT), events, at_once=False) == honest


@mutants
def test_a_conversation_of_a_mutant_has_nothing_to_spare(mutant: Mutant) -> None:
    if mutant.name in ALIASED:
        pytest.skip("seen only by a caller who changes the objects; see below")
    edition = where_it_is_a_fault(mutant)
    events = case(mutant.name, edition)
    at_once = mutant.name in AT_ONCE
    spared = []
    for at in range(SETUP_MESSAGES, len(events)):
        shorter = [*events[:at], *events[at + 1 :]]
        honest = seen(ReferenceTarget(edition), shorter, at_once=at_once)
        if seen(mutant.target(edition), shorter, at_once=at_once) != honest:
            spared.append(at)

    assert spared == []


def test_a_mutant_names_the_rules_and_laws_that_it_breaks() -> None:
    known = {rule["id"] for rule in rules()} | LAWS
    wrong = {
        mutant.name: set(mutant.breaks) - known
        for mutant in MUTANTS.values()
        if not mutant.breaks or not set(mutant.breaks) <= known
    }

    assert wrong == {}


@mutants
def test_a_mutant_has_a_speaking_name_and_one_sentence(mutant: Mutant) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", mutant.name)
    assert mutant.text[0].islower()
    assert not mutant.text.endswith(".")


@mutants
def test_a_fork_of_a_mutant_goes_its_own_way(mutant: Mutant) -> None:
    events = conversation(PLAIN) if mutant.name in ALIASED else case(mutant.name)
    whole = mutant.target(DRAFT)
    first = mutant.target(DRAFT)
    for event in events[:-1]:
        whole.apply([event])
        first.apply([event])
    before = first.snapshot("s1")
    fork = first.fork()
    try:
        fork.apply(events[-1:])
        whole.apply(events[-1:])
    except TargetFailure:
        return

    assert first.snapshot("s1") == before
    assert fork.snapshot("s1") == whole.snapshot("s1")


@mutants
@pytest.mark.parametrize("edition", list(EDITIONS.values()), ids=list(EDITIONS))
def test_a_mutant_forgets_at_reset(mutant: Mutant, edition: Any) -> None:
    target = mutant.target(edition)
    if mutant.name in CASES and mutant.name != "unknown-raises":
        seen(target, case(mutant.name), at_once=False)
    events = conversation(PLAIN, edition=edition)

    fresh = seen(mutant.target(edition), events, at_once=False)
    assert seen(target, events, at_once=False) == fresh


def test_every_rule_of_the_reducer_has_a_mutant() -> None:
    broken = {name for mutant in MUTANTS.values() for name in mutant.breaks}

    assert {rule["id"] for rule in rules() if rule["check"] == "reducer"} - broken == set()


def test_every_law_has_a_mutant() -> None:
    assert LAWS - {name for mutant in MUTANTS.values() for name in mutant.breaks} == set()


def test_every_mutant_has_a_conversation() -> None:
    assert set(MUTANTS) - ALIASED == set(CASES)


@pytest.mark.parametrize(
    ("mutant", "edition"),
    [
        pytest.param(mutant, edition, id=f"{mutant.name}-{edition.name}")
        for mutant in MUTANTS.values()
        for edition in EDITIONS.values()
        if not mutant.applies(edition)
    ],
)
def test_a_mutant_of_one_edition_is_right_in_the_other(mutant: Mutant, edition: Edition) -> None:
    different = []
    for name in CASES:
        events = case(name, edition)
        honest = seen(ReferenceTarget(edition), events, at_once=False)
        if seen(mutant.target(edition), events, at_once=False) != honest:
            different.append(name)

    assert different == []


def test_a_message_that_is_changed_later_reaches_an_aliased_mutant() -> None:
    given = case("notice-as-history")[-1].as_json()
    honest, mutant = ReferenceTarget(DRAFT), MUTANTS["message-aliased"].target(DRAFT)
    for target in (honest, mutant):
        target.apply_value(given)
    before = honest.snapshot("s1")
    assert mutant.snapshot("s1") == before
    given["msg"]["params"]["update"]["title"] = "changed"

    assert honest.snapshot("s1") == before
    assert mutant.snapshot("s1") != before


def test_a_snapshot_that_is_changed_reaches_an_aliased_mutant() -> None:
    event = case("notice-as-history")[-1]
    honest, mutant = ReferenceTarget(DRAFT), MUTANTS["snapshot-aliased"].target(DRAFT)
    for target in (honest, mutant):
        target.apply([event])
        snapshot = target.snapshot_value("s1")
        assert snapshot is not None
        snapshot["notices"].clear()

    assert honest.snapshot("s1") != mutant.snapshot("s1")


def test_targets_and_reducer_know_the_same_sections() -> None:
    assert targets.SECTIONS == SECTIONS
