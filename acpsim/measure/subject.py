"""What is timed: a target, or bare decoding, by one interface.

Owns: `Subject` and how each kind of target takes an update: the reference as bytes by the way that
was made for it; a Python class as the object that it is documented to take; a program over its
pipes, in batches.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from acpsim.targets.address import open_target
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.stdio import StdioTarget
from acpsim.targets.target import Target
from acpsim.wire.edition import Edition
from acpsim.wire.parse import strict_decode
from acpsim.wire.trace import event

Take: TypeAlias = Callable[[Any], object]
"""Takes one update."""

BATCH: Final = 256
"""Updates in one request to a program: what a client finds in its pipe when it looks."""


class Subject(Protocol):
    """Something that takes updates.

    `batch` is how many updates it takes at a time at best; `objects` whether it can take them
    already read. `take` and `take_objects` begin anew: what was held is forgotten.
    """

    name: str
    batch: int
    objects: bool

    def prepare(self, line: bytes) -> Any:
        """An update as `take_objects` wants it, of which nothing is shared."""

    def take(self) -> Take:
        """Forgets all; then takes updates, as bytes, or as lists of bytes if `batch` is over 1."""

    def take_objects(self) -> Take:
        """The same for updates that are read already."""

    def snapshot(self, session: str) -> object:
        """What it holds of a session; `None` where it holds nothing."""

    def memory(self) -> int | None:
        """Resident bytes of its process, if it has one of its own."""

    def close(self) -> None:
        """Frees what it has."""


class OfReference:
    """The reference, or one of its mutants."""

    batch = 1
    objects = True

    def __init__(self, target: ReferenceTarget) -> None:
        self.name = target.name
        self._target = target

    def prepare(self, line: bytes) -> Any:
        return [event("a2c", line, edition=self._target.edition)]

    def take(self) -> Take:
        self._target.reset()
        return self._target.receiver()

    def take_objects(self) -> Take:
        self._target.reset()
        return self._target.apply

    def snapshot(self, session: str) -> object:
        return self._target.snapshot_bytes(session)

    def memory(self) -> int | None:
        return None

    def close(self) -> None:
        self._target.close()


class OfPython:
    """A class in this process: it takes objects, and reading them is part of its time."""

    batch = 1
    objects = True

    def __init__(self, target: InProcessTarget) -> None:
        self.name = target.name
        self._target = target

    def prepare(self, line: bytes) -> Any:
        return {"dir": "a2c", "msg": msgspec.json.decode(line)}

    def take(self) -> Take:
        self._target.reset()
        apply, decode = self._target.bare().apply, msgspec.json.decode
        return lambda line: apply({"dir": "a2c", "msg": decode(line)})

    def take_objects(self) -> Take:
        self._target.reset()
        return self._target.bare().apply

    def snapshot(self, session: str) -> object:
        return self._target.bare().snapshot(session)

    def memory(self) -> int | None:
        return None

    def close(self) -> None:
        self._target.close()


class OfProgram:
    """A program over its pipes: each request carries a batch, and waits for its answer."""

    batch = BATCH
    objects = False

    def __init__(self, target: StdioTarget, edition: Edition) -> None:
        self.name = target.name
        self._target = target
        self._edition = edition

    def prepare(self, line: bytes) -> Any:
        raise NotImplementedError("a program takes bytes")

    def take(self) -> Take:
        self._target.reset()
        apply, edition = self._target.apply, self._edition
        return lambda lines: apply([event("a2c", line, edition=edition) for line in lines])

    def take_objects(self) -> Take:
        raise NotImplementedError("a program takes bytes")

    def snapshot(self, session: str) -> object:
        return self._target.snapshot(session)

    def memory(self) -> int | None:
        return _resident(self._target.pid)

    def close(self) -> None:
        self._target.close()


class Decoding:
    """Bare decoding, of which nothing is kept: what any reducer of these bytes pays first."""

    batch = 1
    objects = False

    def __init__(self, name: str, decode: Take) -> None:
        self.name = name
        self._decode = decode

    def prepare(self, line: bytes) -> Any:
        raise NotImplementedError("decoding takes bytes")

    def take(self) -> Take:
        return self._decode

    def take_objects(self) -> Take:
        raise NotImplementedError("decoding takes bytes")

    def snapshot(self, session: str) -> object:
        return None

    def memory(self) -> int | None:
        return None

    def close(self) -> None:
        """Nothing to free."""


def decoders() -> list[Subject]:
    """Bare `json.loads`, and msgspec decoding into the structs of `acpsim.wire`."""
    return [Decoding("json.loads", json.loads), Decoding("msgspec, typed", strict_decode)]


def subject(address: str, *, edition: Edition, timeout_s: float = 60.0) -> Subject:
    """The target of an address, ready to be timed. Raises `UsageError`."""
    return _subject(open_target(address, edition=edition, timeout_s=timeout_s), edition)


def _subject(target: Target, edition: Edition) -> Subject:
    if isinstance(target, ReferenceTarget):
        return OfReference(target)
    if isinstance(target, StdioTarget):
        return OfProgram(target, edition)
    assert isinstance(target, InProcessTarget)
    return OfPython(target)


def batches(lines: Sequence[bytes], size: int) -> Sequence[Any]:
    """The lines as a subject takes them."""
    if size == 1:
        return lines
    return [lines[at : at + size] for at in range(0, len(lines), size)]


def _resident(pid: int | None) -> int | None:
    if pid is None:
        return None
    with suppress(OSError, ValueError, IndexError):
        pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
        return pages * 4096
    return None
