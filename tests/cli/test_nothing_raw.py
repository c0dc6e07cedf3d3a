"""No character that a terminal obeys, or that misleads a reader, is passed on from a peer."""

from __future__ import annotations

import json
import re
import shlex
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ran

EVIL = (
    "\x1b[31m\x1b]0;owned\x07\x00\x08\r\x7f\x9b2J\x85\u202e\u2066\u200b\u200d\u2060\ufeff\u2028"
    "\u2029\u00ad\U000e0041[red]x[/red]"
)
OBEYED = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of what controls, joins, turns and parts lines."""


def message(direction: str, **fields: object) -> str:
    return json.dumps({"dir": direction, "msg": {"jsonrpc": "2.0", **fields}})


def update(variant: str, **fields: object) -> str:
    params = {"sessionId": f"s{EVIL}", "update": {"sessionUpdate": variant, **fields}}
    return message("a2c", method="session/update", params=params)


BLOCK = [{"type": "text", "text": EVIL}]
SESSION = {"sessionId": f"s{EVIL}"}
TRACE = "\n".join(
    [
        json.dumps({"acpsim": "trace/1", "edition": "draft", "complete": True, "name": EVIL}),
        message("c2a", id=f"i{EVIL}", method="initialize", params={"protocolVersion": 2}),
        message("a2c", id=f"i{EVIL}", result={"protocolVersion": 2, "capabilities": {}}),
        message("c2a", id=1, method="session/new", params={"cwd": EVIL, "mcpServers": []}),
        message("a2c", id=1, result=SESSION),
        message("c2a", id=2, method="session/prompt", params={**SESSION, "prompt": BLOCK}),
        message("a2c", id=2, result={"messageId": f"m{EVIL}"}),
        message("c2a", id=3, method="session/prompt", params={**SESSION, "prompt": BLOCK}),
        message("a2c", id=3, result={"messageId": f"m{EVIL}"}),
        message("c2a", id=4, method=f"x{EVIL}", params={EVIL: EVIL}),
        message("a2c", id=4, error={"code": -32601, "message": EVIL, "data": EVIL}),
        message("a2c", id=99, error={"code": EVIL, "message": EVIL}),
        update("user_message", messageId=f"m{EVIL}", content=BLOCK),
        update("agent_message", messageId=f"m{EVIL}", content=BLOCK, _meta={EVIL: EVIL}),
        update(f"x{EVIL}", messageId=EVIL),
        update("state_update", state=EVIL, stopReason=EVIL),
        update("state_update", state="idle", stopReason=EVIL),
        update("tool_call_update", toolCallId=f"t{EVIL}", title=EVIL, status=EVIL, kind=EVIL),
        update("notice", severity=EVIL, title=EVIL, content=BLOCK),
        update("agent_message", messageId={EVIL: 1}, content=EVIL),
        message(
            "a2c", id=f"p{EVIL}", method="session/request_permission",
            params={**SESSION, "title": EVIL, "options": [{"optionId": EVIL, "name": EVIL}],
                    "subject": {"type": "tool_call", "toolCall": {"toolCallId": f"t{EVIL}"}}},
        ),
        message("c2a", id=f"p{EVIL}", result={"outcome": {"outcome": EVIL, "optionId": EVIL}}),
        message("a2c", method="$/cancel_request", params={"requestId": EVIL}),
        EVIL.replace("\r", "").replace("\u2028", ""),
        json.dumps({"dir": "a2c", "raw": EVIL}),
        json.dumps({"dir": EVIL, "msg": {}}),
        json.dumps({"dir": "a2c", "msg": {"jsonrpc": EVIL, EVIL: EVIL}}),
        '{"dir":"a2c","msg":{"jsonrpc":"2.0","method":"lone\\ud800"}}',
    ]
)  # fmt: skip


def raw(text: str) -> set[str]:
    """What a terminal would obey in a text, line ends apart."""
    return {one for one in text if unicodedata.category(one) in OBEYED and one != "\n"}


@pytest.fixture
def evil(tmp_path: Path) -> str:
    (tmp_path / "evil.jsonl").write_text(TRACE, encoding="utf-8")
    return "evil.jsonl"


@pytest.mark.parametrize(
    "words",
    [
        ["check"],
        ["check", "--strict", "--observer", "client"],
        ["check", "--format", "json"],
        ["check", "--edition", "sdk-2.4"],
        ["reduce"],
        ["reduce", "--format", "json"],
        ["reduce", "--session", EVIL],
        ["show"],
        ["show", "--width", "300"],
        ["show", "--format", "mermaid"],
        ["show", "--format", "json"],
        ["show", "--session", EVIL],
        ["replay"],
        ["fit"],
    ],
    ids=lambda words: "-".join(words[:3]).replace(EVIL, "evil"),
)
def test_nothing_that_a_peer_wrote_reaches_the_terminal_as_it_is(
    acpsim: Callable[..., Ran], evil: str, words: list[str]
) -> None:
    ran = acpsim(*words, evil)

    assert (set(), set()) == (raw(ran.out), raw(ran.err))


def test_the_hostile_trace_is_one_that_makes_findings(
    acpsim: Callable[..., Ran], evil: str
) -> None:
    found = json.loads(acpsim("check", "--format", "json", evil).out)["traces"][0]

    assert len(found["findings"]) >= 15
    assert len(found["diagnostics"]) >= 3


def test_a_json_document_says_the_same_with_escapes(acpsim: Callable[..., Ran], evil: str) -> None:
    sessions = json.loads(acpsim("reduce", "--format", "json", evil).out)["sessions"]

    assert [f"s{EVIL}"] == list(sessions)


@pytest.mark.parametrize("form", ["text", "mermaid"])
def test_what_looks_like_markup_is_shown_as_it_is_written(
    acpsim: Callable[..., Ran], form: str
) -> None:
    line = message("c2a", id=1, method="[red]x[/red]", params={})

    ran = acpsim("show", "--format", form, "-", given=line.encode())

    assert "[red]x[/red]" in ran.out


@pytest.mark.parametrize("sign", ["\n", ";", "#", "%%", "<b>", '"', "{", "`", ":"])
def test_no_sign_of_mermaid_is_left_in_a_message(acpsim: Callable[..., Ran], sign: str) -> None:
    line = message("c2a", id=1, method=f"a{sign}b<script>", params={})

    drawn = acpsim("show", "--format", "mermaid", "-", given=line.encode()).out.splitlines()[3]

    shown = drawn.removeprefix("  C->>A: #35;1 a").removesuffix("b#60;script#62;")
    assert re.fullmatch(r"(#\d+;|\w)+", shown)


@pytest.mark.parametrize("word", ["end", "END"])
def test_the_word_that_ends_a_block_of_mermaid_is_left_in_no_message(
    acpsim: Callable[..., Ran], word: str
) -> None:
    line = message("c2a", id=1, method=f"a {word} b", params={})

    drawn = acpsim("show", "--format", "mermaid", "-", given=line.encode()).out

    assert word not in drawn


PROGRAM = """
import json, sys
EVIL = {evil!r}
for line in sys.stdin:
    op = json.loads(line)["op"]
    first = {{"hello": {{"name": EVIL, "sections": ["timeline"]}}, "reset": {{"ok": True}}}}
    answer = first.get(op)
    if answer is None:
        sys.stderr.buffer.write((EVIL + "\\n").encode())
        {act}
    print(json.dumps(answer), flush=True)
