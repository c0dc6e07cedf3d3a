"""A fault as a person reads it, and what a campaign came to.

Owns: the order in which a fault is told: one sentence, the rule or law, the difference (expected
above, actual below, what is equal left out), the few messages, the command. And the JSON of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from msgspec import UNSET

from acpsim.fuzz.campaign import CampaignFinished, CampaignStarted, Fault
from acpsim.oracles.counterexample import Objection
from acpsim.oracles.verdict import Verdict
from acpsim.views.escape import shown, visible, visible_lines
from acpsim.views.message import remainder, summary
from acpsim.views.text import counted
from acpsim.views.tone import toned
from acpsim.wire.cells import JsonObject
from acpsim.wire.trace import Event

VALUE_MAX = 240
"""Characters of an expected or actual value shown."""
EQUAL_MIN = 24
"""Characters that two texts have to share at an end before they are elided there."""


def started(event: CampaignStarted, version: str) -> str:
    """The first line of a campaign: all that is needed to have it again."""
    limits = [
        *([counted(event.cases, "case")] if event.cases is not None else ()),
        *([f"{event.seconds:g} s"] if event.seconds is not None else ()),
        *([f"risk {event.until_risk:g}"] if event.until_risk is not None else ()),
    ]
    return (
        f"acpsim {version}: fuzzing {visible(event.target)}, edition {event.edition}, "
        f"seed {event.seed}, {' or '.join(limits)}"
    )


def fault(value: Fault, number: int) -> Iterator[str]:
    """One fault, in a dozen lines."""
    yield ""
    yield toned(f"fault {number}: {visible(value.text)}", "breach")
    yield f"  found by  {value.oracle}{_rules(value.rules)}"
    if value.session is not None:
        yield f"  session   {shown(value.session)}"
    if value.path is not None:
        yield f"  at        {visible(value.path)}"
        yield from _difference(value.expected, value.actual)
    yield from last_words(value.last_words)
    yield f"  shrunk to {_size(value)}; {proof(value)}:"
    yield from talk(value.events, value.inversions)
    if value.replay is not None:
        yield f"  see it again: {visible(value.replay, None)}"
        for kind, command in other_words(value).items():
            yield f"  as a {kind}: {visible(command, None)}"


def _size(value: Fault) -> str:
    if not value.messages:
        return "the set-up alone"
    return f"{counted(value.messages, 'message')} after set-up"


def proof(value: Fault) -> str:
    """What is known of how small a fault is: what was checked, and what not."""
    if not value.minimal:
        return "not proven minimal, with less it may fail too"
    if not value.messages:
        return "nothing is left to take away"
    undone = " or undo any inversion" if value.inversions else ""
    step = f"take any one of them away{undone}" if value.messages > 1 else f"take it away{undone}"
    if value.others:
        return f"checked: {step}, and it fails no more in this way, but in another"
    return f"checked: {step}, and it passes"


def other_words(value: Fault) -> dict[str, str]:
    """The commands that write a saved fault as something else, by what that is."""
    if value.trace is None or value.replay is None:
        return {}
    path = PurePath(value.trace)
    test = re.sub(r"\W+", "_", path.stem)
    return {
        "vector": f"{value.replay} --as vector -o {shlex.quote(str(path.with_suffix('.json')))}",
        "pytest function": f"{value.replay} --as pytest -o test_{test}.py",
    }


def _rules(rules: tuple[str, ...]) -> str:
    return f", {', '.join(rules)}" if rules else ""


def _difference(expected: Any, actual: Any) -> Iterator[str]:
    yield toned(f"  expected  {_value(expected, actual)}", "expected")
    yield toned(f"  actual    {_value(actual, expected)}", "actual")


def _value(value: Any, other: Any) -> str:
    """A value as JSON; of two long texts only what differs, with a little of what does not."""
    if value is UNSET:
        return "(nothing)"
    text = shown(value, None)
    if other is UNSET or len(text) <= VALUE_MAX:
        return visible(text, VALUE_MAX)
    against = shown(other, None)
    same = 0
    while same < min(len(text), len(against)) and text[same] == against[same]:
        same += 1
    if same > EQUAL_MIN:
        text = f"…{text[same - EQUAL_MIN // 2 :]}"
    return visible(text, VALUE_MAX)


def last_words(words: str) -> Iterator[str]:
    """The last lines that a target wrote to its standard error."""
    if words:
        yield "  its last words on standard error:"
        for line in visible_lines(words.rstrip()).split("\n"):
            yield f"    {line}"


def talk(events: tuple[Event, ...], inversions: tuple[tuple[int, int], ...] = ()) -> Iterator[str]:
    """The messages of a fault, one a line, with the fields that a summary would leave out.

    A message that comes before others it used to follow is marked with a letter, and each of those
    says which letters have overtaken it.
    """
    marks = _marks(inversions)
    for at, event in enumerate(events):
        arrow = {"c2a": ">", "a2c": "<"}.get(event.dir, "!")
        session = getattr(getattr(event.message, "params", None), "session_id", "")
        named = f"[{visible(session, 24)}] " if isinstance(session, str) and session else ""
        rest = remainder(event)
        line = f"    {arrow} {named}{summary(event)}{f' {rest}' if rest else ''}"
        yield f"{line}  {marks[at]}" if at in marks else line


def _marks(inversions: tuple[tuple[int, int], ...]) -> dict[int, str]:
    """Message → what is written beside it: who overtakes, and by whom each is overtaken."""
    ahead = sorted({other for other, _ in inversions})
    letter = {at: _letter(number) for number, at in enumerate(ahead)}
    said: dict[int, list[str]] = {at: [f"({letter[at]}) overtakes"] for at in ahead}
    for at in sorted({late for _, late in inversions}):
        by = ", ".join(letter[other] for other, late in inversions if late == at)
        said.setdefault(at, []).append(f"overtaken by {by}")
    return {at: "; ".join(words) for at, words in said.items()}


def _letter(number: int) -> str:
    return chr(ord("a") + number % 26) + ("" if number < 26 else str(number // 26))


def finished(event: CampaignFinished) -> Iterator[str]:
    """How a campaign ended, and what it tried."""
    yield ""
    yield (
        f"{counted(event.cases, 'case')}, {counted(event.messages, 'message')}, "
        f"{counted(event.orders, 'distinct order')} in {event.seconds:.1f} s "
        f"({event.cases_per_second:.0f} cases a second); {event.reason.value}"
    )
    rules = len(event.exercised)
    yield f"rules exercised by these conversations: {rules - len(event.never)} of {rules}"
    if event.never:
        yield f"never exercised: {', '.join(event.never)}"
    yield (
        "chance that the next scenario shows something new: "
        f"{event.risk:.1%}, at most {event.risk_max:.1%}"
    )
    if event.corpus:
        mended = counted(event.mended, "fault")
        yield f"from the corpus: {counted(event.corpus, 'case')}; {mended} that no longer fail"
    if event.lost:
        yield f"lost: {counted(event.lost, 'case')}, whose workers ended each time they were run"
    if event.faults:
        yield f"{counted(len(event.faults), 'distinct fault')} in {counted(event.failed, 'case')}"
    else:
        yield "no fault found"


def fault_document(value: Fault) -> JsonObject:
    """One fault of `fuzz --format json`."""
    return {
        "oracle": value.oracle,
        "rules": list(value.rules),
        "text": value.text,
        "session": value.session,
        "path": value.path,
        "expected": None if value.expected is UNSET else value.expected,
        "actual": None if value.actual is UNSET else value.actual,
        "messages": value.messages,
        "minimal": value.minimal,
        "proof": proof(value),
        "inversions": [list(pair) for pair in value.inversions],
        "trace": value.trace,
        "replay": value.replay,
        "as_vector": other_words(value).get("vector"),
        "as_pytest": other_words(value).get("pytest function"),
    }


def campaign_document(event: CampaignFinished) -> JsonObject:
    """`fuzz --format json`."""
    return {
        "target": event.target,
        "edition": event.edition,
        "seed": event.seed,
        "cases": event.cases,
        "messages": event.messages,
        "seconds": round(event.seconds, 3),
        "orders": event.orders,
        "reason": event.reason.value,
        "risk": {"estimate": round(event.risk, 6), "at_most": round(event.risk_max, 6)},
        "corpus": {"cases": event.corpus, "mended": event.mended},
        "lost": event.lost,
        "faults": [fault_document(value) for value in event.faults],
        "coverage": {
            rule: {"exercised": count, "breached": event.breached[rule]}
            for rule, count in event.exercised.items()
        },
    }


def verdict_document(file: str, target: str, value: Verdict | None) -> JsonObject:
    """`replay --format json`."""
    found = None if value is None else value.difference
    return {
        "file": file,
        "target": target,
        "holds": value is None,
        "oracle": None if value is None else value.oracle,
        "rules": [] if value is None else list(value.rules),
        "text": None if value is None else value.text,
        "path": None if found is None else found.path,
        "expected": None if found is None or found.expected is UNSET else found.expected,
        "actual": None if found is None or found.actual is UNSET else found.actual,
    }


def verdict(value: Verdict, known: Objection | None = None) -> Iterator[str]:
    """What an oracle says of a replayed counterexample or vector. `known`: what was saved of it."""
    yield toned(f"fails: {visible(value.text)}", "breach")
    yield f"  found by  {value.oracle}{_rules(value.rules)}"
    if value.difference is not None:
        yield f"  at        {visible(value.difference.path)}"
        yield from _difference(value.difference.expected, value.difference.actual)
    yield from last_words(value.last_words)
    if known is not None and known.minimal:
        yield "  checked when saved: without any one message after set-up it no longer fails so"
    inversions = () if known is None else known.inversions
    there = len(value.events)
    shown = tuple(pair for pair in inversions if max(pair) < there)
    yield from talk(value.events, shown)
