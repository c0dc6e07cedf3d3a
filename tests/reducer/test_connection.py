"""Prompts, permissions, opening and closing, lost connections, many sessions, forks."""

from __future__ import annotations

import pytest

from acpsim.reducer import Reducer, fold
from acpsim.wire.edition import DRAFT, SDK_2_4, Edition
from tests.helpers.shorthand import conversation
from tests.reducer.states import ids, state, texts


@pytest.mark.parametrize(
    "order",
    [
        '< #1 ok u1\n< user_message u1 "hi"',
        '< user_message u1 "hi"\n< #1 ok u1',
        '< user_message_chunk u1 "hi"\n< #1 ok u1\n< user_message u1 "hi"',
    ],
)
def test_echo_and_response_in_any_order_are_one_message(order: str) -> None:
    """B39: PROMPT-RECONCILE."""
    held = state(f'setup\n> #1 prompt "hi"\n{order}')

    assert ids(held) == ["u1"]
    assert texts(held, "user_message", "u1") == ["hi"]
    assert held["prompts"] == [
        {"request": 1, "status": "accepted", "messageId": "u1", "error": None}
    ]


def test_the_response_alone_creates_no_message() -> None:
    assert ids(state('setup\n> #1 prompt "hi"\n< #1 ok u1')) == []


def test_equal_texts_tie_no_prompt_to_a_message() -> None:
    """PROMPT-NO-INFERENCE."""
    held = state(
        'setup\n> #1 prompt "hi"\n> #2 prompt "hi"\n< user_message u1 "hi"\n'
        '< user_message u2 "hi"\n< #2 ok u1\n< #1 ok u2'
    )

    assert [(p["request"], p["messageId"]) for p in held["prompts"]] == [(1, "u2"), (2, "u1")]


@pytest.mark.parametrize("answer", ['{"messageId": null}', "{}", '{"messageId": 7}'])
def test_a_response_that_cannot_be_read_leaves_its_prompt_uncertain(answer: str) -> None:
    held = state(f'setup\n> #1 prompt "hi"\n< #1 ok {answer}')

    assert held["prompts"][0]["status"] == "uncertain"


def test_a_rejected_prompt_holds_its_error() -> None:
    held = state('setup\n> #1 prompt "hi"\n< #1 error -32800 "cancelled"')

    assert held["prompts"][0]["error"] == {"code": -32800, "message": "cancelled"}


def test_a_lost_connection_leaves_prompts_uncertain_and_the_state_unconfirmed() -> None:
    """B17: an echo under some id proves nothing about the prompt."""
    held = state(
        'setup\n> #1 prompt "hi"\n< user_message u1 "hi"\n< running\n< #a1 permission -\nlost'
    )

    assert held["prompts"][0]["status"] == "uncertain"
    assert held["permissions"][0]["status"] == "withdrawn"
    assert (held["foreground"]["state"], held["foreground"]["confirmed"]) == ("running", False)
    assert ids(held) == ["u1"]


def test_request_ids_start_anew_on_the_next_connection() -> None:
    held = state('setup\n> #1 prompt "a"\nlost\n> #1 prompt "b"\n< #1 ok u9')

    assert [(p["status"], p["messageId"]) for p in held["prompts"]] == [
        ("uncertain", None),
        ("accepted", "u9"),
    ]


def test_a_number_and_its_text_are_two_request_ids() -> None:
    events = conversation(
        'setup\n> #1 prompt "a"\n< raw {"jsonrpc": "2.0", "id": "1", "result": {}}'
    )
    held = fold(events, DRAFT).snapshot("s1")

    assert held is not None
    assert held["prompts"][0]["status"] == "pending"


def test_a_permission_subject_is_applied_like_an_update() -> None:
    held = state(
        '< raw {"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", "params": '
        '{"sessionId": "s1", "title": "OK?", "options": [{"optionId": "y", "name": "Y", "kind": '
        '"allow_once"}], "subject": {"type": "tool_call", "toolCall": {"toolCallId": "t1", '
        '"title": "Edit", "kind": "edit"}}}}'
    )

    assert ids(held) == ["t1"]
    assert (held["toolCalls"]["t1"]["title"], held["toolCalls"]["t1"]["kind"]) == ("Edit", "edit")


def test_the_agents_cancel_request_answers_nothing() -> None:
    held = state('< #a1 permission -\n< cancel_request "a1"')

    assert held["permissions"][0]["status"] == "pending"


