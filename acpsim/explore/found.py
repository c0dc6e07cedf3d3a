"""What a search does with a conversation that fails: judge, shrink, tell apart.

Owns: `Found`, the distinct faults of one search.
"""

from __future__ import annotations

from acpsim.fuzz.campaign import Distinct
from acpsim.fuzz.judging import Judge, Objection, Shown
from acpsim.fuzz.scenario import Events
from acpsim.oracles.again import judge_again
from acpsim.oracles.agreement import AGREEMENT
from acpsim.oracles.verdict import Verdict
from acpsim.targets.address import open_target
from acpsim.targets.target import Target
from acpsim.wire.edition import Edition

BATCH = "law:batch"
"""What fails message by message and not as a whole is wrong about batches."""


class Found:
    """The distinct faults, shrunk. `unrepeated` counts failures that did not fail again."""

    def __init__(self, target: Target, edition: Edition) -> None:
        self.faults: list[Shown] = []
        self.unrepeated = 0
        self._target = target
        self._edition = edition
        self._reference = open_target("reference", edition=edition)
        self._distinct = Distinct()

    def take(self, told: Events) -> Shown | None:
        """The fault that a failing conversation shows, if no earlier one is like it.

        The target is used for that: what it held is gone.
        """
        verdict = self._verdict(told)
        if verdict is None:
            self.unrepeated += 1
            return None
        if not self._distinct.is_new(verdict):
            return None
        judge = Judge(self._target, self._edition, 0)
        try:
            shown = judge.shrink(Objection(verdict=verdict, seed=0))
        finally:
            judge.close()
        if not self._distinct.is_new_shrunk(shown.verdict):
            return None
        self.faults.append(shown)
        return shown

    def _verdict(self, told: Events) -> Verdict | None:
        for oracle in (AGREEMENT, BATCH):
            verdict = judge_again(
                oracle, told, self._target, reference=self._reference, edition=self._edition
            )
            if verdict is not None:
                return verdict
        return None
