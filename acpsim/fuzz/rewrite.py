"""What may happen inside one message: contents cut otherwise, fields and items spoilt.

Owns: the disturbances that say the same in other pieces, and those that make something malformed.
A malformed optional field counts as omitted and a bad item as not there; without a usable required
field the message is unusable, and a response that cannot be read leaves its prompt uncertain.
"""

from __future__ import annotations

import base64
import copy
import functools
from typing import Final

import msgspec

from acpsim.fuzz.scenario import Events
from acpsim.fuzz.stage import Disturbance, Stage
from acpsim.oracles import talk
from acpsim.oracles.laws.content import canonical_bytes, encoded
from acpsim.oracles.laws.hostile import HOSTILE, places_of
from acpsim.wire import methods, updates
from acpsim.wire.cells import Json, JsonObject

EXACT_MAX: Final = 2**53
"""Above this, some languages keep a number only roughly, and no reducer written in one of them can
hold what it was sent.
"""
HOSTILE_VALUES: Final = tuple(
    value for value in HOSTILE if not isinstance(value, int) or abs(value) <= EXACT_MAX
)
BAD_ITEMS: Final[tuple[Json, ...]] = (None, 7, "item", [], {}, {"type": "text"}, {"type": 7})
"""Items that fit no list of objects."""


# ------------------------------------------------------------------------------ other pieces


def split(stage: Stage) -> Events | None:
    """A content in more pieces than it came in: a list, a text or some bytes."""
    at = stage.pick(stage.updates(lambda own: own.key[0] in talk.CONTENT_FIELD))
    if at is None:
        return None
    own = stage.prints[at]
    assert own is not None
    update = talk.update_json(stage.events[at])
    first, second = _halves(stage, own, update)
    if second is None:
        return None
    told = stage.events[at]
    return stage.instead(
        at,
        stage.update(own.session, first, like=told),
        stage.update(own.session, second, like=told),
    )


def _halves(
    stage: Stage, own: talk.Footprint, update: JsonObject
) -> tuple[JsonObject, JsonObject | None]:
    """The update with less of its content, and a chunk with the rest, if there is enough."""
    entity, own_id = own.key
    chunk: JsonObject = {
        "sessionUpdate": talk.CHUNK_OF[entity],
        talk.ENTITIES[talk.CHUNK_OF[entity]][1]: own_id,
    }
    if own.variant in talk.CHUNKS:
        pieces = _cut(stage, update.get("content", update.get("data")))
        if pieces is None:
            return update, None
        name = "data" if entity == "terminal" else "content"
        return update | {name: pieces[0]}, chunk | {name: pieces[1]}
    name = talk.CONTENT_FIELD[entity]
    content = update.get(name)
    if entity == "terminal" and isinstance(content, dict):
        pieces = _cut(stage, content.get("data"))
        if pieces is None:
            return update, None
        return update | {name: content | {"data": pieces[0]}}, chunk | {"data": pieces[1]}
    if not isinstance(content, list) or not content:
        return update, None
    return update | {name: content[:-1]}, chunk | {"content": content[-1]}


def _cut(stage: Stage, value: Json) -> tuple[Json, Json] | None:
    """Two pieces of a text block or of encoded bytes."""
    data = canonical_bytes(value)
    if data is not None and len(data) > 1:
        middle = stage.chance.randint(1, len(data) - 1)
        return encoded(data[:middle]), encoded(data[middle:])
    text = value.get("text") if isinstance(value, dict) and value.get("type") == "text" else None
    if isinstance(text, str) and len(text) > 1:
        middle = stage.chance.randint(1, len(text) - 1)
        return value | {"text": text[:middle]}, value | {"text": text[middle:]}
    return None


