"""What a campaign has exercised: rules, orders, laws, kinds of message.

Owns: `Tally`, and `Exercise`, which is what one case adds to it: small, so that it can be worked
out by whoever judges the case and counted by someone else. Green has to mean that something
happened, so that what never happened is said too.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter

from acpsim.fuzz.cases import Case
from acpsim.fuzz.occasions import occasions
from acpsim.fuzz.scenario import in_sequence
from acpsim.rules.check import check
from acpsim.rules.registry import RULES
from acpsim.wire.edition import Edition


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Exercise:
    """What is counted of one case. `rules` could have been broken in it, `breaches` were, on
    purpose. `order` tells its conversation from others.
    """

    number: int
    drawn: bool
    source: str
    known: bool
    messages: int
    order: bytes
    rules: tuple[str, ...]
    breaches: tuple[str, ...]
    disturbances: tuple[str, ...]


def exercise(case: Case, edition: Edition) -> Exercise:
    """What a case exercises. Rules are judged as nothing: who breaks them is the generator."""
    report = check(in_sequence(case.events), edition=edition, complete=case.settled)
    could = {rule for rule, count in report.coverage.items() if count.exercised}
    told = b"\n".join(event.raw for event in case.events)
    return Exercise(
        number=case.number,
        drawn=case.drawn,
        source=case.source,
        known=case.known is not None,
        messages=len(case.events),
        order=hashlib.blake2b(told, digest_size=8).digest(),
        rules=tuple(sorted(could.union(occasions(case.events, edition)))),
        breaches=tuple(rule for rule, count in report.coverage.items() if count.breached),
        disturbances=case.disturbances,
    )


class Tally:
    """Grows case by case."""

    def __init__(self) -> None:
        self._orders: set[bytes] = set()
        self.cases = 0
        self.messages = 0
        self.rules: Counter[str] = Counter()
        """Rule → cases in which it could have been broken."""
        self.breaches: Counter[str] = Counter()
        """Rule → cases in which it was broken, on purpose."""
        self.sources: Counter[str] = Counter()
        """`field`, `recorded`, `generated`, `corpus` → cases."""
        self.disturbances: Counter[str] = Counter()

    def take(self, done: Exercise) -> None:
        """Counts one case."""
        self.cases += 1
        self.messages += done.messages
        self.sources[kind_of(done.source)] += 1
        self.disturbances.update(done.disturbances)
        self._orders.add(done.order)
        self.rules.update(done.rules)
        self.breaches.update(done.breaches)

    @property
    def orders(self) -> int:
        """Distinct conversations: distinct orders of the same messages, and distinct messages."""
        return len(self._orders)

    def exercised(self) -> dict[str, int]:
        """Every rule, in the order of the rules, with the number of cases; 0 for never."""
        return {rule: self.rules[rule] for rule in RULES}

    def breached(self) -> dict[str, int]:
        """The same for the cases in which the conversation itself broke the rule."""
        return {rule: self.breaches[rule] for rule in RULES}

    def never(self) -> list[str]:
        """The rules that no case could have broken."""
        return [rule for rule, count in self.exercised().items() if count == 0]


def kind_of(source: str) -> str:
    """`generated/17` is of the kind `generated`."""
    return source.partition("/")[0]
