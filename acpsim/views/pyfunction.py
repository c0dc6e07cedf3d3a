"""A fault as a test function that needs no generator: messages, what is expected, one assertion.

Owns: `function_file`, the text of a Python file. It is ASCII alone, whatever a peer wrote, and
imports only public names of acpsim: to open the target and to read messages.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import UNSET

from acpsim.oracles.restate import Expectation, Place, Restated, Run
from acpsim.views.escape import visible
from acpsim.wire.cells import Json

WIDTH: Final = 100
"""Columns of the file; a text that is longer by itself stays in one line."""

_HELD: Final = '''
def held(*batches, sessions):
    """What a client holds of these sessions once it was handed these batches of messages."""
    with closing(open_target(TARGET, edition=EDITION)) as target:
        target.reset()
        for batch in batches:
            target.apply(told(batch))
        return {session: target.snapshot(session) for session in sessions}
'''
_HELD_AGAIN: Final = '''
def held(*batches, sessions):
    """What a client holds of these sessions once it was told this twice, with a reset between."""
    with closing(open_target(TARGET, edition=EDITION)) as target:
        for _ in range(2):
            target.reset()
            for batch in batches:
                target.apply(told(batch))
            after = {session: target.snapshot(session) for session in sessions}
        return after
'''
_TOLD: Final = '''
def told(batch):
    """The messages as acpsim reads them from a trace."""
    lines = "".join(json.dumps(event) + "\\n" for event in batch)
    return read_trace(io.BytesIO(lines.encode()), edition=EDITION).events
'''
_AT: Final = '''
def at(snapshot, *place):
    """What stands at this place of a snapshot; `None` where there is nothing."""
    for step in place:
        snapshot = (snapshot or {}).get(step)
    return snapshot
'''


def function_file(value: Restated, target: str) -> str:
    """The file. `target` is what it opens, unless the environment says otherwise."""
    names = _names(value)
    body = [_docstring(value), "", *_imports(value)]
    body += ["", f'TARGET = os.environ.get("ACPSIM_TARGET", {literal(target)})']
    body += [f"EDITION = EDITIONS[{literal(value.edition)}]", ""]
    for name, batches in zip(names, value.runs, strict=True):
        body += [*_messages(name, batches), ""]
    body += [_TOLD.rstrip("\n"), ""]
    if value.law is None or value.expectations:
        body += [(_HELD_AGAIN if value.again else _HELD).rstrip("\n"), ""]
        if any(expected.place for expected in value.expectations):
            body += [_AT.rstrip("\n"), ""]
    body += ["", f"def test_{value.name}():", *_body(value, names)]
    return "\n".join(body) + "\n"


def _names(value: Restated) -> list[str]:
    return ["EVENTS"] if len(value.runs) == 1 else ["FIRST", "SECOND"]


def _docstring(value: Restated) -> str:
    said = _plain(value.reason)
    found = f"Found by {value.oracle}"
    if value.rules:
        found += f", {', '.join(value.rules)}"
    if value.minimal:
        found += "; without any one of its messages after set-up it passed"
    run = "Set ACPSIM_TARGET to try another reducer than the one it was found in."
    paragraphs = [said, f"{_plain(found)}.", run]
    lines: list[str] = []
    for at, paragraph in enumerate(paragraphs):
        prefix = '"""' if at == 0 else ""
        lines += textwrap.wrap(
            paragraph, WIDTH, initial_indent=prefix, break_long_words=False, break_on_hyphens=False
        )
        lines.append("")
    return "\n".join([*lines[:-1], '"""'])


def _plain(text: str) -> str:
    """A sentence that may stand in a docstring: ASCII, no escapes, no end of the docstring."""
    shown = visible(text, None).encode("ascii", "backslashreplace").decode()
    return shown.replace("\\", "\\\\").replace('"""', "'''")


def _imports(value: Restated) -> Iterator[str]:
    asks = value.law is not None and not value.expectations
    standard = ["io", "json", "os", *(["random"] if asks else [])]
    yield from (f"import {name}" for name in standard)
    yield "from contextlib import closing"
    yield ""
    public = ["EDITIONS", *(["judge_law"] if asks else []), "open_target", "read_trace"]
    yield f"from acpsim import {', '.join(public)}"


