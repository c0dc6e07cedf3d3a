"""The legal moves: what each is, what switches it off, when it is open, how often it is made.

Owns: `MOVES`, `Move`, and `settle`, which pays what is owed at the end. A group is what swarm
testing switches off for a whole case: a fault that needs many updates of one kind is found sooner
where the other kinds do not crowd them out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Final

from acpsim.fuzz import client_moves, entity_moves, work_moves
from acpsim.fuzz.ledger import Ledger, Session


def _always(ledger: Ledger, session: Session) -> bool:
    return True


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One kind of move in a session. `open` says whether it may be made now."""

    name: str
    group: str
    weight: float
    act: Callable[[Ledger, Session], None]
    open: Callable[[Ledger, Session], bool] = _always


def _busy(ledger: Ledger, session: Session) -> bool:
    """Foreground work goes on that nothing holds up: new things may be begun."""
    return session.working and session.cancelled is None and session.state != "requires_action"


def _may_make(ledger: Ledger, session: Session) -> bool:
    """Entities of the background may come while idle; a cancelled work begins nothing new."""
    return session.cancelled is None


def _can_finish(ledger: Ledger, session: Session) -> bool:
    if not session.working:
        return False
    return session.cancelled is not None or not any(
        asked.foreground for asked in session.permissions
    )


def _can_insert(ledger: Ledger, session: Session) -> bool:
    """A prompt that was taken back is not inserted, unless it was inserted before that was read."""
    return (
        bool(session.prompts) and session.prompts[0].withdrawn is None and session.cancelled is None
    )


def _has_work_tools(ledger: Ledger, session: Session) -> bool:
    return session.working and any(
        thing.stretch == session.stretch for thing in session.of("tool_call")
    )


def _can_start(ledger: Ledger, session: Session) -> bool:
    return not session.working


def _own(ledger: Ledger, session: Session) -> bool:
    """A session of the client's own, not a child."""
    return session.parent is None


def _first_level(ledger: Ledger, session: Session) -> bool:
    return session.parent is None and len(session.things.get("subagent", {})) < 2


def _can_list_background(ledger: Ledger, session: Session) -> bool:
    return ledger.edition.reports_background and not session.background


def _can_prompt(ledger: Ledger, session: Session) -> bool:
    return session.parent is None and not session.working and not session.prompts


def _can_steer(ledger: Ledger, session: Session) -> bool:
    return (
        session.parent is None
        and (session.working or bool(session.prompts))
        and len(session.prompts) < 3
    )


