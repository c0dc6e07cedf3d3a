"""A fault as people read it: what was checked of its size, its inversions, its other forms."""

from __future__ import annotations

import shlex

from acpsim.oracles.counterexample import Objection
from acpsim.oracles.verdict import Verdict
from acpsim.views.faults import fault as lines_of
from acpsim.views.faults import fault_document, other_words, proof, talk, verdict
from tests.helpers.shorthand import conversation
from tests.views.test_ci import fault


def test_what_was_checked_of_its_size_is_said() -> None:
    assert proof(fault(messages=3)) == "checked: take any one of them away, and it passes"


def test_inversions_are_a_part_of_what_was_checked() -> None:
    said = proof(fault(messages=3, inversions=((4, 5),)))

    assert said == "checked: take any one of them away or undo any inversion, and it passes"


def test_another_fault_in_less_is_said() -> None:
    assert proof(fault(messages=3, others=True)).endswith("no more in this way, but in another")


def test_a_fault_that_was_not_proven_minimal_says_so() -> None:
    assert proof(fault(minimal=False)) == "not proven minimal, with less it may fail too"


def test_one_message_is_no_plural() -> None:
    assert proof(fault(messages=1)) == "checked: take it away, and it passes"


def test_a_fault_in_the_set_up_has_nothing_to_take_away() -> None:
    assert "nothing is left" in proof(fault(messages=0))


def test_inversions_are_marked_at_both_messages() -> None:
    events = tuple(conversation("setup\n< running\n< idle\n> cancel"))

    *_, running, idle, cancel = talk(events, ((4, 5), (4, 6)))

    assert running.endswith("running  (a) overtakes")
    assert idle.endswith("overtaken by a")
    assert cancel.endswith("overtaken by a")


def test_a_message_that_overtakes_and_is_overtaken_says_both() -> None:
    events = tuple(conversation("setup\n< running\n< idle\n> cancel"))

    lines = list(talk(events, ((4, 5), (5, 6))))

    assert lines[5].endswith("(b) overtakes; overtaken by a")


def test_every_field_of_its_messages_is_shown() -> None:
    events = tuple(conversation('setup\n< tool_call_update t1 {"_meta": {"k": null}}'))

    assert list(talk(events))[-1].endswith('tool_call_update t1 {"_meta": {"k": null}}')


def test_a_saved_fault_says_how_to_get_it_in_other_words() -> None:
    words = other_words(fault(trace="a b/01-x.jsonl", replay="acpsim replay 'a b/01-x.jsonl'"))

    assert shlex.split(words["vector"])[-4:] == ["--as", "vector", "-o", "a b/01-x.json"]
    assert shlex.split(words["pytest function"])[-4:] == ["--as", "pytest", "-o", "test_01_x.py"]


def test_a_fault_that_was_not_saved_has_no_other_words() -> None:
    assert other_words(fault(trace=None, replay=None)) == {}


def test_a_replay_marks_the_inversions_that_were_saved() -> None:
    events = tuple(conversation("setup\n< running\n< idle"))
    objection = Objection(oracle="agreement", minimal=True, inversions=((4, 5), (-1, 99)))

    lines = list(verdict(Verdict(oracle="agreement", text="wrong", events=events), objection))

    assert lines[-2].endswith("(a) overtakes")
    assert any(line.startswith("  checked when saved: ") for line in lines)


def test_the_report_says_all_of_it() -> None:
    said = "\n".join(lines_of(fault(), 1))

    assert "checked: " in said
    assert "as a vector: " in said
    assert "as a pytest function: " in said


def test_the_document_says_all_of_it() -> None:
    document = fault_document(fault(inversions=((1, 2),)))

    assert document["inversions"] == [[1, 2]]
    assert document["proof"].startswith("checked: ")
    assert document["as_vector"].endswith("--as vector -o faults/01.json")
    assert document["as_pytest"].endswith("--as pytest -o test_01.py")
