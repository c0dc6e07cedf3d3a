"""The cases of a campaign: which conversation the k-th is, and how it came about.

Owns: `Cases`. A case is a function of the seed, the edition and its number alone, so that any case
can be made again by itself and a campaign may be divided in any way. The first cases are known
kinds of trouble and what a corpus holds, as they are; after that come *groups* of cases that share
a scenario, recorded, generated or simulated, each in another of its orders and disturbed in other
ways. In which shares, and by which strategies, is a `Mix`.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from acpsim.fuzz.disturb import DISTURBANCES, disturb
from acpsim.fuzz.field import field_scenarios
from acpsim.fuzz.generate import generate
from acpsim.fuzz.recorded import recorded_scenarios
from acpsim.fuzz.scenario import Events, Known, Scenario, deliver
from acpsim.fuzz.simulated import simulate
from acpsim.fuzz.stage import Stage
from acpsim.oracles.laws.names import REQUEST, SESSION, renamed
from acpsim.oracles.laws.scene import Scene
from acpsim.schedule.order import PartialOrder
from acpsim.schedule.strategies import STRATEGIES, arrange
from acpsim.schedule.streams import Streams
from acpsim.schedule.tape import Tape
from acpsim.wire import methods
from acpsim.wire.cells import Json
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event

GROUP: Final = 2
"""Cases of one scenario in a row. More make cases cheaper and less different: with six, seeded
faults are caught after three times as many cases.
"""
DISTURBED: Final = (0, 1, 1, 2, 3)
"""How many disturbances a case has. More than a few hide each other, and shrink slowly."""
MESSAGES_MAX: Final = 160
"""Of a disturbed case. Longer ones find nothing that shorter ones do not, and cost as much."""


SHARES: Final[dict[str, float]] = {
    "generated": 0.55,
    "simulated": 0.1,
    "recorded": 0.1,
    "known": 0.1,
    "beside": 0.15,
}
"""Where the scenario of a group comes from: a walk over the legal moves, a run of a model, a
recording, a known kind of trouble or the corpus, or two of these three on one connection.
"""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Of what the cases are made. The default is what finds most soonest, as measured."""

    first: bool = True
    """Known kinds of trouble come first, as they are; they are among the scenarios in any case."""
    strategies: tuple[str, ...] = tuple(STRATEGIES)
    shares: Mapping[str, float] = dataclasses.field(default_factory=lambda: SHARES)


DEFAULT_MIX: Final = Mix()
TOLD: Final = ("known", "known", "recorded", "simulated")
"""The sources of what is put beside each other: what is short more often."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One conversation to judge. `tape` gives its order again, given the scenario."""

    number: int
    drawn: bool
    """Chance had a part in it; it is no known conversation as it is."""
    source: str
    strategy: str
    tape: Tape
    disturbances: tuple[str, ...]
    events: Events
    settled: bool
    """Nothing is owed at its end, so that a promise still open is a breach."""
    known: Known | None = None
    """The oracle to ask first: it has objected before."""


