"""The JavaScript harness, with a stand-in for the SDK; with the real one in `tests/interop`."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from acpsim.harness import harness_text
from acpsim.targets.address import open_target
from acpsim.vectors.running import Found, run_one
from acpsim.vectors.shipped import shipped
from acpsim.wire.edition import SDK_2_4

HERE = Path(__file__).parent
NODE = shutil.which("node")
PACKAGE = {
    "name": "@agentclientprotocol/sdk",
    "type": "module",
    "exports": {"./experimental/v2/unstable": "./unstable/acp.js"},
}
KINDS = ("UpdateSessionNotification", "NewSessionRequest", "NewSessionResponse")
TAKES_ALL = "export const z{} = {{ safeParse: (data) => ({{ success: true, data }}) }};"
HELLO = '{"op": "hello", "version": 1, "edition": "sdk-2.4"}'
RESET = '{"op": "reset"}'

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="node is not on PATH"),
    pytest.mark.slow,
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with the harness, a reducer, and an SDK that takes whatever it is given."""
    (tmp_path / "harness.mjs").write_text(harness_text("javascript"), "utf-8")
    shutil.copy(HERE / "held.mjs", tmp_path)
    package = tmp_path / "node_modules" / "@agentclientprotocol" / "sdk"
    (package / "unstable" / "schema").mkdir(parents=True)
    (package / "package.json").write_text(json.dumps(PACKAGE))
    (package / "unstable" / "acp.js").write_text("")
    validators = "\n".join(TAKES_ALL.format(kind) for kind in KINDS)
    (package / "unstable" / "schema" / "zod.gen.js").write_text(validators)
    return tmp_path


def asked(folder: Path, *lines: str) -> list[Any]:
    """What the harness answers to these lines."""
    ran = subprocess.run(
        [str(NODE), "harness.mjs", "held.mjs"],
        cwd=folder,
        input="".join(f"{line}\n" for line in lines).encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.decode().split("\n")[:-1]]


def test_a_reducer_behind_it_holds_what_it_should(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    line = shlex.join([str(NODE), "harness.mjs", "held.mjs"])
    [one] = [one for one in shipped(SDK_2_4) if one.vector.name == "rule-CHUNK-APPEND"]
    with closing(open_target(f"cmd:{line}", edition=SDK_2_4)) as target:
        result = run_one(Found(vector=one.vector, sections=one.sections), target)

    assert result.outcome == "passed"


def test_what_the_reducer_prints_is_no_answer(folder: Path) -> None:
    [hello] = asked(folder, HELLO)

    assert hello == {"name": "held.mjs", "sections": ["messages.agent_message", "closed"]}


def test_what_the_reducer_throws_is_an_answer(folder: Path) -> None:
    event = {"dir": "a2c", "msg": {"jsonrpc": "2.0", "method": "_test/throw"}}
    [_, failed, fresh] = asked(folder, HELLO, json.dumps({"op": "apply", "events": [event]}), RESET)

    assert failed == {"ok": False, "error": "Error: told to"}
    assert fresh == {"ok": True}


@pytest.mark.parametrize("line", ["nonsense", "7", "null", "{}", '{"op": "sing"}', "\u2028", "[]"])
def test_a_line_that_is_no_request_gets_an_answer(folder: Path, line: str) -> None:
    [_, failed, fresh] = asked(folder, HELLO, line, RESET)

    assert (failed["ok"], fresh["ok"]) == (False, True)


@pytest.mark.parametrize(
    "event",
    [
        {"dir": "a2c", "raw": "no JSON"},
        {"dir": "a2c", "msg": {}},
        {"dir": "a2c", "msg": {"jsonrpc": "2.0", "id": 1, "result": {}}},
        {"dir": "a2c", "msg": {"jsonrpc": "2.0", "method": "session/update", "id": 1}},
        {"dir": "c2a", "msg": {"jsonrpc": "2.0", "method": "__proto__", "params": [1]}},
        {"dir": "lost"},
    ],
)
def test_no_event_stops_it(folder: Path, event: Any) -> None:
    apply = json.dumps({"op": "apply", "events": [event]})

    assert asked(folder, HELLO, RESET, apply)[2] == {"ok": True}


def test_all_answers_are_written_though_the_input_ends_first(folder: Path) -> None:
    snapshot = json.dumps({"op": "snapshot", "sessionId": "x" * 1000})

    assert len(asked(folder, HELLO, *[snapshot] * 5000)) == 5001


def test_a_line_separator_within_a_text_is_no_line_end(folder: Path) -> None:
    snapshot = '{"op": "snapshot", "sessionId": "a\u2028b\u0085c"}'

    assert asked(folder, HELLO, RESET, snapshot)[2] == {"snapshot": None}
