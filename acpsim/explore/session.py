"""Scenarios one after the other, each certified or sampled, with one budget of time.

Owns: `search`, what `acpsim explore` does and a notebook can reach.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, TypeAlias

from acpsim.explore.certificate import Certificate, Ending, Limits, Progress, explore
from acpsim.explore.kept import as_fault
from acpsim.explore.sample import Sampled, sample
from acpsim.fuzz.campaign import Fault
from acpsim.fuzz.judging import Shown
from acpsim.fuzz.keeping import check_directory
from acpsim.fuzz.scenario import Scenario
from acpsim.schedule.tape import Tape
from acpsim.targets.address import open_target
from acpsim.targets.target import ANSWER_TIMEOUT_S, Target
from acpsim.wire.edition import Edition

SECONDS: Final = 60.0
"""How long a search may take if nothing else is said: all shipped small scenarios need a few."""
FAULTS_MAX: Final = 20
"""Distinct faults of one scenario after which its search ends."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is searched. With `schedules` so many orders are drawn by `strategy` instead; with
    `tape` that order alone is run.

    `faults` is the directory in which faults are saved, made once there is one. `search` raises
    `UsageError` where target or directory cannot be used.
    """

    target: str
    edition: Edition
    seed: int = 0
    seconds: float = SECONDS
    classes: int | None = None
    relation: str = "reconcile"
    exhaustive: bool = False
    schedules: int | None = None
    strategy: str = "portfolio"
    tape: Tape | None = None
    timeout_s: float = ANSWER_TIMEOUT_S
    faults: Path | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One scenario is done."""

    result: Certificate | Sampled
    faults: tuple[Fault, ...]

    @property
    def interrupted(self) -> bool:
        """Ctrl-C ended it."""
        if isinstance(self.result, Sampled):
            return self.result.interrupted
        return self.result.ending is Ending.INTERRUPTED

    @property
    def tried(self) -> int:
        """Orders that were run to their end, or in which a fault was found."""
        if isinstance(self.result, Sampled):
            return self.result.schedules
        return self.result.classes + self.result.failed


Event: TypeAlias = Progress | int | Fault | Searched


def search(options: Options, scenarios: Sequence[Scenario]) -> Iterator[Event]:
    """Searches each scenario; yields how far it is, faults as they are found, and `Searched`."""
    if options.faults is not None:
        check_directory(options.faults)
    start, number = time.monotonic(), 0
    with closing(
        open_target(options.target, edition=options.edition, timeout_s=options.timeout_s)
    ) as target:
        for scenario in scenarios:
            left = max(0.0, options.seconds - (time.monotonic() - start))
            faults: list[Fault] = []
            for event in _events(options, scenario, target, left):
                if isinstance(event, Shown):
                    number += 1
                    faults.append(_fault(event, options, scenario, number))
                    yield faults[-1]
                elif isinstance(event, Certificate | Sampled):
                    done = Searched(result=event, faults=tuple(faults))
                    yield done
                    if done.interrupted:
                        return
                else:
                    yield event


def _events(
    options: Options, scenario: Scenario, target: Target, seconds: float
) -> Iterator[Progress | int | Shown | Certificate | Sampled]:
    if options.schedules is None and options.tape is None:
        limits = Limits(seconds=seconds, classes=options.classes, faults=FAULTS_MAX)
        return explore(
            scenario,
            target,
            edition=options.edition,
            limits=limits,
            relation=options.relation,
            exhaustive=options.exhaustive,
        )
    return sample(
        scenario,
        target,
        edition=options.edition,
        strategy=options.strategy,
        seed=options.seed,
        schedules_max=1 if options.schedules is None or options.tape else options.schedules,
        tape=options.tape,
        seconds=seconds,
        faults_max=FAULTS_MAX,
    )


def _fault(shown: Shown, options: Options, scenario: Scenario, number: int) -> Fault:
    return as_fault(
        shown,
        number=number,
        source=scenario.name,
        target=options.target,
        edition=options.edition,
        directory=options.faults,
    )
