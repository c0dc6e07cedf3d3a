"""How fast a persistent program is fed: it must not be what a campaign waits for."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest

from acpsim.targets.stdio import StdioTarget
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation
from tests.targets.mutant_cases import PLAIN

CASES_A_MINUTE = 3_000


@pytest.mark.bench
def test_cases_a_minute_of_a_persistent_program() -> None:
    program = [sys.executable, "-I", "-S", str(Path(__file__).with_name("child.py")), "good"]
    events = conversation(PLAIN)
    cases = 2_000
    with StdioTarget(shlex.join(program), edition=DRAFT) as target:
        target.start()
        begun = time.perf_counter()
        for _ in range(cases):
            target.reset()
            target.apply(events)
            target.snapshot("s1")
        rate = cases / (time.perf_counter() - begun) * 60
    sys.stdout.write(f"\n{rate:,.0f} cases of {len(events)} messages a minute\n")

    assert rate > CASES_A_MINUTE
