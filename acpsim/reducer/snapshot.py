"""Client state → canonical snapshot, section by section.

Owns: `SECTIONS`, one function for each key of the snapshot, in its order. They put stored cells
into a tree as they are; encoding the tree gives JSON text, and decoding that gives values which
nobody shares with the state (law 12).
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from acpsim.reducer.state import Message, Session, SessionMessage
from acpsim.wire.cells import JsonObject

Section: TypeAlias = Callable[[Session], Any]
"""The tree of one section: JSON values with cells in it."""

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def _messages(session: Session) -> JsonObject:
    tree: JsonObject = {
        kind: {key: _message(held) for key, held in table.items()}
        for kind, table in session.messages.items()
    }
    tree["session_message"] = {
        key: _addressed(held, session) for key, held in session.session_messages.items()
    }
    return tree


def _message(message: Message) -> JsonObject:
    return {"content": message.content, "meta": message.meta}


def _addressed(message: SessionMessage, session: Session) -> JsonObject:
    tree = _message(message)
    tree["senderSessionId"] = message.sender_session_id
    tree["recipientSessionId"] = message.recipient_session_id
    if session.edition.message_cross_references:
        tree["senderMessageId"] = message.sender_message_id
        tree["recipientMessageId"] = message.recipient_message_id
    return tree


def _tool_calls(session: Session) -> JsonObject:
    tree = {}
    for key, call in session.tool_calls.items():
        entry = tree[key] = {
            "title": call.title,
            "name": call.name,
            "kind": call.kind,
            "status": call.status,
            "content": call.content,
            "locations": call.locations,
            "rawInput": call.raw_input,
            "rawOutput": call.raw_output,
            "meta": call.meta,
        }
        if session.edition.extras:
            entry["capabilities"] = call.capabilities
    return tree


def _terminals(session: Session) -> JsonObject:
    tree = {}
    for key, terminal in session.terminals.items():
        entry: JsonObject = {
            "command": terminal.command,
            "cwd": terminal.cwd,
            "output": base64.b64encode(b"".join(terminal.output)).decode(),
            "exitStatus": terminal.exit_status,
            "meta": terminal.meta,
        }
        if session.edition.extras:
            entry["capabilities"] = terminal.capabilities
            entry["size"] = terminal.size
        tree[key] = entry
    return tree


def _compactions(session: Session) -> JsonObject:
    return {
        key: {
            "status": held.status,
            "summary": held.summary,
            "error": held.error,
            "meta": held.meta,
        }
        for key, held in session.compactions.items()
    }


def _subagents(session: Session) -> JsonObject:
    return {
        key: {
            "title": held.title,
            "description": held.description,
            "capabilities": held.capabilities,
            "state": held.state,
            "cwd": held.cwd,
            "additionalDirectories": held.additional_directories,
            "meta": held.meta,
        }
        for key, held in session.subagents.items()
    }


def _foreground(session: Session) -> JsonObject:
    tree: JsonObject = {
        "state": session.state,
        "confirmed": session.confirmed,
        "stopReason": session.stop_reason,
        "error": session.error,
        "usage": session.usage,
        "completions": session.completions,
    }
    if session.edition.reports_background:
        tree["background"] = session.background
    return tree


def _prompts(session: Session) -> list[JsonObject]:
    return [
        {
            "request": prompt.request,
            "status": prompt.status,
            "messageId": prompt.message_id,
            "error": prompt.error,
        }
        for prompt in session.prompts
    ]


def _permissions(session: Session) -> list[JsonObject]:
    return [
        {"request": held.request, "status": held.status, "outcome": held.outcome}
        for held in session.permissions
    ]


def _info(session: Session) -> JsonObject:
    return {
        "title": session.title,
        "updatedAt": session.updated_at,
        "meta": session.info_meta,
    }


def _usage(session: Session) -> JsonObject | None:
    if session.usage_used is None:
        return None
    return {
        "used": session.usage_used,
        "size": session.usage_size,
        "cost": session.usage_cost,
    }


SECTION_BUILDERS: Final[dict[str, Section]] = {
    "timeline": lambda session: session.timeline,
    "messages": _messages,
    "toolCalls": _tool_calls,
    "terminals": _terminals,
    "plans": lambda session: session.plans,
    "compactions": _compactions,
    "subagents": _subagents,
    "foreground": _foreground,
    "prompts": _prompts,
    "permissions": _permissions,
    "commands": lambda session: session.commands,
    "configOptions": lambda session: session.config_options,
    "info": _info,
    "usage": _usage,
    "notices": lambda session: session.notices,
    "unknown": lambda session: session.unknown,
    "closed": lambda session: session.closed,
}
"""The canonical snapshot's sections, in order, and how each is built."""

SECTIONS: Final[tuple[str, ...]] = tuple(SECTION_BUILDERS)


def snapshot_bytes(session: Session, builders: Mapping[str, Section] = SECTION_BUILDERS) -> bytes:
    """The snapshot as JSON text; equal texts are equal snapshots."""
    return _encode({name: build(session) for name, build in builders.items()})


def snapshot(session: Session, builders: Mapping[str, Section] = SECTION_BUILDERS) -> JsonObject:
    """The snapshot as a fresh JSON object."""
    tree: JsonObject = _decode(snapshot_bytes(session, builders))
    return tree
