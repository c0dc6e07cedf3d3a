"""What a terminal obeys is made visible; everything else stays as it was written."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from acpsim.views.escape import json_escaped, shown, visible, visible_lines


def test_every_character_that_unicode_calls_a_control_is_made_visible() -> None:
    controls = [chr(n) for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) == "Cc"]

    assert [one for one in controls if one in visible(one)] == []


SCRIPTS = {
    *range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD,
    *range(0x13430, 0x13440),
}  # fmt: skip
"""Format characters that stand beside the numbers and signs of one script and are seen there."""


def test_every_character_that_hides_turns_or_parts_text_is_made_visible() -> None:
    kinds = {"Cf", "Cs", "Zl", "Zp"}
    unseen = {n for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) in kinds}

    assert {n for n in unseen if chr(n) in visible(chr(n))} <= SCRIPTS


@pytest.mark.parametrize("code", [0x115F, 0x3164, 0xFFA0, 0x34F, 0x17B4, 0xE0100])
def test_a_letter_that_is_blank_is_shown_by_its_number(code: int) -> None:
    assert visible(f"a{chr(code)}b") == f"a\\u{{{code:x}}}b"


@pytest.mark.parametrize("code", [0x200B, 0x200D, 0x202E, 0x2066, 0x2028, 0xFEFF, 0xAD, 0xE0041])
def test_what_hides_or_turns_text_is_shown_by_its_number(code: int) -> None:
    assert visible(f"a{chr(code)}b") in {f"a\\u{{{code:x}}}b", f"a\\x{code:02x}b"}


def test_an_escape_sequence_loses_its_escape() -> None:
    assert visible("\x1b[31mred") == "\\e[31mred"


@pytest.mark.parametrize("text", ["plain", "Zażółć", "日本語", "🙂", "[red]x[/red]", "a\\nb", "é"])
def test_other_texts_stay_as_they_are(text: str) -> None:
    assert visible(text) == text


def test_a_long_text_is_cut_and_says_how_long_it_was() -> None:
    assert visible("x" * 30, 10) == "xxxxxxxxxx… (30 characters)"


def test_line_ends_stay_where_lines_are_shown() -> None:
    assert visible_lines("a\x07\nb\r\n") == "a\\x07\nb\\r\n"


def test_a_value_is_shown_as_json() -> None:
    assert shown({"a": ["é", None]}) == '{"a": ["é", null]}'


@pytest.mark.parametrize("text", ["\x7f", "\x9b", "\u202e", "\u2028", "\U000e0041", "\ud800", "é"])
def test_a_json_text_says_the_same_after_it_was_escaped(text: str) -> None:
    written = json.dumps({text: text}, ensure_ascii=False)

    assert json.loads(json_escaped(written)) == {text: text}


def test_the_line_ends_of_a_json_text_stay() -> None:
    assert json_escaped('{\n  "a": "\x7f"\n}') == '{\n  "a": "\\u007f"\n}'
