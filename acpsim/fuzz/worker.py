"""What a worker of a campaign does: judge the cases of given numbers, and shrink a fault.

Owns: `Spec`, all that a worker has to know; `Desk`, which has the target open and does the work,
in the campaign's own process or in a worker; and the functions that are handed to an executor,
which keep one desk for as long as the spec stays the same.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
import threading
import time
from typing import Final

from acpsim.fuzz.afresh import Afresh, end
from acpsim.fuzz.cases import Cases
from acpsim.fuzz.coverage import Exercise, exercise
from acpsim.fuzz.guarded import GuardedJudge
from acpsim.fuzz.judging import Judge, Objection, Shown
from acpsim.fuzz.scenario import Scenario
from acpsim.targets.address import open_target
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.mutants import MUTANTS
from acpsim.wire.edition import Edition


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """All on which the cases of a campaign and the verdicts on them depend."""

    target: str
    edition: Edition
    seed: int
    timeout_s: float
    corpus: tuple[Scenario, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class CaseDone:
    """One case that was judged."""

    exercise: Exercise
    objection: Objection | None


class Desk:
    """The target, opened, and the judge. Raises `UsageError` where the target cannot be opened.

    With `guarded`, a target in this process is run in a fork that may die instead of us.
    """

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._target = open_target(spec.target, edition=spec.edition, timeout_s=spec.timeout_s)
        self._cases = Cases(spec.seed, spec.edition, corpus=spec.corpus)
        self._judge = Judge(self._target, spec.edition, spec.seed)
        self._guard = self._judge
        if isinstance(self._target, InProcessTarget):
            self._guard = GuardedJudge(self._target, spec.edition, spec.seed)
        self.closed = False
        self._afresh = Afresh(spec.target, edition=spec.edition, timeout_s=spec.timeout_s)

    def case(self, number: int, *, guarded: bool = False) -> CaseDone:
        """Judges the case of this number."""
        case = self._cases.case(number)
        judge = self._guard if guarded else self._judge
        return CaseDone(exercise=exercise(case, self._spec.edition), objection=judge.judge(case))

    def shown(self, objection: Objection, *, guarded: bool = False) -> Shown:
        """The fault shrunk, after it was seen again in a process that saw nothing else."""
        ours = _is_ours(self._spec.target)
        if not ours and (told := self._afresh.ask(objection)) is not None:
            return told
        died = objection.verdict.oracle == "crash:exited"
        return (self._guard if guarded or died else self._judge).shrink(objection)

    def close(self) -> None:
        """Ends the target and whatever else runs for us, even in the middle of a case."""
        self.closed = True
        end(self._target)
        self._afresh.close()
        self._judge.close()
        if self._guard is not self._judge:
            self._guard.close()


def _is_ours(target: str) -> bool:
    """Our own targets keep nothing across a reset."""
    return target == "reference" or target.partition(":")[2] in MUTANTS


# --- what is handed to an executor ---------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The cases of some numbers, done, and the seconds that they took."""

    done: tuple[CaseDone, ...]
    seconds: float


class _Room:
    """The desk of this process, and the door: one task at a time, whatever threads there are."""

    def __init__(self) -> None:
        self.door = threading.RLock()
        self._spec = b""
        self._desk: Desk | None = None

    def desk(self, spec: bytes) -> Desk:
        """The desk for a pickled spec; the last one stays open."""
        if self._desk is None or self._spec != spec:
            self.clear()
            self._desk = Desk(pickle.loads(spec))
            self._spec = spec
        return self._desk

    def clear(self) -> None:
        desk, self._desk = self._desk, None
        if desk is not None:
            desk.close()


_ROOM: Final = _Room()


def judge_cases(spec: bytes, first: int, count: int, *, guarded: bool = False) -> Batch:
    """Judges the cases from `first`, `count` of them."""
    with _ROOM.door:
        start = time.monotonic()
        desk = _ROOM.desk(spec)
        numbers = range(first, first + count)
        done = [desk.case(number, guarded=guarded) for number in numbers if not desk.closed]
        if desk.closed:
            desk.close()  # Once more: the case that was under way may have started it again.
        return Batch(done=tuple(done), seconds=time.monotonic() - start)


def show_fault(spec: bytes, objection: Objection, *, guarded: bool = False) -> Shown:
    """Shrinks what a case failed at."""
    with _ROOM.door:
        return _ROOM.desk(spec).shown(objection, guarded=guarded)


def leave() -> None:
    """Closes what this process has open for campaigns, as far as that is possible now."""
    with contextlib.suppress(Exception):
        _ROOM.clear()
