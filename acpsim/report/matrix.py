"""The coverage matrix: for each rule, everything that exercises it.

Owns: the count of examples, seeded faults, vectors, recorded conversations, models and
misbehaviours. A rule with an empty row would be a promise that nobody holds us to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from acpsim.fuzz.occasions import occasions
from acpsim.fuzz.recorded import recorded_scenarios
from acpsim.report.page import Given, page, table
from acpsim.rules.check import check
from acpsim.rules.examples import examples
from acpsim.rules.registry import RULES
from acpsim.sim.misbehave import MISBEHAVIOURS, UNSEEN
from acpsim.sim.model import load_model, shipped_models
from acpsim.sim.run import run
from acpsim.targets.mutants import MUTANTS
from acpsim.vectors.shipped import shipped
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event, read_trace

COLUMNS: Final = (
    *("rule", "decided by", "kept", "broken", "seeded faults", "vectors"),
    *("recorded", "models", "misbehaviour"),
)


def matrix(given: Given) -> str:
    """The matrix, a row for each rule in the order of the table."""
    return page("What exercises each rule", "coverage", given, _body(given))


def _body(given: Given) -> Iterator[str]:
    edition = EDITIONS[given.edition]
    yield (
        "For each rule: whether it has an example that keeps and one that breaks it (each is a "
        "test); how many seeded faults break it; how many shipped vectors are about it; how many "
        "shipped conversations, and runs of shipped models, have an occasion to break it; and "
        "whether a simulated party can break it on purpose."
    )
    yield ""
    yield from table(COLUMNS, _rows(edition, given.seed))
    yield from _why_not()


def _rows(edition: Edition, seed: int) -> Iterator[tuple[object, ...]]:
    keeps, breaks = examples("keeps"), examples("breaks")
    faults = Counter(rule for mutant in MUTANTS.values() for rule in mutant.breaks)
    vectors = Counter(rule for one in shipped(edition) for rule in one.vector.rules)
    recorded = Counter(
        rule
        for scenario in recorded_scenarios(edition)
        for rule in _exercised(list(scenario.events), edition)
    )
    models = Counter(
        rule
        for name in shipped_models()
        for rule in _exercised(_simulated(name, edition, seed), edition)
    )
    for rule in RULES.values():
        yield (
            f"`{rule.id}`",
            {"trace": "a trace", "end": "its end"}.get(rule.check, "client state"),
            "yes" if rule.id in keeps else "",
            "yes" if rule.id in breaks else "",
            faults[rule.id] or "",
            vectors[rule.id] or "",
            recorded[rule.id] or "",
            models[rule.id] or "",
            "yes" if rule.id in MISBEHAVIOURS else "",
        )


def _exercised(events: list[Event], edition: Edition) -> set[str]:
    report = check(events, edition=edition, complete=True)
    found = {rule for rule, count in report.coverage.items() if count.exercised}
    return found | set(occasions(events, edition))


def _simulated(name: str, edition: Edition, seed: int) -> list[Event]:
    lines: list[bytes] = []
    run(load_model(name), seed=seed, edition=edition, writers={"client": lines.append})
    return read_trace(lines, edition=edition).events


def _why_not() -> Iterator[str]:
    if not UNSEEN:
        return
    yield "Rules that a trace decides and no simulated party breaks:"
    yield ""
    for rule, reason in UNSEEN.items():
        yield f"- `{rule}`: {reason}"
    yield ""
