"""The first difference between two snapshots.

Owns: `Difference`, its path and how values are held against each other ("Canonical snapshot"):
objects without regard to key order, lists with, numbers by value, absent and `null` apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType

from acpsim.targets.target import SECTIONS
from acpsim.wire.cells import Json, JsonObject

Snapshots: TypeAlias = dict[str, JsonObject | None]
"""What a target holds of each session; `None` for one that no message has named."""

Step: TypeAlias = str | int

_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

ENTITY_DEPTH: Final = {
    "messages": 3,
    "toolCalls": 2,
    "terminals": 2,
    "plans": 2,
    "compactions": 2,
    "subagents": 2,
}
"""Section → how many steps of a path lead to one entity, its id the last of them."""
FIELD_SECTIONS: Final = frozenset({"foreground", "info", "usage"})
"""Sections that are one object with fields of their own."""
LIST_SECTIONS: Final = frozenset({"prompts", "permissions"})
"""Sections that are lists of objects with fields of their own."""


class Difference(Struct, frozen=True, kw_only=True):
    """Where two snapshots part first. `UNSET` means that there is nothing at that place."""

    steps: tuple[Step, ...]
    expected: Json | UnsetType = UNSET
    actual: Json | UnsetType = UNSET

    @property
    def path(self) -> str:
        """A JSON path, such as `$.messages.agent_message.m1.content[0].text`."""
        return json_path(self.steps)

    @property
    def place(self) -> str:
        """The path without what is accidental in it: ids, indices, and all below one field."""
        return general_place(self.steps)


def json_path(steps: Iterable[Step]) -> str:
    """The steps as a JSON path; a name that is no plain word stands quoted in brackets."""
    return "$" + "".join(_step_text(step) for step in steps)


def _step_text(step: Step) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    if _PLAIN.fullmatch(step):
        return f".{step}"
    return f"[{_encode(step).decode()}]"


def general_place(steps: Sequence[Step]) -> str:
    """Where in any snapshot this is: equal for two differences that are the same mistake."""
    if not steps:
        return "$"
    section = str(steps[0])
    depth = ENTITY_DEPTH.get(section)
    if depth is not None:
        named = [str(step) for step in steps[: depth + 1]]
        if len(named) >= depth:
            named[depth - 1] = "*"
        # A plan is replaced whole: which field of it differs is what the plan says, not a cause.
        return ".".join(named[:depth] if section == "plans" else named)
    if section in FIELD_SECTIONS:
        return ".".join(str(step) for step in steps[:2])
    if section in LIST_SECTIONS and len(steps) > 2:
        return f"{section}.{steps[2]}"
    return section


def first_difference(
    expected: JsonObject | None, actual: JsonObject | None, sections: Sequence[str] = SECTIONS
) -> Difference | None:
    """The first place where two snapshots differ in the sections named, or `None`.

    Sections are looked at in the order of the canonical snapshot and names in alphabetical order,
    so that equal input gives an equal answer. A part (`foreground.state`) that the expected
    snapshot does not have, as in another edition, counts only where the actual one has it. Where
    only a part of the sections is kept, no snapshot is as good as an untouched one: who keeps a
    part need not have looked at the message that named the session.
    """
    if expected is None or actual is None:
        if expected is actual:
            return None
        if set(sections) < set(SECTIONS) or any("." in section for section in sections):
            return first_difference(or_untouched(expected), or_untouched(actual), sections)
        return Difference(steps=(), expected=expected, actual=actual)
    for steps in _in_order(sections):
        one, other = look(expected, steps), look(actual, steps)
        found = difference(one, other, steps)
        if found is not None:
            return _whole_entry(found, expected, actual)
    return None


def _whole_entry(found: Difference, expected: JsonObject, actual: JsonObject) -> Difference:
    """In the timeline an entry is one thing: half of it differing says nothing to anyone."""
    if found.steps[0] != "timeline" or len(found.steps) < 3:
        return found
    steps = found.steps[:2]
    return Difference(steps=steps, expected=look(expected, steps), actual=look(actual, steps))


def difference(expected: Json, actual: Json, steps: tuple[Step, ...] = ()) -> Difference | None:
    """The first place below `steps` where two JSON values differ, or `None`."""
    if _same_text(expected, actual):
        return None
    return _walk(expected, actual, steps)


def equal(expected: Json, actual: Json) -> bool:
    """Whether two JSON values are the same, compared as snapshots are."""
    return difference(expected, actual) is None


def _in_order(sections: Sequence[str]) -> Iterator[tuple[Step, ...]]:
    rank = {name: at for at, name in enumerate(SECTIONS)}
    wholes = {path for path in sections if "." not in path}
    known = sorted(sections, key=lambda path: (rank.get(path.partition(".")[0], len(rank)), path))
    for path in known:
        section, dot, part = path.partition(".")
        if not dot:
            yield (section,)
        elif section not in wholes:
            yield (section, part)


def look(value: Json, steps: tuple[Step, ...]) -> Json:
    """What stands at a place of a value; `UNSET` where there is no such place."""
    for step in steps:
        if isinstance(step, int):
            value = _item(value, step) if isinstance(value, list) else UNSET
        else:
            value = value.get(step, UNSET) if isinstance(value, dict) else UNSET
    return value


def _same_text(expected: Json, actual: Json) -> bool:
    """A quick yes. Texts may differ where values do not (`1` and `1.0`), never the other way."""
    if expected is UNSET or actual is UNSET:
        return expected is actual
    try:
        return _encode(expected) == _encode(actual)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False  # a target in this process may return anything; the walk will say where


def _walk(expected: Json, actual: Json, steps: tuple[Step, ...]) -> Difference | None:
    """Iterative, because a peer's JSON may be nested as deep as the reader allows."""
    work: list[tuple[Json, Json, tuple[Step, ...]]] = [(expected, actual, steps)]
    while work:
        one, other, here = work.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            names = sorted(one.keys() | other.keys(), key=str, reverse=True)
            work += [(one.get(k, UNSET), other.get(k, UNSET), (*here, k)) for k in names]
        elif isinstance(one, list) and isinstance(other, list):
            work += [
                (_item(one, at), _item(other, at), (*here, at))
                for at in range(max(len(one), len(other)) - 1, -1, -1)
            ]
        elif not _same_scalar(one, other):
            return Difference(steps=here, expected=one, actual=other)
    return None


