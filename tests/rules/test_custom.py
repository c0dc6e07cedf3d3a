"""CUSTOM-UNDERSCORE: words that are neither standard nor custom."""

from __future__ import annotations

import pytest

from tests.rules.both_ways import BREAKS, found, report

START = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
"""
END = "\n< idle end_turn"


PERMISSION = (
    'raw {"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", "params": '
    '{"sessionId": "s1", "title": "?", "options": [%s], "subject": %s}}'
)
OPTION = '{"optionId": "y", "name": "Yes", "kind": "%s"}'
WORDS = {
    "variant": "vendor_metric",
    "state": 'state_update {"state": "sleeping"}',
    "tool kind": 'tool_call_update t1 {"title": "A", "kind": "deploy"}',
    "content type": 'agent_message m1 {"content": [{"type": "chart"}]}',
    "content type of a chunk": 'agent_message_chunk m1 {"content": {"type": "chart"}}',
    "content type of a summary": (
        'compaction_update c1 {"status": "completed", "summary": [{"type": "chart"}]}'
    ),
    "tool content type": 'tool_call_content_chunk t1 {"content": {"type": "widget"}}',
    "content type in tool content": (
        'tool_call_content_chunk t1 {"content": {"type": "content", "content": {"type": "chart"}}}'
    ),
    "diff operation": (
        'tool_call_update t1 {"title": "A", "content": [{"type": "diff", "changes": '
        '[{"operation": "rename", "path": "/a"}]}]}'
    ),
    "audience": (
        'agent_message_chunk m1 {"content": {"type": "text", "text": "x", '
        '"annotations": {"audience": ["admin"]}}}'
    ),
    "plan type": 'plan_update p1 {"type": "graph"}',
    "option category": (
        'config_option_update {"configOptions": [{"type": "boolean", "configId": "w", "name": "W", '
        '"currentValue": true, "category": "looks"}]}'
    ),
    "permission option": PERMISSION % (OPTION % "maybe", "null"),
    "permission subject": PERMISSION % (OPTION % "allow_once", '{"type": "network"}'),
    "method": 'raw {"jsonrpc": "2.0", "id": "a9", "method": "vendor/ask"}',
    "mirrored state": 'subagent_update c1 {"state": {"state": "sleeping"}}',
}


@pytest.mark.parametrize("name", sorted(WORDS))
def test_a_reserved(name: str) -> None:
    assert found("CUSTOM-UNDERSCORE", START + f"< {WORDS[name]}") == ["9 definite"]


def test_the_report_names_the_edition_and_the_party() -> None:
    (finding,) = report(BREAKS["CUSTOM-UNDERSCORE"]).findings

    assert "edition draft" in finding.text
    assert finding.party == "agent"


def test_a_clients_method_is_the_clients_fault() -> None:
    raw = '> raw {"jsonrpc": "2.0", "method": "vendor/hello"}'

    assert [f.party for f in report(START + raw + END).findings] == ["client"]


def test_a_clients_outcome_is_the_clients_fault() -> None:
    answer = '> raw {"jsonrpc": "2.0", "id": "a1", "result": {"outcome": {"outcome": "later"}}}'
    findings = report(START + f"< #a1 permission - yes\n< requires_action\n{answer}" + END).findings

    assert [(f.rule, f.party, f.line) for f in findings] == [("CUSTOM-UNDERSCORE", "client", 11)]


def test_words_with_a_rule_of_their_own_are_told_by_that_rule() -> None:
    """B45: unknown words, each with its own rule, and none told twice."""
    own = (
        START
        + """
< tool_call_update t1 {"title": "A", "status": "queued"}
< notice {"severity": "fatal", "title": "x"}
< compaction_update c1 {"status": "done"}
< plan_update p1 {"entries": [{"content": "x", "priority": "top", "status": "pending"}]}
< idle quota
"""
    )

    assert [f.rule for f in report(own).findings] == [
        "TOOL-STATUS-VALUE",
        "NOTICE-FIELDS",
        "COMPACTION-FIELDS",
        "PLAN-ENTRY-VALUES",
        "STATE-STOP-REASON-VALUE",
    ]


def test_many_words_in_one_message_are_one_finding() -> None:
    two = START + '< agent_message m1 {"content": [{"type": "chart"}, {"type": "map"}]}' + END

    assert found("CUSTOM-UNDERSCORE", two) == ["9 definite"]


def test_a_newer_standard_word_depends_on_the_edition() -> None:
    switch = START + '< tool_call_update t1 {"title": "A", "kind": "switch_mode"}' + END

    assert found("CUSTOM-UNDERSCORE", switch) == ["9 definite"]
    assert found("CUSTOM-UNDERSCORE", (switch, "sdk-2.4")) == []


def test_background_items_are_looked_at_where_the_edition_has_them() -> None:
    listed = START + '< idle end_turn {"background": [{"type": "daemon"}]}'

    assert found("CUSTOM-UNDERSCORE", listed) == []
    assert found("CUSTOM-UNDERSCORE", (listed, "sdk-2.4")) == ["9 definite"]


def test_what_a_custom_value_holds_is_its_own_affair() -> None:
    custom = (
        START
        + '< agent_message m1 {"content": [{"type": "_x", "annotations": {"audience": ["q"]}}]}'
    )

    assert found("CUSTOM-UNDERSCORE", custom + END) == []


def test_methods_that_are_not_typed_here_are_standard_all_the_same() -> None:
    raw = '> raw {"jsonrpc": "2.0", "id": 9, "method": "session/set_title", "params": {}}'

    assert found("CUSTOM-UNDERSCORE", START + raw + END) == []
