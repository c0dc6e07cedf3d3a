"""What all kinds of target share: sections, and the words of a failure."""

from __future__ import annotations

import pytest

from acpsim.targets.target import (
    FAILURE_KINDS,
    PARTS,
    SECTIONS,
    TEXT_CHARS_MAX,
    TargetFailure,
    UnknownSection,
    nearest,
    one_line,
    read_sections,
)


def test_every_section_and_every_part_may_be_declared() -> None:
    parts = [f"{section}.{part}" for section, names in PARTS.items() for part in names]

    assert read_sections([*SECTIONS, *parts]) == (*SECTIONS, *parts)


def test_a_section_declared_twice_is_one() -> None:
    assert read_sections(["timeline", "timeline"]) == ("timeline",)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (["toolcalls"], 'no section "toolcalls"; did you mean toolCalls?'),
        (["messages.agent"], 'section "messages.agent": messages has no such part; known are '),
        (["plans.p1"], 'section "plans.p1": plans has no fixed parts; give "plans" whole'),
        (["messages."], 'section "messages.": messages has no such part; known are '),
        ([""], 'no section ""; known are timeline, messages, '),
        ([], "it keeps no section, so that nothing can be compared; give some of timeline, "),
        ("timeline", "its sections are no list of names such as "),
        ({"timeline": 1}, "its sections are no list of names such as "),
        (None, "its sections are no list of names such as "),
    ],
)
def test_what_no_snapshot_has_is_refused_with_what_is_known(declared: object, text: str) -> None:
    with pytest.raises(UnknownSection) as caught:
        read_sections(declared)

    assert str(caught.value).startswith(text)


def test_nothing_near_in_a_long_list_is_no_help() -> None:
    assert nearest("zzz", [f"name{number}" for number in range(100)]) == ""


def test_a_text_on_one_line_keeps_other_control_characters() -> None:
    assert one_line("a\nb\r\x1b[31m") == "a b \x1b[31m"


def test_a_long_text_is_cut() -> None:
    assert len(one_line("x" * 10_000)) == TEXT_CHARS_MAX + 1


def test_every_kind_of_failure_has_a_sentence() -> None:
    assert all(text[0].islower() and not text.endswith(".") for text in FAILURE_KINDS.values())


def test_a_failure_without_a_signature_is_known_by_its_kind() -> None:
    assert TargetFailure("hung", "nothing came").signature == "hung"
