"""One action of the client more, at one moment of a run that is otherwise as it was.

Owns: `Moment`, which says when and what, and `run_with`, which runs a model with it. The moment is
after the n-th message: as that leaves its sender, so that the action crosses whatever is under way,
or as it reaches its receiver. Up to there the run is the one without the action, message by
message; after it both parties react, as they do in any run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from msgspec.structs import replace

from acpsim.sim.client import ClientSession
from acpsim.sim.model import Model
from acpsim.sim.streams import Streams
from acpsim.sim.tap import Observer, Record, Tap, Write
from acpsim.sim.world import World
from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import Direction

Act: TypeAlias = Callable[[ClientSession], bool]
"""Does it, if there is an occasion, and says whether there was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When the client acts, and how. `arriving`: as the message reaches its receiver."""

    number: int
    """After this message, counted from 1 as they are sent; 0 is never."""
    arriving: bool
    act: Act


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacted:
    """What came of it."""

    acted: bool
    """Whether the action had an occasion there."""
    sent: tuple[tuple[Direction, bytes], ...]
    """The messages up to the moment, or all if it never came, in the order of their sending."""
    end_s: float
    """When the run was over."""


class _NoOccasionError(Exception):
    """The action makes no sense at its moment, so that nobody wants to know how the run goes on."""


class _MomentTap(Tap):
    """Calls `act` at its moment, with the session that was last spoken of until then."""

    waits = True

    def __init__(
        self, writers: Mapping[Observer, Write], header: Mapping[str, object], moment: Moment
    ) -> None:
        super().__init__(writers, header)
        self._moment = moment
        self._awaited: Record | None = None
        self.act: Callable[[], None] = lambda: None
        self.sent: list[tuple[Direction, bytes]] = []
        self.named: list[str] = []
        """The sessions that were spoken of, the last one last."""

    def send(self, record: Record, *, in_order: bool) -> None:
        super().send(record, in_order=in_order)
        number = self._moment.number
        if number and self.messages > number:
            return
        self.sent.append((record.direction, record.raw))
        session = record.message.get("params", {}).get("sessionId")
        if session and self.named[-1:] != [session]:
            self.named.append(session)
        if self.messages == number:
            if self._moment.arriving:
                self._awaited = record
            else:
                self.act()

    def receive(self, record: Record) -> None:
        super().receive(record)
        if record is self._awaited:
            self.act()


def run_with(
    model: Model,
    *,
    seed: int,
    edition: Edition,
    moment: Moment,
    writers: Mapping[Observer, Write],
    end_s: float | None = None,
) -> Reacted:
    """Run a model once, with an action at a moment; without an occasion it ends there.

    Agents keep every conversation, since any of them may be asked for it. What has not ended by
    `end_s` of simulated time never does: it is cut off, and what it owes then is owed for good.
    """
    header: dict[str, object] = {
        "edition": edition.name,
        "complete": model.duration_s is None,
        "model": model.name,
        "seed": seed,
    }
    tap = _MomentTap(writers, header, moment)
    world = World(model, edition=edition, streams=Streams(seed), tap=tap)
    world.retains = True
    acted: list[bool] = []

    def act() -> None:
        session = _session(world, tap.named)
        if session is None or not world.connected or not moment.act(session):
            raise _NoOccasionError
        acted.append(True)

    def soon() -> None:
        # The message's own consequences come first: what its arrival sets off at the same time.
        world.env.timeout(0).callbacks.append(
            lambda _: world.env.timeout(0).callbacks.append(lambda _: act())
        )

    tap.act = soon
    world.client.start()
    with contextlib.suppress(_NoOccasionError):
        world.env.run(end_s if model.duration_s is None else model.duration_s)
    now_s = float(world.env.now)
    tap.finish(now_s)
    return Reacted(acted=any(acted), sent=tuple(tap.sent), end_s=now_s)


def _session(world: World, named: list[str]) -> ClientSession | None:
    """The session last spoken of that is the client's own; children belong to their parents."""
    known = world.client.sessions
    return next((known[name] for name in reversed(named) if name in known), None)


# ------------------------------------------------------------------------------ what a client does


def never(session: ClientSession) -> bool:
    """Do nothing."""
    return False


def _usable(session: ClientSession) -> bool:
    return not session.closed and not session.waits


def cancel(session: ClientSession) -> bool:
    """Send `session/cancel`."""
    if not _usable(session):
        return False
    session.cancel()
    return True


def cancel_request(session: ClientSession) -> bool:
    """Send `$/cancel_request` for the oldest pending prompt."""
    if not session.pending:
        return False
    session.withdraw(next(iter(session.pending)))
    return True


def close(session: ClientSession) -> bool:
    """Send `session/close`."""
    if not _usable(session):
        return False
    session.close()
    return True


def answering(option: str) -> Act:
    """Answer the oldest open permission request with an option that models offer."""

    def act(session: ClientSession) -> bool:
        if not session.permissions:
            return False
        outcome = {"outcome": "selected", "optionId": option}
        session.answer(next(iter(session.permissions)), outcome)
        return True

    return act


def losing(*, replay: bool) -> Act:
    """Break the connection, and resume every session with its history or without."""

    def act(session: ClientSession) -> bool:
        if not session.id:
            return False
        for other in session.client.sessions.values():
            other.model = replace(other.model, replay=float(replay))
        session.client.lose_connection()
        return True

    return act


ACTS: Final[dict[str, dict[str, Act]]] = {
    "cancel": {"": cancel},
    "cancel-request": {"": cancel_request},
    "close": {"": close},
    "permission-answer": {"allowed": answering("yes"), "rejected": answering("no")},
    "lost-resume": {
        "resumed with history": losing(replay=True),
        "resumed without history": losing(replay=False),
    },
}
"""What a client may do more, by name; each in some variations."""
