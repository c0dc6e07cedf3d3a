"""A fault in other words says the same: it fails where it was found and holds in the reference."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from acpsim.errors import UsageError
from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.counterexample import Counterexample, counterexample, judge_vector
from acpsim.oracles.laws import judge_law
from acpsim.oracles.reset import judge_reset
from acpsim.oracles.restate import Restated, of_vector, restated, vector_of
from acpsim.oracles.verdict import Verdict
from acpsim.targets.mutants import MUTANTS
from acpsim.targets.reference import ReferenceTarget
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event
from tests.helpers.shorthand import conversation

ECHO = """
    setup
    > #1 prompt "hi"
    < user_message u1 "hi"
    < #1 ok u1
    < agent_message m1 "more"
"""
MENTIONED = """
    setup
    < session_message x1 "hi" {"senderSessionId": "s1", "recipientSessionId": "c"}
"""
UNKNOWN = """
    setup
    < raw {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s1", "update": {\
"sessionUpdate": "_new"}}}
"""
CHUNKS = """
    setup
    < agent_message_chunk m1 "a"
    < agent_message_chunk m1 "a"
"""


def fault(mutant: str, talk: str) -> Counterexample:
    events = conversation(talk)
    verdict = judge_agreement(
        events, MUTANTS[mutant].target(DRAFT), reference=ReferenceTarget(DRAFT)
    )
    assert verdict is not None
    return counterexample(verdict, edition=DRAFT, target=f"mutant:{mutant}")


def law_fault(law: str, mutant: str, talk: str, *, seed: int = 3) -> Counterexample:
    events = conversation(talk)
    verdict = judge_law(
        law, events, MUTANTS[mutant].target(DRAFT), edition=DRAFT, chance=random.Random(seed)
    )
    assert verdict is not None
    return counterexample(verdict, edition=DRAFT, seed=seed)


def told(example: Counterexample, mutant: str) -> Restated:
    target = MUTANTS[mutant].target(DRAFT)
    return restated(example, target, reference=ReferenceTarget(DRAFT))


@pytest.mark.parametrize(
    ("mutant", "talk"),
    [("echo-doubled", ECHO), ("session-message-synthesised", MENTIONED)],
)
def test_a_vector_fails_where_the_fault_was_and_holds_in_the_reference(
    mutant: str, talk: str
) -> None:
    example = fault(mutant, talk)
    target, reference = MUTANTS[mutant].target(DRAFT), ReferenceTarget(DRAFT)

    vector = vector_of(example, target, reference=reference)

    assert judge_vector(vector, reference) is None
    assert isinstance(judge_vector(vector, target), Verdict)


def test_a_vector_ends_with_the_message_after_which_the_fault_shows() -> None:
    example = fault("echo-doubled", ECHO)

    vector = vector_of(
        example, MUTANTS["echo-doubled"].target(DRAFT), reference=ReferenceTarget(DRAFT)
    )

    assert len(vector.events) == len(example.events) - 1
    assert list(vector.snapshots) == ["s1"]
    assert vector.rules == ("PROMPT-RECONCILE",)


def test_a_vector_of_a_fault_that_is_mended_says_what_the_file_says() -> None:
    example = fault("echo-doubled", ECHO)
    reference = ReferenceTarget(DRAFT)

    vector = vector_of(example, ReferenceTarget(DRAFT), reference=reference)

    assert vector.rules == ("PROMPT-RECONCILE",)
    assert vector.snapshots["s1"] is not None


def test_a_law_that_one_conversation_shows_to_be_broken_gives_a_vector() -> None:
    example = law_fault("chunks", "repeated-chunk-dropped", CHUNKS)
    target, reference = MUTANTS["repeated-chunk-dropped"].target(DRAFT), ReferenceTarget(DRAFT)

    vector = vector_of(example, target, reference=reference)

    assert judge_vector(vector, reference) is None
    assert judge_vector(vector, target) is not None


def test_a_law_about_two_runs_is_no_vector() -> None:
    example = law_fault("no-aliasing", "snapshot-aliased", ECHO)

    with pytest.raises(UsageError, match="about two runs, and a vector is one"):
        vector_of(
            example, MUTANTS["snapshot-aliased"].target(DRAFT), reference=ReferenceTarget(DRAFT)
        )


def test_a_law_that_holds_is_no_vector() -> None:
    example = law_fault("chunks", "repeated-chunk-dropped", CHUNKS)

    with pytest.raises(UsageError, match="law:chunks holds in reference"):
        vector_of(example, ReferenceTarget(DRAFT), reference=ReferenceTarget(DRAFT))


def test_what_is_expected_is_the_section_that_differs() -> None:
    restatement = told(fault("echo-doubled", ECHO), "echo-doubled")

    (expected,) = restatement.expectations
    assert expected.place == ("timeline",)
    assert expected.value == [["user_message", "u1"]]


def test_of_a_section_with_parts_the_part_is_expected() -> None:
    talk = "setup\n< running\n< requires_action"

    restatement = told(fault("requires-action-as-idle", talk), "requires-action-as-idle")

    (expected,) = restatement.expectations
    assert expected.place == ("foreground", "completions")
    assert expected.value == 0


def test_a_session_that_is_only_mentioned_may_be_absent() -> None:
    restatement = told(
        fault("session-message-synthesised", MENTIONED), "session-message-synthesised"
    )

    (expected,) = restatement.expectations
    assert (expected.session, expected.may_be_absent) == ("c", True)
    assert expected.value == []


def test_a_crash_expects_an_answer() -> None:
    restatement = told(fault("unknown-raises", UNKNOWN), "unknown-raises")

    assert restatement.oracle == "crash:raised"
    assert restatement.expectations == ()
    assert restatement.sessions == ("s1",)


def test_a_law_of_batches_is_two_runs_of_the_same_messages() -> None:
    talk = "setup\n< running\n< idle end_turn"
    restatement = told(law_fault("batch", "states-coalesced", talk), "states-coalesced")

    first, second = restatement.runs
    assert len(first) == 1
    assert len(second) > 1
    assert [said for batch in second for said in batch] == list(first[0])


def test_a_law_of_order_is_two_conversations() -> None:
    restatement = told(law_fault("response-order", "echo-doubled", ECHO), "echo-doubled")

    first, second = restatement.runs
    assert first != second
    assert sorted(raws(first[0])) == sorted(raws(second[0]))


def test_a_law_of_other_words_is_asked_again() -> None:
    talk = 'setup\n< agent_message_chunk A "e"'
    restatement = told(law_fault("name-blind", "ids-without-case", talk), "ids-without-case")

    assert restatement.law == "name-blind"
    assert restatement.expectations == ()
    assert restatement.seed == 3


def test_a_law_that_holds_here_is_asked_again() -> None:
    example = law_fault("response-order", "echo-doubled", ECHO)

    restatement = restated(example, ReferenceTarget(DRAFT), reference=ReferenceTarget(DRAFT))

    assert restatement.law == "response-order"


class Leftover(ReferenceTarget):
    """Applies the last message before a reset once more after it."""

    _last: tuple[Event, ...] = ()

    def reset(self) -> None:
        super().reset()
        self._again = self._last

    def apply(self, events: Sequence[Event]) -> None:
        super().apply([*self._again, *events])
        self._again = ()
        self._last = tuple(events[-1:])


def test_what_a_reset_leaves_behind_is_told_twice() -> None:
    events = conversation('setup\n< agent_message_chunk m1 "hi"')
    target = Leftover(DRAFT)
    verdict = judge_reset(events, target, reference=ReferenceTarget(DRAFT))
    assert verdict is not None
    example = counterexample(verdict, edition=DRAFT)

    restatement = restated(example, Leftover(DRAFT), reference=ReferenceTarget(DRAFT))

    assert restatement.again
    assert restatement.expectations
    with pytest.raises(UsageError, match="reset is about two runs"):
        vector_of(example, Leftover(DRAFT), reference=ReferenceTarget(DRAFT))


def test_a_vector_expects_each_of_its_sections() -> None:
    example = fault("echo-doubled", ECHO)
    vector = vector_of(
        example, MUTANTS["echo-doubled"].target(DRAFT), reference=ReferenceTarget(DRAFT)
    )

    restatement = of_vector(vector)

    assert vector.snapshots["s1"] is not None
    assert [expected.place for expected in restatement.expectations] == [
        (section,) for section in vector.snapshots["s1"]
    ]


def raws(events: tuple[Event, ...]) -> list[bytes]:
    return [event.raw for event in events]
