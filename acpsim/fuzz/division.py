"""Which case is judged by whom: by the campaign itself, or by a crew, in batches of numbers.

Owns: `Alone` and `Divided`, from which a campaign takes its cases in the order of their numbers,
and the shrunk faults of those that it asks for. What is true of a case depends on its number alone,
so that both give the same. A crew is ahead of the campaign: it judges later cases while a fault is
shrunk, and shrinks at once what looks new.
"""

from __future__ import annotations

import dataclasses
import heapq
import pickle
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any, Final, Protocol

from acpsim.errors import UsageError
from acpsim.fuzz.cases import GROUP
from acpsim.fuzz.crews import Crew, has_died
from acpsim.fuzz.judging import Objection, Shown
from acpsim.fuzz.worker import Batch, CaseDone, Desk, Spec, judge_cases, show_fault
from acpsim.oracles.verdict import FaultKey

BATCH_S: Final = 0.3
"""What a batch should take: long beside handing it over, short beside what people wait for."""
BATCH_FIRST: Final = 4
BATCH_MAX: Final = 128
"""Cases of the first batches, whose speed is unknown, and of any."""
EACH: Final = 2
"""Tasks that a worker has: one under way, one to begin with at once."""
AHEAD: Final = 16
"""Batches for each worker that may be done before the campaign has come to them."""
TRIES_MAX: Final = 3
"""Workers that a task may cost before it counts as lost."""
DEATHS_IN_VAIN: Final = 8
"""In a row, nothing done between them: then it is not the target that ends the workers."""


class Division(Protocol):
    """Where the results of cases come from."""

    def ready(self, number: int) -> bool:
        """Whether this case is judged already, so that taking it costs no time."""

    def take(self, number: int) -> CaseDone | None:
        """The case of this number, the next one; `None` where it is lost with its workers."""

    def shown(self, done: CaseDone) -> Shown | None:
        """The fault of a case that was taken, shrunk; `None` where that is lost."""

    def close(self) -> None:
        """Ends the target and the workers."""


class Alone:
    """The campaign does it all itself, one case after the other."""

    def __init__(self, spec: Spec) -> None:
        self._desk = Desk(spec)

    def ready(self, number: int) -> bool:
        return False

    def take(self, number: int) -> CaseDone | None:
        return self._desk.case(number)

    def shown(self, done: CaseDone) -> Shown | None:
        assert done.objection is not None
        return self._desk.shown(done.objection)

    def close(self) -> None:
        self._desk.close()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """The cases from `first`, or with `objection` the shrinking of what case `first` failed at."""

    first: int
    count: int = 1
    objection: Objection | None = None
    tries: int = 0


class Divided:
    """A crew does it. `cases_max` is where numbers end, if they do."""

    def __init__(self, spec: Spec, crew: Crew, *, cases_max: int | None) -> None:
        self._spec = pickle.dumps(spec)
        self._crew = crew
        self._end = cases_max
        self._next = 0
        self._taken = 0
        self._size = BATCH_FIRST
        self._deaths = self._in_vain = 0
        self._running: dict[Future[Any], _Task] = {}
        self._waiting: list[tuple[int, int, _Task]] = []
        self._done: dict[int, CaseDone | None] = {}
        self._shown: dict[int, Shown | None] = {}
        self._asked: dict[FaultKey, int] = {}

    def ready(self, number: int) -> bool:
        return number in self._done

    def take(self, number: int) -> CaseDone | None:
        self._taken = number
        while number not in self._done:
            self._go_on()
        return self._done.pop(number)

    def shown(self, done: CaseDone) -> Shown | None:
        assert done.objection is not None
        number = done.exercise.number
        if self._asked.get(done.objection.verdict.key) != number:
            self._ask(number, done.objection)
        while number not in self._shown:
            self._go_on()
        return self._shown.pop(number)

    def close(self) -> None:
        self._crew.close()

    # --- the work ------------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Keeps everyone busy, and waits for one result."""
        while len(self._running) < EACH * self._crew.size and (task := self._task()) is not None:
            self._submit(task)
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        for future in done:
            task = self._running.pop(future, None)
            if task is not None:  # It is not with those that died with the worker of another.
                self._finish(task, future)

    def _task(self) -> _Task | None:
        if self._waiting:
            return heapq.heappop(self._waiting)[2]
        if self._next - self._taken > AHEAD * self._crew.size * self._size:
            return None
        left = self._size if self._end is None else min(self._size, self._end - self._next)
        if left <= 0:
            return None
        task = _Task(first=self._next, count=left)
        self._next += left
        return task

    def _put(self, task: _Task) -> None:
        heapq.heappush(self._waiting, (task.first, id(task), task))

    def _submit(self, task: _Task) -> None:
        guarded = task.tries > 0 or self._deaths >= self._crew.deaths_trusted
        future: Future[Any]
        try:
            if task.objection is None:
                future = self._crew.submit(
                    judge_cases, self._spec, task.first, task.count, guarded=guarded
                )
            else:
                future = self._crew.submit(show_fault, self._spec, task.objection, guarded=guarded)
        except RuntimeError as error:
            if not has_died(error):
                raise
            self._put(task)
            self._renew()
            return
        self._running[future] = task

    def _finish(self, task: _Task, future: Future[Any]) -> None:
        error = future.exception()
        if error is not None:
            if not has_died(error):
                raise error
            self._again(task)
            self._renew()
            return
        self._in_vain = 0
        result: Batch | Shown = future.result()
        if isinstance(result, Shown):
            self._shown[task.first] = result
            return
        for done in result.done:
            self._done[done.exercise.number] = done
            if done.objection is not None:
                self._foresee(done.exercise.number, done.objection)
        self._fit(result, task)

    def _fit(self, batch: Batch, task: _Task) -> None:
        """The size of the batches to come, from how long this one took; a group stays together."""
        per_case = max(batch.seconds / task.count, BATCH_S / BATCH_MAX)
        size = min(int(BATCH_S / per_case), 2 * self._size, BATCH_MAX)
        self._size = max(GROUP, size - size % GROUP)

    def _foresee(self, number: int, objection: Objection) -> None:
        """The campaign will ask for this fault, unless an earlier case turns out to show it."""
        earlier = self._asked.get(objection.verdict.key)
        if earlier is None or number < earlier:
            self._ask(number, objection)

    def _ask(self, number: int, objection: Objection) -> None:
        self._asked[objection.verdict.key] = number
        self._put(_Task(first=number, objection=objection))

    # --- workers that die ----------------------------------------------------------------------

    def _renew(self) -> None:
        """All that was under way is done again: which of it killed the worker is not known."""
        for future, task in self._running.items():
            future.cancel()
            self._again(task)
        self._running.clear()
        self._deaths += 1
        self._in_vain += 1
        if self._in_vain >= DEATHS_IN_VAIN:
            raise UsageError(
                "the workers end before they have done anything; a script that starts a campaign "
                'with jobs needs if __name__ == "__main__", and each worker some memory'
            )
        self._crew.renew()

    def _again(self, task: _Task) -> None:
        """Does a task once more, in forks that may die instead of the worker."""
        again = dataclasses.replace(task, tries=task.tries + 1)
        if again.tries < TRIES_MAX:
            self._put(again)
        elif task.count > 1:
            for number in range(task.first, task.first + task.count):
                self._put(dataclasses.replace(task, first=number, count=1, tries=1))
        elif task.objection is None:
            self._done[task.first] = None
        else:
            self._shown[task.first] = None
