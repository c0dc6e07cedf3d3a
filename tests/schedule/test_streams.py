"""Streams: independent of each other, of the process and of Python's hash seed."""

from __future__ import annotations

import os
import subprocess
import sys

from acpsim.schedule.streams import Streams

DRAW = "from acpsim.schedule.streams import Streams; print(Streams(3)['a'].getrandbits(64))"


def test_a_stream_starts_anew_each_time_it_is_asked_for() -> None:
    streams = Streams(1)

    assert streams["a"].random() == streams["a"].random()


def test_streams_of_two_names_differ() -> None:
    streams = Streams(1)

    assert streams["a"].random() != streams["b"].random()


def test_streams_of_two_seeds_differ() -> None:
    assert Streams(1).seed("a") != Streams(2).seed("a")


def test_a_stream_is_the_same_in_another_process_with_another_hash_seed() -> None:
    drawn = {
        subprocess.run(
            [sys.executable, "-c", DRAW],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }

    assert drawn == {f"{Streams(3)['a'].getrandbits(64)}\n"}
