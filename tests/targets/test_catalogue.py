"""Every mistake that we were told of has a mutant of that name.

The names are stable for ever: who renames one breaks somebody's command line.
"""

from __future__ import annotations

import pytest

from acpsim.targets.mutants import MUTANTS

CATALOGUE = {
    "thought and reply merged under one messageId": "thought-reply-merged",
    "content replaced by a chunk": "content-replaced-by-chunk",
    "omitted content read as empty": "omitted-content-as-empty",
    "null read as omitted": "null-as-omitted",
    "echo dropped when the response came first": "echo-dropped-after-response",
    "echo doubled": "echo-doubled",
    "echo tied by equal text": "echo-by-text",
    "echo tied by order": "echo-by-order",
    "prompt response taken for idle": "response-as-idle",
    "idle without a stop reason ignored": "idle-without-reason-ignored",
    "every repeated idle counted": "repeated-idle-counted",
    "updates dropped while idle": "idle-updates-dropped",
    "tool updates ignored after cancel": "tool-updates-ignored-after-cancel",
    "finished tool calls marked cancelled": "finished-tools-cancelled",
    "background tool calls marked cancelled": "background-tools-cancelled",
    "tool calls closed by idle": "tools-closed-by-idle",
    "base64 strings joined before decoding": "base64-joined",
    "bytes decoded to text per chunk": "bytes-decoded-per-chunk",
    "a plan update merged into the old one": "plan-merged",
    "all plans replaced by one": "plans-replaced-by-one",
    "timeline moved by a later update": "timeline-moved-by-update",
    "chunk _meta patched onto the entity": "chunk-meta-patched",
    "null participant forgotten": "null-participant-forgotten",
    "unknown variants dropped": "unknown-dropped",
    "unknown variants raising": "unknown-raises",
    "a notice ending work": "notice-ends-work",
    "one session's update applied to another": "updates-to-current-session",
    "a child's idle counted as the parent's": "child-idle-as-parents",
    "snapshot aliasing the message that was passed in": "message-aliased",
}
OLDER_PROTOCOL = {
    "no echo expected": "echo-not-expected",
    "updates outside a turn dropped": "idle-updates-dropped",
    "replays hidden by equal text": "equal-text-hidden",
    "prompt request timed out": "prompt-timed-out",
    "response awaited before earlier updates are handled": "updates-await-response",
    "response handled before earlier updates": "responses-overtake",
    "one worker per message": "worker-per-message",
    "a queue dead after one exception": "dead-after-unusable",
}
FIELD = {
    "an update before the response that names its session": "unknown-session-dropped",
    "updates in one read with that response": "new-session-known-later",
    "chunks scrambled by workers": "worker-per-message",
    "a request overtakes the update sent before it": "requests-overtake",
    "output after the idle": "idle-updates-dropped",
    "a plan taken for live work": "open-plan-blocks-idle",
    "a plan taken for running": "plan-as-running",
    "a detached task keeps the session running": "open-tool-blocks-idle",
    "answers paired with prompts by order": "echo-by-order",
    "a prompt's outcome invented when the connection is lost": "lost-prompt-rejected",
    "a retry merged by its text": "equal-text-hidden",
    "an error that outlives its work": "outcome-survives-running",
    "a stop reason outside the list costs the end": "idle-with-unknown-reason-ignored",
    "a malformed field costs the end": "malformed-usage-drops-idle",
    "a dialog settled by the cancel": "cancel-settles-permissions",
    "a dialog settled by the end of work": "idle-settles-permissions",
    "a late click answers again": "second-answer-counts",
    "running after the first of two answers": "permission-answer-as-running",
    "one answer for all questions": "one-answer-for-all",
    "messages joined when the sender does not change": "consecutive-messages-joined",
    "an id that comes again in later work": "earlier-message-restarted",
    "text placed where it ended": "timeline-moved-by-chunk",
    "a tool placed where it finished": "tool-placed-when-finished",
    "the prompt drawn and its echo added": "echo-doubled",
    "echoes dropped while a turn runs": "echo-dropped-while-running",
    "tool content piled up": "tool-content-appended",
    "an unknown update freezes the client": "dead-after-unknown",
    "an unknown update that bears an id": "unknown-touches-message",
    "a replayed chunk guessed away": "repeated-chunk-dropped",
    "a replay hidden": "replay-hidden",
    "a replay hidden until the first live message": "replay-hidden-until-prompt",
    "a child's text in the parent": "child-into-parent",
}


@pytest.mark.parametrize("told", [CATALOGUE, OLDER_PROTOCOL, FIELD])
def test_every_mistake_told_of_has_its_mutant(told: dict[str, str]) -> None:
    assert {mistake: name for mistake, name in told.items() if name not in MUTANTS} == {}
