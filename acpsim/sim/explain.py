"""What is wrong in a model file, as people read it: the key first, then what is allowed there.

Owns: `explain`, from msgspec's sentences to ours.
"""

from __future__ import annotations

import re
from typing import Any, Final, get_args, get_origin

import msgspec
from msgspec import Struct

DISTRIBUTED: Final = 'a distribution, as { kind = "constant", value_s = 0.1 }'
"""How a distribution is given, by an example."""

_AT: Final = re.compile(r" - at `(key` in `)?\$\.?(?P<path>[^`]*)`$")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(?P<name>[^`]*)`")
_ENUM: Final = re.compile(r"Invalid enum value (?P<value>.*)")
_WORDS: Final = {
    "`object": "`table", "`array": "`list", "`int`": "whole number", "`float`": "number",
    "`str`": "text", "`bool`": "true or false", " | null": "",
}  # fmt: skip
"""msgspec's names of types → those of a TOML file."""


def explain(text: str, model: type[Struct]) -> str:
    """msgspec's sentence, turned round: the key first, then what is allowed there."""
    at = _AT.search(text)
    path = at.group("path") if at else ""
    what = text[: at.start()] if at else text
    if unknown := _UNKNOWN.search(what):
        allowed = ", ".join(entry.name for entry in msgspec.structs.fields(_part(model, path)))
        key = f"{path}.{unknown.group('name')}".lstrip(".")
        return f"{key}: no such key; one of {allowed}"
    where, _, name = path.rpartition(".")
    hint: Any = None
    if at and "[" not in path:
        hints = {entry.name: entry.type for entry in msgspec.structs.fields(_part(model, where))}
        hint = hints.get(name)
    if wrong := _ENUM.search(what):
        allowed = ", ".join(_choices(hint))
        return f"{path}: no such value {wrong.group('value')}; one of {allowed}"
    for name, word in _WORDS.items():
        what = what.replace(name, word)
    more = f"; give {DISTRIBUTED}" if hint in (dict[str, Any], dict[str, Any] | None) else ""
    return f"{path}: {what[:1].lower()}{what[1:].replace('`', '')}{more}"


def _part(part: type[Struct], path: str) -> type[Struct]:
    """The table at that path below `part`."""
    for name in filter(None, path.split(".")):
        part = type(getattr(part(), name))
    return part


def _choices(hint: Any) -> tuple[str, ...]:
    """The values that a literal type allows, or the keys of a table of them."""
    found = get_args(hint)
    return get_args(found[0]) if found and get_origin(hint) is dict else found
