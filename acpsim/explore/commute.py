"""Which neighbours a target takes for ordered that the protocol lets commute.

Owns: `audit`. Generated and recorded conversations give the contexts: wherever two neighbours
commute by the protocol, and the parties could have produced them the other way round, the target is
told both, and what it holds is compared with itself: at once, and at the end of the conversation.
No reference has a part in it. A certificate rests on these exchanges; the audit says whether the
target keeps them.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Hashable, Iterator, Sequence
from typing import Final, TypeAlias

from acpsim.explore.dependence import Dependence
from acpsim.fuzz.cases import Cases
from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Events, in_sequence
from acpsim.fuzz.shrink import Shrunk, shrink
from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, Snapshots, first_difference
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire import updates
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Malformed, OtherNotification, OtherRequest
from acpsim.wire.methods import METHODS
from acpsim.wire.trace import Event
from acpsim.wire.updates import VARIANTS

Kinds: TypeAlias = tuple[str, str]
"""What two neighbours are, in the order of the alphabet."""

CONTEXTS: Final = 20
"""In how many conversations each pair is tried, if there are as many."""
SECONDS: Final = 20.0
"""How long an audit takes if nothing else is said."""
MESSAGES_MAX: Final = 80
"""Conversations that are longer are left out: their concurrency takes longer than it gives."""
SHRINK_RUNS: Final = 300


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """Where a target tells two orders apart. `at` is the place of the first of the two."""

    events: Events
    at: int
    session: str
    difference: Difference
    minimal: bool


@dataclasses.dataclass(frozen=False, slots=True, kw_only=True)
class Pair:
    """What came of two kinds. `example` is the first context that differed, shrunk."""

    kinds: Kinds
    tried: int = 0
    ordered: int = 0
    example: Ordered | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """All pairs that occurred, by name. `crashes` are contexts in which the target failed."""

    target: str
    edition: str
    seed: int
    pairs: tuple[Pair, ...]
    cases: int
    crashes: int
    seconds: float
    interrupted: bool

    @property
    def tried(self) -> int:
        """Exchanges that were tried."""
        return sum(pair.tried for pair in self.pairs)

    @property
    def ordered(self) -> tuple[Pair, ...]:
        """The pairs that the target does not let commute."""
        return tuple(pair for pair in self.pairs if pair.ordered)


def audit(
    target: Target,
    *,
    edition: Edition,
    seed: int = 0,
    cases: int | None = None,
    seconds: float | None = None,
    contexts: int = CONTEXTS,
) -> Iterator[int | Pair | Audited]:
    """Yields how many cases there were, each pair that is first found ordered, and last `Audited`.

    Equal arguments with a number of cases give the same, time apart. Without `cases` and `seconds`
    it takes `SECONDS`.
    """
    limit_s = SECONDS if cases is None and seconds is None else seconds
    start, count, crashes = time.monotonic(), 0, 0
    pairs: dict[Kinds, Pair] = {}
    bench = _Bench(target)
    source = Cases(seed, edition)
    interrupted = False
    try:
        while cases is None or count < cases:
            if limit_s is not None and time.monotonic() - start >= limit_s:
                break
            events = source.case(count).events
            count += 1
            for at, kinds in commuting(events):
                pair = pairs.setdefault(kinds, Pair(kinds=kinds))
                if pair.tried >= contexts:
                    continue
                try:
                    found = bench.exchanged(events, at)
                except TargetFailure:
                    crashes += 1
                    continue
                pair.tried += 1
                pair.ordered += found is not None
                if found is not None and pair.example is None:
                    pair.example = _shrunk(bench, events, kinds, edition)
                    yield pair
            yield count
    except KeyboardInterrupt:
        interrupted = True
    yield Audited(
        target=target.name,
        edition=edition.name,
        seed=seed,
        pairs=tuple(pairs[kinds] for kinds in sorted(pairs)),
        cases=count,
        crashes=crashes,
        seconds=time.monotonic() - start,
        interrupted=interrupted,
    )


def commuting(events: Sequence[Event]) -> Iterator[tuple[int, Kinds]]:
    """The places at which two neighbours commute, and what the two are."""
    if len(events) > MESSAGES_MAX:
        return
    scenario = scenario_of(events, name="", settled=False)
    dependence = Dependence(scenario, "state")
    for at in range(len(events) - 1):
        if scenario.order.concurrent(at, at + 1) and not dependence.depend(at, at + 1):
            one, other = sorted((kind_of(events, at), kind_of(events, at + 1)))
            yield at, (one, other)


def kind_of(events: Sequence[Event], at: int) -> str:
    """What kind of message this is, all that nobody knows as one kind."""
    event = events[at]
    update = talk.update_of(event)
    if isinstance(update, updates.UnknownUpdate):
        return "unknown variant"
    if isinstance(event.message, Malformed):
        return "unusable message"
    if isinstance(event.message, OtherRequest | OtherNotification):
        return "other method"
    kind = talk.kind_of(events, at)
    known = kind.removesuffix(" response").removesuffix(" error")
    return kind if known in METHODS or known in VARIANTS or kind == "lost" else "other answer"


class _Bench:
    """Tells a target two orders of a conversation and compares what it holds."""

    def __init__(self, target: Target) -> None:
        self.target = target

    def exchanged(self, events: Sequence[Event], at: int) -> tuple[str, Difference] | None:
        """How the target tells two neighbours' orders apart, if it does. Raises `TargetFailure`."""
        names = talk.addressed(events)
        first = self._held(events, at + 2, names)
        moved = [*events[:at], events[at + 1], events[at], *events[at + 2 :]]
        second = self._held(moved, at + 2, names)
        for expected, actual in zip(first, second, strict=True):
            for session in names:
                found = first_difference(expected[session], actual[session], self.target.sections)
                if found is not None:
                    return session, found
        return None

    def _held(self, events: Sequence[Event], place: int, names: Sequence[str]) -> list[Snapshots]:
        """What it holds after the first `place` messages, and at the end."""
        self.target.reset()
        held: list[Snapshots] = []
        for batch in (events[:place], events[place:]):
            if batch or not held:
                self.target.apply(batch)
            held.append({name: self.target.snapshot(name) for name in names})
        return held


def _shrunk(bench: _Bench, events: Events, kinds: Kinds, edition: Edition) -> Ordered | None:
    def fails(told: Sequence[Event]) -> Hashable | None:
        return None if _first(bench, told, kinds) is None else kinds

    try:
        small: Shrunk | None = shrink(events, fails, edition=edition, runs_max=SHRINK_RUNS)
    except ValueError:
        small = None
    told = in_sequence(events if small is None else small.events)
    found = _first(bench, told, kinds)
    if found is None:
        return None
    at, session, difference = found
    return Ordered(
        events=told,
        at=at,
        session=session,
        difference=difference,
        minimal=small is not None and small.minimal,
    )


def _first(
    bench: _Bench, events: Sequence[Event], kinds: Kinds
) -> tuple[int, str, Difference] | None:
    """The first place at which neighbours of these kinds are told apart."""
    for at, here in commuting(events):
        if here != kinds:
            continue
        try:
            found = bench.exchanged(events, at)
        except TargetFailure:
            return None
        if found is not None:
            return at, *found
    return None
