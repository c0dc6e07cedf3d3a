"""Files in and out: the only room that opens them.

Inputs may be `-` (standard input). Outputs are written whole or not at all: to a new file beside
the destination, then moved over it, so that a reader never meets half a file and a symlink at the
destination is replaced, not followed.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from acpsim.errors import UsageError


@contextlib.contextmanager
def open_input(path: str) -> Iterator[BinaryIO]:
    """The bytes of `path`, or of standard input for `-`. Raises `UsageError` if unreadable."""
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = open(path, "rb")  # noqa: SIM115 (closed below; opening alone is guarded)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    with stream:
        if os.path.isdir(path):
            raise UsageError(f"{path}: is a directory; give a file")
        yield stream


@contextlib.contextmanager
def open_output(path: str | Path) -> Iterator[BinaryIO]:
    """A stream whose bytes become the file `path` when the block ends without an exception.

    Raises `UsageError` where the directory cannot be written.
    """
    target = Path(path)
    try:
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except OSError as error:
        _forget(name)
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    except BaseException:
        _forget(name)
        raise


def write_whole(path: str | Path, data: bytes) -> None:
    """Write `data` as the file `path`, whole or not at all."""
    with open_output(path) as stream:
        stream.write(data)


def _forget(name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
