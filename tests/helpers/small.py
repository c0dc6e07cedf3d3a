"""A small reducer written from the specification alone, to be broken on purpose.

It holds the canonical snapshot itself as plain JSON and is slow and simple. Tests break one of its
methods, and the oracles have to see it. It takes messages as a Python target does.
"""

from __future__ import annotations

import base64
import binascii
import copy
from typing import Any

from msgspec import UNSET, to_builtins

from acpsim.wire import methods, updates
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import EDITIONS, TERMINAL_STATUSES
from acpsim.wire.jsonrpc import NOT_FOUND, Malformed, OtherRequest, Response
from acpsim.wire.parse import read_result, read_value

MESSAGES = ("user_message", "agent_message", "agent_thought", "session_message")
CONTENT = {"tool_call": "content", "compaction": "summary", **dict.fromkeys(MESSAGES, "content")}


def untouched() -> JsonObject:
    return {
        "timeline": [],
        "messages": {kind: {} for kind in MESSAGES},
        **{s: {} for s in ("toolCalls", "terminals", "plans", "compactions", "subagents")},
        "foreground": {
            "state": "idle",
            "confirmed": True,
            "stopReason": None,
            "error": None,
            "usage": None,
            "completions": 0,
        },
        **{s: [] for s in ("prompts", "permissions", "commands", "configOptions")},
        "info": {"title": None, "updatedAt": None, "meta": None},
        "usage": None,
        "notices": [],
        "unknown": [],
        "closed": False,
    }


