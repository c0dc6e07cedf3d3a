"""The client's service time as a reducer takes it, measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from acpsim.errors import UsageError
from acpsim.sim.distributions import mean_s, shares
from acpsim.sim.model import load_model, override, parse_model
from acpsim.sim.run import run
from acpsim.sim.service import Apply, measured
from acpsim.targets.address import open_target
from acpsim.targets.timed import by_address, timed
from acpsim.wire.edition import DRAFT
from acpsim.wire.methods import SessionUpdate
from acpsim.wire.trace import Event, read_trace


def ticking(step_s: float) -> Callable[[], float]:
    """A clock that has gone on by as much whenever it is looked at."""
    ticks: Iterator[int] = count()
    return lambda: next(ticks) * step_s


def deaf() -> Apply:
    return lambda event: None


def test_the_time_of_each_update_becomes_the_service_time() -> None:
    model = measured(load_model("tiny-echo"), deaf, seed=0, edition=DRAFT, clock=ticking(0.25))

    assert model.reconcile.service is not None
    assert set(model.reconcile.service["values_s"]) == {0.25}
    assert model.reconcile.target == ""


def test_only_updates_are_timed_and_everything_is_applied() -> None:
    heard: list[Event] = []
    looks: list[float] = []

    def clock() -> float:
        looks.append(0.0)
        return 0.0

    measured(load_model("tiny-echo"), lambda: heard.append, seed=0, edition=DRAFT, clock=clock)

    updates = sum(isinstance(event.message, SessionUpdate) for event in heard)
    assert len(heard) > updates
    assert len(looks) == 2 * updates


@pytest.mark.parametrize("address", ["reference", "mutant:echo-doubled"])
def test_the_reference_and_its_mutants_can_be_measured(address: str) -> None:
    target = open_target(address, edition=DRAFT)

    model = measured(
        load_model("tiny-permission"), lambda: timed(target, DRAFT), seed=0, edition=DRAFT
    )

    assert model.reconcile.service is not None
    assert 0 < mean_s(model.reconcile.service) < 1


SLOW = """
import time
class Reducer:
    def __init__(self, edition):
        pass
    def apply(self, event):
        if event["dir"] == "a2c" and event["msg"].get("method") == "session/update":
            end = time.perf_counter() + 0.002
            while time.perf_counter() < end:
                pass
    def snapshot(self, session_id):
        return None
"""


def test_a_python_reducer_can_be_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_reducer.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))
    with by_address(DRAFT) as reducers:
        fresh = reducers("slow_reducer:Reducer")

        model = measured(load_model("tiny-echo"), fresh, seed=0, edition=DRAFT)

    assert model.reconcile.service is not None
    assert min(model.reconcile.service["values_s"]) >= 0.002


def test_a_program_is_refused_since_nobody_waits_for_it() -> None:
    with by_address(DRAFT) as reducers, pytest.raises(UsageError, match="its own time cannot be"):
        reducers("cmd:node reducer.mjs")


def test_a_timed_target_ends_in_the_state_of_one_that_was_not() -> None:
    lines: list[bytes] = []
    run(load_model("reconnect"), seed=1, edition=DRAFT, writers={"client": lines.append})
    events = read_trace(lines).events
    plain, watched = (open_target("reference", edition=DRAFT) for _ in range(2))
    apply = timed(watched, DRAFT)

    plain.apply(events)
    for event in events:
        apply(event)

    assert watched.snapshot("sess_1") == plain.snapshot("sess_1")


def test_a_run_without_updates_leaves_nothing_to_measure() -> None:
    model = parse_model("duration_s = 0.001", where="m")

    with pytest.raises(UsageError, match="nothing to measure"):
        measured(model, deaf, seed=0, edition=DRAFT)


def test_a_model_that_names_a_reducer_is_not_run_unmeasured() -> None:
    model = override(load_model("tiny-echo"), "reconcile.target", "reference")

    with pytest.raises(UsageError, match=r"reconcile\.target: its times are measured before"):
        run(model, seed=0, edition=DRAFT)


def test_shares_of_many_values_keep_their_mean() -> None:
    values = [float(at * at) for at in range(1000)]

    held = shares(values, 50)

    assert len(held) == 50
    assert held == sorted(held)
    assert sum(held) / 50 == pytest.approx(sum(values) / 1000, rel=1e-5)
