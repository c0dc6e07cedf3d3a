"""The same fault in other words: as a vector, and as what a test function has to do.

Owns: `vector_of` and `restated`. What is expected comes from the reference alone. A conversation is
taken up to the message after which the fault shows. A law is about two runs of the target: where
what it compares has to be equal as it stands, both runs are told message by message; where it has
to be equal in other words (other ids, other texts), the law itself is asked again.
"""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from msgspec import UNSET

from acpsim.errors import UsageError
from acpsim.oracles import talk
from acpsim.oracles.again import CRASH, LAW
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.compare import FIELD_SECTIONS, UNTOUCHED, Snapshots, equal, look
from acpsim.oracles.counterexample import Counterexample, replay
from acpsim.oracles.laws import judge_law
from acpsim.oracles.reset import RESET
from acpsim.oracles.verdict import Verdict
from acpsim.targets.target import Target, TargetFailure
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.trace import Event
from acpsim.wire.vector import Vector

Run: TypeAlias = tuple[tuple[Event, ...], ...]
"""The batches in which a conversation is handed over."""
Place: TypeAlias = tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What a session holds at one place after a run. An empty place is the whole snapshot."""

    session: str
    place: Place
    value: Json = UNSET
    """`UNSET` where it is what the first of two runs gives."""
    may_be_absent: bool = False
    """No message is for this session: a target need not hold anything of it."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Restated:
    """What a test does: runs, and what is expected after the last of them.

    Without expectations and with a `law`, the law is asked; without either, the target only has to
    answer for these sessions.
    """

    name: str
    reason: str
    oracle: str
    rules: tuple[str, ...]
    edition: str
    runs: tuple[Run, ...]
    expectations: tuple[Expectation, ...] = ()
    sessions: tuple[str, ...] = ()
    law: str | None = None
    again: bool = False
    """The conversation is told twice to one target, with a reset between."""
    seed: int = 0
    minimal: bool = False


def vector_of(
    example: Counterexample, target: Target, *, reference: Target, name: str = ""
) -> Vector:
    """The fault as a vector: its messages and the snapshot that the reference makes of them.

    `target` is run to learn in which session and after which message the fault shows; it need not
    fail. Raises `UsageError` for a law that no single conversation shows to be broken.
    """
    if example.objection.oracle == RESET:
        raise UsageError("reset is about two runs, and a vector is one; --as pytest makes both")
    verdict = replay(example, target, reference=reference)
    if example.objection.oracle.startswith(LAW):
        verdict = _in_one(example, verdict, target, reference=reference)
    events, session, place = _where(example, verdict)
    if session is None:
        snapshots = _held(reference, (events,), talk.addressed(events))
    elif _only_mentioned(events, session) and place:
        snapshots = {session: {place[0]: UNTOUCHED[place[0]]}}
    else:
        snapshots = _held(reference, (events,), [session])
    return Vector(
        name=name or fault_name(example, verdict),
        edition=example.edition,
        rules=_rules(example, verdict),
        events=events,
        snapshots=snapshots,
    )


def _in_one(
    example: Counterexample, verdict: Verdict | None, target: Target, *, reference: Target
) -> Verdict:
    """The reference's objection to one of the two conversations that a law is about."""
    law = example.objection.oracle
    if verdict is None:
        raise UsageError(
            f"{law} holds in {target.name}, so that nothing says which of its two runs goes wrong; "
            "name the target that fails with --target"
        )
    for events in (verdict.events, verdict.variant):
        found = judge_agreement(events, target, reference=reference) if events else None
        if found is not None:
            return found
    raise UsageError(
        f"{law} is about two runs, and a vector is one: the target holds what it should after "
        "each; --as pytest makes both"
    )


def restated(example: Counterexample, target: Target, *, reference: Target) -> Restated:
    """The fault as what a test has to do. Raises `UsageError` where nothing says what differs."""
    verdict = replay(example, target, reference=reference)
    if example.objection.oracle.startswith(LAW) and (
        verdict is None or verdict.oracle.startswith(LAW)
    ):
        return _law(example, verdict, target, reference=reference)
    events, session, place = _where(example, verdict)
    told = _restated(example, verdict, ((events,),))
    told = dataclasses.replace(told, again=told.oracle == RESET)
    oracle = example.objection.oracle if verdict is None else verdict.oracle
    if session is None or oracle.startswith(CRASH):
        return dataclasses.replace(told, sessions=tuple(talk.addressed(events)))
    value = look(_held(reference, (events,), [session])[session], place)
    absent = _only_mentioned(events, session) and bool(place)
    if absent:
        value = look(UNTOUCHED, place)
    expected = Expectation(session=session, place=place, value=value, may_be_absent=absent)
    return dataclasses.replace(told, expectations=(expected,))


