"""Results as JUnit XML, which CI systems show as tests.

Owns: `junit`. One `testsuite` for each group, one `testcase` for each result. Only what every
variant of the schema has is used, in the order that the strictest asks for: `properties`, the test
cases, `system-out` with remarks that fail nothing, `system-err` with what could not be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree

from acpsim.views.escape import visible, visible_lines
from acpsim.views.outcome import CheckResult, Spot

NAME: Final = "acpsim"
NO_TIME: Final = "1970-01-01T00:00:00"
MESSAGE_MAX: Final = 300
"""Characters of the one line that a CI system shows before anyone opens the test."""


def junit(results: Iterable[CheckResult], *, notes: Iterable[Spot] = (), at: str = NO_TIME) -> str:
    """The document. `at` is when the tests ran, as `YYYY-MM-DDTHH:MM:SS`; `notes` are about no
    test.
    """
    groups: dict[str, list[CheckResult]] = {}
    for result in results:
        groups.setdefault(result.group, []).append(result)
    root = ElementTree.Element("testsuites")
    said = list(notes)
    for number, (group, tests) in enumerate(groups.items()):
        errors = [note for note in said if note.file == group]
        said = [note for note in said if note.file != group]
        root.append(_suite(group, tests, number=number, at=at, errors=errors))
    if said:
        root.append(_suite("reading", [], number=len(groups), at=at, errors=said))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'


def _suite(
    group: str, tests: Sequence[CheckResult], *, number: int, at: str, errors: Iterable[Spot]
) -> ElementTree.Element:
    outcomes = [test.outcome for test in tests]
    suite = ElementTree.Element(
        "testsuite",
        {
            "name": visible(group),
            "package": NAME,
            "id": str(number),
            "timestamp": at,
            "hostname": "localhost",
            "tests": str(len(tests)),
            "failures": str(outcomes.count("failed")),
            "errors": "0",
            "skipped": str(outcomes.count("skipped")),
            "time": _seconds(sum(test.seconds for test in tests)),
        },
    )
    ElementTree.SubElement(suite, "properties")
    for test in tests:
        suite.append(_case(test))
    remarks = (
        f"{test.name}: {_spot(spot)}"
        for test in tests
        if test.outcome != "failed"
        for spot in test.spots
    )
    ElementTree.SubElement(suite, "system-out").text = _lines(remarks)
    ElementTree.SubElement(suite, "system-err").text = _lines(map(_spot, errors))
    return suite


def _case(test: CheckResult) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase",
        {
            "name": visible(test.name),
            "classname": _class(test.group),
            "time": _seconds(test.seconds),
        },
    )
    if test.outcome == "failed":
        first = test.text or (test.spots[0].text if test.spots else "failed")
        failure = ElementTree.SubElement(
            case, "failure", {"message": visible(first, MESSAGE_MAX), "type": visible(test.name)}
        )
        failure.text = _lines(map(_spot, test.places))
    elif test.outcome == "skipped":
        ElementTree.SubElement(case, "skipped", {"message": visible(test.text, MESSAGE_MAX)})
    return case


def _class(group: str) -> str:
    """A group where a class is expected: a dot in it would be taken for the end of a package."""
    return f"{NAME}.{visible(group).replace('.', '_')}"


def _spot(spot: Spot) -> str:
    """A remark as compilers write them: many tools make a link of its beginning."""
    place = "" if spot.file is None else visible(spot.file)
    if place and spot.line:
        place = f"{place}:{spot.line}"
    return f"{place}: {visible_lines(spot.text)}" if place else visible_lines(spot.text)


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _seconds(value: float) -> str:
    return f"{value:.3f}"
