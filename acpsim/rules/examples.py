"""A conversation that keeps each rule, and one that breaks it.

Owns: `EXAMPLES`, read from `examples.toml`. What a rule means is seen best where it is broken: the
rule book shows both, and tests hold both to what they say.
"""

from __future__ import annotations

import functools
import tomllib
from importlib import resources
from typing import Literal, TypeAlias

from msgspec import Struct

from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.shorthand import conversation
from acpsim.wire.trace import Event

Way: TypeAlias = Literal["keeps", "breaks"]


class Example(Struct, frozen=True, kw_only=True):
    """A conversation in shorthand, and the edition in which it is read."""

    text: str
    edition: Edition

    def events(self) -> list[Event]:
        """The conversation, lines numbered from 1."""
        return conversation(self.text, edition=self.edition)


@functools.cache
def examples(way: Way) -> dict[str, Example]:
    """Rule → its example, in the order of the rules. Rules that no trace can decide have none."""
    text = resources.files("acpsim.rules").joinpath("examples.toml").read_text(encoding="utf-8")
    return {
        rule: Example(text=row[way], edition=EDITIONS[row.get(f"{way}_edition", "draft")])
        for rule, row in tomllib.loads(text).items()
        if way in row
    }
