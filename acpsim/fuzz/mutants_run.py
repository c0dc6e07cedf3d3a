"""The fuzzer tried on seeded faults, under one seed: what it catches, and what it then shows.

Owns: `run`. How soon over many seeds is for `measuring`.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from acpsim.errors import UsageError
from acpsim.fuzz.trials import Alarm, SharedCases, Trial, alarm
from acpsim.targets.mutants import MUTANTS, Mutant
from acpsim.targets.target import nearest
from acpsim.wire.edition import EDITIONS, Edition

CASES_MAX: Final = 3000
"""Cases after which a mutant counts as missed: nearly all are caught within a hundred."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Which mutants, and how hard to try. All mutants where none is named."""

    mutants: tuple[str, ...] = ()
    editions: tuple[Edition, ...] = tuple(EDITIONS.values())
    seed: int = 0
    cases_max: int = CASES_MAX
    seconds_max: float | None = None
    """For one mutant."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MutantsStarted:
    """What will be done."""

    mutants: int
    editions: tuple[str, ...]
    seed: int
    alarm: Alarm


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MutantFinished:
    """One mutant: caught, or missed after that many cases and seconds.

    `messages` is the size of the shrunk fault after set-up. `named`: the oracle, or a rule that it
    names, is one of those that the mutant breaks.
    """

    name: str
    text: str
    breaks: tuple[str, ...]
    caught: bool
    cases: int
    seconds: float
    shrink_seconds: float = 0.0
    edition: str | None = None
    source: str | None = None
    oracle: str | None = None
    rules: tuple[str, ...] = ()
    explanation: str = ""
    messages: int | None = None
    minimal: bool = False

    @property
    def named(self) -> bool:
        """Whether what was found is what the mutant breaks."""
        law = (self.oracle or "").removeprefix("law:")
        return law in self.breaks or not set(self.breaks).isdisjoint(self.rules)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class MutantsFinished:
    """All of them. If the alarm has rung, none of it counts."""

    results: tuple[MutantFinished, ...]
    seconds: float
    alarm: Alarm

    @property
    def missed(self) -> tuple[str, ...]:
        """Those that were not caught, save those that nobody can tell from the reference."""
        return tuple(
            result.name
            for result in self.results
            if not result.caught and not MUTANTS[result.name].undetectable
        )


MutantEvent: TypeAlias = MutantsStarted | MutantFinished | MutantsFinished


def run(options: Options) -> Iterator[MutantEvent]:
    """Runs the fuzzer on every mutant. Raises `UsageError` for a name that no mutant has."""
    chosen = chosen_mutants(options.mutants)
    start = time.monotonic()
    shared = SharedCases(options.seed, options.editions)
    rung = alarm(shared)
    yield MutantsStarted(
        mutants=len(chosen),
        editions=tuple(edition.name for edition in options.editions),
        seed=options.seed,
        alarm=rung,
    )
    results: list[MutantFinished] = []
    for mutant in chosen:
        result = _shown(
            mutant, shared.trial(mutant, options.cases_max, seconds_max=options.seconds_max)
        )
        results.append(result)
        yield result
    yield MutantsFinished(results=tuple(results), seconds=time.monotonic() - start, alarm=rung)


def chosen_mutants(names: Iterable[str]) -> list[Mutant]:
    """The mutants of these names, or all. Raises `UsageError` for a name that none has."""
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in MUTANTS:
            raise UsageError(f"{name}: no such mutant{nearest(name, list(MUTANTS))}")
    return [MUTANTS[name] for name in wanted] if wanted else list(MUTANTS.values())


def _shown(mutant: Mutant, trial: Trial) -> MutantFinished:
    """What is reported of a trial: the fault is shrunk first."""
    finished = MutantFinished(
        name=mutant.name,
        text=mutant.text,
        breaks=mutant.breaks,
        caught=False,
        cases=trial.cases,
        seconds=trial.seconds,
    )
    caught = trial.caught
    if caught is None:
        return finished
    start = time.monotonic()
    shown = caught.judge.shrink(caught.objection)
    return dataclasses.replace(
        finished,
        caught=True,
        shrink_seconds=time.monotonic() - start,
        edition=caught.judge.edition.name,
        source=caught.case.source,
        oracle=shown.verdict.oracle,
        rules=shown.verdict.rules,
        explanation=shown.verdict.text,
        messages=shown.shrunk.messages,
        minimal=shown.shrunk.minimal,
    )
