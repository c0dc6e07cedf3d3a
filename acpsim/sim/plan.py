"""What is asked of a model, as a command line says it, and how it is answered.

Owns: `Plan`, all that has to be said to have the same answer again; `conduct`, which runs it; and
the keepers of trace lines that a run may be given as its writers.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from acpsim.errors import UsageError
from acpsim.sim.experiment import Points, Progress, Sweep, experiment, parse_sweep
from acpsim.sim.model import Model, assign, load_model, override
from acpsim.sim.service import Apply, measured
from acpsim.sim.tap import Observer, Write
from acpsim.wire.edition import DRAFT, Edition

Reducers: TypeAlias = Callable[[str], Callable[[], Apply]]
"""From a reducer's address to what makes one; see `service.measured`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A model and what is changed, swept and repeated; the texts as they are typed."""

    name: str
    """A shipped model, or a model file."""
    seed: int = 0
    edition: Edition = DRAFT
    sets: tuple[str, ...] = ()
    service: str | None = None
    """The address of a reducer whose own times are the client's service times."""
    misbehave: tuple[str, ...] = ()
    sweeps: tuple[str, ...] = ()
    replications: int = 1

    def model(self) -> Model:
        """The model with what was set. Raises `UsageError`."""
        model = load_model(self.name)
        for assignment in self.sets:
            model = assign(model, assignment)
        if self.service is not None:
            model = override(model, "reconcile.target", self.service, where="--service")
        if self.misbehave:
            model = override(model, "misbehave", list(self.misbehave), where="--misbehave")
        return model

    def swept(self) -> list[Sweep]:
        """The parameters that vary. Raises `UsageError`."""
        if len(self.sweeps) > 2:
            raise UsageError("--sweep: one or two parameters")
        found = [parse_sweep(text) for text in self.sweeps]
        if len({sweep.key for sweep in found}) < len(found):
            raise UsageError(f"--sweep {found[0].key}: is swept twice; give two parameters")
        return found

    def command(self) -> str:
        """The command line that asks the same."""
        words = ["acpsim", "sim", self.name]
        for option, values in (
            ("--set", self.sets), ("--misbehave", self.misbehave), ("--sweep", self.sweeps)
        ):  # fmt: skip
            words += [word for value in values for word in (option, value)]
        if self.service is not None:
            words += ["--service", self.service]
        if self.replications > 1:
            words += ["--replications", str(self.replications)]
        return shlex.join([*words, "--seed", str(self.seed), "--edition", self.edition.name])


def conduct(
    plan: Plan,
    *,
    jobs: int = 1,
    reducers: Reducers | None = None,
    writers: Mapping[Observer, Write] | None = None,
    progress: Progress | None = None,
) -> Points:
    """Run it. Where the model asks for a reducer's own service time, that is measured first.

    `writers` get the traces of the very first run.
    """
    model, sweeps = plan.model(), plan.swept()
    if model.reconcile.target and reducers is not None:
        fresh = reducers(model.reconcile.target)
        model = measured(model, fresh, seed=plan.seed, edition=plan.edition)
    return experiment(
        model,
        seed=plan.seed,
        edition=plan.edition,
        replications_count=plan.replications,
        sweeps=sweeps,
        jobs=jobs,
        writers=writers,
        progress=progress,
    )


class Counted:
    """Hands a trace's lines on and counts the messages among them."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self.messages = 0

    def __call__(self, line: bytes) -> None:
        self.messages += b'"msg":' in line
        self._write(line)


class FirstSession:
    """Keeps a trace's header and its first lines of one session: what a picture can hold."""

    def __init__(self, session: str, lines_max: int) -> None:
        self._named = f'"sessionId":"{session}"'.encode()
        self._lines_max = lines_max
        self.lines: list[bytes] = []

    def __call__(self, line: bytes) -> None:
        wanted = not self.lines or self._named in line or b'"dir":"lost"' in line
        if wanted and len(self.lines) < self._lines_max:
            self.lines.append(line)


def traced(
    observer: Observer, trace: Write | None, session: FirstSession | None
) -> dict[Observer, Write]:
    """A run's writers: the trace as its observer sees it, a session as the client does."""
    writers: dict[Observer, Write] = {}
    if session is not None:
        writers["client"] = session
    if trace is not None:
        writers[observer] = _both(session, trace) if session and observer in writers else trace
    return writers


def _both(first: Write, second: Write) -> Write:
    def write(line: bytes) -> None:
        first(line)
        second(line)

    return write
