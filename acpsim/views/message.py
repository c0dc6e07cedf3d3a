"""One message in a few words: what a reader of a diagram or of a fault wants to know of it.

Owns: `summary`. Everything a peer wrote in it is made visible (`escape`).
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from acpsim.views.escape import visible
from acpsim.wire.trace import Event

TEXT_MAX: Final = 40
"""Characters of a content shown in a summary."""
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
    if variant == "state_update":
        reason = update.get("stopReason")
        return f"{_text(update.get('state'))}{'' if reason is None else f' {_text(reason)}'}"
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
    return visible(_short(json.dumps(value, ensure_ascii=False, default=str)), None)


def _short(text: str) -> str:
    return text if len(text) <= TEXT_MAX else f"{text[: TEXT_MAX - 1]}…"
