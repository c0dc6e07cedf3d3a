"""How fast a trace is checked, and in how much memory: `pytest -m bench -s tests/bench`.

The rate is compared with that of reducing the same trace, in one run and in alternation.
"""

from __future__ import annotations

import json
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from acpsim.reducer import Reducer
from acpsim.rules.check import Checker, check
from acpsim.rules.stream import check_stream
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import DRAFT
from acpsim.wire.trace import Event, TraceReader, event, lost
from tests.bench.lines import chunks, mixed
from tests.helpers.shorthand import conversation

pytestmark = pytest.mark.bench

ROUNDS: Final = 7
SETS: Final[dict[str, Callable[[], list[bytes]]]] = {
    "streamed": lambda: chunks(20_000),
    "mixed": lambda: mixed(20_000),
}
HEADER: Final = b'{"acpsim":"trace/1","edition":"draft","observer":"wire","complete":false}'
MESSAGES: Final = 1_000_000
MEMORY_KIB_MAX: Final = 300 * 1024


def reduced(frames: list[bytes]) -> None:
    reducer = Reducer(DRAFT)
    for told in TraceReader(frames):
        reducer.apply(told)


def seconds(run: Callable[[list[Any]], object], talk: list[Any]) -> float:
    start = time.process_time()
    run(talk)
    return time.process_time() - start


@pytest.mark.parametrize("name", SETS)
def test_checking_a_trace_has_at_least_a_quarter_of_the_rate_of_reducing_it(name: str) -> None:
    lines = SETS[name]()
    frames = [HEADER, *(b'{"t":0,"dir":"a2c","msg":%b}' % line for line in lines)]
    rounds = []
    for _ in range(ROUNDS):
        reducing, checking = seconds(reduced, frames), seconds(check_stream, frames)
        rounds.append((reducing / checking, checking))
    ratio, checking = (statistics.median(column) for column in zip(*rounds, strict=True))

    print(
        f"\n{name}: {len(lines) / checking:,.0f} messages a second checked, {ratio:.2f} of reducing"
    )
    assert ratio >= 0.25


def turn(number: int) -> Iterator[tuple[str, JsonObject]]:
    """A turn of work: a prompt, thoughts, two tool calls with output, a reply, sixty messages."""
    text = {"type": "text", "text": "some words "}
    asked = [{"type": "text", "text": f"do {number}"}]
    yield "c2a", request(number, asked)
    yield "a2c", {"jsonrpc": "2.0", "id": number, "result": {"messageId": f"u{number}"}}
    yield told("user_message", messageId=f"u{number}", content=asked)
    yield told("state_update", state="running")
    for _ in range(12):
        yield told("agent_thought_chunk", messageId=f"th{number}", content=text)
    for at in range(2):
        tool = f"t{number}-{at}"
        yield told("tool_call_update", toolCallId=tool, title="Read", status="in_progress")
        for _ in range(4):
            yield told("terminal_output_chunk", terminalId=tool, data="aGVsbG8=")
        yield told("tool_call_update", toolCallId=tool, status="completed")
    for _ in range(30):
        yield told("agent_message_chunk", messageId=f"m{number}", content=text)
    yield told("usage_update", used=5, size=10)
    yield told("state_update", state="idle", stopReason="end_turn")


def request(number: int, prompt: list[JsonObject]) -> JsonObject:
    params = {"sessionId": "s1", "prompt": prompt}
    return {"jsonrpc": "2.0", "id": number, "method": "session/prompt", "params": params}


def told(variant: str, **fields: object) -> tuple[str, JsonObject]:
    params = {"sessionId": "s1", "update": {"sessionUpdate": variant, **fields}}
    return "a2c", {"jsonrpc": "2.0", "method": "session/update", "params": params}


def prompts_in_error(count: int) -> Iterator[tuple[str, JsonObject]]:
    """Many prompts open at once, as many messages of other content, an error to each prompt."""
    for number in range(count):
        yield "c2a", request(number, [{"type": "text", "text": "x"}])
    for number in range(count):
        text = [{"type": "text", "text": str(number)}]
        yield told("user_message", messageId=f"u{number}", content=text)
    for number in range(count):
        error = {"code": -32000, "message": "x"}
        yield "a2c", {"jsonrpc": "2.0", "id": number, "error": error}


def sessions_lost(count: int) -> Iterator[tuple[str, JsonObject]]:
    """Many sessions, then a loss after each message."""
    for number in range(count):
        _, message = told("usage_update", used=1, size=2)
        message["params"]["sessionId"] = f"s{number}"
        yield "a2c", message
    for _ in range(count):
        yield told("usage_update", used=1, size=2)
        yield "lost", {}


@pytest.mark.parametrize("talk", [prompts_in_error, sessions_lost])
def test_a_message_costs_the_same_however_much_is_open(
    talk: Callable[[int], Iterator[tuple[str, JsonObject]]],
) -> None:
    few, many = (cost(list(talk(count))) for count in (500, 5_000))

    print(f"\n{talk.__name__}: a message at 5,000 costs {many / few:.2f} of one at 500")
    assert many < 2 * few


def cost(talk: list[tuple[str, JsonObject]]) -> float:
    events = [
        lost() if direction == "lost" else event(direction, message, edition=DRAFT)  # type: ignore[arg-type]
        for direction, message in talk
    ]
    return min(seconds(checked, events) for _ in range(3)) / len(events)


def checked(events: list[Event]) -> None:
    check(events, edition=DRAFT)


def test_a_million_messages_are_checked_in_little_memory() -> None:
    checker = Checker(DRAFT)
    for opening in conversation("setup"):
        checker.feed(opening)
    line = number = 10
    while line < MESSAGES:
        number += 1
        for direction, message in turn(number):
            line += 1
            raw = json.dumps(message).encode()
            checker.feed(event(direction, raw, edition=DRAFT, line=line))  # type: ignore[arg-type]
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    print(f"\n{line:,} messages: {peak_kib / 1024:.0f} MiB in the whole process at most")
    assert checker.finish(complete=True).findings == []
    assert peak_kib < MEMORY_KIB_MAX
