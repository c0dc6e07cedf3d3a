"""Results as JUnit XML: what every variant of the schema asks for, whatever a peer wrote."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from acpsim.views.junit import junit
from acpsim.views.outcome import CheckResult, Spot

HOSTILE = "]]> <![CDATA[ & < > \" ' \x00 \x08 \x1b[2J \x85 \u202e \ufffe \ud800 \U0001f600 --> ?>"

SUITE = {
    "name", "package", "id", "timestamp", "hostname",
    "tests", "failures", "errors", "skipped", "time",
}  # fmt: skip
"""Attributes of a test suite: all that some variant of the schema requires."""
CASE = {"name", "classname", "time"}


def results(text: str = "why") -> list[CheckResult]:
    return [
        CheckResult(name="A", group="one.jsonl", outcome="passed", seconds=0.25),
        CheckResult(
            name="B",
            group="one.jsonl",
            outcome="failed",
            text=text,
            spots=(Spot(text=text, file="one.jsonl", line=4), Spot(text="two", file="one.jsonl")),
        ),
        CheckResult(name="C", group="not tested", outcome="skipped", text=text),
        CheckResult(
            name="D",
            group="one.jsonl",
            outcome="passed",
            spots=(Spot(text="perhaps", level="note", file="one.jsonl", line=9),),
        ),
    ]


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.encode())


def test_each_group_is_a_suite_that_counts_its_tests() -> None:
    one, other = parsed(junit(results())).findall("testsuite")

    assert [one.get(k) for k in ("name", "tests", "failures", "errors", "skipped")] == [
        "one.jsonl", "3", "1", "0", "0",
    ]  # fmt: skip
    assert [other.get(k) for k in ("name", "tests", "skipped")] == ["not tested", "1", "1"]


def test_nothing_is_said_that_no_schema_knows() -> None:
    root = parsed(junit(results(), notes=[Spot(text="unreadable", file="one.jsonl", line=2)]))

    assert root.tag == "testsuites"
    for suite in root:
        assert set(suite.attrib) == SUITE
        parts = [part.tag for part in suite]
        assert parts == ["properties", *["testcase"] * (len(parts) - 3), "system-out", "system-err"]
        for case in suite.findall("testcase"):
            assert set(case.attrib) == CASE
            assert [part.tag for part in case] in [[], ["failure"], ["skipped"]]


def test_a_failure_has_a_type_a_message_and_its_places() -> None:
    failure = parsed(junit(results())).find(".//failure")

    assert failure is not None
    assert failure.attrib == {"message": "why", "type": "B"}
    assert failure.text == "one.jsonl:4: why\none.jsonl: two"


def test_what_is_skipped_says_why_and_did_not_pass() -> None:
    skipped = parsed(junit(results())).find(".//testcase[@name='C']/skipped")

    assert skipped is not None
    assert skipped.get("message") == "why"


def test_remarks_that_fail_nothing_stand_beside() -> None:
    out = parsed(junit(results())).find("testsuite/system-out")

    assert out is not None
    assert out.text == "D: one.jsonl:9: perhaps"


def test_what_could_not_be_read_stands_with_its_file() -> None:
    root = parsed(junit(results(), notes=[Spot(text="no JSON", file="one.jsonl", line=2)]))

    assert [suite.findtext("system-err") for suite in root] == ["one.jsonl:2: no JSON", ""]


def test_what_could_not_be_read_of_a_file_without_tests_is_said() -> None:
    (suite,) = parsed(junit([], notes=[Spot(text="no JSON", file="empty.jsonl", line=2)]))

    assert (suite.get("name"), suite.get("tests")) == ("reading", "0")
    assert suite.findtext("system-err") == "empty.jsonl:2: no JSON"


@pytest.mark.parametrize("place", ["text", "name", "group", "note"])
def test_hostile_texts_stay_texts(place: str) -> None:
    said = [
        CheckResult(
            name=HOSTILE if place == "name" else "A",
            group=HOSTILE if place == "group" else "one",
            outcome="failed",
            text=HOSTILE if place == "text" else "why",
        )
    ]
    notes = [Spot(text=HOSTILE)] if place == "note" else []

    text = junit(said, notes=notes)

    assert len(parsed(text).findall(".//testcase")) == 1
    assert not set(text) & {*map(chr, range(32)), "\x85", "\u202e", "\ufffe"} - {"\n"}


def test_a_line_in_a_text_stays_a_line() -> None:
    said = [CheckResult(name="A", group="g", outcome="failed", text="one\ntwo")]

    failure = parsed(junit(said)).find(".//failure")

    assert failure is not None
    assert failure.text == "one\ntwo"
    assert failure.get("message") == "one\\ntwo"


def test_no_dot_in_a_group_makes_a_package() -> None:
    case = parsed(junit(results())).find(".//testcase")

    assert case is not None
    assert case.get("classname") == "acpsim.one_jsonl"


def test_times_are_seconds_and_add_up() -> None:
    suite = parsed(junit(results(), at="2026-01-02T03:04:05")).find("testsuite")

    assert suite is not None
    assert (suite.get("time"), suite.get("timestamp")) == ("0.250", "2026-01-02T03:04:05")
