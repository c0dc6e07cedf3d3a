"""A program in any language as a target: JSON lines on its standard input and output.

Owns: the target protocol ("Target" in the contracts) as seen from this side: what is asked, what
counts as an answer, and a new process after each failure. Pipes and limits are `process.Child`'s.
"""

from __future__ import annotations

import dataclasses
import json
import shlex
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from acpsim.targets.process import Child, Trouble
from acpsim.targets.target import (
    ANSWER_TIMEOUT_S,
    FailureKind,
    TargetFailure,
    UnknownSection,
    one_line,
    reaches_targets,
    read_sections,
)
from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event

PROTOCOL_VERSION: Final = 1

HELLO_TIMEOUT_S: Final = 20.0
"""For the answer to `hello`, which waits for an interpreter to start and modules to load."""

NOISE_QUIET_S: Final = 0.2
"""After a wrong line, how long without another one until it counts as one wrong line."""

UNANSWERED_BYTES_MAX: Final = 1024 * 1024
"""Of requests that are sent before their answers are read: a long conversation told message by
message is not kept twice."""

_RESET: Final = b'{"op":"reset"}\n'
_encode = msgspec.json.Encoder().encode


class WrongAnswer(Exception):
    """An answer that the protocol does not know; the text says what came instead."""

    def __init__(self, text: str, *, kind: FailureKind = "garbled", signature: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.kind: FailureKind = kind
        self.signature = signature or text


@dataclasses.dataclass(frozen=True, slots=True)
class Ask:
    """One request whose answer is still to come: what it asks, and how its answer is read."""

    to_do: str
    expected: str
    read: Callable[[Json], Json]


class StdioTarget:
    """A program as a target, started on the first `reset` or by `start`.

    One process serves many cases. `reset` and `apply` do not wait for their answers, which are read
    by the `snapshot` after them: one round trip a case, and a failure that one of them met comes
    out of it. Where the program fails it is killed with its process group, and the next `reset`
    starts it again.
    """

    def __init__(
        self,
        command_line: str,
        *,
        edition: Edition,
        timeout_s: float = ANSWER_TIMEOUT_S,
        hello_timeout_s: float = HELLO_TIMEOUT_S,
    ) -> None:
        self._command = shlex.split(command_line)
        self._edition = edition
        self.timeout_s = timeout_s
        self._hello_timeout_s = hello_timeout_s
        self._child: Child | None = None
        self._asks: list[Ask] = []
        self._unanswered_bytes = 0
        self.name = command_line
        self.sections: tuple[str, ...] = ()
        self.starts = 0
        """How often the program was started; one more than the failures, if all goes well."""

    def start(self) -> None:
        """Starts the program and exchanges `hello`. Raises `OSError` or `TargetFailure`."""
        self._child = Child(self._command)
        self.starts += 1
        hello = {"op": "hello", "version": PROTOCOL_VERSION, "edition": self._edition.name}
        self._ask(_HELLO, _encode(hello) + b"\n")
        name, sections = self._settle(self._hello_timeout_s)
        if self.starts > 1 and sections != self.sections:
            # Cases before and after would have been compared by different measures.
            raise self._failed(
                "garbled",
                f"asked {_HELLO.to_do} after a restart, it keeps other sections than before: "
                f"{', '.join(sections)}, and at first {', '.join(self.sections)}",
                signature="other sections after a restart",
            )
        self.name, self.sections = name or self.name, sections

    def reset(self) -> None:
        """A new connection. Starts the program where none runs: at first, and after a failure."""
        if self._child is None:
            try:
                self.start()
            except OSError as error:
                raise self._failed(
                    "unstartable", f"it could not be started again: {error.strerror}"
                ) from error
        self._settle(self.timeout_s)
        self._ask(_RESET_ASK, _RESET)

    def apply(self, events: Sequence[Event]) -> None:
        """Hands over the events in one request. Waits only where much has been sent unanswered."""
        sent = [_event_text(event) for event in events if reaches_targets(event)]
        ask = Ask(f"apply {_count(len(sent), 'event')}", '{"ok": true}', _read_ok)
        self._ask(ask, b'{"op":"apply","events":[' + b",".join(sent) + b"]}\n")
        if self._unanswered_bytes > UNANSWERED_BYTES_MAX:
            self._settle(self.timeout_s)

    def snapshot(self, session_id: str) -> JsonObject | None:
        """What it holds of one session."""
        ask = Ask(
            f"give a snapshot of session {_quoted(session_id)}",
            '{"snapshot": {…}} or {"snapshot": null}',
            _read_snapshot,
        )
        self._ask(ask, _encode({"op": "snapshot", "sessionId": session_id}) + b"\n")
        snapshot: JsonObject | None = self._settle(self.timeout_s)
        return snapshot

    @property
    def pid(self) -> int | None:
        """Its process, while there is one."""
        return None if self._child is None else self._child.pid

    def close(self) -> None:
        """Lets the program end by itself for a moment, then kills it with its process group."""
        if self._child is not None:
            self._child.close()
        self._child = None
        self._asks.clear()

    def __enter__(self) -> StdioTarget:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, ask: Ask, request: bytes) -> None:
        assert self._child is not None, "reset comes first, and after each failure"
        self._child.send(request)
        self._asks.append(ask)
        self._unanswered_bytes += len(request)

    def _settle(self, timeout_s: float) -> Json:
        """Reads the answers that are still to come, and returns the last."""
        answer: Json = None
        asks, self._asks = self._asks, []
        self._unanswered_bytes = 0
        for ask in asks:
            answer = self._answer(ask, timeout_s)
        return answer

    def _answer(self, ask: Ask, timeout_s: float) -> Json:
        child = self._child
        assert child is not None
        asked = f"asked {ask.to_do}" if ask is _HELLO else f"asked to {ask.to_do}"
        try:
            line = child.line(timeout_s)
            return ask.read(_decode(line))
        except Trouble as trouble:
            text = f"{asked}, expected {ask.expected}, and {trouble.text}"
            raise self._failed(trouble.kind, text, signature=trouble.signature) from None
        except WrongAnswer as wrong:
            came = f"{asked}, expected {ask.expected}, and {wrong.text}"
            if wrong.kind == "garbled" and child.floods(NOISE_QUIET_S):
                raise self._failed(
                    "flooded", f"{came}, and more without end", signature="lines without end"
                ) from None
            raise self._failed(wrong.kind, came, signature=wrong.signature) from None

    def _failed(self, kind: FailureKind, text: str, *, signature: str = "") -> TargetFailure:
        """Ends the process, so that the next case meets a fresh one."""
        last_words = ""
        if self._child is not None:
            self._child.kill()
            last_words = self._child.last_words
        self._child = None
        self._asks.clear()
        return TargetFailure(kind, text, signature=signature, last_words=last_words)


