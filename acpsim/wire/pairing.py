"""Which response answers which request, in each direction.

Owns: `Pairing`, the requests of one connection that wait for their answers. Each side chooses ids
for its own requests, so one id may be open in both directions.
"""

from __future__ import annotations

from msgspec import Struct

from acpsim.wire.jsonrpc import OTHER_SIDE, Direction, Malformed, OtherRequest, RequestId, Response
from acpsim.wire.methods import KnownRequest


class Open(Struct, frozen=True, kw_only=True):
    """A request that waits for its answer. `message` is `Malformed` where it cannot be used."""

    message: KnownRequest | OtherRequest | Malformed
    line: int


class Pairing:
    """The open requests of one connection."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[Direction, dict[RequestId, Open]] = {"c2a": {}, "a2c": {}}

    def request(
        self, direction: Direction, message: KnownRequest | OtherRequest | Malformed, line: int
    ) -> Open | None:
        """Note a request. Returns the open one whose id it uses again, if there is one."""
        identity = message.id
        if not isinstance(identity, int | str):
            return None
        requests = self._open[direction]
        before = requests.get(identity)
        requests[identity] = Open(message=message, line=line)
        return before

    def answer(self, direction: Direction, message: Response | Malformed) -> Open | None:
        """Close the request that this response answers, and return it; `None` if none is open."""
        identity = message.id
        if not isinstance(identity, int | str):
            return None
        return self._open[OTHER_SIDE[direction]].pop(identity, None)

    def open(self, direction: Direction) -> dict[RequestId, Open]:
        """The open requests that travelled in that direction, oldest first. Not to be changed."""
        return self._open[direction]

    def lose(self) -> None:
        """The connection is gone: nothing is open any more, and ids start anew."""
        for requests in self._open.values():
            requests.clear()

    def fork(self) -> Pairing:
        """An independent copy."""
        other = Pairing()
        other._open = {direction: dict(held) for direction, held in self._open.items()}
        return other