def of_vector(vector: Vector) -> Restated:
    """A vector as what a test has to do: every section that it has, one after the other."""
    return Restated(
        name=_slug(vector.name),
        reason=f"what {', '.join(vector.rules) or 'the protocol'} asks for",
        oracle="vector",
        rules=tuple(vector.rules),
        edition=vector.edition.name,
        runs=((tuple(vector.events),),),
        expectations=tuple(
            Expectation(session=session, place=place, value=look(snapshot, place))
            for session, snapshot in vector.snapshots.items()
            for place in ([()] if snapshot is None else [(section,) for section in snapshot])
        ),
    )


def fault_name(example: Counterexample, verdict: Verdict | None) -> str:
    """A name for the fault: the oracle, and the rule or the place."""
    oracle = example.objection.oracle if verdict is None else verdict.oracle
    rules = _rules(example, verdict)
    _, _, place = _where(example, verdict)
    return _slug(f"{oracle} {rules[0] if rules else ' '.join(place)}")


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").lower()[:80] or "fault"


def _restated(example: Counterexample, verdict: Verdict | None, runs: tuple[Run, ...]) -> Restated:
    return Restated(
        name=fault_name(example, verdict),
        reason=example.objection.text if verdict is None else verdict.text,
        oracle=example.objection.oracle if verdict is None else verdict.oracle,
        rules=_rules(example, verdict),
        edition=example.edition.name,
        runs=runs,
        seed=example.objection.seed,
        minimal=example.objection.minimal,
    )


def _rules(example: Counterexample, verdict: Verdict | None) -> tuple[str, ...]:
    return tuple(example.objection.rules if verdict is None else verdict.rules)


_PLACE: Final = re.compile(r"\$\.(\w+)(?:\.(\w+))?")


def _where(
    example: Counterexample, verdict: Verdict | None
) -> tuple[tuple[Event, ...], str | None, Place]:
    """The messages up to the fault, the session, and the section or part that differs in it.

    What the target says now comes before what the file says of another run.
    """
    if verdict is None:
        found = _PLACE.match(example.objection.path or "")
        steps: Sequence[object] = [step for step in found.groups() if step] if found else []
        return example.events, example.objection.session, _part(steps)
    end = len(verdict.events) if verdict.after is None else verdict.after + 1
    steps = () if verdict.difference is None else verdict.difference.steps
    return tuple(verdict.events[:end]), verdict.session, _part(steps)


def _part(steps: Sequence[object]) -> Place:
    """A section, or the part of it that a target may keep by itself."""
    depth = 2 if steps and steps[0] in {"messages", *FIELD_SECTIONS} else 1
    return tuple(str(step) for step in steps[:depth])


def _only_mentioned(events: Sequence[Event], session: str) -> bool:
    return session not in talk.addressed(events)


def _held(target: Target, run: Run, sessions: Sequence[str]) -> Snapshots:
    """What a target holds of these sessions after a run."""
    target.reset()
    for batch in run:
        target.apply(batch)
    return {session: target.snapshot(session) for session in sessions}


class _Watched:
    """A target whose runs are kept: what a law did with it."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.name = target.name
        self.sections = target.sections
        self.runs: list[list[tuple[Event, ...]]] = []

    def reset(self) -> None:
        self.runs.append([])
        self._target.reset()

    def apply(self, events: Sequence[Event]) -> None:
        self.runs[-1].append(tuple(events))
        self._target.apply(events)

    def snapshot(self, session_id: str) -> JsonObject | None:
        return self._target.snapshot(session_id)

    def close(self) -> None:
        """The target is its opener's."""


def _law(
    example: Counterexample, verdict: Verdict | None, target: Target, *, reference: Target
) -> Restated:
    law = example.objection.oracle.removeprefix(LAW)
    asked = dataclasses.replace(
        _restated(example, verdict, ((tuple(example.events),),)), law=law, name=_slug(f"law {law}")
    )
    found = None if verdict is None else verdict.difference
    if verdict is None or verdict.session is None or found is None:
        return asked
    watched = _Watched(target)
    chance = random.Random(example.objection.seed)
    judge_law(law, example.events, watched, edition=example.edition, chance=chance)
    if len(watched.runs) < 2:
        return asked
    first, last = (tuple(run) for run in (watched.runs[0], watched.runs[-1]))
    place = _part(found.steps)
    if not _equal_after(reference, first, last, verdict.session, place):
        return asked
    try:
        if _equal_after(target, first, last, verdict.session, place):
            return asked
    except TargetFailure:
        return asked
    return dataclasses.replace(
        asked,
        runs=(first, last),
        expectations=(Expectation(session=verdict.session, place=place),),
    )


def _equal_after(target: Target, one: Run, other: Run, session: str, place: Place) -> bool:
    """Whether a target holds the same at this place after the two runs."""
    held = [look(_held(target, run, [session])[session], place) for run in (one, other)]
    return equal(held[0], held[1])
