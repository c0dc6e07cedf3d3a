"""Which way a message of a bare log travelled, when nobody wrote it down.

Owns: `Directions`. A call's way is its method's; a response goes back to where its request came
from. Both sides choose ids for themselves, so one id may be open in both directions: then the shape
of the result decides, if it can. What cannot be told is guessed, and said.
"""

from __future__ import annotations

from typing import Final

from acpsim.wire.edition import Edition
from acpsim.wire.jsonrpc import (
    OTHER_SIDE,
    Direction,
    Malformed,
    OtherRequest,
    RequestId,
    Response,
)
from acpsim.wire.methods import METHODS, AnyMessage, CancelRequest, Request
from acpsim.wire.pairing import Open, Pairing
from acpsim.wire.parse import read_result

WAYS: Final[tuple[Direction, Direction]] = ("c2a", "a2c")

OTHER_METHODS: Final[dict[str, Direction]] = {
    **dict.fromkeys(("auth/login", "auth/logout", "auth/status"), "c2a"),
    **dict.fromkeys(("providers/list", "providers/set", "providers/disable"), "c2a"),
    **dict.fromkeys(("session/archive", "session/unarchive", "session/status"), "c2a"),
    **dict.fromkeys(("session/set_title", "tool_call/cancel", "terminal/cancel"), "c2a"),
    **dict.fromkeys(("auth/status_update", "elicitation/complete"), "a2c"),
}
"""Methods of the wider protocol that have no struct here, with the direction of their messages."""


class Directions:
    """Follows a bare log, message by message in its order."""

    def __init__(self, edition: Edition) -> None:
        self._edition = edition
        self._pairing = Pairing()

    def of(self, message: AnyMessage, line: int) -> tuple[Direction, str | None]:
        """The way that a message travelled, and why that is a guess, if it is one."""
        if isinstance(message, Response) or (
            isinstance(message, Malformed) and message.kind == "response"
        ):
            way, doubt = self._of_response(message)
            self._pairing.answer(way, message)
            return way, doubt
        way, doubt = self._of_call(message)
        if isinstance(message, Request | OtherRequest) or (
            isinstance(message, Malformed) and message.kind == "request"
        ):
            self._pairing.request(way, message, line)
        return way, doubt

    def _of_call(self, message: AnyMessage) -> tuple[Direction, str | None]:
        if isinstance(message, CancelRequest):
            return self._of_cancel(message.params.request_id)
        method = getattr(message, "method", None)
        if not isinstance(method, str):
            return "c2a", "has no method: which way it went cannot be told; taken for the client's"
        if method in METHODS:
            return METHODS[method].direction, None
        way = OTHER_METHODS.get(method)
        if way is not None:
            return way, None
        return "c2a", f"which way {method!r} goes cannot be told; taken for the client's"

    def _of_cancel(self, identity: RequestId) -> tuple[Direction, str | None]:
        """The side that issued a request is the one that may cancel it."""
        ways = [way for way in WAYS if identity in self._pairing.open(way)]
        if len(ways) == 1:
            return ways[0], None
        which = "two open requests have" if ways else "no open request has"
        return "c2a", f"{which} the id {identity!r} that is cancelled; taken for the client's"

    def _of_response(self, message: Response | Malformed) -> tuple[Direction, str | None]:
        identity = message.id
        asked: dict[Direction, Open] = {}
        if isinstance(identity, int | str):
            for way in WAYS:
                opened = self._pairing.open(way).get(identity)
                if opened is not None:
                    asked[way] = opened
        if not asked:
            return "a2c", "answers no open request; taken for the agent's"
        if len(asked) == 1:
            return OTHER_SIDE[next(iter(asked))], None
        fits = {way: self._fit(opened, message) for way, opened in asked.items()}
        if fits["c2a"] != fits["a2c"]:
            return OTHER_SIDE[max(fits, key=lambda way: fits[way])], None
        older = min(asked, key=lambda way: asked[way].line)
        return OTHER_SIDE[older], (
            f"answers one of two open requests with the id {identity!r}; "
            f"taken for that of line {asked[older].line}"
        )

    def _fit(self, opened: Open, message: Response | Malformed) -> int:
        """How well an answer fits a request: 0 not, 1 perhaps, 2 as the request asks."""
        request = opened.message
        if isinstance(message, Malformed) or not isinstance(request, Request):
            return 1
        outcome, flaws = read_result(request, message, self._edition)
        if isinstance(outcome, Malformed):
            return 0
        return 1 if flaws or message.error else 2
