"""Misbehaviours: parties that break exactly one rule, by its id.

Owns: `MISBEHAVIOURS`, for every rule whose breach shows on the wire, how its party breaks it; and
`UNSEEN`, the rules that have none, with the reason. The ids are plain strings here: a test ties
them to the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from acpsim.errors import UsageError
from acpsim.sim import misbehave_agent as agent
from acpsim.sim import misbehave_client as client
from acpsim.sim.rogue import Change


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """How one rule is broken: by whom, in a few words, and the change that does it."""

    party: str
    text: str
    change: Change


def _agent(text: str, change: Change) -> Misbehaviour:
    return Misbehaviour("agent", text, change)


def _client(text: str, change: Change) -> Misbehaviour:
    return Misbehaviour("client", text, change)


MISBEHAVIOURS: Final[dict[str, Misbehaviour]] = {
    "PROMPT-RESPONSE-ID": _agent("answers prompts without messageId", agent.no_message_id),
    "PROMPT-ECHO": _agent("never reports user messages", agent.no_echo),
    "PROMPT-DISTINCT-ID": _agent("gives every prompt the first one's id", agent.one_message_id),
    "PROMPT-ERROR-AFTER-INSERT": _agent("answers inserted prompts with an error", agent.late_error),
    "PROMPT-ECHO-OF-REJECTED": _agent("reports the messages of rejected prompts", agent.orphan),
    "PROMPT-ANSWERED": _agent("answers no prompt", agent.no_answer),
    "PROMPT-PENDING-IDLE": _agent("lets prompts wait while idle", agent.no_answer),
    "PROMPT-NOT-DELAYED": _agent("answers prompts after the work", agent.answer_after_work),
    "PROMPT-CANCEL-CODE": _agent("answers cancelled prompts with -32603", agent.wrong_code),
    "PROMPT-REPLAY-ID": _agent("replays user messages under new ids", agent.new_ids),
    "STATE-RUNNING": _agent("never reports running", agent.no_running),
    "STATE-IDLE": _agent("never reports idle", agent.no_idle),
    "STATE-STOP-REASON": _agent("gives no stop reasons", agent.no_stop_reason),
    "STATE-STOP-REASON-VALUE": _agent("invents a stop reason", agent.invented_stop_reason),
    "STATE-PENDING-BEFORE-IDLE": _agent("goes on speaking after idle", agent.late_chunk),
    "STATE-REQUIRES-ACTION": _agent("never reports requires_action", agent.no_requires_action),
    "STATE-RESUME-RUNNING": _agent("does not report that work resumes", agent.no_resuming),
    "STATE-ERROR-FIELD": _agent("fails without saying why", agent.no_error),
    "STATE-ERROR-MISPLACED": _agent("puts error beside end_turn", agent.misplaced_error),
    "STATE-FAILED-TOOLS": _agent("leaves tool calls of failed work open", agent.open_tools),
    "CANCEL-IDLE": _agent("ends cancelled work as end_turn", agent.cancelled_as_end_turn),
    "CANCEL-NOT-ERROR": _agent("reports cancelled work as an error", agent.cancelled_as_error),
    "CANCEL-UPDATES-BEFORE-IDLE": _agent("tells what was stopped after idle", agent.late_statuses),
    "CANCEL-STOPS": _agent("starts a tool call after a cancel", agent.start_after_cancel),
    "CANCEL-KEEPS-INSERTION": _agent("takes insertion back on a cancel", agent.taken_back),
    "CLOSE-PROMPT-OUTCOME": _agent(
        "answers -32603 to prompts that a close kept out", agent.wrong_close
    ),
    "CLOSE-CANCELS": _agent("closes without idle", agent.close_without_idle),
    "CLOSE-SILENCE": _agent("speaks after a close", agent.speaks_after_close),
    "ENTITY-ID-PRESENT": _agent("leaves out messageId", agent.no_entity_id),
    "UPDATE-SHAPE": _agent("reports usage as text", agent.malformed_usage),
    "ENTITY-ID-REUSE": _agent("uses a tool call's id again", agent.tool_again),
    "TOOL-TITLE-FIRST": _agent("gives tool calls no title", agent.no_title),
    "TOOL-IN-PROGRESS": _agent("never reports in_progress", agent.no_in_progress),
    "TOOL-STATUS-VALUE": _agent("invents a tool status", agent.invented_status),
    "TERMINAL-BASE64": _agent("sends terminal output as it is", agent.no_base64),
    "TERMINAL-CWD-ABSOLUTE": _agent("gives a relative directory", agent.relative_cwd),
    "PLAN-ENTRY-VALUES": _agent("invents a priority", agent.invented_priority),
    "PERMISSION-OPTIONS": _agent("offers one option id twice", agent.same_options),
    "PERMISSION-BEFORE-START": _agent("starts before the answer", agent.start_before_answer),
    "PERMISSION-NOT-APPROVED": _agent("runs refused tools", agent.run_refused),
    "NOTICE-FIELDS": _agent("sends notices without a title", agent.empty_title),
    "NOTICE-LIVE-ONLY": _agent("replays notices", agent.replayed_notice),
    "COMPACTION-TERMINAL": _agent("never ends a compaction", agent.endless_compaction),
    "COMPACTION-FIELDS": _agent("leaves out a compaction's status", agent.no_compaction_status),
    "USAGE-FIELDS": _agent("counts tokens in words", agent.usage_in_words),
    "SUBAGENT-ANNOUNCED": _agent("announces no child", agent.no_announcement),
    "SUBAGENT-STATE-MIRRORED": _agent("never mirrors a child's end", agent.frozen_mirror),
    "CUSTOM-UNDERSCORE": _agent("sends a variant of its own without underscore", agent.own_variant),
    "RESUME-NO-REPLAY": _agent("replays although nobody asked", agent.unasked_replay),
    "RESUME-STATE": _agent("resumes without a state", agent.no_state_on_resume),
    "RPC-ENVELOPE": _agent("speaks JSON-RPC 1.0", agent.old_envelope),
    "RPC-RESPONSE-MATCH": _agent("answers twice", agent.twice),
    "RPC-CANCEL-ANSWER": _agent("never answers withdrawn prompts", agent.withdrawn_unanswered),
    "RPC-UNKNOWN-SESSION": _agent("speaks for a session that is not there", agent.ghost),
    "RPC-NO-REPLY-TO-NOTIFICATION": _agent("answers notifications", agent.answers_notifications),
    "RPC-ID-REUSE": _client("uses one id for two open requests", client.one_id),
    "PROMPT-CONTENT-CAPABILITY": _client("sends blocks nobody declared", client.undeclared_block),
    "PROMPT-AFTER-SETUP": _client("prompts before initialize is answered", client.hasty_prompt),
    "CANCEL-PERMISSIONS": _client("allows after its own cancel", client.allows_after_cancel),
    "CANCEL-PERMISSIONS-OPEN": _client(
        "answers no permission request after its cancel", client.no_permission_answer
    ),
    "PERMISSION-OUTCOME": _client("selects what was not offered", client.unoffered),
}
"""Rule → how its party breaks it."""

UNSEEN: Final[dict[str, str]] = {}
"""Rule → why no misbehaviour breaks it on the wire."""


ENTAILED: Final[dict[str, dict[str, str]]] = {
    "PROMPT-ERROR-AFTER-INSERT": {
        "CANCEL-KEEPS-INSERTION": "a cancel may cross the error on the wire",
        "CLOSE-PROMPT-OUTCOME": "and so may a close",
    },
    "PROMPT-PENDING-IDLE": {
        "PROMPT-ANSWERED": "a trace without pauses shows it only where the prompt is never answered"
    },
    "RPC-CANCEL-ANSWER": {
        "PROMPT-ANSWERED": "a withdrawn prompt without an answer is a prompt without one",
        "CLOSE-PROMPT-OUTCOME": "and has none either when its session is closed",
    },
    "CANCEL-KEEPS-INSERTION": {
        "PROMPT-ERROR-AFTER-INSERT": "the one rule forbids for a cancel what the other forbids"
    },
    "CANCEL-NOT-ERROR": {"CANCEL-IDLE": "what is reported as an error is not reported cancelled"},
    "CLOSE-CANCELS": {"STATE-IDLE": "work that ends without idle is work without idle"},
    "SUBAGENT-ANNOUNCED": {"RPC-UNKNOWN-SESSION": "nobody knows a child that was not announced"},
    "PROMPT-AFTER-SETUP": {"RPC-UNKNOWN-SESSION": "before initialize no session is known"},
    "RPC-ID-REUSE": {"RPC-RESPONSE-MATCH": "of two open requests of one id one is forgotten"},
}
"""Rule → others that nobody can leave whole who breaks it, with the reason."""


def changes(names: tuple[str, ...], party: str) -> dict[str, Change]:
    """The changes that make a party break those rules, by rule."""
    held = {name: MISBEHAVIOURS[name] for name in names}
    return {name: one.change for name, one in held.items() if one.party == party}


def broke(rule: str) -> str:
    """The name under which a run counts how often its misbehaviour had an occasion."""
    return f"broke {rule}"


def check_misbehaviours(names: tuple[str, ...], where: str) -> None:
    """Raise `UsageError` for a rule that no misbehaviour breaks."""
    for name in names:
        if name not in MISBEHAVIOURS:
            why = UNSEEN.get(name, "no such rule")
            known = ", ".join(MISBEHAVIOURS)
            raise UsageError(f"{where}: misbehave: {name}: {why}; one of {known}")
