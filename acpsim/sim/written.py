"""A model written out as the file that would give it, every parameter with what it means.

Owns: `written` and how values are spelled in TOML. The meanings are the docstrings of `model`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache

import msgspec
from msgspec import Struct

from acpsim.sim import model as definitions
from acpsim.sim.model import Model


def written(model: Model) -> Iterator[str]:
    """The lines of a model file with all of a model's parameters; what is not set is a comment."""
    yield from _table(model, "")


def _table(part: Struct, path: str) -> Iterator[str]:
    meanings = _meanings()[type(part).__name__]
    inner: list[tuple[str, Struct]] = []
    for entry in msgspec.structs.fields(type(part)):
        value = getattr(part, entry.name)
        if isinstance(value, Struct):
            inner.append((f"{path}.{entry.name}".lstrip("."), value))
            continue
        if meaning := meanings.get(entry.name):
            yield f"# {meaning}"
        yield f"# {entry.name} is not set" if value is None else f"{entry.name} = {toml(value)}"
    for name, value in inner:
        yield ""
        yield f"[{name}]"
        yield from _table(value, name)


@cache
def _meanings() -> dict[str, dict[str, str]]:
    """Class → field → the sentence below it, on one line."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(definitions)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        texts = found[node.name] = {}
        for field, below in zip(node.body, node.body[1:], strict=False):
            is_text = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
                texts[field.target.id] = " ".join(str(below.value.value).split())  # type: ignore[attr-defined]
    return found


def toml(value: object) -> str:
    """A value as TOML spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # JSON's escapes are TOML's, for all but a few characters that no key or name has.
        return msgspec.json.encode(value).decode()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(held)}" for key, held in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    return repr(value)
