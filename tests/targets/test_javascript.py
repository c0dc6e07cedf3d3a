"""A reducer in another language agrees with the reference, and its seeded faults show."""

from __future__ import annotations

import random
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from acpsim.targets.address import open_target
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event, event, read_trace
from tests.helpers.shorthand import conversation
from tests.targets.mutant_cases import CASES, PLAIN

ROOT = Path(__file__).resolve().parents[1]
REDUCER = ROOT / "js" / "reducer.mjs"
NODE = shutil.which("node")
RECORDED = sorted((ROOT / "recorded").glob("*.jsonl"))

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not on PATH")

FAULTS = {
    "echo-doubled": CASES["echo-doubled"],
    "base64-joined": CASES["base64-joined"],
    "omitted-as-empty": CASES["omitted-content-as-empty"],
    "response-ends-work": CASES["response-as-idle"],
    "crash-on-unknown": CASES["unknown-raises"],
}
"""The faults of tests/js/faults.mjs, each with a conversation that shows it."""


def opened(edition: Edition, *arguments: str) -> Target:
    line = shlex.join([str(NODE), str(REDUCER), *arguments])
    return open_target(f"cmd:{line}", edition=edition)


@pytest.fixture(scope="module", params=list(EDITIONS.values()), ids=list(EDITIONS))
def honest(request: pytest.FixtureRequest) -> Iterator[tuple[Edition, Target]]:
    """The honest reducer, one process for all tests of an edition."""
    target = opened(request.param)
    yield request.param, target
    target.close()


def held(target: Target, events: Sequence[Event], sections: Sequence[str]) -> Any:
    """These sections of every session after a conversation, or how the target failed."""
    target.reset()
    try:
        target.apply(events)
        snapshots = {name: target.snapshot(name) for name in sessions(events)}
    except TargetFailure as failure:
        return failure.kind
    return {
        name: snapshot and {section: part(snapshot, section) for section in sections}
        for name, snapshot in snapshots.items()
    }


def sessions(events: Sequence[Event]) -> list[str]:
    found = re.findall(rb'"sessionId":\s*"([^"]*)"', b"".join(event.raw for event in events))
    return sorted({name.decode() for name in found})


def part(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_it_agrees_on_a_recorded_conversation(honest: tuple[Edition, Target], path: Path) -> None:
    edition, target = honest
    with path.open("rb") as stream:
        events = read_trace(stream, edition=edition).events

    expected = held(ReferenceTarget(edition), events, target.sections)
    assert held(target, events, target.sections) == expected


@pytest.mark.parametrize("name", list(CASES))
def test_it_agrees_on_the_conversation_of_a_mutant(
    honest: tuple[Edition, Target], name: str
) -> None:
    edition, target = honest
    events = conversation(f"setup\n{CASES[name]}", edition=edition)

    expected = held(ReferenceTarget(edition), events, target.sections)
    assert held(target, events, target.sections) == expected


@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_on_damaged_conversations(honest: tuple[Edition, Target], seed: int) -> None:
    edition, target = honest
    chance = random.Random(seed)
    different = []
    for _ in range(50):
        whole = conversation(f"setup\n{chance.choice(list(CASES.values()))}", edition=edition)
        events = [damaged(one, chance, edition) if one.dir == "a2c" else one for one in whole]
        if held(target, events, target.sections) != held(
            ReferenceTarget(edition), events, target.sections
        ):
            different.append([one.as_json() for one in events])

    assert different == []


def damaged(told: Event, chance: random.Random, edition: Edition) -> Event:
    """A message with one value in it exchanged for another JSON value, or taken out."""
    message = told.json()
    holder, key = chance.choice(list(places(message)))
    if chance.random() < 0.2 and isinstance(holder, dict):
        del holder[key]
    else:
        holder[key] = chance.choice([None, True, 7, -1, 1.5, "", "x", "aGk=", [], [1], {}])
    return event("a2c", message, edition=edition)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as its holder and its key there."""
    keys: Iterable[Any] = range(len(value)) if isinstance(value, list) else list(value)
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@pytest.mark.parametrize("fault", list(FAULTS))
def test_a_seeded_fault_shows(fault: str) -> None:
    edition = EDITIONS["draft"]
    events = conversation(f"setup\n{textwrap.dedent(FAULTS[fault])}", edition=edition)
    plain = conversation(PLAIN, edition=edition)
    reference = ReferenceTarget(edition)
    target = opened(edition, "--fault", fault)
    try:
        seen = held(target, events, target.sections)
        seen_plain = held(target, plain, target.sections)
    finally:
        target.close()

    assert seen != held(reference, events, target.sections)
    assert seen_plain == held(reference, plain, target.sections)


def test_every_seeded_fault_is_tried() -> None:
    source = (ROOT / "js" / "faults.mjs").read_text("utf-8")

    assert set(re.findall(r'^  "([a-z0-9-]+)": \(', source, re.MULTILINE)) == set(FAULTS)
