"""What the simulated parties say, as JSON objects: one small function for each shape.

Owns: the wording of generated updates and contents. Everything here is well formed in both
editions; a party that misbehaves changes what these return.
"""

from __future__ import annotations

import base64
import functools
from typing import Final

from acpsim.wire.cells import JsonObject

WORDS: Final = (
    "the loop reads every item once and keeps the last that fits so a second pass is not needed "
    "unless the list was changed while it ran which the caller has to rule out — “never” is short, "
    "naïve code says ✓ and 日本語 too "
)
"""Text that generated contents are cut from: with characters of one to three bytes in UTF-8."""

TERMINAL_BYTES: Final = ("50 % ✓✓ 🚀 héllo \x1b[32mok\x1b[0m\r\n" * 8).encode()
"""Output whose characters and escape sequences do not end where chunks end."""


def text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}


@functools.lru_cache(maxsize=4096)
def words(at: int, length: int) -> str:
    """`length` characters of text, another piece for another `at`."""
    start = (at * 7) % (len(WORDS) - 1)
    piece = WORDS[start : start + length]
    while len(piece) < length:
        piece += WORDS[: length - len(piece)]
    return piece


def blocks_of_each_kind() -> list[JsonObject]:
    """One content block of each type that needs no capability or is declared by the agent."""
    return [
        text_block("look at this"),
        {"type": "resource_link", "uri": "file:///home/user/project/main.py", "name": "main.py"},
        {
            "type": "resource",
            "resource": {"uri": "file:///home/user/notes.md", "text": "# Notes"},
        },
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
    ]


def tool_items(at: int) -> JsonObject:
    """One item of a tool call's content, each kind in turn."""
    kinds: tuple[JsonObject, ...] = (
        {"type": "content", "content": text_block(f"step {at}")},
        {
            "type": "diff",
            "changes": [{"operation": "modify", "path": "/home/user/project/main.py"}],
            "patch": {"format": "git_patch", "text": "--- a/main.py\n+++ b/main.py\n"},
        },
        {"type": "content", "content": blocks_of_each_kind()[1]},
    )
    return kinds[at % len(kinds)]


def terminal_chunk(at: int, size: int) -> str:
    """The base64 of `size` bytes of output, the `at`-th such piece; it may split a character."""
    start = (at * size) % (len(TERMINAL_BYTES) - size)
    return base64.b64encode(TERMINAL_BYTES[start : start + size]).decode()


def plan(plan_id: str, kind: int, done: int) -> JsonObject:
    """A plan of each type in turn; for plans of items, `done` entries are completed."""
    if kind == 1:
        return {"type": "markdown", "planId": plan_id, "content": f"- [x] {done} of 3\n"}
    if kind == 2:
        return {"type": "file", "planId": plan_id, "uri": "file:///home/user/project/PLAN.md"}
    if kind == 3:
        return {"type": "_graph", "planId": plan_id, "nodes": [{"id": 1, "done": done}]}
    entries = [
        {
            "content": f"part {at}",
            "priority": ("high", "medium", "low")[at],
            "status": "completed" if at < done else "in_progress" if at == done else "pending",
        }
        for at in range(3)
    ]
    return {"type": "items", "planId": plan_id, "entries": entries}


def commands(count: int) -> list[JsonObject]:
    return [
        {"type": "command", "name": f"command{at}", "description": f"does thing {at}"}
        for at in range(count)
    ]


def options(value: str) -> list[JsonObject]:
    return [
        {
            "configId": "model",
            "name": "Model",
            "category": "model",
            "type": "select",
            "currentValue": value,
            "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}],
        },
        {"configId": "web", "name": "Web access", "type": "boolean", "currentValue": False},
    ]


PERMISSION_OPTIONS: Final[list[JsonObject]] = [
    {"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
    {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]

USAGE: Final[JsonObject] = {"totalTokens": 150, "inputTokens": 100, "outputTokens": 50}

CLIENT_INFO: Final[JsonObject] = {"name": "acpsim-client", "version": "1"}
AGENT_INFO: Final[JsonObject] = {"name": "acpsim-agent", "version": "1"}
AGENT_CAPABILITIES: Final[JsonObject] = {
    "session": {"prompt": {"image": {}, "audio": {}, "embeddedContext": {}}}
}
