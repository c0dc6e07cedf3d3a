"""With nothing switched on, no shipped model ever breaks a rule: any seed, edition, observer."""

from __future__ import annotations

import pytest

from acpsim.reducer import Reducer
from acpsim.sim.model import Model, load_model, override, shipped_models
from acpsim.sim.run import run
from acpsim.wire.edition import EDITIONS, Edition
from tests.sim.runs import checked, read, traces

SEEDS = range(3)
MANY_SEEDS = range(100, 130)


def small(name: str) -> Model:
    """A shipped model, with fewer sessions where it has very many."""
    model = load_model(name)
    return override(model, "sessions", 12) if model.sessions > 12 else model


def alone(model: Model, *, seed: int, edition: Edition) -> bytes:
    """The wire's trace of one run."""
    lines: list[bytes] = []
    run(model, seed=seed, edition=edition, writers={"wire": lines.append})
    return b"".join(lines)


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
@pytest.mark.parametrize("name", shipped_models())
def test_no_observer_sees_a_definite_breach(name: str, edition: object) -> None:
    definite = [
        (seed, observer, finding)
        for seed in SEEDS
        for observer, data in traces(small(name), seed=seed, edition=edition).items()  # type: ignore[arg-type]
        for finding in checked(data).findings
        if finding.certainty == "definite"
    ]
    assert definite == []


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped_models())
def test_of_many_seeds_none_gives_a_definite_breach(name: str) -> None:
    """Two parties that cross each other do so in rare ways: one seed in twenty, or fewer."""
    definite = [
        (seed, edition.name, finding)
        for seed in MANY_SEEDS
        for edition in EDITIONS.values()
        for finding in checked(alone(small(name), seed=seed, edition=edition)).findings
        if finding.certainty == "definite"
    ]
    assert definite == []


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
@pytest.mark.parametrize("name", shipped_models())
def test_the_reducer_can_use_every_message(name: str, edition: object) -> None:
    trace = read(traces(small(name), seed=5, edition=edition)["client"])  # type: ignore[arg-type]
    reducer = Reducer(trace.edition)

    remarks = [remark for event in trace.events for remark in reducer.apply(event)]

    assert trace.diagnostics == []
    assert remarks == []


@pytest.mark.parametrize("name", shipped_models())
def test_what_a_model_says_always_holds(name: str) -> None:
    broken = [
        (seed, edition.name, done.broken)
        for edition in EDITIONS.values()
        for seed in range(5)
        if (done := run(small(name), seed=seed, edition=edition)).broken
    ]
    assert broken == []


@pytest.mark.parametrize("name", shipped_models())
def test_what_a_model_says_sometimes_happens(name: str) -> None:
    model = small(name)
    left = set(model.sometimes)
    for edition in EDITIONS.values():
        for seed in range(10):
            left &= set(run(model, seed=seed, edition=edition).never)
    assert left == set()


def test_there_are_models_small_enough_for_every_order() -> None:
    tiny = [name for name in shipped_models() if name.startswith("tiny-")]
    sizes = {
        name: run(load_model(name), seed=0, edition=edition).messages
        for name in tiny
        for edition in EDITIONS.values()
    }

    assert len(tiny) >= 4
    assert max(sizes.values()) <= 25
    assert len(shipped_models()) - len(tiny) >= 12
