"""CUSTOM-UNDERSCORE: words of open enums, variants and methods, neither standard nor custom.

Heading: "Enum and Tagged-Union Variants" of the extensibility page. Facts: none; the words are in
`vocabulary`. Words that a rule of their own watches are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Final

from msgspec import UNSET

from acpsim.rules.case import PARTY, Answer, Case
from acpsim.rules.facts import SessionFacts
from acpsim.rules.registry import check
from acpsim.rules.rpc import shown
from acpsim.rules.vocabulary import METHODS, Strange, plain, strange
from acpsim.wire import methods, updates
from acpsim.wire.jsonrpc import OtherNotification, OtherRequest
from acpsim.wire.trace import Event


def _content(what: Any) -> Iterator[Strange]:
    return strange("content block", what.content)


def _tool_content(what: Any) -> Iterator[Strange]:
    return strange("tool content", what.content)


def _foreground(what: Any) -> Iterator[Strange]:
    return strange("foreground", what)


def _options(what: Any) -> Iterator[Strange]:
    return strange("option", what.config_options)


def _permission(what: Any) -> Iterator[Strange]:
    params = what.params
    return chain(
        strange("permission option", params.options),
        strange("subject", params.subject if isinstance(params.subject, dict) else UNSET),
    )


def _method(what: Any) -> Iterator[Strange]:
    if what.method not in METHODS:
        yield Strange("method", "method", what.method)


def _result(what: Any) -> Iterator[Strange]:
    """The words of a response."""
    result = what.outcome
    if isinstance(result, methods.RequestPermissionResult):
        return strange("outcome", result.outcome)
    if isinstance(result, methods.SessionResult | methods.SetConfigOptionResult):
        return strange("option", result.config_options)
    if isinstance(result, methods.ElicitationResult):
        return strange("action", result)
    return iter(())


WORDS: Final[dict[type, Callable[[Any], Iterator[Strange]]]] = {
    **dict.fromkeys(
        (
            updates.UserMessage,
            updates.UserMessageChunk,
            updates.AgentMessage,
            updates.AgentMessageChunk,
            updates.AgentThought,
            updates.AgentThoughtChunk,
            updates.SessionMessage,
            updates.SessionMessageChunk,
            updates.CompactionSummaryChunk,
        ),
        _content,
    ),
    updates.CompactionUpdate: lambda what: strange("content block", what.summary),
    updates.ToolCallUpdate: _tool_content,
    updates.ToolCallContentChunk: _tool_content,
    updates.StateUpdate: _foreground,
    updates.SubagentUpdate: lambda what: strange("foreground", what.state),
    updates.PlanUpdate: lambda what: strange("plan", what.plan),
    updates.AvailableCommandsUpdate: lambda what: strange("command", what.available_commands),
    updates.ConfigOptionUpdate: _options,
    updates.UnknownUpdate: lambda what: iter(
        (Strange("session update", "sessionUpdate", what.variant),)
    ),
    methods.PromptRequest: lambda what: strange("content block", what.params.prompt),
    methods.ResumeSessionRequest: lambda what: strange("replay", what.params.replay_from),
    methods.RequestPermissionRequest: _permission,
    methods.ElicitationRequest: lambda what: strange("elicitation", what.params),
    OtherRequest: _method,
    OtherNotification: _method,
    Answer: _result,
}
"""What can hold an open enum → the words in it that are not standard."""

ASKED: Final = (
    methods.NewSessionRequest,
    methods.ResumeSessionRequest,
    methods.ForkSessionRequest,
    methods.SetConfigOptionRequest,
    methods.RequestPermissionRequest,
    methods.ElicitationRequest,
)
CONTENT: Final = frozenset(
    {held for held, words in WORDS.items() if words in (_content, _tool_content)}
)
"""What is looked at for its content alone, and mostly has nothing strange in it."""


# CUSTOM-UNDERSCORE, "extensibility: Enum and Tagged-Union Variants". A word of a newer standard
# looks the same, so the text names the edition. Once for each message.
@check("CUSTOM-UNDERSCORE", *(held for held in WORDS if held is not Answer), answers=ASKED)
def custom_underscore(case: Case, s: SessionFacts | None, event: Event, what: Any) -> None:
    kind = type(what)
    found = [] if kind in CONTENT and plain(what.content) else list(WORDS[kind](what))
    if kind is updates.ToolCallUpdate and what.kind is not UNSET and what.kind is not None:
        known = what.kind in case.edition.tool_kinds
        found += [] if known else [Strange("tool call", "kind", what.kind)]
    if not found:
        return
    case.exercise("CUSTOM-UNDERSCORE")
    reserved = [word for word in found if word.reserved and _defined(case, word)]
    if reserved:
        names = ", ".join(f"{word.shape} {word.field} {shown(word.word)}" for word in reserved)
        party = PARTY[event.dir]
        text = (
            f"the {party} sent {names}: not defined in edition {case.edition.name} and not "
            'beginning with "_"'
        )
        case.breach("CUSTOM-UNDERSCORE", event.line, text, session=s, party=party)


def _defined(case: Case, word: Strange) -> bool:
    """Whether the edition has the field at all."""
    if word.shape == "background work":
        return case.edition.reports_background
    if word.shape == "command":
        return case.edition.commands_are_typed
    return True
