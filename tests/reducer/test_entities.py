"""Messages, tool calls, terminals, plans, compactions, subagents: keyed, patched, placed."""

from __future__ import annotations

import base64

from acpsim.wire.edition import SDK_2_4
from tests.reducer.states import ids, state, texts


def test_one_id_under_two_types_names_two_entities() -> None:
    """ENTITY-KEY."""
    held = state(
        '< agent_thought_chunk x "a"\n< agent_message_chunk x "b"\n< tool_call_update x {}'
    )

    assert held["timeline"] == [["agent_thought", "x"], ["agent_message", "x"], ["tool_call", "x"]]
    assert texts(held, "agent_thought", "x") == ["a"]


def test_messages_of_one_sender_in_a_row_stay_apart() -> None:
    """B34: ENTITY-KEY, CHUNK-APPEND."""
    held = state(
        '< user_message_chunk u1 "A"\n< user_message_chunk u2 "B"\n< agent_thought_chunk th1 "x"\n'
        '< agent_message_chunk m1 "y"\n< agent_thought_chunk th2 "z"'
    )

    assert ids(held) == ["u1", "u2", "th1", "m1", "th2"]


def test_an_omitted_content_keeps_what_is_held() -> None:
    """B41: PATCH-OMIT."""
    held = state(
        '< agent_message m1 "A"\n< agent_message m1 {"_meta": {"k": 1}}\n'
        '< agent_message_chunk m1 "B"'
    )

    assert texts(held, "agent_message", "m1") == ["A", "B"]
    assert held["messages"]["agent_message"]["m1"]["meta"] == {"k": 1}


def test_null_clears_a_content() -> None:
    """B41: PATCH-NULL."""
    held = state('< agent_message m1 "A"\n< agent_message m1 {"content": null}')

    assert held["messages"]["agent_message"]["m1"]["content"] == []


def test_a_chunk_after_null_starts_afresh() -> None:
    held = state(
        '< agent_message m1 "A"\n< agent_message m1 {"content": null}\n< agent_message_chunk m1 "B"'
    )

    assert texts(held, "agent_message", "m1") == ["B"]


def test_a_tool_content_is_replaced_and_a_chunk_appends() -> None:
    """B42: PATCH-REPLACE, CHUNK-APPEND."""
    held = state(
        '< tool_call_update t1 "A"\n< tool_call_update t1 "B"\n< tool_call_content_chunk t1 "C"\n'
        '< tool_call_update t1 {"status": "completed"}\n< tool_call_update t1 "D"\n'
        '< tool_call_content_chunk t1 "E"'
    )

    content = held["toolCalls"]["t1"]["content"]
    assert [item["content"]["text"] for item in content] == ["D", "E"]


def test_null_resets_kind_and_status_to_their_defaults() -> None:
    """PATCH-NULL."""
    held = state(
        '< tool_call_update t1 {"kind": "edit", "status": "failed"}\n'
        '< tool_call_update t1 {"kind": null, "status": null}'
    )

    assert (held["toolCalls"]["t1"]["kind"], held["toolCalls"]["t1"]["status"]) == (
        "other",
        "pending",
    )


def test_a_chunks_metadata_is_its_own() -> None:
    """CHUNK-META."""
    held = state(
        '< agent_message m1 {"_meta": {"a": 1}}\n< agent_message_chunk m1 "x" {"_meta": {"b": 2}}'
    )

    assert held["messages"]["agent_message"]["m1"]["meta"] == {"a": 1}


def test_metadata_that_lost_its_last_key_is_none_where_it_is_patched() -> None:
    held = state(
        '< agent_message m1 {"_meta": {"a": 1}}\n< agent_message m1 {"_meta": {"a": null}}',
        edition=SDK_2_4,
    )

    assert held["messages"]["agent_message"]["m1"]["meta"] is None


def test_later_updates_do_not_move_an_entity() -> None:
    """B38: TIMELINE-FIRST-SEEN."""
    held = state(
        '< agent_message_chunk m1 "I look"\n< tool_call_update t1 {"status": "pending"}\n'
        '< agent_message_chunk m2 "Found"\n< agent_message_chunk m1 " (done)"\n'
        '< tool_call_update t1 {"title": "T"}'
    )

    assert ids(held) == ["m1", "t1", "m2"]


def test_an_id_that_is_used_again_adds_to_the_old_message_at_its_old_place() -> None:
    """B35: the reducer does what it is told; the checker blames the agent."""
    held = state(
        '< agent_message_chunk b0 "first"\n< user_message u2 "next"\n'
        '< agent_message_chunk b0 "second"'
    )

    assert texts(held, "agent_message", "b0") == ["first", "second"]
    assert ids(held) == ["b0", "u2"]


