"""The fuzzer measured: how soon each seeded fault is caught.

Owns: `run`. Each mutant is given the same cases in the same order, of every edition in turn, since
some mistakes can be made in one edition only. A case is made once and serves all mutants; what it
cost to make counts for each of them, as if it were alone.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from acpsim.errors import UsageError
from acpsim.fuzz.cases import Case, Cases
from acpsim.fuzz.judging import Judge, Objection
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
    """All of them."""

    results: tuple[MutantFinished, ...]
    seconds: float

    @property
    def missed(self) -> tuple[str, ...]:
        """Those that were not caught."""
        return tuple(result.name for result in self.results if not result.caught)


MutantEvent: TypeAlias = MutantsStarted | MutantFinished | MutantsFinished


def run(options: Options) -> Iterator[MutantEvent]:
    """Runs the fuzzer on every mutant. Raises `UsageError` for a name that no mutant has."""
    chosen = _chosen(options.mutants)
    start = time.monotonic()
    yield MutantsStarted(
        mutants=len(chosen),
        editions=tuple(edition.name for edition in options.editions),
        seed=options.seed,
    )
    shared = _SharedCases(options.seed, options.editions)
    results: list[MutantFinished] = []
    for mutant in chosen:
        result = _try(mutant, shared, options)
        results.append(result)
        yield result
    yield MutantsFinished(results=tuple(results), seconds=time.monotonic() - start)


def _chosen(names: Iterable[str]) -> list[Mutant]:
    wanted = list(names)
    for name in wanted:
        if name not in MUTANTS:
            raise UsageError(f"{name}: no such mutant{nearest(name, list(MUTANTS))}")
    return [MUTANTS[name] for name in wanted] if wanted else list(MUTANTS.values())


class _SharedCases:
    """The cases of all editions in turn, each made once, with the seconds that it took."""

    def __init__(self, seed: int, editions: Sequence[Edition]) -> None:
        self.editions = editions
        self._sources = [Cases(seed, edition) for edition in editions]
        self._made: list[tuple[Case, float]] = []

    def __getitem__(self, number: int) -> tuple[int, Case, float]:
        """Which edition, the case, and what it cost to make."""
        while len(self._made) <= number:
            place = len(self._made)
            start = time.monotonic()
            case = self._sources[place % len(self.editions)].case(place // len(self.editions))
            self._made.append((case, time.monotonic() - start))
        case, seconds = self._made[number]
        return number % len(self.editions), case, seconds


def _try(mutant: Mutant, shared: _SharedCases, options: Options) -> MutantFinished:
    judges = [Judge(mutant.target(edition), edition, options.seed) for edition in options.editions]
    spent = 0.0
    count = 0
    while count < options.cases_max:
        which, case, making = shared[count]
        count += 1
        start = time.monotonic()
        objection = judges[which].judge(case)
        spent += making + time.monotonic() - start
        if objection is not None:
            return _caught(mutant, case, objection, judge=judges[which], cases=count, seconds=spent)
        if options.seconds_max is not None and spent >= options.seconds_max:
            break
    return MutantFinished(
        name=mutant.name,
        text=mutant.text,
        breaks=mutant.breaks,
        caught=False,
        cases=count,
        seconds=spent,
    )


def _caught(
    mutant: Mutant, case: Case, objection: Objection, *, judge: Judge, cases: int, seconds: float
) -> MutantFinished:
    start = time.monotonic()
    shown = judge.shrink(objection)
    return MutantFinished(
        name=mutant.name,
        text=mutant.text,
        breaks=mutant.breaks,
        caught=True,
        cases=cases,
        seconds=seconds,
        shrink_seconds=time.monotonic() - start,
        edition=judge.edition.name,
        source=case.source,
        oracle=shown.verdict.oracle,
        rules=shown.verdict.rules,
        explanation=shown.verdict.text,
        messages=shown.shrunk.messages,
        minimal=shown.shrunk.minimal,
    )
