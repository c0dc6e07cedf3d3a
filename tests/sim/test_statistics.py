"""Intervals and warm-up against what is known of them, and queues against theory."""

from __future__ import annotations

import math

import numpy as np
import pytest

from acpsim.sim.distributions import sampler
from acpsim.sim.queueing import Server, waiting_md1, waiting_mm1
from acpsim.sim.statistics import batch_means, paired, replications, student_t, warm_up

RUNS = 100
COVERED_MIN = 93
"""Of a hundred 95 % intervals; at their nominal coverage 93 or more hold the truth most times."""


@pytest.mark.parametrize(
    ("confidence", "freedom", "quantile"),
    [(0.95, 1, 12.7062), (0.95, 10, 2.2281), (0.99, 30, 2.7500), (0.95, 1000, 1.9623)],
)
def test_students_t_agrees_with_the_printed_tables(
    confidence: float, freedom: int, quantile: float
) -> None:
    assert student_t(confidence, freedom) == pytest.approx(quantile, abs=5e-5)


def test_a_transient_at_the_start_is_cut_off() -> None:
    noise = np.random.default_rng(1).normal(size=1000)
    noise[:100] += 8.0

    assert 95 <= warm_up(noise) <= 130


def test_a_steady_series_loses_next_to_nothing() -> None:
    assert warm_up(np.random.default_rng(2).normal(size=1000)) < 200


def test_never_more_than_half_is_cut_off() -> None:
    assert warm_up(np.linspace(0.0, 1.0, 500)) <= 250


def test_one_observation_allows_no_statement() -> None:
    interval = replications([3.0])

    assert interval.mean == 3.0
    assert math.isnan(interval.half_width)
    assert not interval.covers(3.0)


def test_pairs_of_common_random_numbers_know_more_than_two_separate_samples() -> None:
    noise = np.random.default_rng(3).normal(size=50)
    first, second = noise, noise + 0.1

    assert paired(first, second).half_width < replications(second).half_width / 100


def test_series_of_different_length_are_no_pairs() -> None:
    with pytest.raises(ValueError, match="2 and 3 replications are no pairs"):
        paired([1, 2], [1, 2, 3])


def queue(kind: str, *, seed: int, customers: int = 40_000, load: float = 0.5) -> Server:
    """A queue with Poisson arrivals, one a second, and this load."""
    generator = np.random.default_rng(seed)
    gap = sampler({"kind": "exponential", "mean_s": 1.0}, generator)
    spec = {"kind": kind, "mean_s" if kind == "exponential" else "value_s": load}
    server = Server(sampler(spec, np.random.default_rng(seed + 10_000)))
    now_s = 0.0
    for _ in range(customers):
        now_s += gap()
        server.arrive(now_s)
    return server


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "theory"),
    [("exponential", waiting_mm1(1.0, 0.5)), ("constant", waiting_md1(1.0, 0.5))],
)
def test_waiting_times_agree_with_theory(kind: str, theory: float) -> None:
    """M/M/1 and M/D/1 (Pollaczek-Khinchine), each interval from one run alone."""
    covered = 0
    for seed in range(RUNS):
        waits = queue(kind, seed=seed).waits_s
        covered += batch_means(waits[warm_up(waits) :]).covers(theory)

    assert covered >= COVERED_MIN


@pytest.mark.parametrize("kind", ["exponential", "constant"])
def test_littles_law_holds_for_a_queue(kind: str) -> None:
    server = queue(kind, seed=7, customers=2000)
    arrivals_hz = len(server.sojourns_s) / server.end_s()

    expected = arrivals_hz * float(np.mean(server.sojourns_s))

    assert server.number_in_system() == pytest.approx(expected, rel=1e-9)


def test_utilisation_is_the_load_that_was_offered() -> None:
    assert queue("constant", seed=1, load=0.7).utilisation() == pytest.approx(0.7, abs=0.02)
