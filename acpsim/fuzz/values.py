"""What generated messages carry: ids, texts, blocks, items, lists, metadata.

Owns: `Values`. Everything here is well formed in its edition. Texts repeat on purpose, so that
nothing can be tied by what it says; ids repeat across types, so that nothing can be tied by id
alone; with `hostile`, both are of the kind that programs fall over. Numbers stay within what every
language's JSON reader keeps exactly.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Callable
from typing import Final

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition

TEXTS: Final = ("Hello", "Hello", "Go on", " and", "", "naïve ✓", "日本語", "🚀", "a\nb")
HOSTILE_TEXTS: Final = (
    "\x1b[2J\x1b[H",
    "\u0000",
    "\u202e\u200b",
    "e\u0301",
    "{}",
    "null",
    "idle",
    "</script>",
    "%s %d {0}",
    "x" * 300,
    "\ufeff\u2028\r\n",
)
HOSTILE_IDS: Final = (
    "__proto__",
    "constructor",
    "",
    "0",
    "A",
    "a",
    "null",
    "length",
    "é",
    "e\u0301",
    "a b",
    "a.b[0]",
    "\u0000",
    "10",
    "9",
    "hasOwnProperty",
)
"""Neighbours are told apart by some readers and not by others: one case has some in a row."""
BYTES: Final = "héllo ✓ \x1b[32mok\x1b[0m 🚀\r\n".encode() + bytes(range(250, 256))
"""Characters of one to four bytes, an escape sequence, and bytes that are no UTF-8."""

PREFIXES: Final = {
    "user_message": "u",
    "agent_message": "m",
    "agent_thought": "th",
    "session_message": "x",
    "tool_call": "t",
    "terminal": "T",
    "plan": "p",
    "compaction": "c",
}

IMAGE: Final[JsonObject] = {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}
AUDIO: Final[JsonObject] = {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}
LINK: Final[JsonObject] = {"type": "resource_link", "uri": "file:///p/a.py", "name": "a.py"}
CUSTOM: Final[JsonObject] = {"type": "_chart", "points": [[0, 1], [1, 0.5]], "text": "Hello"}

CAPABILITIES: Final = ("image", "audio", "embeddedContext")


class Values:
    """Draws the values of one conversation."""

    def __init__(self, chance: random.Random, edition: Edition, *, hostile: bool) -> None:
        self.chance = chance
        self.edition = edition
        self.hostile = hostile
        self._id_style = chance.choice(("plain", "shared", "numbers", "hostile"))
        if self._id_style == "hostile" and not hostile:
            self._id_style = "shared"
        first = chance.randrange(len(HOSTILE_IDS))
        self._hostile_ids = HOSTILE_IDS[first:] + HOSTILE_IDS[:first]

    def maybe(self, probability: float) -> bool:
        """True with this probability."""
        return self.chance.random() < probability

    def entity_id(self, kind: str, count: int) -> str:
        """The id of the `count`-th entity of its type in a session."""
        if self._id_style == "plain":
            return f"{PREFIXES[kind]}{count}"
        if self._id_style == "shared":
            return f"id-{count}"
        if self._id_style == "hostile" and count <= len(HOSTILE_IDS):
            return self._hostile_ids[count - 1]
        return str(count)

    def text(self) -> str:
        """A text, often one that was used before."""
        if self.hostile and self.maybe(0.2):
            return self.chance.choice(HOSTILE_TEXTS)
        return self.chance.choice(TEXTS)

    def title(self) -> str:
        """A text that is not empty."""
        return self.text() or "Title"

    def block(self) -> JsonObject:
        """A content block of any type, most of them text."""
        if self.maybe(0.7):
            block: JsonObject = {"type": "text", "text": self.text()}
        else:
            block = dict(self.chance.choice((IMAGE, AUDIO, LINK, CUSTOM, self._resource())))
        return self._decorated(block)

    def prompt_block(self, supported: frozenset[str]) -> JsonObject:
        """A block that a prompt may have, given the agent's capabilities."""
        choices = [LINK]
        choices += [block for block in (IMAGE, AUDIO) if block["type"] in supported]
        choices += [self._resource()] if "embeddedContext" in supported else []
        if self.maybe(0.7):
            return {"type": "text", "text": self.text()}
        return dict(self.chance.choice(choices))

    def _resource(self) -> JsonObject:
        resource: JsonObject = {"uri": "file:///p/notes.md"}
        if self.maybe(0.5):
            resource["text"] = self.text()
        else:
            resource["blob"] = self.data()
        return {"type": "resource", "resource": resource}

    def _decorated(self, block: JsonObject) -> JsonObject:
        if self.maybe(0.15):
            block["annotations"] = {"audience": ["user"], "priority": 0.5}
        if self.maybe(0.1):
            block["_meta"] = self.some_meta()
        if self.maybe(0.05):
            block["later"] = self.json()  # a field that a later edition may have
        return block

    def blocks(self) -> list[JsonObject]:
        """Content: none to three blocks."""
        return [self.block() for _ in range(self.chance.choice((0, 1, 1, 1, 2, 3)))]

    def tool_item(self, terminals: list[str]) -> JsonObject:
        """One item of a tool call's content; it may show one of these terminals."""
        draw = self.chance.random()
        if draw < 0.6:
            item: JsonObject = {"type": "content", "content": self.block()}
        elif draw < 0.75:
            item = {"type": "diff", "changes": [self._change()]}
            if self.maybe(0.5):
                item["patch"] = {"format": "git_patch", "text": "--- a\n+++ b\n"}
        elif draw < 0.9 and terminals:
            item = {"type": "terminal", "terminalId": self.chance.choice(terminals)}
        else:
            item = {"type": "_table", "rows": [[1, None]], "content": {"type": "text"}}
        if self.maybe(0.1):
            item["_meta"] = self.some_meta()
        return item

    def _change(self) -> JsonObject:
        operation = self.chance.choice(("add", "delete", "modify", "move"))
        change: JsonObject = {"operation": operation, "path": "/p/a.py"}
        return {**change, "oldPath": "/p/b.py"} if operation == "move" else change

    def locations(self) -> list[JsonObject]:
        """Where a tool call is at work."""
        return [
            {"path": f"/p/{name}", **({"line": self.chance.randint(1, 9)} if lined else {})}
            for name, lined in (("a.py", True), ("b.py", False))[: self.chance.randint(0, 2)]
        ]

    def data(self) -> str:
        """The base64 of some bytes, which may end in the middle of a character."""
        start = self.chance.randrange(len(BYTES))
        return base64.b64encode(BYTES[start : start + self.chance.randint(0, 7)]).decode()

    def some_meta(self) -> JsonObject:
        """A `_meta` object; `null` members matter where the edition patches by key."""
        meta: JsonObject = {}
        for key in ("k", "n"):
            if self.maybe(0.6):
                meta[key] = self.chance.choice((1, None, "v", [1], {"k": None}))
        return meta

    def json(self) -> Json:
        """Any JSON value, as in raw input and output."""
        return self.chance.choice(
            (0, 1.5, -1, True, "", "text", [], [None, {}], {}, {"a": {"b": [1, 2]}}, {"": 0})
        )

    def patch(self, name: str, value: Callable[[], Json], *, chance: float = 0.4) -> JsonObject:
        """A patch field: mostly omitted, else a value or `null`."""
        draw = self.chance.random()
        if draw >= chance:
            return {}
        return {name: None if draw < chance * 0.2 else value()}

    def meta(self, *, chance: float = 0.2) -> JsonObject:
        """`_meta` as a patch field."""
        return self.patch("_meta", self.some_meta, chance=chance)

    def error(self) -> JsonObject:
        """A JSON-RPC error object."""
        error: JsonObject = {
            "code": self.chance.choice((-32603, -32000, 7)),
            "message": self.text(),
        }
        return {**error, "data": self.json()} if self.maybe(0.3) else error

    def usage(self) -> JsonObject:
        """Token counts of ended work."""
        counts = [self.chance.randint(0, 9) for _ in range(2)]
        usage: JsonObject = {
            "totalTokens": sum(counts),
            "inputTokens": counts[0],
            "outputTokens": counts[1],
        }
        return {**usage, **self.patch("thoughtTokens", lambda: 1, chance=0.3)}

    def cost(self) -> JsonObject:
        """What a session has cost."""
        return {"amount": self.chance.choice((0, 0.045, 2)), "currency": "USD"}

    def commands(self) -> list[JsonObject]:
        """A list of slash commands."""
        found: list[JsonObject] = []
        for name in ("help", "plan")[: self.chance.randint(0, 2)]:
            command: JsonObject = {"type": "command", "name": name, "description": self.text()}
            if self.maybe(0.3):
                command["input"] = {"type": "text", "hint": self.text()}
            found.append(command)
        return found

    def options(self) -> list[JsonObject]:
        """A list of configuration options."""
        values = [{"value": value, "name": value} for value in ("small", "large")]
        model: JsonObject = {
            "configId": "model",
            "name": "Model",
            "type": "select",
            "currentValue": self.chance.choice(("small", "large")),
            "options": values,
        }
        web: JsonObject = {
            "configId": "web",
            "name": "Web",
            "type": "boolean",
            "currentValue": self.maybe(0.5),
        }
        return [model, web][: self.chance.randint(0, 2)]

    def plan(self, plan_id: str) -> JsonObject:
        """A plan of any type."""
        kind = self.chance.choice(("items", "items", "markdown", "file", "_graph"))
        if kind == "items":
            states = ("pending", "in_progress", "completed", "cancelled")
            entries = [
                {
                    "content": self.text(),
                    "priority": self.chance.choice(("high", "medium", "low")),
                    "status": self.chance.choice(states),
                }
                for _ in range(self.chance.randint(0, 2))
            ]
            return {"type": kind, "planId": plan_id, "entries": entries, **self.meta()}
        if kind == "markdown":
            return {"type": kind, "planId": plan_id, "content": self.text()}
        if kind == "file":
            return {"type": kind, "planId": plan_id, "uri": "file:///p/PLAN.md"}
        return {"type": kind, "planId": plan_id, "nodes": [1, 2], "entries": []}
