"""The recorded conversations that ship with the package, and a user's own, as scenarios.

Owns: how traces are found and read for a campaign. What concurrency they have is worked out by
`concurrency`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Scenario
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
        return _scenario(f"corpus/{path.stem}", stream.read(), edition)
