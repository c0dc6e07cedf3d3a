"""One run in a process of its own, which may die without taking anyone along.

Owns: `in_child` and `GuardedJudge`, which judges like any `Judge` but each time in a fork: a target
in this process that ends it, by a fault of its machine code or by `os._exit`, ends the fork. It is
used for cases whose worker died, and where no run may see what an earlier one left.
"""

from __future__ import annotations

import contextlib
import dataclasses
import faulthandler
import os
import pickle
import select
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from typing import IO, Any, Final, NoReturn, TypeVar

from acpsim.fuzz.cases import Case
from acpsim.fuzz.judging import Judge, Objection
from acpsim.fuzz.scenario import Events
from acpsim.oracles.verdict import Verdict, crash
from acpsim.targets.target import TargetFailure

T = TypeVar("T")

PATIENCE_S: Final = 60.0
"""For one case in a child: its own time limits end it long before, unless machine code hangs."""
WORDS_BYTES_MAX: Final = 8000
"""Of what the interpreter said when the child died."""
LOOK_S: Final = 0.05
"""How often we look whether a child that says nothing is dead."""
LENGTH_BYTES: Final = 8
"""Of the number that stands before an answer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Died:
    """How a child ended that gave no answer, and what it wrote in dying."""

    how: str
    last_words: str


class GuardedJudge(Judge):
    """All oracles for one target in this process, each asked in a fork.

    A fork begins with what this process holds: where that is untouched, no run sees another.
    """

    def judge(self, case: Case) -> Objection | None:
        judged = in_child(lambda: super(GuardedJudge, self).judge(case))
        if isinstance(judged, Died):
            return Objection(verdict=_death(judged, case.events), seed=0)
        return judged

    def again(self, oracle: str, events: Events, seed: int) -> Verdict | None:
        ask = super().again
        verdict = in_child(lambda: ask(oracle, events, seed))
        return _death(verdict, events) if isinstance(verdict, Died) else verdict


def _death(died: Died, events: Events) -> Verdict:
    text = f"given this conversation, it ended the process that it was run in: {died.how}"
    failure = TargetFailure("exited", text, signature=died.how, last_words=died.last_words)
    return crash(failure, events)


def in_child(work: Callable[[], T], *, patience_s: float = PATIENCE_S) -> T | Died:
    """What `work` returns in a fork of this process, or how the fork died.

    What it raises is raised here. The fork does not outlive this process.
    """
    answer, alive = os.pipe(), os.pipe()
    with tempfile.TemporaryFile() as words:
        with warnings.catch_warnings():
            # With a progress bar there is a second thread. The fork has one, and needs no other.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            os.close(answer[0])
            os.close(alive[1])
            _be_child(work, answer[1], alive[0], words)
        os.close(answer[1])
        os.close(alive[0])
        status: int | None = None
        try:
            data, status = _listen(answer[0], pid, time.monotonic() + patience_s)
        finally:
            if status is None:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            os.close(answer[0])
            os.close(alive[1])
        if data:
            value: T = _value(data)
            return value
        if status is None:
            return Died(f"it had not answered after {patience_s:g} s", _read_words(words))
        return Died(_ending(status), _read_words(words))


def _listen(pipe: int, pid: int, deadline: float) -> tuple[bytes, int | None]:
    """The child's answer, or `b""` and how it ended; neither where the time is over.

    That it ended is asked for, since a process that it left behind may hold the pipe open.
    """
    data = bytearray()
    status: int | None = None
    while time.monotonic() < deadline:
        ready, _, _ = select.select([pipe], [], [], LOOK_S if status is None else 0)
        part = os.read(pipe, 1 << 20) if ready else b""
        data += part
        if len(data) >= LENGTH_BYTES and len(data) >= LENGTH_BYTES + int.from_bytes(
            data[:LENGTH_BYTES], "big"
        ):
            return bytes(data[LENGTH_BYTES:]), status
        if status is not None and not part:
            return b"", status
        if status is None and not part:
            ended, code = os.waitpid(pid, os.WNOHANG)
            status = code if ended else None
            if ready and status is None:
                time.sleep(LOOK_S)  # It closed the pipe, and is ending.
    return b"", status


def _be_child(work: Callable[[], object], answer: int, alive: int, words: IO[bytes]) -> NoReturn:
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, args=(alive,), daemon=True).start()
    faulthandler.enable(file=words, all_threads=False)
    with contextlib.suppress(BaseException):
        try:
            told = pickle.dumps((True, work()))
        except BaseException as error:
            told = _raised(error)
        with os.fdopen(answer, "wb") as stream:
            stream.write(len(told).to_bytes(LENGTH_BYTES, "big") + told)
    os._exit(0)


def _raised(error: BaseException) -> bytes:
    try:
        told = pickle.dumps((False, error))
        pickle.loads(told)
    except Exception:  # exceptions need not be picklable, and may say so in their own way
        return pickle.dumps((False, RuntimeError(f"{type(error).__name__}: {error}")))
    return told


def _end_with_parent(alive: int) -> None:
    os.read(alive, 1)
    os._exit(1)


def _value(data: bytes) -> Any:
    fine, value = pickle.loads(data)
    if not fine:
        raise value
    return value


def _ending(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"it exited with status {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"


def _read_words(words: IO[bytes]) -> str:
    words.seek(0)
    return words.read(WORDS_BYTES_MAX).decode("utf-8", "replace").strip()