"""
ACTS = {
    "exits": "sys.exit(3)",
    "refuses": 'answer = {"ok": False, "error": EVIL}',
    "garbles": "print(EVIL, flush=True)",
    "wrong-shape": "answer = {EVIL: EVIL}",
    "wrong-state": 'answer = {"ok": True} if op == "apply" else '
    '{"snapshot": {"timeline": [EVIL, "\\ud800"]}}',
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS.keys())
def test_nothing_that_a_target_wrote_reaches_the_terminal_as_it_is(
    acpsim: Callable[..., Ran], act: str, form: str
) -> None:
    text = PROGRAM.format(evil=EVIL, act=act)
    Path("target.py").write_text(text.replace(repr(EVIL), ascii(EVIL)), encoding="utf-8")
    target = f"cmd:{shlex.quote(sys.executable)} target.py"

    ran = acpsim("fuzz", "--target", target, "--cases", 2, "--format", form)

    assert (1, set(), set()) == (ran.status, raw(ran.out), raw(ran.err))


@pytest.mark.slow
def test_a_target_that_cannot_be_started_is_told_without_what_it_would_do_to_a_terminal(
    acpsim: Callable[..., Ran],
) -> None:
    Path("target.py").write_text(f"import sys; sys.exit({EVIL!a})", encoding="utf-8")

    ran = acpsim("fuzz", "--target", f"cmd:{shlex.quote(sys.executable)} target.py", "--cases", 1)

    assert (2, "", 1, set()) == (ran.status, ran.out, ran.err.count("\n"), raw(ran.err))


def test_what_a_python_target_raises_is_shown_with_escapes(
    acpsim: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(".")
    Path("evil_reducer.py").write_text(
        f"class Reducer:\n    def __init__(self, edition): pass\n    def apply(self, event):"
        f" raise ValueError({EVIL!a})\n    def snapshot(self, session_id): return None\n",
        encoding="utf-8",
    )

    ran = acpsim("fuzz", "--target", "evil_reducer:Reducer", "--cases", 1)

    assert (1, set(), set()) == (ran.status, raw(ran.out), raw(ran.err))


def test_the_name_of_a_file_is_shown_with_escapes(acpsim: Callable[..., Ran]) -> None:
    name = "a\x1b[31m\u202eb.jsonl"
    Path(name).write_text("oops\n", encoding="utf-8")

    ran = acpsim("check", name)

    assert (set(), set()) == (raw(ran.out), raw(ran.err))
