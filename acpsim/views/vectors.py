"""Vectors as a person reads them: which there are, and what came of each.

Owns: the lines of `vectors list` and `vectors run`, the JSON of both, and their results for CI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acpsim.vectors.running import Result
from acpsim.vectors.shipped import Shipped
from acpsim.views import faults
from acpsim.views.escape import visible
from acpsim.views.outcome import CheckResult
from acpsim.views.text import counted
from acpsim.views.tone import toned
from acpsim.wire.cells import JsonObject


def listed(vectors: Iterable[Shipped]) -> Iterator[str]:
    """The names of vectors, with what a client that fails each gets wrong."""
    for one in vectors:
        yield f"{one.vector.name:<44} {one.shows}"


def list_document(vectors: Iterable[Shipped]) -> JsonObject:
    """`vectors list --format json`."""
    return {
        "vectors": [
            {
                "name": one.vector.name,
                "edition": one.vector.edition.name,
                "rules": list(one.vector.rules),
                "shows": one.shows,
                "sections": list(one.sections),
                "mutant": one.mutant,
                "messages": len(one.vector.events),
            }
            for one in vectors
        ]
    }


def told(result: Result) -> Iterator[str]:
    """One result: a line, and the fault below it if there is one."""
    name = visible(result.name)
    if result.outcome == "skipped":
        yield toned(f"skip  {name}: {result.why}", "quiet")
    elif result.verdict is None:
        yield f"ok    {name}"
    else:
        yield toned(f"FAIL  {name}", "breach")
        for line in faults.verdict(result.verdict):
            yield f"      {line}"


def closing(results: Sequence[Result]) -> str:
    """The last line."""
    outcomes = [result.outcome for result in results]
    words = ", ".join(
        f"{outcomes.count(one)} {one}"
        for one in ("passed", "failed", "skipped")
        if one != "skipped" or one in outcomes
    )
    return f"{counted(len(results), 'vector')}: {words}"


def run_document(target: str, results: Sequence[Result]) -> JsonObject:
    """`vectors run --format json`."""
    outcomes = [result.outcome for result in results]
    return {
        "target": target,
        "passed": outcomes.count("passed"),
        "failed": outcomes.count("failed"),
        "skipped": outcomes.count("skipped"),
        "vectors": [_row(target, result) for result in results],
    }


def _row(target: str, result: Result) -> JsonObject:
    vector = result.found.vector
    said = faults.verdict_document(result.found.file or "", target, result.verdict)
    return {
        "name": result.name,
        "file": result.found.file,
        "edition": vector.edition.name,
        "rules": list(vector.rules),
        "outcome": result.outcome,
        **{name: said[name] for name in ("oracle", "path", "expected", "actual")},
        "text": result.why or said["text"],
    }


def results_for_ci(target: str, results: Iterable[Result]) -> list[CheckResult]:
    """One test a vector; called by the vector's name."""
    return [
        CheckResult(
            name=result.name,
            group=target,
            outcome=result.outcome,
            text=result.why if result.verdict is None else result.verdict.text,
            file=result.found.file,
        )
        for result in results
    ]