def test_an_error_answer_withdraws_a_permission() -> None:
    held = state("< #a1 permission -\n> #a1 error -32800")

    assert held["permissions"] == [{"request": "a1", "status": "withdrawn", "outcome": None}]


def test_a_close_is_taken_back_by_a_resume() -> None:
    closed = "setup\n> #2 close\n< #2 ok {}"

    assert state(closed)["closed"] is True
    assert state(f"{closed}\n> #3 resume\n< #3 ok {{}}")["closed"] is False


@pytest.mark.parametrize(("edition", "closed"), [(DRAFT, False), (SDK_2_4, True)])
def test_not_found_closes_where_the_edition_says_so(edition: Edition, closed: bool) -> None:
    held = state("setup\n> #2 close\n< #2 error -32002", edition=edition)

    assert held["closed"] is closed


def test_a_replay_of_upserts_changes_nothing_and_a_chunk_appends() -> None:
    """B47, B48: RESUME-UPSERT; a reducer does not guess."""
    live = 'setup\n< user_message u1 "A"\n< agent_message_chunk m1 "old"'
    upserts = (
        f'{live}\n> #9 resume replay\n< user_message u1 "A"\n'
        '< agent_message m1 {"content": null}\n< agent_message_chunk m1 "old"\n< #9 ok {}'
    )

    assert state(upserts)["messages"] == state(live)["messages"]
    doubled = state(f'{live}\n> #9 resume\n< agent_message_chunk m1 "old"\n< #9 ok {{}}')
    assert texts(doubled, "agent_message", "m1") == ["old", "old"]


def test_updates_before_the_session_is_known_are_kept() -> None:
    """B01, B02."""
    held = state(
        '> #1 new\n< available_commands_update {"availableCommands": [{"type": "command", "name": '
        '"help", "description": "h"}]}\n< usage_update {"used": 1, "size": 9}\n'
        '< #1 ok {"sessionId": "s1"}'
    )

    assert [command["name"] for command in held["commands"]] == ["help"]
    assert held["usage"] == {"used": 1, "size": 9, "cost": None}


def test_an_update_touches_only_the_session_that_it_names() -> None:
    """SESSION-ISOLATION."""
    text = '< agent_message m1 "A"\n< [s2] agent_message m1 "B"'

    assert texts(state(text), "agent_message", "m1") == ["A"]
    assert texts(state(text, "s2"), "agent_message", "m1") == ["B"]


def test_a_session_that_nobody_named_has_no_snapshot() -> None:
    assert Reducer(DRAFT).snapshot("nobody") is None


def test_a_fork_and_its_origin_go_their_own_ways() -> None:
    first, second, third = conversation(
        '< agent_message_chunk m1 "A"\n< agent_message_chunk m1 "B"\n< agent_message_chunk m1 "C"'
    )
    origin = Reducer(DRAFT)
    origin.apply(first)
    fork = origin.fork()

    origin.apply(second)
    fork.apply(third)

    def content(reducer: Reducer) -> list[str]:
        held = reducer.snapshot("s1")
        assert held is not None
        return texts(held, "agent_message", "m1")

    assert content(origin) == ["A", "B"]
    assert content(fork) == ["A", "C"]


def test_a_snapshot_shares_nothing_with_the_state() -> None:
    reducer = fold(conversation('< agent_message m1 "A" {"_meta": {"a": {"b": 1}}}'), DRAFT)
    handed_out = reducer.snapshot("s1")
    assert handed_out is not None
    handed_out["messages"]["agent_message"]["m1"]["content"].append("x")
    handed_out["messages"]["agent_message"]["m1"]["meta"]["a"]["b"] = 2

    again = reducer.snapshot("s1")

    assert again is not None
    assert again["messages"]["agent_message"]["m1"] == {
        "content": [{"type": "text", "text": "A"}],
        "meta": {"a": {"b": 1}},
    }


def test_bytes_and_events_lead_to_the_same_state() -> None:
    events = conversation(
        '< running\n< agent_message_chunk m1 "A"\n< notice "N"\n< _x {"y": 1}\n< idle end_turn'
    )
    by_bytes = Reducer(DRAFT)
    for event in events:
        by_bytes.receive(event.raw)

    assert by_bytes.snapshot("s1") == fold(events, DRAFT).snapshot("s1")


