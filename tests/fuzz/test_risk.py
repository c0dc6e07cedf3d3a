"""The chance of something new: the estimate on counts that can be checked by hand."""

from __future__ import annotations

import pytest

from acpsim.fuzz.coverage import Exercise
from acpsim.fuzz.risk import Risk, species


def case(*rules: str, drawn: bool = True, done: tuple[str, ...] = ()) -> Exercise:
    return Exercise(
        number=0,
        drawn=drawn,
        source="generated/1",
        known=False,
        messages=1,
        order=b"",
        rules=rules,
        breaches=(),
        disturbances=done,
    )


def after(*cases: Exercise) -> Risk:
    risk = Risk()
    for one in cases:
        risk.take(one)
    return risk


def test_before_anything_was_drawn_all_is_new() -> None:
    assert (Risk().estimate, Risk().at_most) == (1.0, 1.0)


def test_it_is_the_share_of_samples_that_hold_what_no_other_holds() -> None:
    risk = after(
        case("A"), case("A"), case("A"), case("B"), case("A"), case("A"), case("A"), case()
    )

    assert (risk.samples, risk.estimate) == (4, 0.25)


def test_what_both_cases_of_a_sample_hold_is_still_seen_once() -> None:
    assert after(case("A"), case("A")).estimate == 1.0


def test_a_sample_that_is_not_whole_changes_nothing() -> None:
    whole = after(case("A"), case("A"), case("A"), case("A"))
    more = after(case("A"), case("A"), case("A"), case("A"), case("B"))

    assert (more.estimate, more.at_most) == (whole.estimate, whole.at_most)


def test_what_is_known_before_chance_begins_is_new_nowhere() -> None:
    assert after(case("A", drawn=False), case("A"), case("A")).estimate == 0.0


def test_the_upper_limit_falls_with_the_samples() -> None:
    few, many = after(*[case("A")] * 40), after(*[case("A")] * 400)

    assert many.at_most < few.at_most < 0.2
    assert many.at_most == pytest.approx(2.7055 / (200 + 2.7055), abs=1e-4)


def test_a_rule_is_another_species_under_each_disturbance() -> None:
    assert species(case("A", done=("x", "y"))) == {("A", "x"), ("A", "y")}
    assert species(case("A")) == {("A", "generated")}
