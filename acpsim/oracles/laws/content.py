"""Laws about what updates do to what is held: 4 chunks, 5 absorb, 6 idempotence, 7 neutrality."""

from __future__ import annotations

import base64
import binascii
import dataclasses
import functools
from collections.abc import Iterator, Sequence
from typing import Final

from acpsim.oracles import talk
from acpsim.oracles.compare import Snapshots
from acpsim.oracles.laws.scene import Events, Occasion, Scene, Variant, numbered
from acpsim.wire import methods, updates
from acpsim.wire.cells import Json, JsonObject, TerminalOutput
from acpsim.wire.updates import AnyUpdate

IDENTITIES: Final = ("senderSessionId", "recipientSessionId")


def canonical_bytes(data: object) -> bytes | None:
    """The bytes of strict base64, or `None` for anything that a reader might see otherwise."""
    if not isinstance(data, str):
        return None
    try:
        decoded = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return None
    return decoded if base64.b64encode(decoded).decode() == data else None


def encoded(data: bytes) -> str:
    """The bytes as base64."""
    return base64.b64encode(data).decode()


@dataclasses.dataclass(slots=True, frozen=False)
class _Run:
    """Chunks of one entity, nothing else of it in between, that began on empty content."""

    key: talk.Key
    status: str
    chunks: list[int]


def chunks(scene: Scene) -> Sequence[Occasion]:
    """Law 4. n chunks on an empty entity equal one update with that content array."""
    joined = [
        Variant(
            text=(
                f"{len(run.chunks)} {talk.CHUNK_OF[run.key[0]]} "
                f"from {numbered(scene.events, run.chunks[0])} joined into one update"
            ),
            make=functools.partial(_joined, scene, run),
            kind=talk.CHUNK_OF[run.key[0]],
        )
        for run in _runs(scene)
    ]
    split = [
        Variant(
            text=f"the content of {numbered(scene.events, at)} split into chunks",
            make=functools.partial(_split, scene, at),
            kind=talk.CHUNK_OF[_key(scene, at)[0]],
        )
        for at in scene.updates()
        if _can_split(scene, at)
    ]
    return [*joined, *split]


def _key(scene: Scene, at: int) -> talk.Key:
    found = scene.prints[at]
    assert found is not None
    return found.key


def _runs(scene: Scene) -> Iterator[_Run]:
    """Walks the conversation once; what is held of an entity is only whether its content is empty.

    Content whose state cannot be told from the messages alone (bytes that are no strict base64)
    begins no run.
    """
    empty: dict[tuple[str, talk.Key], bool] = {}
    status: dict[tuple[str, talk.Key], str] = {}
    open_: dict[tuple[str, talk.Key], _Run] = {}
    for at, found in enumerate(scene.prints):
        if found is None or found.key[0] not in talk.CONTENT_FIELD:
            continue
        where = (found.session, found.key)
        update = talk.update_of(scene.events[at])
        if found.variant in talk.CHUNKS and update is not None:
            if not _sound(update):
                open_.pop(where, None)
                empty[where] = False
            elif where in open_:
                open_[where].chunks.append(at)
            elif empty.pop(where, found.creates):
                open_[where] = _Run(found.key, status.get(where, "in_progress"), [at])
            continue
        if where in open_:
            yield open_.pop(where)
            empty[where] = False
        empty[where] = _leaves_empty(update, empty=empty.get(where, found.creates))
        if isinstance(update, updates.CompactionUpdate):
            status[where] = update.status
    yield from open_.values()


def _sound(update: AnyUpdate) -> bool:
    """Whether a chunk is read alike by every reader."""
    if isinstance(update, updates.TerminalOutputChunk):
        return canonical_bytes(update.data) is not None
    return True


def content_of(update: AnyUpdate) -> object:
    """What an upsert says of its entity's content: `UNSET`, `None` or a value."""
    entity, _ = talk.ENTITIES[talk.variant_of(update)]
    return getattr(update, talk.CONTENT_FIELD[entity])


def _leaves_empty(update: AnyUpdate | None, *, empty: bool) -> bool:
    """Whether content is surely empty after an upsert."""
    if update is None:
        return False  # the tool call of a permission request: rare, and not worth a second reading
    content = content_of(update)
    if content is None or content == []:
        return True
    if isinstance(content, TerminalOutput):
        return content.data == ""
    return empty and not isinstance(content, list | dict)


