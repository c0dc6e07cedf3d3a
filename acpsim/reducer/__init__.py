"""What a client holds: the reference reducer.

In come a connection's events (`wire.Event`) or the bytes of single messages, in the order in which
the client sent or received them; out go canonical snapshots and diagnostics. It knows no rule, no
oracle and no simulator: a misreading of the specification has to be made twice to go unseen.
"""

from acpsim.reducer.reduce import REFERENCE, Behaviour, Reducer, fold
from acpsim.reducer.snapshot import SECTIONS

__all__ = ["REFERENCE", "SECTIONS", "Behaviour", "Reducer", "fold"]
