"""Which seeded faults no conversation tells apart: candidates for equivalent mutants.

Owns: `never_told_apart`. Two mutants are told apart by any difference between their snapshots: on
the way, at the end, or when the whole conversation comes at once. What is left together after many
cases is equivalent, or differs where no snapshot shows it. A person decides, and says so in
the mutant's `equivalent_to` and `why`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeAlias

from acpsim.fuzz.cases import Cases
from acpsim.fuzz.scenario import Events
from acpsim.targets.mutants import Mutant
from acpsim.targets.mutants.canary import REFERENCE_ITSELF
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.target import TargetFailure
from acpsim.wire.edition import Edition

LOOKS: Final = 8
"""Places on the way at which snapshots are compared."""
Shown: TypeAlias = tuple[object, ...]
"""What a mutant shows of one conversation."""


def never_told_apart(
    mutants: Iterable[Mutant], editions: Iterable[Edition], *, cases: int, seed: int = 0
) -> list[frozenset[str]]:
    """The groups of two and more that no case has told apart, the reference among the mutants."""
    groups: list[list[Mutant]] = [[*mutants, REFERENCE_ITSELF]]
    for edition in editions:
        made = Cases(seed, edition)
        for number in range(cases):
            events = made.case(number).events
            groups = [part for group in groups for part in _parted(group, events, edition, number)]
    return [frozenset(mutant.name for mutant in group) for group in groups]


def _parted(
    group: Sequence[Mutant], events: Events, edition: Edition, number: int
) -> list[list[Mutant]]:
    count = len(events)
    chance = random.Random(number)
    cuts = sorted({*chance.sample(range(1, count + 1), k=min(count, LOOKS)), count})
    sessions = sorted({name for event in events if (name := _session(event.message))})
    parts: dict[Shown, list[Mutant]] = defaultdict(list)
    for mutant in group:
        parts[_shown(mutant, edition, events, cuts=cuts, sessions=sessions)].append(mutant)
    return [part for part in parts.values() if len(part) > 1]


def _session(message: object) -> str:
    named = getattr(getattr(message, "params", None), "session_id", None)
    return named if isinstance(named, str) else ""


def _shown(
    mutant: Mutant,
    edition: Edition,
    events: Events,
    *,
    cuts: Sequence[int],
    sessions: Collection[str],
) -> Shown:
    """What it holds at each cut, and after all at once. One that raises shows nothing more."""
    shown: list[object] = []
    try:
        step_by_step = mutant.target(edition)
        for start, end in zip([0, *cuts], cuts, strict=False):
            for event in events[start:end]:
                step_by_step.apply([event])
            shown.append(_held(step_by_step, sessions))
        at_once = mutant.target(edition)
        at_once.apply(events)
        shown.append(_held(at_once, sessions))
    except TargetFailure as failure:
        shown.append(failure.kind)
    return tuple(shown)


def _held(target: ReferenceTarget, sessions: Collection[str]) -> int:
    return hash(tuple(target.snapshot_bytes(session) for session in sessions))
