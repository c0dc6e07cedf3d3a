"""Why a difference is a fault: the rules that the target breaks, and one sentence of cause.

Owns: `explain` for what the reference does not agree with, `rules_of_law` for what a law objects
to. The reasons are rows of `causes.CAUSES`; what no row fits is still a fault, only without a rule.
Whether there is a fault at all is not decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from acpsim.oracles.case import Case, Cause
from acpsim.oracles.causes import CAUSES, SIDE_EFFECTS
from acpsim.oracles.compare import Difference
from acpsim.oracles.verdict import Verdict
from acpsim.wire.cells import Json

VALUE_CHARS_MAX: Final = 60
"""Of a value in a sentence. The whole of it is in the verdict."""


def explain(verdict: Verdict) -> Verdict:
    """The verdict with the rules that are broken and a sentence that says why.

    Needs `after` and `kind`; without them, or where no row fits, the verdict stays as it is.
    """
    case = Case(verdict)
    # What a crash would have left wrong nobody knows: only what the message is can be a cause.
    cause = cause_of(case, SIDE_EFFECTS if verdict.difference is None else CAUSES)
    if cause is None:
        return verdict
    if verdict.difference is None:
        return replace(verdict, rules=cause.rules, text=f"{verdict.text}; {cause.text}")
    shown = verdict.difference
    return replace(
        verdict,
        rules=cause.rules,
        text=(
            f"after {verdict.kind}, {shown.path} is {in_short(shown.actual)}, "
            f"not {in_short(shown.expected)}: {cause.text}"
        ),
    )


def in_batches(verdict: Verdict) -> Verdict:
    """The verdict where the same messages, handed over one by one, give what they should: whatever
    rule shows it, how they are handed over is the cause.
    """
    shown = verdict.difference
    if shown is None:
        return verdict
    return replace(
        verdict,
        text=(
            f"after {verdict.kind}, {shown.path} is {in_short(shown.actual)}, "
            f"not {in_short(shown.expected)}, and is right where each message comes by itself: "
            "each is handled before the next, however many come at once"
        ),
    )


def cause_of(case: Case, causes: Sequence[Cause] = CAUSES) -> Cause | None:
    """The first row that fits."""
    if not case.kind:
        return None
    return next((cause for cause in causes if cause.fits(case)), None)


def in_short(value: Json) -> str:
    """A value as JSON, cut where it grows long; what is not there is `absent`."""
    if value is UNSET:
        return "absent"
    try:
        text = msgspec.json.encode(value, order="deterministic").decode()
    except (TypeError, ValueError, OverflowError, RecursionError):
        text = f"a value of type {type(value).__name__}, which JSON does not have"
    return text if len(text) <= VALUE_CHARS_MAX else f"{text[:VALUE_CHARS_MAX]}…"


_BY_LAW: Final[dict[str, tuple[tuple[str, tuple[str, ...]], ...]]] = {
    "response-order": (
        ("foreground", ("PROMPT-NOT-IDLE",)),
        ("prompts", ("PROMPT-NO-INFERENCE",)),
        ("", ("PROMPT-RECONCILE",)),
    ),
    "independence": (
        ("timeline", ("TIMELINE-FIRST-SEEN",)),
        ("foreground", ("STATE-BACKGROUND",)),
        ("terminals", ("TERMINAL-EITHER-ORDER",)),
        ("", ("ENTITY-KEY",)),
    ),
    "chunks": (
        ("timeline", ("TIMELINE-FIRST-SEEN",)),
        ("terminals", ("TERMINAL-BYTES",)),
        ("", ("CHUNK-APPEND", "PATCH-REPLACE")),
    ),
    "absorb": (
        ("timeline", ("TIMELINE-FIRST-SEEN",)),
        ("terminals", ("TERMINAL-BYTES",)),
        ("", ("PATCH-REPLACE",)),
    ),
    "idempotence": (
        ("foreground", ("STATE-CLIENT-IDLE",)),
        ("plans", ("PLAN-REPLACE",)),
        ("subagents", ("SUBAGENT-MIRROR",)),
        ("timeline", ("TIMELINE-FIRST-SEEN",)),
        ("", ("PATCH-REPLACE",)),
    ),
    "isolation": (("", ("SESSION-ISOLATION",)),),
    "replay": (("", ("RESUME-UPSERT",)),),
    "monotone": (("timeline", ("TIMELINE-FIRST-SEEN",)), ("", ())),
    "text-blind": (("", ("PROMPT-NO-INFERENCE",)),),
    "name-blind": (("", ("ENTITY-KEY",)),),
}
"""Law → place → the rules behind it; the first place that fits, the last fits all."""


def rules_of_law(law: str, difference: Difference | None, *, kind: str | None) -> tuple[str, ...]:
    """The rules that a target breaks which breaks this law here; none where the law has no rule."""
    if law == "neutrality":
        return ("NOTICE-NO-EFFECT",) if kind == "notice" else ("UNKNOWN-PRESERVED",)
    if difference is None:
        return ()
    section = difference.place.partition(".")[0]
    return next((rules for at, rules in _BY_LAW.get(law, ()) if at in ("", section)), ())
