"""Every kind of target takes the same updates, and holds the same afterwards."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from acpsim.errors import UsageError
from acpsim.measure.core import once
from acpsim.measure.memory import memory
from acpsim.measure.subject import OfProgram, decoders, subject
from acpsim.measure.versus import versus
from acpsim.measure.workload import SESSION, Workload, chunks, mixed, workload
from acpsim.wire.edition import DRAFT

PROGRAM = """
import json, sys
held = 0
for line in sys.stdin:
    ask = json.loads(line)
    if ask["op"] == "hello":
        answer = {"name": "counter", "sections": ["messages"]}
    elif ask["op"] == "reset":
        held, answer = 0, {"ok": True}
    elif ask["op"] == "apply":
        held, answer = held + len(ask["events"]), {"ok": True}
    else:
        answer = {"snapshot": {"messages": {"agent_message": {"held": held}}}}
    print(json.dumps(answer), flush=True)
"""


class Counting:
    """A user's class that counts what it was told."""

    def __init__(self, edition: str) -> None:
        self.told: list[Any] = []

    def apply(self, event: dict[str, Any]) -> None:
        self.told.append(event)

    def snapshot(self, session_id: str) -> Any:
        return {"messages": {"agent_message": {"held": len(self.told)}}}


def work() -> Workload:
    return Workload(name="mixed", lines=tuple(mixed(600)))


@pytest.mark.parametrize("objects", [False, True])
def test_the_reference_takes_every_update(objects: bool) -> None:
    one = subject("reference", edition=DRAFT)

    once(one, work(), objects=objects)

    shown = one.snapshot(SESSION)
    assert isinstance(shown, bytes)
    assert len(json.loads(shown)["timeline"]) > 10


@pytest.mark.parametrize("objects", [False, True])
def test_a_class_takes_each_update_as_an_event(objects: bool) -> None:
    one = subject("tests.measure.test_subjects:Counting", edition=DRAFT)

    once(one, work(), objects=objects)

    assert one.snapshot(SESSION) == {"messages": {"agent_message": {"held": 600}}}


def test_a_program_takes_batches(tmp_path: Path) -> None:
    script = tmp_path / "counter.py"
    script.write_text(PROGRAM, "utf-8")
    one = subject(f"cmd:{sys.executable} {script}", edition=DRAFT)
    assert isinstance(one, OfProgram)

    once(one, work())

    assert one.snapshot(SESSION) == {"messages": {"agent_message": {"held": 600}}}
    assert (one.memory() or 0) > 1_000_000
    one.close()


def test_bare_decoding_holds_nothing() -> None:
    for decoder in decoders():
        once(decoder, work())

        assert decoder.snapshot(SESSION) is None


def test_a_subject_against_itself_is_about_as_fast() -> None:
    one, other = (subject("reference", edition=DRAFT) for _ in range(2))

    found = versus(one, other, work(), rounds=3)

    assert 0.2 < found.ratio < 5
    assert found.low <= found.ratio <= found.high


def test_what_is_held_takes_memory() -> None:
    found = memory(subject("reference", edition=DRAFT), items=2000)

    assert found.bytes_each is not None
    assert 20 < found.bytes_each < 2000


def test_a_model_gives_updates_with_the_times_at_which_they_arrive() -> None:
    found = workload("tiny-echo", edition=DRAFT, seed=0)

    assert len(found.arrivals_s) == len(found.lines) > 3
    assert list(found.arrivals_s) == sorted(found.arrivals_s)


def test_what_is_made_up_is_the_same_for_a_seed() -> None:
    assert mixed(50, 3) == mixed(50, 3) != mixed(50, 4)
    assert chunks(5, 2) == chunks(7)[2:]


def test_a_trace_without_updates_cannot_be_measured(tmp_path: Path) -> None:
    trace = tmp_path / "empty.jsonl"
    trace.write_text('{"acpsim": "trace/1"}\n', "utf-8")

    with pytest.raises(UsageError, match="nothing to measure"):
        workload(str(trace), edition=DRAFT, seed=0)
