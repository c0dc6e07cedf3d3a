"""What the reconciliation core has to reach, in one run: `pytest -m bench -s tests/bench`.

Asked: mixed updates from bytes at no less than 0.55 of bare typed decoding; an exponent of cost
over length of at most 1.02; a 99th percentile under ten times the median.
"""

from __future__ import annotations

import pytest

from acpsim.measure.core import growth, latency
from acpsim.measure.subject import decoders, subject
from acpsim.measure.versus import versus
from acpsim.measure.workload import workload
from acpsim.wire.edition import DRAFT

pytestmark = pytest.mark.bench


def test_the_core_keeps_up_with_typed_decoding() -> None:
    reference = subject("reference", edition=DRAFT)
    work = workload("mixed", edition=DRAFT, seed=0)
    for decoder in decoders():
        found = versus(reference, decoder, work, rounds=15)
        print(
            f"\n{found.ratio:.2f} times the rate of {decoder.name} "
            f"({found.low:.2f} to {found.high:.2f})"
        )
    assert found.ratio >= 0.55


@pytest.mark.parametrize("kind", ["chunks", "messages"])
def test_a_conversation_costs_what_its_length_is(kind: str) -> None:
    found = growth(subject("reference", edition=DRAFT), kind=kind)

    print(f"\n{kind}: exponent {found.exponent.mean:.3f} ± {found.exponent.half_width:.3f}")
    assert found.complete
    assert found.exponent.mean <= 1.02


def test_no_update_takes_ten_times_the_usual() -> None:
    work = workload("mixed", edition=DRAFT, seed=0)
    found = latency(subject("reference", edition=DRAFT), work)["all"].percentiles_s

    print(f"\np50 {found[50.0] * 1e6:.2f} µs, p99 {found[99.0] * 1e6:.2f} µs")
    assert found[99.0] < 10 * found[50.0]
