"""Files in and out: the only room that opens them.

Inputs may be `-` (standard input). Outputs are written whole or not at all: to a new file beside
the destination, then moved over it, so that a reader never meets half a file and a symlink at the
destination is replaced, not followed.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

from acpsim.errors import UsageError

READ_BYTES: Final = 1 << 18
"""What one read asks for: so much that asking costs nothing beside reading."""


@contextlib.contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """The bytes of `path`, or of standard input for `-`. Raises `UsageError` if unreadable."""
    if path == "-":
        if sys.stdin is None:
            raise UsageError("-: standard input is closed")
        yield sys.stdin.buffer
        return
    try:
        raw = open(path, "rb", buffering=0)  # noqa: SIM115 (closed below; opening alone is guarded)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {reason(error)}") from error
    except ValueError as error:  # A name with a NUL in it.
        raise UsageError(f"{path}: cannot be read: no file has such a name") from error
    with io.BufferedReader(_Source(raw, path), READ_BYTES) as stream:
        yield stream


class _Source(io.RawIOBase):
    """A file that says its name where reading it fails half-way."""

    def __init__(self, raw: io.FileIO, path: str) -> None:
        self._raw = raw
        self._path = path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        try:
            return self._raw.readinto(buffer)
        except OSError as error:
            raise UsageError(f"{self._path}: cannot be read: {reason(error)}") from error

    def close(self) -> None:
        self._raw.close()
        super().close()


def check_inputs(paths: Sequence[str]) -> None:
    """Raises `UsageError` for the first input that cannot be opened, or for a second `-`.

    For whoever reads several and would rather say so before the first result than after it.
    """
    if paths.count("-") > 1:
        raise UsageError("-: standard input can be read once; give it once")
    for path in paths:
        if path == "-" or (os.access(path, os.R_OK) and not os.path.isdir(path)):
            continue
        with open_input(path):  # Says what is wrong with it.
            pass


def reason(error: OSError) -> str:
    """Why the system refused, in the words of the system, as part of a sentence."""
    if isinstance(error, IsADirectoryError):
        return "is a directory; give a file"
    text = error.strerror or str(error) or type(error).__name__
    return f"{text[:1].lower()}{text[1:]}"


@contextlib.contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file `path` when the block ends without an exception.

    Raises `UsageError` where the directory cannot be written.
    """
    target = Path(path)
    if _is_device(target):
        yield from _into_device(target)
        return
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {reason(error)}") from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except OSError as error:
        _forget(name)
        raise UsageError(f"{path}: cannot be written: {reason(error)}") from error
    except BaseException:
        _forget(name)
        raise


def write_whole(path: str | Path, data: bytes) -> None:
    """Write `data` as the file `path`, whole or not at all."""
    with open_output(path) as stream:
        stream.write(data)


def _is_device(target: Path) -> bool:
    """Whether this is a pipe or a device: those are written to, and a file never takes their place.

    /dev/stdout and its like are symlinks, and the only ones that are followed.
    """
    try:
        mode = os.lstat(target).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISLNK(mode):
        return target.is_absolute() and target.parts[1] == "dev"
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _into_device(target: Path) -> Iterator[BinaryIO]:
    try:
        with open(target, "wb") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {reason(error)}") from error


def _forget(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
