"""What a search through orders found, in words and as JSON.

Owns: how a certificate reads. Numbers of orders are exact, and JSON has them as text: many are
greater than a number of JavaScript holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from acpsim.explore.certificate import Certificate, Ending
from acpsim.explore.sample import Sampled
from acpsim.explore.session import Event, Searched
from acpsim.fuzz.campaign import Fault
from acpsim.views.escape import visible
from acpsim.views.faults import fault, fault_document
from acpsim.views.text import counted
from acpsim.views.tone import toned
from acpsim.wire.cells import JsonObject

ROUND_FROM = 10**9
"""Above this a reader sees how large it is better than what it is exactly; both are said."""


def orders(number: int) -> str:
    """A number of orders, exact, with its size where it is long."""
    size = f" (about {number:.1e})" if number >= ROUND_FROM else ""
    return f"{number:,} order{'s' if number != 1 else ''}{size}"


def lines(event: Event) -> Iterator[str]:
    """What happens in a search, as it happens."""
    if isinstance(event, Fault):
        yield from fault(event, event.case)
    elif isinstance(event, Searched):
        done = event.result
        yield from sampled(done) if isinstance(done, Sampled) else certificate(done)


def certificate(value: Certificate) -> Iterator[str]:
    """What is known of one scenario, in three or four lines."""
    yield ""
    head = f"{visible(value.scenario)} (edition {value.edition})"
    yield f"{head}: {counted(value.messages, 'message')}"
    if value.orders is None:
        yield "  more orders than can be counted"
    else:
        yield f"  {orders(value.orders)} that the parties could have produced"
    yield f"  {_done(value)}"
    if value.agrees is not None:
        same = "the same" if value.agrees else "NOT the same: a mistake of acpsim"
        yield f"  classes and their orders by brute force and by reduction are {same}"
    if value.certified:
        yield toned(f"  certified in {value.seconds:.2f} s", "expected")
    else:
        yield toned(f"  not certified after {value.seconds:.2f} s: {_why(value)}", "suspicion")


def _done(value: Certificate) -> str:
    kind = "class" if value.classes == 1 else "classes"
    if value.exhaustive:
        what = f"every one was run; they are of {value.classes:,} {kind}"
    else:
        what = f"{value.classes:,} {kind} that a client can tell apart, one order of each run"
        if value.covered is not None:
            whole = value.orders == value.covered
            what += f", standing for {'all' if whole else orders(value.covered)}"
    return f"{what} ({counted(value.applied, 'message')} told to {visible(value.target)})"


def _why(value: Certificate) -> str:
    reasons = []
    if value.failed:
        again = f" ({value.unrepeated} not again when told once more)" if value.unrepeated else ""
        reasons.append(f"it differs at {counted(value.failed, 'place')}{again}")
    if value.ending is not Ending.DONE:
        reasons.append(value.ending.value)
    if value.left:
        reasons.append(f"nothing is known of {orders(value.left)}")
    return "; ".join(reasons) or "the orders could not be counted"


def documents(done: Iterable[Searched]) -> list[JsonObject]:
    """The scenarios of the document of `explore`."""
    return [
        sampled_document(each.result, each.faults)
        if isinstance(each.result, Sampled)
        else certificate_document(each.result, each.faults)
        for each in done
    ]


def certificate_document(value: Certificate, faults: Sequence[Fault]) -> JsonObject:
    """One scenario of it, searched to its end or to a limit."""
    return {
        "scenario": value.scenario,
        "messages": value.messages,
        "relation": value.relation,
        "orders": None if value.orders is None else str(value.orders),
        "covered": None if value.covered is None else str(value.covered),
        "classes": value.classes,
        "certified": value.certified,
        "ending": value.ending.value,
        "exhaustive": value.exhaustive,
        "agrees": value.agrees,
        "failed": value.failed,
        "unrepeated": value.unrepeated,
        "applied": value.applied,
        "seconds": round(value.seconds, 4),
        "faults": [fault_document(each) for each in faults],
    }


def sampled(value: Sampled) -> Iterator[str]:
    """What a run of drawn schedules came to."""
    yield ""
    yield (
        f"{visible(value.scenario)} (edition {value.edition}): "
        f"{counted(value.schedules, 'schedule')} by {value.strategy}, seed {value.seed}, "
        f"{value.distinct:,} of them distinct, "
        f"in {value.seconds:.1f} s ({value.schedules / max(value.seconds, 1e-9):,.0f} a second)"
    )
    if value.failed:
        faults = counted(len(value.faults), "distinct fault")
        yield f"  {faults} in {counted(value.failed, 'schedule')}"
        tapes = ", ".join(value.tapes)
        yield f"  tapes that fail: {tapes} (--tape runs one again)"
    else:
        yield "  no fault found; nothing is said of the orders that were not drawn"


def sampled_document(value: Sampled, faults: Sequence[Fault]) -> JsonObject:
    """One scenario of it, of which orders were drawn."""
    return {
        "scenario": value.scenario,
        "strategy": value.strategy,
        "schedules": value.schedules,
        "distinct": value.distinct,
        "failed": value.failed,
        "tapes": list(value.tapes),
        "seconds": round(value.seconds, 4),
        "faults": [fault_document(each) for each in faults],
    }