def join(stage: Stage) -> Events | None:
    """Two chunks of one entity, nothing else of it between them, as one."""
    pairs: list[tuple[int, int]] = []
    last: dict[tuple[str, talk.Key], int] = {}
    for at, own in enumerate(stage.prints):
        if own is None:
            continue
        where = own[:2]
        if own.variant in talk.CHUNKS and where in last:
            pairs.append((last[where], at))
        if own.variant in talk.CHUNKS:
            last[where] = at
        else:
            last.pop(where, None)
    if not pairs:
        return None
    one, other = stage.chance.choice(pairs)
    joined = _joined(stage, one, other)
    if joined is None:
        return None
    own = stage.prints[one]
    assert own is not None
    told = stage.update(own.session, joined, like=stage.events[one])
    rest = stage.instead(one, told)
    return (*rest[:other], *rest[other + 1 :])


def _joined(stage: Stage, one: int, other: int) -> JsonObject | None:
    first, second = (talk.update_json(stage.events[at]) for at in (one, other))
    if "data" in first:
        data = [canonical_bytes(chunk.get("data")) for chunk in (first, second)]
        if None in data:
            return None
        return first | {"data": base64.b64encode(b"".join(d for d in data if d)).decode()}
    block, more = first.get("content"), second.get("content")
    if not isinstance(block, dict) or not isinstance(more, dict) or block.get("type") != "text":
        return None
    texts = [block.get("text"), more.get("text")]
    if not all(isinstance(text, str) for text in texts):
        return None
    return first | {"content": block | {"text": "".join(map(str, texts))}}


# ------------------------------------------------------------------------------ malformed


@functools.cache
def _fields(variant: str, *, required: bool) -> tuple[str, ...]:
    struct = updates.VARIANTS.get(variant)
    if struct is None:
        return ()
    fields = msgspec.structs.fields(struct)
    return tuple(field.encode_name for field in fields if field.required is required)


def _hostile(stage: Stage, *, unlike: Json = None) -> Json:
    """A value of another type than this one."""
    fitting = [value for value in HOSTILE_VALUES if type(value) is not type(unlike)]
    return copy.deepcopy(stage.chance.choice(fitting))


def _spoilt(stage: Stage, at: int, update: JsonObject) -> Events:
    """The spoilt update in place of the sound one, or behind it."""
    own = stage.prints[at]
    assert own is not None
    told = stage.update(own.session, update, like=stage.events[at])
    if stage.chance.random() < 0.5:
        return stage.instead(at, told)
    return stage.put(at + 1, told)


SPOILT: Final = (1, 1, 2, 4)
"""How many updates one disturbance spoils: what is malformed is rare in what a case is about."""


def _several(stage: Stage, once: Disturbance) -> Events | None:
    """The same disturbance a few times over."""
    found: Events | None = None
    here = stage
    for _ in range(stage.chance.choice(SPOILT)):
        other = once(here)
        if other is None:
            break
        found, here = other, Stage(other, stage.edition, stage.chance)
    return found


def _pick_variant(stage: Stage, *, required: bool) -> int | None:
    """An update with such fields. Rare variants are as likely as common ones."""
    places: dict[str, list[int]] = {}
    for at in stage.updates(lambda own: bool(_fields(own.variant, required=required))):
        own = stage.prints[at]
        places.setdefault("" if own is None else own.variant, []).append(at)
    if not places:
        return None
    return stage.pick(places[stage.chance.choice(list(places))])


def spoil_field(stage: Stage) -> Events | None:
    """Optional fields become malformed: the updates count without them."""
    return _several(stage, _spoil_field)


def _spoil_field(stage: Stage) -> Events | None:
    at = _pick_variant(stage, required=False)
    if at is None:
        return None
    update = talk.update_json(stage.events[at])
    names = _fields(str(update["sessionUpdate"]), required=False)
    there = [name for name in names if name in update]
    name = stage.chance.choice(there if there and stage.chance.random() < 0.7 else names)
    return _spoilt(stage, at, update | {name: _hostile(stage, unlike=update.get(name, {}))})


def spoil_item(stage: Stage) -> Events | None:
    """A list gets an item that fits nothing: the list counts without it."""
    places: list[tuple[int, str]] = []
    for at in stage.updates(lambda own: True):
        told = talk.update_json(stage.events[at])
        places += [(at, name) for name, value in told.items() if isinstance(value, list)]
    if not places:
        return None
    at, name = stage.chance.choice(places)
    update = talk.update_json(stage.events[at])
    items = update[name]
    items.insert(stage.chance.randint(0, len(items)), stage.chance.choice(BAD_ITEMS))
    return _spoilt(stage, at, update)


