"""The rules as data, and which function checks which.

Owns: `RULES`, read from `rules.toml`, and the subscriptions. A rule's check is one function, tied
to its id by `@check`, and says what it wants to hear:

- `@check("RULE-ID", UserMessage, UserMessageChunk)`: update or message structs. It is called
  `f(case, session, event, update_or_message)` *before* the ledger takes the message in, so that
  the facts are those of the moment before. `session` is `None` for a message that names none.
- `answers=(PromptRequest,)`: responses to such requests: `f(case, session, event, Answer)`.
- `flawed=True`: messages with anything malformed in them, used or not, before all else:
  `f(case, None, event, FLAWED)`.
- `lost=True`: the loss of the connection, per session: `f(case, session, event, LOST)`.
- `end=True`: the end of the conversation, per session: `f(case, session, None, END)`.
- `over=True`: the same, once and before that: `f(case, None, None, OVER)`.

One function serves all its subscriptions and looks at what it was given. Rules never call each
other. A function reports with `case.breach` and `case.suspect`, counts an occasion with
`case.exercise`, and asks `case.ledger` and `session` for facts.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from acpsim.rules.facts import SessionFacts
    from acpsim.wire.trace import Event


class Rule(Struct, frozen=True, kw_only=True):
    """One row of `rules.toml`; its comment there says what each field means."""

    id: str
    party: str
    level: str
    section: str
    text: str
    check: str
    certainty: str
    races: str = ""

    @property
    def checkable(self) -> bool:
        """Whether a recorded conversation can decide it."""
        return self.check in {"trace", "end"}


def load_rules() -> dict[str, Rule]:
    """All rules by id, in the order of the file."""
    text = resources.files("acpsim.rules").joinpath("rules.toml").read_text(encoding="utf-8")
    rules: dict[str, Rule] = {}
    for row in tomllib.loads(text)["rule"]:
        rule = Rule(**row)
        assert rule.id not in rules, f"{rule.id} stands twice in rules.toml"
        rules[rule.id] = rule
    return rules


RULES: Final[dict[str, Rule]] = load_rules()


class Moment:
    """What a function is given where there is no message to look at."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


FLAWED: Final = Moment("FLAWED")
LOST: Final = Moment("LOST")
END: Final = Moment("END")
OVER: Final = Moment("OVER")

Check: TypeAlias = Callable[[Any, "SessionFacts | None", "Event | None", Any], None]


class Subscriptions:
    """Who hears what."""

    def __init__(self) -> None:
        self.functions: dict[str, Check] = {}
        self.messages: dict[type, list[Check]] = {}
        self.answers: dict[type, list[Check]] = {}
        self.flawed: list[Check] = []
        self.lost: list[Check] = []
        self.end: list[Check] = []
        self.over: list[Check] = []


SUBSCRIPTIONS: Final = Subscriptions()


def check(
    rule: str,
    *classes: type,
    answers: tuple[type, ...] = (),
    flawed: bool = False,
    lost: bool = False,
    end: bool = False,
    over: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Tie a function to the rule that it checks and to what it hears."""
    assert rule in RULES, f"{rule} is not in rules.toml"
    assert RULES[rule].checkable, f"{rule} cannot be decided from a trace"
    assert rule not in SUBSCRIPTIONS.functions, f"{rule} has two functions"

    def tie(function: Callable[..., None]) -> Callable[..., None]:
        SUBSCRIPTIONS.functions[rule] = function
        for message in classes:
            SUBSCRIPTIONS.messages.setdefault(message, []).append(function)
        for request in answers:
            SUBSCRIPTIONS.answers.setdefault(request, []).append(function)
        moments = SUBSCRIPTIONS
        for heard, wanted in (
            (moments.flawed, flawed),
            (moments.lost, lost),
            (moments.end, end),
            (moments.over, over),
        ):
            if wanted:
                heard.append(function)
        return function

    return tie


NOT_IN_TRACES: Final = tuple(rule.id for rule in RULES.values() if not rule.checkable)
"""Rules that no trace can decide: they bind what a client holds, or nothing that can be seen."""


def orphans() -> list[str]:
    """Rules that a trace can decide and that no function checks."""
    return [
        rule.id
        for rule in RULES.values()
        if rule.checkable and rule.id not in SUBSCRIPTIONS.functions
    ]
