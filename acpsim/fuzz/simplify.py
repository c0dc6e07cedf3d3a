"""Simpler forms of one message: fields left out, lists shortened, texts cut, blocks made text.

Owns: the order in which simpler forms of a message's payload are tried, the greatest step first.
Every form is read as well as the message it stands in for: nothing that was usable becomes
unusable, nothing well formed becomes malformed. Whether one still fails is the shrinker's to find.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from acpsim.oracles import talk
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Malformed, Response
from acpsim.wire.methods import KnownRequest
from acpsim.wire.parse import read_result
from acpsim.wire.trace import Event, event

Path: TypeAlias = tuple[str | int, ...]

KEPT: Final = frozenset({"sessionUpdate", "type", "method", "jsonrpc", "id", "outcome", "state"})
"""Fields that say what a thing is. Ids too are kept: they say which."""
WORDS: Final = KEPT | {
    "kind", "status", "stopReason", "priority", "severity", "role", "category", "cwd", "data",
    "mimeType", "protocolVersion", "code",
}  # fmt: skip
"""Fields whose value is one of a few, or has a form. All others may be any other of their type."""

ENVELOPE: Final = ("jsonrpc", "id", "method")

FORMS_MAX: Final = 200
"""Simpler forms offered of one message. A payload with more places than that is cut in halves."""


def simpler(
    told: Event, *, edition: Edition, request: Event | None, letter: str
) -> Iterator[Event]:
    """Simpler forms of a message, the greatest step first, each with one thing less.

    `request` is what it answers, if it is a response. `letter` is what texts are cut to, so that
    the texts of different messages stay different.
    """
    if told.dir == "lost":
        return
    whole = told.json()
    if not isinstance(whole, dict):
        return  # a line that was no JSON object: it goes, or it stays
    part = next((p for p in ("params", "result", "error") if isinstance(whole.get(p), dict)), None)
    if part is None:
        return
    before = _flaws(told, request, edition)
    beside = (_remover((name,)) for name in whole if name not in (*ENVELOPE, part))
    within = (_inside(part, change) for change in _changes(whole[part], letter))
    for change in itertools.islice(itertools.chain(beside, within), FORMS_MAX):
        value = copy.deepcopy(whole)
        change(value)
        form = event(told.dir, value, edition=edition, line=told.line, t=told.t)
        if _flaws(form, request, edition) <= before and type(form.message) is type(told.message):
            yield form


def _flaws(told: Event, request: Event | None, edition: Edition) -> frozenset[str]:
    """What is malformed in a message, its result included."""
    found = {flaw.path for flaw in told.flaws}
    if isinstance(told.message, Malformed):
        found |= {flaw.path for flaw in told.message.flaws}
    asked = None if request is None else request.message
    if isinstance(told.message, Response) and isinstance(asked, KnownRequest):
        _, flaws = read_result(asked, told.message, edition)
        found |= {flaw.path for flaw in flaws}
    return frozenset(found)


Change: TypeAlias = Callable[[Json], None]


def _changes(value: JsonObject, letter: str) -> Iterator[Change]:
    update = value.get("update")
    if isinstance(update, dict) and isinstance(update.get("sessionUpdate"), str):
        yield _bare(talk.required_fields(update["sessionUpdate"]) | KEPT)
    places = list(_places(value, ()))
    for path, inner in places:
        name = path[-1]
        if isinstance(inner, list) and len(inner) > 1:
            yield _setter(path, inner[:1])
            yield _setter(path, inner[: len(inner) // 2])
            yield _setter(path, inner[len(inner) // 2 :])
        if isinstance(name, int) or not (name in KEPT or name.endswith("Id")):
            yield _remover(path)
    for path, inner in places:
        if isinstance(inner, dict) and inner.get("type") not in (None, "text") and _is_block(path):
            yield _setter(path, {"type": "text", "text": letter})
        elif _is_free(path) and isinstance(inner, str) and inner not in ("", letter):
            yield _setter(path, letter)
            for half in (inner[: len(inner) // 2], inner[len(inner) // 2 :]):
                if half not in ("", letter, inner):
                    yield _setter(path, half)
        elif _is_free(path) and type(inner) in (int, float) and inner not in (0, 1):
            yield _setter(path, 1)
        elif path[-1] == "data" and inner not in ("", "YQ=="):
            yield _setter(path, "YQ==")


def _inside(part: str, change: Change) -> Change:
    return lambda whole: change(whole[part])


def _bare(kept: frozenset[str]) -> Change:
    def change(value: Json) -> None:
        value["update"] = {k: inner for k, inner in value["update"].items() if k in kept}

    return change


def _is_free(path: Path) -> bool:
    """Whether what stands there may be anything of its type."""
    name = path[-1]
    if isinstance(name, int):
        return True
    return name not in WORDS and not name.endswith("Id")


def _is_block(path: Path) -> bool:
    """Where a content block stands: in a content, a summary or a prompt."""
    return path[-1] == "content" or (
        len(path) > 1 and isinstance(path[-1], int) and path[-2] in ("content", "summary", "prompt")
    )


def _places(value: Json, path: Path) -> Iterator[tuple[Path, Json]]:
    """Every place below a value, the shallow before the deep."""
    level: list[tuple[Path, Json]] = [(path, value)]
    while level:
        below: list[tuple[Path, Json]] = []
        for here, inner in level:
            if isinstance(inner, dict):
                below += [((*here, name), item) for name, item in inner.items()]
            elif isinstance(inner, list):
                below += [((*here, at), item) for at, item in enumerate(inner)]
        yield from below
        level = below


def _holder(value: Json, path: Path) -> Json:
    for step in path[:-1]:
        value = value[step]
    return value


def _setter(path: Path, new: Json) -> Change:
    def change(value: Json) -> None:
        _holder(value, path)[path[-1]] = copy.deepcopy(new)

    return change


def _remover(path: Path) -> Change:
    def change(value: Json) -> None:
        del _holder(value, path)[path[-1]]

    return change
