"""How much memory an item that is held takes.

Owns: `memory`. Of a subject in this process what Python allocated is counted, which slows it down
and is therefore measured by itself; of a program what its process has resident.
"""

from __future__ import annotations

import dataclasses
import gc
import tracemalloc
from typing import Final

from acpsim.measure.core import LENGTHS
from acpsim.measure.subject import Subject, batches

ITEMS: Final = 20_000


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes for each of `items` held items; `None` where a subject holds nothing to count."""

    kind: str
    items: int
    bytes_each: float | None


def memory(subject: Subject, *, kind: str = "chunks", items: int = ITEMS) -> Memory:
    """What `items` items take, beyond what the first hundred took."""
    lines = LENGTHS[kind](items + 100, 0)
    take = subject.take()
    for each in batches(lines[:100], subject.batch):
        take(each)
    rest = batches(lines[100:], subject.batch)
    own = subject.memory()
    if own is not None:
        for each in rest:
            take(each)
        after = subject.memory()
        grown = None if after is None else (after - own) / items
        return Memory(kind=kind, items=items, bytes_each=grown)
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for each in rest:
            take(each)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return Memory(kind=kind, items=items, bytes_each=(after - before) / items)
