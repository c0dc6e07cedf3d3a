"""ENTITY-ID-REUSE: an id that seems to name a second entity."""

from __future__ import annotations

import pytest

from acpsim.rules.recent import REMEMBERED_MAX, Recent
from tests.rules.both_ways import BREAKS, found, report

TURN = """
setup
> #1 prompt "hi"
< #1 ok u1
< user_message u1 "hi"
< running
< agent_message_chunk b0 "first"
< idle end_turn
"""
NEXT = """
> #2 prompt "and"
< #2 ok u2
< user_message u2 "and"
< running
"""


def test_a_message_that_grows_in_a_later_turn_is_told() -> None:
    """B35: the id came from a block's index and began anew in each turn."""
    assert found("ENTITY-ID-REUSE", BREAKS["ENTITY-ID-REUSE"]) == ["15 suspect"]


def test_a_message_that_goes_on_after_a_steering_prompt_is_no_reuse() -> None:
    steered = TURN.replace("< idle end_turn", NEXT.replace("< running", ""))

    assert (
        found("ENTITY-ID-REUSE", steered + '< agent_message_chunk b0 " on"\n< idle end_turn') == []
    )


def test_a_message_that_goes_on_in_agent_initiated_work_is_no_reuse() -> None:
    more = '< running\n< agent_message_chunk b0 " on"\n< idle end_turn'

    assert found("ENTITY-ID-REUSE", TURN + more) == []


def test_a_thought_and_a_reply_may_share_an_id() -> None:
    shared = TURN + NEXT + '< agent_thought_chunk b0 "second"\n< idle end_turn'

    assert found("ENTITY-ID-REUSE", shared) == []


def test_metadata_of_an_old_message_is_no_growth() -> None:
    meta = TURN + NEXT + '< agent_message b0 {"_meta": {"read": true}}\n< idle end_turn'

    assert found("ENTITY-ID-REUSE", meta) == []


def test_replayed_history_is_no_reuse() -> None:
    replayed = (
        TURN
        + NEXT
        + """
< agent_message m2 "x"
< idle end_turn
> #3 close
< #3 ok {}
> #4 resume replay
< user_message u1 "hi"
< agent_message b0 {"content": null}
< agent_message_chunk b0 "first"
< tool_call_update t1 {"title": "A", "status": "pending"}
< idle end_turn
< #4 ok {}
"""
    )

    assert found("ENTITY-ID-REUSE", replayed) == []


def test_history_that_its_response_overtook_is_no_reuse() -> None:
    overtaken = (
        TURN
        + NEXT
        + """
< agent_message m2 "x"
< idle end_turn
> #3 close
< #3 ok {}
> #4 resume replay
< #4 ok {}
< agent_message_chunk b0 "first"
< idle end_turn
"""
    )

    assert found("ENTITY-ID-REUSE", overtaken, observer="client") == []
    assert found("STATE-PENDING-BEFORE-IDLE", overtaken, observer="client") == []


RUN = TURN.replace("< idle end_turn", "")
CASES = {
    "tool call under another title": (
        ['tool_call_update x {"title": "A", "status": "completed"}'],
        'tool_call_update x {"title": "B", "status": "pending"}',
        True,
    ),
    "tool call tried again": (
        ['tool_call_update x {"title": "A", "status": "failed"}'],
        'tool_call_update x {"title": "A", "status": "pending"}',
        False,
    ),
    "tool call reset by null": (
        ['tool_call_update x {"title": "A", "status": "completed"}'],
        'tool_call_update x {"name": "b", "status": null}',
        True,
    ),
    "terminal with another command": (
        ['terminal_update x {"command": "ls", "exitStatus": {}}'],
        'terminal_update x {"command": "rm", "exitStatus": null}',
        True,
    ),
    "terminal that had not exited": (
        ['terminal_update x {"command": "ls"}'],
        'terminal_update x {"command": "rm"}',
        False,
    ),
    "terminal whose exit was taken back": (
        [
            'terminal_update x {"command": "a", "exitStatus": {}}',
            'terminal_update x {"exitStatus": null}',
        ],
        'terminal_update x {"command": "b"}',
        False,
    ),
    "compaction begun again": (
        ['compaction_update x {"status": "completed"}'],
        'compaction_update x {"status": "in_progress"}',
        True,
    ),
    "compaction patched": (
        ['compaction_update x {"status": "completed"}'],
        'compaction_update x {"status": "completed", "_meta": {"k": 1}}',
        False,
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_reuse_of(name: str) -> None:
    before, after, told = CASES[name]
    text = RUN + "".join(f"< {update}\n" for update in (*before, after))

    assert found("ENTITY-ID-REUSE", text) == ([f"{10 + len(before)} suspect"] if told else [])


def test_an_id_is_free_in_every_type() -> None:
    mixed = RUN + '< tool_call_update b0 {"title": "A"}\n< terminal_update b0 {"command": "ls"}'

    assert found("ENTITY-ID-REUSE", mixed + "\n< idle end_turn") == []


def test_what_is_remembered_stays_bounded() -> None:
    recent: Recent[int] = Recent()
    for number in range(3 * REMEMBERED_MAX):
        recent.put(str(number), number)

    assert recent.get("0") is None
    assert recent.get(str(2 * REMEMBERED_MAX)) == 2 * REMEMBERED_MAX


def test_other_rules_are_silent_about_reuse() -> None:
    assert {f.rule for f in report(BREAKS["ENTITY-ID-REUSE"]).findings} == {"ENTITY-ID-REUSE"}
