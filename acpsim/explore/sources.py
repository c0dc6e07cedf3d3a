"""What can be swept: a recorded conversation, read whole, or a model that is run.

Owns: `opened`, which makes a scene of what a user asked for, and `Head`, what that was. Whatever
runs for it runs no longer than the scene is used.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from importlib import resources
from typing import Final

from acpsim.errors import UsageError
from acpsim.explore.positions import Scene
from acpsim.explore.recorded_scene import RecordedScene
from acpsim.explore.simulated_scene import SimulatedScene
from acpsim.files import open_input
from acpsim.sim.model import Model, load_model, override, shipped_models
from acpsim.targets.address import open_target
from acpsim.targets.target import Target, nearest
from acpsim.wire.edition import DRAFT, Edition
from acpsim.wire.trace import Trace, read_trace

SUFFIX: Final = ".jsonl"
PREFIX: Final = "recorded/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user asks to sweep. What is `None` or empty was left to us."""

    scenario: str
    edition: Edition | None = None
    target: str | None = None
    seed: int = 0
    misbehave: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """The command that asks for it."""
        found = ["acpsim", "sweep", self.scenario]
        found += ["--target", self.target] if self.target else []
        found += ["--edition", self.edition.name] if self.edition else []
        found += ["--seed", str(self.seed)] if self.seed else []
        return found + [word for rule in self.misbehave for word in ("--misbehave", rule)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is swept, with everything that was left to us."""

    wanted: Wanted
    kind: str
    """`recording` or `model`."""
    edition: Edition
    target: str | None

    def again(self, action: str, positions: Iterable[int]) -> str:
        """The command that tries one action at some positions."""
        return shlex.join([*self.wanted.words, "--insert", action, "--at", ranges(positions)])


def ranges(positions: Iterable[int]) -> str:
    """Rising numbers as `1-3,7`."""
    runs: list[list[int]] = []
    for at in positions:
        if runs and runs[-1][-1] == at - 1:
            runs[-1][1:] = [at]
        else:
            runs.append([at])
    return ",".join("-".join(map(str, run)) for run in runs)


@contextmanager
def opened(wanted: Wanted) -> Iterator[tuple[Head, Scene]]:
    """The scene that is asked for. A trace is held against a target, the reference by default; a
    model only if one is named. Raises `UsageError`.
    """
    source = find_source(wanted.scenario, edition=wanted.edition)
    if isinstance(source, Model):
        kind, edition, address = "model", wanted.edition or DRAFT, wanted.target
    else:
        kind, edition, address = "recording", source.edition, wanted.target or "reference"
    with ExitStack() as stack:
        targets = [
            stack.enter_context(closing(open_target(one, edition=edition)))
            for one in ([address, "reference"] if address else [])
        ]
        head = Head(wanted=wanted, kind=kind, edition=edition, target=address)
        yield head, _scene(source, targets, wanted, edition)


def _scene(
    source: Model | Trace, targets: Sequence[Target], wanted: Wanted, edition: Edition
) -> Scene:
    if isinstance(source, Model):
        if wanted.misbehave:
            source = override(source, "misbehave", [*wanted.misbehave], where="--misbehave")
        target, reference = targets or (None, None)
        return SimulatedScene(
            source, seed=wanted.seed, edition=edition, target=target, reference=reference
        )
    if wanted.misbehave:
        raise UsageError("--misbehave: a recorded conversation is as it is; give a model")
    target, reference = targets
    return RecordedScene(
        source.events,
        edition=edition,
        target=target,
        reference=reference,
        observer=source.header.observer,
    )


def shipped_recordings() -> list[str]:
    """The names of the shipped recorded conversations, sorted."""
    entries = (resources.files("acpsim") / "recorded").iterdir()
    return sorted(e.name.removesuffix(SUFFIX) for e in entries if e.name.endswith(SUFFIX))


def find_source(word: str, *, edition: Edition | None) -> Model | Trace:
    """The model or the trace that a word names: a shipped one, a file, or `-` for standard input.

    Where a model and a conversation share a name, `recorded/NAME` is the conversation. A trace is
    read in its header's edition unless one is given. Raises `UsageError`.
    """
    if word in shipped_models() or word.endswith(".toml"):
        return load_model(word)
    name = word.removeprefix(PREFIX)
    if name in shipped_recordings():
        text = (resources.files("acpsim") / "recorded" / f"{name}{SUFFIX}").read_bytes()
        return read_trace(text.splitlines(keepends=True), edition=edition)
    if word != "-" and not os.path.exists(word):
        near = nearest(word, [*shipped_recordings(), *shipped_models()])
        raise UsageError(
            f"{word}: neither a shipped model or conversation nor a file"
            f"{near or '; acpsim explore --list names what is shipped'}"
        )
    with open_input(word) as stream:
        return read_trace(stream, edition=edition)
