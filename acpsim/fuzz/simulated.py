"""Short runs of the simulator's models as scenarios.

Owns: `simulate`. A simulated agent does what no walk over single moves does by chance: it streams a
message to its end, runs tools beside each other, holds a prompt back behind a hook. What the agent
saw of a run is one order of it; which others there are is worked out as for a recording.
"""

from __future__ import annotations

import functools
import random
from typing import Final

from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Scenario
from acpsim.sim.model import Model, load_model, override, shipped_models
from acpsim.sim.run import run
from acpsim.wire.edition import Edition
from acpsim.wire.trace import read_trace

MESSAGES_MAX: Final = 60
"""Of a simulated scenario; what a run says after that is left away. Its orders are many by then."""
PROMPTS_MAX: Final = 2
SESSIONS_MAX: Final = 2
LEFT_OUT: Final = frozenset({"overload", "cancel-before-insertion"})
"""The one says nothing new within the first messages. In the other prompts are withdrawn and fail
by themselves at once, and a trace does not tell which of the two came first.
"""
SEEDS: Final = 2**20


@functools.cache
def _models() -> tuple[Model, ...]:
    return tuple(_shortened(load_model(name)) for name in shipped_models() if name not in LEFT_OUT)


def _shortened(model: Model) -> Model:
    model = override(model, "sessions", min(model.sessions, SESSIONS_MAX))
    return override(model, "client.prompts", min(model.client.prompts, PROMPTS_MAX))


def simulate(chance: random.Random, edition: Edition) -> Scenario:
    """One run of one of the shipped models, begun anew with a seed of this chance."""
    model, seed = chance.choice(_models()), chance.randrange(SEEDS)
    lines: list[bytes] = []
    run(model, seed=seed, edition=edition, writers={"agent": lines.append})
    events = read_trace(lines, edition=edition).events
    return scenario_of(
        events[:MESSAGES_MAX],
        name=f"simulated/{model.name}/{seed}",
        settled=len(events) <= MESSAGES_MAX,
    )