def test_bytes_are_decoded_chunk_by_chunk() -> None:
    """TERMINAL-BYTES: each chunk has its own padding, and a character may be split between two."""
    check = "✓".encode()
    first, rest = (base64.b64encode(part).decode() for part in (check[:1], check[1:]))

    held = state(f'< terminal_output_chunk T "{first}"\n< terminal_output_chunk T "{rest}"')

    assert base64.b64decode(held["terminals"]["T"]["output"]) == check


def test_a_snapshot_of_the_output_replaces_every_byte() -> None:
    held = state(
        '< terminal_output_chunk T "aGk="\n< terminal_update T {"output": {"data": "YQ=="}}'
    )

    assert held["terminals"]["T"]["output"] == "YQ=="


def test_bad_base64_in_a_snapshot_leaves_the_output_alone() -> None:
    held = state(
        '< terminal_output_chunk T "aGk="\n'
        '< terminal_update T {"output": {"data": "*"}, "command": "ls"}'
    )

    assert (held["terminals"]["T"]["output"], held["terminals"]["T"]["command"]) == ("aGk=", "ls")


def test_a_chunk_of_bad_base64_creates_nothing() -> None:
    held = state('< running\n< terminal_output_chunk T "not base64!"')

    assert held["terminals"] == {}


def test_a_terminal_and_the_tool_that_shows_it_come_in_either_order() -> None:
    """TERMINAL-EITHER-ORDER: a reference creates nothing."""
    shown = '< tool_call_update t1 {"content": [{"type": "terminal", "terminalId": "T"}]}'

    assert state(shown)["terminals"] == {}
    assert state(f'{shown}\n< terminal_update T {{"command": "ls"}}') == state(
        f'< terminal_update T {{"command": "ls"}}\n{shown}'
    )


def test_an_empty_exit_status_means_exited_and_null_takes_it_back() -> None:
    exited = '< terminal_update T {"exitStatus": {}}'

    assert state(exited)["terminals"]["T"]["exitStatus"] == {}
    taken_back = state(f'{exited}\n< terminal_update T {{"exitStatus": null}}')
    assert taken_back["terminals"]["T"]["exitStatus"] is None


def test_a_plan_is_replaced_whole_and_the_others_stay() -> None:
    """PLAN-REPLACE."""
    held = state(
        '< plan_update p1 {"type": "markdown", "content": "a"}\n< plan_update p2\n'
        '< plan_update p1 {"type": "file", "uri": "file:///p"}\n< plan_removed p2'
    )

    assert list(held["plans"]) == ["p1"]
    assert held["plans"]["p1"]["uri"] == "file:///p"
    assert "content" not in {key for key, value in held["plans"]["p1"].items() if value == "a"}


def test_a_compaction_begins_in_progress_with_nothing_set() -> None:
    """COMPACTION-INIT."""
    held = state('< compaction_summary_chunk c1 "x"')

    assert held["compactions"]["c1"] == {
        "status": "in_progress",
        "summary": [{"type": "text", "text": "x"}],
        "error": None,
        "meta": None,
    }
    assert held["timeline"] == [["compaction", "c1"]]


def test_a_compaction_takes_no_history_away() -> None:
    held = state('< agent_message m1 "A"\n< compaction_update c1 "all of it"')

    assert texts(held, "agent_message", "m1") == ["A"]


def test_null_participants_are_left_as_they_are_known() -> None:
    """SESSION-MESSAGE-IDENTITY."""
    text = (
        '< session_message x1 "a" {"senderSessionId": "p"}\n'
        '< session_message x1 {"senderSessionId": null, "recipientSessionId": "c"}'
    )
    draft = state(text)["messages"]["session_message"]["x1"]
    other = state(text, edition=SDK_2_4)["messages"]["session_message"]["x1"]

    assert (draft["senderSessionId"], draft["recipientSessionId"]) == ("p", "c")
    assert (other["senderSessionId"], other["recipientSessionId"]) == (None, "c")


def test_an_outgoing_message_creates_nothing_in_the_other_session() -> None:
    """SESSION-MESSAGE-NO-SYNTHESIS."""
    held = state(
        '< [c] usage_update {"used": 1, "size": 2}\n'
        '< session_message x1 "a" {"senderSessionId": "s1", "recipientSessionId": "c"}',
        session="c",
    )

    assert held["timeline"] == []


def test_a_mirrored_state_is_the_rosters_and_not_the_parents() -> None:
    """SUBAGENT-MIRROR."""
    held = state(
        '< subagent_update c {"title": "T", "state": {"state": "running"}}\n'
        '< subagent_update c {"state": {"state": "idle", "stopReason": "end_turn"}}'
    )

    assert held["foreground"]["completions"] == 0
    assert held["subagents"]["c"]["state"] == {"state": "idle", "stopReason": "end_turn"}
    assert held["subagents"]["c"]["title"] == "T"


