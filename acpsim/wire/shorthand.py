"""A conversation in text, one event a line: short enough to be read beside what is said of it.

```
setup                          initialize and session/new s1, four messages; then words: image audio
                               embeddedContext (capabilities), or another session id
> #1 prompt "hi"               a client's request 1; `> [s2] #1 prompt "x"` for another session
< #1 ok u1                     its response: {"messageId": "u1"}; `ok {…}` any result, or
                               `error CODE "text"`
< user_message u1 "hi"         an update: variant, id, then a text for content (or the chunk's
                               block), then an object that is merged into the update
< running                      state_update; idle takes a stop reason; an object is merged
< #a1 permission t1 yes/no     a permission request about tool call t1 (`-`: no subject)
> #a1 selected yes             its answer; also `cancelled`, `error CODE`
> cancel   > #3 close   > #4 resume [replay]   > cancel_request 1   < cancel_request "a1"
> raw {…}  < raw {…}           any message
lost                           the connection breaks
```
A `#` that begins a word after two spaces starts a comment, except in `#1`-like ids.
"""

from __future__ import annotations

import json
import re
from typing import Any

from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, Edition
from acpsim.wire.trace import Event, event, lost

STATES = ("running", "idle", "requires_action", "unknown")
ID_FIELDS = {
    "tool_call": "toolCallId",
    "terminal": "terminalId",
    "plan": "planId",
    "compaction": "compactionId",
    "subagent": "sessionId",
}
NO_ID = (
    "notice",
    "usage_update",
    "session_info_update",
    "available_commands_update",
    "config_option_update",
)
KINDS = {
    "yes": "allow_once",
    "always": "allow_always",
    "no": "reject_once",
    "never": "reject_always",
}
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{\[].*|\S+)')


def conversation(text: str, *, edition: Edition = DRAFT) -> list[Event]:
    """The events of a conversation in shorthand; lines numbered from 1, `t` = 0.01 × line."""
    messages: list[tuple[str, JsonObject | None]] = []
    for source in text.strip().splitlines():
        line = re.sub(r"(^|\s{2,})#(?![0-9a]).*$", "", source).strip()
        if line:
            messages += _line(line)
    events = []
    for number, (direction, message) in enumerate(messages, 1):
        if message is None:
            events.append(lost(line=number, t=number / 100))
        else:
            assert direction in {"c2a", "a2c"}
            events.append(
                event(direction, message, edition=edition, line=number, t=number / 100)  # type: ignore[arg-type]
            )
    return events


def _line(line: str) -> list[tuple[str, JsonObject | None]]:
    words = _words(line)
    if words[0] == "lost":
        return [("lost", None)]
    if words[0] == "setup":
        return _setup(words[1:])
    direction = {">": "c2a", "<": "a2c"}[words.pop(0)]
    session = "s1"
    if isinstance(words[0], list):
        session = words.pop(0)[0]
    return [(direction, _message(words, session))]


def _words(line: str) -> list[Any]:
    """The words of a line: strings and JSON objects read, `[s2]` a list of one, the rest as is."""
    words: list[Any] = []
    at = 0
    while match := _TOKEN.match(line, at):
        word = match.group(1)
        at = match.end()
        session = re.match(r"\[(\w+)\]", word)
        if session and len(words) == 1:
            words.append([session.group(1)])
            at = match.start(1) + session.end()
        elif word[0] == '"':
            words.append(Text(json.loads(word)))
        elif word[0] in "{[":
            words.append(json.loads(word))
        else:
            words.append(word)
    return words


class Text(str):
    """A quoted word: a text and never a keyword."""


def _setup(words: list[Any]) -> list[tuple[str, JsonObject | None]]:
    offered = {"image", "audio", "embeddedContext"}
    capabilities: JsonObject = {word: {} for word in words if word in offered}
    others = [word for word in words if word not in capabilities]
    session = others[0] if others else "s1"
    info = {"name": "test", "version": "1"}
    return [
        (
            "c2a",
            _request("i0", "initialize", {"protocolVersion": 2, "info": info, "capabilities": {}}),
        ),
        (
            "a2c",
            _result(
                "i0",
                {
                    "protocolVersion": 2,
                    "info": info,
                    "capabilities": {"session": {"prompt": capabilities}},
                },
            ),
        ),
        ("c2a", _request(f"n-{session}", "session/new", {"cwd": "/p", "mcpServers": []})),
        ("a2c", _result(f"n-{session}", {"sessionId": session})),
    ]


