"""What a check says: findings, open promises, coverage.

Owns: the values that leave `check`. A *breach* is definite, a *suspicion* is suspect; both are
findings. A promise that an unfinished conversation has not kept yet is neither.
"""

from __future__ import annotations

from msgspec import Struct


class Finding(Struct, frozen=True, kw_only=True):
    """One remark of a rule on a trace. `line` and `related` are trace lines, from 1."""

    rule: str
    level: str
    """`must`, `should` or `may`."""
    certainty: str
    """`definite` or `suspect`."""
    party: str
    """Who broke it: `agent` or `client`."""
    line: int
    session: str | None
    text: str
    related: tuple[int, ...] = ()


class Coverage(Struct, kw_only=True):
    """How often a rule had an occasion to be broken, and how often it was (suspicions apart)."""

    exercised: int = 0
    breached: int = 0


class Report(Struct, frozen=True, kw_only=True):
    """Everything that a check found. Findings stand in the order of their lines."""

    findings: list[Finding]
    open: list[Finding]
    """Promises not yet kept where the conversation was not over."""
    coverage: dict[str, Coverage]
    """For every rule that a trace can show, zero or not."""
    messages: int
    not_in_traces: tuple[str, ...] = ()
    """The rules that no trace can show, and that this check therefore says nothing about."""
