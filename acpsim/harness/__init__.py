"""Ready programs that put a reducer behind `--target cmd:`, in Python and in JavaScript.

Owns: `HARNESSES` and their text. They speak the target protocol and import nothing of ours: each is
one file, to use as it is or to translate.
"""

from __future__ import annotations

from importlib import resources
from typing import Final

HARNESSES: Final[dict[str, str]] = {"python": "harness.py", "javascript": "harness.mjs"}
"""Language → its file in this package."""


def harness_text(language: str) -> str:
    """The whole program."""
    return resources.files("acpsim.harness").joinpath(HARNESSES[language]).read_text("utf-8")
