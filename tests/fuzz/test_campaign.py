"""Campaigns: what they yield, that they repeat, how faults are told apart and kept."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from acpsim.errors import UsageError
from acpsim.fuzz.campaign import (
    SECONDS,
    CampaignFinished,
    CampaignStarted,
    CaseFinished,
    Fault,
    FaultFound,
    Options,
    Reason,
    run,
)
from acpsim.fuzz.recorded import corpus_scenarios
from acpsim.oracles.counterexample import load, replay
from acpsim.targets.address import open_target
from acpsim.wire.edition import DRAFT, SDK_2_4

CANARY = "tests.helpers.canary:Canary"


def finished(options: Options) -> CampaignFinished:
    last = list(run(options))[-1]
    assert isinstance(last, CampaignFinished)
    return last


def lasting(result: CampaignFinished) -> CampaignFinished:
    """What does not depend on the machine."""
    return dataclasses.replace(result, seconds=0.0)


def test_the_events_come_in_order() -> None:
    events = list(run(Options(cases=12)))

    assert isinstance(events[0], CampaignStarted)
    assert [e.number for e in events if isinstance(e, CaseFinished)] == list(range(12))
    assert isinstance(events[-1], CampaignFinished)


def test_nothing_is_wrong_with_the_reference() -> None:
    for edition in (DRAFT, SDK_2_4):
        result = finished(Options(edition=edition, cases=400))

        assert [fault.text for fault in result.faults] == []
        assert result.cases == 400


def test_what_was_exercised_is_counted_and_what_never_was_is_named() -> None:
    result = finished(Options(cases=60))

    assert result.messages > 600
    assert result.orders > 50
    assert result.exercised["CHUNK-APPEND"] > 0
    assert set(result.never) == {rule for rule, count in result.exercised.items() if count == 0}


def test_a_fault_is_shrunk_named_and_kept(tmp_path: Path) -> None:
    result = finished(Options(target=CANARY, cases=40, faults=tmp_path))

    (fault,) = result.faults
    assert fault.oracle == "agreement"
    assert fault.path == "$.usage.used"
    assert fault.messages == 2
    assert fault.minimal
    assert fault.trace == str(tmp_path / f"01-agreement-{fault.rules[0].lower()}.jsonl")
    assert fault.replay == f"acpsim replay {fault.trace} --target {CANARY}"


def test_a_kept_fault_fails_again_on_its_target_and_holds_on_the_reference(tmp_path: Path) -> None:
    result = finished(Options(target=CANARY, cases=40, faults=tmp_path))
    (fault,) = result.faults
    assert fault.trace is not None
    example = load(fault.trace)
    reference, canary = (open_target(name, edition=DRAFT) for name in ("reference", CANARY))

    again = replay(example, canary, reference=reference)

    assert again is not None
    assert again.difference is not None
    assert again.difference.path == fault.path
    assert replay(example, open_target("reference", edition=DRAFT), reference=reference) is None


def test_a_directory_of_kept_faults_is_a_corpus_that_finds_them_at_once(tmp_path: Path) -> None:
    finished(Options(target=CANARY, cases=40, faults=tmp_path))

    again = finished(Options(target=CANARY, cases=1, corpus=tmp_path))

    assert [fault.path for fault in again.faults] == ["$.usage.used"]
    assert again.sources == {"corpus": 1}


def test_a_target_that_raises_is_a_fault_and_the_run_goes_on() -> None:
    result = finished(Options(target="tests.helpers.canary:Raises", cases=60))

    assert [fault.oracle for fault in result.faults] == ["crash:raised"]
    assert result.faults[0].messages == 1
    assert result.cases == 60


@pytest.mark.slow
def test_a_target_that_hangs_is_a_fault_and_the_run_goes_on() -> None:
    options = Options(target="tests.helpers.canary:Hangs", cases=12, timeout_s=0.05)

    result = finished(options)

    assert [fault.oracle for fault in result.faults] == ["crash:hung"]
    assert result.cases == 12


def test_a_campaign_ends_once_there_are_enough_faults() -> None:
    result = finished(Options(target="mutant:idle-updates-dropped", cases=500, faults_max=3))

    assert result.reason is Reason.FAULTS
    assert len(result.faults) == 3


def test_distinct_faults_differ_in_oracle_rule_or_place() -> None:
    result = finished(Options(target="mutant:null-as-omitted", cases=150))

    keys = [(fault.oracle, fault.rules, place(fault)) for fault in result.faults]
    assert len(keys) > 1
    assert len(set(keys)) == len(keys)


def place(fault: Fault) -> object:
    return fault.path


def test_without_a_limit_a_campaign_lasts_ten_seconds() -> None:
    assert Options().seconds_max == SECONDS == 10
    assert Options(cases=5).seconds_max is None
    assert Options(cases=5, seconds=2).seconds_max == 2


def test_a_chance_is_a_limit_too() -> None:
    assert Options(until_risk=0.1).seconds_max is None
    result = finished(Options(until_risk=0.97))

    assert result.reason is Reason.RISK
    assert result.risk <= result.risk_max < 0.97


def test_the_time_is_a_limit_too() -> None:
    result = finished(Options(seconds=0.0, cases=100))

    assert result.reason is Reason.TIME
    assert result.cases == 0


def test_equal_options_give_equal_results() -> None:
    options = Options(target="mutant:thought-reply-merged", cases=60, seed=5)

    assert lasting(finished(options)) == lasting(finished(options))


REPEATED = """
import dataclasses, hashlib
from acpsim.fuzz.campaign import CampaignFinished, Options, run
for event in run(Options(target="mutant:null-as-omitted", cases=80, seed=3)):
    if isinstance(event, CampaignFinished):
        event = dataclasses.replace(event, seconds=0.0)
    print(event)
