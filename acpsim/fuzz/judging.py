"""Every oracle on one case, and from a first objection to a fault that can be shown.

Owns: `Judge`. Agreement with the reference is asked first, always: after the whole conversation; at
some places on the way, since much of what goes wrong heals with the next report; and after a cancel
at such a place, which shows what no snapshot does: which tool calls a client takes for a part
of the work. Where the target agrees, some of the laws have their turn. A target that does not agree
is not asked for laws in the same case: they would only say the same again. The reference is judged
like any other target, held against another instance of itself.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Hashable, Sequence
from typing import Final

from acpsim.fuzz.cases import Case
from acpsim.fuzz.scenario import Events
from acpsim.fuzz.shrink import RUNS_MAX, Shrunk, shrink
from acpsim.oracles.again import judge_again
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.laws import LAWS, judge_law
from acpsim.oracles.talk import Named, footprints, named
from acpsim.oracles.verdict import Verdict
from acpsim.schedule.streams import Streams
from acpsim.targets.address import open_target
from acpsim.targets.target import DirectTarget, Target
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event, event

LAWS_PER_CASE: Final = 2
"""Laws that have their turn in one case: each costs about twice what agreement does. A program
pays a round trip for each look, and has one law a case.
"""
OCCASIONS_MAX: Final = 4
"""Places of one case at which a law is tried."""
LOOKS: Final = 4
"""Places on the way at which the two are compared."""
LOOKS_MAX: Final = 64
"""The same for cases that are taken as they are: everywhere, unless they are very long."""
PROBES: Final = 1
"""Places on the way at which a cancel is tried."""
PROBES_MAX: Final = 8
"""The same for cases that are taken as they are."""
HUNG_RUNS_MAX: Final = 6
"""Runs spent on shrinking a target that hangs: each one that still fails takes the time limit."""

_NAMES: Final = tuple(LAWS)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """What an oracle said of a case, with the seed of the law's chance."""

    verdict: Verdict
    seed: int


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A shrunk fault: the verdict on the shrunk conversation and what is known of its size."""

    verdict: Verdict
    seed: int
    shrunk: Shrunk


class Judge:
    """All oracles for one target."""

    def __init__(self, target: Target, edition: Edition, seed: int | str) -> None:
        self.target = target
        self.edition = edition
        self._reference = open_target("reference", edition=edition)
        self._streams = Streams(seed)
        self._laws_per_case = LAWS_PER_CASE if isinstance(target, DirectTarget) else 1

    def judge(self, case: Case) -> Objection | None:
        """The first objection to what the target makes of a case."""
        if case.known is not None:
            verdict = self.again(case.known.oracle, case.events, case.known.seed)
            if verdict is not None:
                return Objection(verdict=verdict, seed=case.known.seed)
        sessions = named(case.events)
        verdict = (
            self._agreement(case.events, sessions=sessions)
            or self._on_the_way(case, sessions)
            or self._probed(case, sessions)
        )
        if verdict is not None:
            return Objection(verdict=verdict, seed=0)
        for name in laws_of(case.number, self._laws_per_case):
            seed = self._streams.seed(f"law {name} of case {case.number}") % 2**32
            verdict = judge_law(
                name,
                case.events,
                self.target,
                edition=self.edition,
                chance=random.Random(seed),
                occasions_max=OCCASIONS_MAX,
            )
            if verdict is not None:
                return self._led_back(Objection(verdict=verdict, seed=seed))
        return None

    def _led_back(self, objection: Objection) -> Objection:
        """A law says that of two conversations the target gets one wrong. Where the reference says
        which, that is the fault to show; where it does not, the law's word stands.
        """
        for events in (objection.verdict.events, objection.verdict.variant):
            verdict = self._agreement(events) if events else None
            if verdict is not None:
                return Objection(verdict=verdict, seed=0)
        return objection

    def _agreement(self, events: Events, *, sessions: Named | None = None) -> Verdict | None:
        return judge_agreement(events, self.target, reference=self._reference, sessions=sessions)

    def _on_the_way(self, case: Case, sessions: Named) -> Verdict | None:
        """The verdict on the first prefix looked at after which the target does not agree."""
        events = case.events
        places = list(range(1, len(events)))
        looks = LOOKS if case.drawn else LOOKS_MAX
        if len(places) > looks:
            places = self._streams[f"looks of case {case.number}"].sample(places, k=looks)
        found = judge_agreement(
            events,
            self.target,
            reference=self._reference,
            sessions=sessions,
            cuts=sorted(places),
            locate=False,
        )
        if found is None:
            return None
        return self._agreement(found.events) or self._batched(found.events)

    def _probed(self, case: Case, sessions: Named) -> Verdict | None:
        """The verdict on a prefix after which every session with tool calls is cancelled."""
        events = case.events
        tools = [
            (at + 1, own.session)
            for at, own in enumerate(footprints(events))
            if own is not None and own.key[0] == "tool_call"
        ]
        if not tools:
            return None
        chance = self._streams[f"probes of case {case.number}"]
        for _ in range(PROBES if case.drawn else PROBES_MAX):
            place = chance.randint(tools[0][0], len(events))
            working = dict.fromkeys(session for at, session in tools if at <= place)
            cancels = (self._cancel(session) for session in working)
            verdict = self._agreement((*events[:place], *cancels), sessions=sessions)
            if verdict is not None:
                return verdict
        return None

    def _cancel(self, session: str) -> Event:
        params = {"sessionId": session}
        message = {"jsonrpc": "2.0", "method": "session/cancel", "params": params}
        return event("c2a", message, edition=self.edition)

    def _batched(self, events: Events) -> Verdict | None:
        """What is wrong in pieces and right as a whole is wrong about batches."""
        return judge_law(
            "batch", events, self.target, edition=self.edition, chance=random.Random(0)
        )

    def shrink(self, objection: Objection) -> Shown:
        """The smallest conversation to which the same oracle objects in the same way.

        A law is tried on all its occasions from here on: which few were tried at first is an
        accident. Where that makes it object elsewhere, what it objects to first is shrunk.
        """
        oracle = objection.verdict.oracle
        events = objection.verdict.events
        hung = oracle == "crash:hung"

        def fails(told: Sequence[Event]) -> Hashable | None:
            verdict = self.again(oracle, tuple(told), objection.seed)
            return None if verdict is None else verdict.key

        runs_max = HUNG_RUNS_MAX if hung else RUNS_MAX
        try:
            shrunk = shrink(events, fails, edition=self.edition, runs_max=runs_max)
        except ValueError:
            shrunk = _as_found(objection, events)
        verdict = self.again(oracle, shrunk.events, objection.seed)
        return Shown(verdict=verdict or objection.verdict, seed=objection.seed, shrunk=shrunk)

    def again(self, oracle: str, events: Events, seed: int) -> Verdict | None:
        """The verdict of the oracle of this name, on all its occasions."""
        return judge_again(
            oracle,
            events,
            self.target,
            reference=self._reference,
            edition=self.edition,
            seed=seed,
        )

    def close(self) -> None:
        """Ends the reference; the target is its opener's."""
        self._reference.close()


def laws_of(number: int, per_case: int = LAWS_PER_CASE) -> tuple[str, ...]:
    """The laws whose turn it is in the case of this number."""
    first = number * per_case
    return tuple(_NAMES[(first + at) % len(_NAMES)] for at in range(per_case))


def _as_found(objection: Objection, events: Events) -> Shrunk:
    """A fault that does not show again when asked alone is shown as it was found."""
    return Shrunk(events=events, key=objection.verdict.key, runs=1, minimal=False, inversions=())
