"""A fault that must be reported, to tell silence from a reporting that is broken.

It is no mutant among the others: nothing is measured with it. Who runs mutants runs it too, and
believes nothing of what it hears if this is not reported, or if the reference is.
"""

from __future__ import annotations

from typing import Any, Final

from acpsim.reducer import Behaviour
from acpsim.reducer.state import Session
from acpsim.targets.mutants.mutant import Mutant, with_section


def _never_done(reference: Behaviour) -> Behaviour:
    honest = reference.sections["foreground"]

    def shown(session: Session) -> Any:
        return {**honest(session), "completions": -1}

    return with_section(reference, "foreground", shown)


CANARY_PATH: Final = "$.foreground.completions"
"""Where the fault of the canary is, and nowhere else."""
CANARY: Final = Mutant(
    name="canary",
    breaks=("STATE-CLIENT-IDLE",),
    text="counts no work as completed, in any conversation",
    behaviour=_never_done,
)
REFERENCE_ITSELF: Final = Mutant(
    name="reference", breaks=(), text="is right, so that whatever is said of it is wrong"
)
