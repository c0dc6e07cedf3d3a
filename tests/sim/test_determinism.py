"""The same model, edition and seed give the same bytes: here, elsewhere, however divided."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from acpsim.sim.experiment import experiment, parse_sweep
from acpsim.sim.model import load_model, override, parse_model
from acpsim.sim.run import run
from acpsim.wire.edition import DRAFT, SDK_2_4
from tests.sim.runs import read, traces

SCRIPT = """
import hashlib, sys
from acpsim.sim.model import load_model
from acpsim.sim.run import run
from acpsim.wire.edition import SDK_2_4
digest = hashlib.sha256()
run(load_model("reconnect"), seed=11, edition=SDK_2_4, writers={"wire": digest.update})
print(digest.hexdigest())
"""


def test_two_runs_are_the_same_byte_by_byte() -> None:
    first = traces(load_model("subagents"), seed=3, edition=SDK_2_4)
    second = traces(load_model("subagents"), seed=3, edition=SDK_2_4)

    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_another_process_with_another_hash_seed_gives_the_same_bytes(hash_seed: str) -> None:
    here = traces(load_model("reconnect"), seed=11, edition=SDK_2_4)["wire"]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )

    assert hashlib.sha256(here).hexdigest() == done.stdout.strip()


def test_another_seed_gives_another_conversation() -> None:
    model = load_model("cancel-race")

    assert traces(model, seed=1, edition=DRAFT) != traces(model, seed=2, edition=DRAFT)


@pytest.mark.slow
def test_the_number_of_jobs_does_not_change_the_result() -> None:
    model = load_model("tiny-cancel")
    sweep = parse_sweep("agent.tool.value_s=0.5,1.0")

    alone = experiment(model, seed=2, edition=DRAFT, replications_count=3, sweeps=[sweep])
    spread = experiment(model, seed=2, edition=DRAFT, replications_count=3, sweeps=[sweep], jobs=2)

    assert repr(alone) == repr(spread)


def test_a_change_in_one_part_leaves_the_draws_of_the_others_alone() -> None:
    """Common random numbers: with more jitter on the link the users think as long as before."""
    text = '[client]\nthink = { kind = "exponential", mean_s = 1.0 }\nprompts = 4\n'
    plain = parse_model(text, where="plain")
    slow = override(plain, "link.latency.value_s", 0.25)

    def thought(model: object) -> list[float]:
        events = read(traces(model, seed=9, edition=DRAFT)["client"]).events  # type: ignore[arg-type]
        idle = 0.0
        times = []
        for event in events:
            if b'"state":"idle"' in event.raw:
                idle = event.t
            elif b'"session/prompt"' in event.raw and idle:
                times.append(round(event.t - idle, 5))
        return times

    assert thought(plain) == thought(slow)
    assert len(thought(plain)) == 3


def test_who_watches_a_run_does_not_change_its_traces() -> None:
    """A run that was cut off at a time ended at its last event when its progress was shown."""
    text = 'duration_s = 2.005\n[link.a2c]\nlatency = { kind = "constant", value_s = 0.4 }\n'
    model = parse_model(text, where="cut")

    def traced(progress: Callable[[float, int], None] | None) -> tuple[bytes, float]:
        lines: list[bytes] = []
        done = run(model, seed=1, edition=DRAFT, writers={"wire": lines.append}, progress=progress)
        return b"".join(lines), done.sim_time_s

    assert traced(None) == traced(lambda now_s, count: None)
