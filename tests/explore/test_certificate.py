"""Certificates: complete where they say so, exact where they stop, wrong for wrong reducers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from acpsim.explore.certificate import (
    EXHAUSTIVE_MAX,
    Certificate,
    Ending,
    Limits,
    Progress,
    all_pairs,
    classes_of,
    explore,
)
from acpsim.explore.dependence import RELATIONS, Dependence
from acpsim.explore.named import SMALL_MAX, find, shipped
from acpsim.explore.walk import Walk
from acpsim.fuzz.judging import Shown
from acpsim.fuzz.scenario import Scenario
from acpsim.schedule.count import orders_of
from acpsim.targets.address import open_target
from acpsim.wire.edition import DRAFT, EDITIONS, Edition


def certificate(scenario: Scenario, target: str = "reference", **options: Any) -> Certificate:
    edition = options.pop("edition", DRAFT)
    *_, last = explore(scenario, open_target(target, edition=edition), edition=edition, **options)
    assert isinstance(last, Certificate)
    return last


def small(*, orders_max: int | None = None) -> list[object]:
    return [
        pytest.param(scenario, edition, id=f"{scenario.name}-{edition.name}")
        for edition in EDITIONS.values()
        for scenario in shipped(edition=edition, seed=0, messages_max=SMALL_MAX)
        if orders_max is None or (orders_of(scenario.order.closure) or orders_max) < orders_max
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), small())
def test_the_reference_is_certified_on_every_small_scenario(
    scenario: Scenario, edition: Edition
) -> None:
    found = certificate(scenario, edition=edition)

    assert found.certified
    assert found.covered == found.orders == orders_of(scenario.order.closure)


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), small(orders_max=EXHAUSTIVE_MAX + 1))
def test_classes_and_their_orders_are_those_of_brute_force(
    scenario: Scenario, edition: Edition
) -> None:
    dependence = Dependence(scenario)
    masks, way = dependence.masks, list[int]()
    counted: Counter[tuple[int, ...]] = Counter()
    for step in Walk(scenario.order, all_pairs(scenario.order)):
        del way[step.depth :]
        way.append(step.node)
        if len(way) == len(scenario.events):
            found, done = [0] * len(way), 0
            for node in way:
                found[node] = masks[node] & done
                done |= 1 << node
            counted[tuple(found)] += 1

    assert classes_of(dependence) == counted


def test_an_exhaustive_search_runs_every_order_and_compares() -> None:
    found = certificate(find("tiny-cancel", edition=DRAFT, seed=0), exhaustive=True)

    assert found.agrees
    assert found.covered == found.orders
    assert found.certified


def test_wider_relations_have_more_classes_that_stand_for_the_same_orders() -> None:
    scenario = find("tiny-echo", edition=DRAFT, seed=0)

    found = {relation: certificate(scenario, relation=relation) for relation in RELATIONS}

    assert found["state"].classes < found["reconcile"].classes < found["wide"].classes
    assert {each.covered for each in found.values()} == {found["state"].orders}


def test_a_search_that_stops_says_exactly_what_is_left() -> None:
    scenario = find("recorded/compaction", edition=DRAFT, seed=0)

    found = certificate(scenario, limits=Limits(classes=50))

    assert found.ending is Ending.CLASSES
    assert found.classes == 50
    assert not found.certified
    assert found.covered is not None
    assert found.orders is not None
    assert found.left == found.orders - found.covered > 0


def test_a_fault_of_echo_and_response_is_found_and_shrunk() -> None:
    scenario = find("tiny-echo", edition=DRAFT, seed=0)

    found = certificate(scenario, "mutant:echo-doubled")

    assert not found.certified
    assert found.faults[0].verdict.rules == ("PROMPT-RECONCILE",)
    assert found.faults[0].shrunk.minimal


def test_what_commutes_by_the_state_hides_that_fault() -> None:
    scenario = find("tiny-echo", edition=DRAFT, seed=0)

    assert certificate(scenario, "mutant:echo-doubled", relation="state").certified


def test_beyond_a_place_where_the_target_differs_nothing_counts_as_covered() -> None:
    scenario = find("tiny-echo", edition=DRAFT, seed=0)

    found = certificate(scenario, "mutant:echo-doubled")

    assert found.failed > 0
    assert found.covered is not None
    assert found.orders is not None
    assert found.covered < found.orders


def test_a_target_that_cannot_be_forked_gets_the_same_certificate() -> None:
    scenario = find("tiny-permission", edition=DRAFT, seed=0)

    forked = certificate(scenario)
    told_again = certificate(scenario, "tests.explore.test_certificate:Plain")

    assert (told_again.classes, told_again.covered, told_again.certified) == (
        forked.classes,
        forked.covered,
        True,
    )
    assert told_again.applied > forked.applied


class Plain:
    """The reference as a user's class: no forks."""

    def __init__(self, edition: str) -> None:
        self._target = open_target("reference", edition=EDITIONS[edition])

    def apply(self, event: dict[str, Any]) -> None:
        self._target.apply_value(event)  # type: ignore[attr-defined]

    def snapshot(self, session_id: str) -> Any:
        return self._target.snapshot(session_id)


def test_a_search_says_how_far_it_is() -> None:
    scenario = find("recorded/compaction", edition=DRAFT, seed=0)
    target = open_target("reference", edition=DRAFT)

    happened = list(explore(scenario, target, edition=DRAFT, limits=Limits(classes=300)))

    shares = [each.share or 0.0 for each in happened if isinstance(each, Progress)]
    assert shares == sorted(shares)
    assert len(shares) > 1


def test_an_interrupted_search_gives_what_it_has() -> None:
    scenario = find("recorded/compaction", edition=DRAFT, seed=0)
    target = open_target("tests.explore.test_certificate:Impatient", edition=DRAFT)

    *_, last = explore(scenario, target, edition=DRAFT)

    assert isinstance(last, Certificate)
    assert last.ending is Ending.INTERRUPTED


class Impatient(Plain):
    """Ends as if Ctrl-C was pressed."""

    calls = 0

    def apply(self, event: dict[str, Any]) -> None:
        Impatient.calls += 1
        if Impatient.calls == 40:
            raise KeyboardInterrupt
        super().apply(event)


def test_a_target_that_raises_is_a_fault_of_its_kind() -> None:
    scenario = find("tiny-echo", edition=DRAFT, seed=0)
    target = open_target("tests.explore.test_certificate:Raising", edition=DRAFT)

    found = [each for each in explore(scenario, target, edition=DRAFT) if isinstance(each, Shown)]

    assert [each.verdict.oracle for each in found] == ["crash:raised"]


class Raising(Plain):
    """Cannot bear an echo that comes behind its response."""

    answered = False

    def apply(self, event: dict[str, Any]) -> None:
        message = event.get("msg", {})
        self.answered |= "messageId" in (message.get("result") or {})
        update = message.get("params", {}).get("update", {})
        if self.answered and str(update.get("sessionUpdate")).startswith("user_message"):
            raise LookupError("no such prompt")
        super().apply(event)
