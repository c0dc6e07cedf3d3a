"""Judging a conversation by the oracle that an earlier verdict names.

Owns: `judge_again`, which shrinking and the replay of a counterexample share.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from acpsim.oracles.agreement import judge_agreement
from acpsim.oracles.laws import LAWS, judge_law
from acpsim.oracles.reset import RESET, judge_reset
from acpsim.oracles.verdict import Verdict
from acpsim.targets.target import FAILURE_KINDS, Target
from acpsim.wire.edition import Edition
from acpsim.wire.trace import Event

LAW = "law:"
CRASH = "crash:"
AGREEMENT = "agreement"


def is_oracle(name: str) -> bool:
    """Whether there is an oracle of this name."""
    if name.startswith(LAW):
        return name.removeprefix(LAW) in LAWS
    if name.startswith(CRASH):
        return name.removeprefix(CRASH) in FAILURE_KINDS
    return name in (AGREEMENT, RESET)


def judge_again(
    oracle: str,
    events: Sequence[Event],
    target: Target,
    *,
    reference: Target,
    edition: Edition,
    seed: int = 0,
    occasions_max: int | None = None,
) -> Verdict | None:
    """The verdict of the oracle of this name, which may also be that the target crashes.

    A law is tried on all its occasions unless `occasions_max` says otherwise, with chance from
    `seed` alone: equal input, equal verdict.
    """
    if oracle.startswith(LAW):
        return judge_law(
            oracle.removeprefix(LAW),
            events,
            target,
            edition=edition,
            chance=random.Random(seed),
            occasions_max=occasions_max,
        )
    if oracle == RESET:
        return judge_reset(events, target, reference=reference)
    return judge_agreement(events, target, reference=reference)
