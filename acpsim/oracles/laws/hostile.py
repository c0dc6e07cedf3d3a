"""Laws about a peer and a caller that do what they like: 10 never raise, 12 no aliasing."""

from __future__ import annotations

import copy
import dataclasses
import functools
import random
from collections.abc import Sequence
from typing import Final

from acpsim.oracles import talk
from acpsim.oracles.compare import Difference, Snapshots, first_difference
from acpsim.oracles.laws.history import entity_paths
from acpsim.oracles.laws.scene import Bench, Breach, Events, Occasion, Scene, Variant, numbered
from acpsim.targets.target import DirectTarget, reaches_targets
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event

HOSTILE_PER_MESSAGE: Final = 4
"""Occasions for each message. Which are tried is the caller's to say; there is no end of them."""

HOSTILE: Final[tuple[Json, ...]] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    1e300,
    "",
    "\u0000\u001b[2J",
    "x" * 2000,
    "__proto__",
    [],
    [None],
    [[[[[[[[]]]]]]]],
    {},
    {"": None},
    {"type": "text"},
    {"type": 7, "text": {}},
    {"constructor": {"prototype": {}}},
)
"""Every JSON type, and the values of each that programs fall over."""


def never_raise(scene: Scene) -> Sequence[Occasion]:
    """Law 10. No message makes it raise, hang, or lose what it held.

    Unusable messages that the conversation has are left out: nothing may change by that. Hostile
    ones are put in: what is held stays. A line that is no JSON object never reaches a target.
    """
    found: list[Occasion] = [Plain()] if scene.events else []
    found += [
        Variant(
            text=f"the unusable {numbered(scene.events, at)} left out",
            make=functools.partial(_without, scene.events, at),
            kind=talk.kind_of(scene.events, at),
        )
        for at, event in enumerate(scene.events)
        if _unusable(event.message) and reaches_targets(event)
    ]
    found += [
        Hostile(at=at, number=number)
        for at, event in enumerate(scene.events)
        if event.dir == "a2c" and reaches_targets(event)
        for number in range(HOSTILE_PER_MESSAGE)
    ]
    return found


def _unusable(message: object) -> bool:
    """A notification without a usable required field: it closes no request and opens none."""
    return isinstance(message, Malformed) and message.kind == "notification"


def _without(events: Events, at: int) -> Events:
    return (*events[:at], *events[at + 1 :])


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """The conversation as it is."""

    def judge(self, bench: Bench) -> Breach | None:
        assert bench.base is not None
        return None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """A spoilt copy of one message, put in after it."""

    at: int
    number: int

    def judge(self, bench: Bench) -> Breach | None:
        scene = bench.scene
        spoilt = self._spoil(scene)
        events = (*scene.events[: self.at + 1], spoilt, *scene.events[self.at + 1 :])
        base = bench.base
        found = _held(bench, base, bench.run(events), equal=_unusable(spoilt.message))
        if found is None:
            return None
        session, difference = found
        return Breach(
            text=f"a spoilt copy of {numbered(scene.events, self.at)} changes what was held",
            session=session,
            difference=difference,
            events=events if _unusable(spoilt.message) else None,
            variant=events,
            kind=talk.kind_of(events, self.at + 1),
        )

    def _spoil(self, scene: Scene) -> Event:
        chance = scene.own_chance(f"hostile {self.at} {self.number}")
        value = scene.events[self.at].json()
        if "method" in value and "id" in value:
            value["id"] = f"spoilt {self.number}"  # the copy answers to nobody
        _spoil_one(value["params"] if isinstance(value.get("params"), dict) else value, chance)
        return scene.make("a2c", value)


def _held(
    bench: Bench, base: Snapshots, now: Snapshots, *, equal: bool
) -> tuple[str, Difference] | None:
    if equal:
        return bench.compare(base, now)
    for session, snapshot in base.items():
        there = dict(entity_paths(now[session]))
        for steps, value in entity_paths(snapshot):
            if steps[0] not in ("plans", "timeline") and steps not in there:
                return session, Difference(steps=steps, expected=value)
    return None


def _spoil_one(value: JsonObject, chance: random.Random) -> None:
    """Changes one place of a JSON object: replaced, taken away, or something added."""
    places = list(places_of(value))
    if not places:
        value["added"] = copy.deepcopy(chance.choice(HOSTILE))
        return
    holder, name = chance.choice(places)
    how = chance.randrange(8)
    if how == 0 and isinstance(holder, dict):
        del holder[name]
    elif how == 1 and isinstance(holder, dict):
        holder[f"{name}x"] = copy.deepcopy(chance.choice(HOSTILE))
    else:
        holder[name] = copy.deepcopy(chance.choice(HOSTILE))


def places_of(value: Json) -> list[tuple[Json, Json]]:
    """Every place in a JSON object or array, as (what holds it, its name or index there)."""
    found: list[tuple[Json, Json]] = []
    work = [value]
    while work:
        here = work.pop()
        names = list(here) if isinstance(here, dict) else list(range(len(here)))
        found += [(here, name) for name in names]
        work += [here[name] for name in names if isinstance(here[name], dict | list)]
    return found


LOOKS: Final = 4
"""Snapshots taken and changed on the way, besides the one at the end."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Scribble:
    """Every message is changed after it was applied, and each snapshot after it was taken."""

    def judge(self, bench: Bench) -> Breach | None:
        target, scene = bench.target, bench.scene
        if not isinstance(target, DirectTarget):
            return None
        base = bench.base
        bench.start(scene.events)
        told = [at for at, event in enumerate(scene.events) if reaches_targets(event)]
        looks = {*scene.own_chance("looks").sample(told, k=min(len(told), LOOKS)), *told[-1:]}
        for at in told:
            value = scene.events[at].as_json()
            target.apply_value(value)
            scribble(value)
            found = self._look(bench, base if at == told[-1] else None) if at in looks else None
            if found is not None:
                session, difference, what = found
                return Breach(
                    text=f"changing {what} after {numbered(scene.events, at)} changed the state",
                    session=session,
                    difference=difference,
                    kind=talk.kind_of(scene.events, at),
                    after=at,
                )
        return None

    def _look(self, bench: Bench, base: Snapshots | None) -> tuple[str, Difference, str] | None:
        target = bench.target
        assert isinstance(target, DirectTarget)
        for session in bench.scene.sessions:
            before = target.snapshot(session)
            if base is not None:
                found = first_difference(base[session], before, target.sections)
                if found is not None:
                    return session, found, "a message"
            scribble(target.snapshot_value(session))
            found = first_difference(before, target.snapshot(session), target.sections)
            if found is not None:
                return session, found, "a snapshot"
        return None


def scribble(value: Json) -> None:
    """Changes everything that can be changed in a JSON value, in place."""
    work = [value]
    while work:
        here = work.pop()
        if isinstance(here, dict):
            work += here.values()
            for name in list(here):
                here[name] = "scribbled"
            here["scribbled"] = True
        elif isinstance(here, list):
            work += here
            here[:] = ["scribbled", *here[1:], "scribbled"]


def no_aliasing(scene: Scene) -> Sequence[Occasion]:
    """Law 12. Changing a message or a snapshot after the call changes no state.

    Only for a target in this process: what another program shares with itself nobody sees.
    """
    return [Scribble()] if scene.sessions else []
