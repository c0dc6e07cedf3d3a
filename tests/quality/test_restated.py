"""Every seeded fault in other words fails where the fault is and holds in the reference."""

from __future__ import annotations

from typing import Any

import pytest

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.counterexample import Counterexample, counterexample, judge_vector
from acpsim.oracles.restate import restated, vector_of
from acpsim.targets.mutants import MUTANTS
from acpsim.targets.reference import ReferenceTarget
from acpsim.views.pyfunction import function_file
from acpsim.wire.edition import EDITIONS
from acpsim.wire.vector import encode_vector, read_vector
from tests.helpers.shorthand import conversation
from tests.targets.mutant_cases import ALIASED, CASES

SEEN = [name for name in MUTANTS if name in CASES and name not in ALIASED]
"""The mutants that one conversation shows."""


def example(name: str) -> Counterexample:
    for edition in EDITIONS.values():
        events = conversation(f"setup\n{CASES[name]}", edition=edition)
        verdict = judge_agreement(
            events, MUTANTS[name].target(edition), reference=ReferenceTarget(edition)
        )
        if verdict is not None:
            return counterexample(verdict, edition=edition)
    pytest.fail(f"{name}: its conversation shows nothing")


def passes(text: str, target: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setenv("ACPSIM_TARGET", target)
    space: dict[str, Any] = {}
    exec(compile(text, "test_fault.py", "exec"), space)
    (test,) = [value for name, value in space.items() if name.startswith("test_")]
    try:
        test()
    except Exception:  # what a target raises is a failure as well
        return False
    return True


@pytest.mark.parametrize("name", SEEN)
def test_the_test_function_fails_on_the_mutant_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = example(name)
    target = MUTANTS[name].target(fault.edition)

    told = restated(fault, target, reference=ReferenceTarget(fault.edition))
    text = function_file(told, f"mutant:{name}")

    assert not passes(text, f"mutant:{name}", monkeypatch)
    assert passes(text, "reference", monkeypatch)


@pytest.mark.parametrize("name", SEEN)
def test_the_vector_fails_on_the_mutant_alone(name: str) -> None:
    fault = example(name)
    target, reference = MUTANTS[name].target(fault.edition), ReferenceTarget(fault.edition)

    vector = read_vector(encode_vector(vector_of(fault, target, reference=reference)))

    assert judge_vector(vector, reference) is None
    assert judge_vector(vector, target) is not None
