"""What commutes by the protocol, and that it does in the reference."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from acpsim.explore.certificate import all_pairs
from acpsim.explore.dependence import RELATIONS, Dependence
from acpsim.explore.named import SMALL_MAX, shipped
from acpsim.explore.walk import Walk
from acpsim.fuzz.concurrency import scenario_of
from acpsim.fuzz.scenario import Scenario
from acpsim.oracles import talk
from acpsim.schedule.count import orders_of
from acpsim.schedule.order import PartialOrder
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from tests.helpers.shorthand import conversation

FEW = 5_000


def unordered(text: str) -> Scenario:
    """A conversation in which nothing has to come before anything, set-up apart."""
    events = conversation(text, edition=DRAFT)
    found = scenario_of(events, name="test", settled=True)
    free = [[] if at < 4 else [3] for at in range(len(events))]
    setup = [[at - 1] if at else [] for at in range(4)]
    return Scenario(
        name=found.name,
        events=tuple(events),
        order=PartialOrder([*setup, *free[4:]]),
        kept=found.kept,
        settled=True,
    )


def depend(one: str, other: str, *beside: str, relation: str = "state") -> bool:
    """Whether two messages depend on each other, in a session with others beside them."""
    text = "\n".join(["setup", one, other, *beside])
    return Dependence(unordered(text), relation).depend(4, 5)


def test_updates_of_one_entity_depend() -> None:
    assert depend('< agent_message_chunk m1 "a"', '< agent_message_chunk m1 "b"')


def test_two_that_may_create_depend_by_their_places_in_the_timeline() -> None:
    assert depend('< agent_message m1 "a"', '< agent_message m2 "b"')


def test_terminals_have_no_place_in_the_timeline() -> None:
    assert not depend('< terminal_update T1 {"command": "a"}', "< terminal_update T2 {}")


def test_a_thought_and_a_reply_of_one_id_are_two() -> None:
    creates = ('< agent_thought m1 "a"', '< agent_message m1 "b"')

    assert depend(*creates)
    assert not depend("< agent_thought m1", '< terminal_update m1 {"command": "a"}')


def test_reports_of_the_foreground_state_depend() -> None:
    assert depend("< running", "< idle end_turn")


def test_a_report_of_the_state_commutes_with_a_message() -> None:
    assert not depend("< running", '< agent_message m1 "a"')


def test_creating_a_tool_call_depends_on_the_state_where_a_cancel_may_mark_it() -> None:
    creates = '< tool_call_update t1 {"title": "T"}'

    assert not depend("< running", creates)
    assert depend("< running", creates, "> cancel")


def test_a_cancel_depends_on_the_tool_calls_of_its_session() -> None:
    assert depend("> cancel", '< tool_call_update t1 {"title": "T"}')


def test_two_tool_calls_do_not_depend_because_a_cancel_may_mark_both() -> None:
    scenario = unordered(
        """
        setup
        < tool_call_update t1 {"status": "in_progress"}
        < tool_call_update t2 {"status": "in_progress"}
        > cancel
        < terminal_update T1 {"command": "a"}
        """
    )
    found = Dependence(scenario, "state")

    assert found.depend(4, 5)  # both may create
    assert found.depend(4, 6)
    assert not found.depend(4, 7)


def test_a_permission_request_depends_on_the_tool_call_that_it_carries() -> None:
    assert depend("< #a1 permission t1 yes/no", '< tool_call_update t1 {"title": "T"}')


ANSWERED = """
setup
> #1 prompt "a"
< #1 ok u1
< user_message u1 "a"
< user_message u2 "a"
"""


def test_the_answer_to_a_prompt_commutes_with_its_echo_by_the_state() -> None:
    assert not Dependence(unordered(ANSWERED), "state").depend(5, 6)


@pytest.mark.parametrize("relation", ["reconcile", "wide"])
def test_a_client_brings_the_answer_to_a_prompt_and_its_echo_together(relation: str) -> None:
    found = Dependence(unordered(ANSWERED), relation)

    assert found.depend(5, 6)
    assert found.depend(5, 7) == (relation == "wide")


def test_what_is_in_two_sessions_commutes_in_every_relation() -> None:
    messages = ("running", 'agent_message m1 "a"')
    text = "\n".join(["setup", *(f"< [{s}] {told}" for told in messages for s in ("s1", "s2"))])
    for relation in RELATIONS:
        found = Dependence(unordered(text), relation)

        assert not found.depend(4, 5)
        assert not found.depend(6, 7)


def test_everything_depends_on_a_lost_connection() -> None:
    assert depend("lost", '< terminal_update T1 {"command": "a"}')


def few_orders() -> list[object]:
    found: list[object] = []
    for edition in EDITIONS.values():
        for scenario in shipped(edition=edition, seed=0, messages_max=SMALL_MAX):
            count = orders_of(scenario.order.closure)
            if count is not None and count <= FEW:
                found.append(pytest.param(scenario, edition, id=f"{scenario.name}-{edition.name}"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "edition"), few_orders())
def test_all_orders_of_a_class_end_in_one_state(scenario: Scenario, edition: Edition) -> None:
    masks = Dependence(scenario, "state").masks
    names = talk.named(scenario.events).addressed
    states = [ReferenceTarget(edition)]
    way: list[int] = []
    held: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for step in Walk(scenario.order, all_pairs(scenario.order)):
        del way[step.depth :], states[step.depth + 1 :]
        way.append(step.node)
        states.append(states[-1].fork())
        states[-1].apply([scenario.events[step.node]])
        if len(way) == len(scenario.events):
            found, done = [0] * len(way), 0
            for node in way:
                found[node] = masks[node] & done
                done |= 1 << node
            ends = [states[-1].snapshot(name) for name in names]
            held[tuple(found)].add(json.dumps(ends, sort_keys=True))

    assert all(len(ends) == 1 for ends in held.values())
