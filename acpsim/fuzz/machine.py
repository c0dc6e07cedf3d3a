"""The legal moves as a Hypothesis state machine, for tests of other people's reducers.

Owns: `machine`. Each move is a `stateful.rule` of the machine, so that Hypothesis picks among those
that are open, switches some off for a whole run, keeps what failed in its database and takes moves
away again when it shrinks. The campaign walks over the same moves without it (see `generate`),
which is what makes it fast; both write scenarios, and the scheduler orders them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from acpsim.fuzz import client_moves
from acpsim.fuzz.ledger import Ledger, Session
from acpsim.fuzz.moves import MOVES, Move
from acpsim.fuzz.scenario import Scenario
from acpsim.fuzz.values import Values
from acpsim.wire.edition import Edition

SESSIONS_MAX: Final = 3
CHANCES: Final = st.integers(0, 2**20).map(random.Random)
"""What a move draws its values from. One number a move, so that Hypothesis can take whole moves
away; with a number for each value it hardly finds its way to a shorter conversation.
"""


class Writer(RuleBasedStateMachine):
    """A conversation being written. Subclasses are given the moves."""

    edition: Edition
    judge: Callable[[Scenario], None]

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger(self.edition, Values(random.Random(0), self.edition, hostile=True))

    def live(self) -> list[Session]:
        """The sessions of which something may be said now."""
        return [session for session in self.ledger.sessions if session.closed is None]

    def closed(self) -> list[Session]:
        """The sessions that the client could take up again."""
        sessions = self.ledger.sessions
        return [one for one in sessions if one.parent is None and one.closed is not None]

    def draw_from(self, chance: random.Random) -> None:
        """From here on, values come from this source."""
        self.ledger.values.chance = chance

    @initialize(chance=CHANCES)
    def connect(self, chance: random.Random) -> None:
        self.draw_from(chance)
        client_moves.connect(self.ledger)
        client_moves.new_session(self.ledger)

    @precondition(lambda self: len(self.ledger.sessions) < SESSIONS_MAX)
    @rule(chance=CHANCES)
    def new_session(self, chance: random.Random) -> None:
        self.draw_from(chance)
        client_moves.new_session(self.ledger)

    @rule(chance=CHANCES)
    def lose(self, chance: random.Random) -> None:
        self.draw_from(chance)
        client_moves.lose(self.ledger)

    @precondition(lambda self: self.closed())
    @rule(chance=CHANCES)
    def resume(self, chance: random.Random) -> None:
        self.draw_from(chance)
        client_moves.resume(self.ledger, chance.choice(self.closed()))

    def teardown(self) -> None:
        """What was written is judged once, as a whole: its orders are the scheduler's."""
        if self.ledger.sessions:
            type(self).judge(self.ledger.script.scenario("machine", settled=False))


def _ready(move: Move) -> Callable[[Any], bool]:
    return lambda self: any(move.open(self.ledger, session) for session in self.live())


def _acting(move: Move) -> Callable[..., None]:
    def act(self: Writer, chance: random.Random) -> None:
        self.draw_from(chance)
        sessions = [session for session in self.live() if move.open(self.ledger, session)]
        move.act(self.ledger, chance.choice(sessions))

    act.__name__ = act.__qualname__ = move.name.replace(" ", "_")
    return act


def machine(edition: Edition, judge: Callable[[Scenario], None]) -> type[Writer]:
    """A state machine that writes conversations and has each judged. `judge` raises where the
    reducer under test is wrong, as an assertion does.
    """
    members: dict[str, object] = {"edition": edition, "judge": staticmethod(judge)}
    for move in MOVES:
        acting = rule(chance=CHANCES)(_acting(move))
        members[f"move_{move.name.replace(' ', '_')}"] = precondition(_ready(move))(acting)
    return type("Conversation", (Writer,), members)
