"""Results as SARIF 2.1.0: the properties that the schema requires, and what hosts rely on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from acpsim.views.ci import Told
from acpsim.views.outcome import CheckResult, RuleHelp, Spot
from acpsim.views.sarif import FINGERPRINT, sarif, uri

RULES = {"A": RuleHelp(text="All are told.", section="1. Telling", level="warning")}


def failed(text: str = "why", *, line: int = 4, file: str | None = "one.jsonl") -> CheckResult:
    return CheckResult(name="A", group="one", outcome="failed", text=text, file=file, line=line)


def run_of(*results: CheckResult, notes: tuple[Spot, ...] = ()) -> dict[str, Any]:
    document = sarif(results, RULES, version="1.2.3", notes=notes)
    (run,) = document["runs"]
    assert isinstance(run, dict)
    return run


def fingerprint(result: CheckResult) -> str:
    found: str = run_of(result)["results"][0]["partialFingerprints"][FINGERPRINT]
    return found


def test_the_document_is_of_version_2_1_0_and_names_its_schema() -> None:
    document = sarif([], {}, version="1.2.3")

    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("/sarif-schema-2.1.0.json")


def test_the_tool_has_a_name_a_version_and_its_rules() -> None:
    driver = run_of(failed())["tool"]["driver"]

    assert (driver["name"], driver["semanticVersion"]) == ("acpsim", "1.2.3")
    (rule,) = driver["rules"]
    assert rule["id"] == "A"
    assert rule["shortDescription"] == {"text": "All are told."}
    assert rule["help"]["text"].startswith('All are told. See "1. Telling"')
    assert rule["defaultConfiguration"] == {"level": "warning"}


def test_a_result_is_at_its_line_of_its_file() -> None:
    (result,) = run_of(failed())["results"]

    assert result["ruleId"] == "A"
    assert result["message"] == {"text": "why"}
    assert result["level"] in {"error", "warning", "note"}
    (location,) = result["locations"]
    assert location["physicalLocation"] == {
        "artifactLocation": {"uri": "one.jsonl", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 4},
    }


def test_a_rule_index_points_at_the_rule() -> None:
    other = CheckResult(name="B", group="one", outcome="failed", text="x")
    run = run_of(failed(), other)

    rules = run["tool"]["driver"]["rules"]
    assert [rules[one["ruleIndex"]]["id"] for one in run["results"]] == ["A", "B"]


def test_a_test_that_passed_or_was_skipped_is_no_result() -> None:
    passed = CheckResult(name="A", group="one", outcome="passed")
    skipped = CheckResult(name="A", group="one", outcome="skipped", text="nothing to test")

    assert run_of(passed, skipped)["results"] == []


def test_a_remark_that_fails_nothing_is_a_result_of_its_level() -> None:
    spot = Spot(text="perhaps", level="note", file="one.jsonl", line=9)
    passed = CheckResult(name="A", group="one", outcome="passed", spots=(spot,))

    (result,) = run_of(passed)["results"]
    assert result["level"] == "note"


def test_a_line_that_is_not_known_is_left_out() -> None:
    (result,) = run_of(failed(line=0))["results"]

    assert "region" not in result["locations"][0]["physicalLocation"]


def test_a_result_without_a_file_has_no_place() -> None:
    (result,) = run_of(failed(file=None))["results"]

    assert result["locations"] == []


def test_a_fingerprint_stays_when_lines_move() -> None:
    before = failed("it has id 7 since line 19", line=40)
    after = failed("it has id 7 since line 21", line=44)

    assert fingerprint(before) == fingerprint(after)


def test_fingerprints_differ_by_rule_file_and_words() -> None:
    other = CheckResult(name="B", group="one", outcome="failed", text="why", file="one.jsonl")
    marks = {
        fingerprint(one) for one in (failed(), failed("other"), failed(file="two.jsonl"), other)
    }

    assert len(marks) == 4


def test_two_equal_remarks_have_two_fingerprints() -> None:
    one, other = run_of(failed(line=1), failed(line=2))["results"]

    assert one["partialFingerprints"] != other["partialFingerprints"]


def test_what_could_not_be_read_is_a_notification() -> None:
    note = Spot(text="no JSON", level="note", file="one.jsonl", line=2)

    (invocation,) = run_of(notes=(note,))["invocations"]

    assert invocation["executionSuccessful"] is True
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"] == {"text": "no JSON"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b.jsonl", "a%20b.jsonl"),
        ("./x/../y.jsonl", "y.jsonl"),
        ("%41#?.jsonl", "%2541%23%3F.jsonl"),
        ("é.jsonl", "%C3%A9.jsonl"),
        ("bad\udcff.jsonl", "bad%FF.jsonl"),
        ("-", "stdin"),
    ],
)
def test_a_path_is_a_relative_reference(path: str, expected: str) -> None:
    assert uri(path) == expected


def test_an_absolute_path_is_said_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert uri(str(tmp_path / "traces" / "a.jsonl")) == "traces/a.jsonl"


def test_hostile_texts_are_escaped_and_the_text_is_json() -> None:
    hostile = "\x1b[2J \x00 \u202e \ud800 </script> \U0001f600"

    text = Told(results=[failed(hostile)]).text("sarif")

    assert json.loads(text)["version"] == "2.1.0"
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e\ud800]", text)
