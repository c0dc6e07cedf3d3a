"""How an agent breaks each rule that binds it. See `misbehave` for the table.

Each function is given one message that the agent means to send and returns what it really sends.
"""

from __future__ import annotations

from acpsim.sim.rogue import Rogue, saying, session_of, update_of
from acpsim.wire.cells import JsonObject
from acpsim.wire.jsonrpc import INTERNAL_ERROR, REQUEST_CANCELLED

Said = list[JsonObject]

CODE = {"code": INTERNAL_ERROR, "message": "something went wrong"}
ENDED = ("completed", "failed", "cancelled")


def _state(message: JsonObject, *states: str) -> bool:
    update = update_of(message)
    return update.get("sessionUpdate") == "state_update" and update["state"] in states


def _variant(message: JsonObject, *variants: str) -> bool:
    return update_of(message).get("sessionUpdate") in variants


def _fail(message: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": message["id"], "error": CODE}


# ---------------------------------------------------------------- prompts


def no_message_id(rogue: Rogue, message: JsonObject) -> Said:
    if rogue.is_prompt_answer(message, ok=True):
        message["result"] = {}
    return [message]


def no_echo(rogue: Rogue, message: JsonObject) -> Said:
    return [] if _variant(message, "user_message", "user_message_chunk") else [message]


def one_message_id(rogue: Rogue, message: JsonObject) -> Said:
    if rogue.is_prompt_answer(message, ok=True):
        session = rogue.prompts[message["id"]]["params"]["sessionId"]
        first = rogue.memory.setdefault(session, message["result"]["messageId"])
        message["result"]["messageId"] = first
    elif _variant(message, "user_message", "user_message_chunk"):
        update = update_of(message)
        first = rogue.memory.setdefault(session_of(message), update["messageId"])
        update["messageId"] = first
    return [message]


def late_error(rogue: Rogue, message: JsonObject) -> Said:
    """The error has to come after the echo, and no cancel or close before it.

    Or it breaks another rule.
    """
    if rogue.is_prompt_answer(message, ok=True):
        identity = message["result"]["messageId"]
        session = rogue.prompts[message["id"]]["params"]["sessionId"]
        if (session, identity) in rogue.memory:
            return [message if _is_stopped(rogue, session) else _fail(message)]
        rogue.memory["held", session] = message
        return []
    if _variant(message, "user_message", "user_message_chunk"):
        session = session_of(message)
        rogue.memory[session, update_of(message)["messageId"]] = True
        held = rogue.memory.pop(("held", session), None)
        if held is not None:
            return [message, held if _is_stopped(rogue, session) else _fail(held)]
    return [message]


def _is_stopped(rogue: Rogue, session: str) -> bool:
    return session in rogue.cancelled or session in rogue.closing.values()


def orphan(rogue: Rogue, message: JsonObject) -> Said:
    if not rogue.is_prompt_answer(message, ok=False):
        return [message]
    asked = rogue.prompts[message["id"]]["params"]
    update = {
        "sessionUpdate": "user_message",
        "messageId": f"orphan-{message['id']}",
        "content": asked["prompt"],
    }
    return [message, saying(asked["sessionId"], update)]


def no_answer(rogue: Rogue, message: JsonObject) -> Said:
    """A prompt that is withdrawn gets its answer after all: another rule asks for that."""
    answers = rogue.is_prompt_answer(message, ok=True) or rogue.is_prompt_answer(message, ok=False)
    if answers:
        rogue.memory[message["id"]] = message
    asked_for = [rogue.memory.pop(key) for key in rogue.withdrawn & rogue.memory.keys()]
    return asked_for if answers else [*asked_for, message]


def answer_after_work(rogue: Rogue, message: JsonObject) -> Said:
    if rogue.is_prompt_answer(message, ok=True):
        session = rogue.prompts[message["id"]]["params"]["sessionId"]
        rogue.memory[session] = message
        return []
    if _state(message, "idle"):
        held = rogue.memory.pop(session_of(message), None)
        return [message] if held is None else [message, held]
    return [message]


def wrong_code(rogue: Rogue, message: JsonObject) -> Said:
    if not rogue.is_prompt_answer(message, ok=False):
        return [message]
    cancelled = message["id"] in rogue.cancelled_prompts or message["id"] in rogue.withdrawn
    wrong = cancelled and message["error"]["code"] == REQUEST_CANCELLED
    return [_fail(message) if wrong else message]


def new_ids(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    if _variant(message, "user_message") and rogue.resume_of(session, replay=True):
        update = update_of(message)
        update["messageId"] = f"replayed-{update['messageId']}"
    return [message]


# ---------------------------------------------------------------- foreground state


def no_running(rogue: Rogue, message: JsonObject) -> Said:
    return [] if _state(message, "running") else [message]


def no_idle(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    asked_for = _is_stopped(rogue, session) or session in {
        asked["params"]["sessionId"] for asked in rogue.resuming.values()
    }
    return [] if _state(message, "idle") and not asked_for else [message]


def no_stop_reason(rogue: Rogue, message: JsonObject) -> Said:
    if _state(message, "idle") and update_of(message).get("stopReason") != "cancelled":
        for key in ("stopReason", "error"):
            update_of(message).pop(key, None)
    return [message]


def invented_stop_reason(rogue: Rogue, message: JsonObject) -> Said:
    if _state(message, "idle") and update_of(message).get("stopReason") == "end_turn":
        update_of(message)["stopReason"] = "stopped_by_policy"
    return [message]


def late_chunk(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    if _variant(message, "agent_message", "agent_message_chunk"):
        rogue.memory[session] = update_of(message)["messageId"]
    elif _state(message, "idle") and session in rogue.memory:
        chunk = {
            "sessionUpdate": "agent_message_chunk",
            "messageId": rogue.memory.pop(session),
            "content": {"type": "text", "text": "one more thing"},
        }
        return [message, saying(session, chunk)]
    return [message]


def no_requires_action(rogue: Rogue, message: JsonObject) -> Said:
    return [] if _state(message, "requires_action") else [message]


def no_resuming(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    if _state(message, "requires_action"):
        rogue.memory[session] = True
    elif _state(message, "running") and rogue.memory.pop(session, False):
        return []
    return [message]


def no_error(rogue: Rogue, message: JsonObject) -> Said:
    if _state(message, "idle") and update_of(message).get("stopReason") == "error":
        update_of(message).pop("error", None)
    return [message]


def misplaced_error(rogue: Rogue, message: JsonObject) -> Said:
    if _state(message, "idle") and update_of(message).get("stopReason") == "end_turn":
        update_of(message)["error"] = CODE
    return [message]


def open_tools(rogue: Rogue, message: JsonObject) -> Said:
    """The work fails although a tool call goes on: the tool's end is held back until then."""
    session = session_of(message)
    if _variant(message, "tool_call_update") and update_of(message).get("status") in ENDED:
        return []
    if _state(message, "idle") and update_of(message).get("stopReason") == "end_turn":
        update_of(message).update(stopReason="error", error=CODE)
        rogue.memory[session] = True
    return [message]


# ---------------------------------------------------------------- cancelling and closing


def cancelled_as_end_turn(rogue: Rogue, message: JsonObject) -> Said:
    if _ends_cancelled(rogue, message):
        update_of(message)["stopReason"] = "end_turn"
    return [message]


def cancelled_as_error(rogue: Rogue, message: JsonObject) -> Said:
    if _ends_cancelled(rogue, message):
        update_of(message).update(stopReason="error", error=CODE)
    return [message]


def _ends_cancelled(rogue: Rogue, message: JsonObject) -> bool:
    cancelled = update_of(message).get("stopReason") == "cancelled"
    return _state(message, "idle") and cancelled and session_of(message) in rogue.cancelled


def late_statuses(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    if session in rogue.cancelled and update_of(message).get("status") == "cancelled":
        rogue.memory.setdefault(session, []).append(message)
        return []
    if _state(message, "idle"):
        return [message, *rogue.memory.pop(session, [])]
    return [message]


def start_after_cancel(rogue: Rogue, message: JsonObject) -> Said:
    if message.get("method") != "$/cancel_request":
        return [message]
    session = rogue.asked[message["params"]["requestId"]]["params"]["sessionId"]
    started = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": f"stubborn-{message['params']['requestId']}",
        "title": "Go on regardless",
        "status": "in_progress",
    }
    ended = {**started, "status": "cancelled"}
    return [message, saying(session, started), saying(session, ended)]


def taken_back(rogue: Rogue, message: JsonObject) -> Said:
    if rogue.is_prompt_answer(message, ok=True) and message["id"] in rogue.cancelled_prompts:
        error = {"code": REQUEST_CANCELLED, "message": "cancelled"}
        return [{"jsonrpc": "2.0", "id": message["id"], "error": error}]
    return [message]


def wrong_close(rogue: Rogue, message: JsonObject) -> Said:
    if rogue.is_prompt_answer(message, ok=False):
        session = rogue.prompts[message["id"]]["params"]["sessionId"]
        if session in rogue.closing.values():
            return [_fail(message)]
    return [message]


def close_without_idle(rogue: Rogue, message: JsonObject) -> Said:
    if _state(message, "idle") and session_of(message) in rogue.closing.values():
        return []
    return [message]


def speaks_after_close(rogue: Rogue, message: JsonObject) -> Said:
    session = rogue.closed_by(message)
    if session is None:
        return [message]
    update = {"sessionUpdate": "session_info_update", "title": "Closed"}
    return [message, saying(session, update)]


# ---------------------------------------------------------------- entities


def no_entity_id(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "agent_message", "agent_message_chunk"):
        del update_of(message)["messageId"]
    return [message]


def malformed_usage(rogue: Rogue, message: JsonObject) -> Said:
    if _state(message, "idle"):
        update_of(message)["usage"] = {"totalTokens": "many"}
    return [message]


def tool_again(rogue: Rogue, message: JsonObject) -> Said:
    update = update_of(message)
    if not _variant(message, "tool_call_update") or update.get("status") != "completed":
        return [message]
    session = session_of(message)
    fresh = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": update["toolCallId"],
        "title": "Something else entirely",
        "name": "other_tool",
        "status": "pending",
    }
    working = {**fresh, "status": "in_progress"}
    return [
        message,
        saying(session, fresh),
        saying(session, working),
        saying(session, {**fresh, "status": "completed"}),
    ]


def no_title(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "tool_call_update"):
        update_of(message).pop("title", None)
    return [message]


def no_in_progress(rogue: Rogue, message: JsonObject) -> Said:
    starts = _variant(message, "tool_call_update") and update_of(message).get("status")
    return [] if starts == "in_progress" else [message]


def invented_status(rogue: Rogue, message: JsonObject) -> Said:
    update = update_of(message)
    if not _variant(message, "tool_call_update") or update.get("status") != "in_progress":
        return [message]
    busy = {**update, "status": "busy"}
    return [message, saying(session_of(message), busy)]


def no_base64(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "terminal_output_chunk"):
        update_of(message)["data"] = "collected 2 items\n"
    return [message]


def relative_cwd(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "terminal_update") and "cwd" in update_of(message):
        update_of(message)["cwd"] = "project"
    return [message]


def invented_priority(rogue: Rogue, message: JsonObject) -> Said:
    for entry in update_of(message).get("plan", {}).get("entries", []):
        entry["priority"] = "urgent"
    return [message]


def empty_title(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "notice"):
        update_of(message)["title"] = ""
    return [message]


def replayed_notice(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    if _state(message, "idle", "running") and rogue.resume_of(session, replay=True):
        notice = {"sessionUpdate": "notice", "severity": "info", "title": "As you may remember"}
        return [saying(session, notice), message]
    return [message]


def endless_compaction(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "compaction_update") and update_of(message).get("status") in ENDED:
        return []
    return [message]


def no_compaction_status(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "compaction_update") and update_of(message)["status"] not in ENDED:
        del update_of(message)["status"]
    return [message]


def usage_in_words(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "usage_update"):
        update_of(message)["used"] = "a lot"
    return [message]


def no_announcement(rogue: Rogue, message: JsonObject) -> Said:
    """The first roster entry of a child is held until the child has spoken."""
    session = session_of(message)
    if _variant(message, "subagent_update"):
        child = update_of(message)["sessionId"]
        if child not in rogue.memory:
            rogue.memory[child] = message
            return []
    elif isinstance(rogue.memory.get(session), dict):
        held, rogue.memory[session] = rogue.memory[session], True
        return [message, held]
    return [message]


def frozen_mirror(rogue: Rogue, message: JsonObject) -> Said:
    if _variant(message, "subagent_update"):
        update = update_of(message)
        update["state"] = rogue.memory.setdefault(update["sessionId"], update["state"])
    return [message]


def own_variant(rogue: Rogue, message: JsonObject) -> Said:
    if not _state(message, "idle"):
        return [message]
    return [saying(session_of(message), {"sessionUpdate": "telemetry", "value": 1}), message]


# ---------------------------------------------------------------- permissions


def same_options(rogue: Rogue, message: JsonObject) -> Said:
    if message.get("method") == "session/request_permission":
        options = message["params"]["options"]
        options.append({**options[-1], "optionId": options[0]["optionId"]})
    return [message]


def start_before_answer(rogue: Rogue, message: JsonObject) -> Said:
    if message.get("method") != "session/request_permission":
        return [message]
    subject = message["params"].get("subject", {})
    if subject.get("type") != "tool_call":
        return [message]
    update = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": subject["toolCall"]["toolCallId"],
        "status": "in_progress",
    }
    return [message, saying(session_of(message), update)]


def run_refused(rogue: Rogue, message: JsonObject) -> Said:
    update = update_of(message)
    call = update.get("toolCallId")
    if call not in rogue.refused_tools or update.get("status") != "failed":
        return [message]
    started = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "in_progress"}
    return [
        saying(session_of(message), started),
        saying(session_of(message), {**started, "status": "completed"}),
    ]


# ---------------------------------------------------------------- resuming and JSON-RPC


def unasked_replay(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    if _variant(message, "user_message"):
        rogue.memory[session] = message
    elif _state(message, "idle", "running") and rogue.resume_of(session, replay=False):
        held = rogue.memory.get(session)
        return [message] if held is None else [held, message]
    return [message]


def no_state_on_resume(rogue: Rogue, message: JsonObject) -> Said:
    session = session_of(message)
    resumed = rogue.resume_of(session, replay=True) or rogue.resume_of(session, replay=False)
    return [] if resumed and _variant(message, "state_update") else [message]


def old_envelope(rogue: Rogue, message: JsonObject) -> Said:
    """Where nothing else hangs on the message: whoever cannot read it misses a list of commands."""
    if _variant(message, "available_commands_update"):
        message["jsonrpc"] = "1.0"
    return [message]


def twice(rogue: Rogue, message: JsonObject) -> Said:
    return [message] if "method" in message else [message, message]


def withdrawn_unanswered(rogue: Rogue, message: JsonObject) -> Said:
    return [] if message.get("id") in rogue.withdrawn and "method" not in message else [message]


def ghost(rogue: Rogue, message: JsonObject) -> Said:
    if not _state(message, "idle"):
        return [message]
    update = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    return [message, saying("sess_ghost", update)]


def answers_notifications(rogue: Rogue, message: JsonObject) -> Said:
    """The next thing said after a cancel is an error with no id, as if to answer it."""
    if rogue.cancelled and not rogue.memory.get("told"):
        rogue.memory["told"] = True
        error = {"code": -32601, "message": "no such method"}
        return [{"jsonrpc": "2.0", "id": None, "error": error}, message]
    return [message]
