"""UPDATE-SHAPE: fields without the type or the range that the schema gives."""

from __future__ import annotations

import pytest

from tests.rules.both_ways import found, report

START = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
"""
END = "\n< idle end_turn"
USAGE = '{"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}'


MALFORMED = {
    "content": 'agent_message m1 {"content": "hello"}',
    "content[0]": 'agent_message m1 {"content": [{"type": "text"}]}',
    "_meta": 'agent_message m1 {"_meta": "x"}',
    "kind": 'tool_call_update t1 {"title": "A", "kind": []}',
    "status": 'tool_call_update t1 {"title": "A", "status": 7}',
    "locations[0].line": (
        'tool_call_update t1 {"title": "A", "locations": [{"path": "/a", "line": 0}]}'
    ),
    "exitStatus.exitCode": 'terminal_update T1 {"exitStatus": {"exitCode": "0"}}',
    "summary": 'compaction_update c1 {"status": "completed", "summary": 7}',
    "updatedAt": 'session_info_update {"updatedAt": "yesterday"}',
    "state": 'subagent_update c1 {"state": "busy"}',
}


@pytest.mark.parametrize("place", sorted(MALFORMED))
def test_a_malformed_optional_field_is_told_once_with_its_place(place: str) -> None:
    findings = report(START + f"< {MALFORMED[place]}" + END).findings

    assert [(f.rule, f.line, f.party) for f in findings] == [("UPDATE-SHAPE", 9, "agent")]
    assert f"{place} is" in findings[0].text


def test_many_malformed_fields_of_one_message_are_one_finding() -> None:
    update = '< tool_call_update t1 {"title": 7, "kind": 7, "status": 7}'
    (finding,) = report(START + update + END).findings

    assert all(field in finding.text for field in ("title", "kind", "status"))


def test_fields_of_another_edition_are_none_of_its_business() -> None:
    strange = START + '< tool_call_update t1 {"title": "A", "capabilities": "all"}' + END

    assert report(strange).findings == []
    assert found("UPDATE-SHAPE", (strange, "sdk-2.4")) == ["9 definite"]


@pytest.mark.parametrize("field", ['"usage": 7', '"stopReason": 7', '"error": 7'])
def test_fields_that_a_state_does_not_have_are_none_of_its_business(field: str) -> None:
    odd = START + f"< running {{{field}}}" + END

    assert found("UPDATE-SHAPE", odd) == []


def test_unknown_variants_and_fields_have_no_shape() -> None:
    free = START + '< _vendor {"content": 7}\n< agent_message m1 {"colour": 7}' + END

    assert report(free).findings == []


def test_a_clients_malformed_request_is_the_clients_fault() -> None:
    raw = '> raw {"jsonrpc": "2.0", "id": 7, "method": "session/close", "params": {}}\n'
    raw += "< #7 error -32602"
    findings = [f for f in report(START + raw + END).findings if f.rule == "UPDATE-SHAPE"]

    assert [(f.line, f.party) for f in findings] == [(9, "client")]


def test_a_malformed_result_is_told_at_the_response() -> None:
    params = '{"sessionId": "s1", "configId": "c", "type": "id", "value": "v"}'
    raw = f"> #7 session/set_config_option {params}"
    answer = "< #7 ok {}"
    findings = [
        f for f in report(START + f"{raw}\n{answer}" + END).findings if f.rule == "UPDATE-SHAPE"
    ]

    assert [(f.line, f.party, f.session) for f in findings] == [(10, "agent", "s1")]


def test_a_prompt_result_without_id_is_told_by_its_own_rule() -> None:
    answered = START.replace("< #1 ok u1", "< #1 ok {}")

    assert found("UPDATE-SHAPE", answered + END) == []
    assert found("PROMPT-RESPONSE-ID", answered + END) == ["6 definite"]


def test_what_is_no_envelope_is_told_by_its_own_rule() -> None:
    raw = '< raw {"jsonrpc": "1.0", "method": "session/update", "params": {}}'

    assert {f.rule for f in report(START + raw + END).findings} == {"RPC-ENVELOPE"}