def _event_text(event: Event) -> bytes:
    """An event as the target reads it: its message as it came, on one line."""
    if event.message is None:
        return b'{"dir":"lost"}'
    # A newline in JSON text is white space: inside strings it is written as an escape.
    text = event.raw.replace(b"\n", b" ") if b"\n" in event.raw else event.raw
    return b'{"dir":"%b","msg":%b}' % (event.dir.encode(), text)


def _decode(line: bytes) -> Json:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    try:
        # JavaScript and others write half of a surrogate pair as an escape, which is JSON by its
        # grammar. The half is replaced on our side of the comparison as well.
        text = json.dumps(json.loads(line, parse_constant=_no_number), ensure_ascii=False)
        return msgspec.json.decode(
            text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    except (msgspec.DecodeError, ValueError, RecursionError):
        raise WrongAnswer(
            f"it wrote a line that is no JSON: {_shown(line)}; "
            "standard output is for answers alone, anything else belongs on standard error",
            signature="no JSON",
        ) from None


def _no_number(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


def _object(answer: Json) -> JsonObject:
    if not isinstance(answer, dict):
        raise WrongAnswer(f"it answered {_shown(answer)}", signature="no JSON object")
    return answer


def _read_ok(answer: Json) -> None:
    ok = _object(answer).get("ok")
    if ok is True:
        return
    if ok is False:
        error = answer.get("error")
        said = one_line(error) if isinstance(error, str) else _shown(answer)
        raise WrongAnswer(f"it refused: {said}", kind="refused", signature=said)
    raise WrongAnswer(f"it answered {_shown(answer)}", signature="no ok")


def _read_snapshot(answer: Json) -> JsonObject | None:
    snapshot = _object(answer).get("snapshot", msgspec.UNSET)
    if snapshot is None or isinstance(snapshot, dict):
        return snapshot
    if answer.get("ok") is False:
        _read_ok(answer)
    raise WrongAnswer(f"it answered {_shown(answer)}", signature="no snapshot")


def _read_hello(answer: Json) -> tuple[str, tuple[str, ...]]:
    name = _object(answer).get("name")
    if "sections" not in answer:
        raise WrongAnswer(f"it answered {_shown(answer)}", signature="no sections")
    try:
        sections = read_sections(answer["sections"])
    except UnknownSection as wrong:
        raise WrongAnswer(str(wrong), signature="unknown sections") from None
    return (name if isinstance(name, str) else ""), sections


def _shown(value: Json) -> str:
    """What came, cut, as JSON or, where it is none, as text."""
    if isinstance(value, bytes):
        return one_line(value.decode("utf-8", "replace")) or "(an empty line)"
    return one_line(_encode(value).decode())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


_HELLO: Final = Ask("hello", '{"name": …, "sections": […]}', _read_hello)
_RESET_ASK: Final = Ask("reset", '{"ok": true}', _read_ok)
