"""The vectors that ship: what they cover, that they are right, and that each shows its mistake.

`python -m pytest tests/vectors/test_shipped.py --update` makes them anew, to be reviewed like code.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from acpsim.oracles.laws import LAWS
from acpsim.rules.registry import RULES
from acpsim.targets.address import open_target
from acpsim.targets.mutants import MUTANTS
from acpsim.vectors import shipped as ships
from acpsim.vectors.running import Found, run_one
from acpsim.vectors.shipped import Shipped, conversations, shipped
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4
from tests.vectors.making import made
from tests.vectors.told import ALIKE

FILE = Path(ships.__file__).with_name(ships.FILE)
ALL = [one for edition in EDITIONS.values() for one in shipped(edition)]
OF_MUTANTS = [one for one in ALL if one.mutant is not None]


def identity(one: Shipped) -> str:
    return f"{one.vector.edition.name}-{one.vector.name}"


def found(one: Shipped) -> Found:
    return Found(vector=one.vector, sections=one.sections)


def by_name() -> dict[str, Shipped]:
    return {one.vector.name: one for one in shipped(DRAFT)}


@pytest.mark.slow
def test_they_are_made_anew_on_request(update: bool) -> None:
    if not update:
        pytest.skip("pass --update to make them anew")
    FILE.write_bytes(b"".join(msgspec.json.encode(told) + b"\n" for told in made()))
    conversations.cache_clear()


def test_there_are_more_than_two_hundred_for_each_edition() -> None:
    assert {name: len(shipped(edition)) > 200 for name, edition in EDITIONS.items()} == {
        "draft": True,
        "sdk-2.4": True,
    }


def test_no_two_have_one_name() -> None:
    names = [told.name.lower() for told in conversations()]

    assert len(set(names)) == len(names)


def test_every_rule_that_a_conversation_can_show_has_one() -> None:
    wanted = {rule.id for rule in RULES.values() if rule.check != "none"}

    assert wanted - {told.name.removeprefix("rule-") for told in conversations()} == set()


def test_every_law_has_one() -> None:
    names = {told.name.removesuffix("-a") for told in conversations()}

    assert {f"law-{name}" for name in LAWS} - names == set()


def test_every_mutant_has_one() -> None:
    assert {told.mutant for told in conversations()} >= set(MUTANTS)


def test_every_recorded_conversation_has_one() -> None:
    recorded = FILE.parents[1] / "recorded"
    names = {f"recorded-{path.stem.replace('_', '-')}" for path in recorded.glob("*.jsonl")}

    assert names - {told.name for told in conversations()} == set()


@pytest.mark.parametrize("one", ALL, ids=identity)
def test_the_reference_passes(one: Shipped) -> None:
    target = open_target("reference", edition=one.vector.edition)

    assert run_one(found(one), target).outcome == "passed"


@pytest.mark.parametrize("one", OF_MUTANTS, ids=identity)
def test_a_mutant_fails_its_own(one: Shipped) -> None:
    target = MUTANTS[one.mutant or ""].target(one.vector.edition)

    assert run_one(found(one), target).outcome == "failed"


@pytest.mark.parametrize("one", OF_MUTANTS, ids=identity)
def test_a_mutant_has_one_in_the_editions_in_which_it_is_a_fault(one: Shipped) -> None:
    assert MUTANTS[one.mutant or ""].applies(one.vector.edition)


@pytest.mark.parametrize("law", sorted(ALIKE))
def test_two_of_a_law_end_alike(law: str) -> None:
    one, other = (by_name()[f"law-{law}-{letter}"].vector.snapshots["s1"] for letter in "ab")

    assert one == other


def test_what_an_edition_reads_differently_stands_in_its_own_snapshots() -> None:
    name = "rule-SESSION-MESSAGE-IDENTITY"
    first, second = (
        next(one.vector.snapshots["s1"] for one in shipped(edition) if one.vector.name == name)
        for edition in (DRAFT, SDK_2_4)
    )

    assert first is not None
    assert second is not None
    assert first["messages"] != second["messages"]


def test_the_sections_are_those_in_which_something_happens() -> None:
    assert by_name()["rule-PLAN-REPLACE"].sections == ("plans",)
    assert by_name()["rule-PROMPT-RECONCILE"].sections == ("timeline", "messages", "prompts")


def test_their_messages_name_no_command_and_no_file_of_ours() -> None:
    assert b"cmd:" not in FILE.read_bytes()
