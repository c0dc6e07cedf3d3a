"""A target as whoever times it wants it: each message from its text on, as a client gets it.

Owns: `timed`, and `by_address`, which opens the targets for it. Reading a message is part of the
time that a client needs for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from acpsim.errors import UsageError
from acpsim.targets.address import open_target
from acpsim.targets.inprocess import InProcessTarget
from acpsim.targets.reference import ReferenceTarget
from acpsim.targets.target import Target, reaches_targets
from acpsim.wire.edition import Edition
from acpsim.wire.methods import SessionUpdate
from acpsim.wire.trace import Event, event, lost


def timed(target: Target, edition: Edition) -> Callable[[Event], object]:
    """Forget what the target holds; then each call lets it take one message.

    The reference gets updates as bytes, by the way that was made for it; a Python class gets the
    object that it is documented to take, read from the message's text.
    """
    target.reset()
    if isinstance(target, InProcessTarget):
        take = target.bare().apply
        return lambda item: take(item.as_json()) if reaches_targets(item) else None

    def apply(item: Event) -> None:
        if item.dir == "lost":
            target.apply([lost(t=item.t, line=item.line)])
        else:
            target.apply([event(item.dir, item.raw, edition=edition, line=item.line, t=item.t)])

    if not isinstance(target, ReferenceTarget):
        return apply
    receive = target.receiver()

    def receive_updates(item: Event) -> None:
        if isinstance(item.message, SessionUpdate):
            receive(item.raw)
        else:
            apply(item)

    return receive_updates


@contextlib.contextmanager
def by_address(
    edition: Edition,
) -> Iterator[Callable[[str], Callable[[], Callable[[Event], object]]]]:
    """From an address to what starts a timed target afresh; all that were opened are closed."""
    with contextlib.ExitStack() as stack:

        def opened(address: str) -> Callable[[], Callable[[Event], object]]:
            if address.startswith("cmd:"):
                raise UsageError(
                    f"{address}: nobody waits for a program, so its own time cannot be told; "
                    "give a Python reducer, or a distribution as reconcile.service"
                )
            target = stack.enter_context(contextlib.closing(open_target(address, edition=edition)))
            return lambda: timed(target, edition)

        yield opened
