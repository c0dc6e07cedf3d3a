"""A Python reducer behind acpsim's target protocol. One file, no dependencies, Python 3.8 or later.

    python harness.py my_reducer:Reducer
    acpsim fuzz --target "cmd:other/venv/bin/python harness.py my_reducer:Reducer"

`Reducer` is a class or a function. It is called with the edition's name and gives an object with

    apply(event)            one event: {"dir": "c2a" | "a2c", "msg": {...}}, or {"dir": "lost"};
                            a line that was no JSON object has "raw", its text, instead of "msg"
    snapshot(session_id)    what is held of a session, as JSON values by section; None for a session
                            that no message has named
    sections                optional: the sections that it keeps; all where it says nothing

The pattern for other languages: read a line, answer with a line, whatever happens.
1. Standard output is for answers alone. What the reducer prints goes to standard error.
2. One answer to each request, flushed at once: the other side waits for it.
3. What the reducer raises is an answer too: {"ok": false, "error": TEXT}. `reset` begins anew.
4. A line ends at "\\n" and nowhere else: JSON text may hold other characters that are line ends
   to some, and any number of messages.
5. The end of standard input ends the program.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from typing import Any, BinaryIO, Callable, Iterable  # noqa: UP035 Python 3.8 knows no other

SECTIONS = (
    *("timeline", "messages", "toolCalls", "terminals", "plans", "compactions", "subagents"),
    *("foreground", "prompts", "permissions", "commands", "configOptions", "info", "usage"),
    *("notices", "unknown", "closed"),
)


class Harness:
    """Answers requests. `factory` makes a reducer, given the edition's name."""

    def __init__(self, factory: Callable[[str], Any], name: str) -> None:
        self.factory = factory
        self.name = name
        self.edition = "draft"
        self.reducer: Any = None

    def answer(self, line: bytes) -> bytes:
        """The answer to one line. It never raises on what a line says or a reducer does."""
        try:
            request = json.loads(line)
            # As ASCII with escapes, so that whatever a text holds can be written.
            return json.dumps(self._asked(request)).encode("ascii")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a reducer may also try to exit
            traceback.print_exc()
            return json.dumps({"ok": False, "error": told(error)}).encode("ascii")

    def _asked(self, request: dict[str, Any]) -> dict[str, Any]:
        operation = request["op"]
        if operation == "hello":
            self.edition = request["edition"]
            self.reducer = self.factory(self.edition)
            sections = getattr(self.reducer, "sections", SECTIONS)
            return {"name": self.name, "sections": list(sections)}
        if operation == "reset":
            self.reducer = self.factory(self.edition)
            return {"ok": True}
        if operation == "apply":
            for event in request["events"]:
                self.reducer.apply(event)
            return {"ok": True}
        if operation == "snapshot":
            return {"snapshot": self.reducer.snapshot(request["sessionId"])}
        raise ValueError(f"no such operation: {operation}")


def told(error: BaseException) -> str:
    """An error in one line: what it is, what it says, where it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {os.path.basename(frames[-1].filename)}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def load(address: str) -> Any:
    """What stands at `module:attribute`; the current directory comes first."""
    name, _, attribute = address.partition(":")
    sys.path.insert(0, os.getcwd())
    found: Any = importlib.import_module(name)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def serve(harness: Harness, source: Iterable[bytes], sink: BinaryIO) -> None:
    """Answer every line until there are no more."""
    for line in source:
        sink.write(harness.answer(line) + b"\n")
        sink.flush()


if __name__ == "__main__":
    if len(sys.argv) != 2 or ":" not in sys.argv[1]:
        sys.exit("usage: python harness.py module:attribute")
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    serve(Harness(load(sys.argv[1]), sys.argv[1]), sys.stdin.buffer, answers)
