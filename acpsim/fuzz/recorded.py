"""The recorded conversations that ship with the package, and a user's own, as scenarios.

Owns: how traces are found and read for a campaign. What concurrency they have is worked out by
`concurrency`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Known, Scenario
from acpsim.oracles.again import is_oracle
from acpsim.oracles.counterexample import FIELD
from acpsim.wire.cells import Json
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import read_trace


@functools.cache
def _packaged() -> tuple[tuple[str, bytes], ...]:
    folder = resources.files("acpsim") / "recorded"
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return tuple(
        (entry.name.removesuffix(".jsonl"), entry.read_bytes())
        for entry in entries
        if entry.name.endswith(".jsonl")
    )


@functools.cache
def _scenarios(edition_name: str) -> tuple[Scenario, ...]:
    edition = EDITIONS[edition_name]
    return tuple(_scenario(f"recorded/{name}", text, edition) for name, text in _packaged())


def recorded_scenarios(edition: Edition) -> tuple[Scenario, ...]:
    """Every packaged conversation, read in this edition, whatever its header says."""
    return _scenarios(edition.name)


def _scenario(name: str, text: bytes, edition: Edition) -> Scenario:
    trace = read_trace(text.splitlines(keepends=True), edition=edition)
    return scenario_of(trace.events, name=name, settled=trace.header.complete)


def corpus_scenarios(directory: str | Path, edition: Edition) -> list[Scenario]:
    """The traces of a directory, by name. Raises `UsageError` where one cannot be read."""
    folder = Path(directory)
    if not folder.is_dir():
        raise UsageError(f"{directory}: no such directory; give one that holds traces")
    return [_read(path, edition) for path in _files(folder)]


def _files(folder: Path) -> Iterable[Path]:
    return sorted(folder.glob("*.jsonl"), key=lambda path: path.name)


def _read(path: Path, edition: Edition) -> Scenario:
    with open_input(str(path)) as stream:
        trace = read_trace(stream, edition=edition)
    scenario = scenario_of(trace.events, name=f"corpus/{path.stem}", settled=trace.header.complete)
    return dataclasses.replace(scenario, known=_known(trace.header.extra.get(FIELD)))


def _known(objection: Json) -> Known | None:
    """What a kept fault says of itself, as far as it can be used."""
    if not isinstance(objection, dict):
        return None
    oracle, seed = objection.get("oracle"), objection.get("seed", 0)
    if not isinstance(oracle, str) or not is_oracle(oracle) or not isinstance(seed, int):
        return None
    return Known(oracle=oracle, seed=seed)
