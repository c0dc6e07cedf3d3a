"""What was tested and what came of it, in the neutral form that CI formats are written from.

Owns: `CheckResult` and `Spot`. One result is one test with a stable name: a rule on a trace, an
oracle on a target, a vector. `junit` and `sarif` write them; neither knows who tested what.
"""

from __future__ import annotations

import dataclasses
from typing import Final, Literal, TypeAlias

Outcome: TypeAlias = Literal["passed", "failed", "skipped"]
Level: TypeAlias = Literal["error", "warning", "note"]

LEVELS: Final[dict[str, Level]] = {"must": "error", "should": "warning", "may": "note"}
"""What a rule asks for → how grave it is to break it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One remark at one place. `line` counts from 1; 0 is the whole file."""

    text: str
    level: Level = "error"
    file: str | None = None
    line: int = 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """One test: `name` says what was tested, `group` what it was tested on.

    `text` says why it failed, or why it was skipped: a skipped test says nothing, and is never
    counted as passed. `spots` are the places, where there are several or where they are of
    different levels; without them `text` stands at `file` and `line`. A test may pass and have
    spots: remarks that fail nothing.
    """

    name: str
    group: str
    outcome: Outcome
    text: str = ""
    file: str | None = None
    line: int = 0
    seconds: float = 0.0
    spots: tuple[Spot, ...] = ()

    @property
    def places(self) -> tuple[Spot, ...]:
        """All that is to be said of it, each at its place."""
        if self.spots or self.outcome != "failed":
            return self.spots
        return (Spot(text=self.text, file=self.file, line=self.line),)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class RuleHelp:
    """What a reader is told of a rule, or of another kind of test."""

    text: str
    section: str = ""
    level: Level = "error"
