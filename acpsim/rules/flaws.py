"""Which rule a malformed place of a message belongs to, so that none is reported twice.

Owns: `owner` and `owned`. What costs a message its use belongs to the rule that asks for that
field; what a receiver drops and goes on without belongs to UPDATE-SHAPE, unless a rule names it.
What is wrong with the envelope is RPC-ENVELOPE's and no concern of this file.
"""

from __future__ import annotations

import re
from typing import Final

from acpsim.rules.facts import SessionFacts
from acpsim.rules.ledger import Ledger
from acpsim.wire import methods, updates
from acpsim.wire.cells import Json
from acpsim.wire.jsonrpc import Flaw, Malformed
from acpsim.wire.trace import Event

UPDATE: Final = "$.params.update"
ENTRY: Final = re.compile(r"plan\.entries\[\d+\](\.(content|priority|status))?")
COST: Final = re.compile(r"cost(\.(amount|currency))?")

OWNERS: Final[dict[str, tuple[tuple[re.Pattern[str], str], ...]]] = {
    "notice": ((re.compile("severity|title"), "NOTICE-FIELDS"),),
    "compaction_update": ((re.compile("compactionId|status"), "COMPACTION-FIELDS"),),
    "usage_update": (
        (re.compile("used|size"), "USAGE-FIELDS"),
        (COST, "USAGE-FIELDS"),
    ),
    "plan_update": ((ENTRY, "PLAN-ENTRY-VALUES"),),
}
"""Variant → places in the update, and the rule that asks for them."""


def variant(event: Event) -> str | None:
    """The value of `sessionUpdate`, also of an update that cannot be used; `None` if none."""
    message = event.message
    if isinstance(message, methods.SessionUpdate):
        update = message.params.update
        if isinstance(update, updates.UnknownUpdate):
            return update.variant
        return str(update.__struct_config__.tag)
    if isinstance(message, Malformed) and message.method == "session/update":
        found = inside(message.value, "params", "update", "sessionUpdate")
        return found if isinstance(found, str) else None
    return None


def inside(value: Json, *path: str) -> Json:
    """What stands at a path of names in a JSON value, or `None`."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def session_of(ledger: Ledger, event: Event) -> SessionFacts | None:
    """The session that a message names, also one that cannot be used, if it is known."""
    message = event.message
    if isinstance(message, Malformed):
        named = inside(message.value, "params", "sessionId")
    else:
        named = getattr(getattr(message, "params", None), "session_id", None)
    return ledger.sessions.get(named) if isinstance(named, str) else None


def owner(event: Event, flaw: Flaw) -> str | None:
    """The rule that reports this flaw of a request or notification; `None` for the envelope's."""
    path = flaw.path
    if not path.startswith("$.params"):
        return None
    if isinstance(event.message, Malformed) and event.message.method == _PERMISSION:
        field = path.removeprefix("$.params.")
        asked = field in {"title", "options"} and not flaw.dropped
        return "PERMISSION-OPTIONS" if asked else "UPDATE-SHAPE"
    kind = variant(event)
    if kind is None or not path.startswith(UPDATE):
        return "UPDATE-SHAPE"
    place = path[len(UPDATE) + 1 :]
    for pattern, rule in OWNERS.get(kind, ()):
        if pattern.fullmatch(place):
            return rule
    return "UPDATE-SHAPE" if flaw.dropped or kind not in updates.VARIANTS else "ENTITY-ID-PRESENT"


_PERMISSION: Final = "session/request_permission"


def owned(event: Event, rule: str) -> tuple[Flaw, ...]:
    """The flaws of a message that this rule reports."""
    return tuple(flaw for flaw in event.flaws if owner(event, flaw) == rule)


def flawed(event: Event, field: str) -> bool:
    """Whether that field of the update was malformed: then UPDATE-SHAPE has said so."""
    path = f"$.params.update.{field}"
    return bool(event.flaws) and any(flaw.path.startswith(path) for flaw in event.flaws)


def told(flaws: tuple[Flaw, ...]) -> str:
    """The flaws in words, each with its place inside the message."""
    return "; ".join(f"{_short(flaw.path)} {flaw.text}" for flaw in flaws)


def _short(path: str) -> str:
    for prefix in (UPDATE + ".", "$.params.", "$.result.", "$."):
        if path.startswith(prefix):
            return path[len(prefix) :]
    return path
