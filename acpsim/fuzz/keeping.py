"""Faults as files: a directory of what a run found, and a corpus that grows from run to run.

Owns: the names of the files, and which files are ours: a counterexample under a name that begins as
ours do. `Shelf` replaces those that an earlier run left; any other file is never touched. A
`Corpus` loses nothing by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from pathlib import Path
from typing import Final

from acpsim.errors import UsageError
from acpsim.files import reason, write_whole
from acpsim.fuzz.recorded import corpus_scenarios
from acpsim.fuzz.scenario import Scenario
from acpsim.oracles.counterexample import Counterexample, encode, load
from acpsim.oracles.verdict import Verdict
from acpsim.wire.edition import Edition

_OURS: Final = re.compile(r"\d\d+-[a-z0-9-]+\.jsonl")


def check_directory(directory: Path) -> None:
    """Raises `UsageError` where no directory can be at this path. Makes none."""
    above = directory
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        raise UsageError(f"{directory}: {above} is a file; name a directory for the faults")


class Shelf:
    """A directory that says what one run found. Raises `UsageError` where none can be there."""

    def __init__(self, directory: Path) -> None:
        check_directory(directory)
        self._directory = directory
        self._old = set(_ours(directory))

    def keep(self, example: Counterexample, *, verdict: Verdict, number: int) -> str:
        """Writes the fault over what an earlier run called the same, and returns the path."""
        _make(self._directory)
        text = b"".join(encode(example))
        path = _free(self._directory, _stem(verdict, number), text, but=self._old)
        write_whole(path, text)
        self._old.discard(path)
        return str(path)

    def clear(self) -> None:
        """Takes away the faults of earlier runs that were not found again."""
        for path in self._old:
            with contextlib.suppress(OSError):
                path.unlink()
        self._old.clear()


class Corpus:
    """A directory of conversations that come first, to which what is found is added.

    It need not be there yet, but the directory that it will be in does: otherwise, and where it is
    a file, `UsageError`.
    """

    def __init__(self, directory: Path) -> None:
        check_directory(directory)
        if not directory.exists() and not directory.absolute().parent.is_dir():
            raise UsageError(f"{directory}: no such directory; make the one that it is to be in")
        self._directory = directory

    def scenarios(self, edition: Edition) -> list[Scenario]:
        """What it holds, by name; nothing where it is not there yet."""
        return corpus_scenarios(self._directory, edition) if self._directory.exists() else []

    def add(self, example: Counterexample, *, verdict: Verdict) -> str:
        """Adds the fault under a name that depends on what it says alone, and returns the path."""
        _make(self._directory)
        told = b"\n".join(event.raw for event in example.events)
        name = hashlib.blake2b(f"{verdict.oracle}\n".encode() + told, digest_size=4).hexdigest()
        path = self._directory / f"{slug(verdict)}-{name}.jsonl"
        if not path.exists():
            write_whole(path, b"".join(encode(example)))
        return str(path)


def keep(directory: Path, example: Counterexample, *, verdict: Verdict, number: int) -> str:
    """Writes the fault, and returns the file's path. Raises `UsageError` where that cannot be.

    No file that says something else is written over; the same fault found again keeps its name.
    """
    _make(directory)
    text = b"".join(encode(example))
    path = _free(directory, _stem(verdict, number), text, but=set())
    write_whole(path, text)
    return str(path)


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory}: cannot be made: {reason(error)}") from error


def _ours(directory: Path) -> list[Path]:
    """The faults that were saved here by number."""
    try:
        found = [path for path in directory.iterdir() if _OURS.fullmatch(path.name)]
    except OSError:
        return []
    return [path for path in found if path.is_file() and _is_counterexample(path)]


def _is_counterexample(path: Path) -> bool:
    try:
        load(str(path))
    except UsageError:
        return False
    return True


def _stem(verdict: Verdict, number: int) -> str:
    return f"{number:02d}-{slug(verdict)}"


def _free(directory: Path, stem: str, text: bytes, *, but: set[Path]) -> Path:
    """The first name of this kind that is free, has this very text already, or is one of `but`."""
    path = directory / f"{stem}.jsonl"
    count = 1
    while path not in but and path.exists() and not (path.is_file() and path.read_bytes() == text):
        count += 1
        path = directory / f"{stem}-{count}.jsonl"
    return path


def slug(verdict: Verdict) -> str:
    """A name for a file: the oracle, and the rule or the place."""
    place = verdict.rules[0] if verdict.rules else verdict.key.place
    words = re.sub(r"[^A-Za-z0-9]+", "-", f"{verdict.oracle} {place}").strip("-")
    return words[:60].strip("-").lower() or "fault"
