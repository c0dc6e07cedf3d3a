"""What a search through every class of orders found, and how it is known to be complete.

Owns: `explore`, which yields how far it is and last the `Certificate`. The search and the count of
orders know nothing of each other: that the classes stand for as many orders as there are says that
none was left out and none walked twice.

What is proven: in one order of each class the target holds what the reference holds, after every
message. Two orders of one class differ by exchanging neighbours that commute; a target that sees a
difference there is found by `commute`, by a wider relation, or by `exhaustive`, which takes every
order as a class of its own.
"""

from __future__ import annotations

import dataclasses
import enum
import time
from collections import Counter
from collections.abc import Iterator
from typing import Final, TypeAlias

from acpsim.explore.dependence import Dependence
from acpsim.explore.found import Found
from acpsim.explore.sides import Sides
from acpsim.explore.walk import Walk
from acpsim.fuzz.judging import Shown
from acpsim.fuzz.scenario import Scenario, in_sequence
from acpsim.schedule.count import orders_of
from acpsim.schedule.order import PartialOrder
from acpsim.targets.target import Target
from acpsim.wire.edition import Edition

EXHAUSTIVE_MAX: Final = 50_000
"""Orders that are all run without being asked for twice: some seconds."""
REPORT_EVERY: Final = 256
"""Steps between two reports of how far a search is."""


