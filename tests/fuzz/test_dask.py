"""The same campaign on a cluster of Dask: two workers of this machine."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from acpsim.errors import UsageError
from acpsim.fuzz.campaign import CampaignFinished, Options, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # Its own, about ports and sockets.
]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    distributed: Any = pytest.importorskip(
        "distributed", reason="needs the package distributed: pip install 'acpsim[dask]'"
    )
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        yield cluster.scheduler_address


def told(options: Options) -> list[object]:
    events = list(run(options))
    last = events[-1]
    assert isinstance(last, CampaignFinished)
    return [*events[:-1], dataclasses.replace(last, seconds=0.0)]


def test_a_cluster_tells_what_one_process_tells(address: str) -> None:
    options = Options(target="mutant:null-as-omitted", cases=60)

    assert told(dataclasses.replace(options, dask=address)) == told(options)


def test_one_campaign_after_the_other_is_served(address: str) -> None:
    for target in ("reference", "tests.helpers.canary:Canary"):
        options = Options(target=target, cases=20)

        assert told(dataclasses.replace(options, dask=address)) == told(options)


def test_without_the_package_it_is_said_how_to_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)

    with pytest.raises(UsageError, match=r"not installed; pip install 'acpsim\[dask\]'"):
        list(run(Options(dask="127.0.0.1:1", cases=1)))


def test_an_address_that_is_none_is_wrong_usage() -> None:
    pytest.importorskip("distributed", reason="needs the package distributed")

    with pytest.raises(UsageError, match="no scheduler answers"):
        list(run(Options(dask="nowhere", cases=1)))
