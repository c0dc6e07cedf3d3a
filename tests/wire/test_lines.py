"""Bytes to numbered lines, and the mending of lines that are almost JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acpsim.wire import lines
from acpsim.wire.lines import is_deep, mended, numbered, repeated_key


class Piecewise(io.RawIOBase):
    """A stream that gives no more than a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._data = io.BytesIO(data)
        self._size = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        piece = self._data.read(min(self._size, len(view)))
        view[: len(piece)] = piece
        return len(piece)


def read(data: bytes, size: int = 0) -> list[tuple[int, bytes | None]]:
    """The numbered lines without their ends, read whole or in pieces."""
    stream = io.BytesIO(data) if size == 0 else io.BufferedReader(Piecewise(data, size), 16)
    return [(number, line and line.strip()) for number, line in numbered(stream)]


@pytest.mark.parametrize("size", [0, 1, 2, 3, 100])
def test_lines_are_the_same_however_they_arrive(size: int) -> None:
    data = b'{"a":1}\n\n  \r\n{"b":"\xc3\xa4"}\r\nlast'

    assert read(data, size) == [(1, b'{"a":1}'), (4, b'{"b":"\xc3\xa4"}'), (5, b"last")]


def test_nothing_has_no_lines() -> None:
    assert read(b"") == read(b"\n\r\n \n") == []


def test_a_byte_order_mark_at_the_beginning_is_left_out() -> None:
    assert read(b"\xef\xbb\xbf1\n\xef\xbb\xbf2") == [(1, b"1"), (2, b"\xef\xbb\xbf2")]


def test_lines_may_come_from_any_iterable_with_or_without_their_ends() -> None:
    assert list(numbered([b"1\n", b"", b"2"])) == [(1, b"1\n"), (3, b"2")]


def test_a_line_that_is_too_long_is_skipped_without_being_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES_MAX", 10)
    monkeypatch.setattr(lines, "SKIP_BYTES", 4)

    assert read(b"1\n" + b"x" * 11 + b"\n" + b"y" * 999 + b"\n" + b"z" * 10 + b"\n3") == [
        (1, b"1"),
        (2, None),
        (3, None),
        (4, None),
        (5, b"3"),
    ]


def test_a_too_long_line_at_the_end_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES_MAX", 10)

    assert read(b"x" * 1000) == [(1, None)]


def test_no_line_is_read_before_it_is_asked_for() -> None:
    def source() -> Iterator[bytes]:
        yield b"1\n"
        raise AssertionError("read on")

    assert next(iter(numbered(source()))) == (1, b"1\n")


# ---------------------------------------------------------------- mending


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_sound_text_is_left_alone(text: str) -> None:
    line = json.dumps(text).encode()

    assert mended(line) == (line, ())


@given(st.text(max_size=30))
def test_what_was_mended_needs_no_mending(text: str) -> None:
    line = json.dumps(text).encode() + text.encode("utf-8", "surrogatepass")

    once, _ = mended(line)

    assert mended(once) == (once, ())
    once.decode()


@pytest.mark.parametrize(
    ("told", "read_as"),
    [
        (r"\ud800", "\ufffd"),
        (r"\udfff", "\ufffd"),
        (r"\uD83D\uDE00", "\U0001f600"),
        (r"\ud83d\ud83d\ude00", "\ufffd\U0001f600"),
        (r"\ude00\ud83d", "\ufffd\ufffd"),
        (r"\\ud800", r"\ud800"),
        (r"\\\ud800", "\\\ufffd"),
        (r"\ud800\u0041", "\ufffdA"),
        (r"\ud800x", "\ufffdx"),
    ],
)
def test_a_lone_surrogate_becomes_a_replacement_character(told: str, read_as: str) -> None:
    assert json.loads(mended(f'"{told}"'.encode())[0]) == read_as


# ---------------------------------------------------------------- looking


@pytest.mark.parametrize(("levels", "deep"), [(1, False), (128, False), (129, True), (400, True)])
def test_depth_is_counted_in_levels_and_not_in_brackets(levels: int, deep: bool) -> None:
    text = "[" * levels + "]" * levels
    wide = "[" + ",".join(["[]"] * 500) + "]"

    assert is_deep(text.encode(), json.loads(text)) is deep
    assert not is_deep(wide.encode(), json.loads(wide))
    assert not is_deep(b'"' + b"[" * 500 + b'"', "[" * 500)


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b'{"a":1,"a":2}', "a"),
        (b'{"x":[{"a":1,"b":2,"b":3}]}', "b"),
        (b'{"a":{"a":1}}', None),
        (b'{"a":"\\"a\\":"}', None),
        (b'{"a":1,"\\u0061":2}', "a"),
        (b"{", None),
        (b"[" * 100_000, None),
    ],
    ids=lambda value: repr(value)[:12],
)
def test_a_key_that_stands_twice_is_found(line: bytes, key: str | None) -> None:
    assert repeated_key(line) == key
