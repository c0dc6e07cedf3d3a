"""A campaign: many cases under one seed, every fault shrunk, told apart and kept.

Owns: `run`, which yields what happens as it happens and shows nothing; how distinct faults are told
apart; and why a campaign ends. Equal options with a number of cases give equal events, on any
machine and however the cases are divided; with a number of seconds only how many cases there are
differs.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Generator, Iterator
from concurrent.futures import Executor
from typing import Final

from msgspec import UNSET

from acpsim.errors import UsageError
from acpsim.fuzz.coverage import Tally, kind_of
from acpsim.fuzz.crews import Borrowed, Cluster, Crew, Processes
from acpsim.fuzz.division import Alone, Divided, Division
from acpsim.fuzz.judging import Objection, Shown
from acpsim.fuzz.keeping import Corpus, Shelf
from acpsim.fuzz.report import (
    FAULTS_MAX,
    SECONDS,
    CampaignEvent,
    CampaignFinished,
    CampaignStarted,
    CaseFinished,
    Fault,
    FaultFound,
    Options,
    Reason,
)
from acpsim.fuzz.risk import Risk
from acpsim.fuzz.worker import CaseDone, Spec
from acpsim.oracles.counterexample import counterexample
from acpsim.oracles.reset import RESET
from acpsim.oracles.verdict import FaultKey, Verdict
from acpsim.targets.address import open_target

__all__ = [
    "FAULTS_MAX",
    "JOBS_MAX",
    "SECONDS",
    "CampaignEvent",
    "CampaignFinished",
    "CampaignStarted",
    "CaseFinished",
    "Distinct",
    "Fault",
    "FaultFound",
    "Options",
    "Reason",
    "run",
]

JOBS_MAX: Final = 256
"""Processes: more is a mistake in writing."""


def run(options: Options, *, executor: Executor | None = None) -> Iterator[CampaignEvent]:
    """Runs a campaign, one event at a time. Target and workers are ended when the iterator ends.

    An executor that is given does the work in place of processes of ours, `options.jobs` tasks at a
    time or so; it is not shut down.
    """
    campaign = _Campaign(options, executor)
    try:
        yield from campaign.events()
    finally:
        campaign.close()


class _Campaign:
    """One campaign under way."""

    def __init__(self, options: Options, executor: Executor | None) -> None:
        self.options = options
        self._shelf = None if options.faults is None else Shelf(options.faults)
        if options.corpus is not None and options.faults == options.corpus:
            self._shelf = None  # What is to come first next time is not taken away.
        self._corpus = None if options.corpus is None else Corpus(options.corpus)
        known = [] if self._corpus is None else self._corpus.scenarios(options.edition)
        self.tally = Tally()
        self.risk = Risk()
        self.faults: list[Fault] = []
        self.failed = self.lost = self.from_corpus = self.mended = 0
        self._number = 0
        self._told_apart = Distinct()
        self._start = 0.0
        spec = Spec(
            target=options.target,
            edition=options.edition,
            seed=options.seed,
            timeout_s=options.timeout_s,
            corpus=tuple(known),
        )
        self.division = _division(spec, options, executor)

    def close(self) -> None:
        self.division.close()

    def events(self) -> Iterator[CampaignEvent]:
        options = self.options
        self._start = time.monotonic()
        yield CampaignStarted(
            target=options.target,
            edition=options.edition.name,
            seed=options.seed,
            seconds=options.seconds_max,
            cases=options.cases,
            until_risk=options.until_risk,
        )
        reason = self._over()
        try:
            while reason is None:
                reason = (yield from self._case()) or self._over()
        except KeyboardInterrupt:
            reason = Reason.INTERRUPTED
        if self._shelf is not None:
            self._shelf.clear()
        yield self._finished(reason)

    def _case(self) -> Generator[CampaignEvent, None, Reason | None]:
        """The next case, and the fault that it shows if that is a new one. Says why the campaign
        cannot go on, if so.
        """
        done = self.division.take(self._number)
        self._number += 1
        if done is None:
            self.lost += 1
            return None
        self._count(done)
        objection = done.objection
        yield CaseFinished(
            number=done.exercise.number,
            source=done.exercise.source,
            messages=done.exercise.messages,
            failed=objection is not None,
        )
        if objection is None:
            return None
        yield from self._fault(done, objection)
        unstartable = objection.verdict.oracle == "crash:unstartable"
        return Reason.UNSTARTABLE if unstartable else None

    def _count(self, done: CaseDone) -> None:
        failed = done.objection is not None
        self.tally.take(done.exercise)
        self.risk.take(done.exercise)
        self.failed += failed
        self.from_corpus += kind_of(done.exercise.source) == "corpus"
        self.mended += done.exercise.known and not failed

    def _over(self) -> Reason | None:
        """Asked before each case: nothing in it depends on who judged the ones before."""
        options = self.options
        if options.cases is not None and self._number >= options.cases:
            return Reason.CASES
        if options.until_risk is not None and self.risk.at_most < options.until_risk:
            return Reason.RISK
        if len(self.faults) >= options.faults_max:
            return Reason.FAULTS
        if options.seconds_max is not None and self._elapsed() >= options.seconds_max:
            # What is judged already is counted: a fault in it is not thrown away.
            return None if self.division.ready(self._number) else Reason.TIME
        return None

    def _elapsed(self) -> float:
        return time.monotonic() - self._start

    def _fault(self, done: CaseDone, objection: Objection) -> Iterator[FaultFound]:
        if not self._told_apart.is_new(objection.verdict):
            return
        shown = self.division.shown(done)
        if shown is None or not self._told_apart.is_new_shrunk(shown.verdict):
            return
        fault = self._kept(done, shown, len(self.faults) + 1)
        self.faults.append(fault)
        yield FaultFound(fault=fault)

    def _saved(self, done: CaseDone, shown: Shown, number: int) -> str | None:
        """Where the fault was saved, if it was: rather among this run's than in the corpus."""
        verdict = shown.verdict
        example = counterexample(
            verdict,
            edition=self.options.edition,
            seed=shown.seed,
            minimal=shown.shrunk.minimal,
            inversions=shown.shrunk.inversions,
            target=self.options.target,
        )
        added = None
        if self._corpus is not None and not done.exercise.known:
            added = self._corpus.add(example, verdict=verdict)
        if self._shelf is None:
            return added
        return self._shelf.keep(example, verdict=verdict, number=number)

    def _kept(self, done: CaseDone, shown: Shown, number: int) -> Fault:
        verdict, shrunk = shown.verdict, shown.shrunk
        path = self._saved(done, shown, number)
        found = verdict.difference
        words = ["acpsim", "replay", path or "", "--target", self.options.target]
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
            case=done.exercise.number,
            source=done.exercise.source,
            disturbances=done.exercise.disturbances,
            trace=path,
            replay=None if path is None else shlex.join(words),
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
            corpus=self.from_corpus,
            mended=self.mended,
            risk=self.risk.estimate,
            risk_max=self.risk.at_most,
            lost=self.lost,
        )


def _division(spec: Spec, options: Options, executor: Executor | None) -> Division:
    """Whoever does the work. Raises `UsageError` where the target cannot be opened at all."""
    if not 1 <= options.jobs <= JOBS_MAX:
        raise UsageError(f"--jobs {options.jobs}: give a number from 1 to {JOBS_MAX}")
    if executor is None and options.dask is None and options.jobs == 1:
        return Alone(spec)
    # Said here once, before there are workers that would all say it.
    open_target(options.target, edition=options.edition, timeout_s=options.timeout_s).close()
    crew: Crew
    if executor is not None:
        crew = Borrowed(executor, options.jobs)
    elif options.dask is not None:
        crew = Cluster(options.dask)
    else:
        crew = Processes(options.jobs)
    return Divided(spec, crew, cases_max=options.cases)


class Distinct:
    """Tells faults apart: by oracle, rules and place, before they are shrunk and after.

    What is shrunk to the same few messages is one fault, whatever section it showed in first. All
    that a reset leaves behind is one fault too.
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
        key = FaultKey(RESET, (), "") if verdict.oracle == RESET else verdict.key
        new = key not in self._shown and told not in self._told
        self._shown.add(key)
        self._seen.add(key)
        self._told.add(told)
        return new
