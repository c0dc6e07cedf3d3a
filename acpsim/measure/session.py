"""What `acpsim bench` measures of a target, all together.

Owns: `measure`, one report after the other, so that a bar can move and Ctrl-C keeps what there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Final, TypeAlias

from acpsim.errors import UsageError
from acpsim.measure.core import Growth, Latency, Throughput, growth, latency, throughput
from acpsim.measure.memory import Memory, memory
from acpsim.measure.openloop import OpenLoop, open_loop
from acpsim.measure.subject import Subject, decoders, subject
from acpsim.measure.versus import Ratio, versus
from acpsim.measure.workload import Workload, workload
from acpsim.wire.edition import Edition

PARTS: Final[dict[str, str]] = {
    "throughput": "updates and bytes a second, from bytes and from objects",
    "latency": "seconds for one update, by variant",
    "growth": "the cost of one more update over how much is held",
    "memory": "bytes for each held item",
    "open-loop": "the time until an update is reconciled, when updates come by themselves",
    "against": "the ratio to another target, and to bare decoding",
}
"""Measurement → what it says, in the order in which they are made."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is measured. Raises nothing by itself; `measure` raises `UsageError`."""

    target: str
    edition: Edition
    work: str = "mixed"
    seed: int = 0
    parts: tuple[str, ...] = tuple(PARTS)
    against: tuple[str, ...] = ()
    held_max: int = 1_000_000
    seconds: float = 30.0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measurement of one part. `text` says of what, where a part has several."""

    part: str
    text: str
    result: Throughput | dict[str, Latency] | Growth | Memory | OpenLoop | Ratio


Part: TypeAlias = Callable[[Subject, Workload, Options], Iterator[Measured]]


def measure(options: Options) -> Iterator[Measured]:
    """Measures each part in turn. Raises `UsageError` for what cannot be measured."""
    for name in options.parts:
        if name not in PARTS:
            raise UsageError(f"{name}: nothing to measure; one of {', '.join(PARTS)}")
    work = workload(options.work, edition=options.edition, seed=options.seed)
    with closing(subject(options.target, edition=options.edition)) as measured:
        for name in PARTS:
            if name in options.parts:
                yield from _MEASURES[name](measured, work, options)


def _throughput(measured: Subject, work: Workload, options: Options) -> Iterator[Measured]:
    yield Measured(part="throughput", text="from bytes", result=throughput(measured, work))
    if measured.objects:
        found = throughput(measured, work, objects=True)
        yield Measured(part="throughput", text="from objects", result=found)


def _latency(measured: Subject, work: Workload, options: Options) -> Iterator[Measured]:
    yield Measured(part="latency", text=work.name, result=latency(measured, work))


def _growth(measured: Subject, work: Workload, options: Options) -> Iterator[Measured]:
    for kind in ("chunks", "messages"):
        found = growth(measured, kind=kind, held_max=options.held_max, seconds=options.seconds)
        yield Measured(part="growth", text=kind, result=found)


def _memory(measured: Subject, work: Workload, options: Options) -> Iterator[Measured]:
    for kind in ("chunks", "messages"):
        yield Measured(part="memory", text=kind, result=memory(measured, kind=kind))


def _open_loop(measured: Subject, work: Workload, options: Options) -> Iterator[Measured]:
    found = open_loop(measured, work, seed=options.seed)
    yield Measured(part="open-loop", text=work.name, result=found)


def _against(measured: Subject, work: Workload, options: Options) -> Iterator[Measured]:
    for address in options.against:
        with closing(subject(address, edition=options.edition)) as other:
            yield Measured(part="against", text=address, result=versus(measured, other, work))
    for decoder in decoders():
        yield Measured(part="against", text=decoder.name, result=versus(measured, decoder, work))


_MEASURES: Final[dict[str, Part]] = {
    "throughput": _throughput,
    "latency": _latency,
    "growth": _growth,
    "memory": _memory,
    "open-loop": _open_loop,
    "against": _against,
}
