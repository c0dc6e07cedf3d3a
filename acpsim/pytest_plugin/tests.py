"""What the tests of a suite do, without pytest: each comes to an outcome and a text.

Owns: `Asked`, `Came`, one function for each kind of test, and the report that stands where a
traceback through our own code would. A rule that no vector is about, or that only concerns sections
which the target does not keep, is skipped and says so: it is never green by default.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from acpsim.errors import UsageError
from acpsim.fuzz.campaign import CampaignFinished, Fault, Options, run
from acpsim.oracles.laws import LAWS
from acpsim.oracles.laws import try_law as try_one
from acpsim.oracles.verdict import Verdict
from acpsim.rules.registry import RULES
from acpsim.targets.address import open_target
from acpsim.targets.target import DirectTarget, Target
from acpsim.vectors.running import Found, Result, run_one
from acpsim.vectors.shipped import Shipped, shipped
from acpsim.views import faults
from acpsim.views.text import counted
from acpsim.wire.edition import EDITIONS, Edition

FAILED_MAX: Final = 3
"""Vectors of one rule that are told in full: most fail of one cause."""
OCCASIONS_MAX: Final = 4
"""Places of one conversation at which a law is tried."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a suite asks for."""

    address: str
    edition: Edition
    seconds: float
    cases: int | None
    seed: int
    time_limit: float
    corpus: str | Path | None
    faults: str | Path | None

    def instead(self, *, address: str | None, seconds: float | None) -> Asked:
        """The same with what the command line says."""
        return dataclasses.replace(
            self,
            address=address or self.address,
            seconds=self.seconds if seconds is None else seconds,
            cases=self.cases if seconds is None else None,
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """What one test came to; `text` says why it failed or was skipped."""

    outcome: Literal["passed", "failed", "skipped"]
    text: str = ""


PASSED: Final = Came(outcome="passed")


def edition_named(name: str) -> Edition:
    """The edition. Raises `ValueError`."""
    if name not in EDITIONS:
        raise ValueError(f"edition {name!r}: no such edition; one of {', '.join(EDITIONS)}")
    return EDITIONS[name]


def address_of(target: str | Callable[[str], Any]) -> str:
    """What `--target` would take. Raises `ValueError` for a class that no name leads to."""
    if isinstance(target, str):
        return target
    module = getattr(target, "__module__", None)
    name = getattr(target, "__qualname__", "")
    if not module or not name or "<" in name:
        raise ValueError(
            f"{target!r}: cannot be imported by its name; give a class or function that stands in "
            "a module, or an address such as my_reducer:Reducer"
        )
    return f"{module}:{name}"


def rule_names() -> list[str]:
    """One test each."""
    return list(RULES)


def law_names() -> list[str]:
    """One test each."""
    return list(LAWS)


class Shared:
    """The target of one suite, opened by the first test that needs it."""

    def __init__(self) -> None:
        self._found: Target | str | None = None

    def open(self, asked: Asked) -> Target | str:
        """The target, or why there is none."""
        if self._found is None:
            try:
                self._found = open_target(
                    asked.address, edition=asked.edition, timeout_s=asked.time_limit
                )
            except UsageError as error:
                self._found = _of_target(error)
        return self._found

    def close(self) -> None:
        """Ends it. The next test would open it again."""
        if self._found is not None and not isinstance(self._found, str):
            self._found.close()
        self._found = None


def _of_target(error: UsageError) -> str:
    """What the command line says of a target, where there is no command line."""
    return str(error).removeprefix("--target ")


@functools.cache
def _shipped(edition: Edition) -> tuple[Shipped, ...]:
    return tuple(shipped(edition))


def try_rule(rule: str, target: Target, edition: Edition) -> Came:
    """Every vector that names the rule."""
    about = [one for one in _shipped(edition) if rule in one.vector.rules]
    if not about:
        return Came(outcome="skipped", text=f"no vector is about it: {_why_none(rule, edition)}")
    return _vectors(f"{rule}: {RULES[rule].text}", about, target)


def _why_none(rule: str, edition: Edition) -> str:
    if RULES[rule].check == "none":
        return "no conversation can show whether it is kept"
    return f"edition {edition.name} has no occasion for it"


def try_recorded(target: Target, edition: Edition) -> Came:
    """Every whole conversation."""
    about = [one for one in _shipped(edition) if one.vector.name.startswith("recorded-")]
    return _vectors("whole conversations", about, target)


def _vectors(head: str, about: Sequence[Shipped], target: Target) -> Came:
    results = [run_one(Found(vector=one.vector, sections=one.sections), target) for one in about]
    failed = [result for result in results if result.outcome == "failed"]
    if failed:
        return Came(outcome="failed", text="\n".join([head, *_told(failed, target)]))
    if all(result.outcome == "skipped" for result in results):
        return Came(outcome="skipped", text=results[0].why)
    return PASSED


def _told(failed: Sequence[Result], target: Target) -> Iterator[str]:
    for result in failed[:FAILED_MAX]:
        if result.verdict is not None:
            yield ""
            yield from map(str, faults.verdict(result.verdict))
        yield f"  see it again: acpsim vectors run {result.name} --target '{target.name}'"
    if len(failed) > FAILED_MAX:
        others = ", ".join(result.name for result in failed[FAILED_MAX:])
        yield f"and {len(failed) - FAILED_MAX} more: {others}"


def try_law(law: str, target: Target, edition: Edition) -> Came:
    """The law on every vector's conversation, at some places of each."""
    if LAWS[law].direct and not isinstance(target, DirectTarget):
        return Came(outcome="skipped", text="only a reducer in this process can break it")
    occasions = 0
    for one in _shipped(edition):
        trial = try_one(
            law,
            one.vector.events,
            target,
            edition=edition,
            chance=random.Random(0),
            occasions_max=OCCASIONS_MAX,
        )
        occasions += trial.tried
        if trial.verdict is not None:
            return Came(outcome="failed", text=_verdict(law, one, trial.verdict))
    if not occasions:
        return Came(outcome="skipped", text="no conversation gives occasion to break it")
    return PASSED


def _verdict(law: str, one: Shipped, verdict: Verdict) -> str:
    head = f"law {law}: {LAWS[law].text}; on the conversation of {one.vector.name}"
    return "\n".join([head, *map(str, faults.verdict(verdict))])


def try_fuzzing(asked: Asked, folder: Path) -> Came:
    """A campaign. Its faults are saved in `folder` unless the suite names another."""
    if asked.seconds <= 0 and asked.cases is None:
        return Came(outcome="skipped", text="no time is given to it")
    options = Options(
        target=asked.address,
        edition=asked.edition,
        seed=asked.seed,
        seconds=asked.seconds if asked.cases is None else None,
        cases=asked.cases,
        timeout_s=asked.time_limit,
        corpus=None if asked.corpus is None else Path(asked.corpus),
        faults=folder if asked.faults is None else Path(asked.faults),
    )
    try:
        events = list(run(options))
    except UsageError as error:
        return Came(outcome="failed", text=_of_target(error))
    done = next(event for event in events if isinstance(event, CampaignFinished))
    if done.faults:
        return Came(outcome="failed", text="\n".join(_found(done.faults, done)))
    if not done.cases:
        return Came(outcome="skipped", text="no case was run")
    return PASSED


def _found(found: Sequence[Fault], done: CampaignFinished) -> Iterator[str]:
    yield f"{counted(len(found), 'distinct fault')} in {done.target}, seed {done.seed}"
    for number, fault in enumerate(found, 1):
        yield from map(str, faults.fault(fault, number))
    yield from map(str, faults.finished(done))
