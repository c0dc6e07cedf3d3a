"""How soon each seeded fault is caught, over many seeds and in several ways.

Owns: `measure`. The unit of work is one seed in one way, all mutants on the same cases; units are
independent of each other and are put together in their order, so that the numbers of cases are the
same however many processes there are. Seconds are measured where a unit runs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final, TypeAlias, TypeVar

from acpsim.fuzz.mutants_run import chosen_mutants
from acpsim.fuzz.trials import Alarm, SharedCases, alarm
from acpsim.fuzz.ways import DEFAULT, WAYS
from acpsim.targets.mutants import MUTANTS
from acpsim.wire.edition import EDITIONS

CASES_AIM: Final = 300
SECONDS_AIM: Final = 2.0
"""Within which half of the seeds are to catch each mutant."""
CASES_MAX: Final = 300
"""Cases after which a mutant counts as missed; what is only compared is not worth more."""
CASES_MAX_DEFAULT: Final = 3000
"""The same for what `acpsim fuzz` does: half a minute of them."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to measure: these mutants, or all; these ways; `seeds` seeds from `seed` on."""

    mutants: tuple[str, ...] = ()
    ways: tuple[str, ...] = (DEFAULT,)
    editions: tuple[str, ...] = tuple(EDITIONS)
    seed: int = 0
    seeds: int = 30
    cases_max: int | None = None
    jobs: int = 1

    def cases_of(self, way: str) -> int:
        """After how many cases a mutant counts as missed."""
        return self.cases_max or (CASES_MAX_DEFAULT if way == DEFAULT else CASES_MAX)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One seed in one way."""

    way: str
    seed: int
    mutants: tuple[str, ...]
    editions: tuple[str, ...]
    cases_max: int


@dataclasses.dataclass(frozen=True, slots=True)
class Catch:
    """A mutant under one seed: caught or not after so many cases and seconds."""

    caught: bool
    cases: int
    seconds: float


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class UnitDone:
    """What a unit came to: a catch for each of its mutants, in their order."""

    unit: Unit
    catches: tuple[Catch, ...]
    alarm: Alarm


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Soon:
    """A mutant in one way over the seeds: by nearest rank, `None` where that seed missed it."""

    median_cases: int | None
    p90_cases: int | None
    median_s: float | None
    p90_s: float | None
    missed: int
    seeds: int

    @property
    def reached(self) -> bool:
        """Whether this is as soon as is aimed at."""
        return (
            self.missed == 0
            and self.median_cases is not None
            and self.median_cases < CASES_AIM
            and self.median_s is not None
            and self.median_s < SECONDS_AIM
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is known: of each mutant, by way, how soon it was caught. `units` of `planned` units are
    in it. `alarms` are the units of which nothing counts, since reporting itself was wrong there.
    """

    plan: Plan
    rows: dict[str, dict[str, Soon]]
    units: int
    planned: int
    seconds: float
    alarms: tuple[UnitDone, ...]

    @property
    def missed(self) -> tuple[str, ...]:
        """The mutants that the first way missed under some seed, save those that nobody can tell
        from the reference.
        """
        way = self.plan.ways[0]
        return tuple(
            name
            for name, row in self.rows.items()
            if way in row and row[way].missed and not MUTANTS[name].undetectable
        )


MeasureEvent: TypeAlias = UnitDone | Measured


def measure(plan: Plan) -> Iterator[MeasureEvent]:
    """Measures. Ctrl-C ends it with what is known. Raises `UsageError` for a name that no mutant
    has.
    """
    names = tuple(mutant.name for mutant in chosen_mutants(plan.mutants))
    start = time.monotonic()
    units = [
        Unit(
            way=way,
            seed=seed,
            mutants=names,
            editions=plan.editions,
            cases_max=plan.cases_of(way),
        )
        for seed in range(plan.seed, plan.seed + plan.seeds)
        for way in plan.ways
    ]
    done: list[UnitDone] = []
    with contextlib.suppress(KeyboardInterrupt), _pool(min(plan.jobs, len(units))) as results:
        for result in results(units):
            done.append(result)
            yield result
    yield Measured(
        plan=plan,
        rows=summed_up(done, names),
        units=len(done),
        planned=len(units),
        seconds=time.monotonic() - start,
        alarms=tuple(result for result in done if result.alarm.rung),
    )


Results: TypeAlias = Callable[[Iterable[Unit]], Iterator[UnitDone]]


@contextlib.contextmanager
def _pool(jobs: int) -> Iterator[Results]:
    """Runs units, here or in processes of their own, and gives their results in order."""
    if jobs <= 1:
        yield lambda units: map(run_unit, units)
        return
    others = set(multiprocessing.active_children())
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_die_at_once) as executor:

        def results(units: Iterable[Unit]) -> Iterator[UnitDone]:
            futures: list[Future[UnitDone]] = [executor.submit(run_unit, unit) for unit in units]
            return (future.result() for future in futures)

        try:
            yield results
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def _die_at_once() -> None:
    """Ctrl-C reaches workers too: they have nothing to say about it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run_unit(unit: Unit) -> UnitDone:
    """Tries each mutant of a unit on the same cases until it is caught."""
    editions = tuple(EDITIONS[name] for name in unit.editions)
    shared = SharedCases(unit.seed, editions, WAYS[unit.way])
    catches = []
    for name in unit.mutants:
        trial = shared.trial(MUTANTS[name], unit.cases_max)
        catches.append(Catch(trial.caught is not None, trial.cases, trial.seconds))
    return UnitDone(unit=unit, catches=tuple(catches), alarm=alarm(shared))


def summed_up(done: Sequence[UnitDone], names: Sequence[str]) -> dict[str, dict[str, Soon]]:
    """Of each mutant and way, how soon it was caught over the seeds."""
    ways = dict.fromkeys(result.unit.way for result in done)
    return {
        name: {
            way: soon([result.catches[at] for result in done if result.unit.way == way])
            for way in ways
        }
        for at, name in enumerate(names)
    }


def soon(catches: Sequence[Catch]) -> Soon:
    """Median and 90th percentile of what is not empty; a miss is later than every catch."""
    cases = sorted(catch.cases for catch in catches if catch.caught)
    seconds = sorted(catch.seconds for catch in catches if catch.caught)
    return Soon(
        median_cases=_rank(cases, 0.5, len(catches)),
        p90_cases=_rank(cases, 0.9, len(catches)),
        median_s=_rank(seconds, 0.5, len(catches)),
        p90_s=_rank(seconds, 0.9, len(catches)),
        missed=len(catches) - len(cases),
        seeds=len(catches),
    )


Number = TypeVar("Number", int, float)


def _rank(values: Sequence[Number], share: float, count: int) -> Number | None:
    at = max(1, math.ceil(share * count)) - 1
    return values[at] if at < len(values) else None
