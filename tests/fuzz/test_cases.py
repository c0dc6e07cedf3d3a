"""Cases: a function of seed, edition and number; known trouble first, then groups."""

from __future__ import annotations

from collections import Counter

import pytest

from acpsim.fuzz.cases import GROUP, MESSAGES_MAX, Case, Cases, beside
from acpsim.fuzz.field import TOLD, field_scenarios
from acpsim.fuzz.recorded import recorded_scenarios
from acpsim.fuzz.scenario import Scenario
from acpsim.oracles import talk
from acpsim.wire import methods
from acpsim.wire.edition import DRAFT, SDK_2_4

COUNT = 120


def told(case: Case) -> tuple[bytes, ...]:
    return tuple(event.raw for event in case.events)


def test_the_first_cases_are_the_known_kinds_of_trouble_as_they_are() -> None:
    cases = Cases(0, DRAFT)

    first = [cases.case(number) for number in range(cases.first)]

    assert len(first) == len(TOLD)
    assert [case.source for case in first] == [s.name for s in field_scenarios(DRAFT)]
    assert not any(case.drawn or case.disturbances for case in first)


def test_a_corpus_comes_before_everything_else() -> None:
    corpus = recorded_scenarios(DRAFT)[:2]

    cases = Cases(0, DRAFT, corpus=corpus)

    assert [cases.case(number).source for number in range(2)] == [s.name for s in corpus]


def test_any_case_can_be_made_by_itself() -> None:
    in_order = Cases(7, DRAFT)
    expected = [told(in_order.case(number)) for number in range(COUNT)]

    backwards = Cases(7, DRAFT)
    actual = [told(backwards.case(number)) for number in reversed(range(COUNT))]

    assert actual[::-1] == expected


def test_two_seeds_give_other_cases() -> None:
    one, other = Cases(1, DRAFT), Cases(2, DRAFT)

    assert told(one.case(COUNT)) != told(other.case(COUNT))


def test_the_cases_of_a_group_share_their_scenario() -> None:
    cases = Cases(0, DRAFT)
    group = [cases.case(cases.first + 5 * GROUP + at) for at in range(GROUP)]

    assert len({case.source for case in group}) == 1
    assert len({told(case) for case in group}) > 1


def test_cases_come_from_all_sources_and_all_disturbances_happen() -> None:
    sources: Counter[str] = Counter()
    disturbances: Counter[str] = Counter()
    cases = Cases(0, SDK_2_4)
    for number in range(900):
        case = cases.case(number)
        sources[case.source.partition("/")[0]] += 1
        disturbances.update(case.disturbances)

        assert len(case.events) <= max(MESSAGES_MAX, len(case.events) * (not case.disturbances))

    assert {"field", "recorded", "generated"} <= set(sources)
    assert min(disturbances.values()) > 0


def test_only_what_is_undisturbed_counts_as_settled() -> None:
    cases = Cases(0, DRAFT)

    assert not any(c.settled and c.disturbances for c in map(cases.case, range(COUNT)))


@pytest.fixture
def pair() -> tuple[Scenario, Scenario]:
    known = {scenario.name: scenario for scenario in recorded_scenarios(DRAFT)}
    return known["recorded/plain"], known["recorded/cancel_tool"]


def test_two_conversations_on_one_connection_have_sessions_of_their_own(
    pair: tuple[Scenario, Scenario],
) -> None:
    both = beside(*pair, DRAFT)

    assert len(both.events) == len(pair[0].events) + len(pair[1].events) - 2
    assert talk.addressed(both.events) == ["sess_1", "sess_1-2"]


def test_two_conversations_on_one_connection_use_no_request_id_twice(
    pair: tuple[Scenario, Scenario],
) -> None:
    both = beside(*pair, DRAFT)

    ids = [(event.dir, talk.request_id(event)) for event in both.events]
    asked = [own for own in ids if own[1] is not None]
    assert len(asked) == len(set(asked))
    assert not talk.exchanges(both.events).reused


def test_two_conversations_on_one_connection_may_be_interleaved(
    pair: tuple[Scenario, Scenario],
) -> None:
    both = beside(*pair, DRAFT)
    last_of_one = len(pair[0].events) - 1

    assert both.order.concurrent(last_of_one, last_of_one + 1)
    assert both.order.allows(range(len(both.events)))


def test_where_a_connection_breaks_no_other_conversation_is_put_beside() -> None:
    field = {scenario.name: scenario for scenario in field_scenarios(DRAFT)}
    one, broken = field["field/streams"], field["field/broken-off"]

    assert beside(one, broken, DRAFT) is one


def test_every_known_conversation_begins_with_the_connection() -> None:
    for scenario in (*field_scenarios(DRAFT), *recorded_scenarios(DRAFT)):
        assert isinstance(scenario.events[0].message, methods.InitializeRequest)
