"""The rule book: every rule with its text, a conversation that keeps it, one that breaks it."""

from __future__ import annotations

from collections.abc import Iterator

from acpsim.report.page import Given, block, page
from acpsim.rules.check import check
from acpsim.rules.examples import Example, examples
from acpsim.rules.registry import RULES, Rule
from acpsim.targets.mutants import MUTANTS
from acpsim.wire.edition import DRAFT

PARTIES = {"agent": "the agent", "client": "the client", "both": "both parties"}


def rulebook(given: Given) -> str:
    """The whole book, rules in the order of the table."""
    return page("The rules, one by one", "rules", given, _body())


def _body() -> Iterator[str]:
    checkable = sum(rule.checkable for rule in RULES.values())
    yield (
        f"{len(RULES)} rules; {checkable} of them can be decided by a recorded conversation, and "
        "`acpsim check` does. The others say what a client makes of what it receives; "
        "`acpsim fuzz` tests those."
    )
    yield ""
    yield (
        "Conversations are in shorthand, one message a line: `>` from the client, `<` from the "
        "agent, `setup` for the four messages that open a session. A finding names the line."
    )
    yield ""
    keeps, breaks = examples("keeps"), examples("breaks")
    for rule in RULES.values():
        yield from _rule(rule, keeps.get(rule.id), breaks.get(rule.id))


def _rule(rule: Rule, keeps: Example | None, breaks: Example | None) -> Iterator[str]:
    yield f"## {rule.id}"
    yield ""
    yield rule.text
    yield ""
    party = PARTIES.get(rule.party, rule.party)
    yield f"- binds {party} ({rule.level}); heading: {rule.section}"
    if rule.checkable:
        yield f"- a breach that shows is {rule.certainty}"
    else:
        named = sorted(name for name, mutant in MUTANTS.items() if rule.id in mutant.breaks)
        yield f"- seen in a client's state; seeded faults that break it: {_named(named)}"
    if rule.races:
        yield f"- what else could explain it: {rule.races}"
    yield ""
    if keeps is not None:
        yield f"Kept{_read(keeps)}:"
        yield ""
        yield from block(keeps.text)
    if breaks is not None:
        yield f"Broken{_read(breaks)}:"
        yield ""
        yield from block(breaks.text)
        for finding in _findings(rule.id, breaks):
            yield f"> {finding}"
        yield ""


def _read(example: Example) -> str:
    return "" if example.edition is DRAFT else f" (edition {example.edition.name})"


def _named(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) if names else "none"


def _findings(rule: str, example: Example) -> Iterator[str]:
    report = check(example.events(), edition=example.edition, complete=True)
    for found in report.findings:
        if found.rule == rule:
            perhaps = "perhaps " if found.certainty == "suspect" else ""
            yield f"line {found.line}: {perhaps}{found.text}"
            return
