"""Runs command lines in this process, in a directory of their own, and keeps what they said."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from acpsim.cli import run

RECORDED = Path(__file__).parents[1] / "recorded"


@dataclass(frozen=True)
class Ran:
    """What one command line came to."""

    status: int
    out: str
    err: str


@pytest.fixture
def acpsim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Ran]:
    """A function of a command's words, and of what stands on its standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def ran(*words: object, given: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
        capfd.readouterr()
        status = run([os.fspath(word) if isinstance(word, Path) else str(word) for word in words])
        return Ran(status, *capfd.readouterr())

    return ran


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[[str], str]:
    """A recorded conversation under its bare name, so that no directory shows in what is said."""

    def copied(name: str) -> str:
        (tmp_path / f"{name}.jsonl").write_bytes((RECORDED / f"{name}.jsonl").read_bytes())
        return f"{name}.jsonl"

    return copied
