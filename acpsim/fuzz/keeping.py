"""Faults as files: a directory that holds one trace for each.

Owns: the names of the files. None is ever written over that says something else; a fault that is
found again in the same few messages keeps its name.
"""

from __future__ import annotations

import re
from pathlib import Path

from acpsim.errors import UsageError
from acpsim.files import write_whole
from acpsim.oracles.counterexample import Counterexample, encode
from acpsim.oracles.verdict import Verdict


def check_directory(directory: Path) -> None:
    """Raises `UsageError` where no directory can be at this path. Makes none."""
    above = directory
    while not above.exists() and above != above.parent:
        above = above.parent
    if not above.is_dir():
        raise UsageError(f"{directory}: {above} is a file; name a directory for the faults")


def keep(directory: Path, example: Counterexample, *, verdict: Verdict, number: int) -> str:
    """Writes the fault, and returns the file's path. Raises `UsageError` where that cannot be."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{directory}: cannot be made: {error.strerror}") from error
    text = b"".join(encode(example))
    path = _free(directory, f"{number:02d}-{slug(verdict)}", text)
    write_whole(path, text)
    return str(path)


def _free(directory: Path, stem: str, text: bytes) -> Path:
    """The first name of this kind that is free, or has this very text already."""
    path = directory / f"{stem}.jsonl"
    count = 1
    while path.exists() and not (path.is_file() and path.read_bytes() == text):
        count += 1
        path = directory / f"{stem}-{count}.jsonl"
    return path


def slug(verdict: Verdict) -> str:
    """A name for a file: the oracle, and the rule or the place."""
    place = verdict.rules[0] if verdict.rules else verdict.key.place
    words = re.sub(r"[^A-Za-z0-9]+", "-", f"{verdict.oracle} {place}").strip("-")
    return words[:60].strip("-").lower() or "fault"
