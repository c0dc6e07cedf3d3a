"""One message in a few words: what a reader of a diagram or of a fault wants to know of it.

Owns: `summary`, and `remainder`, which is what a summary does not say of a message: in a fault of
few messages each field may be the cause. Everything a peer wrote is made visible (`escape`).
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from acpsim.views.escape import visible
from acpsim.wire.trace import Event

TEXT_MAX: Final = 40
"""Characters of a content shown in a summary."""
REST_MAX: Final = 160
"""Characters of the fields that a summary leaves out, where they are shown behind it."""
IDS: Final = ("messageId", "toolCallId", "terminalId", "planId", "compactionId", "sessionId")


def summary(event: Event) -> str:
    """The event in one short line, without its direction."""
    if event.dir == "lost":
        return "connection lost"
    try:
        message = msgspec.json.decode(event.raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return visible(event.raw.decode("utf-8", "replace"), TEXT_MAX)
    if not isinstance(message, dict):
        return _cut(message)
    method = message.get("method")
    if method is None:
        return _response(message)
    head = visible(str(method), TEXT_MAX)
    if "id" in message:
        head = f"#{_cut(message['id'])} {head}"
    params = message.get("params")
    if not isinstance(params, dict):
        return head
    if method == "session/update":
        return _update(params.get("update"))
    return f"{head} {_detail(str(method), params)}".rstrip()


def remainder(event: Event) -> str:
    """The fields that `summary` does not say, as a JSON object; empty where it says all.

    What every conversation begins with (`initialize`, `session/new`) is left at its summary.
    """
    try:
        message = msgspec.json.decode(event.raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    if event.dir == "lost" or not isinstance(message, dict):
        return ""
    rest = _rest(message)
    return "" if not rest else visible(_short(_json(rest), REST_MAX), None)


def _rest(message: dict[str, Any]) -> dict[str, Any]:
    """What is left of a message once what its summary says is taken away."""
    rest = {k: v for k, v in message.items() if k not in ("jsonrpc", "id", "method")}
    method = message.get("method")
    if method in PREPARING:
        return {}
    params, result, error = (rest.pop(name, None) for name in ("params", "result", "error"))
    if isinstance(params, dict) and method == "session/update":
        rest |= {k: v for k, v in params.items() if k not in ("sessionId", "update")}
        if isinstance(params.get("update"), dict):
            rest |= _rest_of_update(params["update"])
    elif isinstance(params, dict):
        rest |= _rest_of_params(params)
    elif params is not None:
        rest["params"] = params
    if isinstance(result, dict):
        rest |= _rest_of_result(result)
    elif "result" in message:
        rest["result"] = result
    if isinstance(error, dict):
        rest |= {k: v for k, v in error.items() if k not in ("code", "message")}
    elif "error" in message:
        rest["error"] = error
    return rest


PREPARING: Final = ("initialize", "session/new")


def _rest_of_update(update: dict[str, Any]) -> dict[str, Any]:
    said = {"sessionUpdate"}
    if update.get("sessionUpdate") == "state_update" and isinstance(update.get("state"), str):
        said |= {"state"} | ({"stopReason"} if update.get("stopReason") is not None else set())
        return {k: v for k, v in update.items() if k not in said}
    said |= {key for key in IDS if key in update}
    said |= {key for key in ("title", "status", "severity") if isinstance(update.get(key), str)}
    said |= {key for key in ("content", "summary", "data") if _told_whole(update.get(key))}
    rest = {k: v for k, v in update.items() if k not in said}
    plan = rest.pop("plan", None)
    if isinstance(plan, dict):
        rest |= {k: v for k, v in plan.items() if k != "planId"}
    elif "plan" in update:
        rest["plan"] = plan
    return rest


def _rest_of_params(params: dict[str, Any]) -> dict[str, Any]:
    rest = {k: v for k, v in params.items() if k not in ("sessionId", "cwd", "requestId")}
    if _told_whole(rest.get("prompt")):
        rest.pop("prompt", None)
    if isinstance(rest.get("title"), str):
        rest.pop("title")
    subject = rest.pop("subject", None)
    call = subject.get("toolCall") if isinstance(subject, dict) else None
    if isinstance(call, dict) and len(subject) == 2:
        rest |= {k: v for k, v in call.items() if k != "toolCallId"}
    elif subject is not None:
        rest["subject"] = subject
    if all(_plain_option(option) for option in _listed(rest.get("options"))):
        rest.pop("options", None)
    return rest


def _rest_of_result(result: dict[str, Any]) -> dict[str, Any]:
    said = next((k for k in ("messageId", "sessionId", "stopReason") if k in result), "")
    rest = {k: v for k, v in result.items() if k != said}
    if {"protocolVersion", "info"} <= rest.keys():
        return {}  # the answer to `initialize`
    outcome = rest.get("outcome")
    if not said and isinstance(outcome, dict):
        del rest["outcome"]
        rest |= {k: v for k, v in outcome.items() if k not in ("outcome", "optionId")}
    return rest


def _plain_option(option: Any) -> bool:
    return isinstance(option, dict) and option.keys() <= {"optionId", "name", "kind"}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _told_whole(value: Any) -> bool:
    """Whether a content is said in full by its text."""
    if value is None or isinstance(value, str):
        return True
    blocks = _listed(value)
    return len(blocks) <= 2 and all(_plain_block(block) for block in blocks)


def _plain_block(block: Any) -> bool:
    if not isinstance(block, dict):
        return False
    if block.keys() == {"type", "content"} and block["type"] == "content":
        block = block["content"]
        return isinstance(block, dict) and _plain_block(block)
    text = block.get("text")
    return block.keys() == {"type", "text"} and isinstance(text, str) and len(text) <= TEXT_MAX


def _response(message: dict[str, Any]) -> str:
    head = f"#{_cut(message.get('id'))}"
    error = message.get("error")
    if isinstance(error, dict):
        return f"{head} error {_cut(error.get('code'))} {_text(error.get('message'))}".rstrip()
    result = message.get("result")
    if isinstance(result, dict):
        for key in ("messageId", "sessionId", "stopReason"):
            if key in result:
                return f"{head} ok {_text(result[key])}"
        outcome = result.get("outcome")
        if isinstance(outcome, dict):
            option = outcome.get("optionId", "")
            return f"{head} {_text(outcome.get('outcome'))} {_text(option)}".rstrip()
    return f"{head} ok"


def _detail(method: str, params: dict[str, Any]) -> str:
    if method == "session/prompt":
        return _content(params.get("prompt"))
    if method == "session/request_permission":
        subject = params.get("subject")
        call = subject.get("toolCall") if isinstance(subject, dict) else None
        named = f" {_text(call.get('toolCallId'))}" if isinstance(call, dict) else ""
        return f"{_quoted(params.get('title'))}{named}"
    if method == "$/cancel_request":
        return f"#{_cut(params.get('requestId'))}"
    if method == "session/resume":
        return "with replay" if params.get("replayFrom") else ""
    return ""


def _update(update: Any) -> str:
    if not isinstance(update, dict):
        return f"update {_cut(update)}"
    variant = str(update.get("sessionUpdate"))
    if variant == "state_update" and isinstance(update.get("state"), str):
        reason = update.get("stopReason")
        return f"{_text(update['state'])}{'' if reason is None else f' {_text(reason)}'}"
    parts = [visible(variant, TEXT_MAX)]
    parts += [_text(update[key]) for key in IDS if key in update]
    plan = update.get("plan")
    if isinstance(plan, dict):
        parts.append(_text(plan.get("planId")))
    for key in ("title", "status", "severity"):
        if isinstance(update.get(key), str):
            parts.append(_quoted(update[key]) if key == "title" else _text(update[key]))
    for key in ("content", "summary", "data"):
        if key in update:
            parts.append(_content(update[key]))
    return " ".join(part for part in parts if part)


def _content(value: Any) -> str:
    """A content, a block or an item in a few words."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        shown = " ".join(_content(item) for item in value[:2])
        more = f" +{len(value) - 2}" if len(value) > 2 else ""
        return f"[{shown}{more}]"
    if isinstance(value, dict):
        if isinstance(value.get("text"), str):
            return _quoted(value["text"])
        if value.get("type") == "content":
            return _content(value.get("content"))
        return f"<{_text(value.get('type'))}>"
    return _cut(value)


def _quoted(value: Any) -> str:
    return visible(json.dumps(_short(str(value)), ensure_ascii=False), None)


def _text(value: Any) -> str:
    return visible(_short(value), None) if isinstance(value, str) else _cut(value)


def _cut(value: Any) -> str:
    return visible(_short(_json(value)), None)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str, most: int = TEXT_MAX) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
