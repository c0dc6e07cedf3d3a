"""A campaign as it goes on: faults as they are found, a bar that says how far it is."""

from __future__ import annotations

import time

from acpsim import __version__
from acpsim.cli.output import say
from acpsim.cli.progress import Progress
from acpsim.fuzz.campaign import (
    CampaignEvent,
    CampaignFinished,
    CampaignStarted,
    CaseFinished,
    FaultFound,
)
from acpsim.views import faults


class Watch:
    """Shows each event of a campaign; `quiet` shows nothing on standard output."""

    def __init__(self, *, by_case: bool, quiet: bool, bar: Progress) -> None:
        self._clock = time.monotonic
        self._start = time.monotonic()
        self._by_case = by_case
        self._quiet = quiet
        self._bar = bar
        self._cases = self._faults = 0
        self.done: CampaignFinished | None = None
        """What the campaign came to, once it is over."""

    def see(self, event: CampaignEvent) -> None:
        """Show the next event."""
        if isinstance(event, CampaignStarted) and not self._quiet:
            say([faults.started(event, __version__)])
        elif isinstance(event, CaseFinished):
            self._cases += 1
            elapsed = self._clock() - self._start
            text = f"fuzzing: {self._cases} cases, {self._faults} faults"
            self._bar(self._cases if self._by_case else elapsed, text)
        elif isinstance(event, FaultFound):
            self._faults += 1
            if not self._quiet:
                say(faults.fault(event.fault, self._faults))
        elif isinstance(event, CampaignFinished):
            self.done = event
