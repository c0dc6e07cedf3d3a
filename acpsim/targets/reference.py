"""The reference reducer as a target, among others and by the same door.

Owns: `ReferenceTarget`, which the mutants are made from. It takes events as they are, without
writing and reading them again; what is right is the reducer's to say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

from acpsim.reducer import REFERENCE, SECTIONS, Behaviour, Reducer
from acpsim.targets.target import raised
from acpsim.wire.cells import JsonObject
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event, event, lost


class ReferenceTarget:
    """The reference, or the reference with another behaviour.

    Beside what every target does it can be forked, so that a search applies no prefix twice.
    """

    def __init__(
        self, edition: Edition, *, behaviour: Behaviour = REFERENCE, name: str = "reference"
    ) -> None:
        self.name = name
        self.sections: tuple[str, ...] = SECTIONS
        self.edition = edition
        self._behaviour = behaviour
        self._reducer = Reducer(edition, behaviour)

    def reset(self) -> None:
        """A new connection, nothing held."""
        self._reducer = Reducer(self.edition, self._behaviour)

    def apply(self, events: Sequence[Event]) -> None:
        """Applies the events one by one. An exception would be a fault of ours."""
        apply = self._reducer.apply
        try:
            for item in events:
                apply(item)
        except Exception as error:
            raise raised(error, asked="apply an event") from error

    def receiver(self) -> Callable[[bytes], object]:
        """Takes the agent's messages as bytes; valid until the next `reset`, raises as it is."""
        return self._reducer.receive

    def snapshot(self, session_id: str) -> JsonObject | None:
        """What it holds of one session, fresh."""
        try:
            return self._reducer.snapshot(session_id)
        except Exception as error:
            raise raised(error, asked="give a snapshot") from error

    def snapshot_bytes(self, session_id: str) -> bytes | None:
        """The snapshot as JSON text: for this target, equal texts are equal snapshots."""
        return self._reducer.snapshot_bytes(session_id)

    def sessions(self) -> list[str]:
        """The sessions that some message has named."""
        return self._reducer.sessions()

    def apply_value(self, value: JsonObject) -> None:
        """Applies one event given as a JSON value, of which nothing is kept."""
        self.apply([event_of(value, self.edition)])

    def snapshot_value(self, session_id: str) -> JsonObject | None:
        """The snapshot; it is fresh each time."""
        return self.snapshot(session_id)

    def fork(self) -> Self:
        """An independent target in the same state, cheap however much is held."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._reducer = self._reducer.fork()
        return other

    def close(self) -> None:
        """Nothing to free."""


def event_of(value: JsonObject, edition: Edition) -> Event:
    """The event that a JSON value in the form of a trace line is."""
    if value["dir"] == "lost":
        return lost()
    return event(value["dir"], value["msg"], edition=edition)
