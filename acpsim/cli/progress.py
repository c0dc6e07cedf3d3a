"""How far a long command is, on standard error and only if that is a terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

Progress: TypeAlias = Callable[[float, str], None]
"""Takes how much is done and what to write beside the bar."""


@contextlib.contextmanager
def progress(text: str, total: float | None) -> Iterator[Progress]:
    """A progress bar on standard error if that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield lambda done, text: None
        return
    from rich import progress as rich
    from rich.console import Console

    bar = rich.Progress(
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task(text, total=total)
    with bar:
        _BARS.append(bar)
        try:
            yield lambda done, text: bar.update(task, completed=done, description=text)
        finally:
            _BARS.remove(bar)


@contextlib.contextmanager
def runs_progress(text: str) -> Iterator[Callable[[int, int, int], None] | None]:
    """The same for many runs, told (runs done, runs in all, messages of this one).

    `None` where nobody would see it: being told costs time.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with progress(text, None) as bar:

        def show(done: int, total: int, messages: int) -> None:
            more = f", {messages} messages" if messages else ""
            bar(done, f"{text}: {done} of {total} runs{more}")

        yield show


_BARS: Final[list[Any]] = []
"""The bar that is being drawn, if there is one."""


@contextlib.contextmanager
def without_bar() -> Iterator[None]:
    """Take the bar away while lines are written to the same terminal, and draw it below them."""
    bars = list(_BARS) if sys.stdout.isatty() else []
    for bar in bars:
        bar.stop()
    yield
    for bar in bars:
        bar.start()
