"""A fault seen again in a process that saw nothing else, so that no earlier case is its cause.

Owns: `Afresh`, and the process on its other side (`python -m acpsim.fuzz.afresh`), which opens the
target once and runs it anew for each question: a Python target in a fork of itself, where nothing
was ever applied, a program as a new process. What fails there is a fault of its own. What does not
was caused by state that outlived a reset, and is told as that.

Questions and answers are pickles on the process's standard input and output. It ends with either.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Hashable, Sequence
from io import BufferedReader
from typing import IO, Final

from msgspec.structs import replace

from acpsim.fuzz.guarded import GuardedJudge
from acpsim.fuzz.judging import Judge, Objection, Shown
from acpsim.fuzz.scenario import Events
from acpsim.fuzz.shrink import Shrunk, shrink
from acpsim.oracles.reset import LEFT, RESET
from acpsim.oracles.verdict import Verdict
from acpsim.targets.address import open_target
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.target import Target
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event

RUNS_MAX: Final = 200
"""Spent on shrinking what is left after a reset: each run may start a program twice."""


class Afresh:
    """The process in which faults are seen again; started when it is first needed."""

    def __init__(self, target: str, *, edition: Edition, timeout_s: float) -> None:
        self._target = target
        self._edition = edition
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, objection: Objection) -> Shown | None:
        """The fault to show instead, where this one does not fail without what came before it.

        `None` where it does, and where nobody knows since no such process can be had.
        """
        if self._edition.name not in EDITIONS or objection.verdict.oracle == "crash:unstartable":
            return None
        try:
            if self._process is None:
                self._process = self._start()
            asked, answers = self._process.stdin, self._process.stdout
            assert asked is not None
            assert answers is not None
            pickle.dump(objection, asked)
            asked.flush()
            told: Shown | None = pickle.load(answers)
        except (OSError, EOFError, pickle.UnpicklingError):
            self.close()
            return None
        return told

    def _start(self) -> subprocess.Popen[bytes]:
        words = [self._target, self._edition.name, repr(self._timeout_s)]
        here = os.pathsep.join(path or os.getcwd() for path in sys.path)
        return subprocess.Popen(
            [sys.executable, "-m", __name__, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": here},
            start_new_session=True,
        )

    def close(self) -> None:
        """Ends the process: it takes the end of its input for the end of its work."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            # A dead one fails to take what was still to be written.
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


GRACE_S: Final = 2.0
"""What the process gets to end its target and itself."""


class _Server:
    """The other side: one target, and a judge that sees it untouched each time."""

    def __init__(self, target: Target, edition: Edition) -> None:
        self._target = target
        self._edition = edition
        kind = GuardedJudge if isinstance(target, InProcessTarget) else Judge
        self._judge = kind(target, edition, 0)

    def answer(self, objection: Objection) -> Shown | None:
        verdict = objection.verdict
        if self._again(verdict.oracle, verdict.events, objection.seed) is not None:
            return None
        left = self._again(RESET, verdict.events, 0)
        if left is None or left.oracle != RESET:
            return _unexplained(verdict)

        def fails(told: Sequence[Event]) -> Hashable | None:
            found = self._again(RESET, tuple(told), 0)
            return None if found is None else found.oracle

        shrunk = shrink(verdict.events, fails, edition=self._edition, runs_max=RUNS_MAX)
        again = self._again(RESET, shrunk.events, 0) or left
        return Shown(verdict=again, seed=0, shrunk=shrunk)

    def _again(self, oracle: str, events: Events, seed: int) -> Verdict | None:
        """In a process that saw nothing: a fork of this one, or a program started for it."""
        self._target.close()
        return self._judge.again(oracle, events, seed)


def _unexplained(verdict: Verdict) -> Shown:
    text = (
        f"{LEFT}, or it does not do the same each time: in a process of its own this conversation "
        f"holds, after other cases it failed: {verdict.text}"
    )
    told = replace(verdict, oracle=RESET, rules=(), text=text, difference=None)
    shrunk = Shrunk(events=verdict.events, key=told.key, runs=1, minimal=False, inversions=())
    return Shown(verdict=told, seed=0, shrunk=shrunk)


def main(words: Sequence[str], asked: BufferedReader, answers: IO[bytes]) -> None:
    """Answers questions until whoever asks closes the pipe, which ends the process."""
    address, edition, timeout_s = words
    signal.signal(signal.SIGINT, lambda number, frame: None)  # Ctrl-C is for whoever asks.
    target = open_target(address, edition=EDITIONS[edition], timeout_s=float(timeout_s))
    threading.Thread(target=_end_with, args=(asked.fileno(), target), daemon=True).start()
    server = _Server(target, EDITIONS[edition])
    while asked.peek(1):
        pickle.dump(server.answer(pickle.load(asked)), answers)
        answers.flush()
    threading.Event().wait()  # The other thread ends us.


def _end_with(pipe: int, target: Target) -> None:
    """Ends this process once whoever asked is gone, whether or not we are at work."""
    poll = select.poll()
    poll.register(pipe, 0)
    poll.poll()
    end(target)
    os._exit(0)


def end(target: Target) -> None:
    """Closes a target that may be in use: where that cannot be done well, by force."""
    try:
        target.close()
    except Exception:  # whatever it was in the middle of
        pid = getattr(target, "pid", None)
        if isinstance(pid, int):
            with contextlib.suppress(OSError):
                os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__":
    _answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # What a target prints is no answer.
    with open(0, "rb") as _asked:
        main(sys.argv[1:], _asked, _answers)
