"""A Python class as a target: fresh objects in, plain JSON out, exceptions named by their place."""

from __future__ import annotations

import collections
import signal
import sys
import threading
import time
from typing import Any

import pytest

from acpsim.targets.inprocess import InProcessTarget, NotAReducer, TimeLimit, TimeUp
from acpsim.targets.target import SECTIONS, DirectTarget, TargetFailure, UnknownSection
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event, event, lost


class Keeps:
    """Keeps every event that it was given."""

    def __init__(self, edition: str) -> None:
        self.edition = edition
        self.given: list[Any] = []

    def apply(self, event: Any) -> None:
        self.given.append(event)

    def snapshot(self, session_id: str) -> Any:
        return {"unknown": self.given} if session_id == "s1" else None


def target(factory: Any, *, timeout_s: float = 30.0) -> InProcessTarget:
    return InProcessTarget(factory, name="test:factory", edition=DRAFT, timeout_s=timeout_s)


def some_event() -> Event:
    return event("a2c", {"jsonrpc": "2.0", "method": "_x"}, edition=DRAFT)


def failure_of(on_apply: Any) -> TargetFailure:
    class Fails(Keeps):
        def apply(self, event: Any) -> None:
            on_apply()

    with pytest.raises(TargetFailure) as caught:
        target(Fails).apply([some_event()])
    return caught.value


def test_the_factory_is_called_with_the_edition_name() -> None:
    given: list[str] = []

    class Notes(Keeps):
        def __init__(self, edition: str) -> None:
            super().__init__(edition)
            given.append(edition)

    target(Notes)

    assert given == ["draft"]


def test_without_a_declaration_it_keeps_every_section() -> None:
    assert target(Keeps).sections == SECTIONS


def test_sections_may_be_an_attribute_of_the_instance() -> None:
    class Some(Keeps):
        sections = ("timeline", "foreground.state")

    assert target(Some).sections == ("timeline", "foreground.state")


@pytest.mark.parametrize("declared", ["timeline", [], ["timelines"], ["plans.x"], [7]])
def test_sections_that_no_snapshot_has_are_refused(declared: object) -> None:
    class Wrong(Keeps):
        sections = declared

    with pytest.raises(UnknownSection):
        target(Wrong)


@pytest.mark.parametrize("method", ["apply", "snapshot"])
def test_what_lacks_a_method_is_no_reducer(method: str) -> None:
    lacking = type("Lacking", (), {"apply": 0, "snapshot": 0} | {method: None})
    other = "snapshot" if method == "apply" else "apply"
    setattr(lacking, other, lambda self, argument: None)

    with pytest.raises(NotAReducer, match=f"has no method {method}"):
        target(lambda edition: lacking())


def test_reset_makes_a_new_instance() -> None:
    reducer = target(Keeps)
    reducer.apply([some_event()])
    reducer.reset()

    assert reducer.snapshot("s1") == {"unknown": []}


def test_an_event_is_what_a_trace_line_is() -> None:
    reducer = target(Keeps)
    reducer.apply([some_event(), lost()])

    message = {"jsonrpc": "2.0", "method": "_x"}
    assert {"unknown": [{"dir": "a2c", "msg": message}, {"dir": "lost"}]} == reducer.snapshot("s1")


def test_each_event_is_an_object_of_its_own() -> None:
    reducer = target(Keeps)
    same = some_event()
    reducer.apply([same, same])
    held = reducer.snapshot_value("s1")["unknown"]
    held[0]["msg"]["method"] = "changed"

    assert held[1]["msg"]["method"] == "_x"


def test_a_line_that_was_no_object_is_not_handed_over() -> None:
    reducer = target(Keeps)
    reducer.apply([event("a2c", raw, edition=DRAFT) for raw in (b"[]", b"no", b"7", b"\xff")])

    assert reducer.snapshot("s1") == {"unknown": []}


def test_a_snapshot_is_a_copy() -> None:
    reducer = target(Keeps)
    first = reducer.snapshot("s1")
    reducer.apply([some_event()])

    assert first == {"unknown": []}


def test_tuples_of_a_snapshot_are_lists() -> None:
    class Pairs(Keeps):
        def snapshot(self, session_id: str) -> Any:
            return {"timeline": [("user_message", "u1")]}

    assert target(Pairs).snapshot("s1") == {"timeline": [["user_message", "u1"]]}


