"""What a campaign has exercised: rules, orders, laws, kinds of message.

Owns: `Tally`. Green has to mean that something happened, so that what never happened is said too.
"""

from __future__ import annotations

import hashlib
from collections import Counter

from acpsim.fuzz.cases import Case
from acpsim.fuzz.occasions import occasions
from acpsim.fuzz.scenario import in_sequence
from acpsim.rules.check import check
from acpsim.rules.registry import RULES
from acpsim.wire.edition import Edition


class Tally:
    """Grows case by case."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
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

    def take(self, case: Case) -> None:
        """Counts one case. Rules are judged as nothing: who breaks them here is the generator."""
        self.cases += 1
        self.messages += len(case.events)
        self.sources[case.source.partition("/")[0]] += 1
        self.disturbances.update(case.disturbances)
        told = b"\n".join(event.raw for event in case.events)
        self._orders.add(hashlib.blake2b(told, digest_size=8).digest())
        report = check(in_sequence(case.events), edition=self._edition, complete=case.settled)
        self.rules.update(rule for rule, count in report.coverage.items() if count.exercised)
        self.breaches.update(rule for rule, count in report.coverage.items() if count.breached)
        self.rules.update(occasions(case.events, self._edition))

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
