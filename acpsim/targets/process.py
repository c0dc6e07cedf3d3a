"""A child process that is spoken to in lines: time limit, flood limit, last words, no one left.

Owns: `Child` and `Trouble`. Knows nothing of the target protocol: what the lines mean is for
`stdio` to say. One loop serves the three pipes, so that a child that does not read, or writes
much, or both, never makes us wait for it while it waits for us.
"""

from __future__ import annotations

import collections
import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from typing import IO, Final, cast

from acpsim.targets.target import FailureKind

ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
"""For one line of standard output. The snapshot of a session with 100,000 chunks has 8 MiB."""

LAST_LINES: Final = 32
LAST_LINE_BYTES_MAX: Final = 1000
"""Of standard error: enough for the traceback of most languages, never enough to hurt."""

PIPE_BYTES: Final = 64 * 1024
"""A pipe's usual capacity: more than it never comes or goes at once."""

EXIT_GRACE_S: Final = 0.5
"""What a child gets to end by itself once its input is closed, before it is killed."""

CLOSED_GRACE_S: Final = 1.0
"""After it closed a pipe, until it counts as alive: one that is exiting closes its pipes first."""

NOISE_BYTES_MAX: Final = 1024 * 1024
"""After a wrong line: more than that is no remark any more but a flood."""

EXIT_LOOK_S: Final = 0.01
"""How often we look whether a child whose output has ended is dead."""


class Trouble(Exception):
    """The child gave no line. `text` reads on from "… and": `it exited with status 1`."""

    def __init__(self, kind: FailureKind, text: str, *, signature: str) -> None:
        super().__init__(text)
        self.kind: FailureKind = kind
        self.text = text
        self.signature = signature


class Child:
    """A program started without a shell, alone in its session and process group.

    Whoever makes one calls `kill` or `close`; the end of the interpreter and the garbage collector
    do it for those who forget. Raises `OSError` where the program cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._finish = weakref.finalize(self, _end, self._process, os.getpid())
        self._input, self._output, self._errors = (
            _unblocked(pipe)
            for pipe in (self._process.stdin, self._process.stdout, self._process.stderr)
        )
        self._outbox = bytearray()
        self._inbox = bytearray()
        self._searched = 0
        self._last_words = LastWords()
        self._input_open = self._output_open = True
        self._poll = select.poll()
        self._poll.register(self._input, 0)
        self._poll.register(self._output, select.POLLIN)
        self._poll.register(self._errors, select.POLLIN)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def last_words(self) -> str:
        return self._last_words.text()

    def send(self, data: bytes) -> None:
        """Queues bytes for its standard input; they travel while lines are waited for."""
        self._outbox += data
        if self._input_open:
            self._poll.modify(self._input, select.POLLOUT)

    def line(self, timeout_s: float) -> bytes:
        """The next line of its standard output, without the newline. Raises `Trouble`.

        The time counts from the last byte of the request that the child took.
        """
        deadline = time.monotonic() + self._patience_s(timeout_s)
        while (line := self._take_line()) is None:
            if len(self._inbox) > ANSWER_BYTES_MAX:
                raise Trouble(
                    "flooded",
                    f"it wrote {len(self._inbox):,} bytes and no newline; "
                    f"the limit for one answer is {ANSWER_BYTES_MAX:,} bytes",
                    signature="one line without end",
                )
            if not self._output_open:
                raise self._ended()
            wait_s = deadline - time.monotonic()
            if wait_s <= 0:
                raise self._silent(timeout_s)
            listened = self._input_open
            if self._pump(wait_s) or self._input_open != listened:
                deadline = time.monotonic() + self._patience_s(timeout_s)
        return line

    def _patience_s(self, timeout_s: float) -> float:
        return timeout_s if self._input_open else min(timeout_s, CLOSED_GRACE_S)

    def floods(self, quiet_s: float) -> bool:
        """Whether it writes more than a remark's worth before it is quiet for that long.

        Tells a child that never stops from one that wrote one wrong line.
        """
        taken = len(self._inbox)
        self._searched = 0
        deadline = time.monotonic() + quiet_s
        while self._output_open and taken <= NOISE_BYTES_MAX:
            self._inbox.clear()
            wait_s = deadline - time.monotonic()
            if wait_s <= 0:
                return False
            self._pump(wait_s)
            if self._inbox:
                taken += len(self._inbox)
                deadline = time.monotonic() + quiet_s
        return taken > NOISE_BYTES_MAX

    def kill(self) -> None:
        """Ends it and its whole process group at once, and takes its last words."""
        self._read_errors()
        self._finish()

    def close(self) -> None:
        """Closes its input, gives it a moment to end by itself, then kills what is left."""
        if not self._finish.alive:
            return
        self._close_input()
        cast(IO[bytes], self._process.stdin).close()
        deadline = time.monotonic() + EXIT_GRACE_S
        while _exit_of(self._process.pid) is None and time.monotonic() < deadline:
            self._pump(EXIT_LOOK_S)
            self._inbox.clear()
            self._searched = 0
        self.kill()

    # --- the pipes -----------------------------------------------------------------------------

    def _take_line(self) -> bytes | None:
        end = self._inbox.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._inbox)
            return None
        line = bytes(self._inbox[:end])
        del self._inbox[: end + 1]
        self._searched = 0
        return line

    def _pump(self, wait_s: float) -> bool:
        """Moves what can be moved, waiting for it if need be. True if the child took bytes."""
        took = False
        for descriptor, mask in self._poll.poll(max(0, wait_s) * 1000):
            if descriptor == self._input:
                took = self._write() if mask == select.POLLOUT else self._close_input()
            elif descriptor == self._output:
                self._read_output()
            else:
                self._read_errors()
        return took

    def _write(self) -> bool:
        try:
            written = os.write(self._input, memoryview(self._outbox)[:PIPE_BYTES])
        except BlockingIOError:
            return False
        except OSError:
            return self._close_input()
        del self._outbox[:written]
        if not self._outbox:
            # Zero still reports an error: that the child closed its end.
            self._poll.modify(self._input, 0)
        return True

    def _read_output(self) -> None:
        if (data := _read(self._output)) == b"":
            self._output_open = False
            self._poll.unregister(self._output)
        elif data is not None:
            self._inbox += data

    def _read_errors(self) -> None:
        """All that is there now: a dead child's last line is in the pipe before its end is."""
        while data := _read(self._errors):
            self._last_words.add(data)
        if data == b"":
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._errors)

    def _close_input(self) -> bool:
        if self._input_open:
            self._input_open = False
            self._poll.unregister(self._input)
        return False

    # --- how it ended --------------------------------------------------------------------------

    def _silent(self, timeout_s: float) -> Trouble:
        waited = f"for {self._patience_s(timeout_s):g} s nothing came"
        if ending := _exit_of(self._process.pid):
            # Its output is held open by a process that it left behind.
            return Trouble("exited", ending, signature=ending)
        if not self._input_open:
            return Trouble(
                "closed",
                f"it lives but has closed its standard input; {waited}",
                signature="closed its input",
            )
        if self._outbox:
            waited += f", and it left {len(self._outbox):,} bytes of the request unread"
        elif self._inbox:
            waited += f" after {len(self._inbox):,} bytes without a newline"
        return Trouble("hung", waited, signature="hung")

    def _ended(self) -> Trouble:
        """Output is over: dead, or about to be, or only closed. A moment tells which."""
        deadline = time.monotonic() + CLOSED_GRACE_S
        while (ending := _exit_of(self._process.pid)) is None:
            if time.monotonic() >= deadline:
                return Trouble(
                    "closed",
                    "it lives but has closed its standard output",
                    signature="closed its output",
                )
            self._read_errors()
            time.sleep(EXIT_LOOK_S)
        self._read_errors()
        cut = f", {len(self._inbox):,} bytes into a line" if self._inbox else ""
        return Trouble("exited", f"{ending}{cut}", signature=ending)


