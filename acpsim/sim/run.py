"""From a model and a seed to traces and counts.

Owns: `run`. The same model, edition and seed give the same bytes, wherever and however often.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from acpsim.errors import UsageError
from acpsim.sim.measure import Measure
from acpsim.sim.model import Model
from acpsim.sim.properties import broken, never
from acpsim.sim.streams import Streams
from acpsim.sim.tap import Observer, Tap, Write
from acpsim.sim.world import World
from acpsim.wire.edition import Edition

COLLECT_AFTER: Final = 200_000
"""New objects between two looks of the garbage collector during a run; Python's default is 700."""
PROGRESS_EVERY: Final = 2048
"""Simulated events between two calls of `progress`."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run came to. `interrupted` says that it was stopped from outside."""

    messages: int
    sim_time_s: float
    counts: dict[str, int]
    broken: list[str]
    """The model's *always* that do not hold; empty for a run that was cut off."""
    never: list[str]
    """The model's *sometimes* that did not happen."""
    interrupted: bool


def run(
    model: Model,
    *,
    seed: int,
    edition: Edition,
    writers: Mapping[Observer, Write] | None = None,
    measure: Measure | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Run:
    """Run a model once.

    `writers` says where each observer's trace goes, line by line. `progress` is called now and
    then with the simulated time in seconds and the number of messages so far. Ctrl-C ends the run
    early: the traces stay readable, and end with the connection lost, which voids what was open.
    """
    if model.reconcile.target:
        raise UsageError("reconcile.target: its times are measured before a run: service.measured")
    header: dict[str, object] = {
        "edition": edition.name,
        "complete": model.duration_s is None,
        "model": model.name,
        "seed": seed,
    }
    tap = Tap(writers or {}, header)
    world = World(model, edition=edition, streams=Streams(seed), tap=tap, measure=measure)
    world.client.start()
    interrupted = False
    try:
        with _rare_collections():
            _go(world, progress)
    except KeyboardInterrupt:
        interrupted = True
        tap.cut(world.env.now)
    whole = not interrupted and model.duration_s is None
    end_s = world.ended_s() if whole else float(world.env.now)
    tap.finish(end_s)
    world.counts["overtaken"] = world.c2a.overtakings + world.a2c.overtakings
    counts = dict(sorted(world.counts.items()))
    return Run(
        messages=tap.messages,
        sim_time_s=end_s,
        counts=counts,
        broken=broken(world) if whole else [],
        never=never(model, counts),
        interrupted=interrupted,
    )


@contextlib.contextmanager
def _rare_collections() -> Iterator[None]:
    """Let the garbage collector look less often for as long as a run lasts.

    Thousands of sessions are long-lived and hold no cycles; looking through all of them again and
    again costs as much as the run itself.
    """
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _go(world: World, progress: Callable[[float, int], None] | None) -> None:
    env, until = world.env, world.model.duration_s
    if progress is None:
        env.run(until)
        return
    limit = float("inf") if until is None else until
    while env.peek() < limit:
        for _ in range(PROGRESS_EVERY):
            if env.peek() >= limit:
                break
            env.step()
        progress(float(env.now), world.tap.messages)
    env.run(until)
