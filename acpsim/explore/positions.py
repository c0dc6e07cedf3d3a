"""A client's action at every position of a conversation, and what is said of each.

Owns: `sweep`, and what comes out of it. A position is a number of messages: those that come before
the action. What an action makes of the conversation there, and who judges it, is the scene's:
`RecordedScene` for a recorded conversation, `SimulatedScene` for a model. Where an action has no
occasion it is not tried, which is neither good nor bad.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from acpsim.errors import UsageError
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.counterexample import counterexample, encode
from acpsim.oracles.verdict import Verdict
from acpsim.rules.finding import Finding
from acpsim.targets.target import Target
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event, Header, Trace, encode_trace

Events: TypeAlias = tuple[Event, ...]
Oracle: TypeAlias = Literal["target", "rules"]
Progress: TypeAlias = Callable[[float, str], None]
"""Takes the part that is done, from 0 to 1, and what is being done."""

LOOKS_MAX: Final = 200
"""Places after the action at which a target is compared with the reference: after every message,
unless the conversation is very long."""
POSITIONS_MAX: Final = 100_000
"""Positions that one range may name."""
CRASH: Final = "crash:"


class Mark(enum.Enum):
    """What one oracle says of an action at one position. The value is its character."""

    HOLDS = "."
    SUSPECT = "?"
    BREACH = "X"
    FAILS = "F"
    CRASHES = "!"
    FAILED_BEFORE = "="
    """The target fails there without the action too."""
    NOT_TRIED = "-"


BAD: Final = frozenset({Mark.BREACH, Mark.FAILS, Mark.CRASHES})
UNTRIED: Final = frozenset({Mark.FAILED_BEFORE, Mark.NOT_TRIED})
_WORST_FIRST: Final = (
    *(Mark.CRASHES, Mark.FAILS, Mark.BREACH, Mark.SUSPECT, Mark.HOLDS),
    *(Mark.FAILED_BEFORE, Mark.NOT_TRIED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One action at one position, as one oracle sees it."""

    action: str
    oracle: Oracle
    position: int
    mark: Mark
    how: str = ""
    """Which variation of the action the mark is for."""
    verdict: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    events: Events = ()
    """The conversation with the action in it, where there is something to show in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is tried. `only` names positions; without it at most `most` are, evenly spread."""

    actions: tuple[str, ...]
    most: int = 200
    only: tuple[int, ...] = ()

    def positions(self, messages: int) -> tuple[int, ...]:
        """The positions to try, from 0, before all messages, to the one after the last."""
        if self.only:
            return tuple(sorted({at for at in self.only if at <= messages}))
        if messages < self.most:
            return tuple(range(messages + 1))
        steps = max(self.most - 1, 1)
        return tuple(sorted({round(step * messages / steps) for step in range(self.most)}))


class Scene(Protocol):
    """A conversation into which actions are put."""

    messages: Events
    """The conversation without any action."""
    oracles: tuple[Oracle, ...]
    verdict: Verdict | None
    """What the target gets wrong in the conversation as it is."""
    findings: tuple[Finding, ...]
    """What the rules say of the conversation as it is."""

    def tried(self, action: str, position: int) -> Iterable[Cell]:
        """One cell for each oracle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """All cells of a sweep, action by action, and what is wrong without any action."""

    messages: Events
    positions: tuple[int, ...]
    actions: tuple[str, ...]
    oracles: tuple[Oracle, ...]
    cells: tuple[Cell, ...]
    verdict: Verdict | None
    findings: tuple[Finding, ...]
    left_out: int
    """How many positions were not looked at because there are so many."""

    def strip(self, action: str, oracle: Oracle) -> list[Cell]:
        """The cells of an action for one oracle, in the order of the positions."""
        return [cell for cell in self.cells if (cell.action, cell.oracle) == (action, oracle)]

    @property
    def bad(self) -> list[Cell]:
        """The cells that fail, in the order in which they are told."""
        return [cell for cell in self.cells if cell.mark in BAD]

    @property
    def tried(self) -> int:
        """How many cells are not empty."""
        return sum(cell.mark not in UNTRIED for cell in self.cells)

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong, with and without an action."""
        return not self.bad and self.verdict is None and not any(map(breaks, self.findings))


def sweep(scene: Scene, options: Options, *, progress: Progress = lambda done, text: None) -> Swept:
    """Every action at every position, and every oracle's word on it."""
    positions = options.positions(len(scene.messages))
    places = [(action, at) for action in options.actions for at in positions]
    cells: list[Cell] = []
    for step, (action, at) in enumerate(places):
        progress(step / len(places), f"sweeping: {action} at {at}")
        cells += scene.tried(action, at)
    return Swept(
        messages=scene.messages,
        positions=positions,
        actions=options.actions,
        oracles=scene.oracles,
        cells=tuple(cells),
        verdict=scene.verdict,
        findings=scene.findings,
        left_out=0 if options.only else len(scene.messages) + 1 - len(positions),
    )


def parse_positions(text: str) -> tuple[int, ...]:
    """The positions of a text like `3`, `10-12` or `3,10-12`. Raises `UsageError`."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UsageError(f"--at {text}: give positions such as 3, 10-12 or 3,10-12")
        if int(last or first) - int(first) > POSITIONS_MAX:
            raise UsageError(f"--at {text}: more than {POSITIONS_MAX:,} positions")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def as_trace(cell: Cell, *, edition: Edition, target: str | None) -> bytes:
    """The conversation of a cell that fails as a trace file; a target's fault can be replayed."""
    if cell.verdict is not None:
        return b"".join(encode(counterexample(cell.verdict, edition=edition, target=target)))
    header = Header(edition=edition.name, complete=False)
    trace = Trace(header=header, edition=edition, events=list(cell.events), diagnostics=[])
    return b"".join(encode_trace(trace))


# ------------------------------------------------------------------------------ for scenes


def worst(found: Sequence[Cell], *, action: str, oracle: Oracle, position: int) -> Cell:
    """The cell of the variation of which the worst is said; an empty one where there is none."""
    if not found:
        return Cell(action=action, oracle=oracle, position=position, mark=Mark.NOT_TRIED)
    return min(found, key=lambda cell: _WORST_FIRST.index(cell.mark))


def breaks(finding: Finding) -> bool:
    """Whether a finding is a breach, as `check` counts them: definite, of a must."""
    return finding.certainty == "definite" and finding.level == "must"


def ruled(findings: Sequence[Finding]) -> Mark:
    """What the rules say, in one mark."""
    if any(map(breaks, findings)):
        return Mark.BREACH
    return Mark.SUSPECT if findings else Mark.HOLDS


def judged(events: Events, first: int, target: Target, reference: Target) -> Verdict | None:
    """The target against the reference after every message from the place `first` on."""
    cuts = list(range(first + 1, len(events)))
    if len(cuts) > LOOKS_MAX:
        cuts = cuts[:: len(cuts) // LOOKS_MAX + 1]
    found = judge_agreement(events, target, reference=reference, cuts=cuts, locate=False)
    if found is None or found.oracle.startswith(CRASH):
        return found
    # Once more, for the rule that it breaks. What is wrong in pieces only keeps its sentence.
    return judge_agreement(found.events, target, reference=reference) or found


def failed(verdict: Verdict | None) -> Mark:
    """What a target does, in one mark."""
    if verdict is None:
        return Mark.HOLDS
    return Mark.CRASHES if verdict.oracle.startswith(CRASH) else Mark.FAILS
