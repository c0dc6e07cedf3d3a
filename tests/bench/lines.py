"""The lines that the measurements read: updates as a coding agent sends them, in realistic sizes.

Half of them are streamed text with code in it (line ends, quotes, tabs); the rest are tool calls
with raw input, diffs and results, terminal output, plans, whole messages, usage and states.
"""

from __future__ import annotations

import base64
import json
import random
from pathlib import Path
from typing import Any

from acpsim.wire.methods import SessionUpdate
from acpsim.wire.parse import NOT_STRICT, strict_decode

RECORDED = Path(__file__).parents[1] / "recorded"

CODE = (
    "    for key, value in items.items():\n"
    "        if value is None:\n"
    '            raise KeyError(f"no \\"{key}\\"")\n'
    '\treturn {"count": len(items), "path": "/home/user/project/main.py"}\n'
)
PATCH = "--- a/main.py\n+++ b/main.py\n@@ -1,4 +1,6 @@\n" + "".join(
    f'-\told = items[{at}]\n+\tnew = items.get("k{at}")\n' for at in range(6)
)


def mixed(count: int, *, seed: int = 0) -> list[bytes]:
    """`count` lines of mixed updates of one session, the same for the same seed."""
    chance = random.Random(seed)
    return [_line(_update(chance, at)) for at in range(count)]


def recorded() -> list[bytes]:
    """The updates of all recorded conversations, as they were on the wire, many times over."""
    lines = []
    for path in sorted(RECORDED.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines()[1:]:
            message = json.dumps(
                json.loads(line).get("msg"), ensure_ascii=False, separators=(",", ":")
            ).encode()
            if _is_update(message):
                lines.append(message)
    return lines * 40


def _is_update(line: bytes) -> bool:
    try:
        return isinstance(strict_decode(line), SessionUpdate)
    except NOT_STRICT:
        return False


def chunks(count: int) -> list[bytes]:
    """`count` chunks of one agent message."""
    return [
        _line(
            {
                "sessionUpdate": "agent_message_chunk",
                "messageId": "msg_1",
                "content": {"type": "text", "text": f"piece {at} of the reply, "},
            }
        )
        for at in range(count)
    ]


def _line(update: dict[str, Any]) -> bytes:
    params = {"sessionId": "sess_abc123def456", "update": update}
    message = {"jsonrpc": "2.0", "method": "session/update", "params": params}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _text(chance: random.Random, least: int, most: int) -> dict[str, Any]:
    start = chance.randrange(len(CODE))
    return {"type": "text", "text": (CODE[start:] + CODE * 12)[: chance.randint(least, most)]}


def _update(chance: random.Random, at: int) -> dict[str, Any]:
    kind = chance.random()
    call, message = f"call_{at // 40}", f"msg_{at // 60}"
    if kind < 0.50:
        variant = "agent_thought_chunk" if chance.random() < 0.3 else "agent_message_chunk"
        return {
            "sessionUpdate": variant,
            "messageId": message,
            "content": _text(chance, 20, 200),
        }
    if kind < 0.62:
        return {
            "sessionUpdate": "tool_call_update",
            "toolCallId": call,
            "title": "Edit main.py",
            "kind": "edit",
            "status": "in_progress",
            "locations": [{"path": "/home/user/project/main.py", "line": 12}],
            "rawInput": {"path": "/home/user/project/main.py", "old": CODE, "new": CODE[::-1]},
        }
    if kind < 0.70:
        return {
            "sessionUpdate": "tool_call_content_chunk",
            "toolCallId": call,
            "content": {
                "type": "diff",
                "changes": [{"operation": "modify", "path": "/home/user/project/main.py"}],
                "patch": {"format": "git_patch", "text": PATCH},
            },
        }
    if kind < 0.80:
        data = base64.b64encode(chance.randbytes(chance.randint(80, 600))).decode()
        return {"sessionUpdate": "terminal_output_chunk", "terminalId": "term_1", "data": data}
    if kind < 0.88:
        return {
            "sessionUpdate": "tool_call_update",
            "toolCallId": call,
            "status": "completed",
            "content": [{"type": "content", "content": _text(chance, 200, 800)}],
            "rawOutput": {"exitCode": 0, "stdout": CODE, "durationMs": 41},
        }
    if kind < 0.92:
        entries = [
            {"content": f"Step {n} of the plan", "priority": "high", "status": "pending"}
            for n in range(5)
        ]
        plan = {"type": "items", "planId": "plan-1", "entries": entries}
        return {"sessionUpdate": "plan_update", "plan": plan}
    if kind < 0.95:
        return {
            "sessionUpdate": "agent_message",
            "messageId": f"whole_{at}",
            "content": [_text(chance, 300, 1500)],
        }
    if kind < 0.97:
        return {"sessionUpdate": "usage_update", "used": 1000 + at, "size": 200_000}
    if chance.random() < 0.5:
        return {"sessionUpdate": "state_update", "state": "running"}
    return {"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn"}
