"""A failing conversation with the oracle that objects to it: saved, loaded, judged again.

Owns: `Counterexample` and the form in which one is kept, a trace whose header says which oracle
objects to what. A saved file is data: loading it checks every field, imports nothing and runs
nothing; the target that it is judged on is the caller's to choose. Vectors are judged here too.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from acpsim.errors import UsageError
from acpsim.files import open_input, write_whole
from acpsim.oracles.again import AGREEMENT, is_oracle, judge_again
from acpsim.oracles.compare import Difference, first_difference
from acpsim.oracles.verdict import Verdict, crash
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event, Header, Trace, TraceReader, encode_trace
from acpsim.wire.vector import FORMAT, Vector, read_vector

FIELD: Final = "counterexample"
"""The header's field; a trace without it is a recorded conversation and no counterexample."""

STEP_S: Final = 0.01
"""Between two messages of a saved conversation: it was never timed, but a trace has a time."""


class Objection(Struct, frozen=True, kw_only=True):
    """What the header says of the fault. `expected` and `actual` are left out where nothing was."""

    oracle: str
    rules: tuple[str, ...] = ()
    text: str = ""
    session: str | None = None
    path: str | None = None
    expected: Json | UnsetType = UNSET
    actual: Json | UnsetType = UNSET
    seed: int = 0
    minimal: bool = False
    inversions: tuple[tuple[int, int], ...] = ()
    """The pairs of messages, counted from 0, that stand in another order than they were told in."""
    target: str | None = None
    """What it was found in, for people. Never opened because a file says so."""


class Counterexample(Struct, frozen=True, kw_only=True):
    """A conversation and the oracle that objects to what some target makes of it."""

    events: tuple[Event, ...]
    edition: Edition
    objection: Objection


def counterexample(
    verdict: Verdict,
    *,
    edition: Edition,
    seed: int = 0,
    minimal: bool = False,
    inversions: tuple[tuple[int, int], ...] = (),
    target: str | None = None,
) -> Counterexample:
    """The counterexample that a verdict gives; `seed` is what a law's chance came from. `minimal`
    and `inversions` are what shrinking knows of it.
    """
    found = verdict.difference
    objection = Objection(
        oracle=verdict.oracle,
        rules=verdict.rules,
        text=verdict.text,
        session=verdict.session,
        path=None if found is None else found.path,
        expected=UNSET if found is None else found.expected,
        actual=UNSET if found is None else found.actual,
        seed=seed,
        minimal=minimal,
        inversions=inversions,
        target=target,
    )
    return Counterexample(events=verdict.events, edition=edition, objection=objection)


def encode(example: Counterexample) -> Iterable[bytes]:
    """The lines of the trace file."""
    header = Header(
        edition=example.edition.name,
        observer="client",
        complete=True,
        extra={FIELD: msgspec.to_builtins(example.objection)},
    )
    events = [replace(event, t=at * STEP_S) for at, event in enumerate(example.events)]
    trace = Trace(header=header, edition=example.edition, events=events, diagnostics=[])
    return encode_trace(trace)


def save(path: str | Path, example: Counterexample) -> None:
    """Writes the file, whole or not at all. Raises `UsageError` where that is not possible."""
    write_whole(path, b"".join(encode(example)))


def load(path: str, *, edition: Edition | None = None) -> Counterexample:
    """Reads a saved counterexample. Raises `UsageError` for anything else, saying what is wrong."""
    with open_input(path) as stream:
        return read(stream, path, edition=edition)


def read(stream: BinaryIO, path: str, *, edition: Edition | None = None) -> Counterexample:
    """Reads a counterexample that is called `path` in what is said of it. `edition`, if given, is
    the one that it is judged in, whatever its header says.
    """
    reader = TraceReader(stream, edition=edition)
    events = []
    for event in reader:
        if FIELD not in reader.header.extra:
            break  # A recorded conversation may be long.
        events.append(event)
    if FIELD not in reader.header.extra:
        raise UsageError(f"{path}: no counterexample: its header has no field {FIELD!r}")
    name = reader.header.edition
    if not isinstance(name, str) or name not in EDITIONS:
        raise UsageError(
            f"{path}: its header names no known edition; known are {', '.join(EDITIONS)}"
        )
    if reader.diagnostics:
        first = reader.diagnostics[0]
        raise UsageError(f"{path}:{first.line}: {first.text}")
    if not events:
        raise UsageError(f"{path}: a counterexample without messages")
    objection = _objection(reader.header.extra[FIELD], path)
    return Counterexample(events=tuple(events), edition=reader.edition, objection=objection)


def _objection(value: Json, path: str) -> Objection:
    try:
        found = msgspec.convert(value, Objection)
    except (msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{path}: its header's {FIELD} cannot be read: {error}") from error
    if not is_oracle(found.oracle):
        raise UsageError(
            f"{path}: no oracle {found.oracle!r}; known are agreement, law:NAME and crash:KIND"
        )
    return found


class _Head(Struct, frozen=True):
    """What tells a vector from a trace."""

    acpsim: str


def read_either(
    data: bytes, path: str, *, edition: Edition | None = None
) -> Counterexample | Vector:
    """What a file holds that is called `path`: a counterexample (a trace) or a vector.

    A vector is one JSON value, a trace is one on each line: of several only the first is looked at.
    Raises `UsageError` for anything else, and for a vector of another edition than `edition`.
    """
    try:
        is_vector = msgspec.json.decode(data, type=_Head).acpsim == FORMAT
    except (ValueError, RecursionError):
        is_vector = False
    if not is_vector:
        return read(io.BytesIO(data), path, edition=edition)
    try:
        vector = read_vector(data)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    if edition is not None and edition != vector.edition:
        raise UsageError(f"--edition {edition.name}: {path} is a vector of {vector.edition.name}")
    return vector


def replay(example: Counterexample, target: Target, *, reference: Target) -> Verdict | None:
    """The verdict of the same oracle on this target, or `None` where it holds now.

    A target that crashes where it was found to hold the wrong state, or the other way round,
    fails too.
    """
    return judge_again(
        example.objection.oracle,
        example.events,
        target,
        reference=reference,
        edition=example.edition,
        seed=example.objection.seed,
    )


def judge_vector(vector: Vector, target: Target) -> Verdict | None:
    """The first difference between what a vector says and what a target holds after its events.

    Compared are the sections that the vector has and the target keeps.
    """
    events = tuple(vector.events)
    try:
        target.reset()
        target.apply(events)
        for session, expected in vector.snapshots.items():
            actual = target.snapshot(session)
            found = first_difference(expected, actual, _shared(target.sections, expected))
            if found is not None:
                return _vector_verdict(vector, events, session, found)
    except TargetFailure as failure:
        return replace(crash(failure, events), rules=tuple(vector.rules))
    return None


def _shared(sections: Sequence[str], expected: JsonObject | None) -> list[str]:
    """What both have: a vector may leave sections out, and a target may not keep them."""
    if expected is None:
        return list(sections)
    return [path for path in sections if path.partition(".")[0] in expected]


def _vector_verdict(
    vector: Vector, events: tuple[Event, ...], session: str, found: Difference
) -> Verdict:
    return Verdict(
        oracle=AGREEMENT,
        rules=tuple(vector.rules),
        text=f"vector {vector.name}: {found.path} of session {session} is not as the vector says",
        session=session,
        difference=found,
        events=events,
    )
