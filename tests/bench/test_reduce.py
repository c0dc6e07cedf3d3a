"""How fast the reducer reads, against decoding alone: `pytest -m bench -s tests/bench`.

Rates are compared within one run, in alternation, as ratios: machines are noisy, ratios less so.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterable

import pytest

from acpsim.reducer import Reducer
from acpsim.wire.edition import DRAFT
from acpsim.wire.parse import strict_decode
from tests.bench.lines import chunks, mixed

pytestmark = pytest.mark.bench

ROUNDS = 9


def seconds(read: Callable[[bytes], object], lines: Iterable[bytes]) -> float:
    start = time.process_time()
    for line in lines:
        read(line)
    return time.process_time() - start


def test_reducing_from_bytes_against_decoding_alone() -> None:
    lines = mixed(20_000)
    rounds = []
    for _ in range(ROUNDS):
        typed = seconds(strict_decode, lines)
        loads = seconds(json.loads, lines)
        reducing = seconds(Reducer(DRAFT).receive, lines)
        rounds.append((len(lines) / reducing, typed / reducing, loads / reducing))
    rate, of_typed, of_loads = (statistics.median(column) for column in zip(*rounds, strict=True))

    print(
        f"\nreduce from bytes: {rate:,.0f} updates a second; {of_typed:.2f} of the rate of typed "
        f"decoding, {of_loads:.2f} times that of json.loads "
        f"({sum(map(len, lines)) / len(lines):.0f} bytes a line)"
    )
    assert of_typed >= 0.5
    assert of_loads >= 4.0


def test_an_update_costs_the_same_however_much_is_held() -> None:
    fresh = chunks(2_000)
    few, many = Reducer(DRAFT), Reducer(DRAFT)
    seconds(few.receive, chunks(100))
    seconds(many.receive, chunks(100_000))
    ratios = []
    for _ in range(ROUNDS):
        at_few = seconds(few.receive, fresh)
        ratios.append(seconds(many.receive, fresh) / at_few)
    ratio = statistics.median(ratios)

    print(f"\none update at 100,000 held chunks costs {ratio:.3f} of one at 100")
    assert ratio <= 1.2