class Ending(enum.Enum):
    """Why a search ended; the value is what to show."""

    DONE = "every class was run"
    TIME = "the time was up"
    CLASSES = "as many classes as asked for were run"
    FAULTS = "enough distinct faults were found"
    INTERRUPTED = "it was interrupted"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a search stops, if it does before its end."""

    seconds: float | None = None
    classes: int | None = None
    faults: int = 20


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What is known after a search.

    `orders` is how many orders the parties could have produced, `covered` how many of them the
    classes stand for that were run to their end: `None` where counting takes too long. `classes`
    counts those; `failed` places at which the target differed, beyond which the search did not go;
    `unrepeated` those of them that did not fail when the same messages were told once more.
    `exhaustive` says that every order was run, and `agrees` then that classes and orders by brute
    force are the same as by reduction. `messages` are the scenario's, `applied` those told to the
    target.
    """

    scenario: str
    edition: str
    relation: str
    target: str
    messages: int
    orders: int | None
    covered: int | None
    classes: int
    failed: int
    unrepeated: int
    faults: tuple[Shown, ...]
    applied: int
    dead_ends: int
    seconds: float
    ending: Ending
    exhaustive: bool = False
    agrees: bool | None = None

    @property
    def certified(self) -> bool:
        """Every class was run, none is missing, and the target holds in all of them."""
        complete = self.ending is Ending.DONE and self.failed == 0 and self.agrees is not False
        return complete and (self.orders is None or self.covered == self.orders)

    @property
    def left(self) -> int | None:
        """Orders that nothing is known of."""
        if self.orders is None or self.covered is None:
            return None
        return self.orders - self.covered


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a search is. `share` of the orders is covered, if they could be counted."""

    classes: int
    share: float | None


Happening: TypeAlias = Progress | Shown | Certificate


def explore(
    scenario: Scenario,
    target: Target,
    *,
    edition: Edition,
    limits: Limits | None = None,
    relation: str = "reconcile",
    exhaustive: bool = False,
) -> Iterator[Happening]:
    """Runs one order of every class of a scenario; `exhaustive`: every order.

    `relation` says which messages depend on each other, and so what a class is: see `RELATIONS`.

    Yields how far it is, each distinct fault, shrunk, and last the `Certificate`. The target is
    left open. Nothing is drawn: the same arguments give the same certificate, its time apart.
    """
    dependence = Dependence(scenario, relation)
    search = _Search(dependence, target, edition, limits or Limits(), exhaustive=exhaustive)
    yield from search.run()


class _Search:
    """One search under way."""

    def __init__(
        self,
        dependence: Dependence,
        target: Target,
        edition: Edition,
        limits: Limits,
        *,
        exhaustive: bool,
    ) -> None:
        self.dependence = dependence
        scenario = self.scenario = dependence.scenario
        self.target = target
        self.edition = edition
        self.limits = limits
        self.exhaustive = exhaustive
        self.masks = dependence.masks
        self.orders = orders_of(scenario.order.closure)
        self.sides = Sides(dependence, target, edition)
        self.walk = Walk(scenario.order, all_pairs(scenario.order) if exhaustive else self.masks)
        self.covered: int | None = 0
        self.classes: Counter[tuple[int, ...]] = Counter()
        self.ends = 0
        self.failed = 0
        self.found = Found(target, edition)
        self._way: list[int] = []

    def run(self) -> Iterator[Happening]:
        start = time.monotonic()
        ending = Ending.DONE
        try:
            for count, step in enumerate(self.walk):
                del self._way[step.depth :]
                self._way.append(step.node)
                if self.sides.differ(step):
                    self.walk.skip()
                    self.failed += 1
                    yield from self._fault()
                elif step.depth + 1 == len(self.scenario.events):
                    self._end_of_class()
                over = self._over(start)
                if over is not None:
                    ending = over
                    break
                if count % REPORT_EVERY == 0:
                    yield Progress(classes=self._number(), share=self._share())
        except KeyboardInterrupt:
            ending = Ending.INTERRUPTED
        yield self._certificate(ending, time.monotonic() - start)

    def _over(self, start: float) -> Ending | None:
        limits = self.limits
        if limits.seconds is not None and time.monotonic() - start >= limits.seconds:
            return Ending.TIME
        if limits.classes is not None and self._number() >= limits.classes:
            return Ending.CLASSES
        return Ending.FAULTS if len(self.found.faults) >= limits.faults else None

    def _end_of_class(self) -> None:
        self.ends += 1
        if self.exhaustive:
            self.classes[_class_of(self._way, self.masks)] += 1
            stands_for: int | None = 1
        else:
            stands_for = None if self.orders is None else orders_of(self.walk.before)
        if self.covered is not None:
            self.covered = None if stands_for is None else self.covered + stands_for

    def _number(self) -> int:
        return len(self.classes) if self.exhaustive else self.ends

    def _share(self) -> float | None:
        if self.orders is None or self.covered is None:
            return None
        return self.covered / self.orders

    def _fault(self) -> Iterator[Shown]:
        told = in_sequence(self.scenario.events[at] for at in self._way)
        shown = self.found.take(told)
        self.sides.disturbed()
        if shown is not None:
            yield shown

    def _certificate(self, ending: Ending, seconds: float) -> Certificate:
        return Certificate(
            scenario=self.scenario.name,
            edition=self.edition.name,
            relation=self.dependence.relation,
            target=self.target.name,
            messages=len(self.scenario.events),
            orders=self.orders,
            covered=self.covered,
            classes=self._number(),
            failed=self.failed,
            unrepeated=self.found.unrepeated,
            faults=tuple(self.found.faults),
            applied=self.sides.applied,
            dead_ends=self.walk.dead_ends,
            seconds=seconds,
            ending=ending,
            exhaustive=self.exhaustive,
            agrees=self._agrees() if ending is Ending.DONE and self.failed == 0 else None,
        )

    def _agrees(self) -> bool | None:
        """Whether brute force found the classes that reduction finds."""
        return classes_of(self.dependence) == self.classes if self.exhaustive else None


def all_pairs(order: PartialOrder) -> list[int]:
    """For each message all that are concurrent with it: every order is then a class of its own."""
    count = len(order)
    return [
        sum(1 << other for other in range(count) if other != at and order.concurrent(at, other))
        for at in range(count)
    ]


def classes_of(dependence: Dependence) -> Counter[tuple[int, ...]]:
    """Every class by the order of what depends on each other, and the orders that it stands for.

    For scenarios whose classes can be held and counted.
    """
    scenario, masks = dependence.scenario, dependence.masks
    walk, way = Walk(scenario.order, masks), list[int]()
    found: Counter[tuple[int, ...]] = Counter()
    for step in walk:
        del way[step.depth :]
        way.append(step.node)
        if len(way) == len(scenario.events):
            found[_class_of(way, masks)] += orders_of(walk.before) or 0
    return found


def _class_of(way: list[int], masks: list[int]) -> tuple[int, ...]:
    """For each message, which of those that depend on it and may come after it came before it."""
    found, done = [0] * len(way), 0
    for node in way:
        found[node] = masks[node] & done
        done |= 1 << node
    return tuple(found)
