"""How the shipped conversations are found: `pytest tests/vectors --update` writes them anew.

Rules and laws are told by hand; a seeded fault has the smallest conversation that the fuzzer comes
to; recorded ones are taken as they are. Whatever is found is kept only for the editions in which it
shows what it is there for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from acpsim.errors import UsageError
from acpsim.fuzz.cases import Cases
from acpsim.fuzz.judging import Judge
from acpsim.oracles import talk
from acpsim.oracles.counterexample import Counterexample, counterexample, judge_vector
from acpsim.oracles.laws import LAWS
from acpsim.oracles.restate import vector_of as restated
from acpsim.rules.check import check
from acpsim.rules.registry import RULES
from acpsim.targets.mutants import MUTANTS, Mutant
from acpsim.targets.reference import ReferenceTarget
from acpsim.vectors.shipped import Conversation, Told, events_of, vector_of
from acpsim.wire.edition import EDITIONS, Edition
from acpsim.wire.trace import Event, read_trace
from acpsim.wire.vector import Vector
from tests.helpers.shorthand import conversation
from tests.rules.both_ways import KEEPS, Entry
from tests.vectors.told import LAWS_TOLD, RULES_TOLD

RECORDED = Path(__file__).parents[2] / "acpsim" / "recorded"
CASES_MAX = 3000
MESSAGES_MAX = 60
"""Of a recorded conversation that becomes a vector: a vector is to be read."""


def made() -> Iterator[Conversation]:
    """Every conversation that ships, in the order of the file."""
    yield from _rules()
    yield from _laws()
    yield from _mutants()
    yield from _recorded()


def _told(events: Sequence[Event]) -> tuple[Told, ...]:
    return tuple(msgspec.json.decode(_line(one), type=Told) for one in events)


def _line(one: Event) -> bytes:
    return msgspec.json.encode(one.as_json())


# ---------------------------------------------------------------- rules


def _rules() -> Iterator[Conversation]:
    for rule in RULES.values():
        if rule.id in RULES_TOLD:
            entry: Entry = f"setup\n{RULES_TOLD[rule.id]}"
        elif rule.id in KEEPS:
            entry = KEEPS[rule.id]
        else:
            continue
        text, written_in = entry if isinstance(entry, tuple) else (entry, "draft")
        events = conversation(text, edition=EDITIONS[written_in])
        yield Conversation(
            name=f"rule-{rule.id}",
            shows=rule.text,
            rules=(rule.id,),
            editions=tuple(_where_kept(rule.id, events)),
            events=_told(events),
        )


def _where_kept(rule: str, events: Sequence[Event]) -> Iterator[str]:
    """The editions in which the conversation exercises the rule and keeps all of them."""
    for name, edition in EDITIONS.items():
        read = [_again(one, edition) for one in events]
        report = check(read, edition=edition, complete=True)
        breaches = [found for found in report.findings if found.certainty == "definite"]
        if not RULES[rule].checkable or (report.coverage[rule].exercised and not breaches):
            yield name


def _again(one: Event, edition: Edition) -> Event:
    """An event as another edition reads it."""
    lines = [_line(one)]
    return read_trace(lines, edition=edition).events[0]


# ---------------------------------------------------------------- laws


def _laws() -> Iterator[Conversation]:
    for name, told in LAWS_TOLD.items():
        for letter, text in zip("ab", told, strict=False):
            yield Conversation(
                name=f"law-{name}-{letter}" if len(told) > 1 else f"law-{name}",
                shows=LAWS[name].text,
                rules=(),
                events=_told(conversation(f"setup\n{text}")),
            )


# ---------------------------------------------------------------- seeded faults


def _mutants() -> Iterator[Conversation]:
    cases = {name: Cases(0, edition) for name, edition in EDITIONS.items()}
    references = {name: ReferenceTarget(edition) for name, edition in EDITIONS.items()}
    for mutant in MUTANTS.values():
        example = _smallest(mutant, cases)
        yield _of_mutant(mutant, example, references)


def _smallest(mutant: Mutant, cases: dict[str, Cases]) -> Counterexample:
    """The first fault that the fuzzer finds, shrunk."""
    judges = [Judge(mutant.target(edition), edition, 0) for edition in EDITIONS.values()]
    for number in range(CASES_MAX):
        for judge in judges:
            objection = judge.judge(cases[judge.edition.name].case(number))
            if objection is not None:
                shown = judge.shrink(objection)
                return counterexample(shown.verdict, edition=judge.edition, seed=shown.seed)
    raise AssertionError(f"{mutant.name} is missed in {CASES_MAX} cases of each edition")


def _of_mutant(
    mutant: Mutant, example: Counterexample, references: dict[str, ReferenceTarget]
) -> Conversation:
    edition = example.edition
    untouched: dict[str, str] = {}
    events = example.events
    try:
        vector = restated(example, mutant.target(edition), reference=references[edition.name])
        events, untouched = vector.events, _untouched(vector)
    except UsageError:
        assert example.objection.oracle == "law:no-aliasing", mutant.name
    rules = tuple(dict.fromkeys(name for name in mutant.breaks if name in RULES))
    told = Conversation(
        name=f"mutant-{mutant.name}",
        shows=f"A client that {mutant.text}.",
        rules=rules or example.objection.rules,
        mutant=mutant.name,
        untouched=untouched,
        events=_told(events),
    )
    shows = tuple(name for name in EDITIONS if _tells(told, mutant, references[name]))
    return msgspec.structs.replace(told, editions=shows or (edition.name,))


def _untouched(vector: Vector) -> dict[str, str]:
    """The sessions that are only mentioned, with the section that must not be touched."""
    addressed = talk.addressed(vector.events)
    return {
        session: next(iter(snapshot))
        for session, snapshot in vector.snapshots.items()
        if session not in addressed and snapshot
    }


def _tells(told: Conversation, mutant: Mutant, reference: ReferenceTarget) -> bool:
    """Whether the conversation as a vector fails on its mutant in the reference's edition."""
    edition = reference.edition
    events = events_of(told, edition)
    reference.reset()
    reference.apply(events)
    held = {name: reference.snapshot(name) for name in talk.addressed(events)}
    vector = vector_of(told, edition, events=events, snapshots=held)
    return judge_vector(vector, mutant.target(edition)) is not None


# ---------------------------------------------------------------- recorded


def _recorded() -> Iterator[Conversation]:
    for path in sorted(RECORDED.glob("*.jsonl")):
        trace = read_trace(path.read_bytes().splitlines(keepends=True))
        if len(trace.events) > MESSAGES_MAX:
            continue
        name = path.stem.replace("_", "-")
        yield Conversation(
            name=f"recorded-{name}",
            shows=f"A whole conversation: {path.stem.replace('_', ' ')}.",
            events=_told(trace.events),
        )
