"""What is measured on: the updates of a conversation, as bytes.

Owns: `Workload`, and where one comes from: a trace, a run of a model, or made up here. Two are made
up: *mixed*, what a coding agent sends in realistic sizes (half of it streamed text with code in it,
the rest tool calls with diffs and results, terminal output, plans, whole messages, usage, states),
and *chunks*, one reply in pieces. Both are the same for the same seed.
"""

from __future__ import annotations

import base64
import dataclasses
import random
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from acpsim.errors import UsageError
from acpsim.files import open_input
from acpsim.sim.model import load_model, shipped_models
from acpsim.sim.run import run
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.methods import SessionUpdate, SessionUpdateParams
from acpsim.wire.parse import NOT_STRICT, strict_decode
from acpsim.wire.trace import Event, read_trace
from acpsim.wire.updates import UnknownUpdate

SESSION: Final = "sess_abc123def456"
UPDATES: Final = 20_000
"""Of a workload that is made up."""

CODE: Final = (
    "    for key, value in items.items():\n"
    "        if value is None:\n"
    '            raise KeyError(f"no \\"{key}\\"")\n'
    '\treturn {"count": len(items), "path": "/home/user/project/main.py"}\n'
)
PATCH: Final = "--- a/main.py\n+++ b/main.py\n@@ -1,4 +1,6 @@\n" + "".join(
    f'-\told = items[{at}]\n+\tnew = items.get("k{at}")\n' for at in range(6)
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Updates in the order in which a client receives them.

    `arrivals_s` has the time of each, in seconds from the first, where the source knew; else it is
    empty.
    """

    name: str
    lines: tuple[bytes, ...]
    arrivals_s: tuple[float, ...] = ()

    @property
    def bytes(self) -> int:
        """Of all lines together, line ends apart."""
        return sum(map(len, self.lines))

    def session(self) -> str:
        """The session that most updates are for."""
        named = Counter(_params(line).session_id for line in self.lines)
        return named.most_common(1)[0][0]

    def variants(self) -> list[str]:
        """The variant of each update."""
        return [_variant(line) for line in self.lines]


def workload(word: str, *, edition: Edition, seed: int) -> Workload:
    """The workload that a word means: `mixed`, `chunks`, a model, or a trace.

    Raises `UsageError` where nothing is of that name, or no update is in it.
    """
    if word in MADE_UP:
        return Workload(name=word, lines=tuple(MADE_UP[word](UPDATES, seed)))
    if word in shipped_models() or word.endswith(".toml"):
        lines: list[bytes] = []
        run(load_model(word), seed=seed, edition=edition, writers={"client": lines.append})
        return _of_events(word, read_trace(lines, edition=edition).events)
    with open_input(word) as stream:
        return _of_events(word, read_trace(stream, edition=edition).events)


def _of_events(name: str, events: Iterable[Event]) -> Workload:
    told = [event for event in events if event.dir == "a2c" and is_update(event.raw)]
    if not told:
        raise UsageError(f"{name}: no usable update in it; there is nothing to measure")
    start = told[0].t
    return Workload(
        name=name,
        lines=tuple(event.raw for event in told),
        arrivals_s=tuple(event.t - start for event in told),
    )


def is_update(line: bytes) -> bool:
    """Whether a line is an update that is read the short way."""
    try:
        return isinstance(strict_decode(line), SessionUpdate)
    except NOT_STRICT:
        return False


def _params(line: bytes) -> SessionUpdateParams:
    message = strict_decode(line)
    assert isinstance(message, SessionUpdate)
    return message.params


def _variant(line: bytes) -> str:
    update = _params(line).update
    if isinstance(update, UnknownUpdate):
        return "unknown variant"
    return str(update.__struct_config__.tag)


def mixed(count: int, seed: int = 0) -> list[bytes]:
    """`count` lines of mixed updates of one session."""
    chance = random.Random(seed)
    return [_line(_update(chance, at)) for at in range(count)]


def chunks(count: int, first: int = 0) -> list[bytes]:
    """`count` chunks of one agent message, numbered from `first`."""
    return [
        _line(
            {
                "sessionUpdate": "agent_message_chunk",
                "messageId": "msg_1",
                "content": {"type": "text", "text": f"piece {at} of the reply, "},
            }
        )
        for at in range(first, first + count)
    ]


def messages(count: int, first: int = 0) -> list[bytes]:
    """`count` agent messages, numbered from `first`: each update is one more entity."""
    return [
        _line(
            {
                "sessionUpdate": "agent_message",
                "messageId": f"msg_{at}",
                "content": [{"type": "text", "text": f"reply {at}, in full"}],
            }
        )
        for at in range(first, first + count)
    ]


MADE_UP: Final[dict[str, Callable[[int, int], list[bytes]]]] = {
    "mixed": mixed,
    "chunks": lambda count, seed: chunks(count),
    "messages": lambda count, seed: messages(count),
}
"""Workloads that need no file, by name: (count, seed) → lines."""


def _line(update: JsonObject) -> bytes:
    params = {"sessionId": SESSION, "update": update}
    return msgspec.json.encode({"jsonrpc": "2.0", "method": "session/update", "params": params})


def _text(chance: random.Random, least: int, most: int) -> JsonObject:
    start = chance.randrange(len(CODE))
    return {"type": "text", "text": (CODE[start:] + CODE * 12)[: chance.randint(least, most)]}


def _update(chance: random.Random, at: int) -> JsonObject:
    call, message = f"call_{at // 40}", f"msg_{at // 60}"
    kind = chance.random()
    for share, make in _KINDS:
        if kind < share:
            return make(chance, call, message, at)
        kind -= share
    return _state(chance, call, message, at)


def _chunk(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    variant = "agent_thought_chunk" if chance.random() < 0.3 else "agent_message_chunk"
    return {"sessionUpdate": variant, "messageId": message, "content": _text(chance, 20, 200)}


def _tool_begins(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call,
        "title": "Edit main.py",
        "kind": "edit",
        "status": "in_progress",
        "locations": [{"path": "/home/user/project/main.py", "line": 12}],
        "rawInput": {"path": "/home/user/project/main.py", "old": CODE, "new": CODE[::-1]},
    }


def _diff(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    changes = [{"operation": "modify", "path": "/home/user/project/main.py"}]
    patch = {"format": "git_patch", "text": PATCH}
    content = {"type": "diff", "changes": changes, "patch": patch}
    return {"sessionUpdate": "tool_call_content_chunk", "toolCallId": call, "content": content}


def _output(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    data = base64.b64encode(chance.randbytes(chance.randint(80, 600))).decode()
    return {"sessionUpdate": "terminal_output_chunk", "terminalId": "term_1", "data": data}


def _tool_ends(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": call,
        "status": "completed",
        "content": [{"type": "content", "content": _text(chance, 200, 800)}],
        "rawOutput": {"exitCode": 0, "stdout": CODE, "durationMs": 41},
    }


def _plan(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    entries = [
        {"content": f"Step {n} of the plan", "priority": "high", "status": "pending"}
        for n in range(5)
    ]
    plan = {"type": "items", "planId": "plan-1", "entries": entries}
    return {"sessionUpdate": "plan_update", "plan": plan}


def _whole(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    content = [_text(chance, 300, 1500)]
    return {"sessionUpdate": "agent_message", "messageId": f"whole_{at}", "content": content}


def _usage(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    return {"sessionUpdate": "usage_update", "used": 1000 + at, "size": 200_000}


def _state(chance: random.Random, call: str, message: str, at: int) -> JsonObject:
    if chance.random() < 0.5:
        return {"sessionUpdate": "state_update", "state": "running"}
    return {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}


_KINDS: Final = (
    *((0.50, _chunk), (0.12, _tool_begins), (0.08, _diff), (0.10, _output)),
    *((0.08, _tool_ends), (0.04, _plan), (0.03, _whole), (0.02, _usage)),
)
"""The share of each kind of update; the rest are states."""
