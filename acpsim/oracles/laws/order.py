"""Laws about the order in which messages come: 1 batch, 2 response order, 3 independence,
8 isolation.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

from acpsim.oracles import talk
from acpsim.oracles.compare import Snapshots, first_difference, or_untouched
from acpsim.oracles.laws.scene import (
    Bench,
    Breach,
    Events,
    Occasion,
    Scene,
    Variant,
    numbered,
    unchanged,
)
from acpsim.wire import methods
from acpsim.wire.cells import JsonObject

SPLITS = 3
"""Ways of batching tried besides one by one. More say little: batches are all alike."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Batching:
    """The same messages in batches of these sizes."""

    sizes: tuple[int, ...]

    def judge(self, bench: Bench) -> Breach | None:
        events = bench.scene.events
        found = bench.compare(bench.base, bench.run(events, batches=self._cut(events)))
        if found is None:
            return None
        each = "one by one" if set(self.sizes) == {1} else f"in batches of {_words(self.sizes)}"
        session, difference = found
        return Breach(
            text=f"the same messages applied {each} give another snapshot than all at once",
            session=session,
            difference=difference,
        )

    def _cut(self, events: Events) -> list[Events]:
        batches, at = [], 0
        for size in self.sizes:
            batches.append(events[at : at + size])
            at += size
        return batches


def _words(sizes: tuple[int, ...]) -> str:
    return ", ".join(str(size) for size in sizes)


def batch(scene: Scene) -> Sequence[Occasion]:
    """Law 1. Applying messages one by one or in any batching gives the same snapshot."""
    count = len(scene.events)
    if count < 2:
        return []
    found = [Batching(sizes=(1,) * count)]
    for at in range(SPLITS):
        chance = scene.own_chance(f"batch {at}")
        cuts = sorted(chance.sample(range(1, count), k=min(count - 1, 1 + at * 2)))
        sizes = [end - start for start, end in zip([0, *cuts], [*cuts, count], strict=True)]
        found.append(Batching(sizes=tuple(sizes)))
    return found


def moved(events: Events, source: int, goal: int) -> Events:
    """The conversation with one message taken out and put back so that it stands at `goal`."""
    rest = [*events[:source], *events[source + 1 :]]
    rest.insert(goal, events[source])
    return tuple(rest)


def response_order(scene: Scene) -> Sequence[Occasion]:
    """Law 2. A prompt's response and the updates around it, swapped, give the same snapshot."""
    found: list[Occasion] = []
    for at, request in sorted(scene.pairs.request_of.items()):
        if not isinstance(scene.events[request].message, methods.PromptRequest):
            continue
        first, last = at, at
        while first > 0 and talk.update_of(scene.events[first - 1]) is not None:
            first -= 1
        while last + 1 < len(scene.events) and talk.update_of(scene.events[last + 1]) is not None:
            last += 1
        # A request is no update, so that its response never moves before it.
        goals = dict.fromkeys(goal for goal in (at - 1, at + 1, first, last) if goal != at)
        found += [
            Variant(
                text=(
                    f"the prompt response ({numbered(scene.events, at)}) moved "
                    f"{'before' if goal < at else 'behind'} {abs(goal - at)} "
                    f"update{'s' if abs(goal - at) > 1 else ''}"
                ),
                make=functools.partial(moved, scene.events, at, goal),
                kind=talk.kind_of(scene.events, at),
            )
            for goal in goals
            if first <= goal <= last
        ]
    return found


