"""`--format json`: one document on standard output, of the shape that others rely on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import RECORDED, Ran

FUZZ = ("fuzz", "--target", "mutant:echo-doubled", "--cases", 40, "--seed", 1, "--format", "json")
FINDING = {"rule", "level", "certainty", "party", "line", "session", "text", "related"}


@pytest.fixture
def document(acpsim: Callable[..., Ran]) -> Callable[..., Any]:
    """The one document that a command writes: anything beside it fails to decode."""
    return lambda *words, given=b"": json.loads(acpsim(*words, given=given).out)


def test_check_has_traces_and_coverage(document: Callable[..., Any]) -> None:
    found = document("check", "--format", "json", RECORDED / "plain.jsonl")

    assert {"traces", "coverage"} == set(found)


def test_check_says_the_same_fields_of_every_trace(document: Callable[..., Any]) -> None:
    paths = [str(RECORDED / name) for name in ("plain.jsonl", "broken_no_echo.jsonl")]

    traces = document("check", "--format", "json", *paths)["traces"]

    assert paths == [trace["path"] for trace in traces]
    assert {frozenset({"path", "messages", "findings", "open", "diagnostics"})} == set(
        map(frozenset, traces)
    )


def test_a_finding_says_what_where_and_how_sure(document: Callable[..., Any]) -> None:
    trace = document("check", "--format", "json", RECORDED / "broken_no_echo.jsonl")["traces"][0]
    (finding,) = trace["findings"]

    assert set(finding) == FINDING
    assert tuple(
        finding[key] for key in ("rule", "level", "certainty", "party", "line", "session")
    ) == ("PROMPT-ECHO", "must", "definite", "agent", 8, "sess_1")


def test_an_open_promise_has_the_shape_of_a_finding(document: Callable[..., Any]) -> None:
    lines = (RECORDED / "plain.jsonl").read_bytes().splitlines(keepends=True)
    given = b"".join(lines[:8]).replace(b'"complete":true', b'"complete":false')

    (trace,) = document("check", "--format", "json", "-", given=given)["traces"]

    assert trace["open"] != []
    assert {frozenset(FINDING)} == set(map(frozenset, trace["open"]))


def test_check_counts_for_each_rule_how_often_it_was_exercised_and_breached(
    document: Callable[..., Any],
) -> None:
    coverage = document("check", "--format", "json", RECORDED / "broken_no_echo.jsonl")["coverage"]

    assert coverage["PROMPT-ECHO"] == {"exercised": 1, "breached": 1}


def test_check_of_one_rule_tells_of_that_rule_alone(document: Callable[..., Any]) -> None:
    trace = RECORDED / "broken_no_echo.jsonl"

    found = document("check", "--format", "json", "--rule", "STATE-RUNNING", trace)

    assert (found["traces"][0]["findings"], list(found["coverage"])) == ([], ["STATE-RUNNING"])


def test_a_line_that_cannot_be_read_is_a_diagnostic_with_its_number(
    document: Callable[..., Any],
) -> None:
    given = (RECORDED / "plain.jsonl").read_bytes() + b"oops\n"

    (trace,) = document("check", "--format", "json", "-", given=given)["traces"]

    (remark,) = trace["diagnostics"]
    assert ({"line", "text"}, 13) == (set(remark), remark["line"])


def test_reduce_has_a_snapshot_for_each_session(document: Callable[..., Any]) -> None:
    found = document("reduce", "--format", "json", RECORDED / "plain.jsonl")

    assert {"sessions", "diagnostics"} == set(found)
    assert list(found["sessions"]) == ["sess_1"]


def test_reduce_puts_its_remarks_into_the_document(acpsim: Callable[..., Ran]) -> None:
    given = (RECORDED / "plain.jsonl").read_bytes() + b"oops\n"

    ran = acpsim("reduce", "--format", "json", "-", given=given)

    assert (ran.err, [d["line"] for d in json.loads(ran.out)["diagnostics"]]) == ("", [13])


def test_a_number_that_no_machine_word_holds_is_still_written(
    document: Callable[..., Any],
) -> None:
    given = (RECORDED / "plain.jsonl").read_bytes() + (
        b'{"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":'
        b'"sess_1","update":{"sessionUpdate":"user_message","messageId":"m","content":[],'
        b'"_meta":{"big":123456789012345678901234567890}}}}}\n'
    )

    assert list(document("reduce", "--format", "json", "-", given=given)["sessions"]) == ["sess_1"]


def test_fuzz_says_what_was_fuzzed_and_what_came_of_it(document: Callable[..., Any]) -> None:
    found = document(*FUZZ)

    assert {
        "target", "edition", "seed", "cases", "messages", "seconds", "faults", "coverage"
    } <= set(found)  # fmt: skip
    assert tuple(found[key] for key in ("target", "edition", "seed", "cases")) == (
        "mutant:echo-doubled",
        "draft",
        1,
        40,
    )


def test_a_fault_says_where_the_states_part_and_how_to_see_it_again(
    document: Callable[..., Any],
) -> None:
    (fault,) = document(*FUZZ)["faults"]

    assert {
        "oracle", "rules", "path", "expected", "actual", "messages", "trace", "replay"
    } <= set(fault)  # fmt: skip
    assert (Path(fault["trace"]).is_file(), fault["trace"] in fault["replay"]) == (True, True)


def test_fuzz_counts_for_each_rule_how_often_it_was_exercised_and_breached(
    document: Callable[..., Any],
) -> None:
    coverage = document(*FUZZ)["coverage"]

    assert {frozenset({"exercised", "breached"})} == set(map(frozenset, coverage.values()))
    assert coverage["PROMPT-ECHO"]["exercised"] > 0


def test_the_same_seed_gives_the_same_document_but_for_the_time(
    document: Callable[..., Any],
) -> None:
    first, second = document(*FUZZ), document(*FUZZ)

    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_replay_says_whether_it_holds(document: Callable[..., Any]) -> None:
    document(*FUZZ)
    (saved,) = Path("acpsim-faults").iterdir()

    assert document("replay", saved, "--format", "json")["holds"] is True


def test_replay_of_a_fault_says_where_the_states_part(document: Callable[..., Any]) -> None:
    document(*FUZZ)
    (saved,) = Path("acpsim-faults").iterdir()

    found = document("replay", saved, "--target", "mutant:echo-doubled", "--format", "json")

    assert tuple(found[key] for key in ("holds", "oracle", "path")) == (
        False,
        "agreement",
        "$.timeline[1]",
    )


def test_mutants_are_listed_with_what_each_breaks(document: Callable[..., Any]) -> None:
    listed = document("mutants", "--list", "--format", "json")["mutants"]

    keys = frozenset({"name", "text", "breaks", "equivalent_to", "why"})
    assert {keys} == set(map(frozenset, listed))


def test_sim_says_model_edition_and_seed(document: Callable[..., Any]) -> None:
    found = document("sim", "tiny-echo", "--seed", 3, "--format", "json")

    assert tuple(found[key] for key in ("model", "edition", "seed")) == ("tiny-echo", "draft", 3)
