"""Ctrl-C ends a run with status 130, after what was done until then was told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from acpsim import files
from acpsim.fuzz.mutants_run import MutantEvent, run
from tests.cli.conftest import RECORDED, Ran

BROKEN = RECORDED / "broken_no_echo.jsonl"


@pytest.fixture
def interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes when the end of a file is about to be read."""
    read = files._Source.readinto

    def readinto(source: files._Source, buffer: Any, /) -> int:
        count = read(source, buffer)
        if count == 0:
            raise KeyboardInterrupt
        return count

    monkeypatch.setattr(files._Source, "readinto", readinto)


@pytest.mark.usefixtures("interrupted")
@pytest.mark.parametrize("command", ["check", "reduce", "show"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_an_interrupted_reader_says_so_and_ends_with_130(
    acpsim: Callable[..., Ran], command: str, form: str
) -> None:
    ran = acpsim(command, "--format", form, BROKEN)

    assert (ran.status, ran.err.count("\n")) == (130, 1)
    assert ran.err.startswith(f"acpsim {command}: interrupted in {BROKEN}")


@pytest.mark.usefixtures("interrupted")
def test_what_was_checked_before_is_told(acpsim: Callable[..., Ran]) -> None:
    assert f"{BROKEN}: 10 messages" in acpsim("check", BROKEN).out


@pytest.mark.usefixtures("interrupted")
def test_what_an_interrupted_conversation_still_owes_is_open_and_no_breach(
    acpsim: Callable[..., Ran],
) -> None:
    (trace,) = json.loads(acpsim("check", "--format", "json", BROKEN).out)["traces"]

    assert (trace["findings"], [one["rule"] for one in trace["open"]]) == ([], ["PROMPT-ECHO"])


@pytest.mark.usefixtures("interrupted")
def test_no_other_trace_is_read_after_an_interrupt(acpsim: Callable[..., Ran]) -> None:
    found = json.loads(acpsim("check", "--format", "json", BROKEN, BROKEN).out)

    assert len(found["traces"]) == 1


@pytest.mark.usefixtures("interrupted")
def test_what_was_reduced_before_is_printed(acpsim: Callable[..., Ran]) -> None:
    assert list(json.loads(acpsim("reduce", "--format", "json", BROKEN).out)["sessions"]) == [
        "sess_1"
    ]


@pytest.mark.usefixtures("interrupted")
def test_what_was_read_before_is_drawn(acpsim: Callable[..., Ran]) -> None:
    assert "idle end_turn" in acpsim("show", BROKEN).out


STOPPER = """
class Reducer:
    def __init__(self, edition):
        self.count = 0
    def apply(self, event):
        self.count += 1
        if self.count > 50:
            raise KeyboardInterrupt
    def snapshot(self, session_id):
        return None
"""


def test_an_interrupted_campaign_tells_what_it_did(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(".")
    Path("stopper.py").write_text(STOPPER)

    ran = acpsim("fuzz", "--target", "stopper:Reducer", "--cases", 500)

    assert (ran.status, "it was interrupted" in ran.out) == (130, True)


@pytest.mark.parametrize("form", ["text", "json"])
def test_interrupted_mutants_tell_those_that_were_tried(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    def first_only(*given: Any) -> Iterator[MutantEvent]:
        for event in run(*given):
            yield event
            if hasattr(event, "caught"):
                raise KeyboardInterrupt

    monkeypatch.setattr("acpsim.cli.mutant_runs.run", first_only)

    ran = acpsim("mutants", "--format", form)

    tried = json.loads(ran.out)["mutants"] if form == "json" else ran.out.splitlines()[:-1]
    assert (ran.status, len(tried)) == (130, 1)
    assert "interrupted; the rest were not tried" in ran.err
