"""What belongs to a session as a whole: lists, options, info, usage, notices, unknown updates."""

from __future__ import annotations

import pytest

from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from tests.reducer.states import state

OPTION = '{"configId": "%s", "name": "N", "type": "boolean", "currentValue": true}'  # by id
COMMAND = '{"type": "command", "name": "%s", "description": "d"}'  # by name


def test_a_session_begins_with_nothing() -> None:
    assert state("setup") == {
        "timeline": [],
        "messages": {
            "user_message": {},
            "agent_message": {},
            "agent_thought": {},
            "session_message": {},
        },
        "toolCalls": {},
        "terminals": {},
        "plans": {},
        "compactions": {},
        "subagents": {},
        "foreground": {
            "state": "idle",
            "confirmed": True,
            "stopReason": None,
            "error": None,
            "usage": None,
            "completions": 0,
        },
        "prompts": [],
        "permissions": [],
        "commands": [],
        "configOptions": [],
        "info": {"title": None, "updatedAt": None, "meta": None},
        "usage": None,
        "notices": [],
        "unknown": [],
        "closed": False,
    }


def test_commands_are_replaced_as_a_whole() -> None:
    held = state(
        f'< available_commands_update {{"availableCommands": [{COMMAND % "a"}]}}\n'
        f'< available_commands_update {{"availableCommands": [{COMMAND % "b"}]}}'
    )

    assert [command["name"] for command in held["commands"]] == ["b"]


def test_a_list_with_a_bad_item_loses_that_item() -> None:
    held = state(f'< available_commands_update {{"availableCommands": [7, {COMMAND % "b"}]}}')

    assert [command["name"] for command in held["commands"]] == ["b"]


@pytest.mark.parametrize(
    "talk",
    [
        '> #1 new\n< #1 ok {"sessionId": "s1", "configOptions": [%s]}',
        '> #1 resume\n< #1 ok {"configOptions": [%s]}',
        (
            '> #1 session/set_config_option {"sessionId": "s1", "configId": "c", "value": true, '
            '"type": "boolean"}\n< #1 ok {"configOptions": [%s]}'
        ),
        '< config_option_update {"configOptions": [%s]}',
    ],
    ids=["new", "resume", "set", "update"],
)
def test_a_list_of_options_replaces_the_last_wherever_it_comes(talk: str) -> None:
    held = state(
        f'< config_option_update {{"configOptions": [{OPTION % "old"}]}}\n' + talk % (OPTION % "c")
    )

    assert [option["configId"] for option in held["configOptions"]] == ["c"]


@pytest.mark.parametrize("result", ["{}", '{"configOptions": 7}', '{"configOptions": null}'])
def test_a_response_without_options_leaves_them(result: str) -> None:
    held = state(
        f'< config_option_update {{"configOptions": [{OPTION % "old"}]}}\n'
        f"> #1 resume\n< #1 ok {result}"
    )

    assert [option["configId"] for option in held["configOptions"]] == ["old"]


@pytest.mark.parametrize(("edition", "names"), [(DRAFT, []), (SDK_2_4, ["a"])])
@pytest.mark.parametrize("verb", ["new", "resume"])
def test_commands_in_a_response_count_where_the_edition_has_them(
    verb: str, edition: Edition, names: list[str]
) -> None:
    result = f'{{"sessionId": "s1", "availableCommands": [{COMMAND % "a"}]}}'
    held = state(f"> #1 {verb}\n< #1 ok {result}", edition=edition)

    assert [command["name"] for command in held["commands"]] == names


def test_info_is_patched_field_by_field() -> None:
    held = state(
        '< session_info_update {"title": "T", "updatedAt": "2026-01-31T10:20:30Z"}\n'
        '< session_info_update {"updatedAt": null}'
    )

    assert held["info"] == {"title": "T", "updatedAt": None, "meta": None}


@pytest.mark.parametrize(
    ("edition", "meta"), [(DRAFT, {"b": None, "c": 3}), (SDK_2_4, {"a": 1, "c": 3})]
)
@pytest.mark.parametrize(
    ("update", "section", "key"),
    [
        ("session_info_update", "info", None),
        ("agent_message x", "messages", "agent_message"),
        ("user_message x", "messages", "user_message"),
        ("agent_thought x", "messages", "agent_thought"),
        ("session_message x", "messages", "session_message"),
        ("tool_call_update x", "toolCalls", None),
        ("terminal_update x", "terminals", None),
        ("subagent_update x", "subagents", None),
        ("compaction_update x", "compactions", None),
    ],
)
def test_metadata_is_replaced_or_patched_by_key_as_the_edition_says(
    *, update: str, section: str, key: str | None, edition: Edition, meta: dict[str, int | None]
) -> None:
    status = ', "status": "completed"' if "compaction" in update else ""
    held = state(
        f'< {update} {{"_meta": {{"a": 1, "b": 2}}{status}}}\n'
        f'< {update} {{"_meta": {{"b": null, "c": 3}}{status}}}',
        edition=edition,
    )[section]

    entity = held if section == "info" else (held[key] if key else held)["x"]
    assert entity["meta"] == meta


