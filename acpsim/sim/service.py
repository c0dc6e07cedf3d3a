"""The client's service time, measured: how long a reducer takes for each update of a run.

Owns: `measured`, which runs a model once, hands its messages to a reducer, times the updates, and
gives the model with those times as its service time. Times are this machine's: a model that was
measured is as repeatable as any, the measurement is not.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Final

import msgspec

from acpsim.errors import UsageError
from acpsim.sim.distributions import shares
from acpsim.sim.model import Model
from acpsim.sim.run import run
from acpsim.wire import methods
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event, read_trace

VALUES: Final = 256
"""Times that are kept: means of equal shares, so that their mean is that of all."""
SESSIONS_MAX: Final = 20
"""Sessions of the run that is measured, at most: enough updates of each kind."""

Apply = Callable[[Event], object]
"""Lets a reducer take one event, from its text on."""


def measured(
    model: Model,
    fresh: Callable[[], Apply],
    *,
    seed: int,
    edition: Edition,
    clock: Callable[[], float] = perf_counter,
) -> Model:
    """The model with the service time of a reducer; `fresh` makes one that has heard nothing.

    Raises `UsageError` where the model's run has no update.
    """
    lines: list[bytes] = []
    timeless = msgspec.structs.replace(model.reconcile, target="", service=None)
    fewer = msgspec.structs.replace(
        model, reconcile=timeless, sessions=min(model.sessions, SESSIONS_MAX)
    )
    run(fewer, seed=seed, edition=edition, writers={"client": lines.append})
    events = read_trace(lines).events
    _times(events, fresh(), clock)  # Fills caches.
    times = _times(events, fresh(), clock)
    if not times:
        raise UsageError("reconcile.target: nothing to measure: no update arrives in this run")
    spec = {"kind": "empirical", "values_s": shares(times, VALUES)}
    return msgspec.structs.replace(model, reconcile=msgspec.structs.replace(timeless, service=spec))


def _times(events: Sequence[Event], apply: Apply, clock: Callable[[], float]) -> list[float]:
    """How long each update took. The garbage collector would only be heard at random."""
    times: list[float] = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        for event in events:
            if not isinstance(event.message, methods.SessionUpdate):
                apply(event)
                continue
            before_s = clock()
            apply(event)
            times.append(clock() - before_s)
    finally:
        if collecting:
            gc.enable()
    return times
