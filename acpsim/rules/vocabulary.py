"""The words that the protocol defines for its open enums, and where they stand in a value.

Owns: `SHAPES`, `METHODS` and `strange`, which finds the words of a value that are not standard.
Words that another rule watches are not here: stop reasons, tool and compaction statuses, notice
severities, plan entries' priorities and statuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import UNSET

from acpsim.wire import methods
from acpsim.wire.cells import ContentItem, Json, TextBlock, cell_field


class Shape(NamedTuple):
    """One kind of value: its enums, and the fields that hold values of other shapes."""

    words: dict[str, frozenset[str]]
    parts: dict[str, str] = {}  # noqa: RUF012, a default that nobody changes


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SHAPES: Final[dict[str, Shape]] = {
    "content block": Shape(
        {"type": _words("text image audio resource_link resource")},
        {"annotations": "annotations", "icons": "icon"},
    ),
    "annotations": Shape({"audience": _words("assistant user")}),
    "icon": Shape({"theme": _words("light dark")}),
    "tool content": Shape(
        {"type": _words("content diff terminal")},
        {"content": "content block", "changes": "diff change", "patch": "diff patch"},
    ),
    "diff change": Shape(
        {
            "operation": _words("add delete modify move copy"),
            "fileType": _words("text binary directory symlink"),
        }
    ),
    "diff patch": Shape({"format": _words("git_patch")}),
    "plan": Shape({"type": _words("items markdown file")}),
    "background work": Shape({"type": _words("terminal tool_call subagent")}),
    "foreground": Shape(
        {"state": _words("running idle requires_action unknown")},
        {"background": "background work"},
    ),
    "command": Shape({"type": _words("command")}, {"input": "command input"}),
    "command input": Shape({"type": _words("text")}),
    "option": Shape(
        {
            "type": _words("select boolean"),
            "category": _words("mode model model_config thought_level"),
        }
    ),
    "permission option": Shape(
        {"kind": _words("allow_once allow_always reject_once reject_always")}
    ),
    "subject": Shape({"type": _words("tool_call command")}),
    "outcome": Shape({"outcome": _words("selected cancelled")}),
    "replay": Shape({"type": _words("start")}),
    "elicitation": Shape({"mode": _words("form url")}),
    "action": Shape({"action": _words("accept decline cancel")}),
}

METHODS: Final[frozenset[str]] = frozenset(methods.METHODS) | _words(
    """auth/login auth/logout auth/status auth/status_update elicitation/complete mcp/message
    providers/disable providers/list providers/set proxy/initialize proxy/successor session/archive
    session/set_title session/status session/unarchive terminal/cancel tool_call/cancel"""
)
"""Every method that some page of the protocol names, typed here or not."""


class Strange(NamedTuple):
    """A word that is not standard, what it is a word of, and the field that it stands in."""

    shape: str
    field: str
    word: str

    @property
    def reserved(self) -> bool:
        """Whether it is kept for the protocol: custom words begin with an underscore."""
        return not self.word.startswith("_")


def strange(shape: str, value: Json) -> Iterator[Strange]:
    """The words of a value, and of the values in it, that are not standard.

    What is inside a value of a custom type is that type's own affair and is not looked at.
    """
    if plain(value):
        return
    if isinstance(value, list | tuple):
        for item in value:
            yield from strange(shape, item)
        return
    custom = False
    for field, words in SHAPES[shape].words.items():
        for word in _listed(cell_field(value, field)):
            if word not in words:
                custom = custom or field == "type"
                yield Strange(shape, field, word)
    if not custom:
        for field, part in SHAPES[shape].parts.items():
            yield from strange(part, cell_field(value, field))


def plain(value: Json) -> bool:
    """Whether there is nothing to look at: most content is text without annotations."""
    kind = type(value)
    if kind is ContentItem:
        value = value.content
        kind = type(value)
    if kind is TextBlock:
        return value.annotations is UNSET
    if kind is list:
        return all(map(plain, value))
    return value is UNSET or value is None


def _listed(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [word for word in value if isinstance(word, str)] if isinstance(value, list) else []