@pytest.mark.parametrize(("edition", "meta"), [(DRAFT, {}), (SDK_2_4, {"a": 1})])
def test_empty_metadata_replaces_or_changes_nothing(edition: Edition, meta: dict[str, int]) -> None:
    held = state(
        '< agent_message m1 {"_meta": {"a": 1}}\n< agent_message m1 {"_meta": {}}', edition=edition
    )

    assert held["messages"]["agent_message"]["m1"]["meta"] == meta


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
def test_null_clears_metadata(edition: Edition) -> None:
    held = state(
        '< agent_message m1 {"_meta": {"a": 1}}\n< agent_message m1 {"_meta": null}',
        edition=edition,
    )

    assert held["messages"]["agent_message"]["m1"]["meta"] is None


@pytest.mark.parametrize(
    ("fields", "cost"),
    [("", {"amount": 1.5, "currency": "USD"}), (', "cost": null', None)],
)
def test_a_cost_stays_until_null_clears_it(fields: str, cost: object) -> None:
    held = state(
        '< usage_update {"used": 1, "size": 9, "cost": {"amount": 1.5, "currency": "USD"}}\n'
        f'< usage_update {{"used": 2, "size": 8{fields}}}'
    )

    assert held["usage"] == {"used": 2, "size": 8, "cost": cost}


def test_notices_are_kept_whole_in_order_and_equal_ones_twice() -> None:
    """NOTICE-NO-EFFECT: each occurrence is its own event."""
    held = state('< notice "A"\n< notice "B" {"_x": [1, null]}\n< notice "A"')

    assert [(notice["title"], notice.get("_x")) for notice in held["notices"]] == [
        ("A", None),
        ("B", [1, None]),
        ("A", None),
    ]
    assert held["timeline"] == []


def test_numbers_and_nulls_that_nobody_looks_into_stay_as_they_were() -> None:
    held = state(
        '< tool_call_update t1 {"rawInput": {"a": null, "b": 1e300, "c": 18446744073709551616, '
        '"d": -0.5, "e": [1, 1.0]}}'
    )

    assert held["toolCalls"]["t1"]["rawInput"] == {
        "a": None,
        "b": 1e300,
        "c": 18446744073709551616,
        "d": -0.5,
        "e": [1, 1.0],
    }


@pytest.mark.parametrize("value", ["null", '"text"', "7", "[1]", "false"])
def test_raw_input_and_output_may_be_any_value(value: str) -> None:
    held = state(f'< tool_call_update t1 {{"rawInput": {{"a": 1}}, "rawOutput": {value}}}')

    assert held["toolCalls"]["t1"] == {
        **held["toolCalls"]["t1"],
        "rawInput": {"a": 1},
        "rawOutput": {"null": None, '"text"': "text", "7": 7, "[1]": [1], "false": False}[value],
    }


def test_unknown_fields_of_a_block_are_kept() -> None:
    """UNKNOWN-ENUM-PRESERVED."""
    block = {"type": "text", "text": "a", "_tone": {"warm": True}, "_meta": {"k": None}}
    held = state(
        '< agent_message_chunk m1 {"content": {"type": "text", "text": "a", "_tone": {"warm": true}'
        ', "_meta": {"k": null}}}'
    )

    assert held["messages"]["agent_message"]["m1"]["content"] == [block]


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
def test_only_one_edition_has_extras_on_tools_and_terminals(edition: Edition) -> None:
    held = state(
        '< tool_call_update t1 {"capabilities": {"cancel": {}}}\n'
        '< terminal_update T {"capabilities": {"cancel": {}}, "size": {"cols": 80, "rows": 24}}',
        edition=edition,
    )

    extras = {
        "t1": held["toolCalls"]["t1"].get("capabilities"),
        "T": held["terminals"]["T"].get("capabilities"),
        "size": held["terminals"]["T"].get("size"),
    }
    assert extras == (
        {"t1": {"cancel": {}}, "T": {"cancel": {}}, "size": {"cols": 80, "rows": 24}}
        if edition.extras
        else {"t1": None, "T": None, "size": None}
    )
    assert ("capabilities" in held["toolCalls"]["t1"]) == edition.extras
