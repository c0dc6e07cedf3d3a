"""The foreground state: everything that moves it is here, and nothing else moves it.

Owns: `TRANSITIONS`, from a reported state to what it does. States are those of "Session States"; a
string that is not in the table is kept as it is, unconfirmed, and is not idle. No update but
`state_update`, no response, no permission request and no notice has a row (STATE-BACKGROUND,
PROMPT-NOT-IDLE, STATE-PERMISSION, NOTICE-NO-EFFECT).

```
reported          from idle                      from any other state
running           work begins, outcome cleared   goes on
requires_action   work begins, outcome cleared   goes on
idle              nothing ended: what it carries work ends: one completion, outcome set
                  replaces, the rest is kept
unknown           known state kept, unconfirmed  known state kept, unconfirmed
anything else     as running, unconfirmed        as running, unconfirmed
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from msgspec import UNSET

from acpsim.reducer.state import IDLE, Session
from acpsim.wire.cells import cell_field
from acpsim.wire.edition import TERMINAL_STATUSES, Edition
from acpsim.wire.updates import StateUpdate

Move: TypeAlias = Callable[[Session, StateUpdate], None]


def work(session: Session, update: StateUpdate) -> None:
    """Foreground work is in progress, or blocked: it begins if it was idle."""
    if session.state == IDLE:
        session.stretch_tools = []
    session.state = update.state
    session.confirmed = True
    session.stop_reason = session.error = session.usage = None


def idle(session: Session, update: StateUpdate) -> None:
    """No foreground work: it ends if there was any (STATE-CLIENT-IDLE).

    It ends whatever the stop reason says, or does not say. `error` is read beside stop reason
    `error` only ("Failures"); omitted and null both mean not reported.
    """
    reason = None if update.stop_reason is UNSET else update.stop_reason
    error = None if update.error is UNSET or reason != "error" else update.error
    usage = None if update.usage is UNSET else update.usage
    if session.state != IDLE:
        session.completions += 1
        session.stretch_tools = []
        session.stop_reason, session.error, session.usage = reason, error, usage
    else:
        session.stop_reason = reason if reason is not None else session.stop_reason
        session.error = error if error is not None else session.error
        session.usage = usage if usage is not None else session.usage
    session.state = IDLE
    session.confirmed = True


def unknown(session: Session, update: StateUpdate) -> None:
    """The agent cannot tell: the last known state stays, unconfirmed (STATE-UNKNOWN)."""
    session.confirmed = False


def other(session: Session, update: StateUpdate) -> None:
    """A state that is not understood: busy with something, unconfirmed."""
    work(session, update)
    session.confirmed = False


TRANSITIONS: Final[dict[str, Move]] = {
    "running": work,
    "requires_action": work,
    "idle": idle,
    "unknown": unknown,
}
"""What each state that the protocol names does when it is reported."""


def state_update(
    transitions: Mapping[str, Move], otherwise: Move, edition: Edition
) -> Callable[[Session, StateUpdate, bytes], None]:
    """The handler of `state_update` over a table of transitions."""

    def move(session: Session, update: StateUpdate, raw: bytes) -> None:
        transitions.get(update.state, otherwise)(session, update)

    def move_and_list(session: Session, update: StateUpdate, raw: bytes) -> None:
        transitions.get(update.state, otherwise)(session, update)
        # Omitted and null are "not reported"; an empty list says that nothing is running.
        session.background = None if update.background is UNSET else update.background

    return move_and_list if edition.reports_background else move


def cancel_marks(session: Session) -> None:
    """`session/cancel` was sent: mark the unfinished tool calls of this stretch of work.

    CANCEL-MARK-TOOLS: not the finished ones, not those of background activity, nothing while
    idle; an edition that lists background work leaves what is listed alone.
    """
    if session.state == IDLE:
        return
    spared = background_tools(session) if session.edition.cancel_spares_background else frozenset()
    for key in session.stretch_tools:
        call = session.tool_calls[key]
        if call.status in TERMINAL_STATUSES or key in spared:
            continue
        if call.owner is not session.owner:
            call = session.tool_calls[key] = call.copy(session.owner)
        call.status = "cancelled"


def background_tools(session: Session) -> frozenset[str]:
    """The ids of the tool calls in the latest background list."""
    return frozenset(
        cell_field(item, "toolCallId")
        for item in session.background or ()
        if cell_field(item, "type") == "tool_call"
    )
