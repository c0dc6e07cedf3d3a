"""Some of the orders of a scenario that has too many, drawn by a strategy.

Owns: `sample`. Each schedule is told to reference and target from the place where the first choice
is made; what comes before it is the same in all and is told once, where states can be forked.
"""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from acpsim.explore.found import Found
from acpsim.explore.sides import can_fork
from acpsim.fuzz.judging import Shown
from acpsim.fuzz.scenario import Scenario, in_sequence
from acpsim.oracles import talk
from acpsim.oracles.agreement import differences
from acpsim.schedule.count import Remaining, orders_of
from acpsim.schedule.order import PartialOrder
from acpsim.schedule.strategies import STRATEGIES, Even, Replay, Strategy, arrange, portfolio
from acpsim.schedule.tape import Tape
from acpsim.targets.address import open_target
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event

EVEN_DOWNSETS_MAX: Final = 20_000
"""What counting may cost before the orders are drawn nearly evenly instead."""

TAPES_MAX: Final = 5
"""Failing schedules of which the tape is kept."""

NAMES: Final = ("portfolio", "even", *STRATEGIES)
"""The strategies by name, the default first."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """What came of it. `distinct` counts orders, `failed` schedules, `faults` are distinct.

    `tapes` are those of the first schedules that failed: each gives its order again.
    """

    scenario: str
    target: str
    edition: str
    strategy: str
    seed: int
    schedules: int
    distinct: int
    failed: int
    faults: tuple[Shown, ...]
    tapes: tuple[str, ...]
    seconds: float
    interrupted: bool


Schedule: TypeAlias = tuple[Sequence[int], Tape]
"""An order, and the tape that gives it again."""
Look: TypeAlias = Callable[[Sequence[int]], bool]
"""Looks at one schedule; whether something is wrong with it."""
Maker: TypeAlias = Callable[[random.Random], Strategy]
"""Makes the strategy of one run."""


def maker(name: str, order: PartialOrder) -> Maker:
    """What makes a strategy of this name for one run after the other.

    `even` falls back to `uniform` where counting the orders takes too long.
    """
    if name == "portfolio":
        return lambda chance: portfolio(order, chance)
    if name != "even":
        return lambda chance: STRATEGIES[name](order, chance)
    if orders_of(order.closure, downsets_max=EVEN_DOWNSETS_MAX) is None:
        return lambda chance: STRATEGIES["uniform"](order, chance)
    remaining = Remaining(order.closure)
    return lambda chance: Even(order, chance, remaining)


def schedules(order: PartialOrder, make: Maker, chance: random.Random) -> Iterator[Schedule]:
    """Orders without end, each with its tape."""
    while True:
        yield arrange(order, make(chance))


def agrees(scenario: Scenario, target: Target, reference: Target) -> Look:
    """Looks whether the target holds what the reference holds at the end."""
    names = talk.named(scenario.events)
    events = scenario.events
    head = scenario.order.head
    sides = [_from(events[:head], side) for side in (reference, target)]

    def look(order: Sequence[int]) -> bool:
        told = [events[at] for at in order[head:]]
        try:
            one, other = (side() for side in sides)
            one.apply(told)
            other.apply(told)
            return next(differences(other, one, names), None) is not None
        except TargetFailure:
            return True

    return look


def _from(head: Sequence[Event], target: Target) -> Callable[[], Target]:
    """Gives a target that was told the head, as often as it is called."""
    if can_fork(target):
        first = target.fork()
        first.reset()
        first.apply(head)
        return first.fork

    def again() -> Target:
        target.reset()
        target.apply(head)
        return target

    return again


def sample(
    scenario: Scenario,
    target: Target,
    *,
    edition: Edition,
    strategy: str,
    seed: int,
    schedules_max: int,
    tape: Tape | None = None,
    seconds: float | None = None,
    faults_max: int = 20,
) -> Iterator[int | Shown | Sampled]:
    """Draws schedules; yields how many there were, each distinct fault, and last `Sampled`.

    With a `tape` nothing is drawn: every schedule is that of the tape.
    """
    make = maker(strategy, scenario.order) if tape is None else lambda chance: Replay(tape)
    start = time.monotonic()
    reference = open_target("reference", edition=edition)
    look = agrees(scenario, target, reference)
    chance = random.Random(seed)
    found = Found(target, edition)
    seen: set[int] = set()
    tapes: list[str] = []
    count = failed = 0
    interrupted = False
    try:
        for order, played in schedules(scenario.order, make, chance):
            if count >= schedules_max or len(found.faults) >= faults_max:
                break
            if seconds is not None and time.monotonic() - start >= seconds:
                break
            count += 1
            seen.add(hash(tuple(order)))
            if look(order):
                failed += 1
                tapes += [str(played)] if len(tapes) < TAPES_MAX else []
                told = in_sequence(scenario.events[at] for at in order)
                shown = found.take(told)
                if shown is not None:
                    yield shown
            yield count
    except KeyboardInterrupt:
        interrupted = True
    yield Sampled(
        scenario=scenario.name,
        target=target.name,
        edition=edition.name,
        strategy=strategy if tape is None else f"tape {tape}",
        seed=seed,
        schedules=count,
        distinct=len(seen),
        failed=failed,
        faults=tuple(found.faults),
        tapes=tuple(tapes),
        seconds=time.monotonic() - start,
        interrupted=interrupted,
    )
