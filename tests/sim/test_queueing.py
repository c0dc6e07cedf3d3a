"""Little's law on every queue of every run; M/M/1 and M/D/1 against theory; a client that waits."""

from __future__ import annotations

import numpy as np
import pytest
import simpy

from acpsim.sim.experiment import measure_once
from acpsim.sim.figures import QUEUES
from acpsim.sim.model import Model, load_model, override, parse_model, shipped_models
from acpsim.sim.queueing import Reconciler, Server, Watched, waiting_md1, waiting_mm1
from acpsim.sim.run import run
from acpsim.sim.statistics import Interval, batch_means, warm_up
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT, EDITIONS, Edition
from tests.sim.runs import checked, traces
from tests.sim.test_conformance import small

RUNS = 100
COVERED_MIN = 93
"""Of a hundred 95 % intervals; at their nominal coverage 93 or more hold the truth most times."""

SERVICE = '{ kind = "exponential", mean_s = 0.02 }'


def with_queue(name: str) -> Model:
    """A shipped model whose client takes a while for each update."""
    model = small(name)
    if model.reconcile.service is not None:
        return model
    spec = {"kind": "exponential", "mean_s": 0.02}
    return override(model, "reconcile.service", spec)


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
@pytest.mark.parametrize("name", shipped_models())
def test_littles_law_holds_on_every_queue_of_every_run(name: str, edition: Edition) -> None:
    """The number inside is integrated step by step, the stays are the customers' own."""
    for seed in range(3):
        laws = measure_once(with_queue(name), seed=seed, edition=edition).laws

        assert laws.keys() == QUEUES.keys()
        assert all(law.number > 0 for law in laws.values())
        for queue, law in laws.items():
            assert law.number == pytest.approx(law.expected, rel=1e-6), queue


@pytest.mark.parametrize("acts", [True, False])
def test_littles_law_holds_where_a_run_is_cut_off(acts: bool) -> None:
    model = override(with_queue("cancel-race"), "duration_s", 2.5)
    model = override(override(model, "reconcile.acts", acts), "reconcile.service.mean_s", 0.2)

    laws = measure_once(model, seed=1, edition=DRAFT).laws

    assert all(law.number == pytest.approx(law.expected, rel=1e-6) for law in laws.values())


def test_a_customer_that_is_still_inside_counts_until_now() -> None:
    queue = Watched()
    queue.enter(1.0)
    queue.enter(2.0)
    queue.leave(4.0, 3.0)

    law = queue.law(10.0)

    assert law.number == pytest.approx((3.0 + 8.0) / 10.0)
    assert law.expected == pytest.approx(law.number)


CHUNKS = 6000
POISSON = f"""
[client]
prompts = 1
[agent]
steps = [1, 1]
whole_messages = 0.0
chunks = [{CHUNKS}, {CHUNKS}]
chunk_bytes = 1
chunk_gap = {{ kind = "exponential", mean_s = 1.0 }}
[reconcile]
acts = false
"""
"""One message whose chunks arrive as a Poisson process, one a second."""


def waits(kind: str, *, seed: int) -> Interval:
    """The mean wait at load one half and its interval, from one simulated conversation."""
    spec = {"kind": kind, "mean_s" if kind == "exponential" else "value_s": 0.5}
    model = override(parse_model(POISSON, where="poisson"), "reconcile.service", spec)
    return measure_once(model, seed=seed, edition=DRAFT).single["update_wait_s"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "theory"),
    [("exponential", waiting_mm1(1.0, 0.5)), ("constant", waiting_md1(1.0, 0.5))],
    ids=["M/M/1", "M/D/1"],
)
def test_the_clients_queue_waits_as_theory_says(kind: str, theory: float) -> None:
    """Each interval from one replication alone, its warm-up cut off by MSER-5."""
    covered = sum(waits(kind, seed=seed).covers(theory) for seed in range(RUNS))

    assert covered >= COVERED_MIN


@pytest.mark.slow
def test_a_link_of_finite_bandwidth_is_a_queue_too() -> None:
    """M/D/1 once more: messages of one size that take half a second to send."""
    model = parse_model(POISSON, where="poisson")
    lines: list[bytes] = []
    run(model, seed=0, edition=DRAFT, writers={"client": lines.append})
    chunk = next(line for line in lines if b"agent_message_chunk" in line)
    size = len(chunk[chunk.index(b'"msg":') + 6 : chunk.index(b',"sent"')])
    slow = override(model, "link.a2c.bandwidth_Bps", size / 0.5)
    covered = 0
    for seed in range(20):
        transit = np.asarray(measure_a2c(slow, seed=seed))
        interval = batch_means(transit[warm_up(transit) :])
        covered += interval.covers(waiting_md1(1.0, 0.5) + 0.5 + 0.001)

    assert covered >= 18


def measure_a2c(model: Model, *, seed: int) -> list[float]:
    """How long each chunk was on its way."""
    from tests.sim.runs import read

    events = read(traces(model, seed=seed, edition=DRAFT)["client"]).events
    return [
        event.recv - event.sent
        for event in events
        if event.dir == "a2c" and event.recv is not None and event.sent is not None
    ][20:]


def update(number: int) -> JsonObject:
    return {"method": "session/update", "params": {"number": number}}


def test_a_client_that_acts_hears_of_a_message_when_it_is_reconciled_and_in_order() -> None:
    env = simpy.Environment()
    heard: list[tuple[float, JsonObject]] = []
    reconciler = Reconciler(
        env, Server(lambda: 1.0), lambda message: heard.append((env.now, message)), acts=True
    )
    answer: JsonObject = {"id": 1, "result": {}}

    for message in (update(1), update(2), answer):
        reconciler.receive(message)
    env.run()

    assert heard == [(1.0, update(1)), (2.0, update(2)), (2.0, answer)]


def test_what_nobody_has_looked_at_is_lost_with_its_connection() -> None:
    env = simpy.Environment()
    heard: list[JsonObject] = []
    server = Server(lambda: 1.0)
    reconciler = Reconciler(env, server, heard.append, acts=True)

    reconciler.receive(update(1))
    reconciler.receive(update(2))
    env.run(until=1.5)
    reconciler.drop()
    reconciler.receive(update(3))
    env.run()

    assert heard == [update(1), update(3)]
    assert list(server.sojourns_s) == [1.0, 1.0]
    assert server.utilisation() == pytest.approx(1.0)
    assert server.law().number == pytest.approx(server.law().expected)


def test_a_slow_client_answers_its_permissions_late() -> None:
    model = override(load_model("tiny-permission"), "client.cancel", 0.0)
    slow = override(model, "reconcile.service", {"kind": "constant", "value_s": 0.3})

    quick, late = (run(one, seed=0, edition=DRAFT).sim_time_s for one in (model, slow))

    assert late > quick + 0.3


@pytest.mark.parametrize("edition", EDITIONS.values(), ids=list(EDITIONS))
@pytest.mark.parametrize("name", shipped_models())
def test_a_client_that_acts_late_keeps_the_rules(name: str, edition: Edition) -> None:
    definite = [
        (seed, observer, finding)
        for seed in range(2)
        for observer, data in traces(with_queue(name), seed=seed, edition=edition).items()
        for finding in checked(data).findings
        if finding.certainty == "definite"
    ]
    assert definite == []
