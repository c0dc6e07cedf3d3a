"""Colour is for terminals whose users want it, and drawn lines for those that know them."""

from __future__ import annotations

import io

import pytest

from acpsim.cli.output import draws_lines, say
from acpsim.views.tone import toned


class Screen(io.StringIO):
    """A standard output that is a terminal, or not."""

    def __init__(self, *, terminal: bool = True, encoding: str = "utf-8") -> None:
        super().__init__()
        self.terminal = terminal
        self.named = encoding

    def isatty(self) -> bool:
        return self.terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.named


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def said(monkeypatch: pytest.MonkeyPatch, screen: Screen) -> str:
    monkeypatch.setattr("sys.stdout", screen)
    say([toned("a breach", "breach"), "a line"])
    return screen.getvalue()


def test_a_terminal_is_shown_a_breach_in_red(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, Screen()) == "\x1b[31ma breach\x1b[0m\na line\n"


def test_what_is_no_terminal_is_given_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, Screen(terminal=False)) == "a breach\na line\n"


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_whoever_wants_no_colour_gets_none(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    assert said(monkeypatch, Screen()) == "a breach\na line\n"


@pytest.mark.parametrize(
    ("encoding", "known"), [("utf-8", True), ("ascii", False), ("iso-8859-1", False), ("?", False)]
)
def test_lines_are_drawn_where_the_encoding_has_them(
    monkeypatch: pytest.MonkeyPatch, encoding: str, known: bool
) -> None:
    monkeypatch.setattr("sys.stdout", Screen(encoding=encoding))

    assert draws_lines() is known
