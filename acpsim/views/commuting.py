"""Which pairs a target takes for ordered, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from acpsim.explore.commute import Audited, Ordered, Pair
from acpsim.views.escape import shown, visible
from acpsim.views.message import summary
from acpsim.views.text import counted
from acpsim.views.tone import toned
from acpsim.wire.cells import Json, JsonObject

VALUE_MAX = 120
"""Characters shown of a value that differs."""


def ordered(pair: Pair) -> Iterator[str]:
    """A pair that is not let commute, with the few messages that show it."""
    one, other = pair.kinds
    yield ""
    yield toned(f"ordered: {one} and {other}", "breach")
    example = pair.example
    if example is None:
        yield "  it did not show again when the same messages were told once more"
        return
    yield f"  session   {shown(example.session)}"
    yield f"  at        {visible(example.difference.path)}"
    yield toned(f"  as below  {_value(example.difference.expected)}", "expected")
    yield toned(f"  exchanged {_value(example.difference.actual)}", "actual")
    yield from _talk(example)


def _value(value: Json) -> str:
    return "(nothing)" if value is UNSET else visible(shown(value, None), VALUE_MAX)


def _talk(example: Ordered) -> Iterator[str]:
    """The messages, the two that are exchanged marked."""
    for at, event in enumerate(example.events):
        arrow = {"c2a": ">", "a2c": "<"}.get(event.dir, "!")
        mark = "*" if at in {example.at, example.at + 1} else " "
        yield f"   {mark}{arrow} {summary(event)}"


def audited(value: Audited, *, every: bool) -> Iterator[str]:
    """What came of it: a row for each ordered pair, or for every pair."""
    yield ""
    rows = value.pairs if every else value.ordered
    if rows:
        width = max(len(" and ".join(pair.kinds)) for pair in rows)
        yield f"{'pair':<{width}}  tried  ordered"
        for pair in rows:
            name = " and ".join(pair.kinds)
            row = f"{name:<{width}}  {pair.tried:>5}  {pair.ordered:>7}"
            yield toned(row, "breach") if pair.ordered else row
    crashed = f"; it failed in {counted(value.crashes, 'context')}" if value.crashes else ""
    yield (
        f"{visible(value.target)} (edition {value.edition}, seed {value.seed}): "
        f"{counted(value.tried, 'exchange')} of {counted(len(value.pairs), 'pair')} of kinds that "
        f"commute, from {counted(value.cases, 'case')} in {value.seconds:.1f} s; "
        f"{len(value.ordered)} taken for ordered{crashed}"
    )


def audit_document(value: Audited) -> JsonObject:
    """`commute --format json`."""
    return {
        "target": value.target,
        "edition": value.edition,
        "seed": value.seed,
        "cases": value.cases,
        "exchanges": value.tried,
        "crashes": value.crashes,
        "seconds": round(value.seconds, 3),
        "pairs": [_pair_document(pair) for pair in value.pairs],
    }


def _pair_document(pair: Pair) -> JsonObject:
    document: JsonObject = {
        "kinds": list(pair.kinds),
        "tried": pair.tried,
        "ordered": pair.ordered,
        "example": None,
    }
    example = pair.example
    if example is not None:
        document["example"] = {
            "events": [event.as_json() for event in example.events],
            "exchanged": [example.at, example.at + 1],
            "session": example.session,
            "path": example.difference.path,
            "minimal": example.minimal,
        }
    return document
