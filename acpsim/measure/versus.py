"""Two subjects in alternation: the ratio of their rates, with its interval.

Owns: `versus`. Rounds alternate, and which goes first alternates too, so that what the machine does
meanwhile falls on both. The interval is of the mean of the logarithm of the ratio, taken back.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Final

from acpsim.measure.core import once
from acpsim.measure.subject import Subject
from acpsim.measure.workload import Workload
from acpsim.sim.statistics import replications

ROUNDS: Final = 9


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """How many times the rate of `other` that of `one` is. `low` and `high` bound it, 95 %."""

    one: str
    other: str
    ratio: float
    low: float
    high: float
    rounds: int


def versus(one: Subject, other: Subject, work: Workload, *, rounds: int = ROUNDS) -> Ratio:
    """Both on the same workload, `rounds` times each after one round that does not count."""
    logs = []
    for at in range(rounds + 1):
        if at % 2:
            mine, theirs = once(one, work), once(other, work)
        else:
            theirs, mine = once(other, work), once(one, work)
        if at:
            logs.append(math.log(theirs / mine))
    found = replications(logs)
    return Ratio(
        one=one.name,
        other=other.name,
        ratio=math.exp(found.mean),
        low=math.exp(found.low),
        high=math.exp(found.high),
        rounds=rounds,
    )
