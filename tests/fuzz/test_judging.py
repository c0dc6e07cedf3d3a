"""Judging one case: agreement first, also on the way; then laws, led back to a conversation."""

from __future__ import annotations

from acpsim.fuzz.cases import Case
from acpsim.fuzz.judging import LAWS_PER_CASE, Judge, laws_of
from acpsim.oracles.laws import LAWS
from acpsim.schedule.tape import Tape
from acpsim.targets.address import open_target
from acpsim.targets.inprocess import InProcessTarget
from acpsim.wire.edition import DRAFT
from tests.helpers.canary import Forgets
from tests.helpers.shorthand import conversation


def case(text: str, *, number: int = 0, drawn: bool = False) -> Case:
    return Case(
        number=number,
        drawn=drawn,
        source="test",
        strategy="as it is",
        tape=Tape(),
        disturbances=(),
        events=tuple(conversation(f"setup\n{text}")),
        settled=False,
    )


def judge(address: str) -> Judge:
    return Judge(open_target(address, edition=DRAFT), DRAFT, 0)


HEALED = """
    < running
    < idle end_turn
    < running
"""
"""After the last line nobody can tell whether the stop reason was cleared by the one before."""


def test_the_reference_agrees_with_itself() -> None:
    assert judge("reference").judge(case(HEALED)) is None


def test_what_heals_before_the_end_is_seen_on_the_way() -> None:
    unknown_ignored = "< running\n< unknown\n< running"

    found = judge("mutant:unknown-state-ignored").judge(case(unknown_ignored))

    assert found is not None
    assert found.verdict.oracle == "agreement"
    assert len(found.verdict.events) == 6


def test_a_snapshot_that_changes_what_is_held_is_a_fault() -> None:
    numbers = [n for n in range(len(LAWS)) if "no-aliasing" in laws_of(n)]
    target = InProcessTarget(Forgets, name="forgets", edition=DRAFT)

    found = Judge(target, DRAFT, 0).judge(case("< running", number=numbers[0]))

    assert found is not None
    assert found.verdict.oracle == "law:no-aliasing"


def test_a_law_is_led_back_to_the_conversation_that_the_target_gets_wrong() -> None:
    # Nothing in this conversation is repeated: only the law repeats the idle.
    numbers = [n for n in range(len(LAWS)) if "idempotence" in laws_of(n)]

    found = judge("mutant:repeated-idle-counted").judge(
        case("< running\n< idle end_turn", number=numbers[0])
    )

    assert found is not None
    assert found.verdict.oracle == "agreement"
    assert found.verdict.rules == ("STATE-CLIENT-IDLE",)


def test_where_the_reference_cannot_tell_the_laws_word_stands() -> None:
    numbers = [n for n in range(len(LAWS)) if "no-aliasing" in laws_of(n)]

    found = judge("mutant:message-aliased").judge(case("< _metric", number=numbers[0]))

    assert found is not None
    assert found.verdict.oracle == "law:no-aliasing"


def test_every_law_has_its_turn() -> None:
    turns = {name for number in range(len(LAWS)) for name in laws_of(number)}

    assert turns == set(LAWS)
    assert all(len(laws_of(number)) == LAWS_PER_CASE for number in range(20))


def test_what_is_shrunk_fails_in_the_same_way() -> None:
    judging = judge("mutant:content-replaced-by-chunk")
    found = judging.judge(
        case("""
            > #1 prompt "x"
            < #1 ok u1
            < user_message u1 "x"
            < agent_message_chunk m1 "a"
            < running
            < agent_message_chunk m1 "b"
            < idle
        """)
    )
    assert found is not None

    shown = judging.shrink(found)

    assert shown.shrunk.messages == 2
    assert shown.shrunk.minimal
    assert shown.verdict.rules == ("CHUNK-APPEND",)
    assert shown.verdict.events == shown.shrunk.events
