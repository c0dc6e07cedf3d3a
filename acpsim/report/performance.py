"""The performance report: what the README claims of speed, measured in one run.

Owns: which measurements stand in it. Times are of the machine that made it, and ratios within the
run say more than rates: a report made again elsewhere has other numbers and the same shape.
"""

from __future__ import annotations

import os
import platform
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from acpsim.explore.certificate import Certificate, explore
from acpsim.explore.named import SMALL_MAX, shipped
from acpsim.explore.sample import agrees, maker, schedules
from acpsim.fuzz.campaign import CampaignFinished
from acpsim.fuzz.campaign import Options as FuzzOptions
from acpsim.fuzz.campaign import run as fuzz
from acpsim.fuzz.scenario import Scenario
from acpsim.measure.session import Measured, Options, measure
from acpsim.measure.workload import mixed
from acpsim.report.page import Given, block, page, table
from acpsim.rules.check import Checker
from acpsim.sim.model import load_model
from acpsim.sim.run import run
from acpsim.targets.address import open_target
from acpsim.views import bench_plots, benched
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import event

FUZZ_SECONDS: Final = 10.0
PICTURES: Final = ("svg", "png")
NAME: Final = "performance"


def performance(given: Given) -> dict[str, bytes]:
    """The page and its picture, by file name."""
    edition = EDITIONS[given.edition]
    core = list(measure(Options(target="reference", edition=edition, seed=given.seed)))
    body = [*_machine(), *_core(core), *_certificates(edition, given.seed), *_rates(edition, given)]
    files = {f"{NAME}.md": page("What it costs", NAME, given, body).encode()}
    caption = f"acpsim report {NAME} --edition {given.edition} --seed {given.seed}"
    for form in PICTURES:
        files[f"{NAME}.{form}"] = bench_plots.draw(core, form=form, caption=caption)
    return files


def _machine() -> Iterator[str]:
    yield (
        f"Measured with Python {platform.python_version()} on {platform.machine()}, "
        f"{os.cpu_count()} processors. The machine was shared: compare numbers of this page with "
        "each other."
    )
    yield ""


def _core(core: list[Measured]) -> Iterator[str]:
    yield "## The reconciliation core"
    yield ""
    yield f"![latency by variant, cost over length, open loop]({NAME}.svg)"
    yield ""
    yield "The reference reducer on mixed updates (`acpsim bench`):"
    yield ""
    yield from block("\n".join(line for each in core for line in benched.lines(each)))


def _certificates(edition: Edition, seed: int) -> Iterator[str]:
    yield "## Certificates"
    yield ""
    yield "Every shipped scenario of up to 25 messages, all of its orders (`acpsim explore --all`):"
    yield ""
    rows = []
    for scenario in shipped(edition=edition, seed=seed, messages_max=SMALL_MAX):
        *_, found = explore(scenario, open_target("reference", edition=edition), edition=edition)
        assert isinstance(found, Certificate)
        orders = "" if found.orders is None else found.orders
        certified = "yes" if found.certified else "no"
        seconds = f"{found.seconds:.3f}"
        rows.append((scenario.name, found.messages, orders, found.classes, certified, seconds))
    yield from table(("scenario", "messages", "orders", "classes", "certified", "seconds"), rows)


def _rates(edition: Edition, given: Given) -> Iterator[str]:
    yield "## Rates"
    yield ""
    yield from table(
        ("what", "a second", "by"),
        [
            ("fuzz cases, the reference", _cases(edition, given.seed), "`acpsim fuzz`"),
            *_schedules(edition, given.seed),
            ("messages checked against all rules", _checked(edition), "`acpsim check`"),
            ("messages simulated and written", _simulated(edition, given.seed), "`acpsim sim`"),
        ],
    )


def _cases(edition: Edition, seed: int) -> int:
    options = FuzzOptions(edition=edition, seed=seed, seconds=FUZZ_SECONDS)
    *_, last = fuzz(options)
    assert isinstance(last, CampaignFinished)
    return round(last.cases_per_second)


def _schedules(edition: Edition, seed: int) -> Iterator[tuple[str, int, str]]:
    scenario: Scenario = max(
        shipped(edition=edition, seed=seed, messages_max=22), key=lambda one: len(one.events)
    )
    order = scenario.order
    drawn = schedules(order, maker("portfolio", order), random.Random(seed))
    target, reference = (open_target("reference", edition=edition) for _ in range(2))
    look = agrees(scenario, target, reference)
    name = f"{scenario.name}, {len(scenario.events)} messages"
    by = "`acpsim explore --schedules`"
    yield f"schedules drawn ({name})", _rate(lambda: next(drawn), each=200), by
    yield (
        f"schedules judged for agreement ({name})",
        _rate(lambda: look(next(drawn)[0]), each=50),
        by,
    )


def _rate(step: Callable[[], Any], *, each: int, rounds: int = 60) -> int:
    """Steps a second in the best of many short rounds: the least disturbed one."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(each):
            step()
        best = min(best, time.perf_counter() - start)
    return round(each / best)


def _checked(edition: Edition) -> int:
    events = [event("a2c", line, edition=edition) for line in mixed(20_000)]

    def once() -> None:
        checker = Checker(edition)
        for one in events:
            checker.feed(one)

    return len(events) * _rate(once, each=1, rounds=5)


def _simulated(edition: Edition, seed: int) -> int:
    model, written = load_model("overload"), list[bytes]()
    start = time.perf_counter()
    done = run(model, seed=seed, edition=edition, writers={"wire": written.append})
    return round(done.messages / (time.perf_counter() - start))
