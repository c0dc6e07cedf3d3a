"""Runs of models, as the tests want them."""

from __future__ import annotations

from acpsim.rules.check import check
from acpsim.rules.finding import Report
from acpsim.sim.model import Model
from acpsim.sim.run import run
from acpsim.sim.tap import Observer
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Trace, read_trace


def traces(model: Model, *, seed: int, edition: Edition) -> dict[Observer, bytes]:
    """What each observer saw of one run."""
    lines: dict[Observer, list[bytes]] = {"client": [], "agent": [], "wire": []}
    run(
        model,
        seed=seed,
        edition=edition,
        writers={observer: held.append for observer, held in lines.items()},
    )
    return {observer: b"".join(held) for observer, held in lines.items()}


def read(data: bytes) -> Trace:
    """A trace from its bytes."""
    return read_trace(data.splitlines(keepends=True))


def checked(data: bytes) -> Report:
    """What the rules say of a trace, by what its header says."""
    trace = read(data)
    header = trace.header
    return check(
        trace.events, edition=trace.edition, observer=header.observer, complete=header.complete
    )
