"""Measuring over seeds: what is counted, in which order, and that the jobs change none of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from acpsim.errors import UsageError
from acpsim.fuzz import measuring
from acpsim.fuzz.cases import Cases
from acpsim.fuzz.measuring import Catch, Measured, Plan, Unit, UnitDone, measure, soon
from acpsim.fuzz.ways import SCHEDULES, WAYS, ways_named
from acpsim.wire.edition import DRAFT

TWO = ("content-replaced-by-chunk", "message-aliased")


def measured(plan: Plan) -> Measured:
    last = list(measure(plan))[-1]
    assert isinstance(last, Measured)
    return last


def cases(done: Measured) -> dict[str, dict[str, tuple[int | None, int | None, int]]]:
    return {
        name: {way: (row.median_cases, row.p90_cases, row.missed) for way, row in rows.items()}
        for name, rows in done.rows.items()
    }


def test_the_table_has_each_mutant_in_each_way() -> None:
    done = measured(Plan(mutants=TWO, ways=("default", "uniform"), seeds=2))

    assert list(done.rows) == list(TWO)
    assert all(list(row) == ["default", "uniform"] for row in done.rows.values())
    assert {row.seeds for rows in done.rows.values() for row in rows.values()} == {2}


def test_two_processes_count_the_same_cases_as_one() -> None:
    plan = Plan(mutants=TWO, ways=("default", "delays-1"), seeds=2)
    other = Plan(mutants=TWO, ways=("default", "delays-1"), seeds=2, jobs=2)

    assert cases(measured(plan)) == cases(measured(other))


def test_units_are_done_in_their_order_whoever_is_first() -> None:
    plan = Plan(mutants=TWO[:1], ways=("default", "recorded"), seeds=3, jobs=2)

    units = [event.unit for event in measure(plan) if isinstance(event, UnitDone)]

    assert [(unit.seed, unit.way) for unit in units] == [
        (seed, way) for seed in range(3) for way in ("default", "recorded")
    ]


def test_median_and_percentile_are_values_that_occurred() -> None:
    found = soon([Catch(caught=True, cases=n, seconds=n / 10) for n in range(1, 31)])

    assert (found.median_cases, found.p90_cases) == (15, 27)
    assert (found.median_s, found.p90_s, found.missed) == (1.5, 2.7, 0)


def test_a_miss_is_later_than_every_catch() -> None:
    caught = [Catch(caught=True, cases=n, seconds=0.1) for n in (5, 7)]
    missed = [Catch(caught=False, cases=300, seconds=2.0)] * 2

    found = soon([*caught, *missed])

    assert (found.median_cases, found.p90_cases, found.missed) == (7, None, 2)
    assert not found.reached


def test_what_was_missed_in_the_first_way_is_said() -> None:
    done = measured(Plan(mutants=TWO, seeds=1, cases_max=1))

    assert done.missed == ("message-aliased",)


def test_an_interruption_leaves_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Unit] = []

    def second_stops(unit: Unit) -> UnitDone:
        if tried:
            raise KeyboardInterrupt
        tried.append(unit)
        return honest(unit)

    honest = measuring.run_unit
    monkeypatch.setattr(measuring, "run_unit", second_stops)

    done = measured(Plan(mutants=TWO, seeds=3))

    assert (done.units, done.planned) == (1, 3)
    assert all(row["default"].seeds == 1 for row in done.rows.values())


def test_an_interruption_before_the_first_result_leaves_no_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stops(unit: Unit) -> Iterator[UnitDone]:
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "run_unit", stops)

    assert measured(Plan(mutants=TWO)).units == 0


def test_all_means_every_schedule_once() -> None:
    assert ways_named(("uniform", "all")) == ("uniform", *(w for w in SCHEDULES if w != "uniform"))


def test_no_way_is_the_default() -> None:
    assert ways_named(()) == ("default",)


def test_a_name_that_no_strategy_has_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no such strategy; did you mean"):
        ways_named(("unifrom",))


@pytest.mark.parametrize("way", ["generated", "simulated", "recorded", "known"])
def test_a_source_alone_gives_scenarios_of_that_source(way: str) -> None:
    made = Cases(0, DRAFT, mix=WAYS[way])
    prefix = {"known": "field"}.get(way, way)

    assert {made.case(n).source.split("/")[0] for n in range(20)} == {prefix}


def test_a_strategy_alone_orders_all_cases_that_are_ordered() -> None:
    made = Cases(0, DRAFT, mix=WAYS["delays-3"])

    assert {made.case(n).strategy for n in range(20)} == {"as it is", "delays-3"}
