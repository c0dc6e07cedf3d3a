"""What a run tells while it goes on: the occasions at which a figure can be taken.

Owns: `Measure`, the interface with nothing behind it; `figures` fills it in. The parties and links
call it with durations that they already have, so that a run that nobody measures pays little.
All times are in simulated seconds.
"""

from __future__ import annotations

from acpsim.sim.queueing import Server
from acpsim.wire.cells import JsonObject


class Measure:
    """Hears what happens and makes nothing of it."""

    __slots__ = ()

    def accepted(self, waited_s: float, *, ok: bool) -> None:
        """A prompt was answered, this long after it was sent; `ok` unless with an error."""

    def echo_gap(self, gap_s: float) -> None:
        """A message's echo reached the client this long after its response; negative: before."""

    def foreground(self, state: str, lasted_s: float) -> None:
        """The client saw this foreground state for so long."""

    def cancel_confirmed(self, waited_s: float) -> None:
        """An idle `cancelled` arrived, this long after the cancel was sent."""

    def update(self, now_s: float, session: str, update: JsonObject) -> None:
        """An update reached the client."""

    def entered(self, queue: str, now_s: float) -> None:
        """A message was sent in the direction `queue`, or a prompt (`prompts`) by the user."""

    def left(self, queue: str, now_s: float, stayed_s: float) -> None:
        """It was answered, or lost, this long after it entered."""

    def arrived(self, queue: str, now_s: float, stayed_s: float) -> None:
        """A message arrived, this long after it was sent: it left the queue as it should."""

    def reconciles(self, server: Server) -> None:
        """The client has a queue; called before the run."""
