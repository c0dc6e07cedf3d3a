"""Strips as they are read: a ruler, one character a position, each fault once."""

from __future__ import annotations

import json

import pytest

from acpsim.explore.insertions import INSERTIONS
from acpsim.explore.positions import Mark, Options, Swept, sweep
from acpsim.explore.sources import Head, Wanted, opened
from acpsim.views import document, strip
from acpsim.views.tone import Mixed, Toned


def swept(scenario: str, target: str | None = None, **options: object) -> tuple[Swept, Head]:
    given: dict[str, object] = {"actions": tuple(INSERTIONS), **options}
    with opened(Wanted(scenario=scenario, target=target)) as (head, scene):
        return sweep(scene, Options(**given)), head  # type: ignore[arg-type]


def lines(found: tuple[Swept, Head]) -> list[str]:
    return [str(line) for line in strip.everything(*found, "1")]


def test_every_mark_has_a_meaning_and_a_character_of_its_own() -> None:
    assert set(strip.MEANING) == set(strip.TONES) == set(Mark)
    assert len({mark.value for mark in Mark}) == len(Mark)


def test_a_strip_has_one_character_a_position_below_its_ruler() -> None:
    found = swept("plain")
    told = lines(found)

    ruler = next(at for at, line in enumerate(told) if line.strip().startswith("0"))
    first = told[ruler + 1]
    assert told[ruler].index("10") - told[ruler].index("0") == 10
    assert len(first) - told[ruler].index("0") == len(found[0].messages) + 1


def test_the_legend_names_what_occurs_and_nothing_else() -> None:
    told = "\n".join(lines(swept("plain", actions=("cancel-request",))))

    assert ". holds   - no occasion, not tried" in told
    assert "crashes" not in told


def test_a_fault_is_told_once_with_all_its_positions_and_the_messages_around() -> None:
    told = lines(swept("plain", "mutant:closed-for-good", actions=("close",), only=(5, 6, 9)))

    heads = [line for line in told if line.startswith("close: ")]
    assert heads == ["close: the target fails at 5-6,9"]
    places = [line for line in told if line.startswith("  at ")]
    assert len(places) == 3
    assert all("after " in line and ", before " in line for line in places)


def test_the_command_given_tries_the_same_again() -> None:
    found, head = swept("plain", "mutant:closed-for-good", actions=("close",), only=(5, 6, 9))

    assert head.again("close", [cell.position for cell in found.bad]) == (
        "acpsim sweep plain --target mutant:closed-for-good --insert close --at 5-6,9"
    )


def test_the_command_quotes_what_a_shell_would_read() -> None:
    _, head = swept("plain", actions=("cancel",), only=(5,))
    wanted = Wanted(scenario="a b.jsonl", target="cmd:node x.mjs", seed=3, misbehave=("A",))

    words = Head(wanted=wanted, kind="model", edition=head.edition, target=None)

    assert words.again("cancel", [1]) == (
        "acpsim sweep 'a b.jsonl' --target 'cmd:node x.mjs' --seed 3 --misbehave A "
        "--insert cancel --at 1"
    )


def test_a_long_strip_is_told_in_several_lines() -> None:
    found, _ = swept("subagents", actions=("cancel-request",), most=strip.WIDTH + 5)
    told = [str(line) for line in strip.strips(found)]

    assert sum(line.startswith("cancel-request") for line in told) == 2
    assert any("left out" in line for line in told)


def test_what_a_target_gets_wrong_anyway_is_told_before_what_an_action_shows() -> None:
    told = lines(swept("cancel_tool", "mutant:cancel-marks-nothing", actions=("cancel",)))

    anyway = next(at for at, line in enumerate(told) if line.startswith("without any action"))
    first = next(at for at, line in enumerate(told) if line.startswith("cancel: "))
    assert anyway < first


def test_the_characters_of_a_strip_have_tones_of_their_own() -> None:
    found, _ = swept("plain", "mutant:closed-for-good", actions=("close",))
    row = next(line for line in strip.strips(found) if str(line).startswith("close"))

    assert isinstance(row, Mixed)
    tones = [part.tone for part in row.parts if isinstance(part, Toned)]
    assert tones == ["quiet", "breach"]
    assert "".join(row.parts) == row


@pytest.mark.parametrize("target", [None, "mutant:close-forgets"])
def test_the_document_says_what_the_strips_say(target: str | None) -> None:
    found, head = swept("plain", target)

    told = json.loads(document.text_of(strip.swept_document(found, head)))

    assert told["messages"] == len(found.messages)
    assert len(told["positions"]) == len(found.positions)
    assert [row["marks"] for row in told["strips"]] == [
        "".join(cell.mark.value for cell in found.strip(action, oracle))
        for action in found.actions
        for oracle in found.oracles
    ]
    assert len(told["failures"]) == len(found.bad)
    assert told["holds"] is found.holds
