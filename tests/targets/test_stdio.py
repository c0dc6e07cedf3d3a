"""A program as a target: each way to fail is told apart, and no process is left."""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from acpsim.targets.process import ANSWER_BYTES_MAX, LAST_LINES
from acpsim.targets.stdio import StdioTarget
from acpsim.targets.target import TargetFailure
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event, event, lost

CHILD = Path(__file__).with_name("child.py")
needs_pidfd = pytest.mark.skipif(
    not hasattr(os, "pidfd_open"), reason="this system has no process descriptors to wait on"
)
SHORT_S = 0.1
"""The time limit where the test is that nothing comes."""
LONG_S = 30.0
"""The time limit where something comes for certain, however busy the machine is."""


def program(mode: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", str(CHILD), mode, *arguments])


@contextlib.contextmanager
def child(mode: str, *arguments: str) -> Iterator[StdioTarget]:
    with StdioTarget(program(mode, *arguments), edition=DRAFT, timeout_s=LONG_S) as target:
        yield target


def some_event() -> Event:
    update = {"sessionUpdate": "usage_update", "used": 1, "size": 2}
    params = {"sessionId": "s1", "update": update}
    return event(
        "a2c", {"jsonrpc": "2.0", "method": "session/update", "params": params}, edition=DRAFT
    )


def run_case(target: StdioTarget, events: list[Event]) -> object:
    target.reset()
    return apply_and_see(target, events)


def apply_and_see(target: StdioTarget, events: list[Event]) -> object:
    target.apply(events)
    return target.snapshot("s1")


def failure_of(mode: str) -> TargetFailure:
    with child(mode) as target:
        with pytest.raises(TargetFailure) as caught:
            run_case(target, [some_event()])
        assert not alive(target)
        return caught.value


def silence_of(mode: str, events: int = 1) -> TargetFailure:
    """The failure to answer `apply`, everything before it being answered however late."""
    with child(mode) as target:
        target.reset()
        assert target.snapshot("s1") is not None
        target.timeout_s = SHORT_S
        with pytest.raises(TargetFailure) as caught:
            apply_and_see(target, [some_event()] * events)
        return caught.value


def alive(target: StdioTarget) -> bool:
    return target._child is not None


def has_ended(pid: int) -> bool:
    """Whether a process is dead, or dies within a long time: being killed is not instant."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    with contextlib.closing(os.fdopen(descriptor)) as waited:
        return bool(select.select([waited], [], [], LONG_S)[0])


def test_one_process_serves_many_cases() -> None:
    with child("good") as target:
        seen = [run_case(target, [some_event()] * count) for count in range(5)]

        assert [{"usage": {"used": count, "size": 0, "cost": None}} for count in range(5)] == seen
        assert target.starts == 1


def test_name_and_sections_are_those_of_hello() -> None:
    with child("good") as target:
        target.start()

        assert (target.name, target.sections) == ("child", ("usage",))


def test_a_session_that_nothing_named_has_no_snapshot() -> None:
    with child("good") as target:
        target.reset()

        assert target.snapshot("s9") is None


def test_a_lost_connection_is_an_event_without_a_message() -> None:
    with child("good") as target:
        assert run_case(target, [lost()]) == {"usage": {"used": 1, "size": 0, "cost": None}}


def test_a_line_that_was_no_object_is_not_sent() -> None:
    lines = [event("a2c", raw, edition=DRAFT) for raw in (b"[]", b"no", b"7", b"\xff")]
    with child("good") as target:
        assert run_case(target, lines) == {"usage": {"used": 0, "size": 0, "cost": None}}


def test_a_message_written_on_several_lines_is_sent_as_one() -> None:
    spread = event("a2c", b'{"jsonrpc":\n"2.0",\r\n"method":"_x"}', edition=DRAFT)
    with child("good") as target:
        assert run_case(target, [spread]) == {"usage": {"used": 1, "size": 0, "cost": None}}


def test_requests_larger_than_a_pipe_arrive_whole() -> None:
    with child("good") as target:
        many = [some_event()] * 20_000
        assert run_case(target, many) == {"usage": {"used": 20_000, "size": 0, "cost": None}}


def test_an_exit_tells_its_status() -> None:
    failure = failure_of("exit")

    assert failure.kind == "exited"
    assert failure.text.startswith('asked to apply 1 event, expected {"ok": true}, and ')
    assert failure.text.endswith("and it exited with status 7")


def test_an_end_by_a_signal_tells_its_name() -> None:
    failure = failure_of("signal")

    assert (failure.kind, failure.signature) == ("exited", "it was ended by SIGSEGV")


def test_an_exit_in_the_middle_of_a_line_is_an_exit() -> None:
    failure = failure_of("cut")

    assert failure.kind == "exited"
    assert failure.text.endswith("it exited with status 0, 9 bytes into a line")


def test_silence_is_a_hang_after_the_time_limit() -> None:
    failure = silence_of("hang")

    assert failure.kind == "hung"
    assert failure.text.endswith("and for 0.1 s nothing came")


def test_half_a_line_and_then_silence_is_a_hang() -> None:
    failure = silence_of("half")

    assert failure.kind == "hung"
    assert failure.text.endswith("nothing came after 9 bytes without a newline")


def test_a_program_that_never_reads_is_a_hang_and_no_deadlock() -> None:
    failure = silence_of("deaf", 20_000)

    assert failure.kind == "hung"
    assert "bytes of the request unread" in failure.text


def test_a_line_without_end_is_a_flood() -> None:
    failure = failure_of("flood-line")

    assert failure.kind == "flooded"
    assert f"{ANSWER_BYTES_MAX:,}" in failure.text


def test_lines_without_end_are_a_flood() -> None:
    failure = failure_of("flood-lines")

    assert failure.kind == "flooded"
    assert "noise" in failure.text


def test_much_standard_error_stops_nobody() -> None:
    with child("flood-errors") as target:
        assert run_case(target, [some_event()]) is not None


@pytest.mark.parametrize("mode", ["no-json", "number", "no-ok", "nan", "deep"])
def test_another_answer_than_ok_is_garbled(mode: str) -> None:
    failure = failure_of(mode)

    assert failure.kind == "garbled"
    assert failure.text.startswith('asked to apply 1 event, expected {"ok": true}, and ')


def test_what_came_instead_of_json_is_shown() -> None:
    assert "it wrote a line that is no JSON: done.; " in failure_of("no-json").text


@pytest.mark.parametrize("mode", ["snapshot-list", "snapshot-missing"])
def test_a_snapshot_of_another_shape_is_garbled(mode: str) -> None:
    failure = failure_of(mode)

    assert failure.kind == "garbled"
    assert failure.text.startswith('asked to give a snapshot of session "s1", expected ')


def test_a_refusal_tells_its_reason_on_one_line() -> None:
    failure = failure_of("refuse")

    assert (failure.kind, failure.signature) == ("refused", "event 1 is not for me")


def test_a_snapshot_may_be_refused() -> None:
    assert failure_of("snapshot-refused").kind == "refused"


def test_closing_its_input_is_told_from_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acpsim.targets.process.CLOSED_GRACE_S", SHORT_S)
    failure = failure_of("close-input")

    assert failure.kind == "closed"
    assert "it lives but has closed its standard input" in failure.text


def test_closing_its_output_is_told_from_an_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acpsim.targets.process.CLOSED_GRACE_S", SHORT_S)
    failure = failure_of("close-output")

    assert failure.kind == "closed"
    assert "it lives but has closed its standard output" in failure.text


def test_a_line_before_hello_is_garbled() -> None:
    failure = failure_of("early")

    assert failure.kind == "garbled"
    assert failure.text.startswith("asked hello, expected ")
    assert "it wrote a line that is no JSON: ready; standard output is for answers" in failure.text


def test_a_line_that_nobody_asked_for_is_garbled() -> None:
    with child("extra-line") as target:
        run_case(target, [])
        with pytest.raises(TargetFailure) as caught:
            run_case(target, [])

    assert caught.value.kind == "garbled"
    assert "and one more thing" in caught.value.text


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        ("hello-banner", "garbled"),
        ("hello-exit", "exited"),
        ("hello-no-sections", "garbled"),
        ("hello-unknown-section", "garbled"),
        ("hello-no-section", "garbled"),
    ],
)
def test_hello_fails_like_any_request(mode: str, kind: str) -> None:
    assert failure_of(mode).kind == kind


def test_hello_has_a_time_limit_of_its_own() -> None:
    with (
        StdioTarget(program("hello-hang"), edition=DRAFT, hello_timeout_s=SHORT_S) as target,
        pytest.raises(TargetFailure, match=r"asked hello, .* for 0\.1 s nothing came"),
    ):
        target.start()


def test_an_unknown_section_is_answered_with_the_nearest() -> None:
    failure = failure_of("hello-unknown-section")

    assert 'no section "toolcalls"; did you mean toolCalls?' in failure.text


def test_other_sections_after_a_restart_are_garbled(tmp_path: Path) -> None:
    with child("hello-changes", str(tmp_path / "started")) as target:
        with pytest.raises(TargetFailure, match="status 7"):
            run_case(target, [])
        with pytest.raises(TargetFailure, match="other sections than before") as caught:
            target.reset()

    assert caught.value.kind == "garbled"


def test_what_apply_failed_at_comes_out_of_the_next_snapshot() -> None:
    with child("exit") as target:
        target.reset()
        target.apply([some_event()])
        with pytest.raises(TargetFailure, match="asked to apply 1 event, "):
            target.snapshot("s1")


def test_much_that_is_unanswered_is_settled_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acpsim.targets.stdio.UNANSWERED_BYTES_MAX", 0)
    with child("exit") as target:
        target.reset()
        with pytest.raises(TargetFailure, match="asked to apply 1 event, "):
            target.apply([some_event()])


def test_a_failure_is_followed_by_a_fresh_start() -> None:
    with child("exit") as target:
        for _ in range(3):
            with pytest.raises(TargetFailure):
                run_case(target, [some_event()])

        assert target.starts == 3


def test_a_program_that_is_gone_cannot_be_started_again(tmp_path: Path) -> None:
    script = tmp_path / "target"
    script.write_text(f"#!/bin/sh\nexec {program('exit')}\n")
    script.chmod(0o755)
    with StdioTarget(str(script), edition=DRAFT) as target:
        with pytest.raises(TargetFailure):
            run_case(target, [some_event()])
        script.unlink()
        with pytest.raises(TargetFailure) as caught:
            target.reset()

    assert caught.value.kind == "unstartable"


def test_last_words_are_the_last_lines_as_they_were_written() -> None:
    words = failure_of("last-words").last_words.split("\n")

    assert len(words) == LAST_LINES
    assert words[-2:] == ["line 99", "\x1b[31mlast\x1b[0m"]


def test_half_a_surrogate_pair_is_replaced() -> None:
    with child("half-pair") as target:
        assert run_case(target, []) == {"notices": ["\ufffd!", "\U0001f600"]}


@needs_pidfd
def test_a_failure_ends_the_whole_process_group() -> None:
    grandchild = int(failure_of("breed").last_words)

    assert has_ended(grandchild)


@needs_pidfd
def test_close_ends_the_program() -> None:
    with child("good") as target:
        target.start()
        assert target._child is not None
        pid = target._child.pid

    assert has_ended(pid)


def test_close_may_be_called_twice() -> None:
    with child("good") as target:
        target.reset()
        target.close()


@needs_pidfd
def test_a_forgotten_program_is_ended_by_the_garbage_collector() -> None:
    target = StdioTarget(program("good"), edition=DRAFT)
    target.start()
    assert target._child is not None
    pid = target._child.pid
    del target

    assert has_ended(pid)