def _joined(scene: Scene, run: _Run) -> Events:
    entity, own_id = run.key
    chunks_ = [talk.update_json(scene.events[at]) for at in run.chunks]
    whole: JsonObject = {
        "sessionUpdate": talk.UPSERT_OF[entity],
        talk.ENTITIES[talk.CHUNK_OF[entity]][1]: own_id,
    }
    if entity == "terminal":
        data = b"".join(canonical_bytes(chunk["data"]) or b"" for chunk in chunks_)
        whole["output"] = {"data": encoded(data)}
    else:
        whole[talk.CONTENT_FIELD[entity]] = [chunk["content"] for chunk in chunks_]
    if entity == "compaction":
        whole["status"] = run.status
    if entity == "session_message" and scene.edition.chunks_carry_identities:
        for name in IDENTITIES:
            known = [c[name] for c in chunks_ if isinstance(c.get(name), str)]
            whole |= {name: known[-1]} if known else {}
    first, gone = run.chunks[0], set(run.chunks[1:])
    return tuple(
        scene.with_update(at, whole) if at == first else event
        for at, event in enumerate(scene.events)
        if at not in gone
    )


def _can_split(scene: Scene, at: int) -> bool:
    """An upsert with content of at least one item, all of it well formed."""
    entity = _key(scene, at)[0]
    update = talk.update_of(scene.events[at])
    if entity not in talk.CONTENT_FIELD or update is None or scene.events[at].flaws:
        return False
    if talk.variant_of(update) in talk.CHUNKS:
        return False
    content = content_of(update)
    if isinstance(content, TerminalOutput):
        return bool(canonical_bytes(content.data))
    return isinstance(content, list) and bool(content)


def _split(scene: Scene, at: int) -> Events:
    found = scene.prints[at]
    assert found is not None
    entity, own_id = found.key
    head = talk.update_json(scene.events[at])
    chunk: JsonObject = {
        "sessionUpdate": talk.CHUNK_OF[entity],
        talk.ENTITIES[talk.CHUNK_OF[entity]][1]: own_id,
    }
    if entity == "terminal":
        data = canonical_bytes(head["output"]["data"]) or b""
        cut = scene.own_chance(f"split {at}").randint(1, len(data))
        parts = [{"data": encoded(part)} for part in (data[:cut], data[cut:]) if part]
        head["output"] = None
    else:
        field = talk.CONTENT_FIELD[entity]
        parts = [{"content": item} for item in head[field]]
        head[field] = []
    pieces = [scene.make_update(found.session, chunk | part) for part in parts]
    return (
        *scene.events[:at],
        scene.with_update(at, head),
        *pieces,
        *scene.events[at + 1 :],
    )


def absorb(scene: Scene) -> Sequence[Occasion]:
    """Law 5. Anything done to a content before a concrete `content` does not matter after it."""
    found: list[Occasion] = []
    earlier: dict[tuple[str, talk.Key], list[int]] = {}
    for at in scene.updates():
        print_ = scene.prints[at]
        assert print_ is not None
        where = (print_.session, print_.key)
        if _replaces(scene, at):
            found += _absorbed(scene, at, earlier.pop(where, []))
        elif print_.variant in talk.CHUNKS and not print_.creates and _only_content(scene, at):
            earlier.setdefault(where, []).append(at)
    return found


def _replaces(scene: Scene, at: int) -> bool:
    update = talk.update_of(scene.events[at])
    if update is None or _key(scene, at)[0] not in talk.CONTENT_FIELD:
        return False
    if talk.variant_of(update) in talk.CHUNKS:
        return False
    content = content_of(update)
    if isinstance(content, TerminalOutput):
        return canonical_bytes(content.data) is not None
    return content is None or isinstance(content, list)


def _only_content(scene: Scene, at: int) -> bool:
    """Whether a chunk changes nothing but content: one of a session message may name its sender."""
    update = talk.update_json(scene.events[at])
    return not any(isinstance(update.get(name), str) for name in IDENTITIES)


def _absorbed(scene: Scene, at: int, before: list[int]) -> Iterator[Occasion]:
    place = numbered(scene.events, at)
    kind = talk.kind_of(scene.events, at)
    for what, junk in _junk(scene, at):
        yield Variant(
            text=f"{what} put right before the content of {place}",
            make=functools.partial(_inserted, scene, at, junk),
            kind=kind,
        )
    if before:
        yield Variant(
            text=f"the {len(before)} chunks before the content of {place} left out",
            make=functools.partial(_without, scene.events, frozenset(before)),
            kind=kind,
        )


def _without(events: Events, gone: frozenset[int]) -> Events:
    return tuple(event for at, event in enumerate(events) if at not in gone)


def _inserted(scene: Scene, at: int, update: JsonObject) -> Events:
    found = scene.prints[at]
    assert found is not None
    new = scene.make_update(found.session, update)
    return (*scene.events[:at], new, *scene.events[at:])


