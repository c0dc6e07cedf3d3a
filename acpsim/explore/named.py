"""The scenario that a word of the command line means.

Owns: `find`. A word is the name of a shipped model or a path to one, the name of a conversation
that ships with the package, or a path to a trace. Of a model one run is taken, as its client saw
it: the seed says which.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.recorded import recorded_scenarios
from acpsim.fuzz.scenario import Scenario
from acpsim.schedule.tape import Tape
from acpsim.sim.model import Model, load_model, shipped_models
from acpsim.sim.run import run
from acpsim.wire.edition import DRAFT, Edition
from acpsim.wire.trace import read_trace

SMALL: Final = "tiny-"
"""How the names of models begin that are small enough for every order."""
SMALL_MAX: Final = 25
"""Messages of a scenario that is small enough for every order."""


def names() -> list[str]:
    """What is shipped: models, then conversations."""
    return [*shipped_models(), *(known.name for known in recorded_scenarios(DRAFT))]


def find(word: str, *, edition: Edition, seed: int) -> Scenario:
    """The scenario. Raises `UsageError` where there is none of that name.

    Where a model and a recorded conversation share a name it is the model's: `recorded/NAME` is
    always the other.
    """
    if word in shipped_models() or word.endswith(".toml"):
        return simulated(load_model(word), edition=edition, seed=seed)
    for known in recorded_scenarios(edition):
        if word in {known.name, known.name.removeprefix("recorded/")}:
            return known
    if word != "-" and not Path(word).exists():
        raise UsageError(
            f"{word}: neither a shipped model or conversation nor a file; "
            "acpsim explore --list names what is shipped"
        )
    with open_input(word) as stream:
        trace = read_trace(stream, edition=edition)
    return scenario_of(trace.events, name=word, settled=trace.header.complete)


def tape_named(text: str) -> Tape:
    """The tape of a text. Raises `UsageError`."""
    try:
        return Tape.read(text)
    except ValueError as error:
        raise UsageError(f"--tape {text}: {error}") from error


def simulated(model: Model, *, edition: Edition, seed: int) -> Scenario:
    """One run of a model, as its client saw it."""
    lines: list[bytes] = []
    run(model, seed=seed, edition=edition, writers={"client": lines.append})
    trace = read_trace(lines, edition=edition)
    return scenario_of(trace.events, name=model.name, settled=trace.header.complete)


def shipped(*, edition: Edition, seed: int, messages_max: int) -> Iterator[Scenario]:
    """Every shipped scenario of up to so many messages: of the models first, in their order."""
    models = (
        simulated(load_model(word), edition=edition, seed=seed)
        for word in shipped_models()
        if word.startswith(SMALL)
    )
    for scenario in (*models, *recorded_scenarios(edition)):
        if 0 < len(scenario.events) <= messages_max:
            yield scenario
