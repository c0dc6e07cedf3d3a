"""What a campaign is asked for and what it tells: plain values, for views and for callers.

Owns: `Options`, the events of a campaign and `Fault`. Nothing here does anything.
"""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path
from typing import Final, TypeAlias

from acpsim.fuzz.scenario import Events
from acpsim.targets.target import ANSWER_TIMEOUT_S
from acpsim.wire.cells import Json
from acpsim.wire.edition import DRAFT, Edition

SECONDS: Final = 10.0
"""How long a campaign lasts if nothing else is said: a coffee is longer, and most faults show."""
FAULTS_MAX: Final = 20
"""Distinct faults after which a campaign ends: nobody reads more at once, and the first mistakes
mended, most of the rest are gone."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a campaign is about. Without `seconds`, `cases` and `until_risk` it lasts `SECONDS`.

    `corpus` is a directory of traces that come first, and to which new faults are added; it is made
    once there is one. In `faults` every fault of this campaign is saved, and faults that an earlier
    one saved there are taken away; without it none is saved. `run` raises `UsageError` where
    target, corpus or directory cannot be used.

    `jobs` processes judge cases at the same time; with `dask`, the address of a scheduler, the
    workers of that cluster do. Neither changes what a number of cases comes to. `until_risk` ends
    the campaign once the next scenario shows something new with less than this chance.
    """

    target: str = "reference"
    edition: Edition = DRAFT
    seed: int = 0
    seconds: float | None = None
    cases: int | None = None
    timeout_s: float = ANSWER_TIMEOUT_S
    corpus: Path | None = None
    faults: Path | None = None
    faults_max: int = FAULTS_MAX
    jobs: int = 1
    dask: str | None = None
    until_risk: float | None = None

    @property
    def seconds_max(self) -> float | None:
        """The limit of time that holds, if any."""
        if self.seconds is None and self.cases is None and self.until_risk is None:
            return SECONDS
        return self.seconds


class Reason(enum.Enum):
    """Why a campaign ended; the value is the sentence to show."""

    TIME = "the time was up"
    CASES = "all cases were run"
    RISK = "the next scenario would hardly show anything new"
    FAULTS = "enough distinct faults were found"
    UNSTARTABLE = "the target could not be started again"
    INTERRUPTED = "it was interrupted"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One distinct fault. `messages` counts those after set-up; `trace` is where it was saved and
    `replay` the command that runs it again, both `None` where it was not saved. `expected` and
    `actual` are `UNSET` where there is nothing. `minimal`: it was checked that with any message
    less, or any inversion undone, it no longer fails in this way.
    """

    oracle: str
    rules: tuple[str, ...]
    text: str
    session: str | None
    path: str | None
    expected: Json
    actual: Json
    messages: int
    minimal: bool
    inversions: tuple[tuple[int, int], ...]
    events: Events
    last_words: str
    seed: int
    case: int
    source: str
    disturbances: tuple[str, ...]
    trace: str | None
    replay: str | None
    others: bool = False
    """In one of those checks it failed in another way."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CampaignStarted:
    """What will be done, before it is done."""

    target: str
    edition: str
    seed: int
    seconds: float | None
    cases: int | None
    until_risk: float | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CaseFinished:
    """One case was judged. `failed`: some oracle objected, whether or not that is a new fault."""

    number: int
    source: str
    messages: int
    failed: bool


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class FaultFound:
    """A fault that no earlier one is like."""

    fault: Fault


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CampaignFinished:
    """What came of it. `failed` counts cases, `faults` are distinct. Nothing but `seconds` and
    `reason` depends on the machine or on how the cases were divided, given their number.

    `corpus` counts the cases that a corpus gave, and `mended` those of them that were faults once
    and are none now. `risk` is the estimated chance that the next scenario shows something new,
    `risk_max` where it may lie at most (95 %). `lost` counts cases of which nothing is known, since
    the workers that ran them ended more than once.
    """

    target: str
    edition: str
    seed: int
    cases: int
    failed: int
    messages: int
    orders: int
    seconds: float
    reason: Reason
    faults: tuple[Fault, ...]
    exercised: dict[str, int]
    breached: dict[str, int]
    never: tuple[str, ...]
    sources: dict[str, int]
    disturbances: dict[str, int]
    corpus: int
    mended: int
    risk: float
    risk_max: float
    lost: int

    @property
    def cases_per_second(self) -> float:
        """How fast it went, shrinking included."""
        return self.cases / self.seconds if self.seconds > 0 else 0.0


CampaignEvent: TypeAlias = CampaignStarted | CaseFinished | FaultFound | CampaignFinished
