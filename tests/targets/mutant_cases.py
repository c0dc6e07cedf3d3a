"""What the tests of mutants and of other reducers say to them: `mutants.txt`, read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PLAIN: Final = """
    setup
    > #1 prompt "hi"
    < #1 ok u1
    < user_message u1 "hi"
    < running
    < tool_call_update t1 {"title": "T", "kind": "read", "status": "completed"}
    < agent_message m1 "hello"
    < idle end_turn
"""
"""A conversation on which every mutant agrees with the reference, message by message."""

AT_ONCE: Final = frozenset(
    {
        *("states-coalesced", "responses-overtake", "worker-per-message"),
        *("new-session-known-later", "requests-overtake"),
    }
)
"""The mutants that need the messages in one batch."""

ALIASED: Final = frozenset({"message-aliased", "snapshot-aliased"})
"""The mutants that only a caller who changes his objects can see."""


def read_cases(text: str) -> dict[str, str]:
    """Name → conversation, from sections that begin with `== NAME`."""
    _, *sections = text.split("\n== ")
    return {name: body for name, _, body in (section.partition("\n") for section in sections)}


CASES: Final = read_cases(Path(__file__).with_name("mutants.txt").read_text("utf-8"))
"""For each mutant a conversation after `setup`."""
