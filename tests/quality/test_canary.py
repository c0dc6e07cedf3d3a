"""A fault that must be reported: if this is quiet, all silence of the fuzzer means nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from acpsim.fuzz.campaign import CampaignFinished, Options, run
from acpsim.wire.edition import EDITIONS

CANARY = "tests.helpers.canary:Canary"


@pytest.mark.parametrize("name", EDITIONS)
@pytest.mark.parametrize("seed", range(3))
def test_the_canary_is_reported(name: str, seed: int, tmp_path: Path) -> None:
    options = Options(target=CANARY, edition=EDITIONS[name], seed=seed, cases=40, faults=tmp_path)

    last = list(run(options))[-1]

    assert isinstance(last, CampaignFinished)
    assert last.faults[0].path == "$.usage.used"
    assert {str(fault.path).rpartition(".")[0] for fault in last.faults} == {"$.usage"}
    assert len(list(tmp_path.iterdir())) == len(last.faults)
