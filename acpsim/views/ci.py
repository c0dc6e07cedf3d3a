"""What `check`, `fuzz` and `replay` found, as results for CI systems.

Owns: which tests there are and what they are called. `check`: each rule on each trace in which
something could have broken it. `fuzz`: each rule that binds a client's state, and each oracle that
objects without naming one. What nothing could have broken is skipped, and says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from acpsim import __version__
from acpsim.rules.finding import Coverage, Finding, Report
from acpsim.rules.registry import NOT_IN_TRACES, RULES
from acpsim.views import document
from acpsim.views.junit import NO_TIME, junit
from acpsim.views.outcome import LEVELS, CheckResult, Level, RuleHelp, Spot
from acpsim.views.sarif import sarif
from acpsim.wire.trace import Diagnostic

if TYPE_CHECKING:
    # Checking traces does not wait for the fuzzer's libraries.
    from acpsim.fuzz.campaign import CampaignFinished, Fault
    from acpsim.oracles.verdict import Verdict

NOT_TESTED: Final = "not tested"
"""The group of what nothing could have broken."""


@dataclasses.dataclass(frozen=False, slots=True, kw_only=True)
class Told:
    """What was tested so far; grows as a command goes on, and is written at its end.

    `notes` are about reading, and about no test.
    """

    results: list[CheckResult] = dataclasses.field(default_factory=list)
    notes: list[Spot] = dataclasses.field(default_factory=list)

    def check(
        self, path: str, report: Report, diagnostics: Iterable[Diagnostic], *, strict: bool
    ) -> None:
        """Add what `check` says of one trace. With `strict`, a breach of a should fails too."""
        self.results += checked(path, report, strict=strict)
        self.notes += [
            Spot(text=found.text, level="note", file=path, line=found.line) for found in diagnostics
        ]

    def skip(self, table: dict[str, Coverage], chosen: Collection[str]) -> None:
        """Add the rules that no trace exercised."""
        tested = {result.name for result in self.results}
        self.results += [test for test in unexercised(table, chosen) if test.name not in tested]

    def text(self, form: str, *, at: str = NO_TIME) -> str:
        """The document: `junit` or `sarif`. `at` is when it ran."""
        if form == "junit":
            return junit(self.results, notes=self.notes, at=at)
        rules = {result.name: help_of(result.name) for result in self.results}
        made = sarif(self.results, rules, version=__version__, notes=self.notes)
        return document.text_of(made)


def help_of(name: str) -> RuleHelp:
    """What is told of a rule, a law, or another oracle."""
    rule = RULES.get(name)
    if rule is not None:
        return RuleHelp(text=rule.text, section=rule.section, level=LEVELS[rule.level])
    from acpsim.oracles.laws import LAWS
    from acpsim.targets.target import FAILURE_KINDS

    kind, _, which = name.partition(":")
    if kind == "law" and which in LAWS:
        return RuleHelp(text=f"A law of any client: {LAWS[which].text}.")
    if kind == "crash":
        words = {str(failure): text for failure, text in FAILURE_KINDS.items()}
        return RuleHelp(text=f"A target answers: {words.get(which, which)}.")
    if name == "reset":
        return RuleHelp(
            text="A reset leaves nothing behind: a conversation told again is the same."
        )
    if name == "agreement":
        return RuleHelp(text="The target holds what the reference holds.")
    return RuleHelp(text=name)


def checked(path: str, report: Report, *, strict: bool) -> list[CheckResult]:
    """The rules that one trace exercised."""
    said: dict[str, list[Spot]] = {}
    failing: set[str] = set()
    for finding in report.findings:
        said.setdefault(finding.rule, []).append(_spot(path, finding))
        grave = finding.level == "must" or (strict and finding.level == "should")
        if grave and finding.certainty == "definite":
            failing.add(finding.rule)
    for promise in report.open:
        spot = Spot(text=f"open: {promise.text}", level="note", file=path, line=promise.line)
        said.setdefault(promise.rule, []).append(spot)
    return [
        CheckResult(
            name=rule,
            group=path,
            outcome="failed" if rule in failing else "passed",
            file=path,
            spots=tuple(said.get(rule, ())),
        )
        for rule, coverage in report.coverage.items()
        if coverage.exercised or rule in said
    ]


def _spot(path: str, finding: Finding) -> Spot:
    level: Level = LEVELS[finding.level] if finding.certainty == "definite" else "note"
    return Spot(text=finding.text, level=level, file=path, line=finding.line)


def unexercised(table: dict[str, Coverage], chosen: Collection[str]) -> Iterator[CheckResult]:
    """The rules that no trace exercised, skipped; of a choice of rules only those."""
    for rule in RULES:
        if (chosen and rule not in chosen) or (rule in table and table[rule].exercised):
            continue
        why = "nothing in these traces could have broken it"
        if rule in NOT_IN_TRACES:
            why = "no trace can show whether it is kept"
        yield CheckResult(name=rule, group=NOT_TESTED, outcome="skipped", text=why)


def fuzzed(event: CampaignFinished) -> list[CheckResult]:
    """What a campaign tested. A fault stands under the first rule that it names, or under its
    oracle; the others that it names are not known to be kept.
    """
    faults: dict[str, list[Fault]] = {}
    beside: dict[str, str] = {}
    for fault in event.faults:
        first = fault.rules[0] if fault.rules else fault.oracle
        faults.setdefault(first, []).append(fault)
        beside |= dict.fromkeys(fault.rules[1:], first)
    named = {*faults, *beside}
    own = [rule for rule in RULES if RULES[rule].check == "reducer" or rule in named]
    return [
        _fuzzed(name, faults.get(name, []), beside.get(name), event)
        for name in dict.fromkeys([*own, "agreement", *faults])
    ]


def _fuzzed(
    name: str, faults: list[Fault], beside: str | None, event: CampaignFinished
) -> CheckResult:
    if faults:
        spots = tuple(map(_fault, faults))
        return CheckResult(
            name=name, group=event.target, outcome="failed", text=faults[0].text, spots=spots
        )
    why = "no conversation of this run could have broken it"
    if beside is not None:
        why = f"a fault that stands under {beside} may break it too"
    elif event.cases and (name == "agreement" or event.exercised.get(name, 0)):
        return CheckResult(name=name, group=event.target, outcome="passed")
    return CheckResult(name=name, group=event.target, outcome="skipped", text=why)


def _fault(fault: Fault) -> Spot:
    """At the last message of its trace, whose first line is the header."""
    text = fault.text if fault.replay is None else f"{fault.text}\n{fault.replay}"
    if fault.trace is None:
        return Spot(text=text)
    return Spot(text=text, file=fault.trace, line=len(fault.events) + 1)


def replayed(file: str, rules: tuple[str, ...], value: Verdict | None) -> CheckResult:
    """One counterexample or vector; called after the rule or the oracle that it is about."""
    named = rules if value is None else value.rules
    name = named[0] if named else ("agreement" if value is None else value.oracle)
    if value is None:
        return CheckResult(name=name, group=file, outcome="passed", file=file)
    line = 1 if value.after is None else value.after + 2
    return CheckResult(
        name=name, group=file, outcome="failed", text=value.text, file=file, line=line
    )
