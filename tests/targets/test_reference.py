"""The reference behind the same door as every target."""

from __future__ import annotations

import pytest

from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.target import SECTIONS, DirectTarget, TargetFailure
from acpsim.wire.edition import DRAFT
from tests.helpers.shorthand import conversation

SETUP = conversation("setup")


def test_it_keeps_every_section() -> None:
    assert ReferenceTarget(DRAFT).sections == SECTIONS


def test_a_session_exists_once_a_message_has_named_it() -> None:
    target = ReferenceTarget(DRAFT)
    assert target.snapshot("s1") is None
    target.apply(SETUP)

    assert target.snapshot("s1") is not None
    assert target.sessions() == ["s1"]


def test_reset_forgets_everything() -> None:
    target = ReferenceTarget(DRAFT)
    target.apply(SETUP)
    target.reset()

    assert target.sessions() == []


def test_a_fork_goes_its_own_way() -> None:
    target = ReferenceTarget(DRAFT)
    target.apply(SETUP)
    before = target.snapshot("s1")
    fork = target.fork()
    fork.apply(conversation('< agent_message m1 "A"'))

    assert target.snapshot("s1") == before
    assert fork.snapshot("s1") != before


def test_values_are_applied_like_events() -> None:
    events = conversation('setup\n< agent_message m1 "A"\nlost')
    whole, valued = ReferenceTarget(DRAFT), ReferenceTarget(DRAFT)
    whole.apply(events)
    for event in events:
        valued.apply_value(event.as_json())

    assert valued.snapshot("s1") == whole.snapshot("s1")


def test_the_text_of_a_snapshot_is_the_snapshot() -> None:
    target = ReferenceTarget(DRAFT)
    target.apply(SETUP)

    assert target.snapshot_bytes("s1") is not None
    assert target.snapshot_bytes("s2") is None


def test_its_objects_can_be_reached() -> None:
    assert isinstance(ReferenceTarget(DRAFT), DirectTarget)


def test_an_exception_of_ours_is_a_failure_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    target = ReferenceTarget(DRAFT)
    monkeypatch.setattr("acpsim.reducer.reduce.Reducer.apply", fail)

    with pytest.raises(TargetFailure, match="it raised ZeroDivisionError"):
        target.apply(SETUP)
