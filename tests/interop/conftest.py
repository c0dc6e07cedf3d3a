"""The official TypeScript SDK, installed for the tests that hold us against it.

Without Node or the registry they skip and say why; in CI (`CI` is set) they fail instead.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

SDK = "@agentclientprotocol/sdk@2.4.0"
HERE = Path(__file__).parent


def cannot(reason: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"{reason}; in CI the interop tests run")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def sdk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed SDK."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        cannot("no node and npm on PATH")
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text('{"private": true}')
    done = subprocess.run(
        [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", SDK],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        cannot(f"npm could not install {SDK}: {last[0]}")
    return folder / "node_modules" / "@agentclientprotocol" / "sdk"


class Validators:
    """The SDK's own validators, in one Node process."""

    def __init__(self, sdk: Path) -> None:
        self.process = subprocess.Popen(
            ["node", str(HERE / "validate.mjs"), str(sdk)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, questions: Iterable[tuple[str, Any]]) -> list[dict[str, Any]]:
        """For each (schema, value): `{"ok": true, "value"}` or `{"ok": false, "error"}`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        answers = []
        for schema, value in questions:
            self.process.stdin.write(json.dumps({"schema": schema, "value": value}) + "\n")
            self.process.stdin.flush()
            answers.append(json.loads(self.process.stdout.readline()))
        return answers

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(10)


@pytest.fixture(scope="session")
def validators(sdk: Path) -> Iterator[Validators]:
    running = Validators(sdk)
    yield running
    running.close()
