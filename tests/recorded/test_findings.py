"""What the rules say of real conversations: nothing definite of the conformant ones, and of each
one that was broken on purpose exactly what was broken, at its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpsim.rules.check import check
from acpsim.rules.finding import Finding
from acpsim.wire.trace import read_trace

HERE = Path(__file__).parent
CONFORMANT = sorted(path.stem for path in HERE.glob("*.jsonl") if "broken_" not in path.stem)

BROKEN: dict[str, list[str]] = {
    "broken_bad_stop_reason": ["12 STATE-STOP-REASON-VALUE definite"],
    "broken_cancel_as_error": ["17 CANCEL-IDLE suspect", "17 CANCEL-NOT-ERROR suspect"],
    "broken_cancel_ignored": ["17 CANCEL-STOPS suspect", "17 PERMISSION-NOT-APPROVED suspect"],
    "broken_cancel_wrong_code": ["10 PROMPT-CANCEL-CODE definite"],
    "broken_client_hang_permission": ["12 CANCEL-PERMISSIONS-OPEN definite"],
    "broken_client_image": ["7 PROMPT-CONTENT-CAPABILITY definite"],
    "broken_client_unoffered_option": ["14 PERMISSION-OUTCOME definite"],
    "broken_close_wrong_code": ["15 CLOSE-PROMPT-OUTCOME definite"],
    "broken_compaction_no_terminal": ["12 COMPACTION-TERMINAL definite"],
    "broken_duplicate_message_id": ["12 PROMPT-DISTINCT-ID definite"],
    "broken_echo_after_reject": ["9 PROMPT-ECHO-OF-REJECTED suspect"],
    "broken_error_after_insert": ["9 PROMPT-ERROR-AFTER-INSERT definite"],
    "broken_hang_response": ["7 PROMPT-ANSWERED definite", "7 PROMPT-PENDING-IDLE suspect"],
    "broken_id_mismatch": ["8 PROMPT-ECHO definite"],
    "broken_idle_before_updates": [
        "16 CANCEL-UPDATES-BEFORE-IDLE suspect",
        "16 STATE-PENDING-BEFORE-IDLE suspect",
    ],
    "broken_late_response": ["12 PROMPT-NOT-DELAYED suspect"],
    "broken_malformed_usage": ["12 UPDATE-SHAPE definite"],
    "broken_missing_idle": ["10 STATE-IDLE definite"],
    "broken_no_echo": ["8 PROMPT-ECHO definite"],
    "broken_notice_empty_title": ["14 NOTICE-FIELDS definite"],
    "broken_replay_new_ids": ["30 PROMPT-REPLAY-ID suspect", "36 PROMPT-REPLAY-ID suspect"],
    "broken_resume_no_state": ["16 RESUME-STATE definite"],
    "broken_reuse_tool_id": ["16 ENTITY-ID-REUSE suspect"],
    "broken_tool_left_open": ["13 STATE-FAILED-TOOLS suspect"],
    "broken_unknown_session": ["12 RPC-UNKNOWN-SESSION definite"],
    "broken_update_after_close": ["15 CLOSE-SILENCE definite"],
}
"""Trace → every finding on it, by line, rule and certainty."""


def findings(name: str) -> list[Finding]:
    with open(HERE / f"{name}.jsonl", "rb") as stream:
        trace = read_trace(stream)
    assert trace.diagnostics == []
    report = check(
        trace.events,
        edition=trace.edition,
        observer=trace.header.observer,
        complete=trace.header.complete,
    )
    return report.findings


@pytest.mark.parametrize("name", CONFORMANT)
def test_a_conformant_conversation_has_no_finding(name: str) -> None:
    assert findings(name) == []


@pytest.mark.parametrize("name", BROKEN)
def test_what_was_broken_on_purpose_is_found_at_its_line(name: str) -> None:
    found = [f"{f.line} {f.rule} {f.certainty}" for f in findings(name)]

    assert sorted(found) == BROKEN[name]


def test_no_broken_conversation_is_forgotten() -> None:
    recorded = {path.stem for path in HERE.glob("broken_*.jsonl")}

    assert recorded == set(BROKEN)
    assert len(recorded) + len(CONFORMANT) == 58
