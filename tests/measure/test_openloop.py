"""The open loop: its arithmetic against theory, its runs against what was due."""

from __future__ import annotations

import random

import numpy as np
import pytest

from acpsim.measure.openloop import lindley, open_loop
from acpsim.measure.subject import subject
from acpsim.measure.workload import Workload, chunks
from acpsim.wire.edition import DRAFT


def test_nobody_waits_where_the_gaps_are_longer_than_the_service() -> None:
    assert lindley(np.arange(5.0), np.full(5, 0.5)).tolist() == [0.0] * 5


def test_a_burst_waits_in_line() -> None:
    assert lindley(np.zeros(4), np.ones(4)).tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_stall_is_felt_by_all_behind_it() -> None:
    waits = lindley(np.arange(6.0), np.array([0.1, 3.0, 0.1, 0.1, 0.1, 0.1]))

    assert waits == pytest.approx([0.0, 0.0, 2.0, 1.1, 0.2, 0.0])


def test_the_recursion_is_the_wait_step_by_step() -> None:
    chance = random.Random(1)
    due = np.cumsum([chance.expovariate(1.0) for _ in range(500)])
    service = np.array([chance.expovariate(1.3) for _ in range(500)])

    wait, expected = 0.0, []
    for at in range(500):
        if at:
            wait = max(0.0, wait + service[at - 1] - (due[at] - due[at - 1]))
        expected.append(wait)
    assert lindley(due, service) == pytest.approx(expected)


def test_a_real_run_counts_from_when_an_update_was_due() -> None:
    work = Workload(name="burst", lines=tuple(chunks(200)), arrivals_s=(0.0,) * 199 + (1.0,))

    found = open_loop(subject("reference", edition=DRAFT), work, loads=(0.5,), rounds=2)

    # 199 at one moment: the median waits for about a hundred services, not for none.
    assert found.loads[0].percentiles_s[50.0] > 20 * found.service_s
    assert found.arrivals == "the model's"


def test_arrivals_at_random_are_as_bursty_as_chance() -> None:
    work = Workload(name="chunks", lines=tuple(chunks(2000)))

    found = open_loop(subject("reference", edition=DRAFT), work, loads=(0.3,), rounds=1)

    assert 0.7 < found.burstiness < 1.4
    assert found.arrivals == "at random"
