"""Bytes → numbered lines, each within limits; and the mending of a line that is almost JSON.

Owns: the limits, and what is done about byte order marks, line ends, bytes that are not UTF-8 and
lone surrogates. Nothing here raises on what it reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, Final

from acpsim.wire.cells import Json

LINE_BYTES_MAX: Final = 128 * 1024 * 1024
"""Longer lines are skipped unread. Four times what the official SDK takes by default, so that
whatever travelled between two of its users can be read; small enough to be held a few times over.
"""

DEPTH_MAX: Final = 128
"""How deep arrays and objects may be nested. Real messages stay under 20; JSON readers in other
languages give up between 128 and 1,000; and every recursive walk here stays far from Python's own
limit of about 1,000 frames."""

SKIP_BYTES: Final = 1024 * 1024
"""How much of a line that is too long is held while it is skipped."""

_MARK: Final = b"\xef\xbb\xbf"

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""One escape sequence: a pair of surrogates, a lone one (the group), or any other."""

NOT_UTF_8: Final = "is not UTF-8; what could not be read stands as U+FFFD"
LONE_SURROGATE: Final = "has a lone surrogate, which stands as U+FFFD"
BYTE_ORDER_MARK: Final = "begins with a byte order mark, which is left out"


def numbered(stream: BinaryIO | Iterable[bytes]) -> Iterator[tuple[int, bytes | None]]:
    """Each line with its number, from 1; `None` for one that is too long.

    A stream is read line by line; any other iterable is taken to yield lines, with or without
    their ends. Blank lines are counted and left out, and so is a byte order mark at the beginning.
    """
    readline = getattr(stream, "readline", None)
    lines = stream if readline is None else _bounded(readline)
    for number, given in enumerate(lines, 1):
        line = given.removeprefix(_MARK) if number == 1 else given
        if len(line) > LINE_BYTES_MAX:
            yield number, None
        elif line and not line.isspace():
            yield number, line


def _bounded(readline: Callable[[int], bytes]) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long, only so much that this can be seen."""
    while line := readline(LINE_BYTES_MAX + 1):
        yield line
        if len(line) > LINE_BYTES_MAX:
            while line and not line.endswith(b"\n"):
                line = readline(SKIP_BYTES)


def mended(line: bytes) -> tuple[bytes, tuple[str, ...]]:
    """The line as JSON text that other readers take too, and what had to be done for it.

    As the SDK's decoder does: a byte order mark is left out, bytes that are not UTF-8 become
    U+FFFD. A lone surrogate, of which no UTF-8 text can be made, becomes U+FFFD too.
    """
    remarks = []
    if line.startswith(_MARK):
        line = line.removeprefix(_MARK)
        remarks.append(BYTE_ORDER_MARK)
    try:
        line.decode()
    except UnicodeDecodeError:
        line = line.decode(errors="replace").encode()
        remarks.append(NOT_UTF_8)
    plain = _ESCAPE.sub(_plain, line)
    if plain != line:
        remarks.append(LONE_SURROGATE)
    return plain, tuple(remarks)


def _plain(found: re.Match[bytes]) -> bytes:
    return rb"\ufffd" if found.group(1) else found.group()


def is_deep(line: bytes, value: Json) -> bool:
    """Whether a decoded line is nested deeper than `DEPTH_MAX`. Cheap for all that are not."""
    if line.count(b"[") + line.count(b"{") <= DEPTH_MAX:
        return False
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEPTH_MAX):
        inner: list[Json] = []
        for container in level:
            held = container.values() if isinstance(container, dict) else container
            inner += [part for part in held if isinstance(part, dict | list)]
        level = inner
        if not level:
            return False
    return True


class _Repeated(Exception):
    """Leaves the reader below at the first repeated key."""


def repeated_key(line: bytes) -> str | None:
    """A key that stands twice in one object of the line, if there is one; the last value counts.

    Slow: ask only where there is a reason to suspect one.
    """

    def look(pairs: list[tuple[str, Json]]) -> None:
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise _Repeated(key)
            seen.add(key)

    try:
        json.loads(line, object_pairs_hook=look)
    except _Repeated as found:
        return str(found)
    except (ValueError, RecursionError):
        return None
    return None
