"""The rules never raise: every field of real messages replaced by every kind of JSON value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acpsim.rules.check import Checker
from acpsim.wire.cells import Json
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import event, read_trace

RECORDED = Path(__file__).parent.parent / "recorded"
TALKS = ("permission_allow", "subagent", "plans", "terminal", "compaction", "usage", "config")
VALUES: tuple[Json, ...] = (None, True, -1, 0.5, "", "_x", [], [None], {}, {"type": "x"})


def replaced(value: Json) -> Iterator[Json]:
    """The value with one place in it replaced, for every place and every replacement."""
    yield from VALUES
    inside: Iterator[tuple[Json, Json]] | None = None
    if isinstance(value, dict):
        inside = iter(value.items())
    elif isinstance(value, list):
        inside = enumerate(value)
    for key, held in inside or ():
        for other in replaced(held):
            copy = value.copy()
            copy[key] = other
            yield copy


def feed_spoilt(edition: Edition, name: str) -> int:
    """Feeds a talk, each message after all its spoilt forms; the number of messages fed."""
    checker = Checker(edition)
    fed = 0
    with (RECORDED / f"{name}.jsonl").open("rb") as stream:
        trace = read_trace(stream, edition=edition)
    for told in trace.events:
        if told.dir == "lost":
            continue
        for message in (*replaced(told.json()), told.json()):
            fed += 1
            checker.feed(event(told.dir, message, edition=edition, line=fed))
    report = checker.finish(complete=True)
    assert report.messages == fed
    return fed


@pytest.mark.slow
@pytest.mark.parametrize("edition", sorted(EDITIONS))
@pytest.mark.parametrize("name", TALKS)
def test_no_message_makes_a_rule_raise(edition: str, name: str) -> None:
    assert feed_spoilt(EDITIONS[edition], name) > 500
