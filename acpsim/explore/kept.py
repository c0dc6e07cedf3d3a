"""A shrunk fault of a search as campaigns have them: saved, with the command that runs it again.

Owns: `as_fault`.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from msgspec import UNSET

from acpsim.fuzz.campaign import Fault
from acpsim.fuzz.judging import Shown
from acpsim.fuzz.keeping import keep
from acpsim.oracles.counterexample import counterexample
from acpsim.wire.edition import Edition


def as_fault(
    shown: Shown,
    *,
    number: int,
    source: str,
    target: str,
    edition: Edition,
    directory: Path | None,
) -> Fault:
    """The fault, saved in `directory` if one is given. Raises `UsageError` where that fails."""
    verdict, shrunk = shown.verdict, shown.shrunk
    path, command = None, None
    if directory is not None:
        example = counterexample(
            verdict,
            edition=edition,
            seed=shown.seed,
            minimal=shrunk.minimal,
            inversions=shrunk.inversions,
            target=target,
        )
        path = keep(directory, example, verdict=verdict, number=number)
        command = shlex.join(["acpsim", "replay", path, "--target", target])
    found = verdict.difference
    return Fault(
        oracle=verdict.oracle,
        rules=verdict.rules,
        text=verdict.text,
        session=verdict.session,
        path=None if found is None else found.path,
        expected=UNSET if found is None else found.expected,
        actual=UNSET if found is None else found.actual,
        messages=shrunk.messages,
        minimal=shrunk.minimal,
        inversions=shrunk.inversions,
        others=shrunk.others,
        events=shrunk.events,
        last_words=verdict.last_words,
        seed=shown.seed,
        case=number,
        source=source,
        disturbances=(),
        trace=path,
        replay=command,
    )
