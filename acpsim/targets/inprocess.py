"""A Python class or factory as a target.

Owns: `InProcessTarget` and `TimeLimit`. An exception that comes out of the target is its fault and
names its own frame; one that is ours comes out as it is. Finding the class is `address`'s.
"""

from __future__ import annotations

import contextlib
import inspect
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Final, Protocol, TypeVar

import msgspec

from acpsim.targets.target import (
    ANSWER_TIMEOUT_S,
    SECTIONS,
    TargetFailure,
    nearest,
    one_line,
    raised,
    reaches_targets,
    read_sections,
)
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event

AGAIN_S: Final = 0.1
"""How often the time limit knocks again, should the target swallow the first knock."""


_T = TypeVar("_T")


class PythonReducer(Protocol):
    """What `module:attribute` makes when it is called with the edition's name.

    `sections` is an optional attribute: the sections that it keeps, all if it says nothing.
    """

    def apply(self, event: JsonObject) -> object:
        """One event, as in a trace; a fresh object each time. The result is not looked at."""

    def snapshot(self, session_id: str) -> Json:
        """What it holds of one session, or `None` if no message has named it."""


class NotAReducer(TypeError):
    """What the factory made cannot be a target; the text says what it lacks."""


class TimeUp(BaseException):
    """The time limit knocks. No `Exception`, so that a target's own handlers let it pass."""


class InProcessTarget:
    """A Python reducer as a target; `reset` makes a new instance.

    The constructor makes the first one: what the factory raises then comes out as it is,
    `NotAReducer` where the instance lacks something, `TimeUp` where it takes too long.
    """

    def __init__(
        self,
        factory: Callable[[str], PythonReducer],
        *,
        name: str,
        edition: Edition,
        timeout_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self.name = name
        self._factory = factory
        self._edition = edition
        self._timeout_s = timeout_s
        self._own_file = _file_of(factory)
        with TimeLimit(timeout_s), aside():
            self._reducer: PythonReducer = factory(edition.name)
        self.sections = _sections_of(self._reducer)

    def reset(self) -> None:
        """A new instance: whatever the last one held is gone with it."""
        self._reducer = self._guarded(lambda: self._factory(self._edition.name), "start anew")

    def apply(self, events: Sequence[Event]) -> None:
        """One call of the target's `apply` for each event, each with an object of its own."""

        def apply_all() -> None:
            for event in events:
                if reaches_targets(event):
                    self._reducer.apply(event.as_json())

        self._guarded(apply_all, "apply an event")

    def snapshot(self, session_id: str) -> JsonObject | None:
        """A copy as JSON, so that tuples are lists and nothing is shared with the target."""
        value = self.snapshot_value(session_id)
        asked = "give a snapshot"
        try:
            copy: Json = msgspec.json.decode(msgspec.json.encode(value))
        except (TypeError, ValueError, RecursionError, msgspec.MsgspecError) as error:
            raise TargetFailure(
                "garbled",
                f"asked to {asked}, it returned what is no JSON: {one_line(str(error))}",
                signature="no JSON",
            ) from error
        if copy is None or isinstance(copy, dict):
            return copy
        raise TargetFailure(
            "garbled",
            f"asked to {asked}, expected a dict or None, it returned {type(value).__name__}",
            signature="no snapshot",
        )

    def apply_value(self, value: JsonObject) -> None:
        """Hands over this very object."""
        self._guarded(lambda: self._reducer.apply(value), "apply an event")

    def snapshot_value(self, session_id: str) -> Json:
        """The very object that the target returned."""
        return self._guarded(lambda: self._reducer.snapshot(session_id), "give a snapshot")

    def bare(self) -> PythonReducer:
        """The instance itself, with no time limit around it: to be timed, and until `reset`."""
        return self._reducer

    def close(self) -> None:
        """Nothing to free."""

    def _guarded(self, call: Callable[[], _T], to_do: str) -> _T:
        limit = TimeLimit(self._timeout_s)
        try:
            with limit, aside():
                return call()
        except KeyboardInterrupt as error:
            if may_be_ctrl_c():
                raise
            raise raised(error, asked=to_do, own_file=self._own_file) from error
        except TimeUp:
            raise TargetFailure(
                "hung", f"asked to {to_do}, it had not returned after {self._timeout_s:g} s"
            ) from None
        except BaseException as error:
            # Also SystemExit and the like: a reducer has nothing to end.
            raise raised(error, asked=to_do, own_file=self._own_file) from error


def may_be_ctrl_c() -> bool:
    """Whether a `KeyboardInterrupt` here may be the user's: Ctrl-C raises one in the main thread,
    and only where nobody has arranged for something else to happen.
    """
    main = threading.current_thread() is threading.main_thread()
    return main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def aside() -> contextlib.AbstractContextManager[object]:
    """What a target prints goes to standard error: standard output is for our own report."""
    return contextlib.redirect_stdout(sys.stderr)


class TimeLimit:
    """Raises `TimeUp` inside the block once its time is over, where the interpreter lets us.

    Only the main thread can be interrupted, and only if no one else uses the real-time timer;
    elsewhere the block runs as long as it likes.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._armed = False
        self._before: object = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        if signal.getitimer(signal.ITIMER_REAL) != (0.0, 0.0):
            return
        self._before = signal.signal(signal.SIGALRM, self._knock)
        self._armed = True
        signal.setitimer(signal.ITIMER_REAL, self._seconds, AGAIN_S)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._armed:
            return
        self._armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)  # type: ignore[arg-type]

    def _knock(self, number: int, frame: FrameType | None) -> None:
        # A knock that comes while the block is being left finds the door shut.
        if self._armed:
            raise TimeUp


def _sections_of(reducer: PythonReducer) -> tuple[str, ...]:
    for method in ("apply", "snapshot"):
        if not callable(getattr(reducer, method, None)):
            known = [name for name in dir(reducer) if not name.startswith("_")]
            raise NotAReducer(
                f"what it makes ({type(reducer).__name__}) has no method {method}"
                f"{nearest(method, known)}"
            )
    declared = getattr(reducer, "sections", None)
    return SECTIONS if declared is None else read_sections(declared)


def _file_of(factory: object) -> str | None:
    try:
        return inspect.getsourcefile(inspect.unwrap(factory))  # type: ignore[arg-type]
    except (TypeError, ValueError, OSError):
        return None