BAD_DATA: Final = ("!", "YQ=!", "YQ", "Y Q==", "YQ==YQ==", "YQ==\n", "é", "====")
"""No base64, or none that every reader takes."""


def spoil_data(stage: Stage) -> Events | None:
    """The bytes of a terminal are no base64."""
    at = stage.pick(stage.updates(lambda own: own.key[0] == "terminal"))
    if at is None:
        return None
    update = talk.update_json(stage.events[at])
    bad = stage.chance.choice(BAD_DATA)
    if "data" in update:
        return _spoilt(stage, at, update | {"data": bad})
    return _spoilt(stage, at, update | {"output": {"data": bad}})


FOREIGN: Final[JsonObject] = {
    "error": {"code": -1, "message": "no"},
    "state": "idle",
    "status": "failed",
    "content": [{"type": "text", "text": "no"}],
    "title": "no",
    "messageId": "no",
    "toolCallId": "no",
    "severity": "error",
    "used": 1,
    "later": {"a": [1]},
}
"""Fields that mean something elsewhere."""


def add_fields(stage: Stage) -> Events | None:
    """An update has fields that mean nothing there: `error` beside another stop reason is one."""
    at = _pick_variant(stage, required=True)
    if at is None:
        return None
    update = talk.update_json(stage.events[at])
    variant = str(update["sessionUpdate"])
    own = {*_fields(variant, required=True), *_fields(variant, required=False)}
    if update.get("stopReason") != "error":
        own.discard("error")
    foreign = [name for name in FOREIGN if name not in own and name not in update]
    chosen = stage.chance.sample(foreign, k=min(2, len(foreign)))
    return _spoilt(stage, at, update | {name: FOREIGN[name] for name in chosen})


def spoil_required(stage: Stage) -> Events | None:
    """A required field is missing or malformed: the update is unusable."""
    at = _pick_variant(stage, required=True)
    if at is None:
        return None
    update = talk.update_json(stage.events[at])
    name = stage.chance.choice(_fields(str(update["sessionUpdate"]), required=True))
    if stage.chance.random() < 0.4:
        del update[name]
    else:
        update[name] = _hostile(stage, unlike=update[name])
    return _spoilt(stage, at, update)


def spoil_anything(stage: Stage) -> Events | None:
    """Any one place of what the agent says becomes something else.

    Not the version of JSON-RPC: behind an SDK no reducer sees it, and what it would have to make of
    another one is nowhere said.
    """
    at = stage.pick(at for at, told in enumerate(stage.events) if told.dir == "a2c")
    if at is None:
        return None
    message = stage.events[at].json()
    places = [place for place in places_of(message) if place != (message, "jsonrpc")]
    holder, name = stage.chance.choice(places)
    if stage.chance.random() < 0.2 and isinstance(holder, dict):
        del holder[name]
    else:
        holder[name] = copy.deepcopy(stage.chance.choice(HOSTILE_VALUES))
    return stage.instead(at, stage.make("a2c", message, like=stage.events[at]))


BAD_ANSWERS: Final[tuple[JsonObject, ...]] = (
    {"result": {"messageId": None}},
    {"result": {"messageId": 7}},
    {"result": {}},
    {"result": None},
    {"result": "accepted"},
    {"error": "failed"},
    {"error": {"code": "x", "message": "failed"}},
    {"error": {"message": "failed"}},
    {"error": None},
    {},
)
"""Answers to a prompt that nobody can read."""


def spoil_response(stage: Stage) -> Events | None:
    """A prompt's answer cannot be read: what became of the prompt is uncertain."""
    answers = [
        at
        for at, request in stage.pairs.request_of.items()
        if isinstance(stage.events[request].message, methods.PromptRequest)
    ]
    at = stage.pick(answers)
    if at is None:
        return None
    told = stage.events[at].json()
    bad = copy.deepcopy(stage.chance.choice(BAD_ANSWERS))
    return stage.instead(at, stage.make("a2c", {"id": told["id"], **bad}, like=stage.events[at]))
