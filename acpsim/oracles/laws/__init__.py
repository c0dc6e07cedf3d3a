"""The fourteen laws that any reducer keeps, judged on any target without a reference.

What it is: `LAWS`, and `judge_law` which tries one law on one conversation. What comes in: events
and a target. What goes out: how many occasions the conversation offers, and a `Verdict` if one of
them shows a breach. What it must not know: what the right snapshot is.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from typing import Final

from acpsim.oracles.compare import Snapshots
from acpsim.oracles.explain import rules_of_law
from acpsim.oracles.laws import content, history, hostile, names, order, texts
from acpsim.oracles.laws.scene import Bench, Breach, Occasion, Scene
from acpsim.oracles.verdict import Verdict, crash
from acpsim.targets.target import DirectTarget, Target, TargetFailure
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """One law: its stable name, its number in the list of laws, what it says, where it applies."""

    name: str
    number: int
    text: str
    occasions: Callable[[Scene], Sequence[Occasion]]
    direct: bool = False
    """Only a target in this process can break it: elsewhere it is vacuous."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of trying one law on one conversation."""

    law: str
    occasions: int
    """How many the conversation offers; none: the law says nothing about it, and is vacuous."""
    tried: int
    verdict: Verdict | None


LAWS: Final[dict[str, Law]] = {
    law.name: law
    for law in (
        Law(
            name="batch",
            number=1,
            text="messages applied one by one or in any batching give the same snapshot",
            occasions=order.batch,
        ),
        Law(
            name="response-order",
            number=2,
            text="a prompt's response and the updates around it, swapped, give the same snapshot",
            occasions=order.response_order,
        ),
        Law(
            name="independence",
            number=3,
            text="neighbouring updates of different entities, swapped, give the same snapshot",
            occasions=order.independence,
        ),
        Law(
            name="chunks",
            number=4,
            text="chunks on an empty entity equal one update with that content",
            occasions=content.chunks,
        ),
        Law(
            name="absorb",
            number=5,
            text="anything done to a content before a concrete one does not matter after it",
            occasions=content.absorb,
        ),
        Law(
            name="idempotence",
            number=6,
            text="a full update, state report or list, repeated at once, changes nothing",
            occasions=content.idempotence,
        ),
        Law(
            name="neutrality",
            number=7,
            text="an unknown variant or a notice changes its own section only",
            occasions=content.neutrality,
        ),
        Law(
            name="isolation",
            number=8,
            text="a session beside others holds what it holds alone",
            occasions=order.isolation,
        ),
        Law(
            name="replay",
            number=9,
            text="the history, sent again as full updates, gives the same history",
            occasions=history.replay,
        ),
        Law(
            name="never-raise",
            number=10,
            text="no message makes it raise, hang, or lose what it held",
            occasions=hostile.never_raise,
        ),
        Law(
            name="monotone",
            number=11,
            text="no entity but a removed plan ever leaves the snapshot",
            occasions=history.monotone,
        ),
        Law(
            name="no-aliasing",
            number=12,
            text="changing a message or a snapshot after the call changes no state",
            occasions=hostile.no_aliasing,
            direct=True,
        ),
        Law(
            name="text-blind",
            number=13,
            text="other texts change those texts in the snapshot and nothing else",
            occasions=texts.texts,
        ),
        Law(
            name="name-blind",
            number=14,
            text="other ids change those ids in the snapshot and nothing else",
            occasions=names.names,
        ),
    )
}
"""Every law by its name, in the order of their numbers."""


def count_occasions(law: Law | str, events: Sequence[Event], *, edition: Edition) -> int:
    """How many occasions a conversation offers to a law. None: the law is vacuous on it."""
    return len(_law(law).occasions(Scene(events, edition, random.Random(0))))


def try_law(
    law: Law | str,
    events: Sequence[Event],
    target: Target,
    *,
    edition: Edition,
    chance: random.Random,
    occasions_max: int | None = None,
    base: Snapshots | None = None,
) -> Trial:
    """Tries one law. Ends at the first occasion on which the target breaks it.

    `chance` chooses at most `occasions_max` occasions (all if `None`); equal chance, equal trial.
    `base` is what the target holds after `events`, if it is known already. A target that fails
    altogether gets a verdict `crash:KIND`, whose `events` are the conversation that did it.
    """
    law = _law(law)
    scene = Scene(events, edition, chance)
    if law.direct and not isinstance(target, DirectTarget):
        return Trial(law=law.name, occasions=0, tried=0, verdict=None)
    occasions = law.occasions(scene)
    chosen = list(range(len(occasions)))
    if occasions_max is not None and len(chosen) > occasions_max:
        chosen = sorted(scene.own_chance("which").sample(chosen, k=occasions_max))
    bench = Bench(target, scene, base=base)
    verdict: Verdict | None = None
    tried = 0
    try:
        while verdict is None and tried < len(chosen):
            breach = occasions[chosen[tried]].judge(bench)
            tried += 1
            verdict = None if breach is None else _verdict(law, scene, breach)
    except TargetFailure as failure:
        verdict = crash(failure, bench.current)
    return Trial(law=law.name, occasions=len(occasions), tried=tried, verdict=verdict)


def judge_law(
    law: Law | str,
    events: Sequence[Event],
    target: Target,
    *,
    edition: Edition,
    chance: random.Random,
    occasions_max: int | None = None,
) -> Verdict | None:
    """The verdict of `try_law`: `None` where the law holds or is vacuous."""
    trial = try_law(
        law, events, target, edition=edition, chance=chance, occasions_max=occasions_max
    )
    return trial.verdict


def _law(law: Law | str) -> Law:
    return LAWS[law] if isinstance(law, str) else law


def _verdict(law: Law, scene: Scene, breach: Breach) -> Verdict:
    rules = rules_of_law(law.name, breach.difference, kind=breach.kind)
    return Verdict(
        oracle=f"law:{law.name}",
        text=f"{breach.text}; {law.text}",
        rules=rules,
        session=breach.session,
        difference=breach.difference,
        events=scene.events if breach.events is None else breach.events,
        variant=breach.variant,
        after=breach.after,
        kind=breach.kind,
    )


__all__ = ["LAWS", "Law", "Trial", "count_occasions", "judge_law", "try_law"]
