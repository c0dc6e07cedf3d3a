"""Law 13: what is one entity, where it stands, what is doubled never depends on what a text says.

Three runs tell: the conversation as it is, one in which every text is fresh and its own, one in
which all are the same. From what a target holds after the second, what it must hold after the
others follows by putting texts in place of texts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from acpsim.oracles.compare import Snapshots
from acpsim.oracles.laws.scene import Bench, Breach, Events, Occasion, Scene
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event

TEXT_FIELDS: Final = frozenset({"text", "title", "description", "message", "hint"})
"""Fields whose strings are for people. `content` is one too where it is a string, in plans."""
OPAQUE: Final = frozenset({"_meta", "rawInput", "rawOutput", "data"})
"""Fields that hold whatever their sender likes: what is a text in there nobody knows."""


def texts(scene: Scene) -> Sequence[Occasion]:
    """Law 13. Replacing every text by a fresh one, the same for all or different for equal ones,
    changes those texts in the snapshot and nothing else.
    """
    if not any(_has_texts(event) for event in scene.events):
        return []
    return [Retold(same=False), Retold(same=True)]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """The conversation with other texts: the same for all, or its own for each."""

    same: bool

    def judge(self, bench: Bench) -> Breach | None:
        scene = bench.scene
        fresh = _fresh_prefix(scene.events)
        olds: dict[str, str] = {}

        def own(old: str) -> str:
            name = f"{fresh}{len(olds)}."
            olds[name] = old
            return name

        distinct = retold(scene, own)
        if self.same:
            one = f"{fresh}same."
            after = bench.run(retold(scene, lambda _: one))
            variant = tuple(bench.current)
            predicted = _mapped(bench.run(distinct), dict.fromkeys(olds, one))
            text = "with the same text everywhere, more than texts changes"
        else:
            after, variant = bench.base, distinct
            predicted = _mapped(bench.run(distinct), olds)
            text = "with a text of its own everywhere, more than texts changes"
        found = bench.compare(predicted, after)
        if found is None:
            return None
        session, difference = found
        return Breach(text=text, session=session, difference=difference, variant=variant)


def retold(scene: Scene, other: Callable[[str], str]) -> Events:
    """The conversation with each text replaced by another."""
    return tuple(_retell(scene, event, other) for event in scene.events)


def _retell(scene: Scene, event: Event, other: Callable[[str], str]) -> Event:
    if event.dir == "lost" or not _has_texts(event):
        return event
    value = event.json()
    for holder, name in list(_text_places(value)):
        holder[name] = other(holder[name])
    return scene.make(event.dir, value, like=event)


def _has_texts(event: Event) -> bool:
    """Only of messages that were read without a flaw: in others a text may be what spoils."""
    if event.dir == "lost" or event.flaws or isinstance(event.message, Malformed):
        return False
    return any(True for _ in _text_places(event.json()))


def _text_places(value: Json) -> Iterator[tuple[JsonObject, str]]:
    work = [value]
    while work:
        here = work.pop()
        if isinstance(here, list):
            work += reversed(here)
            continue
        for name, inner in here.items() if isinstance(here, dict) else ():
            if isinstance(inner, str):
                if name in TEXT_FIELDS or name == "content":
                    yield here, name
            elif name not in OPAQUE:
                work.append(inner)


def _fresh_prefix(events: Events) -> str:
    """The beginning of texts that occur nowhere in the conversation."""
    number = 0
    while any(f"~{number}.".encode() in event.raw for event in events):
        number += 1
    return f"~{number}."


def _mapped(snapshots: Snapshots, texts_: dict[str, str]) -> Snapshots:
    return {
        session: None if snapshot is None else _replace(snapshot, texts_)
        for session, snapshot in snapshots.items()
    }


def _replace(value: Json, texts_: dict[str, str]) -> Json:
    if isinstance(value, str):
        return texts_.get(value, value)
    if isinstance(value, list):
        return [_replace(item, texts_) for item in value]
    if isinstance(value, dict):
        return {name: _replace(item, texts_) for name, item in value.items()}
    return value