def _item(items: list[Json], at: int) -> Json:
    return items[at] if at < len(items) else UNSET


def _same_scalar(one: Json, other: Json) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and bool(one == other)


UNTOUCHED: Final[JsonObject] = {
    "timeline": [],
    "messages": {
        "user_message": {},
        "agent_message": {},
        "agent_thought": {},
        "session_message": {},
    },
    "toolCalls": {},
    "terminals": {},
    "plans": {},
    "compactions": {},
    "subagents": {},
    "foreground": {
        "state": "idle",
        "confirmed": True,
        "stopReason": None,
        "error": None,
        "usage": None,
        "completions": 0,
    },
    "prompts": [],
    "permissions": [],
    "commands": [],
    "configOptions": [],
    "info": {"title": None, "updatedAt": None, "meta": None},
    "usage": None,
    "notices": [],
    "unknown": [],
    "closed": False,
}
"""A session of which nothing is known yet ("Canonical snapshot")."""


def or_untouched(snapshot: JsonObject | None) -> JsonObject:
    """The snapshot for a session that may exist or not: then nothing at all is an untouched one.

    A background list that was not reported is left out, since only one edition has one.
    """
    if snapshot is None:
        return UNTOUCHED
    front = snapshot.get("foreground")
    if isinstance(front, dict) and front.get("background", UNSET) is None:
        kept = {name: value for name, value in front.items() if name != "background"}
        return {**snapshot, "foreground": kept}
    return snapshot
