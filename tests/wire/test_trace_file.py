"""The trace file: read whatever is in it, line by line, and written so that it reads the same."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from acpsim.wire import lines, methods, trace
from acpsim.wire.cells import Json
from acpsim.wire.edition import DRAFT, EDITIONS, SDK_2_4
from acpsim.wire.jsonrpc import Malformed, OtherNotification
from acpsim.wire.trace import (
    Event,
    Header,
    Trace,
    TraceReader,
    encode_trace,
    event,
    lost,
    read_trace,
    write_trace,
)
from tests.helpers.wellformed import messages

RECORDED = sorted((Path(__file__).parents[1] / "recorded").glob("*.jsonl"))
HEADER = b'{"acpsim":"trace/1","edition":"sdk-2.4","observer":"client","complete":true,"name":"n"}'
MESSAGE = b'{"jsonrpc":"2.0","method":"_x","params":{"a":1}}'
LINE = b'{"t":1.5,"dir":"a2c","msg":' + MESSAGE + b"}"


def read(*parts: bytes) -> Trace:
    return read_trace(io.BytesIO(b"\n".join(parts)))


def remarks(*parts: bytes) -> list[tuple[int, str]]:
    return [(found.line, found.text) for found in read(*parts).diagnostics]


def only(*parts: bytes) -> Event:
    [found] = read(*parts).events
    return found


# ---------------------------------------------------------------- the header


def test_the_header_says_edition_observer_and_whether_it_is_complete() -> None:
    header = read(HEADER, LINE).header

    assert header == Header(
        edition="sdk-2.4", observer="client", complete=True, extra={"name": "n"}
    )


def test_a_trace_without_a_header_is_an_unfinished_draft_seen_from_the_wire() -> None:
    found = read(LINE)

    assert (found.header, found.edition) == (Header(edition=UNSET), DRAFT)


def test_the_edition_is_the_headers_unless_one_is_given() -> None:
    stream = io.BytesIO(HEADER)

    assert read(HEADER).edition is SDK_2_4
    assert read_trace(stream, edition=DRAFT).edition is DRAFT


def test_the_header_is_known_with_the_first_event() -> None:
    reader = TraceReader(io.BytesIO(HEADER + b"\n" + LINE))
    next(iter(reader))

    assert (reader.edition, reader.header.observer) == (SDK_2_4, "client")


@pytest.mark.parametrize(
    ("header", "text"),
    [
        (b'{"acpsim":"trace/9"}', "says that it is 'trace/9'; it is read as 'trace/1'"),
        (b'{"acpsim":9}', "says that it is 9; it is read as 'trace/1'"),
        (b'{"acpsim":"trace/1","edition":"v9"}',
         "no edition 'v9', known are draft, sdk-2.4: read as draft"),
        (b'{"acpsim":"trace/1","edition":9}', "edition is not a string: left out"),
        (b'{"acpsim":"trace/1","observer":"me"}',
         "observer is not wire, client or agent: left out"),
        (b'{"acpsim":"trace/1","observer":[]}', "observer is not wire, client or agent: left out"),
        (b'{"acpsim":"trace/1","complete":1}', "complete is not true or false: left out"),
    ],
)  # fmt: skip
def test_what_a_header_says_wrong_is_said_and_read_on(header: bytes, text: str) -> None:
    assert remarks(header, LINE) == [(1, text)]
    assert len(read(header, LINE).events) == 1


def test_a_header_further_down_is_ignored() -> None:
    found = read(LINE, HEADER, LINE)

    assert found.edition is DRAFT
    assert [(d.line, d.text) for d in found.diagnostics] == [
        (2, "is a header, but not the first line: ignored")
    ]


# ---------------------------------------------------------------- events


def test_a_line_is_an_event_with_its_number_and_its_times() -> None:
    found = only(b"", b'{"t":2,"dir":"c2a","msg":' + MESSAGE + b',"sent":1.5,"recv":2.5,"more":[]}')

    assert found == Event(
        dir="c2a",
        message=OtherNotification(method="_x", params={"a": 1}),
        raw=MESSAGE,
        line=2,
        t=2.0,
        sent=1.5,
        recv=2.5,
    )


def test_the_order_of_the_fields_does_not_matter() -> None:
    assert only(b'{"msg":' + MESSAGE + b',"dir":"a2c","t":1.5}') == only(LINE)


def test_a_lost_connection_is_an_event_without_a_message() -> None:
    reader = TraceReader(io.BytesIO(b'{"t":3,"dir":"lost"}'))

    assert list(reader) == [lost(line=1, t=3.0)]
    assert reader.messages == 0


def test_a_line_that_was_no_json_object_is_kept_as_text() -> None:
    found = only(b'{"t":1,"dir":"a2c","raw":"Hello \\u00e4 [1"}')

    assert isinstance(found.message, Malformed)
    assert (found.message.kind, found.raw) == ("unreadable", "Hello \u00e4 [1".encode())
    assert found.as_json() == {"dir": "a2c", "raw": "Hello \u00e4 [1"}
    assert found.json() is UNSET


def test_a_batch_is_one_unusable_message_and_a_diagnostic() -> None:
    line = b'{"t":1,"dir":"a2c","msg":[' + MESSAGE + b"]}"

    found = only(line)

    assert isinstance(found.message, Malformed)
    assert found.raw == b"[" + MESSAGE + b"]"
    assert remarks(line) == [(1, "is an array, not an object")]


def test_a_malformed_message_is_an_event_and_no_diagnostic() -> None:
    line = b'{"t":1,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update"}}'

    assert isinstance(only(line).message, Malformed)
    assert remarks(line) == []


def test_a_line_without_a_time_happens_when_the_last_one_did() -> None:
    found = read(LINE, b'{"dir":"a2c","msg":' + MESSAGE + b"}")

    assert [told.t for told in found.events] == [1.5, 1.5]
    assert found.diagnostics == []


def test_a_time_that_goes_back_is_said() -> None:
    found = read(LINE, LINE.replace(b"1.5", b"0.5"), LINE)

    assert [told.t for told in found.events] == [1.5, 0.5, 1.5]
    assert [(d.line, d.text) for d in found.diagnostics] == [(2, "t goes back, from 1.5 to 0.5")]


def test_messages_are_counted() -> None:
    reader = TraceReader([HEADER, LINE, b'{"dir":"lost"}', b"junk", LINE])
    list(reader)

    assert reader.messages == 2


# ---------------------------------------------------------------- whatever is in it


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"nonsense", "is no JSON: invalid character (byte 4): skipped"),
        (b'{"dir":"a2c","msg":NaN}', "is no JSON: invalid character (byte 19): skipped"),
        (b'{"dir":"a2c","msg":{"a":1e999}}', "is no JSON: number out of range"),
        (b"1e999", "is no JSON: number out of range: skipped"),
        (b"[" * 100_000, "is nested deeper than 128: skipped"),
        (b'{"dir":"a2c","msg":' + b"[" * 500 + b"]" * 500 + b"}", "is nested deeper than 128"),
        (b"[1,2]", "is an array, not an object: skipped"),
        (b"[" + MESSAGE + b"]", "is an array, not an object: skipped"),
        (b"7", "is 7, not an object: skipped"),
        (b"null", "is null, not an object: skipped"),
        (b'"text"', "is a string, not an object: skipped"),
        (b"{}", "is neither an event nor a JSON-RPC message: skipped"),
        (b'{"a":1}', "is neither an event nor a JSON-RPC message: skipped"),
        (b'{"dir":"a2c"}', "has neither msg nor raw: skipped"),
        (b'{"dir":"up","msg":{}}', "has the dir 'up'; c2a, a2c and lost are known: skipped"),
        (b'{"msg":{}}', "has no dir; c2a, a2c and lost are known: skipped"),
    ],
    ids=lambda value: repr(value)[:16],
)
def test_a_line_that_cannot_be_read_is_said_with_its_number_and_reading_goes_on(
    line: bytes, text: str
) -> None:
    found = read(LINE, line, LINE)

    assert [(d.line, d.text) for d in found.diagnostics] == [(2, text)]
    assert [told.line for told in found.events] == [1, 3]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b'"a":1', b'"a":"\xff"', "is not UTF-8; what could not be read stands as U+FFFD"),
        (b'"a":1', b'"a":"\\udc00"', "has a lone surrogate, which stands as U+FFFD"),
        (b'"a":1', b'"a":1,"a":2', "has the key 'a' twice in one object; the last counts"),
        (b'"t":1.5', b'"t":1,"t":1.5', "has the key 't' twice in one object; the last counts"),
        (b'"t":1.5', b'"t":"now"', "t is not a number: left out"),
        (b'"t":1.5', b'"t":1.5,"recv":[]', "recv is not a number: left out"),
        (b'{"t"', b'\xef\xbb\xbf{"t"', "begins with a byte order mark, which is left out"),
    ],
)
def test_a_line_that_is_odd_is_read_all_the_same(old: bytes, new: bytes, text: str) -> None:
    found = read(LINE, LINE.replace(old, new), LINE)

    assert [(d.line, d.text) for d in found.diagnostics] == [(2, text)]
    assert [told.line for told in found.events] == [1, 2, 3]
    assert all(isinstance(told.message, OtherNotification) for told in found.events)


def test_what_was_mended_is_a_flaw_of_the_message() -> None:
    for odd in (b'"\xff"', b'"\\udc00"'):
        found = only(LINE.replace(b"1}", odd + b"}"))

        assert [flaw.path for flaw in found.flaws] == ["$"]
        assert found.json()["params"] == {"a": "\ufffd"}


def test_text_that_looks_like_keys_is_no_key_twice() -> None:
    line = LINE.replace(b'"a":1', b'"a":"\\"b\\":1,\\"b\\":2", "c" : 1')

    assert remarks(line) == []


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\r\n\r\n"])
def test_an_empty_file_has_no_events_and_no_diagnostics(data: bytes) -> None:
    assert read(data).events == []
    assert remarks(data) == []


def test_windows_line_ends_a_mark_and_a_missing_end_change_nothing() -> None:
    plain = read(HEADER, LINE, LINE)

    odd = read_trace(io.BytesIO(b"\xef\xbb\xbf" + b"\r\n".join([HEADER, LINE, LINE])))

    assert odd == plain


@pytest.mark.slow
def test_a_line_of_50_mib_is_read() -> None:
    text = b"x" * (50 * 1024 * 1024)
    line = LINE.replace(b'"a":1', b'"a":"' + text + b'"')

    found = only(line)

    assert len(found.raw) > len(text)
    assert remarks(line) == []


def test_a_line_over_the_limit_is_said_and_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_BYTES_MAX", 200)
    long = LINE.replace(b'"a":1', b'"a":"' + b"x" * 300 + b'"')

    found = read(LINE, long, LINE)

    assert [told.line for told in found.events] == [1, 3]
    assert [d.line for d in found.diagnostics] == [2]


def test_a_large_file_of_something_else_does_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trace, "DIAGNOSTICS_MAX", 3)

    assert remarks(*[b"junk"] * 9)[-1] == (3, "more remarks than this are not kept")


@pytest.mark.slow
def test_no_line_is_held_once_it_is_passed() -> None:
    def many() -> Iterator[bytes]:
        for number in range(20_000):
            yield LINE.replace(b"1.5", b"%d" % number)

    tracemalloc.start()
    try:
        count = sum(1 for _ in TraceReader(many()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert count == 20_000
    assert peak < 500_000


@given(st.lists(st.binary(max_size=40) | st.sampled_from([LINE, HEADER, MESSAGE]), max_size=6))
def test_no_bytes_raise(parts: list[bytes]) -> None:
    data = b"\n".join(parts)

    found = read_trace(io.BytesIO(data))

    assert all(d.line >= 1 for d in found.diagnostics)


@given(
    st.sampled_from(RECORDED), st.integers(0, 2000), st.sampled_from([b"", b"x", b"\xff{", b"]"])
)
def test_a_cut_file_gives_the_events_up_to_the_cut(path: Path, at: int, trash: bytes) -> None:
    data = path.read_bytes()
    whole = read_trace(io.BytesIO(data)).events

    cut = read_trace(io.BytesIO(data[:at] + trash)).events

    assert cut == whole[: len(cut)]
    assert len(cut) >= data[:at].count(b"\n") - 1


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_written_trace_reads_the_same_and_writes_the_same(path: Path) -> None:
    first = read_trace(io.BytesIO(path.read_bytes()))

    once = b"".join(encode_trace(first))
    again = read_trace(io.BytesIO(once))

    assert again == first
    assert b"".join(encode_trace(again)) == once


@given(st.lists(messages(spoilt=True), max_size=3), st.sampled_from(sorted(EDITIONS)))
def test_any_message_survives_writing_and_reading(told: list[Json], name: str) -> None:
    edition = EDITIONS[name]
    raw = [event("a2c", b"[1", edition=edition), event("c2a", b"[]", edition=edition), lost()]
    events = [event("a2c", message, edition=edition) for message in told] + raw
    numbered = [
        Event(dir=e.dir, message=e.message, raw=e.raw, flaws=e.flaws, line=at, t=float(at))
        for at, e in enumerate(events, 2)
    ]
    header = Header(edition=name, complete=True)
    written = Trace(header=header, edition=edition, events=numbered, diagnostics=[])

    again = read_trace(io.BytesIO(b"".join(encode_trace(written))))

    assert again.events == numbered
    assert again.header == header


def test_writing_fills_a_stream() -> None:
    stream = io.BytesIO()

    write_trace(stream, read(HEADER, LINE))

    assert stream.getvalue() == HEADER + b"\n" + LINE + b"\n"


def test_a_message_that_came_in_several_lines_is_written_in_one() -> None:
    told = event("a2c", b'{"jsonrpc":"2.0",\r\n "method":"_x"}', edition=DRAFT)
    written = Trace(header=Header(), edition=DRAFT, events=[told], diagnostics=[])

    assert b"".join(encode_trace(written)).count(b"\n") == 2


# ---------------------------------------------------------------- single events


def test_an_event_of_a_value_keeps_nothing_of_it() -> None:
    value: dict[str, Json] = {"jsonrpc": "2.0", "method": "_x", "params": {"a": [1]}}
    told = event("a2c", value, edition=DRAFT)
    value["params"]["a"].append(2)

    told.json()["params"]["a"].append(3)
    told.as_json()["msg"]["params"]["a"].append(4)

    assert json.loads(told.raw)["params"] == told.json()["params"] == {"a": [1]}


def test_an_event_of_bytes_has_a_typed_message() -> None:
    raw = b'{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}'

    assert isinstance(event("c2a", raw, edition=DRAFT).message, methods.CancelSession)


@pytest.mark.parametrize("value", [{1, 2}, object(), {"a": object()}])
def test_a_value_that_is_no_json_is_an_unusable_message(value: Json) -> None:
    told = event("a2c", {"jsonrpc": "2.0", "method": "_x", "params": value}, edition=DRAFT)

    assert isinstance(told.message, Malformed | OtherNotification)
    told.as_json()