def _messages(name: str, run: Run) -> Iterator[str]:
    batches = [[event.as_json() for event in batch] for batch in run]
    if len(batches) == 1:
        yield f"{name} = {literal(batches[0], split=1)}"
    else:
        yield f"{name} = {literal(batches, split=2)}"


def _body(value: Restated, names: Sequence[str]) -> Iterator[str]:
    if value.expectations and len(value.runs) == 2:
        yield from _both(value, names)
    elif value.expectations:
        yield from _one(value)
    elif value.law is not None:
        yield "    chance = random.Random(" + literal(value.seed) + ")"
        yield "    with closing(open_target(TARGET, edition=EDITION)) as target:"
        yield "        events = told(EVENTS)"
        yield f"        law = {literal(value.law)}"
        yield "        verdict = judge_law(law, events, target, edition=EDITION, chance=chance)"
        yield "    assert verdict is None, verdict.text"
    else:
        yield "    # A target that raises, hangs or answers with something else fails in here."
        yield f"    sessions = {literal(list(value.sessions))}"
        yield "    assert set(held(EVENTS, sessions=sessions)) == set(sessions)"


def _one(value: Restated) -> Iterator[str]:
    sessions = list(dict.fromkeys(expected.session for expected in value.expectations))
    yield f"    after = held(EVENTS, sessions={literal(sessions)})"
    for expected in value.expectations:
        yield from _assertion(expected)


def _assertion(expected: Expectation) -> Iterator[str]:
    there = f"after[{literal(expected.session)}]"
    if expected.may_be_absent:
        there = f"{there} or {{}}"
        yield f"    snapshot = {there}  # no message is for this session: it may hold nothing"
        place = ", ".join(literal(step) for step in expected.place)
        wanted = _wanted(expected.value)
        yield f"    assert not snapshot or at(snapshot, {place}) == {wanted}"
        return
    yield f"    assert {_at(there, expected.place)} == {_wanted(expected.value)}"


def _both(value: Restated, names: Sequence[str]) -> Iterator[str]:
    for expected in value.expectations:
        session = literal([expected.session])
        for variable, name, run in zip(("first", "second"), names, value.runs, strict=True):
            star = "" if len(run) == 1 else "*"
            yield f"    {variable} = held({star}{name}, sessions={session})"
        there = f"[{literal(expected.session)}]"
        one, other = (_at(f"{name}{there}", expected.place) for name in ("first", "second"))
        yield f"    assert {other} == {one}"


def _at(there: str, place: Place) -> str:
    if not place:
        return there
    return f"at({there}, {', '.join(literal(step) for step in place)})"


def _wanted(value: Json) -> str:
    return "None" if value is UNSET else literal(value, indent=4)


def literal(value: Any, *, indent: int = 0, split: int = 0) -> str:
    """A JSON value as Python, in lines of `WIDTH` columns; ASCII alone.

    The outer `split` levels stand one element a line, however short they are.
    """
    if isinstance(value, str):
        plain = value.isascii() and value.isprintable() and not {'"', "\\"} & set(value)
        return f'"{value}"' if plain else ascii(value)
    if not isinstance(value, dict | list) or not value:
        return repr(value)
    flat = _flat(value)
    if split == 0 and indent + len(flat) <= WIDTH - 10:
        return flat
    inside = " " * (indent + 4)
    deeper = max(0, split - 1)
    if isinstance(value, dict):
        items = [
            f"{literal(name)}: {literal(item, indent=indent + 4, split=deeper)}"
            for name, item in value.items()
        ]
    else:
        items = [literal(item, indent=indent + 4, split=deeper) for item in value]
    lines = "".join(f"{inside}{item},\n" for item in items)
    opening, end = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{lines}{' ' * indent}{end}"


def _flat(value: Any) -> str:
    """The same in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {_flat(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    return literal(value)