_TEXT: Final = {"type": "text", "text": "absorbed"}


def _junk(scene: Scene, at: int) -> Iterator[tuple[str, JsonObject]]:
    entity, own_id = _key(scene, at)
    item: Json = {"type": "content", "content": _TEXT} if entity == "tool_call" else _TEXT
    own = {talk.ENTITIES[talk.CHUNK_OF[entity]][1]: own_id}
    payload = {"data": encoded(b"absorbed")} if entity == "terminal" else {"content": item}
    yield "a chunk", {"sessionUpdate": talk.CHUNK_OF[entity], **own, **payload}
    if entity == "compaction":
        return  # an upsert would need a status too, and that is not content
    value = payload if entity == "terminal" else [item]
    yield (
        "other content",
        {"sessionUpdate": talk.UPSERT_OF[entity], **own, talk.CONTENT_FIELD[entity]: value},
    )


REPEATABLE: Final = frozenset(updates.VARIANTS) - talk.CHUNKS - {"notice"}
"""What tells the whole of something, so that telling it twice tells nothing new."""


def idempotence(scene: Scene) -> Sequence[Occasion]:
    """Law 6. A full update, state report or list, repeated at once, changes nothing."""
    return [
        Variant(
            text=f"{found.variant} ({numbered(scene.events, at)}) repeated at once",
            make=functools.partial(_repeated, scene.events, at),
            kind=found.variant,
        )
        for at in scene.updates()
        if (found := scene.prints[at]) is not None and found.variant in REPEATABLE
    ]


def _repeated(events: Events, at: int) -> Events:
    return (*events[: at + 1], *events[at:])


PROBES: Final[tuple[tuple[str, JsonObject], ...]] = (
    ("notices", {"sessionUpdate": "notice", "severity": "error", "title": "Work failed"}),
    ("unknown", {"sessionUpdate": "_probe"}),
    ("unknown", {"sessionUpdate": "future_thing", "state": "idle", "status": "failed"}),
    ("notices", {"sessionUpdate": "notice", "severity": "_new", "title": "x", "description": None}),
)
"""Section → what goes there and nowhere else, however much it looks like something else."""


def neutrality(scene: Scene) -> Sequence[Occasion]:
    """Law 7. An unknown variant or a notice inserted anywhere changes its own section only."""
    return [
        Variant(
            text=(
                f"{update['sessionUpdate']} inserted for session {session} "
                f"before {numbered(scene.events, at)}"
                if at < len(scene.events)
                else f"{update['sessionUpdate']} added for session {session} at the end"
            ),
            make=functools.partial(_with_probe, scene, session=session, at=at, update=update),
            expected=functools.partial(
                _one_more, scene=scene, session=session, at=at, section=section, update=update
            ),
            kind=str(update["sessionUpdate"]),
        )
        for session in scene.sessions
        for at in range(_first(scene, session), len(scene.events) + 1)
        for section, update in _probes(scene, at)
    ]


def _probes(scene: Scene, at: int) -> Iterator[tuple[str, JsonObject]]:
    section, update = PROBES[at % len(PROBES)]
    yield section, update
    section, update = PROBES[(at + 1) % len(PROBES)]
    before = scene.prints[at - 1] if at else None
    if section == "unknown" and before is not None and before.key[0] in talk.CONTENT_FIELD:
        # It bears the id of the entity before it, which is not thereby its own.
        name = talk.ENTITIES[talk.CHUNK_OF[before.key[0]]][1]
        update = {**update, name: before.key[1], "content": [_TEXT]}
    yield section, update


def _first(scene: Scene, session: str) -> int:
    """Behind what names the session first: anything before it would name it earlier.

    The request of a session/new belongs to its session too, but it is the response that names it.
    """
    return 1 + next(
        at
        for at, names in enumerate(scene.belongings)
        if session in names and not isinstance(scene.events[at].message, methods.NewSessionRequest)
    )


def _with_probe(scene: Scene, *, session: str, at: int, update: JsonObject) -> Events:
    return (*scene.events[:at], scene.make_update(session, update), *scene.events[at:])


def _one_more(
    base: Snapshots, *, scene: Scene, session: str, at: int, section: str, update: JsonObject
) -> Snapshots:
    snapshot = base.get(session)
    held = None if snapshot is None else snapshot.get(section)
    if snapshot is None or not isinstance(held, list):
        return base
    key = ("notice" if section == "notices" else "unknown", "")
    before = sum(
        found is not None and found.session == session and found.key == key
        for found in scene.prints[:at]
    )
    return {**base, session: {**snapshot, section: [*held[:before], update, *held[before:]]}}
