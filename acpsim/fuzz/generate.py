"""Scenarios that nobody wrote: a walk over the legal moves.

Owns: `generate`, which needs nothing but a `random.Random`, and the Hypothesis strategy
`scenarios` around it. One generator serves both, on purpose:

- The campaign gives it a stream of its seed. Drawing each move through Hypothesis costs a hundred
  times as much, and a seed would name other cases in each version of Hypothesis (which also draws
  constants out of whatever modules happen to be loaded).
- A test has Hypothesis draw a number for each move, and so gets its database of what failed and its
  shrinking, which takes moves away.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from acpsim.fuzz import client_moves
from acpsim.fuzz.ledger import Ledger
from acpsim.fuzz.moves import ALWAYS, CONTENTS, GROUPS, MOVES, Move, settle
from acpsim.fuzz.scenario import Events, Scenario, deliver
from acpsim.fuzz.values import Values
from acpsim.schedule.strategies import arrange, portfolio
from acpsim.wire.edition import Edition

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

STEPS: Final = (8, 16, 24, 40, 60)
"""Moves of a scenario, each one to about five messages. Most faults show within ten, but long
scenarios have many such places: seeded faults are caught sooner than with short ones.
"""
SESSIONS_MAX: Final = 3


def generate(
    chance: random.Random,
    edition: Edition,
    *,
    name: str = "generated",
    groups: frozenset[str] | None = None,
    steps: Iterable[random.Random] | None = None,
) -> Scenario:
    """One scenario. `groups` are the kinds of move that it may have, `steps` what each move draws
    from; both are drawn where they are not given.
    """
    swarm = _swarm(chance) if groups is None else groups | ALWAYS
    values = Values(chance, edition, hostile="hostile values" in swarm)
    ledger = Ledger(edition, values)
    client_moves.connect(ledger)
    client_moves.new_session(ledger)
    moves = [move for move in MOVES if move.group in swarm]
    for source in [chance] * chance.choice(STEPS) if steps is None else steps:
        values.chance = source
        step(ledger, source, moves=moves, swarm=swarm)
    values.chance = chance
    settled = chance.random() < 0.8
    if settled:
        settle(ledger, [session for session in ledger.sessions if session.closed is None])
    return ledger.script.scenario(name, settled=settled)


def _swarm(chance: random.Random) -> frozenset[str]:
    """Which groups a case has: each with even odds, or all of them now and then."""
    if chance.random() < 0.15:
        return frozenset(GROUPS)
    share = chance.choice((0.25, 0.5, 0.75))
    swarm = ALWAYS | {group for group in GROUPS if chance.random() < share}
    return swarm | {chance.choice(CONTENTS)}


def step(
    ledger: Ledger, chance: random.Random, *, moves: Sequence[Move], swarm: frozenset[str]
) -> None:
    """One move: mostly within a session, now and then about sessions or the connection."""
    draw = chance.random()
    top = [session for session in ledger.sessions if session.parent is None]
    if "sessions" in swarm and draw < 0.06 and len(top) < SESSIONS_MAX:
        client_moves.new_session(ledger)
        return
    if "losses" in swarm and 0.06 <= draw < 0.09:
        client_moves.lose(ledger)
        return
    live = [session for session in ledger.sessions if session.closed is None]
    if "resumes" in swarm and draw > 0.9:
        closed = [session for session in top if session.closed is not None]
        if closed:
            client_moves.resume(ledger, chance.choice(closed))
            return
    if not live:
        client_moves.new_session(ledger)
        return
    session = chance.choice(live)
    open_ = [move for move in moves if move.open(ledger, session)]
    if open_:  # a child may have to wait for its parent
        _pick(chance, open_).act(ledger, session)


def _pick(chance: random.Random, moves: Sequence[Move]) -> Move:
    left = chance.random() * sum(move.weight for move in moves)
    for move in moves:
        left -= move.weight
        if left < 0:
            return move
    return moves[-1]


def one_delivery(scenario: Scenario, chance: random.Random) -> Events:
    """A scenario in one of its orders, chosen by one of the strategies."""
    order, _ = arrange(scenario.order, portfolio(scenario.order, chance))
    return deliver(scenario, order, chance)


def scenarios(edition: Edition) -> SearchStrategy[Scenario]:
    """The Hypothesis strategy: scenarios drawn, kept and shrunk by Hypothesis."""
    from hypothesis import strategies as st

    def drawn(first: int, steps: list[int]) -> Scenario:
        return generate(random.Random(first), edition, steps=map(random.Random, steps))

    number = st.integers(0, 2**20)
    return st.builds(drawn, number, st.lists(number, max_size=max(STEPS)))


def conversations(edition: Edition) -> SearchStrategy[Events]:
    """The Hypothesis strategy of whole conversations: a scenario and one of its orders."""
    from hypothesis import strategies as st

    chances = st.integers(0, 2**20).map(random.Random)
    return st.builds(one_delivery, scenarios(edition), chances)


__all__ = ["conversations", "generate", "one_delivery", "scenarios"]
