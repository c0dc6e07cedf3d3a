"""The reference with one seeded fault each: the measure of a fuzzer.

What it is: `MUTANTS`, by name. What comes in: the reference's tables. What goes out: targets. Every
mutant is a mistake that people make; names are stable for ever and speak. What it must not know:
how it is caught.
"""

from __future__ import annotations

from typing import Final

from acpsim.targets.mutants.aliasing import OF_ALIASING
from acpsim.targets.mutants.connection import OF_CONNECTION
from acpsim.targets.mutants.feeding import OF_FEEDING
from acpsim.targets.mutants.foreground import OF_FOREGROUND
from acpsim.targets.mutants.habits import OF_HABITS
from acpsim.targets.mutants.identity import OF_IDENTITY
from acpsim.targets.mutants.mutant import Mutant
from acpsim.targets.mutants.patches import OF_PATCHES
from acpsim.targets.mutants.prompts import OF_PROMPTS
from acpsim.targets.mutants.rare import OF_RARE
from acpsim.targets.mutants.session import OF_SESSION
from acpsim.targets.mutants.terminals import OF_TERMINALS
from acpsim.targets.mutants.tools import OF_TOOLS

_ALL: Final = (
    *OF_PROMPTS,
    *OF_FOREGROUND,
    *OF_IDENTITY,
    *OF_PATCHES,
    *OF_TOOLS,
    *OF_TERMINALS,
    *OF_SESSION,
    *OF_CONNECTION,
    *OF_FEEDING,
    *OF_ALIASING,
    *OF_RARE,
    *OF_HABITS,
)
MUTANTS: Final[dict[str, Mutant]] = {mutant.name: mutant for mutant in _ALL}
"""Every mutant by its name, theme by theme."""

assert len(MUTANTS) == len(_ALL), "two mutants have one name"

__all__ = ["MUTANTS", "Mutant"]
