"""A campaign: many cases under one seed, every fault shrunk, told apart and kept.

Owns: `run`, which yields what happens as it happens and shows nothing; how distinct faults are told
apart; and why a campaign ends. Equal options with a number of cases give equal events, on any
machine; with a number of seconds only how many cases there are differs.
"""

from __future__ import annotations

import dataclasses
import enum
import shlex
import time
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import UNSET

from acpsim.fuzz.cases import Case, Cases
from acpsim.fuzz.coverage import Tally
from acpsim.fuzz.judging import Judge, Objection, Shown
from acpsim.fuzz.keeping import check_directory, keep
from acpsim.fuzz.recorded import corpus_scenarios
from acpsim.fuzz.scenario import Events
from acpsim.oracles.counterexample import counterexample
from acpsim.oracles.verdict import FaultKey, Verdict
from acpsim.targets.address import open_target
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
    """What a campaign is about. Without `seconds` and `cases` it lasts `SECONDS`.

    `corpus` is a directory of traces that come first. In `faults` every fault is saved, and the
    directory is made once there is one; without it none is saved. `run` raises `UsageError` where
    target, corpus or directory cannot be used.
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

    @property
    def seconds_max(self) -> float | None:
        """The limit of time that holds, if any."""
        if self.seconds is None and self.cases is None:
            return SECONDS
        return self.seconds


class Reason(enum.Enum):
    """Why a campaign ended; the value is the sentence to show."""

    TIME = "the time was up"
    CASES = "all cases were run"
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
    `reason` depends on the machine, given the number of cases.
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

    @property
    def cases_per_second(self) -> float:
        """How fast it went, shrinking included."""
        return self.cases / self.seconds if self.seconds > 0 else 0.0


CampaignEvent: TypeAlias = CampaignStarted | CaseFinished | FaultFound | CampaignFinished


def run(options: Options) -> Iterator[CampaignEvent]:
    """Runs a campaign, one event at a time. The target is closed when the iterator ends."""
    campaign = _Campaign(options)
    try:
        yield from campaign.events()
    finally:
        campaign.close()


class _Campaign:
    """One campaign under way."""

    def __init__(self, options: Options) -> None:
        self.options = options
        corpus = options.corpus
        known = [] if corpus is None else corpus_scenarios(corpus, options.edition)
        if options.faults is not None:
            check_directory(options.faults)
        self.cases = Cases(options.seed, options.edition, corpus=known)
        self.tally = Tally(options.edition)
        self.faults: list[Fault] = []
        self.failed = 0
        self._told_apart = Distinct()
        self._start = 0.0
        self.target = open_target(
            options.target, edition=options.edition, timeout_s=options.timeout_s
        )
        self.judge = Judge(self.target, options.edition, options.seed)

    def close(self) -> None:
        self.judge.close()
        self.target.close()

    def events(self) -> Iterator[CampaignEvent]:
        options = self.options
        self._start = time.monotonic()
        yield CampaignStarted(
            target=options.target,
            edition=options.edition.name,
            seed=options.seed,
            seconds=options.seconds_max,
            cases=options.cases,
        )
        reason = self._over()
        try:
            while reason is None:
                reason = (yield from self._case()) or self._over()
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        yield self._finished(reason)

    def _case(self) -> Generator[CampaignEvent, None, Reason | None]:
        """The next case, and the fault that it shows if that is a new one. Says why the campaign
        cannot go on, if so.
        """
        case = self.cases.case(self.tally.cases)
        objection = self.judge.judge(case)
        self.tally.take(case)
        self.failed += objection is not None
        yield CaseFinished(
            number=case.number,
            source=case.source,
            messages=len(case.events),
            failed=objection is not None,
        )
        if objection is None:
            return None
        yield from self._fault(case, objection)
        unstartable = objection.verdict.oracle == "crash:unstartable"
        return Reason.UNSTARTABLE if unstartable else None

    def _over(self) -> Reason | None:
        options = self.options
        if options.cases is not None and self.tally.cases >= options.cases:
            return Reason.CASES
        if options.seconds_max is not None and self._elapsed() >= options.seconds_max:
            return Reason.TIME
        if len(self.faults) >= options.faults_max:
            return Reason.FAULTS
        return None

    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _fault(self, case: Case, objection: Objection) -> Iterator[FaultFound]:
        if not self._told_apart.is_new(objection.verdict):
            return
        shown = self.judge.shrink(objection)
        if not self._told_apart.is_new_shrunk(shown.verdict):
            return
        fault = self._kept(case, shown, len(self.faults) + 1)
        self.faults.append(fault)
        yield FaultFound(fault=fault)

    def _kept(self, case: Case, shown: Shown, number: int) -> Fault:
        verdict, shrunk = shown.verdict, shown.shrunk
        path, command = None, None
        if self.options.faults is not None:
            example = counterexample(
                verdict,
                edition=self.options.edition,
                seed=shown.seed,
                minimal=shrunk.minimal,
                target=self.options.target,
            )
            path = keep(self.options.faults, example, verdict=verdict, number=number)
            command = shlex.join(["acpsim", "replay", path, "--target", self.options.target])
        found = verdict.difference
        return Fault(
            oracle=verdict.oracle,
            rules=verdict.rules,
            text=verdict.text,
            session=verdict.session,
            path=None if found is None else found.path,
            expected=UNSET if found is None else found.expected,
            actual=UNSET if found is None else found.actual,
            messages=shrunk.messages,
            minimal=shrunk.minimal,
            inversions=shrunk.inversions,
            others=shrunk.others,
            events=shrunk.events,
            last_words=verdict.last_words,
            seed=shown.seed,
            case=case.number,
            source=case.source,
            disturbances=case.disturbances,
            trace=path,
            replay=command,
        )

    def _finished(self, reason: Reason) -> CampaignFinished:
        options, tally = self.options, self.tally
        return CampaignFinished(
            target=options.target,
            edition=options.edition.name,
            seed=options.seed,
            cases=tally.cases,
            failed=self.failed,
            messages=tally.messages,
            orders=tally.orders,
            seconds=self._elapsed(),
            reason=reason,
            faults=tuple(self.faults),
            exercised=tally.exercised(),
            breached=tally.breached(),
            never=tuple(tally.never()),
            sources=dict(sorted(tally.sources.items())),
            disturbances=dict(sorted(tally.disturbances.items())),
        )


class Distinct:
    """Tells faults apart: by oracle, rules and place, before they are shrunk and after.

    What is shrunk to the same few messages is one fault, whatever section it showed in first.
    """

    def __init__(self) -> None:
        self._seen: set[FaultKey] = set()
        self._shown: set[FaultKey] = set()
        self._told: set[tuple[bytes, ...]] = set()

    def is_new(self, verdict: Verdict) -> bool:
        """Whether no case has failed in this way. From now on one has."""
        new = verdict.key not in self._seen
        self._seen.add(verdict.key)
        return new

    def is_new_shrunk(self, verdict: Verdict) -> bool:
        """Whether no fault that was shown is like this one. From now on one is."""
        told = tuple(event.raw for event in verdict.events)
        new = verdict.key not in self._shown and told not in self._told
        self._shown.add(verdict.key)
        self._seen.add(verdict.key)
        self._told.add(told)
        return new
