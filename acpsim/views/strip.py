"""Strips: what is said of an action at each position of a conversation, one character each.

Owns: how a sweep is told: a strip for each action and oracle with a ruler above, the legend of the
characters that occur, then each fault once, with the positions at which it shows, the messages
around them, and the command that tries just these again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from acpsim.explore.positions import Cell, Mark, Oracle, Swept, breaks
from acpsim.explore.sources import Head, ranges
from acpsim.oracles.verdict import Verdict
from acpsim.rules.finding import Finding
from acpsim.views import document
from acpsim.views.escape import shown, visible
from acpsim.views.faults import last_words
from acpsim.views.message import summary
from acpsim.views.text import counted
from acpsim.views.tone import Tone, Toned, mixed, toned
from acpsim.wire.cells import JsonObject
from acpsim.wire.trace import Event

WIDTH: Final = 60
"""Positions in one line of a strip."""
TICK: Final = 10
"""Positions from one number of the ruler to the next."""
HEAD: Final = 27
"""Characters before a strip: the action and the oracle."""
VALUE_MAX: Final = 240

MEANING: Final[dict[Mark, str]] = {
    Mark.HOLDS: "holds",
    Mark.SUSPECT: "suspect",
    Mark.BREACH: "breach",
    Mark.FAILS: "fails",
    Mark.CRASHES: "crashes",
    Mark.FAILED_BEFORE: "fails without it too",
    Mark.NOT_TRIED: "no occasion, not tried",
}
TONES: Final[dict[Mark, Tone]] = {
    Mark.HOLDS: "expected",
    Mark.SUSPECT: "suspicion",
    Mark.BREACH: "breach",
    Mark.FAILS: "breach",
    Mark.CRASHES: "breach",
    Mark.FAILED_BEFORE: "quiet",
    Mark.NOT_TRIED: "quiet",
}


# ------------------------------------------------------------------------------ strips


def everything(swept: Swept, head: Head, version: str) -> Iterator[str]:
    """A sweep from its first line to its last."""
    yield started(head, swept, version)
    yield from strips(swept)
    yield from told(swept, head)
    yield from finished(swept)


def started(head: Head, swept: Swept, version: str) -> str:
    """The first line: all that is needed to have the sweep again."""
    target = "" if head.target is None else f", target {visible(head.target)}"
    seed = f", seed {head.wanted.seed}" if head.kind == "model" else ""
    return (
        f"acpsim {version}: sweeping {head.kind} {visible(head.wanted.scenario)}{target}, "
        f"edition {head.edition.name}{seed}: {counted(len(swept.messages), 'message')}, "
        f"{counted(len(swept.positions), 'position')}"
    )


def strips(swept: Swept) -> Iterator[str]:
    """All strips, and what their characters mean."""
    for start in range(0, len(swept.positions), WIDTH):
        yield ""
        yield " " * HEAD + _ruler(swept.positions[start : start + WIDTH])
        for action in swept.actions:
            for oracle in swept.oracles:
                named = action if oracle == swept.oracles[0] else ""
                cells = swept.strip(action, oracle)[start : start + WIDTH]
                yield mixed([f"{named:<18} {oracle:<8}", *_marks(cells)])
    yield ""
    used = {cell.mark for cell in swept.cells}
    legend: list[str] = []
    for mark, meaning in MEANING.items():
        if mark in used:
            gap = "   " if legend else ""
            legend += [gap, toned(mark.value, TONES[mark]), f" {meaning}"]
    yield mixed(legend)
    if swept.left_out:
        number = counted(swept.left_out, "position")
        yield f"{number} left out; --most says how many are tried"


def _ruler(positions: Sequence[int]) -> str:
    ruler = ""
    for column in range(0, len(positions), TICK):
        ruler = f"{ruler:<{column}}{positions[column]}"
    return ruler


def _marks(cells: Sequence[Cell]) -> Iterator[Toned]:
    """The characters, those of one tone together."""
    run: list[Cell] = []
    for cell in cells:
        if run and TONES[run[-1].mark] != TONES[cell.mark]:
            yield _run(run)
            run = []
        run.append(cell)
    if run:
        yield _run(run)


def _run(cells: Sequence[Cell]) -> Toned:
    return toned("".join(cell.mark.value for cell in cells), TONES[cells[0].mark])


# ------------------------------------------------------------------------------ faults


def faults(swept: Swept) -> list[list[Cell]]:
    """The cells that fail, those of one fault together."""
    found: dict[tuple[str, Oracle, object], list[Cell]] = {}
    for cell in swept.bad:
        found.setdefault((cell.action, cell.oracle, _fault(cell)), []).append(cell)
    return list(found.values())


def _fault(cell: Cell) -> object:
    if cell.verdict is not None:
        return cell.verdict.key
    return tuple(sorted({finding.rule for finding in cell.findings if breaks(finding)}))


def told(swept: Swept, head: Head) -> Iterator[str]:
    """What fails, with and without an action."""
    if swept.verdict is not None:
        yield ""
        where = _around(swept.messages, len(swept.verdict.events))
        yield toned(f"without any action: the target fails {where}", "breach")
        yield from _verdict(swept.verdict)
    breaches = [finding for finding in swept.findings if breaks(finding)]
    if breaches:
        yield ""
        yield toned("without any action: rules are broken", "breach")
        yield from _findings(breaches)
    for cells in faults(swept):
        yield ""
        yield from _told(cells, swept, head)


def _told(cells: list[Cell], swept: Swept, head: Head) -> Iterator[str]:
    first, positions = cells[0], [cell.position for cell in cells]
    what = {"target": "the target fails", "rules": "rules are broken"}[first.oracle]
    yield toned(f"{first.action}: {what} at {ranges(positions)}", "breach")
    if first.verdict is not None:
        yield from _verdict(first.verdict)
    else:
        yield from _findings([finding for finding in first.findings if breaks(finding)])
    for cell in cells:
        yield f"  at {cell.position:<5} {_around(swept.messages, cell.position)}; {cell.how}"
    yield f"  see it again: {visible(head.again(first.action, positions), None)}"


def _around(messages: Sequence[Event], position: int) -> str:
    """Where a position is, by the messages beside it."""
    if not position:
        return "before all messages"
    after = f"after {message(messages[position - 1])}"
    return f"{after}, before {message(messages[position])}" if position < len(messages) else after


def message(event: Event) -> str:
    """A message in short form, with its direction."""
    arrow = {"c2a": ">", "a2c": "<"}.get(event.dir, "!")
    return f"{arrow} {summary(event)}"


def _verdict(value: Verdict) -> Iterator[str]:
    yield f"  {visible(value.text)}"
    rules = f", {', '.join(value.rules)}" if value.rules else ""
    yield f"  found by  {value.oracle}{rules}"
    found = value.difference
    if found is not None:
        yield toned(f"  expected  {_shown(found.expected)}", "expected")
        yield toned(f"  actual    {_shown(found.actual)}", "actual")
    yield from last_words(value.last_words)


def _shown(value: object) -> str:
    return "(nothing)" if value is UNSET else shown(value, VALUE_MAX)


def _findings(found: Sequence[Finding]) -> Iterator[str]:
    for finding in found:
        yield f"  line {finding.line} {finding.rule}: {visible(finding.text)}"


def finished(swept: Swept) -> Iterator[str]:
    """The last line: how much was tried."""
    bad = len(swept.bad)
    yield ""
    yield (
        f"{counted(len(swept.actions), 'action')} at {counted(len(swept.positions), 'position')}: "
        f"{swept.tried:,} of {len(swept.cells):,} marks had an occasion, "
        + (f"{bad:,} {'is' if bad == 1 else 'are'} bad" if bad else "none is bad")
    )


# ------------------------------------------------------------------------------ the document


def swept_document(swept: Swept, head: Head) -> JsonObject:
    """`sweep --format json`."""
    return {
        "scenario": head.wanted.scenario,
        "kind": head.kind,
        "edition": head.edition.name,
        "target": head.target,
        "seed": head.wanted.seed,
        "messages": len(swept.messages),
        "positions": [
            {
                "position": at,
                "after": message(swept.messages[at - 1]) if at else None,
                "before": message(swept.messages[at]) if at < len(swept.messages) else None,
            }
            for at in swept.positions
        ],
        "left_out": swept.left_out,
        "tried": swept.tried,
        "holds": swept.holds,
        "legend": {mark.value: meaning for mark, meaning in MEANING.items()},
        "strips": [
            {
                "action": action,
                "oracle": oracle,
                "marks": "".join(cell.mark.value for cell in swept.strip(action, oracle)),
            }
            for action in swept.actions
            for oracle in swept.oracles
        ],
        "without_action": _said(swept.verdict, swept.findings),
        "failures": [
            {
                "action": cell.action,
                "oracle": cell.oracle,
                "position": cell.position,
                "how": cell.how,
                **_said(cell.verdict, cell.findings),
                "again": head.again(cell.action, [cell.position]),
            }
            for cell in swept.bad
        ],
    }


def _said(verdict: Verdict | None, findings: Sequence[Finding]) -> JsonObject:
    found = None if verdict is None else verdict.difference
    return {
        "found_by": None if verdict is None else verdict.oracle,
        "rules": [] if verdict is None else list(verdict.rules),
        "text": None if verdict is None else verdict.text,
        "path": None if found is None else found.path,
        "expected": None if found is None or found.expected is UNSET else found.expected,
        "actual": None if found is None or found.actual is UNSET else found.actual,
        "findings": [document.finding(finding) for finding in findings],
    }
