"""How malformed input is read, row by row of the comparison of the editions, section 4."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from acpsim.wire import updates
from acpsim.wire.cells import Json, JsonObject, TextBlock, Usage, cell_field
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from acpsim.wire.jsonrpc import Flaw, Malformed
from acpsim.wire.methods import SessionUpdate
from acpsim.wire.parse import Reading, read_value

BOTH = pytest.mark.parametrize("edition", EDITIONS.values(), ids=EDITIONS)
TEXT = {"type": "text", "text": "t"}
USAGE = {"totalTokens": 3, "inputTokens": 1, "outputTokens": 2}


def reading(update: JsonObject, edition: Edition = SDK_2_4) -> Reading:
    params = {"sessionId": "s1", "update": update}
    return read_value({"jsonrpc": "2.0", "method": "session/update", "params": params}, edition)


def read(variant: str, edition: Edition = SDK_2_4, **fields: Json) -> Any:
    """The update, which can be used."""
    message = reading({"sessionUpdate": variant, **fields}, edition).message
    assert isinstance(message, SessionUpdate), message
    return message.params.update


def dropped(variant: str, edition: Edition = SDK_2_4, **fields: Json) -> list[str]:
    """Where something was dropped, below the update."""
    found = reading({"sessionUpdate": variant, **fields}, edition).flaws
    assert all(flaw.dropped for flaw in found)
    return [flaw.path.removeprefix("$.params.update.") for flaw in found]


def refused(variant: str, edition: Edition = SDK_2_4, **fields: Json) -> list[str]:
    """What costs the message, below the update."""
    message = reading({"sessionUpdate": variant, **fields}, edition).message
    assert isinstance(message, Malformed), message
    return [flaw.path.removeprefix("$.params.update.") for flaw in message.flaws]


# ---------------------------------------------------------------- idle


@BOTH
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stopReason", 42),
        ("usage", {"totalTokens": "many", "inputTokens": 1, "outputTokens": 2}),
        ("usage", 7),
    ],
)
def test_a_malformed_field_of_idle_counts_as_omitted(
    name: str, value: Json, edition: Edition
) -> None:
    told = {"state": "idle", name: value}

    update = read("state_update", edition, **told)

    assert (update.state, update.stop_reason, update.usage) == ("idle", UNSET, UNSET)
    assert dropped("state_update", edition, **told) == [name]


@BOTH
@pytest.mark.parametrize("error", ["boom", {"message": "m"}, {"code": 1.5, "message": "m"}])
def test_a_malformed_error_counts_as_omitted(error: Json, edition: Edition) -> None:
    told = {"state": "idle", "stopReason": "error", "error": error}

    assert read("state_update", edition, **told).error is UNSET
    assert dropped("state_update", edition, **told) == ["error"]


def test_a_malformed_optional_count_leaves_the_usage() -> None:
    told: JsonObject = {"state": "idle", "usage": {**USAGE, "thoughtTokens": -1}}

    assert read("state_update", **told).usage == Usage(
        total_tokens=3, input_tokens=1, output_tokens=2
    )
    assert dropped("state_update", **told) == ["usage.thoughtTokens"]


def test_a_dropped_field_says_what_was_wrong_inside() -> None:
    usage = {"totalTokens": "many", "inputTokens": 1, "outputTokens": -2}

    flaws = reading({"sessionUpdate": "state_update", "state": "idle", "usage": usage}).flaws

    why = "totalTokens is a string, not a whole number; outputTokens is -2, below 0"
    assert flaws == (Flaw("$.params.update.usage", f"is malformed: {why}"),)


# ---------------------------------------------------------------- lists


@pytest.mark.parametrize("background", [{}, [{"type": "terminal"}], [{"type": "_x"}, 7]])
def test_a_background_list_with_a_bad_item_is_not_reported(background: Json) -> None:
    told = {"state": "running", "background": background}

    assert read("state_update", **told).background is UNSET
    assert dropped("state_update", **told) == ["background"]


@BOTH
def test_malformed_message_content_is_omitted_and_not_cleared(edition: Edition) -> None:
    told = {"messageId": "m", "content": "text"}

    assert read("agent_message", edition, **told).content is UNSET
    assert dropped("agent_message", edition, **told) == ["content"]


@BOTH
def test_malformed_tool_content_is_omitted_and_not_cleared(edition: Edition) -> None:
    told = {"toolCallId": "t", "content": {"type": "content"}}

    assert read("tool_call_update", edition, **told).content is UNSET
    assert dropped("tool_call_update", edition, **told) == ["content"]


OPTION = {"type": "boolean", "configId": "c", "name": "n", "currentValue": True}
COMMAND = {"type": "command", "name": "n", "description": "d"}
ENTRY = {"content": "c", "priority": "high", "status": "pending"}


@BOTH
@pytest.mark.parametrize(
    ("variant", "path", "good", "bad"),
    [
        ("agent_message", "content", TEXT, {"type": "text"}),
        ("agent_message", "content", TEXT, {"type": 7}),
        ("tool_call_update", "locations", {"path": "/p"}, {"line": 1}),
        ("compaction_update", "summary", TEXT, "t"),
        ("plan_update", "plan.entries", ENTRY, {"content": "c"}),
        ("available_commands_update", "availableCommands", COMMAND, {"type": "command"}),
        ("config_option_update", "configOptions", OPTION, {**OPTION, "currentValue": "yes"}),
    ],
)
def test_one_bad_item_leaves_the_others(
    variant: str, path: str, good: Json, bad: Json, edition: Edition
) -> None:
    ids = {"messageId": "m", "toolCallId": "t", "compactionId": "c", "status": "completed"}
    *outer, name = path.split(".")
    told: JsonObject = {name: [good, bad, good]}
    if outer:
        told = {"plan": {"type": "items", "planId": "p", **told}}

    update = msgspec.to_builtins(read(variant, edition, **ids, **told))

    kept = update[outer[0]] if outer else update
    assert kept[name] == [good, good]
    assert dropped(variant, edition, **ids, **told) == [f"{path}[1]"]


# ---------------------------------------------------------------- scalars


@BOTH
@pytest.mark.parametrize(
    ("name", "value"), [("status", 7), ("kind", []), ("title", {}), ("_meta", "x")]
)
def test_a_malformed_patch_field_counts_as_omitted(
    name: str, value: Json, edition: Edition
) -> None:
    told = {"toolCallId": "t", name: value}

    update = read("tool_call_update", edition, **told)

    assert update == updates.ToolCallUpdate(tool_call_id="t")
    assert dropped("tool_call_update", edition, **told) == [name]


def test_malformed_capabilities_count_as_omitted() -> None:
    assert read("tool_call_update", toolCallId="t", capabilities="all").capabilities is UNSET
    assert dropped("tool_call_update", toolCallId="t", capabilities="all") == ["capabilities"]


def test_a_location_loses_only_its_malformed_line() -> None:
    told: JsonObject = {"toolCallId": "t", "locations": [{"path": "/p", "line": 0}]}

    [location] = read("tool_call_update", **told).locations

    assert msgspec.to_builtins(location) == {"path": "/p"}
    assert dropped("tool_call_update", **told) == ["locations[0].line"]


def test_a_malformed_exit_code_is_an_exit_with_no_code_known() -> None:
    status = read("terminal_update", terminalId="t", exitStatus={"exitCode": "0"}).exit_status

    assert msgspec.to_builtins(status) == {}


@BOTH
@pytest.mark.parametrize("name", ["agent_message", "user_message", "agent_thought"])
@pytest.mark.parametrize("fields", [{"messageId": 7}, {"messageId": None}, {}])
def test_a_message_without_a_usable_id_is_dropped_whole(
    name: str, fields: JsonObject, edition: Edition
) -> None:
    assert refused(name, edition, **fields) == ["messageId"]


@BOTH
@pytest.mark.parametrize(
    ("content", "path"),
    [
        ({"type": "text"}, "content.text"),
        ({"text": "t"}, "content.type"),
        ("t", "content"),
        ({"type": "resource", "resource": {"uri": "file:///a"}}, "content.resource"),
    ],
)
def test_a_chunk_with_a_bad_block_is_dropped_whole(
    content: Json, path: str, edition: Edition
) -> None:
    assert refused("agent_message_chunk", edition, messageId="m", content=content) == [path]


@BOTH
@pytest.mark.parametrize("kind", ["items", "markdown", "file", "_graph"])
def test_a_plan_without_an_id_is_dropped_whole(kind: str, edition: Edition) -> None:
    plan = {"type": kind, "entries": [], "content": "c", "uri": "file:///p"}

    assert refused("plan_update", edition, plan=plan) == ["plan.planId"]


@BOTH
def test_what_the_schema_does_not_check_is_accepted_as_it_is(edition: Edition) -> None:
    assert read("agent_message", edition, messageId="").message_id == ""
    assert read("terminal_output_chunk", edition, terminalId="t", data="%").data == "%"
    assert read("terminal_update", edition, terminalId="t", cwd="here").cwd == "here"


@BOTH
def test_a_plan_with_a_uri_that_is_none_is_dropped_whole(edition: Edition) -> None:
    plan = {"type": "file", "planId": "p", "uri": "plan.md"}

    assert refused("plan_update", edition, plan=plan) == ["plan.uri"]


@BOTH
@pytest.mark.parametrize(
    ("variant", "fields", "path"),
    [
        ("notice", {"severity": "info", "title": ""}, "title"),
        ("notice", {"severity": None, "title": "t"}, "severity"),
        ("compaction_update", {"compactionId": "c"}, "status"),
        ("compaction_update", {"compactionId": "c", "status": None}, "status"),
        ("usage_update", {"used": -1, "size": 1}, "used"),
        ("usage_update", {"used": 1.5, "size": 1}, "used"),
        ("usage_update", {"used": None, "size": 1}, "used"),
        ("subagent_update", {"sessionId": "c", "cwd": 7}, "cwd"),
        (
            "subagent_update",
            {"sessionId": "c", "additionalDirectories": [7]},
            "additionalDirectories[0]",
        ),
    ],
)
def test_a_malformed_required_field_costs_the_update(
    variant: str, fields: JsonObject, path: str, edition: Edition
) -> None:
    assert refused(variant, edition, **fields) == [path]


@BOTH
@pytest.mark.parametrize("name", ["state", "title", "capabilities"])
def test_a_malformed_optional_field_of_a_subagent_counts_as_omitted(
    name: str, edition: Edition
) -> None:
    told = {"sessionId": "c", name: 7}

    assert read("subagent_update", edition, **told) == updates.SubagentUpdate(session_id="c")
    assert dropped("subagent_update", edition, **told) == [name]


# ---------------------------------------------------------------- what is not known


@BOTH
def test_an_unknown_field_of_an_update_is_ignored(edition: Edition) -> None:
    assert read("agent_message", edition, messageId="m", _x=1) == updates.AgentMessage(
        message_id="m"
    )
    assert dropped("agent_message", edition, messageId="m", _x=1) == []


@BOTH
def test_an_unknown_field_of_a_cell_is_kept(edition: Edition) -> None:
    block = {**TEXT, "_x": [1]}

    [kept] = read("agent_message", edition, messageId="m", content=[block]).content

    assert kept == block


@BOTH
def test_a_cell_keeps_unknown_fields_and_loses_malformed_ones(edition: Edition) -> None:
    block = {**TEXT, "_x": [1], "annotations": 7}

    [kept] = read("agent_message", edition, messageId="m", content=[block]).content

    assert kept == {**TEXT, "_x": [1]}


@BOTH
@pytest.mark.parametrize("tag", ["_new", "new"])
def test_an_unknown_variant_is_kept_whole(tag: str, edition: Edition) -> None:
    payload = {"sessionUpdate": tag, "_meta": "x", "messageId": 7}

    found = reading(payload, edition)

    assert found.flaws == ()
    assert found.message.params.update == updates.UnknownUpdate(  # type: ignore[union-attr]
        variant=tag, payload=payload
    )


@BOTH
@pytest.mark.parametrize(
    ("variant", "fields"),
    [
        ("agent_message", {"messageId": "m", "content": [{"type": "_x", "a": 1, "_meta": 7}]}),
        ("tool_call_update", {"toolCallId": "t", "content": [{"type": "x", "content": 7}]}),
        ("plan_update", {"plan": {"type": "_graph", "planId": "p", "nodes": [], "uri": 7}}),
        (
            "available_commands_update",
            {"availableCommands": [{"type": "_x", "name": "n", "description": "d", "more": 7}]},
        ),
        (
            "config_option_update",
            {"configOptions": [{"type": "x", "configId": "c", "name": "n", "currentValue": {}}]},
        ),
    ],
)
def test_an_unknown_type_is_kept_with_all_its_fields(
    variant: str, fields: JsonObject, edition: Edition
) -> None:
    update = msgspec.to_builtins(read(variant, edition, **fields))

    assert update == {"sessionUpdate": variant, **fields}
    assert dropped(variant, edition, **fields) == []


def test_an_unknown_diff_operation_needs_no_path() -> None:
    change = {"operation": "_chmod", "mode": 7, "fileType": "text"}
    content = [{"type": "diff", "changes": [change, {"operation": "add"}]}]

    [diff] = read("tool_call_update", toolCallId="t", content=content).content

    assert cell_field(diff, "changes") == [change]


@pytest.mark.parametrize("tag", ["_paused", "paused"])
def test_unknown_words_are_kept(tag: str) -> None:
    assert read("tool_call_update", toolCallId="t", status=tag, kind=tag).status == tag
    assert read("state_update", state="idle", stopReason=tag).stop_reason == tag
    assert read("state_update", state=tag).state == tag


@BOTH
def test_a_whole_number_may_be_written_as_a_fraction(edition: Edition) -> None:
    update = read("usage_update", edition, used=5.0, size=1e3)

    assert (update.used, type(update.used), update.size) == (5, int, 1000)


def test_a_select_may_group_its_values() -> None:
    value = {"value": "v", "name": "n"}
    group = {"groupId": "g", "name": "n", "options": [value, 7]}
    option = {"type": "select", "configId": "c", "name": "n", "currentValue": "v"}

    [kept] = read(
        "config_option_update", configOptions=[{**option, "options": [group]}]
    ).config_options

    assert kept == {**option, "options": [{**group, "options": [value]}]}


def test_a_clean_cell_is_a_struct() -> None:
    told: JsonObject = {"messageId": "m", "_x": 1, "content": [TEXT]}

    assert read("agent_message", **told).content == [TextBlock(text="t")]


# ---------------------------------------------------------------- fields that belong elsewhere


@BOTH
@pytest.mark.parametrize(
    "told",
    [
        {"state": "running", "stopReason": 7},
        {"state": "running", "usage": "x"},
        {"state": "requires_action", "error": 7},
        {"state": "_busy", "stopReason": "end_turn", "usage": USAGE, "background": 7},
        {"state": "idle", "stopReason": "end_turn", "error": 7},
        {"state": "idle", "error": {"code": 1, "message": "m"}},
        {"state": "idle", "stopReason": "_mine", "error": {"any": "payload"}},
    ],
)
def test_a_field_beside_another_state_or_stop_reason_is_unknown(
    told: JsonObject, edition: Edition
) -> None:
    update = read("state_update", edition, **told)

    assert (update.error, update.usage, update.background) == (UNSET, UNSET, UNSET)
    assert dropped("state_update", edition, **told) == []


def test_a_mirrored_state_keeps_what_is_unknown_beside_it() -> None:
    state = {"state": "running", "stopReason": 7}

    assert read("subagent_update", sessionId="c", state=state).state == state


@pytest.mark.parametrize(
    ("variant", "told"),
    [
        ("state_update", {"state": "idle", "background": []}),
        ("state_update", {"state": "idle", "background": 7}),
        ("tool_call_update", {"toolCallId": "t", "capabilities": {"cancel": {}}}),
        ("tool_call_update", {"toolCallId": "t", "capabilities": 7}),
        ("terminal_update", {"terminalId": "t", "size": {"cols": 1, "rows": 1}}),
        ("terminal_update", {"terminalId": "t", "capabilities": {}}),
        ("session_message", {"messageId": "m", "senderMessageId": "x"}),
        ("session_message", {"messageId": "m", "recipientMessageId": 7}),
    ],
)
def test_a_field_that_the_draft_does_not_define_is_ignored_there(
    variant: str, told: JsonObject
) -> None:
    name = list(told)[-1]

    update = read(variant, DRAFT, **told)

    fields = {field.encode_name: field.name for field in msgspec.structs.fields(update)}
    assert getattr(update, fields[name]) is UNSET
    assert dropped(variant, DRAFT, **told) == []


@pytest.mark.parametrize(("edition", "kept"), [(DRAFT, "a"), (SDK_2_4, UNSET)])
def test_a_chunk_names_its_participants_in_the_draft_alone(edition: Edition, kept: Json) -> None:
    told = {"messageId": "m", "content": TEXT, "senderSessionId": "a"}

    assert read("session_message_chunk", edition, **told).sender_session_id == kept
    assert dropped("session_message_chunk", edition, **told) == []


@pytest.mark.parametrize(("edition", "left"), [(DRAFT, 1), (SDK_2_4, 0)])
def test_a_command_needs_a_type_where_the_edition_says_so(edition: Edition, left: int) -> None:
    command = {"name": "n", "description": "d"}

    update = read("available_commands_update", edition, availableCommands=[command])

    assert len(update.available_commands) == left