def independence(scene: Scene) -> Sequence[Occasion]:
    """Law 3. Neighbouring updates of different entities, swapped, give the same snapshot.

    Two first-seen ones exchange their places in the timeline, and nothing else.
    """
    cancelled = _last_cancels(scene)
    found: list[Occasion] = []
    for at in range(len(scene.events) - 1):
        one, other = scene.prints[at], scene.prints[at + 1]
        if one is None or other is None or not _both_updates(scene, at):
            continue
        same_session = one.session == other.session
        if same_session and one.key == other.key:
            continue
        if same_session and _stretch_matters(one, other) and at < cancelled.get(one.session, -1):
            continue
        both_new = same_session and _enters_timeline(one) and _enters_timeline(other)
        found.append(
            Variant(
                text=(
                    f"{one.variant} ({numbered(scene.events, at)}) and {other.variant} "
                    f"({numbered(scene.events, at + 1)}) exchanged"
                ),
                make=functools.partial(moved, scene.events, at, at + 1),
                expected=functools.partial(_exchange, one.session, one.key, other.key)
                if both_new
                else unchanged,
                kind=other.variant,
            )
        )
    return found


def _both_updates(scene: Scene, at: int) -> bool:
    return all(talk.update_of(event) is not None for event in scene.events[at : at + 2])


def _last_cancels(scene: Scene) -> dict[str, int]:
    return {
        event.message.params.session_id: at
        for at, event in enumerate(scene.events)
        if isinstance(event.message, methods.CancelSession)
    }


def _stretch_matters(one: talk.Footprint, other: talk.Footprint) -> bool:
    """Which stretch of work a first-seen tool call belongs to shows once a cancel follows.

    1. running; 2. a tool call is first seen; 3. a cancel is sent: the call is marked.
    Exchange 1 and 2: the call was first seen while idle, belongs to no work, and is left alone.
    """
    kinds = {one.variant, other.variant}
    tool = next((p for p in (one, other) if p.key[0] == "tool_call"), None)
    return tool is not None and tool.creates and "state_update" in kinds


def _enters_timeline(one: talk.Footprint) -> bool:
    return one.creates and one.key[0] in talk.TIMELINE_TYPES


def _exchange(session: str, one: talk.Key, other: talk.Key, base: Snapshots) -> Snapshots:
    snapshot = base.get(session)
    if snapshot is None or not isinstance(snapshot.get("timeline"), list):
        return base
    swap = {one: list(other), other: list(one)}
    changed: JsonObject = {
        **snapshot,
        "timeline": [_swapped(entry, swap) for entry in snapshot["timeline"]],
    }
    return {**base, session: changed}


def _swapped(entry: object, swap: dict[talk.Key, list[str]]) -> object:
    if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, str) for part in entry):
        return swap.get((entry[0], entry[1]), entry)
    return entry


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """One session's messages without those of the others."""

    session: str

    def judge(self, bench: Bench) -> Breach | None:
        scene = bench.scene
        together = {self.session: bench.base[self.session]}
        events = tuple(
            event
            for event, sessions in zip(scene.events, scene.belongings, strict=True)
            if not sessions or self.session in sessions
        )
        found = bench.compare(bench.run(events, sessions=[self.session]), together)
        if found is None:
            return None
        session, difference = found
        return Breach(
            text=f"beside other sessions, {self.session} holds something else than alone",
            session=session,
            difference=difference,
            variant=events,
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Untold:
    """A session that the others' messages only mention, which alone would be nothing."""

    session: str

    def judge(self, bench: Bench) -> Breach | None:
        held = bench.run(bench.scene.events, sessions=[self.session])[self.session]
        found = first_difference(or_untouched(None), or_untouched(held), bench.target.sections)
        if found is None:
            return None
        return Breach(
            text=f"no message is for session {self.session}, and yet it holds something",
            session=self.session,
            difference=found,
        )


def isolation(scene: Scene) -> Sequence[Occasion]:
    """Law 8. Interleaving two sessions' streams equals running each alone.

    Also for parent and child: an announcement belongs to the parent, which alone is named by it.
    Where a request id was used again while open, nobody can say whose the answers are.
    """
    untold = [Untold(session=session) for session in talk.mentioned(scene.events)]
    if len(scene.sessions) < 2 or scene.pairs.reused:
        return untold
    return [*(Alone(session=session) for session in scene.sessions), *untold]
