"""One mutant on one row of cases, and whether the judge can be believed at all.

Owns: `SharedCases`. Each mutant is given the same cases in the same order, of every edition in
turn, since some mistakes can be made in one edition only. A case is made once and serves all
mutants; what it cost to make counts for each of them, as if it were alone. Seconds are those of one
core at work: what else the machine does is no property of the fuzzer.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from typing import Final

from acpsim.fuzz.cases import DEFAULT_MIX, Case, Cases, Mix
from acpsim.fuzz.judging import Judge, Objection
from acpsim.targets.mutants import Mutant
from acpsim.targets.mutants.canary import CANARY, CANARY_PATH, REFERENCE_ITSELF
from acpsim.wire.edition import Edition

ALARM_CASES: Final = 20
"""Within which the canary is to be reported. It shows wherever a session is named."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Caught:
    """What the first objection was made to, and by which judge."""

    case: Case
    objection: Objection
    judge: Judge


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A mutant was caught, or not, after so many cases and seconds."""

    caught: Caught | None
    cases: int
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True)
class Alarm:
    """What is wrong with the reporting itself: nothing else that it says counts then."""

    canary_missed: bool = False
    reference_blamed: bool = False

    @property
    def rung(self) -> bool:
        """Whether anything is."""
        return self.canary_missed or self.reference_blamed


class SharedCases:
    """The cases of all editions in turn, each made once, with the seconds that it took."""

    def __init__(self, seed: int, editions: Sequence[Edition], mix: Mix = DEFAULT_MIX) -> None:
        self.seed = seed
        self.editions = editions
        self._sources = [Cases(seed, edition, mix=mix) for edition in editions]
        self._made: list[tuple[Case, float]] = []

    def __getitem__(self, number: int) -> tuple[int, Case, float]:
        """Which edition, the case, and what it cost to make."""
        while len(self._made) <= number:
            place = len(self._made)
            start = time.process_time()
            case = self._sources[place % len(self.editions)].case(place // len(self.editions))
            self._made.append((case, time.process_time() - start))
        case, seconds = self._made[number]
        return number % len(self.editions), case, seconds

    def trial(self, mutant: Mutant, cases_max: int, *, seconds_max: float | None = None) -> Trial:
        """Tries a mutant until the first objection, a number of cases, or a time."""
        judges = [Judge(mutant.target(edition), edition, self.seed) for edition in self.editions]
        spent = 0.0
        count = 0
        while count < cases_max and (seconds_max is None or spent < seconds_max):
            which, case, making = self[count]
            count += 1
            start = time.process_time()
            objection = judges[which].judge(case)
            spent += making + time.process_time() - start
            if objection is not None:
                caught = Caught(case=case, objection=objection, judge=judges[which])
                return Trial(caught=caught, cases=count, seconds=spent)
        return Trial(caught=None, cases=count, seconds=spent)


def alarm(shared: SharedCases) -> Alarm:
    """Whether a fault that must be reported is not, or one is reported where there is none."""
    canary = shared.trial(CANARY, ALARM_CASES).caught
    path = ""
    if canary is not None and canary.objection.verdict.difference is not None:
        path = canary.objection.verdict.difference.path
    return Alarm(
        canary_missed=path != CANARY_PATH,
        reference_blamed=shared.trial(REFERENCE_ITSELF, ALARM_CASES).caught is not None,
    )
