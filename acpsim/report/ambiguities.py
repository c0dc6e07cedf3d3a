"""The ambiguity ledger: where the draft allows two readings, and which one acpsim took."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Final

from msgspec import Struct, convert

from acpsim.report.page import Given, page

FILE: Final = "ambiguities.toml"


class Ambiguity(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One place of the draft. The comment in the file says what each field means."""

    title: str
    heading: str
    draft: str
    sdk: str
    costs: str
    taken: str
    where: str


def ledger() -> list[Ambiguity]:
    """All, in the order of the file."""
    text = resources.files("acpsim.report").joinpath(FILE).read_text(encoding="utf-8")
    return convert(tomllib.loads(text)["ambiguity"], list[Ambiguity])


def ambiguities(given: Given) -> str:
    """The ledger as a page."""
    return page("Where the draft can be read in two ways", "ambiguities", given, _body())


def _body() -> Iterator[str]:
    found = ledger()
    yield (
        f"{len(found)} places. Two readings have a name: `--edition draft` is the specification's "
        "text, `--edition sdk-2.4` the published schema and what the SDK of that version does. "
        "Where both are silent, what was taken is said."
    )
    yield ""
    for number, one in enumerate(found, 1):
        yield f"## {number}. {one.title}"
        yield ""
        yield f"*{one.heading}*"
        yield ""
        yield f"- `draft`: {one.draft}"
        yield f"- `sdk-2.4`: {one.sdk}"
        yield f"- Read the other way: {one.costs}"
        yield f"- Taken: {one.taken}"
        yield f"- Where: {', '.join(f'`{place}`' for place in one.where.split(', '))}"
        yield ""
