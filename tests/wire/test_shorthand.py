"""The shorthand in which tests write conversations."""

from __future__ import annotations

import pytest

from acpsim.wire import methods, updates
from acpsim.wire.cells import Json
from acpsim.wire.jsonrpc import Malformed
from tests.helpers.shorthand import conversation


def one(line: str) -> Json:
    """The message of a line of shorthand."""
    [event] = conversation(line)
    return event.json()


def update(line: str) -> Json:
    return one(line)["params"]["update"]


def test_set_up_opens_a_connection_and_a_session() -> None:
    events = conversation("setup image s2")

    assert [event.dir for event in events] == ["c2a", "a2c", "c2a", "a2c"]
    assert events[1].json()["result"]["capabilities"]["session"]["prompt"] == {"image": {}}
    assert events[3].json()["result"] == {"sessionId": "s2"}


def test_lines_are_numbered_and_timed() -> None:
    events = conversation(
        """
        setup
        # a remark
        > cancel            # another
        lost
        """
    )

    assert [event.line for event in events] == [1, 2, 3, 4, 5, 6]
    assert [event.dir for event in events][-2:] == ["c2a", "lost"]
    assert events[-1].t == 0.06


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('> #1 prompt "hi"', methods.PromptRequest),
        ("> #3 close", methods.CloseSessionRequest),
        ("> #4 resume replay", methods.ResumeSessionRequest),
        ("> cancel", methods.CancelSession),
        ("> cancel_request 1", methods.CancelRequest),
        ("< #a1 permission t1 yes/no", methods.RequestPermissionRequest),
        ("< running", methods.SessionUpdate),
        ('< raw {"jsonrpc": "1.0"}', Malformed),
    ],
)
def test_a_line_is_a_message_of_its_kind(line: str, message: type) -> None:
    [event] = conversation(line)

    assert isinstance(event.message, message)
    assert event.flaws == () or message is Malformed


def test_ids_of_the_client_are_numbers_and_those_of_the_agent_texts() -> None:
    assert one('> #1 prompt "x"')["id"] == 1
    assert one("< #a1 permission -")["id"] == "a1"
    assert one('< cancel_request "a1"')["params"] == {"requestId": "a1"}


def test_another_session_follows_the_arrow() -> None:
    assert one('> [s2] #1 prompt "x"')["params"]["sessionId"] == "s2"
    assert one("< [s2] idle end_turn")["params"]["sessionId"] == "s2"


def test_answers_are_results_outcomes_and_errors() -> None:
    assert one("< #1 ok u1")["result"] == {"messageId": "u1"}
    assert one('< #1 ok {"a": 1}')["result"] == {"a": 1}
    assert one('< #1 error -32800 "no"')["error"] == {"code": -32800, "message": "no"}
    assert one("> #a1 selected yes")["result"]["outcome"]["optionId"] == "yes"
    assert one("> #a1 cancelled")["result"]["outcome"] == {"outcome": "cancelled"}


def test_a_text_is_the_content_of_its_variant() -> None:
    block = {"type": "text", "text": "hi"}

    assert update('< user_message u1 "hi"')["content"] == [block]
    assert update('< agent_message_chunk m1 "hi"')["content"] == block
    assert update('< tool_call_content_chunk t1 "hi"')["content"]["content"] == block
    assert update('< terminal_output_chunk T1 "aGk="')["data"] == "aGk="


def test_an_object_is_merged_into_the_update() -> None:
    assert update('< tool_call_update t1 {"status": "failed"}') == {
        "sessionUpdate": "tool_call_update",
        "toolCallId": "t1",
        "status": "failed",
    }
    assert update('< idle {"usage": null}')["usage"] is None


@pytest.mark.parametrize(
    ("line", "struct"),
    [
        ('< compaction_update c1 "sum"', updates.CompactionUpdate),
        ('< compaction_summary_chunk c1 "sum"', updates.CompactionSummaryChunk),
        ("< subagent_update s2", updates.SubagentUpdate),
        ("< plan_update p1", updates.PlanUpdate),
        ("< plan_removed p1", updates.PlanRemoved),
        ('< notice "Look"', updates.Notice),
        ('< usage_update {"used": 1, "size": 2}', updates.UsageUpdate),
        ('< session_info_update {"title": "t"}', updates.SessionInfoUpdate),
        ('< available_commands_update {"availableCommands": []}', updates.AvailableCommandsUpdate),
        ('< session_message m1 "hi"', updates.SessionMessage),
    ],
)
def test_every_kind_of_update_can_be_written(line: str, struct: type) -> None:
    [event] = conversation(line)

    assert isinstance(event.message, methods.SessionUpdate)
    assert type(event.message.params.update) is struct
