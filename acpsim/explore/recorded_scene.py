"""A recorded conversation as a scene for a sweep.

Owns: `RecordedScene`. A recorded agent cannot react, so what it would say is written for it as the
rules ask (`insertions`). Judged is what a target makes of that; of the rules only what the recorded
messages show beside the action, since the written ones show nothing of the agent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from acpsim.explore.insertions import Place, Variation, variations
from acpsim.explore.positions import CRASH, Cell, Events, Mark, Oracle, failed, judged, ruled, worst
from acpsim.explore.standing import Recording
from acpsim.oracles.verdict import Verdict
from acpsim.rules.check import check
from acpsim.rules.finding import Finding
from acpsim.targets.target import Target
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event, Observer


class RecordedScene:
    """Both oracles on a recorded conversation with an action in it."""

    oracles: tuple[Oracle, ...] = ("target", "rules")

    def __init__(
        self,
        events: Sequence[Event],
        *,
        edition: Edition,
        target: Target,
        reference: Target,
        observer: Observer = "wire",
    ) -> None:
        self._recording = Recording(events, edition)
        self.messages = self._recording.events
        self._target = target
        self._reference = reference
        self._observer: Observer = observer
        self.verdict = judged(self.messages, 0, target, reference)
        self.findings = tuple(self._check(self.messages))
        self._known = {_key(finding, self.messages) for finding in self.findings}
        self._failing = len(self.messages) + 1
        """After how many messages of the recording the target fails by itself."""
        if self.verdict is not None:
            self._failing = len(self.verdict.events)

    def tried(self, action: str, position: int) -> Iterator[Cell]:
        """The action at one position, for each session that is open there."""
        told = [
            one
            for session in self._recording.open[position]
            for one in variations(Place(self._recording, position, session), action)
        ]
        target = [self._for_target(one, action, position) for one in told]
        yield worst(target, action=action, oracle="target", position=position)
        rules = [self._for_rules(one, action, position) for one in told]
        yield worst(rules, action=action, oracle="rules", position=position)

    def _for_target(self, one: Variation, action: str, position: int) -> Cell:
        verdict, mark = None, Mark.FAILED_BEFORE
        if position < self._failing:
            verdict = judged(one.events, one.first, self._target, self._reference)
            mark = Mark.FAILED_BEFORE if self._as_without(verdict) else failed(verdict)
        return Cell(
            action=action,
            oracle="target",
            position=position,
            mark=mark,
            how=one.text,
            verdict=verdict,
            events=() if verdict is None else one.events,
        )

    def _as_without(self, verdict: Verdict | None) -> bool:
        """Whether this is what the target gets wrong in the recording as it is."""
        base = self.verdict
        if verdict is None or base is None or verdict.oracle != base.oracle:
            return False
        if verdict.oracle.startswith(CRASH):
            return verdict.key == base.key
        # Not by the rules that it is said to break: those are named from what came before too.
        same = verdict.key.place == base.key.place
        return same and verdict.events[-1].line == self._failing

    def _for_rules(self, one: Variation, action: str, position: int) -> Cell:
        findings = tuple(
            finding
            for finding in self._check(one.events)
            if (key := _key(finding, one.events))[1] and key not in self._known
        )
        return Cell(
            action=action,
            oracle="rules",
            position=position,
            mark=ruled(findings),
            how=one.text,
            findings=findings,
            events=one.events if findings else (),
        )

    def _check(self, events: Events) -> list[Finding]:
        told = (replace(one, line=number) for number, one in enumerate(events, start=1))
        edition, observer = self._recording.edition, self._observer
        return check(told, edition=edition, observer=observer, complete=False).findings


def _key(finding: Finding, events: Events) -> tuple[str, int]:
    """The rule and the recorded message; 0 for a message that was not recorded."""
    return finding.rule, events[finding.line - 1].line
