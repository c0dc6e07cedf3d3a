"""`acpsim fit` as its users call it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Ran

Acpsim = Callable[..., Ran]


def test_what_was_simulated_is_fitted_and_simulated_again(acpsim: Acpsim) -> None:
    acpsim("sim", "cancel-race", "-o", "trace.jsonl")

    fitted = acpsim("fit", "trace.jsonl", "-o", "mine.toml")
    again = acpsim("sim", "mine.toml")

    assert (fitted.status, fitted.out) == (0, "")
    assert "client.think" in fitted.err
    assert again.status == 0
    assert "acceptance_s" in again.out


def test_the_model_is_printed_alone_where_no_file_is_named(acpsim: Acpsim) -> None:
    acpsim("sim", "tiny-cancel", "-o", "trace.jsonl")
    acpsim("fit", "trace.jsonl", "-o", "mine.toml")

    assert acpsim("fit", "trace.jsonl").out == Path("mine.toml").read_text()


def test_a_trace_without_a_delay_is_nothing_to_fit(acpsim: Acpsim) -> None:
    Path("empty.jsonl").write_text('{"acpsim":"trace/1","edition":"draft"}\n')

    ran = acpsim("fit", "empty.jsonl")

    assert (ran.status, ran.err) == (3, "acpsim fit: no delay was found in these traces\n")


def test_every_trace_is_looked_for_before_one_is_read(acpsim: Acpsim) -> None:
    acpsim("sim", "tiny-cancel", "-o", "trace.jsonl")

    ran = acpsim("fit", "trace.jsonl", "missing.jsonl")

    assert (ran.status, ran.err.count("\n")) == (2, 1)
