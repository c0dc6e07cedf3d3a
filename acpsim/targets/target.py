"""What a reducer under test looks like from here, and how it fails.

Owns: `Target`, `DirectTarget`, `TargetFailure` and the names of the snapshot's sections. The kinds
of target are modules of their own; whether a snapshot is right is for `oracles` to say.
"""

from __future__ import annotations

import difflib
import linecache
import os
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, Literal, Protocol, TypeAlias, runtime_checkable

from acpsim.wire.cells import Json, JsonObject
from acpsim.wire.jsonrpc import Malformed
from acpsim.wire.trace import Event

FailureKind: TypeAlias = Literal[
    "exited", "hung", "flooded", "garbled", "raised", "refused", "closed", "unstartable"
]
FAILURE_KINDS: Final[dict[FailureKind, str]] = {
    "exited": "the process ended in the middle of a case",
    "hung": "no answer came within the time limit",
    "flooded": "one answer grew over the limit",
    "garbled": "the answer was not what the target protocol asks for",
    "raised": "an exception came out of the target",
    "refused": "the target answered that it could not do it",
    "closed": "the process lives but has closed its standard input or output",
    "unstartable": "the process could not be started again",
}
"""Every way in which a target fails apart from holding the wrong state."""

ANSWER_TIMEOUT_S: Final = 5.0
"""For one answer. A reducer needs microseconds; a busy machine may take a second now and then."""

TEXT_CHARS_MAX: Final = 300
"""Of what a target wrote or raised, quoted in a failure's text. Enough to know it again."""


class TargetFailure(Exception):
    """A target failed: it did not merely hold the wrong state, it gave no usable answer.

    `text` is one sentence without a full stop: what was asked, what was expected, what came.
    `signature` is equal for two failures of the same cause (the exception's type and place, the
    exit status), whatever the conversation was. `last_words` are the last lines of the target's
    standard error, control characters and all: a view makes them visible. After a failure the
    target accepts `reset` and nothing else.
    """

    def __init__(
        self, kind: FailureKind, text: str, *, signature: str = "", last_words: str = ""
    ) -> None:
        super().__init__(text)
        self.kind: FailureKind = kind
        self.text = text
        self.signature = signature or kind
        self.last_words = last_words


class Target(Protocol):
    """A reducer under test. `reset` comes first, and again before each case.

    Each method raises `TargetFailure` where the target fails, and nothing else. A target may put
    off what `reset` and `apply` ask for: what they failed at then comes out of the next `snapshot`.
    """

    @property
    def name(self) -> str:
        """How reports call it."""

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of the snapshot that it keeps; `messages.agent_message` names a part."""

    def reset(self) -> None:
        """A new connection, nothing held."""

    def apply(self, events: Sequence[Event]) -> None:
        """Hands over the next events, in order. Lines that were no JSON object are left out."""

    def snapshot(self, session_id: str) -> JsonObject | None:
        """What it holds of one session, as fresh JSON; `None` if no message has named it."""

    def close(self) -> None:
        """Ends it for good and frees what it holds. May be called twice."""


@runtime_checkable
class DirectTarget(Target, Protocol):
    """A target in this process, whose very objects can be reached: for the law of no aliasing."""

    def apply_value(self, value: JsonObject) -> None:
        """Hands over one event as this very object, which the caller may change afterwards."""

    def snapshot_value(self, session_id: str) -> Json:
        """The snapshot as the very object that the target returned, not checked and not copied."""


SECTIONS: Final[tuple[str, ...]] = (
    "timeline",
    "messages",
    "toolCalls",
    "terminals",
    "plans",
    "compactions",
    "subagents",
    "foreground",
    "prompts",
    "permissions",
    "commands",
    "configOptions",
    "info",
    "usage",
    "notices",
    "unknown",
    "closed",
)
"""The sections of the canonical snapshot, in its order."""

PARTS: Final[dict[str, tuple[str, ...]]] = {
    "messages": ("user_message", "agent_message", "agent_thought", "session_message"),
    "foreground": (
        "state",
        "confirmed",
        "stopReason",
        "error",
        "usage",
        "completions",
        "background",
    ),
    "info": ("title", "updatedAt", "meta"),
    "usage": ("used", "size", "cost"),
}
"""The parts that a dotted path may name. Other sections are keyed by what the agent chose."""


KNOWN_MAX: Final = len(SECTIONS)
"""How many names a one-line error may list."""


class UnknownSection(ValueError):
    """A target says that it keeps something that no snapshot has; the text says what is known."""


def read_sections(value: object) -> tuple[str, ...]:
    """The sections that a target declares, checked. Raises `UnknownSection`.

    A list without any is refused too: nothing could be compared, and every case would pass.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise UnknownSection('its sections are no list of names such as ["timeline", "messages"]')
    if not value:
        raise UnknownSection(
            f"it keeps no section, so that nothing can be compared; give some of "
            f"{', '.join(SECTIONS)}"
        )
    for path in value:
        _check_section(path)
    return tuple(dict.fromkeys(value))