def test_what_cannot_be_used_is_said_with_its_line_and_changes_nothing() -> None:
    events = conversation('< running\n< agent_message {"messageId": 7}\n< #9 ok {}')
    reducer = Reducer(DRAFT)

    remarks = [remark for event in events for remark in reducer.apply(event)]

    assert [remark.line for remark in remarks] == [2, 3]
    assert reducer.snapshot("s1") == fold(events[:1], DRAFT).snapshot("s1")


def test_a_request_that_travels_the_wrong_way_answers_no_prompt() -> None:
    """The agent asks what only a client may ask, under the id of the client's open prompt."""
    asked = 'setup\n> #1 prompt "hi"\n'
    held = state(
        f'{asked}< raw {{"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": '
        '{"sessionId": "s1", "prompt": [{"type": "text", "text": "x"}]}}\n> #1 error -32601'
    )

    assert held == state(asked)


def test_one_id_may_be_open_in_both_directions() -> None:
    held = state(
        'setup\n> #1 prompt "hi"\n< #1 permission -\n> #1 selected yes\n< #1 ok u1',
    )

    assert held["prompts"][0]["messageId"] == "u1"
    assert held["permissions"][0]["outcome"] == {"outcome": "selected", "optionId": "yes"}


def test_a_session_is_named_by_the_response_that_opens_it() -> None:
    reducer = fold(conversation('> #1 new\n< #1 ok {"sessionId": "s9"}'), DRAFT)

    assert reducer.sessions() == ["s9"]


def test_a_response_to_new_does_not_overwrite_what_was_reported_before() -> None:
    held = state('> #1 new\n< running\n< #1 ok {"sessionId": "s1"}')

    assert held["foreground"]["state"] == "running"


@pytest.mark.parametrize("answer", ["< #2 error -32603", '< #2 ok "x"', "lost"])
def test_a_close_that_did_not_succeed_closes_nothing(answer: str) -> None:
    held = state(
        f"setup\n> #2 close\n{answer}".replace('ok "x"', 'raw {"jsonrpc": "2.0", "id": 2}')
    )

    assert held["closed"] is False


def test_a_prompt_that_is_pending_at_close_waits_for_its_own_answer() -> None:
    closed = 'setup\n> #1 prompt "hi"\n> #2 close\n< #2 ok {}'

    assert state(closed)["prompts"][0]["status"] == "pending"
    assert state(f"{closed}\n< #1 error -32800")["prompts"][0]["status"] == "rejected"


def test_what_a_closed_session_held_stays_and_updates_are_still_applied() -> None:
    held = state('setup\n< agent_message m1 "A"\n> #2 close\n< #2 ok {}\n< agent_message m2 "B"')

    assert ids(held) == ["m1", "m2"]


def test_a_failed_resume_takes_no_close_back() -> None:
    held = state("setup\n> #2 close\n< #2 ok {}\n> #3 resume\n< #3 error -32002")

    assert held["closed"] is True


def test_a_cancel_answers_no_permission_by_itself() -> None:
    held = state("< running\n< #a1 permission t1\n> cancel")

    assert held["permissions"][0]["status"] == "pending"


def test_the_clients_cancel_request_answers_no_prompt_by_itself() -> None:
    held = state('setup\n> #1 prompt "hi"\n> cancel_request 1')

    assert held["prompts"][0]["status"] == "pending"


def test_after_a_lost_connection_an_old_answer_answers_nothing() -> None:
    events = conversation('setup\n> #1 prompt "hi"\nlost\n< #1 ok u1')
    reducer = fold(events[:-1], DRAFT)
    before = reducer.snapshot("s1")

    remarks = reducer.apply(events[-1])

    assert [remark.text for remark in remarks] == [
        "the response to 1 answers no open request: ignored"
    ]
    assert reducer.snapshot("s1") == before


def test_an_idle_session_is_unconfirmed_after_a_loss_until_it_is_reported() -> None:
    lost = "< running\n< idle end_turn\nlost"

    assert state(lost)["foreground"]["confirmed"] is False
    again = state(f"{lost}\n< idle")["foreground"]
    assert (again["confirmed"], again["completions"], again["stopReason"]) == (True, 1, "end_turn")


def test_a_malformed_permission_request_is_none() -> None:
    held = state(
        '< running\n< raw {"jsonrpc": "2.0", "id": "a1", "method": "session/request_permission", '
        '"params": {"sessionId": "s1", "title": "OK?", "options": [], "subject": '
        '{"type": "tool_call", "toolCall": {"toolCallId": "t1"}}}}'
    )

    assert (held["permissions"], held["toolCalls"]) == ([], {})
