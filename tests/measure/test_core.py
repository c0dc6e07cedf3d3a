"""Measurements of subjects whose cost is known, because a clock in the test makes it."""

from __future__ import annotations

import math
from typing import Any

import pytest

from acpsim.measure import core
from acpsim.measure.core import exponent, growth, latency, throughput
from acpsim.measure.workload import Workload, chunks, mixed


class Costing:
    """Takes as long as it says, by the test's own clock."""

    batch = 1
    objects = False
    name = "costing"

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cost_s: Any) -> None:
        self.now_s = 0.0
        self.held = 0
        self.cost_s = cost_s
        monkeypatch.setattr(core, "perf_counter", lambda: self.now_s)
        monkeypatch.setattr(core, "perf_counter_ns", lambda: round(self.now_s * 1e9))

    def take(self) -> Any:
        self.held = 0

        def one(line: bytes) -> None:
            self.now_s += self.cost_s(self.held, line)
            self.held += 1

        return one

    def prepare(self, line: bytes) -> Any:
        raise NotImplementedError

    take_objects = take

    def snapshot(self, session: str) -> object:
        self.now_s += 0.001
        return {}

    def memory(self) -> int | None:
        return None

    def close(self) -> None:
        pass


def work(count: int = 100) -> Workload:
    return Workload(name="chunks", lines=tuple(chunks(count)))


def test_the_rate_is_updates_over_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    found = throughput(Costing(monkeypatch, lambda held, line: 0.002), work())

    assert found.updates_hz.mean == pytest.approx(500)
    assert found.updates_hz.half_width == pytest.approx(0, abs=1e-6)
    each = work().bytes / 100
    assert found.bytes_hz.mean == pytest.approx(500 * each)


def test_percentiles_are_of_single_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    found = latency(Costing(monkeypatch, lambda held, line: 0.001 if held % 10 else 0.1), work())

    assert found["all"].percentiles_s[50.0] == pytest.approx(0.001)
    assert found["all"].percentiles_s[99.0] == pytest.approx(0.1)
    assert found["all"].mean_s == pytest.approx(0.0109)


def test_variants_have_percentiles_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def cost(held: int, line: bytes) -> float:
        return 0.5 if b"plan_update" in line else 0.001

    lines = Workload(name="mixed", lines=tuple(mixed(2000)))
    found = latency(Costing(monkeypatch, cost), lines, rounds=1)

    assert found["plan_update"].percentiles_s[50.0] == pytest.approx(0.5)
    assert found["agent_message_chunk"].percentiles_s[99.9] == pytest.approx(0.001)


def test_a_variant_that_is_rare_has_no_tail_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = Workload(name="mixed", lines=tuple(mixed(200)))

    assert "usage_update" not in latency(Costing(monkeypatch, lambda held, line: 0.1), lines)


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (lambda held, line: 1e-6, 1.0),
        (lambda held, line: 1e-9 * held, 2.0),
        (lambda held, line: 1e-6 * math.sqrt(held + 1), 1.5),
    ],
    ids=["linear", "quadratic", "between"],
)
def test_the_exponent_tells_what_length_costs(
    monkeypatch: pytest.MonkeyPatch, cost: Any, expected: float
) -> None:
    found = growth(Costing(monkeypatch, cost), held_max=10_000)

    assert found.exponent.mean == pytest.approx(expected, abs=0.05)


def test_growth_is_stopped_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    found = growth(Costing(monkeypatch, lambda held, line: 1e-4 * held), seconds=20)

    assert not found.complete
    assert found.points[-1].held < 1_000_000


def test_growth_to_its_end_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = growth(Costing(monkeypatch, lambda held, line: 1e-6), held_max=1000)

    assert found.complete
    assert [point.held for point in found.points] == [100, 1000]


def test_one_length_allows_no_exponent() -> None:
    assert math.isnan(exponent([100], [1.0]).mean)
