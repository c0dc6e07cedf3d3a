"""What a rule's function works with: the facts, the settings, and where it reports.

Owns: `Case` and `Answer`. A report names the rule, the line at which it was broken, and what was
seen; level, party and the rest come from the rule's row.
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET

from acpsim.rules.facts import SessionFacts
from acpsim.rules.finding import Coverage, Finding
from acpsim.rules.ledger import Ledger
from acpsim.rules.registry import RULES
from acpsim.wire import methods
from acpsim.wire.cells import ErrorObject
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Flaw, Malformed, RequestId
from acpsim.wire.pairing import Open
from acpsim.wire.trace import Observer

PARTY: Final = {"c2a": "client", "a2c": "agent"}
"""Direction → who sent it."""


class Answer:
    """A response together with the request that it answers.

    `outcome` is the typed result, the error, or `Malformed`; `flaws` is what was dropped of it.
    """

    __slots__ = ("flaws", "id", "opened", "outcome", "request")

    def __init__(
        self, opened: Open, outcome: methods.Outcome, flaws: tuple[Flaw, ...] = ()
    ) -> None:
        self.opened = opened
        self.request = opened.message
        identity = opened.message.id
        assert isinstance(identity, int | str)
        self.id: RequestId = identity
        self.outcome = outcome
        self.flaws = flaws

    @property
    def error(self) -> ErrorObject | None:
        """The error, if it is one that can be read."""
        return self.outcome if isinstance(self.outcome, ErrorObject) else None

    @property
    def code(self) -> int | None:
        """The code of the error; `None` where it has none that can be read, or is no error."""
        return None if self.error is None else self.error.code

    @property
    def failed(self) -> bool:
        """Whether it is an error, a malformed one too."""
        value = self.outcome.value if isinstance(self.outcome, Malformed) else UNSET
        return self.error is not None or (isinstance(value, dict) and "error" in value)


class Case:
    """What a rule's function works with: facts, settings, and where to report."""

    __slots__ = (
        "complete",
        "coverage",
        "edition",
        "findings",
        "ledger",
        "messages",
        "observer",
        "open",
        "quiet_s",
        "t",
    )

    def __init__(self, edition: Edition, observer: Observer, quiet_s: float | None) -> None:
        self.edition = edition
        self.observer = observer
        self.quiet_s = quiet_s
        self.complete = True
        """At `END`: whether the conversation is over."""
        self.t = 0.0
        """Time of the last event."""
        self.messages = 0
        """How many messages were fed so far."""
        self.ledger = Ledger(edition, observer)
        self.findings: list[Finding] = []
        self.open: list[Finding] = []
        self.coverage = {rule.id: Coverage() for rule in RULES.values() if rule.checkable}
        """How often each rule was exercised and breached."""

    def exercise(self, rule: str, times: int = 1) -> None:
        """The rule had an occasion to be broken, or that many."""
        self.coverage[rule].exercised += times

    def breach(
        self,
        rule: str,
        line: int,
        text: str,
        *,
        session: SessionFacts | None = None,
        related: tuple[int, ...] = (),
        party: str | None = None,
    ) -> None:
        """The trace proves that the rule was broken."""
        self.coverage[rule].breached += 1
        found = self._finding(rule, line, text, "definite", session, related, party)
        self.findings.append(found)

    def suspect(
        self,
        rule: str,
        line: int,
        text: str,
        *,
        session: SessionFacts | None = None,
        related: tuple[int, ...] = (),
        party: str | None = None,
    ) -> None:
        """The rule seems broken, but a race could explain it: say in `text` which."""
        found = self._finding(rule, line, text, "suspect", session, related, party)
        self.findings.append(found)

    def owed(
        self,
        rule: str,
        line: int,
        text: str,
        *,
        session: SessionFacts | None = None,
        related: tuple[int, ...] = (),
        party: str | None = None,
    ) -> None:
        """At the end: a promise was not kept. A breach if the conversation is over, else open."""
        if not self.complete:
            self.open.append(self._finding(rule, line, text, "definite", session, related, party))
        else:
            self.breach(rule, line, text, session=session, related=related, party=party)

    def _finding(
        self,
        rule: str,
        line: int,
        text: str,
        certainty: str,
        session: SessionFacts | None,
        related: tuple[int, ...],
        party: str | None,
    ) -> Finding:
        row = RULES[rule]
        return Finding(
            rule=rule,
            level=row.level,
            certainty=certainty,
            party=party or row.party,
            line=line,
            session=None if session is None else session.id,
            text=text,
            related=related,
        )
