"""Files that no honest program wrote: read with a remark for each line, or refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import RECORDED, Ran

LINES = (RECORDED / "plain.jsonl").read_bytes().splitlines()
PLAIN = b"\n".join(LINES) + b"\n"
UPDATE = (
    b'{"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_1",'
    b'"update":{"sessionUpdate":"agent_message","messageId":"h","content":%b}}}}'
)
DEEP = b"[" * 100_000 + b"]" * 100_000

HARMLESS = {
    "no-newline-at-the-end": b"\n".join(LINES),
    "carriage-returns": b"\r\n".join(LINES) + b"\r\n",
    "blank-lines": b"\n\n".join(LINES) + b"\n \t\n",
    "no-header": b"\n".join(LINES[1:]),
    "byte-order-mark": b"\xef\xbb\xbf" + PLAIN,
    "huge-time": PLAIN + UPDATE.replace(b'"dir"', b'"t":1e300,"dir"') % b"[]",
}
REMARKED = {
    "duplicate-keys": (PLAIN.replace(b'"dir":', b'"dir":"lost","dir":'), 2),
    "invalid-utf-8": (PLAIN + UPDATE % b'[{"type":"text","text":"\xff\xfe\xc0\x80"}]', 13),
    "lone-surrogate": (PLAIN + UPDATE % b'[{"type":"text","text":"\\ud800"}]', 13),
    "encoded-surrogate": (PLAIN + UPDATE % b'[{"type":"text","text":"\xed\xa0\x80"}]', 13),
    "nested-deep": (PLAIN + DEEP, 13),
    "nested-deep-in-a-message": (PLAIN + UPDATE % DEEP, 13),
    "nested-objects": (PLAIN + b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 13),
    "nan": (PLAIN + UPDATE % b"NaN", 13),
    "infinity": (PLAIN + UPDATE % b"-Infinity", 13),
    "number-beyond-all": (PLAIN + UPDATE % b"1e999", 13),
    "batch": (PLAIN + b"[" + LINES[1] + b"]", 13),
    "nul-bytes": (PLAIN + b"\x00" * 500, 13),
    "text-alone": (PLAIN + b'"hello"', 13),
    "cut-in-the-middle": (PLAIN + LINES[3][:-9], 13),
    "second-header-of-unknown-edition": (LINES[0].replace(b"draft", b"v9") + PLAIN[100:], 1),
}
COMMANDS = ("check", "reduce", "show")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("content", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_file_written_unlike_ours_is_read_without_a_remark(
    acpsim: Callable[..., Ran], command: str, content: bytes
) -> None:
    Path("odd.jsonl").write_bytes(content)

    ran = acpsim(command, "odd.jsonl")

    assert ran.status in {0, 1}
    assert "odd.jsonl:" not in ran.err


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("content", "line"), REMARKED.values(), ids=REMARKED.keys())
def test_a_hostile_line_is_told_with_its_number(
    acpsim: Callable[..., Ran], command: str, content: bytes, line: int
) -> None:
    Path("odd.jsonl").write_bytes(content)

    ran = acpsim(command, "odd.jsonl")

    assert f"odd.jsonl:{line}: " in ran.out + ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(("content", "line"), REMARKED.values(), ids=REMARKED.keys())
def test_what_comes_before_a_hostile_line_is_kept(
    acpsim: Callable[..., Ran], content: bytes, line: int
) -> None:
    Path("odd.jsonl").write_bytes(content)

    sessions = json.loads(acpsim("reduce", "--format", "json", "odd.jsonl").out)["sessions"]

    assert line < 13 or "sess_1" in sessions


@pytest.mark.parametrize(("content", "line"), REMARKED.values(), ids=REMARKED.keys())
def test_a_hostile_file_is_no_counterexample_and_one_line_says_so(
    acpsim: Callable[..., Ran], content: bytes, line: int
) -> None:
    Path("odd.jsonl").write_bytes(content)

    ran = acpsim("replay", "odd.jsonl")

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("head", [DEEP, b"1" * 10_000, b'{"acpsim":"vector/1","a":' + DEEP + b"}"])
def test_a_hostile_vector_is_refused_in_one_line(acpsim: Callable[..., Ran], head: bytes) -> None:
    Path("odd.json").write_bytes(head)

    ran = acpsim("replay", "odd.json")

    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_line_of_50_mib_is_read_like_any_other(acpsim: Callable[..., Ran], command: str) -> None:
    long = UPDATE % (b'[{"type":"text","text":"' + b"x" * 50 * 2**20 + b'"}]')
    Path("long.jsonl").write_bytes(PLAIN + long + b"\n" + LINES[-1] + b"\n")

    ran = acpsim(command, "long.jsonl")

    assert ran.status in {0, 1}
    assert "Traceback" not in ran.err
