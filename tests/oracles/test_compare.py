"""Two snapshots and where they part first."""

from __future__ import annotations

import random

import pytest
from msgspec import UNSET

from acpsim.oracles.compare import difference, equal, first_difference, general_place, json_path
from acpsim.wire.cells import Json, JsonObject

SNAPSHOT = {
    "timeline": [["agent_message", "m1"]],
    "messages": {
        "agent_message": {"m1": {"content": [{"type": "text", "text": "a"}], "meta": None}}
    },
    "foreground": {"state": "idle", "confirmed": True, "completions": 1},
    "usage": None,
}


def changed(value: Json, *path: str | int, to: Json) -> Json:
    """A copy with the value at this path replaced, or left out (`UNSET`)."""
    if not path:
        return to
    copy: Json = dict(value) if isinstance(value, dict) else list(value)
    inner = changed(copy[path[0]] if path[0] in copy or path[1:] else None, *path[1:], to=to)
    if inner is UNSET:
        del copy[path[0]]
    else:
        copy[path[0]] = inner
    return copy


def test_equal_snapshots_have_no_difference() -> None:
    assert first_difference(SNAPSHOT, changed(SNAPSHOT, "usage", to=None)) is None


def test_the_path_leads_to_the_innermost_difference() -> None:
    other = changed(
        SNAPSHOT, "messages", "agent_message", "m1", "content", 0, to={"type": "text", "text": "b"}
    )

    found = first_difference(SNAPSHOT, other)

    assert found is not None
    assert found.path == "$.messages.agent_message.m1.content[0].text"
    assert (found.expected, found.actual) == ("a", "b")


def test_the_order_of_keys_does_not_count() -> None:
    assert equal({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1})


def test_the_order_of_items_counts() -> None:
    assert not equal([1, 2], [2, 1])


@pytest.mark.parametrize(("one", "other"), [(1, 1.0), (0, -0.0), (10**30, 1e30 * 1.0)])
def test_numbers_are_compared_by_value(one: float, other: float) -> None:
    assert equal([one], [other]) is (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(True, 1), (False, 0), (1, "1"), (None, False), (None, 0), ({}, []), ("", None), ({}, None)],
)
def test_values_of_different_types_differ(one: Json, other: Json) -> None:
    assert not equal({"k": one}, {"k": other})
    assert not equal({"k": other}, {"k": one})


def test_absent_and_null_are_apart() -> None:
    found = difference({"a": None}, {})

    assert found is not None
    assert (found.path, found.expected, found.actual) == ("$.a", None, UNSET)


def test_what_is_too_much_is_a_difference() -> None:
    found = difference({}, {"a": None})

    assert found is not None
    assert (found.expected, found.actual) == (UNSET, None)


def test_a_longer_list_differs_at_its_first_item_too_many() -> None:
    found = difference([1], [1, 2, 3])

    assert found is not None
    assert (found.path, found.expected, found.actual) == ("$[1]", UNSET, 2)


def test_only_the_sections_named_are_compared() -> None:
    other = changed(SNAPSHOT, "foreground", "completions", to=2)

    assert first_difference(SNAPSHOT, other, ["timeline", "messages"]) is None
    assert first_difference(SNAPSHOT, other, ["foreground.state", "foreground.confirmed"]) is None
    assert first_difference(SNAPSHOT, other, ["foreground.completions"]) is not None


def test_a_part_that_the_target_claims_and_lacks_is_a_difference() -> None:
    other = changed(SNAPSHOT, "foreground", "state", to=UNSET)

    found = first_difference(SNAPSHOT, other, ["foreground.state"])

    assert found is not None
    assert (found.path, found.actual) == ("$.foreground.state", UNSET)


def test_a_part_that_the_edition_does_not_have_is_not_missed() -> None:
    assert first_difference(SNAPSHOT, SNAPSHOT, ["foreground.background"]) is None


def test_sections_are_looked_at_in_the_order_of_the_snapshot() -> None:
    other = changed(changed(SNAPSHOT, "usage", to={}), "timeline", to=[])

    found = first_difference(SNAPSHOT, other, ["usage", "timeline"])

    assert found is not None
    assert found.path == "$.timeline[0]"


def test_the_first_difference_does_not_depend_on_the_order_of_keys() -> None:
    keys = [f"k{n}" for n in range(20)]
    expected = dict.fromkeys(keys, 0)
    chance = random.Random(7)
    seen = set()
    for _ in range(10):
        chance.shuffle(keys)
        found = difference(expected, dict.fromkeys(keys, 1))
        assert found is not None
        seen.add(found.path)

    assert seen == {"$.k0"}


def test_a_missing_snapshot_differs_at_the_root() -> None:
    found = first_difference(SNAPSHOT, None)

    assert found is not None
    assert (found.path, found.actual) == ("$", None)
    assert first_difference(None, None) is None


def test_a_name_that_is_no_word_is_quoted_in_the_path() -> None:
    assert json_path(["toolCalls", 'a "b"', 0, "x-1"]) == '$.toolCalls["a \\"b\\""][0].x-1'


def test_values_that_are_no_json_are_compared_too() -> None:
    assert not equal({"k": object()}, {"k": 1})


def test_deep_values_are_compared_without_recursion() -> None:
    one: Json = 1
    other: Json = 2
    for _ in range(5000):
        one, other = [one], [other]

    found = difference(one, other)

    assert found is not None
    assert len(found.steps) == 5000


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("timeline", 3, 1), "timeline"),
        (
            ("messages", "agent_message", "m1", "content", 0, "text"),
            "messages.agent_message.*.content",
        ),
        (("messages", "agent_message", "m1"), "messages.agent_message.*"),
        (("messages", "user_message", "m1", "meta", "k"), "messages.user_message.*.meta"),
        (("toolCalls", "t1", "status"), "toolCalls.*.status"),
        (("plans", "p1", "entries", 0), "plans.*"),
        (("prompts", 1, "status"), "prompts.status"),
        (("prompts", 1), "prompts"),
        (("foreground", "completions"), "foreground.completions"),
        (("commands", 0, "name"), "commands"),
        ((), "$"),
    ],
)
def test_the_place_is_the_path_without_what_is_accidental(
    path: tuple[str | int, ...], place: str
) -> None:
    assert general_place(path) == place


def test_no_snapshot_is_as_good_as_an_untouched_one_to_who_keeps_a_part() -> None:
    """A newcomer's reducer of agent messages knew no session before the first of them came."""
    untouched: JsonObject = {"messages": {"agent_message": {}}}

    assert first_difference(untouched, None, ("messages.agent_message",)) is None
    assert first_difference(None, untouched, ("messages.agent_message",)) is None
    held: JsonObject = {"messages": {"agent_message": {"m1": {"content": [], "meta": None}}}}
    assert first_difference(held, None, ("messages.agent_message",)) is not None
