"""How a client breaks each rule that binds it. See `misbehave` for the table."""

from __future__ import annotations

from acpsim.sim.rogue import Rogue
from acpsim.wire.cells import JsonObject

Said = list[JsonObject]


def one_id(rogue: Rogue, message: JsonObject) -> Said:
    """RPC-ID-REUSE. By requests that mean nothing, so that no other is mistaken for one."""
    if message.get("method") != "session/new":
        return [message]
    ping = {"jsonrpc": "2.0", "id": "ping", "method": "_ping", "params": {}}
    return [message, ping, ping]


def undeclared_block(rogue: Rogue, message: JsonObject) -> Said:
    """PROMPT-CONTENT-CAPABILITY."""
    if message.get("method") == "session/prompt":
        message["params"]["prompt"].append({"type": "_hologram", "depth": 3})
    return [message]


def hasty_prompt(rogue: Rogue, message: JsonObject) -> Said:
    """PROMPT-AFTER-SETUP."""
    if message.get("method") != "initialize":
        return [message]
    params = {"sessionId": "sess_1", "prompt": [{"type": "text", "text": "hello?"}]}
    prompt = {"jsonrpc": "2.0", "id": "hasty", "method": "session/prompt", "params": params}
    return [message, prompt]


def allows_after_cancel(rogue: Rogue, message: JsonObject) -> Said:
    """CANCEL-PERMISSIONS."""
    outcome = _outcome(message)
    if outcome == "cancelled":
        message["result"] = {"outcome": {"outcome": "selected", "optionId": "yes"}}
    return [message]


def no_permission_answer(rogue: Rogue, message: JsonObject) -> Said:
    """CANCEL-PERMISSIONS-OPEN. What the agent withdraws is answered: another rule asks for that."""
    silent = _outcome(message) == "cancelled" and message["id"] not in rogue.withdrawn
    if silent:
        rogue.memory[message["id"]] = message
    asked_for = [rogue.memory.pop(key) for key in rogue.withdrawn & rogue.memory.keys()]
    return asked_for if silent else [*asked_for, message]


def unoffered(rogue: Rogue, message: JsonObject) -> Said:
    """PERMISSION-OUTCOME."""
    if _outcome(message) == "selected":
        message["result"]["outcome"]["optionId"] = "always-and-ever"
    return [message]


def _outcome(message: JsonObject) -> str | None:
    result = message.get("result")
    outcome = result.get("outcome") if isinstance(result, dict) else None
    named = outcome.get("outcome") if isinstance(outcome, dict) else None
    return named if isinstance(named, str) else None
