"""The reference and a target side by side on the way through a search.

Owns: `Sides`. States that can be forked are: no prefix is applied twice. A target that cannot be
is taken back to its start and told the prefix again, in one batch; it is asked for nothing there
that it was asked before.

What the reference holds depends on the class of the way alone, by the relation `state`. So it is
told only what no way of the same class has told it: for wider relations that is a fraction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeAlias, TypeGuard

from acpsim.explore.dependence import Dependence
from acpsim.explore.walk import Step
from acpsim.oracles import talk
from acpsim.oracles.agreement import differences, differences_in
from acpsim.targets.address import open_target
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event


class Forkable(Target, Protocol):
    """A target that can become two in the same state, and says cheaply what it holds."""

    def fork(self) -> Self:
        """An independent one in the same state."""

    def snapshot_bytes(self, session_id: str) -> bytes | None:
        """The snapshot as text: equal texts are equal snapshots."""


def can_fork(target: Target) -> TypeGuard[Forkable]:
    """Whether a target can be forked."""
    return hasattr(target, "fork") and hasattr(target, "snapshot_bytes")


class Sides:
    """The two after the way to the last step. `applied` counts messages told to the target."""

    def __init__(self, dependence: Dependence, target: Target, edition: Edition) -> None:
        self.events = dependence.scenario.events
        self.applied = 0
        self._named = talk.named(self.events)
        self._sessions = [
            self._named.addressed if told.dir == "lost" else sorted(sessions)
            for told, sessions in zip(self.events, talk.belongings(self.events), strict=True)
        ]
        self._way: list[int] = []
        self._told = 0
        self._classes = Classes(dependence.state_masks)
        self._ended: set[Class] = set()
        self._reference = Reference(self.events, edition)
        self.target = target
        target.reset()
        self._forks: list[Forkable | None] | None = [target.fork()] if can_fork(target) else None

    def differ(self, step: Step) -> bool:
        """Takes a step; whether the two differ after it, or the target failed."""
        del self._way[step.depth :]
        self._way.append(step.node)
        here = self._classes.after(step)
        try:
            if self._forks is None:
                return self._look(self._ahead(step))
            fork = self._fork(self._forks, step)
            holds = self._reference.holds
            for session in self._sessions[step.node]:
                if hash(fork.snapshot_bytes(session)) != holds(here, session, self._way):
                    return self._look(fork)
            if len(self._way) < len(self.events) or here in self._ended:
                return False
            self._ended.add(here)
            return self._look(fork)
        except TargetFailure:
            return True

    def disturbed(self) -> None:
        """Somebody else used the target: what it was told is gone."""
        self._told = -1

    def _look(self, target: Target) -> bool:
        """Compares what the two hold, at the end of all sessions that any message names."""
        reference = self._reference.after(self._way)
        if len(self._way) == len(self.events):
            found = differences(target, reference, self._named)
        else:
            found = differences_in(target, reference, self._sessions[self._way[-1]])
        return next(found, None) is not None

    def _fork(self, forks: list[Forkable | None], step: Step) -> Forkable:
        del forks[step.depth + 1 :]
        fork = forks[step.depth]
        assert fork is not None
        if step.last:
            forks[step.depth] = None
        else:
            fork = fork.fork()
        forks.append(fork)
        fork.apply([self.events[step.node]])
        self.applied += 1
        return fork

    def _ahead(self, step: Step) -> Target:
        if self._told != step.depth:
            self.target.reset()
            if step.depth:
                self.target.apply([self.events[at] for at in self._way[:-1]])
            self.applied += step.depth
        self._told = -1  # unless the next one is understood too
        self.target.apply([self.events[step.node]])
        self._told = step.depth + 1
        self.applied += 1
        return self.target


Class: TypeAlias = tuple[int, int]
"""What is done, as bits, and which of what depends on each other came first."""


class Classes:
    """The class of the way, kept up step by step."""

    def __init__(self, masks: list[int]) -> None:
        self._masks = masks
        self._classes: list[Class] = [(0, 0)]

    def after(self, step: Step) -> Class:
        """The class of the way that ends with this step."""
        classes, node = self._classes, step.node
        del classes[step.depth + 1 :]
        done, came_first = classes[step.depth]
        found = done | 1 << node, came_first | (self._masks[node] & done) << node * len(self._masks)
        classes.append(found)
        return found


class Reference:
    """What the reference holds on any way, remembered by the class of the way."""

    def __init__(self, events: Sequence[Event], edition: Edition) -> None:
        reference = open_target("reference", edition=edition)
        assert can_fork(reference)
        reference.reset()
        self._events = events
        self._states: list[Forkable] = [reference]
        self._way: list[int] = []
        self._held: dict[tuple[Class, str], int] = {}

    def holds(self, here: Class, session: str, way: Sequence[int]) -> int:
        """The hash of the snapshot after a way, which is of the class `here`."""
        found = self._held.get((here, session))
        if found is None:
            found = hash(self.after(way).snapshot_bytes(session))
            self._held[here, session] = found
        return found

    def after(self, way: Sequence[int]) -> Forkable:
        """The reference after a way."""
        same = 0
        while same < len(self._way) and same < len(way) and self._way[same] == way[same]:
            same += 1
        del self._states[same + 1 :], self._way[same:]
        for node in way[same:]:
            state = self._states[-1].fork()
            state.apply([self._events[node]])
            self._states.append(state)
            self._way.append(node)
        return self._states[-1]
