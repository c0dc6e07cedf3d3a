"""The ways of making cases that are measured against each other.

Owns: `WAYS`, by name. `default` is what `acpsim fuzz` does. All others are without the known kinds
of trouble at the beginning, on which most mistakes show in one way or another: what is compared
there is what chance finds.
"""

from __future__ import annotations

from typing import Final

from acpsim.errors import UsageError
from acpsim.fuzz.cases import SHARES, Mix
from acpsim.schedule.strategies import STRATEGIES
from acpsim.targets.target import nearest

DEFAULT: Final = "default"
ALL: Final = "all"

_SOURCES: Final = tuple(source for source in SHARES if source != "beside")

WAYS: Final[dict[str, Mix]] = {
    DEFAULT: Mix(),
    "portfolio": Mix(first=False),
    **{name: Mix(first=False, strategies=(name,)) for name in STRATEGIES},
    **{name: Mix(first=False, shares={name: 1.0}) for name in _SOURCES},
}
"""`default`; then the portfolio of all strategies and each alone, over all sources; then each
source alone, with all strategies.
"""
SCHEDULES: Final = (DEFAULT, "portfolio", *STRATEGIES)
"""What `all` means. A source alone misses much, and a miss costs more than many catches."""


def ways_named(names: tuple[str, ...]) -> tuple[str, ...]:
    """The ways of these names, each once; `all` means `SCHEDULES`. Raises `UsageError`."""
    found: dict[str, None] = {}
    for name in names:
        if name != ALL and name not in WAYS:
            close = nearest(name, list(WAYS)) or f"; one of {', '.join((*WAYS, ALL))}"
            raise UsageError(f"--strategy {name}: no such strategy{close}")
        found.update(dict.fromkeys(SCHEDULES if name == ALL else [name]))
    return tuple(found) or (DEFAULT,)
