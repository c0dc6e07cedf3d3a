"""A conversation in shorthand, reduced."""

from __future__ import annotations

from typing import Any

from acpsim.reducer import fold
from acpsim.wire.edition import DRAFT, Edition
from tests.helpers.shorthand import conversation


def state(text: str, session: str = "s1", edition: Edition = DRAFT) -> dict[str, Any]:
    """The snapshot of a session after a conversation in shorthand."""
    snapshot = fold(conversation(text, edition=edition), edition).snapshot(session)
    assert snapshot is not None
    return snapshot


def texts(snapshot: dict[str, Any], kind: str, identity: str) -> list[str]:
    """The texts of a message's content."""
    return [block["text"] for block in snapshot["messages"][kind][identity]["content"]]


def ids(snapshot: dict[str, Any]) -> list[str]:
    """The ids of the timeline, in order."""
    return [identity for _, identity in snapshot["timeline"]]