def _check_section(path: str) -> None:
    section, dot, part = path.partition(".")
    if section not in SECTIONS:
        raise UnknownSection(f'no section "{path}"{nearest(section, SECTIONS)}')
    if not dot or part in PARTS.get(section, ()):
        return
    if section not in PARTS:
        raise UnknownSection(
            f'section "{path}": {section} has no fixed parts; give "{section}" whole'
        )
    raise UnknownSection(
        f'section "{path}": {section} has no such part{nearest(part, PARTS[section])}'
    )


def nearest(word: str, known: Sequence[str]) -> str:
    """`; did you mean …?` for the nearest of what is known, or all of it where it is short."""
    close = difflib.get_close_matches(word, known, n=3)
    if close:
        best = difflib.SequenceMatcher(None, word, close[0]).ratio()
        near = difflib.get_close_matches(word, close, cutoff=max(0.0, best - 0.1))
        return f"; did you mean {' or '.join(near)}?"
    return f"; known are {', '.join(known)}" if 0 < len(known) <= KNOWN_MAX else ""


def reaches_targets(event: Event) -> bool:
    """Whether a target is given this event: not if the line was no JSON object.

    The contract promises targets messages. A line that is none was the transport's to drop, and a
    target that looks for `msg` would be blamed for what it was never promised.
    """
    message = event.message
    return not (
        isinstance(message, Malformed)
        and message.kind == "unreadable"
        and not isinstance(message.value, dict)
    )


def one_line(text: str) -> str:
    """The text on one line and not too long; other control characters stay as they are."""
    joined = " ".join(text.split("\n")).replace("\r", " ")
    return joined if len(joined) <= TEXT_CHARS_MAX else f"{joined[:TEXT_CHARS_MAX]}…"


def raised(error: BaseException, *, asked: str, own_file: str | None = None) -> TargetFailure:
    """The failure that an exception from a Python target is.

    The frame named is the innermost one in `own_file`, the file that the target is defined in, or
    else the innermost one at all: that is where its author looks first.
    """
    kind = type(error).__name__
    place = _place(error.__traceback__, own_file)
    text = one_line(f"{kind}: {_text_of(error)}".removesuffix(": "))
    return TargetFailure(
        "raised",
        f"asked to {asked}, it raised {text}{place and f' ({place})'}",
        signature=f"{kind} {place}".strip(),
    )


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as second:  # an exception whose text raises is the target's mistake too
        return f"(its text raises {type(second).__name__})"


def _place(traceback: TracebackType | None, own_file: str | None) -> str:
    frames = list(_frames(traceback))
    if not frames:
        return ""
    own = [frame for frame in frames if own_file and _same_file(frame[0], own_file)]
    path, line, function = (own or frames)[-1]
    source = linecache.getline(path, line).strip()
    return f"{os.path.basename(path)}:{line}, in {function}" + (f": {source}" if source else "")


def _same_file(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _frames(traceback: TracebackType | None) -> Iterator[tuple[str, int, str]]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if os.path.isfile(code.co_filename):
            yield code.co_filename, traceback.tb_lineno, code.co_name
        traceback = traceback.tb_next