"""


@pytest.mark.slow
def test_a_run_is_the_same_in_any_process_and_for_any_hash_seed() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", REPEATED],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2", "random")
    }

    assert len(printed) == 1
    assert "FaultFound" in printed.pop()


def test_a_target_that_is_not_there_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="no such mutant"):
        list(run(Options(target="mutant:nothing", cases=1)))


def test_a_corpus_that_nowhere_could_be_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such directory"):
        list(run(Options(corpus=tmp_path / "none" / "deep", cases=1)))


def test_a_corpus_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name in ("b", "a"):
        head = json.dumps({"acpsim": "trace/1"})
        (tmp_path / f"{name}.jsonl").write_text(f"{head}\n")

    assert [s.name for s in corpus_scenarios(tmp_path, DRAFT)] == ["corpus/a", "corpus/b"]


def test_a_found_fault_is_told_when_it_is_found() -> None:
    events = list(run(Options(target=CANARY, cases=40)))
    found = next(at for at, event in enumerate(events) if isinstance(event, FaultFound))

    before = events[found - 1]
    assert isinstance(before, CaseFinished)
    assert before.failed


def test_a_kept_law_fault_is_asked_of_its_law_first(tmp_path: Path) -> None:
    target = "mutant:message-aliased"
    found = finished(Options(target=target, cases=60, faults=tmp_path, faults_max=1))
    assert [fault.oracle for fault in found.faults] == ["law:no-aliasing"]

    again = finished(Options(target=target, cases=1, corpus=tmp_path))

    assert [fault.oracle for fault in again.faults] == ["law:no-aliasing"]


def test_no_file_is_made_where_nothing_is_wrong(tmp_path: Path) -> None:
    finished(Options(cases=10, faults=tmp_path / "faults"))

    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_directory_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "faults").write_text("")

    with pytest.raises(UsageError, match="name a directory for the faults"):
        list(run(Options(cases=10, faults=tmp_path / "faults" / "deep")))


def test_a_fault_found_again_keeps_its_name_and_another_file_is_not_written_over(
    tmp_path: Path,
) -> None:
    first = finished(Options(target=CANARY, cases=40, faults=tmp_path)).faults[0].trace
    again = finished(Options(target=CANARY, cases=40, faults=tmp_path)).faults[0].trace
    assert first == again
    assert first is not None
    Path(first).write_text("something else\n")

    other = finished(Options(target=CANARY, cases=40, faults=tmp_path)).faults[0].trace

    assert other == first.replace(".jsonl", "-2.jsonl")
    assert Path(first).read_text() == "something else\n"


def test_a_directory_says_what_the_last_run_found_and_nothing_of_others_is_touched(
    tmp_path: Path,
) -> None:
    finished(Options(target="mutant:echo-doubled", cases=40, faults=tmp_path))
    (old,) = tmp_path.iterdir()
    mine = [tmp_path / "01-mine.jsonl", tmp_path / "notes.txt", tmp_path / f"my-{old.name}"]
    mine[0].write_text('{"acpsim": "trace/1"}\n')
    mine[1].write_text("")
    mine[2].write_bytes(old.read_bytes())

    new = finished(Options(target=CANARY, cases=40, faults=tmp_path)).faults[0].trace

    assert {str(path) for path in tmp_path.iterdir()} == {new, *map(str, mine)}


def test_a_run_that_finds_nothing_leaves_no_fault_of_an_earlier_one(tmp_path: Path) -> None:
    finished(Options(target=CANARY, cases=40, faults=tmp_path))

    finished(Options(cases=4, faults=tmp_path))

    assert list(tmp_path.iterdir()) == []


def test_new_faults_are_added_to_a_corpus_and_come_first_the_next_time(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    found = finished(Options(target=CANARY, cases=40, corpus=corpus)).faults[0]
    assert found.trace is not None

    again = finished(Options(target=CANARY, cases=1, corpus=corpus))

    assert [str(path) for path in corpus.iterdir()] == [found.trace]
    assert [fault.source for fault in again.faults] == [f"corpus/{Path(found.trace).stem}"]
    assert (again.corpus, again.mended) == (1, 0)


def test_a_fault_of_a_corpus_that_no_longer_fails_is_counted(tmp_path: Path) -> None:
    finished(Options(target=CANARY, cases=40, corpus=tmp_path))

    result = finished(Options(cases=3, corpus=tmp_path))

    assert (result.corpus, result.mended, result.faults) == (1, 1, ())


def test_a_corpus_may_be_the_directory_of_faults(tmp_path: Path) -> None:
    finished(Options(target=CANARY, cases=40, faults=tmp_path))

    result = finished(Options(cases=3, corpus=tmp_path, faults=tmp_path))

    assert result.mended == 1
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.slow
def test_a_very_long_recording_is_no_burden(tmp_path: Path) -> None:
    lines = [json.dumps({"acpsim": "trace/1"})]
    update = {"sessionUpdate": "agent_message_chunk", "messageId": "m"}
    update |= {"content": {"type": "text", "text": "x"}}  # type: ignore[dict-item]
    message = {"jsonrpc": "2.0", "method": "session/update"}
    params = {"sessionId": "s1", "update": update}
    line = json.dumps({"t": 0, "dir": "a2c", "msg": message | {"params": params}})
    (tmp_path / "long.jsonl").write_text("\n".join([*lines, *[line] * 5000]))

    result = finished(Options(corpus=tmp_path, cases=1))

    assert result.messages == 5000
    assert result.faults == ()
