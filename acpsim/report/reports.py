"""The reports by name.

Owns: `REPORTS`: what makes each, and the files that come of it. `SMALL` are those whose pages are
the same wherever they are made, and quickly made: a test makes them again and compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from acpsim.report.ambiguities import ambiguities
from acpsim.report.caught import caught
from acpsim.report.matrix import matrix
from acpsim.report.page import Given
from acpsim.report.performance import performance
from acpsim.report.rulebook import rulebook

REPORTS: Final[dict[str, Callable[[Given], dict[str, bytes]]]] = {
    "rules": lambda given: {"rules.md": rulebook(given).encode()},
    "coverage": lambda given: {"coverage.md": matrix(given).encode()},
    "ambiguities": lambda given: {"ambiguities.md": ambiguities(given).encode()},
    "fault": caught,
    "performance": performance,
}
"""Report → what makes its files, by name."""

SMALL: Final = ("rules", "coverage", "ambiguities", "fault")
