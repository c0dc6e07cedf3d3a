"""What a peer wrote, made safe to show: control characters and their like become visible.

Owns: `visible`. A terminal obeys escape sequences, and a reader is misled by characters that have
no width or that turn the direction of writing; each is shown as an escape instead. Nothing else of
a text changes, so that what is shown can still be searched for.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

TEXT_MAX: Final = 400
"""Characters of one value shown in a line: what is longer is cut, and says so."""

_UNSAFE: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # Controls: what a terminal obeys.
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # They turn the direction of writing.
    "\u2028\u2029"  # Line ends.
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"  # No width, or a blank that is none: texts that differ look the same.
    "\ud800-\udfff\ufffe\uffff]"  # No characters at all.
)
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\x1b": "\\e"}


def visible(text: str, limit: int | None = TEXT_MAX) -> str:
    """`text` in one line, with everything that a terminal would obey made visible."""
    if limit is not None and len(text) > limit:
        text = f"{text[:limit]}… ({len(text)} characters)"
    return _UNSAFE.sub(_show, text)


def visible_lines(text: str) -> str:
    """`text` with its line ends kept and everything else made visible."""
    return "\n".join(visible(line, None) for line in text.split("\n"))


def json_escaped(text: str) -> str:
    """A JSON text, line ends kept, that says the same with every such character as an escape."""
    return _UNSAFE.sub(_json_escape, text)


def shown(value: Any, limit: int | None = TEXT_MAX) -> str:
    """A value as JSON in one line, safe to show."""
    return visible(json.dumps(value, ensure_ascii=False, default=str), limit)


def _json_escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\n":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _show(match: re.Match[str]) -> str:
    character = match.group()
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"
