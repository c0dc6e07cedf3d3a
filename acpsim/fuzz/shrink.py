"""From a failing conversation to the smallest that still fails in the same way.

Owns: `shrink`. A *unit* is what is removed together: a request with its answer and with the
`$/cancel_request` that names it, so that no answer is ever left without its question; any other
message is a unit of its own. Set-up (`initialize`, `session/new`) stays as long as a message needs
it. A *pass* tries every step of its kind and ends when none of them helps any more; the passes go
round until a whole round changes nothing. Nothing is drawn: equal input, equal result.

What was tried is remembered by what the messages say, so that a pass that comes round again costs
nothing where it has been.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from acpsim.fuzz.simplify import simpler
from acpsim.oracles import talk
from acpsim.oracles.laws.names import SESSION, renamed
from acpsim.oracles.laws.scene import Scene
from acpsim.oracles.verdict import FaultKey
from acpsim.wire import methods, updates
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event

Events: TypeAlias = tuple[Event, ...]
Fails: TypeAlias = Callable[[Sequence[Event]], Hashable | None]
"""What tells in which way a conversation fails; `None` if it does not."""

RUNS_MAX: Final = 600
"""Conversations judged for one fault. The usual one needs 50 to 200; a second at 600 a second."""

SET_UP: Final = (methods.InitializeRequest, methods.NewSessionRequest)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """The smallest conversation that was found, and what is known of it.

    `minimal`: it was checked that without any one of its units, or with any one inversion undone,
    it no longer fails in this way. `others`: in one of these checks it failed in another way; where
    none did, it passes. `inversions` are the pairs of messages (as indices) that stand in another
    order than they did where they were recorded or generated.
    """

    events: Events
    key: Hashable
    runs: int
    minimal: bool
    inversions: tuple[tuple[int, int], ...]
    others: bool = False

    @property
    def messages(self) -> int:
        """How many messages there are after set-up."""
        return len(self.events) - len(set_up(self.events))


class _Spent(Exception):
    """The budget is used up."""


def shrink(
    events: Sequence[Event], fails: Fails, *, edition: Edition, runs_max: int = RUNS_MAX
) -> Shrunk:
    """The smallest conversation that still fails in the same way.

    `fails` must be deterministic, and say of `events` themselves that they fail: `ValueError`
    otherwise. First the key must stay the same; at the end a fault that shows in fewer messages to
    the same oracle counts as the same where its place or its rules are: the rule that is named and
    the section that differs first depend on the messages beside it.
    """
    shrinker = _Shrinker(tuple(events), fails, edition=edition, runs_max=runs_max)
    minimal = shrinker.run()
    best = shrinker.best
    return Shrunk(
        events=best,
        key=shrinker.key,
        runs=shrinker.runs,
        minimal=minimal,
        inversions=tuple(inversions(best)),
        others=shrinker.others,
    )


def _kindred(one: Hashable, other: Hashable) -> bool:
    """The same place for the same oracle, and a rule in common: what is said with less."""
    if isinstance(one, FaultKey) and isinstance(other, FaultKey):
        shared = one.rules == other.rules or not set(one.rules).isdisjoint(other.rules)
        return (one.oracle, one.place) == (other.oracle, other.place) and shared
    return one == other


def _akin(one: Hashable, other: Hashable) -> bool:
    """The same place for the same oracle, or the same rules: one mistake, shown by less."""
    if isinstance(one, FaultKey) and isinstance(other, FaultKey):
        rules = one.rules == other.rules != ()
        return one.oracle == other.oracle and (one.place == other.place or rules)
    return one == other


def units(events: Sequence[Event]) -> list[tuple[int, ...]]:
    """The units, as indices, in the order of their first messages."""
    pairs = talk.exchanges(events)
    owner = list(range(len(events)))
    asked: dict[tuple[str, object], int] = {}
    for at, event in enumerate(events):
        message = event.message
        own = talk.request_id(event)
        if own is not None:
            asked[event.dir, own] = at
        elif at in pairs.request_of:
            owner[at] = pairs.request_of[at]
        elif isinstance(message, methods.CancelRequest):
            owner[at] = asked.get((event.dir, message.params.request_id), at)
    found: dict[int, list[int]] = {}
    for at, first in enumerate(owner):
        found.setdefault(first, []).append(at)
    return [tuple(found[first]) for first in sorted(found)]


def set_up(events: Sequence[Event]) -> frozenset[int]:
    """The messages that only make the conversation possible, as indices."""
    return frozenset(at for unit in units(events) if _is_set_up(events, unit) for at in unit)


def _is_set_up(events: Sequence[Event], unit: tuple[int, ...]) -> bool:
    return isinstance(events[unit[0]].message, SET_UP)


def inversions(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """The pairs of messages that stand in another order than their lines do."""
    for at, event in enumerate(events):
        for other in range(at):
            if 0 < event.line < events[other].line:
                yield other, at


class _Shrinker:
    """The best conversation so far, and what was tried."""

    def __init__(self, events: Events, fails: Fails, *, edition: Edition, runs_max: int) -> None:
        self.edition = edition
        self.runs = 0
        self._alike: Callable[[Hashable, Hashable], bool] = lambda one, other: one == other
        self._fails = fails
        self._runs_max = runs_max
        self._said: dict[tuple[int, ...], Hashable | None] = {}
        self._texts: dict[tuple[str, bytes], int] = {}
        first = self._ask(events)
        if first is None:
            raise ValueError("nothing to shrink: the conversation does not fail")
        self.best = events
        self.key: Hashable = first
        self.others = False
        """Whether, once it was proven minimal, something less failed in another way."""

    def _ask(self, events: Events) -> Hashable | None:
        name = tuple(self._texts.setdefault((e.dir, e.raw), len(self._texts)) for e in events)
        if name not in self._said:
            if self.runs >= self._runs_max:
                raise _Spent
            self.runs += 1
            self._said[name] = self._fails(events)
        return self._said[name]

    def still_fails(self, events: Events) -> bool:
        """Whether a conversation fails in the same way."""
        said = self._ask(events)
        return said is not None and self._alike(self.key, said)

    def offer(self, events: Events) -> bool:
        """Takes a conversation for the best so far if it still fails in the same way."""
        if events == self.best or not self.still_fails(events):
            return False
        said = self._ask(events)
        self.key = self.key if said is None else said
        self.best = events
        return True

    def run(self) -> bool:
        """Everything, in order. Whether the result is known to be minimal."""
        try:
            self._cut_tail()
            self._rounds()
            before: Events = ()
            while before != self.best:
                before = self.best
                self._alike = _kindred
                self._rounds()
                self._alike = _akin
                self._drop_runs()
                self._drop_parts()
                self._put_in_order()
            return self._proven()
        except _Spent:
            return False

    def _proven(self) -> bool:
        """Whether no step makes it smaller and leaves it failing in this way."""
        others = False
        for events in self._smaller():
            if self.still_fails(events):
                return False
            others = others or self._ask(events) is not None
        self.others = others
        return True

    def _rounds(self) -> None:
        """All passes, until none of them changes anything."""
        before: Events = ()
        while before != self.best:
            before = self.best
            self._drop_runs()
            self._drop_parts()
            self._put_in_order()
            self._merge_sessions()
            self._simplify()

    def _smaller(self) -> Iterator[Events]:
        """Every step that would make it smaller or undo an inversion."""
        for unit in self._removable():
            yield self._without(unit)
        for at in self._parts():
            yield self._without([at])
        yield from self._swaps()

    def _removable(self) -> list[tuple[int, ...]]:
        return [unit for unit in units(self.best) if not _is_set_up(self.best, unit)]

    def _without(self, gone: Iterable[int]) -> Events:
        away = set(gone)
        kept = tuple(event for at, event in enumerate(self.best) if at not in away)
        return needed(kept)

    def _cut_tail(self) -> None:
        """Finds by halving how much of the end is not needed. A prefix has no stray answer."""
        good, bad = 0, len(self.best)
        whole = self.best
        while bad - good > 1:
            middle = (good + bad) // 2
            if self.offer(needed(whole[:middle])):
                bad = middle
            else:
                good = middle

    def _drop_runs(self) -> None:
        """Drops runs of neighbouring units, long ones first, from the end to the beginning."""
        size = max(1, len(self._removable()) // 2)
        while True:
            at = len(self._removable())
            dropped = False
            while at > 0:
                group = self._removable()[max(0, at - size) : at]
                dropped |= self.offer(self._without(i for unit in group for i in unit))
                at -= size
            if size == 1 and not dropped:
                return
            size = max(1, size // 2)

    def _drop_parts(self) -> None:
        """Leaves questions without their answer, and requests without their cancellation."""
        while any(self.offer(self._without([at])) for at in self._parts()):
            pass

    def _parts(self) -> list[int]:
        """What may go without the rest of its unit: all but the question, the last first."""
        return sorted((at for unit in self._removable() for at in unit[1:]), reverse=True)

    def _put_in_order(self) -> None:
        """Undoes inversions: all at once, else one neighbouring pair after the other."""
        ordered = in_order(self.best)
        if _answered(ordered) == _answered(self.best):
            self.offer(ordered)
        while any(self.offer(events) for events in self._swaps()):
            pass

    def _swaps(self) -> Iterator[Events]:
        events = self.best
        answered = _answered(events)
        for at in range(len(events) - 1):
            if 0 < events[at + 1].line < events[at].line:
                swapped = (*events[:at], events[at + 1], events[at], *events[at + 2 :])
                if _answered(swapped) == answered:
                    yield swapped

    def _merge_sessions(self) -> None:
        """Tells everything of one session as if it were of the first."""
        sessions = talk.addressed(self.best)
        children = {
            update.session_id
            for event in self.best
            if isinstance(update := talk.update_of(event), updates.SubagentUpdate)
        }
        for other in sessions[1:]:
            if other in children:
                continue
            scene = Scene(self.best, self.edition, random.Random(0))

            def rename(kind: str, old: object, *, gone: str = other) -> object:
                return sessions[0] if kind == SESSION and old == gone else old

            self.offer(needed(tuple(renamed(scene, rename))))

    def _simplify(self) -> None:
        """Takes the payloads of the messages apart, set-up last."""
        preparing = set_up(self.best)
        order = [at for at in range(len(self.best)) if at not in preparing] + sorted(preparing)
        for at in order:
            self._simplify_one(at)

    def _simplify_one(self, at: int) -> None:
        """A step that helped is followed by those behind it: those before it have been tried."""
        before, after = self.best[:at], self.best[at + 1 :]
        passed, forms = 0, self._forms(at)
        while passed < len(forms):
            if self.offer((*before, forms[passed], *after)):
                forms = self._forms(at)
            else:
                passed += 1

    def _forms(self, at: int) -> list[Event]:
        request = talk.exchanges(self.best).request_of.get(at)
        forms = simpler(
            self.best[at],
            edition=self.edition,
            request=None if request is None else self.best[request],
            letter=chr(ord("a") + at % 26),
        )
        return list(forms)


def _answered(events: Events) -> int:
    """How many questions have their answer: an order that loses one is no conversation."""
    return len(talk.exchanges(events).request_of)


def needed(events: Events) -> Events:
    """The conversation without the set-up of sessions of which it says nothing any more.

    Two exchanges that open one session, or one connection, are one too many.
    """
    belongings = talk.belongings(events)
    used: set[str] = set()
    openers: list[tuple[tuple[int, ...], frozenset[str]]] = []
    for unit in units(events):
        if isinstance(events[unit[0]].message, methods.NewSessionRequest):
            openers.append((unit, belongings[unit[0]]))
        else:
            used.update(name for at in unit for name in belongings[at])
    gone = _initialized_again(events)
    opened: set[str] = set()
    for unit, names in openers:
        if not names & used or names <= opened:
            gone.update(unit)
        opened |= names
    return tuple(event for at, event in enumerate(events) if at not in gone)


def _initialized_again(events: Events) -> set[int]:
    gone: set[int] = set()
    losses = [at for at, event in enumerate(events) if event.dir == "lost"]
    connections: set[int] = set()
    for unit in units(events):
        if isinstance(events[unit[0]].message, methods.InitializeRequest):
            connection = sum(at < unit[0] for at in losses)
            gone |= set(unit) if connection in connections else set()
            connections.add(connection)
    return gone


def in_order(events: Events) -> Events:
    """The messages in the order of their lines; one without a line stays behind its forerunner."""
    ranks: list[int] = []
    for event in events:
        ranks.append(event.line if event.line else (ranks[-1] if ranks else 0))
    return tuple(
        event
        for _, _, event in sorted(
            ((rank, at, event) for at, (rank, event) in enumerate(zip(ranks, events, strict=True))),
            key=lambda entry: entry[:2],
        )
    )
