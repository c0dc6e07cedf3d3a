"""A JSON value spoilt in every place, one place at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acpsim.wire.cells import Json


def spoilt(value: Json, others: Sequence[Json]) -> Iterator[Json]:
    """`value` with each place in it in turn left out, or replaced by each of `others`."""
    if isinstance(value, dict):
        for key in value:
            rest = {name: held for name, held in value.items() if name != key}
            yield rest
            for other in (*others, *spoilt(value[key], others)):
                yield {**rest, key: other}
    elif isinstance(value, list):
        for at, held in enumerate(value):
            for other in (*others, *spoilt(held, others)):
                yield [*value[:at], other, *value[at + 1 :]]
