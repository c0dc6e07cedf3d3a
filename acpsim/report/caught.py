"""A fault as it is caught, for the README: one mutant, fuzzed, the first fault drawn."""

from __future__ import annotations

from typing import Final

from acpsim.fuzz.campaign import CampaignFinished, Options, run
from acpsim.report.page import Given, block, page
from acpsim.views import fault_plot, faults
from acpsim.wire.edition import EDITIONS

MUTANT: Final = "echo-doubled"
CASES: Final = 40
NAME: Final = "fault"


def caught(given: Given) -> dict[str, bytes]:
    """The page and the picture, by file name."""
    target = f"mutant:{MUTANT}"
    options = Options(target=target, edition=EDITIONS[given.edition], seed=given.seed, cases=CASES)
    *_, done = run(options)
    assert isinstance(done, CampaignFinished)
    fault = done.faults[0]
    caption = f"acpsim report {NAME} --edition {given.edition} --seed {given.seed}"
    body = [
        f"What `acpsim fuzz --target {target} --cases {CASES} --seed {given.seed}` finds first: a",
        "reducer that takes a prompt's response for a message shows it twice.",
        "",
        f"![the messages, and what differs]({NAME}.svg)",
        "",
        *block("\n".join(str(line) for line in faults.fault(fault, 1))),
    ]
    return {
        f"{NAME}.md": page("A fault, caught", NAME, given, body).encode(),
        f"{NAME}.svg": fault_plot.draw(fault, form="svg", caption=caption),
        f"{NAME}.png": fault_plot.draw(fault, form="png", caption=caption),
    }