def test_unknown_words_and_blocks_are_kept_as_they_came() -> None:
    """B45: UNKNOWN-ENUM-PRESERVED."""
    held = state(
        '< tool_call_update t1 {"status": "_queued", "kind": "_dance"}\n'
        '< agent_message m1 {"content": [{"type": "_chart", "series": [1, 2]}]}'
    )

    assert (held["toolCalls"]["t1"]["status"], held["toolCalls"]["t1"]["kind"]) == (
        "_queued",
        "_dance",
    )
    assert held["messages"]["agent_message"]["m1"]["content"] == [
        {"type": "_chart", "series": [1, 2]}
    ]


def test_an_unknown_variant_is_kept_raw_and_touches_no_entity() -> None:
    """B45: UNKNOWN-PRESERVED."""
    held = state('< agent_message m1 "A"\n< future_thing m1 {"content": [], "x": {"y": 1}}')

    assert texts(held, "agent_message", "m1") == ["A"]
    assert held["unknown"] == [
        {"sessionUpdate": "future_thing", "messageId": "m1", "content": [], "x": {"y": 1}}
    ]


def test_a_malformed_optional_field_leaves_the_value_alone() -> None:
    held = state('< agent_message m1 "A"\n< agent_message m1 {"content": "not a list"}')

    assert texts(held, "agent_message", "m1") == ["A"]


def test_padding_after_a_full_group_is_no_base64() -> None:
    """TERMINAL-BYTES, RFC 4648: four characters a group, padding in the last one only."""
    for data in ("AAAA=", "YQ", "YQ=", "YQ===", "=", "YQ==YQ==", "Y Q=", "_-__"):
        held = state(f'< terminal_output_chunk T "aGk="\n< terminal_output_chunk T "{data}"')

        assert held["terminals"]["T"]["output"] == "aGk=", data


def test_an_output_of_null_clears_every_byte() -> None:
    held = state('< terminal_output_chunk T "aGk="\n< terminal_update T {"output": null}')

    assert held["terminals"]["T"]["output"] == ""


def test_identities_on_chunks_count_where_the_edition_has_them() -> None:
    """SESSION-MESSAGE-IDENTITY: an empty string is an id like any other."""
    text = (
        '< session_message_chunk x1 "a" {"senderSessionId": "p"}\n'
        '< session_message_chunk x1 "b" {"senderSessionId": "", "recipientSessionId": null}'
    )
    draft = state(text)["messages"]["session_message"]["x1"]
    other = state(text, edition=SDK_2_4)["messages"]["session_message"]["x1"]

    assert (draft["senderSessionId"], draft["recipientSessionId"]) == ("", None)
    assert (other["senderSessionId"], other["recipientSessionId"]) == (None, None)


def test_cross_references_are_on_updates_of_one_edition_only() -> None:
    text = '< session_message x1 "a" {"senderMessageId": "o1"}'

    assert "senderMessageId" not in state(text)["messages"]["session_message"]["x1"]
    other = state(text, edition=SDK_2_4)["messages"]["session_message"]["x1"]
    assert (other["senderMessageId"], other["recipientMessageId"]) == ("o1", None)


def test_a_roster_entry_is_patched_field_by_field() -> None:
    held = state(
        '< subagent_update c {"title": "T", "description": "D", "cwd": "/p", '
        '"additionalDirectories": ["/q"], "capabilities": {"cancel": {}}}\n'
        '< subagent_update c {"description": null, "additionalDirectories": null}'
    )

    assert held["subagents"]["c"] == {
        "title": "T",
        "description": None,
        "capabilities": {"cancel": {}},
        "state": None,
        "cwd": "/p",
        "additionalDirectories": [],
        "meta": None,
    }


def test_what_a_content_was_before_it_was_replaced_does_not_matter() -> None:
    """PATCH-REPLACE: the chunks go too."""
    held = state(
        '< agent_message m1 "A"\n< agent_message_chunk m1 "B"\n< agent_message m1 "C"\n'
        '< agent_message_chunk m1 "D"'
    )

    assert texts(held, "agent_message", "m1") == ["C", "D"]


def test_a_summary_grows_is_kept_and_is_cleared() -> None:
    chunks = '< compaction_summary_chunk c1 "a"\n< compaction_summary_chunk c1 "b"\n'
    kept = state(f'{chunks}< compaction_update c1 {{"status": "completed"}}')
    cleared = state(f'{chunks}< compaction_update c1 {{"status": "failed", "summary": null}}')

    assert len(kept["compactions"]["c1"]["summary"]) == 2
    assert cleared["compactions"]["c1"]["summary"] == []
