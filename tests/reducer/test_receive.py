"""Ways to the same state: bytes or events, one reducer or its forks, the short way or the long."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acpsim.reducer import Reducer, fold
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4, Edition
from acpsim.wire.parse import json_text
from acpsim.wire.trace import Event, event
from tests.helpers.shorthand import conversation
from tests.helpers.wellformed import calls

IDS: Final = frozenset(
    {"sessionId", "messageId", "toolCallId", "terminalId", "planId", "compactionId"}
)


def gathered(message: JsonObject) -> JsonObject:
    """The message with every well-formed id one of a few, so that entities are met again."""

    def few(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: f"id{len(held) % 2}" if key in IDS and isinstance(held, str) else few(held)
                for key, held in value.items()
            }
        return [few(item) for item in value] if isinstance(value, list) else value

    found: JsonObject = few(message)
    return found


updates: Final = st.booleans().flatmap(lambda spoilt: calls("session/update", spoilt=spoilt))
talks: Final = st.lists(updates.map(gathered), max_size=6)
editions: Final = st.sampled_from(sorted(EDITIONS)).map(EDITIONS.__getitem__)

FIRST = '< [id0] running\n< [id1] running\n< [id0] agent_message_chunk id0 "A"'


def heard(talk: list[JsonObject], edition: Edition) -> list[Event]:
    """The talk as events, after both of its sessions were heard of."""
    told = [event("a2c", message, edition=edition) for message in talk]
    return [*conversation(FIRST, edition=edition), *told]


def held(reducer: Reducer) -> dict[str, JsonObject | None]:
    return {session: reducer.snapshot(session) for session in reducer.sessions()}


@pytest.mark.slow
@settings(max_examples=100)
@given(talk=talks, edition=editions)
def test_bytes_and_events_lead_to_the_same_state_and_remarks(
    talk: list[JsonObject], edition: Edition
) -> None:
    by_bytes, by_events = Reducer(edition), Reducer(edition)

    for told in heard(talk, edition):
        told_bytes = [remark.text for remark in by_bytes.receive(told.raw)]
        assert told_bytes == [remark.text for remark in by_events.apply(told)]

    assert held(by_bytes) == held(by_events)


@pytest.mark.slow
@settings(max_examples=50)
@given(before=talks, here=talks, there=talks, edition=editions)
def test_a_fork_and_its_origin_are_what_they_would_be_alone(
    before: list[JsonObject], here: list[JsonObject], there: list[JsonObject], edition: Edition
) -> None:
    origin = fold(heard(before, edition), edition)
    fork = origin.fork()

    for message in here:
        origin.receive(json_text(message))
    for message in there:
        fork.receive(json_text(message))

    assert held(origin) == held(fold(heard([*before, *here], edition), edition))
    assert held(fork) == held(fold(heard([*before, *there], edition), edition))


def test_a_fork_of_a_fork_keeps_apart_from_both() -> None:
    first, *rest = conversation(
        '< agent_message_chunk m1 "A"\n< agent_message_chunk m1 "B"\n'
        '< agent_message_chunk m1 "C"\n< agent_message_chunk m1 "D"'
    )
    one = fold([first], DRAFT)
    two = one.fork()
    three = two.fork()

    for reducer, told in zip((one, two, three), rest, strict=True):
        reducer.apply(told)

    found = [(held(reducer)["s1"] or {})["messages"] for reducer in (one, two, three)]
    assert [messages["agent_message"]["m1"]["content"][1]["text"] for messages in found] == [
        "B",
        "C",
        "D",
    ]


def test_a_fork_shares_no_open_request() -> None:
    asked, answered = conversation('> #1 prompt "hi"\n< #1 ok u1')
    origin = fold([asked], DRAFT)
    fork = origin.fork()

    origin.apply(answered)

    assert (held(origin)["s1"] or {})["prompts"][0]["status"] == "accepted"
    assert (held(fork)["s1"] or {})["prompts"][0]["status"] == "pending"
    assert fork.apply(answered) == ()


def test_a_connection_lost_in_a_fork_is_not_lost_in_its_origin() -> None:
    told = conversation("< running\nlost")
    origin = fold(told[:1], DRAFT)
    fork = origin.fork()

    fork.apply(told[1])

    assert (held(origin)["s1"] or {})["foreground"]["confirmed"] is True
    assert (held(fork)["s1"] or {})["foreground"]["confirmed"] is False


def test_sessions_are_named_in_the_order_in_which_they_were_first_heard_of() -> None:
    reducer = fold(conversation("< [b] running\n< [a] running"), DRAFT)
    fork = reducer.fork()
    fork.apply(conversation("< [c] running")[0])
    fork.apply(conversation("< [a] running")[0])

    assert fork.sessions() == ["b", "a", "c"]


def test_a_message_that_cannot_be_used_makes_no_session() -> None:
    reducer = Reducer(DRAFT)

    reducer.receive(
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
        b'{"sessionUpdate":"agent_message","messageId":7}}}'
    )

    assert reducer.sessions() == []


def test_the_editions_looks_are_taken_on_the_short_way_too() -> None:
    """A command without a type is none in the edition that requires it."""
    line = (
        b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":'
        b'{"sessionUpdate":"available_commands_update","availableCommands":'
        b'[{"name":"x","description":"d"}]}}}'
    )
    kept = {}
    for edition in (DRAFT, SDK_2_4):
        reducer = fold(conversation("< running", edition=edition), edition)
        reducer.receive(line)
        kept[edition.name] = (held(reducer)["s1"] or {})["commands"]

    assert kept == {"draft": [{"name": "x", "description": "d"}], "sdk-2.4": []}