def _request(identity: Any, method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def _notification(method: str, params: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def _result(identity: Any, result: Any) -> JsonObject:
    return {"jsonrpc": "2.0", "id": identity, "result": result}


def _identity(word: str) -> int | str:
    return int(word) if re.fullmatch(r"-?\d+", word) else word


def _block(text: str) -> JsonObject:
    return {"type": "text", "text": str(text)}


def _message(words: list[Any], session: str) -> JsonObject:
    head = words[0]
    if head == "raw":
        raw: JsonObject = words[1]
        return raw
    if isinstance(head, str) and head.startswith("#"):
        return _call(_identity(head[1:]), words[1], words[2:], session)
    if head == "cancel":
        return _notification("session/cancel", {"sessionId": session})
    if head == "cancel_request":
        word = words[1]
        identity = str(word) if isinstance(word, Text) else _identity(str(word))
        return _notification("$/cancel_request", {"requestId": identity})
    update = _update(str(head), words[1:])
    return _notification("session/update", {"sessionId": session, "update": update})


def _call(identity: int | str, verb: str, rest: list[Any], session: str) -> JsonObject:
    if verb == "ok":
        result = rest[0] if rest else {}
        return _result(identity, result if isinstance(result, dict) else {"messageId": str(result)})
    if verb == "error":
        message = str(rest[1]) if len(rest) > 1 else "failed"
        return {
            "jsonrpc": "2.0",
            "id": identity,
            "error": {"code": int(rest[0]), "message": message},
        }
    if verb == "selected":
        outcome = {"outcome": "selected", "optionId": str(rest[0])}
        return _result(identity, {"outcome": outcome})
    if verb == "cancelled":
        return _result(identity, {"outcome": {"outcome": "cancelled"}})
    return _asked(identity, verb, rest, session)


def _asked(identity: int | str, verb: str, rest: list[Any], session: str) -> JsonObject:
    named: JsonObject = {"sessionId": session}
    if verb == "permission":
        options = [
            {"optionId": name, "name": name, "kind": KINDS.get(name, "allow_once")}
            for name in str(rest[1] if len(rest) > 1 else "yes/no").split("/")
        ]
        params = {**named, "title": "Allow?", "options": options}
        if rest and rest[0] != "-":
            params["subject"] = {"type": "tool_call", "toolCall": {"toolCallId": str(rest[0])}}
        return _request(identity, "session/request_permission", params)
    if verb == "prompt":
        prompt = [_block(word) if isinstance(word, str) else word for word in rest]
        return _request(identity, "session/prompt", {**named, "prompt": prompt})
    if verb == "resume":
        params = {**named, "cwd": "/p", "mcpServers": []}
        if rest and rest[0] == "replay":
            params["replayFrom"] = {"type": "start"}
        return _request(identity, "session/resume", params)
    if verb == "new":
        return _request(identity, "session/new", {"cwd": "/p", "mcpServers": []})
    if verb == "close":
        return _request(identity, "session/close", named)
    return _request(identity, verb, rest[0] if rest else named)


def _update(variant: str, rest: list[Any]) -> JsonObject:
    if variant in STATES:
        update: JsonObject = {"sessionUpdate": "state_update", "state": variant}
        if rest and not isinstance(rest[0], dict):
            update["stopReason"] = str(rest.pop(0))
        return {**update, **(rest[0] if rest else {})}
    update = {"sessionUpdate": variant}
    kind = variant.split("_update")[0].split("_chunk")[0]
    kind = kind.removesuffix("_content").removesuffix("_output").removesuffix("_summary")
    if variant == "plan_update":
        update["plan"] = {"type": "items", "planId": str(rest.pop(0)), "entries": []}
        if rest:
            update["plan"] = {**update["plan"], **rest.pop(0)}
        return update
    if variant == "plan_removed":
        kind = "plan"
    if variant not in NO_ID and rest and not isinstance(rest[0], dict):
        update[ID_FIELDS.get(kind, "messageId")] = str(rest.pop(0))
    if rest and isinstance(rest[0], Text):
        update.update(_content(variant, rest.pop(0)))
    return {**update, **(rest[0] if rest else {})}


def _content(variant: str, text: str) -> JsonObject:
    if variant == "terminal_output_chunk":
        return {"data": str(text)}
    if variant == "notice":
        return {"severity": "info", "title": str(text)}
    if variant == "tool_call_content_chunk":
        return {"content": {"type": "content", "content": _block(text)}}
    if variant == "tool_call_update":
        return {"content": [{"type": "content", "content": _block(text)}]}
    if variant == "compaction_update":
        return {"status": "completed", "summary": [_block(text)]}
    return {"content": _block(text) if variant.endswith("_chunk") else [_block(text)]}
