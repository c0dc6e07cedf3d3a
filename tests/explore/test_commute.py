"""The audit: silent about a right reducer, to the point about one that orders what commutes."""

from __future__ import annotations

from typing import Any

import pytest

from acpsim.explore.commute import Audited, Pair, audit, commuting, kind_of
from acpsim.targets.address import open_target
from acpsim.wire.edition import DRAFT, EDITIONS
from tests.helpers.shorthand import conversation


def audited(target: str, cases: int = 150, **options: Any) -> Audited:
    edition = options.pop("edition", DRAFT)
    *_, last = audit(open_target(target, edition=edition), edition=edition, cases=cases, **options)
    assert isinstance(last, Audited)
    return last


@pytest.mark.slow
@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
def test_the_reference_lets_every_pair_commute_that_commutes(edition: Any) -> None:
    found = audited("reference", cases=300, edition=edition, contexts=1000)

    assert found.ordered == ()
    assert found.tried > 2000


@pytest.mark.slow
@pytest.mark.parametrize("mutant", ["echo-doubled", "echo-by-order"])
def test_a_reducer_that_orders_echo_and_response_is_told_so(mutant: str) -> None:
    told = [pair.kinds for pair in audited(f"mutant:{mutant}").ordered]

    assert any(
        answer.startswith("session/prompt") and echo.startswith("user_message")
        for answer, echo in told
    )


@pytest.mark.slow
def test_an_example_is_shrunk_and_marks_the_two() -> None:
    pair = next(p for p in audited("mutant:echo-doubled").ordered if "user_message" in p.kinds)

    example = pair.example
    assert example is not None
    assert example.minimal
    kinds = sorted(kind_of(example.events, at) for at in (example.at, example.at + 1))
    assert tuple(kinds) == pair.kinds


@pytest.mark.slow
def test_the_same_seed_and_cases_give_the_same() -> None:
    one, other = (audited("mutant:echo-doubled", cases=60) for _ in range(2))

    assert one.pairs == other.pairs


def test_no_pair_is_tried_more_often_than_asked_for() -> None:
    assert max(pair.tried for pair in audited("reference", contexts=2).pairs) == 2


def test_an_answer_does_not_commute_with_its_question() -> None:
    events = conversation('setup\n> #1 prompt "a"\n< #1 ok u1', edition=DRAFT)

    assert [at for at, _ in commuting(events)] == []


def test_a_response_commutes_with_an_update_beside_it() -> None:
    events = conversation(
        'setup\n> #1 prompt "a"\n< #1 ok u1\n< user_message u1 "a"', edition=DRAFT
    )

    assert list(commuting(events)) == [(5, ("session/prompt response", "user_message"))]


def test_what_nobody_knows_is_of_one_kind() -> None:
    events = conversation(
        r"""
        setup
        < later_variant {"x": 1}
        < raw {"jsonrpc": "2.0", "method": "_\u001b[2J", "params": {}}
        < raw {"jsonrpc": "2.0", "method": 7}
        """,
        edition=DRAFT,
    )

    kinds = [kind_of(events, at) for at in (4, 5, 6)]

    assert kinds == ["unknown variant", "other method", "unusable message"]


def test_a_target_that_fails_is_counted_and_audited_on() -> None:
    found = audited("tests.explore.test_commute:Failing", cases=20)

    assert found.crashes > 0


class Failing:
    """Raises at every prompt."""

    def __init__(self, edition: str) -> None:
        pass

    def apply(self, event: dict[str, Any]) -> None:
        if event.get("msg", {}).get("method") == "session/prompt":
            raise ValueError("no prompts here")

    def snapshot(self, session_id: str) -> None:
        return None


def test_a_pair_is_told_when_it_is_first_found() -> None:
    target = open_target("mutant:echo-doubled", edition=DRAFT)

    told = [
        each.kinds for each in audit(target, edition=DRAFT, cases=100) if isinstance(each, Pair)
    ]

    assert len(told) == len(set(told)) > 0
