"""A run of a model as a scene for a sweep.

Owns: `SimulatedScene`. The simulated agent gets the action and reacts by itself, and the trace of
the whole run is held to the rules. Each position is tried at two moments: as the message before it
leaves, so that the action crosses what is under way, and as that message arrives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from acpsim.explore.positions import Cell, Events, Mark, Oracle, failed, judged, ruled, worst
from acpsim.oracles.verdict import Verdict
from acpsim.rules.check import check
from acpsim.rules.finding import Finding
from acpsim.sim.model import Model
from acpsim.sim.moments import ACTS, Moment, never, run_with
from acpsim.sim.tap import Observer, Write
from acpsim.targets.target import Target
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction
from acpsim.wire.trace import event, read_trace

MOMENTS: Final = (("as that leaves", False), ("as that arrives", True))

ENDS_AFTER: Final = 4.0
"""How much longer than without an action a run may take in simulated time, and"""
ENDS_AFTER_S: Final = 600.0
"""so many seconds: what goes on then waits for something that does not come."""


class _Run(NamedTuple):
    """One run and what is said of it."""

    acted: bool
    sent: tuple[tuple[Direction, bytes], ...]
    end_s: float = 0.0
    wire: Events = ()
    seen: Events = ()
    findings: tuple[Finding, ...] = ()
    verdict: Verdict | None = None


class SimulatedScene:
    """One run of a model, run again for each action at each position.

    With a target, what it makes of what the client saw is judged too.
    """

    def __init__(
        self,
        model: Model,
        *,
        seed: int,
        edition: Edition,
        target: Target | None = None,
        reference: Target | None = None,
    ) -> None:
        self._model = model
        self._seed = seed
        self._edition = edition
        self._target = target
        self._reference = reference
        self.oracles: tuple[Oracle, ...] = ("rules",) if target is None else ("target", "rules")
        self.verdict: Verdict | None = None
        self.findings: tuple[Finding, ...] = ()
        # The run without any action: no message is the 0th.
        self._end_s: float | None = None
        run = self._run(Moment(number=0, arriving=False, act=never))
        self.messages: Events = tuple(
            event(direction, raw, edition=edition, line=number)
            for number, (direction, raw) in enumerate(run.sent, start=1)
        )
        self.verdict, self.findings = run.verdict, run.findings
        self._known = {_key(finding) for finding in run.findings}
        self._end_s = ENDS_AFTER * run.end_s + ENDS_AFTER_S

    def tried(self, action: str, position: int) -> Iterator[Cell]:
        """The action after so many messages, in the session last spoken of."""
        cells: dict[Oracle, list[Cell]] = {oracle: [] for oracle in self.oracles}
        for when, arriving in MOMENTS if position else ():
            for how, act in ACTS[action].items():
                run = self._run(Moment(number=position, arriving=arriving, act=act))
                if not run.acted:
                    continue
                for oracle in self.oracles:
                    text = f"{when}, {how}" if how else when
                    cell = self._cell(run, oracle, action=action, position=position, how=text)
                    cells[oracle].append(cell)
        for oracle, found in cells.items():
            yield worst(found, action=action, oracle=oracle, position=position)

    def _cell(self, run: _Run, oracle: Oracle, *, action: str, position: int, how: str) -> Cell:
        if oracle == "rules":
            new = tuple(one for one in run.findings if _key(one) not in self._known)
            shown = run.wire if new else ()
            return Cell(
                action=action,
                oracle=oracle,
                position=position,
                mark=ruled(new),
                how=how,
                findings=new,
                events=shown,
            )
        verdict, before = run.verdict, self.verdict
        mark = failed(verdict)
        if verdict is not None and before is not None and verdict.key == before.key:
            mark = Mark.FAILED_BEFORE
        return Cell(
            action=action,
            oracle=oracle,
            position=position,
            mark=mark,
            how=how,
            verdict=verdict,
            events=run.seen if verdict is not None else (),
        )

    def _run(self, moment: Moment) -> _Run:
        wire: list[bytes] = []
        seen: list[bytes] = []
        writers: dict[Observer, Write] = {"wire": wire.append}
        if self._target is not None:
            writers["client"] = seen.append
        edition = self._edition
        reacted = run_with(
            self._model,
            seed=self._seed,
            edition=edition,
            moment=moment,
            writers=writers,
            end_s=self._end_s,
        )
        if moment.number and not reacted.acted:
            return _Run(acted=False, sent=reacted.sent)
        trace = read_trace(wire, edition=edition)
        report = check(trace.events, edition=edition, complete=trace.header.complete)
        events = tuple(read_trace(seen, edition=edition).events)
        verdict = None
        if self._target is not None and self._reference is not None:
            verdict = judged(events, 0, self._target, self._reference)
        return _Run(
            acted=reacted.acted,
            sent=reacted.sent,
            end_s=reacted.end_s,
            wire=tuple(trace.events),
            seen=events,
            findings=tuple(report.findings),
            verdict=verdict,
        )


def _key(finding: Finding) -> tuple[str, int, str]:
    return finding.rule, finding.line, finding.text