@pytest.mark.parametrize("value", [{"unknown": object()}, {"unknown": "\ud800"}])
def test_a_snapshot_that_is_no_json_is_garbled(value: Any) -> None:
    class Odd(Keeps):
        def snapshot(self, session_id: str) -> Any:
            return value

    with pytest.raises(TargetFailure, match="what is no JSON") as caught:
        target(Odd).snapshot("s1")
    assert caught.value.kind == "garbled"


def test_a_snapshot_without_end_is_garbled() -> None:
    class Round(Keeps):
        def snapshot(self, session_id: str) -> Any:
            ring: list[Any] = []
            ring.append(ring)
            return {"unknown": ring}

    with pytest.raises(TargetFailure, match="what is no JSON"):
        target(Round).snapshot("s1")


def test_a_snapshot_that_is_no_object_is_garbled() -> None:
    class Lists(Keeps):
        def snapshot(self, session_id: str) -> Any:
            return [1]

    with pytest.raises(TargetFailure, match="expected a dict or None, it returned list"):
        target(Lists).snapshot("s1")


def test_an_exception_is_told_with_its_place() -> None:
    def fail() -> None:
        raise KeyError("messageId")

    failure = failure_of(fail)

    assert failure.kind == "raised"
    assert failure.text.startswith("asked to apply an event, it raised KeyError: 'messageId' (")
    assert "test_inprocess.py:" in failure.text
    assert 'in fail: raise KeyError("messageId")' in failure.text


def test_the_place_is_in_the_file_of_the_target() -> None:
    failure = failure_of(lambda: collections.Counter(7))  # type: ignore[call-overload]

    assert "test_inprocess.py:" in failure.signature


def test_two_causes_have_two_signatures() -> None:
    def one() -> None:
        raise ValueError("a")

    def two() -> None:
        raise ValueError("a")

    assert failure_of(one).signature != failure_of(two).signature


def test_an_exception_whose_text_raises_is_told_all_the_same() -> None:
    class Mean(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    def fail() -> None:
        raise Mean

    assert "Mean: (its text raises RuntimeError)" in failure_of(fail).text


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), RecursionError(), MemoryError()])
def test_nothing_that_a_target_raises_ends_the_run(error: BaseException) -> None:
    def fail() -> None:
        raise error

    assert failure_of(fail).kind == "raised"


def test_an_interrupt_by_the_user_is_no_fault() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failure_of(interrupt)


def test_a_target_that_does_not_return_hangs() -> None:
    class Turns(Keeps):
        def apply(self, event: Any) -> None:
            while True:
                pass

    with pytest.raises(TargetFailure, match=r"had not returned after 0\.05 s") as caught:
        target(Turns, timeout_s=0.05).apply([some_event()])
    assert caught.value.kind == "hung"


def test_a_target_that_swallows_the_first_knock_hangs_too() -> None:
    class Deaf(Keeps):
        def snapshot(self, session_id: str) -> Any:
            try:
                while True:
                    pass
            except BaseException:
                while True:
                    pass

    with pytest.raises(TargetFailure) as caught:
        target(Deaf, timeout_s=0.05).snapshot("s1")
    assert caught.value.kind == "hung"


def test_the_time_limit_leaves_no_trace() -> None:
    before = signal.getsignal(signal.SIGALRM)
    target(Keeps).apply([some_event()])

    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_timer_in_use_is_left_alone() -> None:
    signal.setitimer(signal.ITIMER_REAL, 3600)
    try:
        with TimeLimit(0.001):
            time.sleep(0)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 3000
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_another_thread_runs_without_a_limit() -> None:
    seen: list[BaseException | None] = []

    def work() -> None:
        try:
            target(Keeps, timeout_s=0.001).apply([some_event()] * 100)
            seen.append(None)
        except (TargetFailure, TimeUp, ValueError) as error:
            seen.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert seen == [None]


def test_what_a_target_prints_is_kept_off_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Prints(Keeps):
        def __init__(self, edition: str) -> None:
            sys.stdout.write("made\n")
            super().__init__(edition)

        def apply(self, event: Any) -> None:
            sys.stdout.write("applied\n")

    target(Prints).apply([some_event()])

    assert capsys.readouterr() == ("", "made\napplied\n")


def test_its_objects_can_be_reached() -> None:
    reducer = target(Keeps)
    given = {"dir": "a2c", "msg": {}}
    reducer.apply_value(given)

    assert isinstance(reducer, DirectTarget)
    assert reducer.snapshot_value("s1")["unknown"][0] is given