class Cases:
    """All cases of one seed."""

    def __init__(
        self,
        seed: int | str,
        edition: Edition,
        *,
        corpus: Sequence[Scenario] = (),
        mix: Mix = DEFAULT_MIX,
    ) -> None:
        self.edition = edition
        self.mix = mix
        self._streams = Streams(seed)
        known = [*corpus, *field_scenarios(edition)]
        self._first = known if mix.first else [*corpus]
        self._pools = {"known": _short(known), "recorded": _short(recorded_scenarios(edition))}
        self._last_group: tuple[int, Scenario] | None = None

    @property
    def first(self) -> int:
        """How many cases are taken as they are before chance begins."""
        return len(self._first)

    def case(self, number: int) -> Case:
        """The case of this number, from 0."""
        if number < len(self._first):
            return _as_it_is(number, self._first[number], drawn=False)
        group, place = divmod(number - len(self._first), GROUP)
        scenario = self._scenario(group)
        chance = self._streams[f"case {number}"]
        if place == 0:
            return self._disturbed(_as_it_is(number, scenario, drawn=True), chance, counts=(0, 1))
        name = chance.choice(self.mix.strategies)
        order, tape = arrange(scenario.order, STRATEGIES[name](scenario.order, chance))
        case = Case(
            number=number,
            drawn=True,
            source=scenario.name,
            strategy=name,
            tape=tape,
            disturbances=(),
            events=deliver(scenario, order, chance),
            settled=scenario.settled,
        )
        return self._disturbed(case, chance, counts=DISTURBED)

    def _scenario(self, group: int) -> Scenario:
        if self._last_group is None or self._last_group[0] != group:
            self._last_group = group, self._make(group)
        return self._last_group[1]

    def _make(self, group: int) -> Scenario:
        chance = self._streams[f"group {group}"]
        shares = self.mix.shares
        (source,) = chance.choices(tuple(shares), weights=tuple(shares.values()))
        if source == "generated":
            return generate(chance, self.edition, name=f"generated/{group}")
        if source != "beside":
            return self._told(source, chance)
        one, other = (self._told(chance.choice(TOLD), chance) for _ in range(2))
        return beside(one, other, self.edition)

    def _told(self, source: str, chance: random.Random) -> Scenario:
        if source == "simulated" or not self._pools[source]:
            return simulate(chance, self.edition)
        return chance.choice(self._pools[source])

    def _disturbed(self, case: Case, chance: random.Random, *, counts: tuple[int, ...]) -> Case:
        events, done = case.events, list(case.disturbances)
        for _ in range(chance.choice(counts)):
            # Several tries: most conversations offer no occasion for some disturbances.
            for name in chance.sample(tuple(DISTURBANCES), k=4):
                other = disturb(Stage(events, self.edition, chance), name)
                if other is not None and len(other) <= MESSAGES_MAX:
                    events = other
                    done.append(name)
                    break
        settled = case.settled and not done
        return dataclasses.replace(case, events=events, disturbances=tuple(done), settled=settled)


def _short(scenarios: Iterable[Scenario]) -> list[Scenario]:
    return [scenario for scenario in scenarios if len(scenario.events) <= MESSAGES_MAX]


def _as_it_is(number: int, scenario: Scenario, *, drawn: bool) -> Case:
    return Case(
        number=number,
        drawn=drawn,
        source=scenario.name,
        strategy="as it is",
        tape=Tape(),
        disturbances=(),
        events=scenario.events,
        settled=scenario.settled,
        known=scenario.known,
    )


def beside(one: Scenario, other: Scenario, edition: Edition) -> Scenario:
    """Two conversations on one connection: the other's sessions beside the one's.

    Where a connection breaks, or nothing opens it, they are not put together.
    """
    start = _after_connecting(one), _after_connecting(other)
    if 0 in start or any(event.dir == "lost" for event in (*one.events, *other.events)):
        return one

    def rename(kind: str, old: Json) -> Json:
        if kind == SESSION and isinstance(old, str):
            return f"{old}-2"
        if kind in REQUEST.values() and isinstance(old, int | str):
            return f"second-{type(old).__name__}-{old}"
        return old

    second = tuple(renamed(Scene(other.events, edition, random.Random(0)), rename))
    shift = len(one.events) - start[1]
    before = [
        (start[0] - 1, *(first + shift for first in earlier if first >= start[1]))
        for earlier in other.order.before[start[1] :]
    ]
    return Scenario(
        name=f"{one.name}+{other.name}",
        events=(*one.events, *(_later(told, shift) for told in second[start[1] :])),
        order=PartialOrder([*one.order.before, *before]),
        kept=frozenset(one.kept),
        settled=one.settled and other.settled,
    )


def _later(told: Event, lines: int) -> Event:
    return replace(told, line=told.line + lines)


def _after_connecting(scenario: Scenario) -> int:
    """Where a conversation goes on after `initialize` and its answer; 0 if it has none."""
    head = scenario.events[:1]
    return 2 if head and isinstance(head[0].message, methods.InitializeRequest) else 0
