"""`acpsim sim` as its users call it: traces, figures, pictures, Ctrl-C."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acpsim.sim import experiment as experiments
from acpsim.sim.experiment import Measured
from acpsim.sim.experiment import measure_once as once
from acpsim.wire.trace import read_trace
from tests.cli.conftest import Ran

Acpsim = Callable[..., Ran]


def table(path: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with Path(path).open(newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_trace_and_the_figures_of_the_same_run(acpsim: Acpsim) -> None:
    ran = acpsim("sim", "tiny-cancel", "-o", "trace.jsonl", "--csv", "figures.csv")

    with open("trace.jsonl", "rb") as stream:
        events = read_trace(stream).events
    rows = table("figures.csv")
    assert f"{len(events)} messages in" in ran.out
    assert "cancel_to_idle_s" in {row["figure"] for row in rows}
    assert "cancel_to_idle_s" in ran.out


def test_a_trace_on_standard_output_stands_alone_there(acpsim: Acpsim) -> None:
    ran = acpsim("sim", "tiny-echo", "-o", "-")

    assert all(json.loads(line) for line in ran.out.splitlines())
    assert "acceptance_s" in ran.err


def test_a_document_and_a_trace_do_not_share_standard_output(acpsim: Acpsim) -> None:
    ran = acpsim("sim", "tiny-echo", "-o", "-", "--format", "json")

    assert (ran.status, ran.out) == (2, "")


@pytest.mark.parametrize("observer", ["client", "agent", "wire"])
def test_one_run_gives_three_traces_of_the_same_messages(acpsim: Acpsim, observer: str) -> None:
    acpsim("sim", "tiny-echo", "-o", "wire.jsonl")
    acpsim("sim", "tiny-echo", "--observer", observer, "-o", "trace.jsonl")

    def messages(path: str) -> list[str]:
        return sorted(
            json.dumps(row["msg"])
            for row in map(json.loads, Path(path).read_text().splitlines()[1:])
        )

    assert messages("trace.jsonl") == messages("wire.jsonl")


def test_two_parameters_are_swept_in_the_table(acpsim: Acpsim) -> None:
    acpsim(
        *("sim", "tiny-cancel", "--csv", "t.csv"),
        *("--sweep", "link.latency.mean_s=0.01,0.1", "--sweep", "agent.abort.mean_s=0:1:3"),
    )

    rows = table("t.csv")
    pairs = {(row["link.latency.mean_s"], row["agent.abort.mean_s"]) for row in rows}
    assert pairs == {(a, b) for a in ("0.01", "0.1") for b in ("0.0", "0.5", "1.0")}


def test_the_table_tells_each_variants_difference_from_the_first(acpsim: Acpsim) -> None:
    words = "sim tiny-cancel --sweep link.latency.mean_s=0.01,0.11 --replications 3 --csv t.csv"
    acpsim(*words.split(" "))

    (row,) = (
        row
        for row in table("t.csv")
        if row["figure"] == "acceptance_s" and row["link.latency.mean_s"] == "0.11"
    )
    assert float(row["against_first"]) == pytest.approx(0.2)
    assert float(row["against_first_half_width"]) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.slow
def test_the_number_of_jobs_changes_no_byte(acpsim: Acpsim) -> None:
    words = "sim tiny-cancel --replications 3 --sweep agent.tool.value_s=0.5,1 --format json"
    given = words.split(" ")

    alone = acpsim(*given, "-o", "one.jsonl", "--csv", "one.csv", "--plot", "one.svg")
    spread = acpsim(
        *given, "-o", "two.jsonl", "--csv", "two.csv", "--plot", "two.svg", "--jobs", "3"
    )

    assert alone == spread
    for ending in ("jsonl", "csv", "svg"):
        assert Path(f"one.{ending}").read_bytes() == Path(f"two.{ending}").read_bytes()


def test_the_document_says_how_to_have_it_again_and_what_each_queue_held(acpsim: Acpsim) -> None:
    found = json.loads(acpsim("sim", "tiny-echo", "--set", "sessions=2", "--format", "json").out)

    assert found["command"] == "acpsim sim tiny-echo --set sessions=2 --seed 0 --edition draft"
    (queues,) = (run["queues"] for run in found["points"][0]["runs"])
    assert all(
        held["inside"] == pytest.approx(held["rate_hz"] * held["stay_s"])
        for held in queues.values()
    )


def test_a_sometimes_that_never_happened_says_so(acpsim: Acpsim) -> None:
    ran = acpsim("sim", "cancel-race", "--set", "client.cancel=0")

    assert "sometimes cancelled: never happened in this run (work ended as cancelled)" in ran.out


def test_of_many_runs_it_is_said_in_how_many_a_sometimes_happened(acpsim: Acpsim) -> None:
    ran = acpsim("sim", "cancel-race", "--set", "client.cancel=0", "--replications", "3")

    assert "sometimes cancelled: happened in none of 3 runs (work ended as cancelled)" in ran.out


@pytest.mark.parametrize("replications", [1, 2])
def test_a_misbehaviour_without_an_occasion_says_so(acpsim: Acpsim, replications: int) -> None:
    words = "sim tiny-echo --misbehave PERMISSION-OPTIONS --misbehave PROMPT-ECHO --replications"

    said = acpsim(*words.split(" "), replications).out

    assert "misbehave PERMISSION-OPTIONS: there was no occasion to break it" in said
    assert "misbehave PROMPT-ECHO" not in said


@pytest.mark.parametrize("replications", [1, 2])
def test_an_always_that_does_not_hold_is_said_and_makes_the_status_1(
    acpsim: Acpsim, replications: int
) -> None:
    words = "sim tiny-permission --misbehave PROMPT-ANSWERED --replications"

    ran = acpsim(*words.split(" "), replications)

    assert (ran.status, "always every-prompt-answered: broken" in ran.out) == (1, True)


def test_a_run_that_wrote_no_message_has_tested_nothing(acpsim: Acpsim) -> None:
    """The agent hears of nothing before the run is cut off."""
    words = "sim tiny-echo --set duration_s=0.0001 --observer agent -o trace.jsonl"

    ran = acpsim(*words.split(" "))

    assert (ran.status, ran.err.startswith("acpsim sim: no message was written")) == (3, True)


def test_the_service_time_of_a_real_reducer_is_measured(acpsim: Acpsim) -> None:
    words = "sim tiny-echo --service reference --format json"

    found = json.loads(acpsim(*words.split(" ")).out)

    assert 0 < found["points"][0]["figures"]["update_visible_s"]["mean"] < 1
    assert "--service reference" in found["command"]


def test_a_reducer_that_is_none_is_refused_in_one_line(acpsim: Acpsim) -> None:
    ran = acpsim("sim", "tiny-echo", "--service", "nothing")

    assert (ran.status, ran.err.count("\n")) == (2, 1)


@pytest.mark.parametrize("given", ["--figure", "--against"])
def test_a_figure_that_nobody_measures_is_refused_before_the_run(
    acpsim: Acpsim, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acpsim.cli.simulate.conduct", lambda *_, **__: pytest.fail("it ran"))

    ran = acpsim("sim", "tiny-echo", "--plot", "x.svg", given, "nothing")

    assert (ran.status, f"{given} nothing: no such figure" in ran.err) == (2, True)


# ---------------------------------------------------------------- Ctrl-C


@pytest.fixture
def stopped_in_third(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes while the third run goes on."""
    runs = iter(range(100))

    def measure_once(*given: Any, progress: Any = None, **named: Any) -> Measured:
        def stop(now_s: float, messages: int) -> None:
            raise KeyboardInterrupt

        return once(*given, progress=stop if next(runs) == 2 else None, **named)

    monkeypatch.setattr(experiments, "measure_once", measure_once)