class LastWords:
    """The last lines that were written, each cut at a length; memory stays bounded."""

    def __init__(self) -> None:
        self._lines: collections.deque[bytes] = collections.deque(maxlen=LAST_LINES)
        self._open = b""

    def add(self, data: bytes) -> None:
        *whole, rest = data.split(b"\n")
        for part in whole:
            self._lines.append(_cut(self._open + part))
            self._open = b""
        self._open = _cut(self._open + rest)

    def text(self) -> str:
        lines = [*self._lines, self._open] if self._open else [*self._lines]
        return "\n".join(line.decode("utf-8", "replace") for line in lines[-LAST_LINES:])


def _cut(line: bytes) -> bytes:
    return line[:LAST_LINE_BYTES_MAX]


def _unblocked(pipe: IO[bytes] | None) -> int:
    assert pipe is not None  # all three are asked for above
    os.set_blocking(pipe.fileno(), False)
    return pipe.fileno()


def _read(descriptor: int) -> bytes | None:
    """Bytes, `b""` at the end, `None` where there are none now."""
    try:
        return os.read(descriptor, PIPE_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _exit_of(pid: int) -> str | None:
    """How the child ended, or `None`. It is not reaped, so that its group's number stays its own.

    A child reaped by another (a handler of SIGCHLD in a program that embeds us) ended somehow.
    """
    try:
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
    except ChildProcessError:
        return "it exited"
    if found is None:
        return None
    if found.si_code == os.CLD_EXITED:
        return f"it exited with status {found.si_status}"
    try:
        name = signal.Signals(found.si_status).name
    except ValueError:
        name = f"signal {found.si_status}"
    return f"it was ended by {name}"


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Kills the group, then reaps the leader: in this order no number can be a stranger's."""
    if os.getpid() != owner:
        return  # a fork of us: the child is its parent's
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
    process.wait()
