"""Who does the work of a campaign: processes of this machine, or the workers of a Dask cluster.

Owns: `Crew`, which is an executor with a size and an end, and what a worker process of ours does
beside its tasks: it leaves no program behind, whoever ends it, and it does not outlive us.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing.context import SpawnContext, SpawnProcess
from typing import Any, Final, Protocol, TypeVar

from acpsim.errors import UsageError
from acpsim.fuzz.worker import leave

T = TypeVar("T")

LEAVE_S: Final = 3.0
"""What a worker gets to end its target and itself, before it is killed."""
DEATHS_TRUSTED: Final = 3
CONNECT_S: Final = 10.0
"""For the scheduler of a cluster to answer."""


class Crew(Protocol):
    """Workers. A future of theirs may say that its worker died, which is no fault of the task."""

    @property
    def size(self) -> int:
        """How many of them there are."""

    @property
    def deaths_trusted(self) -> int:
        """How often they may die before every case is judged in a fork that may die instead: that
        is slower, but nothing is done twice.
        """

    def submit(self, task: Callable[..., T], /, *args: Any, **named: Any) -> Future[T]:
        """Has one of them call a function of this package."""

    def renew(self) -> None:
        """Replaces those that died, once one did. What was asked of the others may be lost too."""

    def close(self) -> None:
        """Ends all of them at once, whatever they do, and their targets."""


def has_died(error: BaseException) -> bool:
    """Whether it was the worker's end that a future failed by."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


class Borrowed:
    """An executor that belongs to someone else, who also ends it."""

    def __init__(self, executor: Executor, size: int) -> None:
        self.size = size
        self.deaths_trusted = DEATHS_TRUSTED
        self._executor = executor

    def submit(self, task: Callable[..., T], /, *args: Any, **named: Any) -> Future[T]:
        return self._executor.submit(task, *args, **named)

    def renew(self) -> None:
        """Whoever owns it would have to."""

    def close(self) -> None:
        """What its workers hold open stays so until they end, if they are not threads of ours."""
        leave()


class Processes:
    """Processes of this machine, spawned: nothing of ours is shared with them."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.deaths_trusted = DEATHS_TRUSTED
        self._context = _Recorded()
        self._pool = self._made()

    def _made(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.size, mp_context=self._context, initializer=_enter)

    def submit(self, task: Callable[..., T], /, *args: Any, **named: Any) -> Future[T]:
        return self._pool.submit(task, *args, **named)

    def renew(self) -> None:
        self.close()
        self._pool = self._made()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        processes = self._context.started
        for process in processes:
            with contextlib.suppress(ValueError, OSError):
                process.terminate()
        for process in processes:
            process.join(LEAVE_S)
            if process.is_alive():
                process.kill()
                process.join()
        processes.clear()
        self._pool.shutdown(wait=True)


class _Recorded(SpawnContext):
    """Remembers the processes that it made: a pool does not say which are its own."""

    def __init__(self) -> None:
        super().__init__()
        self.started: list[SpawnProcess] = []

    def Process(self, *args: Any, **named: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        process = SpawnProcess(*args, **named)
        self.started.append(process)
        return process


def _enter() -> None:
    """A worker's first act. Ctrl-C is for the campaign, which ends us by SIGTERM."""
    signal.signal(signal.SIGINT, lambda number, frame: None)
    signal.signal(signal.SIGTERM, _leave_at_once)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_at_once(number: int, frame: object) -> None:
    leave()
    os._exit(128 + number)


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        leave()
        os._exit(1)


class Cluster:
    """The workers of a Dask cluster. Raises `UsageError` where there is none at the address."""

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError:
            raise UsageError(
                "--dask: the package distributed is not installed; pip install 'acpsim[dask]'"
            ) from None
        try:
            self._client: Any = distributed.Client(address, timeout=CONNECT_S)
        except (OSError, ValueError) as error:
            text = " ".join(str(error).split()) or type(error).__name__
            raise UsageError(f"--dask {address}: no scheduler answers: {text}") from error
        self.size = len(self._client.scheduler_info(n_workers=-1)["workers"])
        self.deaths_trusted = 1  # A cluster tries each task on several workers, and loses them all.
        if self.size == 0:
            self._client.close()
            raise UsageError(f"--dask {address}: the cluster has no workers; start some first")
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, task: Callable[..., T], /, *args: Any, **named: Any) -> Future[T]:
        return self._executor.submit(task, *args, **named)

    def renew(self) -> None:
        """The cluster does that."""

    def close(self) -> None:
        self._executor.shutdown(wait=False)  # Cancels what has not begun.
        with contextlib.suppress(Exception):
            # A worker that is not there any more has nothing open either.
            self._client.run(leave)
        self._client.close()
