"""The command as a process: what it imports, pipes, standard input, memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acpsim.cli import COMMANDS
from tests.cli.conftest import RECORDED, Ran

ROOT = Path(__file__).parents[2]
HEAVY = ["hypothesis", "numpy", "matplotlib", "simpy", "rich", "msgspec"]
ACPSIM = (sys.executable, "-m", "acpsim")
PLAIN = RECORDED / "plain.jsonl"


def process(
    *words: str, given: bytes = b"", **variables: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        words,
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
    )


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from acpsim.cli import run; run(['--help']);"
        f"sys.stderr.write(' '.join(sorted(set(sys.modules) & set({HEAVY!r}))))"
    )

    assert process(sys.executable, "-c", code).stderr == b""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_shows_examples(acpsim: Callable[..., Ran], command: str) -> None:
    ran = acpsim(command, "--help")

    assert ran.status == 0
    assert f"Examples:\n    acpsim {command}" in ran.out


def test_help_names_every_command(acpsim: Callable[..., Ran]) -> None:
    out = acpsim("--help").out

    assert [name for name in COMMANDS if f"\n  {name} " not in out] == []


@pytest.mark.parametrize("command", ["check", "reduce", "show"])
def test_a_dash_reads_standard_input(acpsim: Callable[..., Ran], command: str) -> None:
    ran, named = acpsim(command, "-", given=PLAIN.read_bytes()), acpsim(command, PLAIN)

    assert (named.status, named.out.replace(str(PLAIN), "-")) == (ran.status, ran.out)


@pytest.mark.slow
def test_whoever_has_seen_enough_is_told_nothing_more(tmp_path: Path) -> None:
    lines = PLAIN.read_bytes().splitlines(keepends=True)
    long = tmp_path / "long.jsonl"
    long.write_bytes(b"".join(lines) + lines[-1] * 5000)
    show = [*ACPSIM, "show", "--most", "5000", str(long)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        show, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()

        assert running.stderr.read() == b""


@pytest.mark.slow
def test_a_terminal_that_knows_ascii_alone_is_given_escapes() -> None:
    ran = process(*ACPSIM, "show", str(PLAIN), PYTHONIOENCODING="ascii")

    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.slow
def test_the_name_of_a_file_need_not_be_text(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.jsonl"
    Path(os.fsdecode(name)).write_bytes(PLAIN.read_bytes())

    ran = process(*ACPSIM, "check", "--format", "json", os.fsdecode(name))

    assert json.loads(ran.stdout)["traces"][0]["messages"] == 11


@pytest.mark.slow
def test_progress_is_shown_to_terminals_alone(acpsim: Callable[..., Ran]) -> None:
    assert acpsim("fuzz", "--cases", 10).err == ""


CHUNK = (
    '{"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_1",'
    '"update":{"sessionUpdate":"agent_message_chunk","messageId":"long","content":'
    '{"type":"text","text":"some words of a reply"}}}}}\n'
)


@pytest.mark.slow
def test_check_holds_no_trace_in_memory(tmp_path: Path) -> None:
    """200,000 messages are 40 MB of JSON; what is held beside the program stays far below."""
    long = tmp_path / "long.jsonl"
    with long.open("wb") as stream:
        stream.write(PLAIN.read_bytes())
        for _ in range(200):
            stream.write(CHUNK.encode() * 1000)
    code = (
        "import resource, sys; from acpsim.cli import run\n"
        f"run(['check', {str(PLAIN)!r}])\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"run(['check', {str(long)!r}])\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "sys.stderr.write(str((after - before) // 1024))"
    )

    grown_mib = int(process(sys.executable, "-c", code).stderr)

    assert grown_mib < 30
