"""A target that misbehaves in the way that its first argument names; run as a program by the tests.

It holds nothing but the number of events that it was given, as `{"usage": {"used": N, …}}`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable

EXACT = '{"ok": true}'


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def sleep() -> None:
    time.sleep(3600)


def half_a_line(then: Callable[[], None]) -> None:
    sys.stdout.write(EXACT[:9])
    sys.stdout.flush()
    then()


def close_input_and_live() -> None:
    os.close(0)
    sleep()


def close_output_and_live() -> None:
    sys.stdout.flush()
    os.close(1)
    sleep()


def leave_words() -> None:
    for number in range(100):
        sys.stderr.write(f"line {number}\n")
    sys.stderr.write("\x1b[31mlast\x1b[0m")
    sys.stderr.flush()
    os._exit(3)


def flood_line() -> None:
    while True:
        sys.stdout.write("x" * 65536)


def flood_lines() -> None:
    while True:
        say("noise")


def flood_errors() -> None:
    for _ in range(64):
        os.write(2, b"e" * 65536)
    say(EXACT)


def breed() -> None:
    """A grandchild that outlives its parent, unless the whole group is ended."""
    import subprocess

    grandchild = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", "import time; time.sleep(3600)"]
    )
    sys.stderr.write(f"{grandchild.pid}\n")
    sys.stderr.flush()
    say("wrong")


ON_APPLY: dict[str, Callable[[], object]] = {
    "exit": lambda: os._exit(7),
    "signal": lambda: os.kill(os.getpid(), 11),
    "hang": sleep,
    "half": lambda: half_a_line(sleep),
    "cut": lambda: half_a_line(lambda: os._exit(0)),
    "no-json": lambda: say("done."),
    "number": lambda: say("7"),
    "no-ok": lambda: say('{"okay": true}'),
    "nan": lambda: say('{"ok": NaN}'),
    "deep": lambda: say("[" * 100_000),
    "refuse": lambda: say('{"ok": false, "error": "event 1 is\\nnot for me"}'),
    "close-input": close_input_and_live,
    "close-output": close_output_and_live,
    "last-words": leave_words,
    "flood-line": flood_line,
    "flood-lines": flood_lines,
    "flood-errors": flood_errors,
    "breed": breed,
}
ON_SNAPSHOT: dict[str, Callable[[], object]] = {
    "snapshot-list": lambda: say('{"snapshot": [1]}'),
    "snapshot-missing": lambda: say('{"ok": true}'),
    "snapshot-refused": lambda: say('{"ok": false, "error": "no such session"}'),
    "half-pair": lambda: say('{"snapshot": {"notices": ["\\ud83d!", "\\ud83d\\ude00"]}}'),
}
HELLO: dict[str, Callable[[], object]] = {
    "hello-banner": lambda: say("Listening on standard input"),
    "hello-exit": lambda: sys.exit("no licence"),
    "hello-hang": sleep,
    "hello-no-sections": lambda: say('{"name": "x"}'),
    "hello-unknown-section": lambda: say('{"name": "x", "sections": ["toolcalls"]}'),
    "hello-no-section": lambda: say('{"name": "x", "sections": []}'),
    "hello-changes": lambda: say(
        json.dumps({"name": "x", "sections": ["usage"] if first_start() else ["closed"]})
    ),
}


def first_start() -> bool:
    """Whether the file that the second argument names was not there yet."""
    try:
        os.close(os.open(sys.argv[2], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def main(mode: str) -> None:
    held = 0

    def hello() -> None:
        say('{"name": "child", "sections": ["usage"]}')

    def snapshot() -> None:
        usage = {"usage": {"used": held, "size": 0, "cost": None}}
        say(json.dumps({"snapshot": usage if request["sessionId"] == "s1" else None}))

    if mode == "early":
        say("ready")
    for line in sys.stdin:
        request = json.loads(line)
        match request["op"]:
            case "hello":
                HELLO.get(mode, hello)()
            case "reset":
                held = 0
                say(EXACT)
            case "apply":
                held += len(request["events"])
                ON_APPLY.get("exit" if mode == "hello-changes" else mode, lambda: say(EXACT))()
            case "snapshot":
                ON_SNAPSHOT.get(mode, snapshot)()
                if mode == "deaf":
                    sleep()
                if mode == "extra-line":
                    say("and one more thing")


if __name__ == "__main__":
    main(sys.argv[1])