MOVES: Final[tuple[Move, ...]] = (
    Move(name="prompt", group="prompts", weight=3, act=client_moves.prompt, open=_can_prompt),
    Move(name="steer", group="steering", weight=1, act=client_moves.prompt, open=_can_steer),
    Move(name="insert", group="prompts", weight=6, act=work_moves.insert, open=_can_insert),
    Move(
        name="reject",
        group="rejections",
        weight=1,
        act=work_moves.reject,
        open=lambda ledger, session: bool(session.prompts),
    ),
    Move(
        name="withdraw",
        group="withdrawals",
        weight=1,
        act=client_moves.withdraw,
        open=lambda ledger, session: bool(session.prompts),
    ),
    Move(name="other user", group="other users", weight=0.5, act=work_moves.other_user),
    Move(name="start", group="own work", weight=1, act=work_moves.start, open=_can_start),
    Move(name="finish", group="states", weight=1.2, act=work_moves.finish, open=_can_finish),
    Move(name="again", group="repeated states", weight=0.7, act=work_moves.again),
    Move(
        name="custom state",
        group="custom states",
        weight=0.3,
        act=work_moves.custom_state,
        open=_busy,
    ),
    Move(
        name="list background",
        group="background",
        weight=0.5,
        act=work_moves.start_background,
        open=_can_list_background,
    ),
    Move(name="message", group="messages", weight=3, act=entity_moves.message, open=_busy),
    Move(name="thought", group="thoughts", weight=1.5, act=entity_moves.thought, open=_busy),
    Move(
        name="message more",
        group="messages",
        weight=4,
        act=entity_moves.message_more,
        open=entity_moves.has_messages,
    ),
    Move(
        name="session message",
        group="session messages",
        weight=1,
        act=entity_moves.session_message,
    ),
    Move(name="tool", group="tools", weight=2, act=entity_moves.tool, open=_may_make),
    Move(
        name="tool more",
        group="tools",
        weight=4,
        act=entity_moves.tool_more,
        open=entity_moves.has_tools,
    ),
    Move(name="terminal", group="terminals", weight=1, act=entity_moves.terminal, open=_may_make),
    Move(
        name="terminal more",
        group="terminals",
        weight=2.5,
        act=entity_moves.terminal_more,
        open=entity_moves.has_terminals,
    ),
    Move(name="plan", group="plans", weight=1, act=entity_moves.plan, open=_may_make),
    Move(
        name="plan removed",
        group="plan removals",
        weight=1,
        act=entity_moves.plan_removed,
        open=entity_moves.has_plans,
    ),
    Move(name="compaction", group="compactions", weight=0.7, act=entity_moves.compaction),
    Move(
        name="compaction more",
        group="compactions",
        weight=2,
        act=entity_moves.compaction_more,
        open=entity_moves.has_compactions,
    ),
    Move(name="child", group="children", weight=1.2, act=work_moves.child, open=_first_level),
    Move(
        name="child more",
        group="children",
        weight=0.7,
        act=work_moves.child_more,
        open=lambda ledger, session: bool(session.things.get("subagent")),
    ),
    Move(
        name="permission",
        group="permissions",
        weight=1.5,
        act=work_moves.permission,
        open=lambda ledger, session: len(session.permissions) < 3,
    ),
    Move(
        name="answer",
        group="permissions",
        weight=3,
        act=client_moves.answer,
        open=lambda ledger, session: bool(session.permissions),
    ),
    Move(
        name="take back",
        group="permission withdrawals",
        weight=1,
        act=work_moves.take_back,
        open=lambda ledger, session: bool(session.permissions),
    ),
    Move(name="cancel", group="cancels", weight=0.6, act=client_moves.cancel),
    Move(
        name="stop tools",
        group="cancels",
        weight=1.5,
        act=client_moves.cancel,
        open=_has_work_tools,
    ),
    Move(name="close", group="closes", weight=0.4, act=client_moves.close, open=_own),
    Move(name="set option", group="lists", weight=0.4, act=client_moves.set_option, open=_own),
    Move(name="lists", group="lists", weight=1.5, act=work_moves.lists),
    Move(name="list", group="other calls", weight=0.2, act=client_moves.list_sessions),
    Move(name="extension", group="other calls", weight=0.3, act=work_moves.extension),
    Move(name="elicit", group="other calls", weight=0.2, act=work_moves.elicit),
    Move(name="notice", group="notices", weight=0.7, act=work_moves.notice),
    Move(name="unknown", group="unknown variants", weight=0.7, act=work_moves.unknown),
)
"""Every move within a session. What concerns the connection is in `generate`."""

GROUPS: Final = tuple(
    dict.fromkeys(
        [*(move.group for move in MOVES), "sessions", "resumes", "losses", "hostile values"]
    )
)
"""What swarm testing switches on and off."""
ALWAYS: Final = frozenset({"prompts", "states"})
"""Groups that are never switched off: without them hardly anything can happen."""
CONTENTS: Final = ("messages", "thoughts", "tools", "terminals", "plans", "compactions")
"""Groups of which a case has at least one: prompts and states alone say little."""


def settle(ledger: Ledger, sessions: Iterable[Session]) -> None:
    """Pays what is owed: answers, insertions, terminal statuses, the idle that ends the work."""
    for session in sessions:
        while session.permissions:
            client_moves.answer(ledger, session)
        while session.prompts:
            if _can_insert(ledger, session):
                work_moves.insert(ledger, session)
            else:
                work_moves.reject(ledger, session)
        for thing in session.of("compaction"):
            if thing.open:
                thing.status = "completed"
                entity_moves.end_compaction(ledger, session, thing)
        if session.working:
            work_moves.finish(ledger, session)