class Small:
    """One connection. Subclasses break one thing."""

    def __init__(self, edition: str) -> None:
        self.edition = EDITIONS[edition]
        self.sessions: dict[str, JsonObject] = {}
        self.stretch: dict[str, set[str]] = {}
        self.open: dict[tuple[str, Any], Any] = {}

    def snapshot(self, session_id: str) -> Json:
        return copy.deepcopy(self.sessions.get(session_id))

    def apply(self, event: JsonObject) -> None:
        if event["dir"] == "lost":
            self.lost()
            return
        event = copy.deepcopy(event)
        message = read_value(event["msg"], self.edition).message
        ways = {event["dir"], getattr(message, "direction", event["dir"])}
        if len(ways) > 1 and not isinstance(message, methods.CancelRequest):
            return
        name = self.session_name(message)
        if name is not None:
            self.held(name)
        if isinstance(message, Response | Malformed) and "method" not in event["msg"]:
            self.response(event["dir"], message, event["msg"])
        elif isinstance(message, methods.SessionUpdate):
            assert name is not None
            self.update(name, message.params.update, event["msg"]["params"]["update"])
        elif isinstance(message, methods.Request | OtherRequest):
            self.request(event["dir"], message, name)
        elif isinstance(message, methods.CancelSession):
            assert name is not None
            self.cancel(name)

    def session_name(self, message: Any) -> str | None:
        name = getattr(getattr(message, "params", None), "session_id", None)
        return name if isinstance(name, str) else None

    def held(self, name: str) -> JsonObject:
        if name not in self.sessions:
            self.sessions[name] = untouched()
            if self.edition.reports_background:
                self.sessions[name]["foreground"]["background"] = None
            self.stretch[name] = set()
        return self.sessions[name]

    # ------------------------------------------------------------------ requests and responses
    def request(self, direction: str, message: Any, name: str | None) -> None:
        entry: JsonObject | None = None
        if isinstance(message, methods.PromptRequest):
            entry = {"request": message.id, "status": "pending", "messageId": None, "error": None}
            self.held(message.params.session_id)["prompts"].append(entry)
        elif isinstance(message, methods.RequestPermissionRequest):
            entry = {"request": message.id, "status": "pending", "outcome": None}
            self.held(message.params.session_id)["permissions"].append(entry)
            subject = message.params.subject
            if isinstance(subject, methods.ToolCallSubject):
                self.tool(message.params.session_id, subject.tool_call)
        self.open[direction, message.id] = (message, entry)

    def response(self, direction: str, message: Any, raw: JsonObject) -> None:
        asker = {"c2a": "a2c", "a2c": "c2a"}[direction]
        request, entry = self.open.pop((asker, message.id), (None, None))
        if not isinstance(request, methods.Request):
            return
        outcome: Any = message
        if isinstance(message, Response):
            outcome, _ = read_result(request, message, self.edition)  # type: ignore[arg-type]
        if isinstance(request, methods.PromptRequest):
            self.prompt_outcome(entry, outcome, raw)
        elif isinstance(request, methods.RequestPermissionRequest):
            selected = isinstance(outcome, methods.RequestPermissionResult)
            entry["status"] = "answered" if selected else "withdrawn"
            entry["outcome"] = raw["result"]["outcome"] if selected else None
        else:
            self.other_outcome(request, message, outcome)

    def prompt_outcome(self, entry: JsonObject, outcome: Any, raw: JsonObject) -> None:
        if isinstance(outcome, methods.PromptResult):
            entry |= {"status": "accepted", "messageId": outcome.message_id}
        elif isinstance(outcome, Malformed):
            entry["status"] = "uncertain"
        else:
            entry |= {"status": "rejected", "error": raw["error"]}

    def other_outcome(self, request: Any, message: Any, outcome: Any) -> None:
        if isinstance(outcome, Malformed):
            return
        name = getattr(outcome, "session_id", None) or getattr(request.params, "session_id", None)
        failed = not isinstance(outcome, methods.Params)
        if isinstance(request, methods.CloseSessionRequest):
            gone = failed and outcome.code == NOT_FOUND and self.edition.not_found_closes
            if not failed or gone:
                self.held(request.params.session_id)["closed"] = True
            return
        if failed or name is None:
            return
        held = self.held(name)
        if isinstance(request, methods.ResumeSessionRequest):
            held["closed"] = False
        if getattr(outcome, "config_options", UNSET) is not UNSET:
            held["configOptions"] = to_builtins(outcome.config_options)
        if self.edition.extras and getattr(outcome, "available_commands", UNSET) is not UNSET:
            held["commands"] = to_builtins(outcome.available_commands)

    def lost(self) -> None:
        for held in self.sessions.values():
            held["foreground"]["confirmed"] = False
            for prompt in held["prompts"]:
                if prompt["status"] == "pending":
                    prompt["status"] = "uncertain"
            for asked in held["permissions"]:
                if asked["status"] == "pending":
                    asked["status"] = "withdrawn"
        self.open.clear()

    def cancel(self, name: str) -> None:
        held = self.held(name)
        if held["foreground"]["state"] == "idle":
            return
        spared = {
            item.get("toolCallId")
            for item in held["foreground"].get("background") or []
            if self.edition.cancel_spares_background and item["type"] == "tool_call"
        }
        for own in self.stretch[name] - spared:
            if held["toolCalls"][own]["status"] not in TERMINAL_STATUSES:
                held["toolCalls"][own]["status"] = "cancelled"

    # ------------------------------------------------------------------ updates
    def update(self, name: str, update: Any, raw: JsonObject) -> None:
        held = self.held(name)
        match update:
            case updates.UnknownUpdate():
                held["unknown"].append(raw)
            case updates.Notice():
                held["notices"].append(raw)
            case updates.StateUpdate():
                self.state(name, update)
            case updates.PlanUpdate():
                self.plan(held, to_builtins(update.plan))
            case updates.PlanRemoved():
                held["plans"].pop(update.plan_id, None)
            case updates.AvailableCommandsUpdate():
                held["commands"] = to_builtins(update.available_commands)
            case updates.ConfigOptionUpdate():
                held["configOptions"] = to_builtins(update.config_options)
            case updates.SessionInfoUpdate():
                self.patch(held["info"], update, ("title", "updatedAt"))
            case updates.UsageUpdate():
                self.usage(held, update)
            case _:
                self.entity(name, update)

    def plan(self, held: JsonObject, plan: JsonObject) -> None:
        held["plans"][plan["planId"]] = plan

    def usage(self, held: JsonObject, update: updates.UsageUpdate) -> None:
        cost = (held["usage"] or {}).get("cost")
        if update.cost is not UNSET:
            cost = to_builtins(update.cost)
        held["usage"] = {"used": update.used, "size": update.size, "cost": cost}

    def state(self, name: str, update: updates.StateUpdate) -> None:
        front = self.held(name)["foreground"]
        if self.edition.reports_background:
            reported = update.background
            front["background"] = None if reported is UNSET else to_builtins(reported)
        if update.state == "unknown":
            front["confirmed"] = False
            return
        was_idle = front["state"] == "idle"
        front["state"] = update.state
        front["confirmed"] = update.state in {"idle", "running", "requires_action"}
        told = {
            "stopReason": update.stop_reason,
            "error": update.error if update.stop_reason == "error" else UNSET,
            "usage": update.usage,
        }
        if update.state != "idle":
            front |= dict.fromkeys(told)
            if was_idle:
                self.stretch[name] = set()
            return
        if not was_idle:
            self.completed(front)
            front |= dict.fromkeys(told)
            self.stretch[name] = set()
        # Null is as little a report as leaving it out.
        front |= {k: to_builtins(v) for k, v in told.items() if v is not UNSET and v is not None}

    def completed(self, front: JsonObject) -> None:
        front["completions"] += 1

    def entity(self, name: str, update: Any) -> None:
        variant = str(update.__struct_config__.tag)
        if variant.startswith("tool_call"):
            self.tool(name, update)
        elif variant.startswith("terminal"):
            self.terminal(self.held(name), update)
        elif variant.startswith("compaction"):
            self.compaction(self.held(name), update)
        elif variant == "subagent_update":
            self.subagent(self.held(name), update)
        else:
            self.message(self.held(name), variant, update)

    def place(self, held: JsonObject, kind: str, own: str) -> bool:
        """Whether the entity is first seen now."""
        if [kind, own] in held["timeline"]:
            return False
        held["timeline"].append([kind, own])
        return True

    def message(self, held: JsonObject, variant: str, update: Any) -> None:
        kind = variant.removesuffix("_chunk")
        first: JsonObject = {"content": [], "meta": None}
        if kind == "session_message":
            first |= {"senderSessionId": None, "recipientSessionId": None}
            if self.edition.message_cross_references:
                first |= {"senderMessageId": None, "recipientMessageId": None}
        self.place(held, kind, update.message_id)
        entity = held["messages"][kind].setdefault(update.message_id, first)
        chunk = variant.endswith("_chunk")
        if chunk:
            self.append(entity, "content", update)
        else:
            self.patch(entity, update, ("content",))
        if kind == "session_message" and not (chunk and not self.edition.chunks_carry_identities):
            self.identities(entity, update)

    def identities(self, entity: JsonObject, update: Any) -> None:
        for name in [n for n in entity if n.endswith("Id")]:
            snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
            value = getattr(update, snake, UNSET)
            if value is UNSET or (value is None and not self.edition.identities_cleared_by_null):
                continue
            entity[name] = value

    def tool(self, name: str, update: Any) -> None:
        held = self.held(name)
        first: JsonObject = {
            **dict.fromkeys(("title", "name", "rawInput", "rawOutput", "meta")),
            "kind": "other",
            "status": "pending",
            "content": [],
            "locations": [],
        }
        if self.edition.extras:
            first["capabilities"] = None
        if self.place(held, "tool_call", update.tool_call_id):
            held["toolCalls"][update.tool_call_id] = first
            if held["foreground"]["state"] != "idle":
                self.stretch[name].add(update.tool_call_id)
        entity = held["toolCalls"][update.tool_call_id]
        if isinstance(update, updates.ToolCallContentChunk):
            self.append(entity, "content", update)
        else:
            self.patch(entity, update, tuple(k for k in first if k != "meta"))

    def terminal(self, held: JsonObject, update: Any) -> None:
        if isinstance(update, updates.TerminalOutputChunk):
            data = decoded(update.data)
            if data is None:
                return
        extras = ("size", "capabilities") if self.edition.extras else ()
        first: JsonObject = {
            **dict.fromkeys(("command", "cwd", "exitStatus", "meta", *extras)),
            "output": "",
        }
        entity = held["terminals"].setdefault(update.terminal_id, first)
        if isinstance(update, updates.TerminalOutputChunk):
            self.more_bytes(entity, data or b"", update.data)
            return
        self.patch(entity, update, ("command", "cwd", "exitStatus", *extras))
        if update.output is None:
            entity["output"] = ""
        elif update.output is not UNSET:
            output: Any = update.output
            text = output["data"] if isinstance(output, dict) else output.data
            data = decoded(text)
            entity["output"] = entity["output"] if data is None else encoded(data)

    def more_bytes(self, entity: JsonObject, data: bytes, text: str) -> None:
        entity["output"] = encoded((decoded(entity["output"]) or b"") + data)

    def compaction(self, held: JsonObject, update: Any) -> None:
        first: JsonObject = {"status": "in_progress", "summary": [], "error": None, "meta": None}
        self.place(held, "compaction", update.compaction_id)
        entity = held["compactions"].setdefault(update.compaction_id, first)
        if isinstance(update, updates.CompactionSummaryChunk):
            self.append(entity, "summary", update)
        else:
            self.patch(entity, update, ("status", "summary", "error"))

    def subagent(self, held: JsonObject, update: updates.SubagentUpdate) -> None:
        names = ("title", "description", "capabilities", "state", "cwd", "additionalDirectories")
        first: JsonObject = {**dict.fromkeys((*names, "meta")), "additionalDirectories": []}
        self.patch(held["subagents"].setdefault(update.session_id, first), update, names)

    def append(self, entity: JsonObject, field: str, update: Any) -> None:
        entity[field].append(to_builtins(update.content))

    def patch(self, entity: JsonObject, update: Any, names: tuple[str, ...]) -> None:
        fields = dict(zip(update.__struct_encode_fields__, update.__struct_fields__, strict=True))
        for name in names:
            value = getattr(update, fields[name])
            if value is None:
                entity[name] = self.cleared(name)
            elif value is not UNSET:
                entity[name] = to_builtins(value)
        self.patch_meta(entity, update.meta)

    def cleared(self, name: str) -> Json:
        resets: JsonObject = {"kind": "other", "status": "pending"}
        if name in {"content", "locations", "summary", "additionalDirectories"}:
            return []
        return resets.get(name)

    def patch_meta(self, entity: JsonObject, meta: Any) -> None:
        if meta is UNSET:
            return
        if meta is None or not self.edition.meta_patches_by_key:
            entity["meta"] = copy.deepcopy(meta)
            return
        merged = {**(entity["meta"] or {}), **meta}
        kept = {k: copy.deepcopy(v) for k, v in merged.items() if v is not None}
        entity["meta"] = kept or None


def decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()
