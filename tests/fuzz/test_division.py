"""Divided campaigns: the same result however it is divided, and workers that die or are ended."""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from acpsim.errors import UsageError
from acpsim.fuzz.campaign import CampaignFinished, Options, Reason, run

CHILD = Path(__file__).parents[1] / "targets" / "child.py"
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def told(options: Options, **named: Any) -> list[object]:
    """All events of a campaign, without what depends on the machine."""
    events = list(run(options, **named))
    last = events[-1]
    assert isinstance(last, CampaignFinished)
    return [*events[:-1], dataclasses.replace(last, seconds=0.0)]


def finished(options: Options) -> CampaignFinished:
    *_, last = run(options)
    assert isinstance(last, CampaignFinished)
    return last


@pytest.mark.parametrize("target", ["reference", "mutant:null-as-omitted"])
def test_two_processes_tell_what_one_tells(target: str) -> None:
    options = Options(target=target, cases=120, seed=2)

    assert told(dataclasses.replace(options, jobs=2)) == told(options)


def test_threads_of_an_executor_that_is_given_tell_it_too() -> None:
    options = Options(target="mutant:echo-doubled", cases=60)
    with ThreadPoolExecutor(3) as executor:
        divided = told(dataclasses.replace(options, jobs=3), executor=executor)

    assert divided == told(options)


def test_the_same_files_are_written(tmp_path: Path) -> None:
    for jobs in (1, 2):
        list(run(Options(target="mutant:null-as-omitted", cases=40, faults=tmp_path, jobs=jobs)))
        (tmp_path / f"{jobs}").mkdir()
        for path in tmp_path.glob("*.jsonl"):
            path.rename(tmp_path / f"{jobs}" / path.name)

    one, two = ({p.name: p.read_bytes() for p in (tmp_path / d).iterdir()} for d in ("1", "2"))
    assert one == two
    assert one


def test_where_there_are_faults_enough_the_same_case_is_the_last() -> None:
    options = Options(target="mutant:idle-updates-dropped", cases=500, faults_max=3)

    assert told(dataclasses.replace(options, jobs=2)) == told(options)


def test_a_risk_is_reached_at_the_same_case() -> None:
    options = Options(until_risk=0.93)

    one, two = finished(options), finished(dataclasses.replace(options, jobs=2))

    assert (one.reason, one.cases, one.risk_max) == (Reason.RISK, two.cases, two.risk_max)
    assert one.risk_max < 0.93


@pytest.mark.parametrize(
    ("name", "how", "speaks"),
    [("Segfaults", "it was ended by SIGSEGV", True), ("Exits", "it exited with status 9", False)],
)
def test_a_target_that_ends_its_worker_is_a_fault_and_costs_no_case(
    name: str, how: str, speaks: bool
) -> None:
    result = finished(Options(target=f"tests.helpers.deadly:{name}", cases=10, jobs=2))

    (fault,) = result.faults
    assert (result.cases, result.lost) == (10, 0)
    assert (fault.oracle, fault.messages, fault.minimal) == ("crash:exited", 1, True)
    assert how in fault.text
    assert bool(re.search(r'deadly\.py", line \d+ in apply', fault.last_words)) is speaks


def test_what_ctrl_c_raises_is_a_workers_targets_fault() -> None:
    result = finished(Options(target="tests.helpers.deadly:Interrupts", cases=10, jobs=2))

    assert (result.reason, [f.oracle for f in result.faults]) == (Reason.CASES, ["crash:raised"])


@pytest.mark.parametrize("jobs", [1, 2])
def test_state_that_outlives_a_reset_is_told_as_that(jobs: int) -> None:
    result = finished(Options(target="tests.helpers.deadly:Remembers", cases=6, jobs=jobs))

    (fault,) = result.faults
    assert (fault.oracle, fault.minimal) == ("reset", True)
    assert fault.text.startswith("the state of an earlier case is left after reset: told a second")


def test_no_worker_is_left_when_a_campaign_is_given_up() -> None:
    campaign = run(Options(cases=5000, jobs=2))
    for _ in range(3):
        next(campaign)
    before = multiprocessing.active_children()

    campaign.close()  # type: ignore[attr-defined]

    assert len(before) == 2
    assert not any(process.is_alive() for process in before)


def test_a_target_that_cannot_be_opened_is_wrong_usage_in_any_number_of_processes() -> None:
    with pytest.raises(UsageError, match="no such mutant"):
        list(run(Options(target="mutant:nothing", jobs=2, cases=1)))


def alive_in(group: str) -> list[int]:
    """The processes whose environment holds this word: all that a campaign has started."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and group.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc to find them")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("mode", ["good", "hang"])
def test_whoever_ends_a_campaign_no_process_is_left(
    tmp_path: Path, number: signal.Signals, mode: str
) -> None:
    mark = f"mark-{mode}-{number.name}-{os.getpid()}"
    program = shlex.join([sys.executable, "-I", "-S", str(CHILD), mode])
    words = ["fuzz", "--target", f"cmd:{program}", "--jobs", "2", "--seconds", "100"]
    with subprocess.Popen(
        [sys.executable, "-m", "acpsim", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "ACPSIM_TEST_MARK": mark},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        until(lambda: len(alive_in(mark)) >= 5)  # The campaign, two workers, a program each.
        process.send_signal(number)
        status = process.wait(20)

    assert status in {130, -number}
    until(lambda: alive_in(mark) == [])


def until(holds: Any, seconds: float = 30.0) -> None:
    """Waits for other processes, whose end nobody tells us."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.05)
