"""How fast campaigns go, and that they say the same each time: `pytest -m bench -s tests/bench`.

Two processes are measured by the work that they do, since a machine with two cores that does
something else beside cannot show by the clock what they would gain: the gain is twice what one
process needs for the same cases over what all processes together need.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from acpsim.fuzz.campaign import CampaignFinished, Options, run
from acpsim.fuzz.cases import Cases
from acpsim.fuzz.judging import Judge
from acpsim.targets.address import open_target
from acpsim.wire.edition import DRAFT

pytestmark = pytest.mark.bench

CASES: Final = 6000
GAIN_MIN: Final = 1.8
CASES_A_MINUTE: Final = 3_000
RUNS: Final = int(os.environ.get("ACPSIM_BENCH_RUNS", "1000"))
"""Of one case against one program, each time a new one."""
COMMANDS: Final = RUNS // 50
"""Of whole commands, which shrink the fault as well."""
ROOT: Final = Path(__file__).parents[2]
CHILD: Final = ROOT / "tests" / "targets" / "child.py"
SERVER: Final = ROOT / "tests" / "bench" / "served.py"
ENDS: Final = {
    "exit": "crash:exited",
    "signal": "crash:exited",
    "hang": "crash:hung",
    "flood-line": "crash:flooded",
    "flood-lines": "crash:flooded",
    "no-json": "crash:garbled",
    "close-input": "crash:closed",
    "early": "[2, ",
}
"""What the program does → the oracle in the verdict, or the exit status where none is reached."""


def measured(jobs: int) -> tuple[float, float, str]:
    """Seconds by the clock, seconds of work, and all that was found, as text."""
    code = (
        "from acpsim.fuzz.campaign import Options, run\n"
        "if __name__ == '__main__':\n"
        f"    *_, e = run(Options(cases={CASES}, jobs={jobs}))\n"
        "    print(e.cases, e.failed, e.messages, e.orders, e.exercised, e.risk, e.faults)\n"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, work, done.stdout


def test_two_processes_gain_at_least_four_fifths_and_find_the_same() -> None:
    (clock_1, work_1, found_1), (clock_2, work_2, found_2) = measured(1), measured(2)
    gain = 2 * work_1 / work_2
    sys.stdout.write(
        f"\n{CASES} cases: one process {clock_1:.1f} s ({work_1:.1f} s of work), "
        f"two {clock_2:.1f} s ({work_2:.1f}): {clock_1 / clock_2:.2f} by the clock, "
        f"{gain:.2f} by work\n"
    )

    assert found_1 == found_2
    assert max(gain, clock_1 / clock_2) >= GAIN_MIN


def test_cases_a_minute_of_a_campaign_against_a_persistent_program() -> None:
    program = shlex.join([sys.executable, str(SERVER)])
    *_, done = run(Options(target=f"cmd:{program}", cases=1000))
    assert isinstance(done, CampaignFinished)
    rate = done.cases / done.seconds * 60
    sys.stdout.write(f"\n{rate:,.0f} cases a minute\n")

    assert done.faults == ()
    assert rate >= CASES_A_MINUTE


@pytest.mark.parametrize("mode", ENDS)
def test_many_runs_of_one_command_under_load_say_the_same(tmp_path: Path, mode: str) -> None:
    program = shlex.join([sys.executable, "-I", "-S", str(CHILD), mode])
    words = [sys.executable, "-m", "acpsim", "fuzz", "--target", f"cmd:{program}", "--cases", "1"]
    words += ["--format", "json", "--out", str(tmp_path / "faults"), "--time-limit", "2"]
    said: dict[str, int] = {}

    def once(number: int) -> str:
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode == 2:
            return json.dumps([2, done.stderr])
        document: dict[str, Any] = json.loads(done.stdout)
        verdicts = [(fault["oracle"], fault["messages"]) for fault in document["faults"]]
        return json.dumps([done.returncode, document["cases"], verdicts])

    with under_load(), concurrent.futures.ThreadPoolExecutor(4) as executor:
        for verdict in executor.map(once, range(COMMANDS)):
            said[verdict] = said.get(verdict, 0) + 1
    sys.stdout.write(f"\n{mode}: {said}\n")

    assert len(said) == 1
    assert ENDS[mode] in next(iter(said))


@pytest.mark.parametrize("mode", ["exit", "signal", "no-json", "close-output", "flood-lines"])
def test_a_thousand_runs_under_load_give_one_verdict(mode: str) -> None:
    program = shlex.join([sys.executable, "-I", "-S", str(CHILD), mode])
    case = Cases(0, DRAFT).case(0)
    said: dict[str, int] = {}

    def once(number: int) -> str:
        target = open_target(f"cmd:{program}", edition=DRAFT)
        judge = Judge(target, DRAFT, 0)
        try:
            objection = judge.judge(case)
        finally:
            judge.close()
            target.close()
        return "nothing" if objection is None else str(objection.verdict.key)

    with under_load(), concurrent.futures.ThreadPoolExecutor(4) as executor:
        for verdict in executor.map(once, range(RUNS)):
            said[verdict] = said.get(verdict, 0) + 1
    sys.stdout.write(f"\n{mode}: {said}\n")

    assert len(said) == 1
    assert "crash:" in next(iter(said))


@contextlib.contextmanager
def under_load() -> Iterator[None]:
    """As many processes as there are cores do nothing but that, as long as the block lasts."""
    spawn = multiprocessing.get_context("spawn")
    load = [spawn.Process(target=_spin) for _ in range(os.cpu_count() or 1)]
    for process in load:
        process.start()
    try:
        yield
    finally:
        for process in load:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        pass
