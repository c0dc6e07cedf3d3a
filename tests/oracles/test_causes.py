"""The cause that is named is the one that the difference and the conversation show, no neighbour.

Each row is a seeded fault in a conversation that needs nothing more. What is named may not be known
from the fault: only the conversation and the two values are looked at.
"""

from __future__ import annotations

import pytest
from msgspec import UNSET

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.verdict import Verdict
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.mutants import MUTANTS
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire import updates
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS
from tests.helpers.shorthand import conversation
from tests.helpers.small import Small

CAUSES = {
    "echo-dropped-while-running": (
        'running\n< user_message u9 "hi"',
        ("PROMPT-RECONCILE",),
        "a user message is reported by its updates alone, at any time and for any client",
    ),
    "pending-prompts-dropped-at-idle": (
        'running\n> #1 prompt "hi"\n< idle end_turn',
        ("PROMPT-RECONCILE",),
        "a prompt waits for its response, whatever becomes of the work meanwhile",
    ),
    "error-data-dropped": (
        """running
        > #1 prompt "hi"
        < raw {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000, "message": "m", "data": 7}}""",
        ("UNKNOWN-ENUM-PRESERVED",),
        "an error is kept as it came, with all that is in it",
    ),
    "one-answer-for-all": (
        "running\n< #a1 permission - yes/no\n< #a2 permission - yes/no\n> #a1 selected yes",
        ("RPC-RESPONSE-MATCH",),
        "an answer settles the request whose id it has, and no other",
    ),
    "lost-permission-pending": (
        "running\n< #a1 permission - yes/no\nlost",
        ("CANCEL-PERMISSIONS-OPEN",),
        "a request whose connection is lost can be answered no more, and is withdrawn",
    ),
    "permission-subject-ignored": (
        "running\n< #a1 permission t1 yes/no",
        ("PATCH-OMIT", "TIMELINE-FIRST-SEEN"),
        "the tool call in a permission request is an update, and may be its first, untitled",
    ),
    "requires-action-as-idle": (
        "running\n< requires_action",
        ("STATE-REQUIRES-ACTION",),
        "requires_action is work that waits for the user, and no end of it",
    ),
    "tool-needs-title": (
        'running\n< tool_call_update t1 {"status": "pending"}',
        ("PATCH-OMIT", "TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        "an update creates its tool call at any time, and also where it has no title",
    ),
    "dead-after-unusable": (
        'running\n< agent_message {"messageId": 7}\n< agent_message m1 "hi"',
        ("ENTITY-ID-PRESENT",),
        "a message that cannot be used costs only itself, and what follows it is applied",
    ),
    "session-message-synthesised": (
        'running\n< session_message x1 "hi" {"senderSessionId": "s1", "recipientSessionId": "c"}',
        ("SESSION-MESSAGE-NO-SYNTHESIS",),
        "one session's view of a message creates nothing in another session",
    ),
    "replay-hidden": (
        'agent_message m1 "a"\n> #3 resume replay\n< agent_message m1 {"content": null}',
        ("RESUME-UPSERT",),
        "what comes while a session is resumed, or closed, is applied like any other",
    ),
    "emptied-message-forgotten": (
        'agent_message m1 {"content": null}',
        ("PATCH-NULL",),
        "null resets a field to its default, and leaves the entity where it is",
    ),
    "empty-meta-kept": (
        'tool_call_update t1 {"_meta": {"k": null}}',
        ("PATCH-NULL",),
        "null takes a key out of _meta, and without keys there is no _meta",
    ),
    "malformed-field-drops-update": (
        'agent_message m1 {"content": "no list"}',
        ("PATCH-OMIT",),
        "a malformed field counts as omitted and costs the update nothing else",
    ),
    "echo-not-expected": (
        'user_message u9 "hi"',
        ("PROMPT-RECONCILE", "TIMELINE-FIRST-SEEN", "STATE-BACKGROUND"),
        "a user message counts at any time, also one that no prompt of this client asked for",
    ),
    "updates-await-response": (
        'idle\n> #1 prompt "hi"\n< running',
        ("PROMPT-RECONCILE",),
        "an update is applied as it comes, whether or not the prompt before it is answered",
    ),
    "second-answer-counts": (
        "running\n< #a1 permission - yes/no\n> #a1 selected yes\n> #a1 cancelled",
        ("RPC-RESPONSE-MATCH",),
        "a response that answers no open request changes nothing",
    ),
    "dead-after-unknown": (
        '_probe {"a": 1}\n< running',
        ("UNKNOWN-PRESERVED",),
        "an update that is not understood costs only itself, and what follows it is applied",
    ),
    "idle-settles-permissions": (
        "running\n< #a1 permission - yes/no\n< idle end_turn",
        ("CANCEL-PERMISSIONS-OPEN", "PERMISSION-OUTCOME"),
        "a permission request is pending until it is answered, whatever becomes of the work",
    ),
    "unknown-field-dropped": (
        'agent_message m1 {"content": [{"type": "text", "text": "a", "x": 1}]}',
        ("UNKNOWN-ENUM-PRESERVED",),
        "a word or a content that is not understood is kept as it came",
    ),
    "states-coalesced": (
        "running\n< idle end_turn",
        ("STATE-CLIENT-IDLE",),
        "each message comes by itself: each is handled before the next, however many come at once",
    ),
    "close-error-closes": (
        "running\n> #3 close\n< #3 error -32603",
        (),
        "a successful session/close closes a session, and a successful resume opens it again",
    ),
}


def verdict_on(name: str) -> Verdict | None:
    mutant = MUTANTS[name]
    for edition in EDITIONS.values():
        found = judge_agreement(
            conversation(f"setup\n< {CAUSES[name][0]}", edition=edition),
            mutant.target(edition),
            reference=ReferenceTarget(edition),
        )
        if found is not None:
            return found
    return None


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_named_by_its_rule(name: str) -> None:
    verdict = verdict_on(name)

    assert verdict is not None
    assert verdict.rules == CAUSES[name][1]


@pytest.mark.parametrize("name", CAUSES)
def test_the_cause_is_told_in_one_sentence(name: str) -> None:
    verdict = verdict_on(name)

    assert verdict is not None
    assert verdict.text.endswith(CAUSES[name][2])


def test_what_is_malformed_counts_as_omitted_and_replaces_nothing() -> None:
    class Cleared(Small):
        """Takes a content that is malformed for an empty one."""

        def message(self, held: JsonObject, variant: str, update: updates.UserMessage) -> None:
            super().message(held, variant, update)
            if update.content is UNSET:
                held["messages"][variant][update.message_id]["content"] = []

    verdict = judge_agreement(
        conversation('setup\n< agent_message m1 "kept"\n< agent_message m1 {"content": 7}'),
        InProcessTarget(Cleared, name="cleared", edition=DRAFT),
        reference=ReferenceTarget(DRAFT),
    )

    assert verdict is not None
    assert verdict.rules == ("PATCH-OMIT",)
    assert verdict.text.endswith("what is malformed counts as omitted, and the rest of it stands")


def test_a_verdict_says_what_stood_there_before() -> None:
    verdict = verdict_on("lost-permission-pending")

    assert verdict is not None
    assert verdict.before == "pending"
