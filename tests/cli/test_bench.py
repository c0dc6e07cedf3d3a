"""`acpsim bench` as its users run it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RunCommand = Callable[..., Any]


def test_every_part_is_said_with_its_unit(acpsim: RunCommand) -> None:
    ran = acpsim("bench", "tiny-resume", "--held-max", "1000")

    assert ran.status == 0
    for words in (
        "updates a second",
        "p99.9",
        "to the power of",
        "bytes for each of",
        "it saturates at",
        "against: json.loads",
    ):
        assert words in ran.out


def test_json_has_times_in_seconds(acpsim: RunCommand) -> None:
    ran = acpsim("bench", "tiny-resume", "--only", "latency", "--format", "json")

    (measured,) = json.loads(ran.out)["measured"]
    assert measured["part"] == "latency"
    assert 0 < measured["variants"]["all"]["percentiles_s"]["50"] < 1


def test_two_targets_are_compared(acpsim: RunCommand) -> None:
    ran = acpsim("bench", "tiny-resume", "--only", "against", "--against", "mutant:echo-doubled")

    assert "against: mutant:echo-doubled" in ran.out


def test_a_picture_is_drawn(acpsim: RunCommand, tmp_path: Path) -> None:
    ran = acpsim(
        *("bench", "tiny-resume", "--only", "growth", "--held-max", "1000"),
        *("--plot", tmp_path / "cost.svg"),
    )

    assert ran.status == 0
    assert (tmp_path / "cost.svg").read_text("utf-8").startswith("<?xml")


def test_what_is_no_workload_is_one_line(acpsim: RunCommand) -> None:
    ran = acpsim("bench", "nothing-of-the-kind")

    assert ran.status == 2
    assert ran.err.count("\n") == 1


def test_what_cannot_be_drawn_is_refused(acpsim: RunCommand) -> None:
    ran = acpsim("bench", "tiny-resume", "--only", "memory", "--plot", "x.png")

    assert ran.status == 2
    assert "nothing to draw" in ran.err
