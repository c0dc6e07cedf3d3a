"""The recorded conversations, read once for each edition."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event, read_trace

RECORDED = Path(__file__).resolve().parents[1] / "recorded"


@functools.cache
def read_all(edition: Edition) -> dict[str, list[Event]]:
    found = {}
    for path in sorted(RECORDED.glob("*.jsonl")):
        with path.open("rb") as stream:
            found[path.stem] = read_trace(stream, edition=edition).events
    return found


@pytest.fixture
def recorded() -> Callable[[Edition], dict[str, list[Event]]]:
    """All recorded conversations, read in an edition."""
    return read_all