@pytest.mark.usefixtures("stopped_in_third")
def test_an_interrupted_sweep_tells_the_figures_so_far(acpsim: Acpsim) -> None:
    words = "sim tiny-cancel --sweep agent.tool.value_s=0.5,1,2,3 --csv t.csv --plot t.svg"

    ran = acpsim(*words.split(" "))

    values = [row["agent.tool.value_s"] for row in table("t.csv")]
    assert ran.status == 130
    assert list(dict.fromkeys(values)) == ["0.5", "1.0", "2.0"]
    assert ran.out.splitlines()[-1].startswith("interrupted: these are the figures so far")
    assert Path("t.svg").exists()


@pytest.mark.usefixtures("stopped_in_third")
def test_half_a_run_does_not_count_among_whole_ones(acpsim: Acpsim) -> None:
    found = json.loads(acpsim("sim", "tiny-cancel", "--replications", "9", "--format", "json").out)

    assert found["interrupted"] is True
    assert [run["interrupted"] for run in found["points"][0]["runs"]] == [False, False]


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_leaves_a_readable_trace_and_the_figures_so_far(tmp_path: Path, jobs: str) -> None:
    """In a process of its own: the signal comes once the first run has written a while."""
    script = (
        "import sys; from acpsim.cli import run; from acpsim.sim import tap, experiment\n"
        "import os, signal; lines = 0; line = tap._line\n"
        "def counted(*given):\n"
        "    global lines; lines += 1\n"
        "    if lines == 3000: os.kill(os.getpid(), signal.SIGINT)\n"
        "    return line(*given)\n"
        "tap._line = counted\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    words = ["sim", "overload", "-o", "trace.jsonl", "--csv", "t.csv", "--jobs", jobs]

    done = subprocess.run(
        [sys.executable, "-c", script, *words, "--replications", "3"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    with (tmp_path / "trace.jsonl").open("rb") as stream:
        trace = read_trace(stream)
    assert done.returncode == 130
    assert trace.diagnostics == []
    assert len(trace.events) >= 3000
    assert trace.events[-1].dir == "lost"
    assert "transit_s" in done.stdout
    assert "transit_s" in (tmp_path / "t.csv").read_text()
    assert "Traceback" not in done.stderr
