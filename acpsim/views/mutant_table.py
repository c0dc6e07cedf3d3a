"""Seeded faults: what each is, whether it was caught, and how soon over many seeds.

Owns: the lines, the tables and the documents of `mutants`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Final

from acpsim.fuzz.measuring import CASES_AIM, SECONDS_AIM, Measured, Soon
from acpsim.fuzz.mutants_run import MutantFinished, MutantsFinished
from acpsim.fuzz.trials import Alarm
from acpsim.targets.mutants import MUTANTS, Mutant
from acpsim.views.text import counted
from acpsim.views.tone import toned
from acpsim.wire.cells import JsonObject

BROKEN: Final = "the reporting itself is broken; nothing else that this run says counts"
COLUMNS: Final = (
    *("mutant", "strategy", "seeds", "missed"),
    *("median_cases", "p90_cases", "median_seconds", "p90_seconds"),
    *("breaks", "equivalent_to"),
)


def mutant(value: MutantFinished) -> str:
    """One row of `mutants`."""
    same = _same(MUTANTS[value.name])
    if not value.caught:
        how = "same  " if MUTANTS[value.name].undetectable else "MISSED"
        missed = f"{how}  {value.name:<36} after {value.cases} cases, {value.seconds:.1f} s{same}"
        return toned(missed, "breach") if how == "MISSED" else missed
    found = f"{value.oracle}{_rules(value.rules)}{same}"
    return (
        f"caught  {value.name:<36} {value.cases:>5} cases {value.seconds:>7.2f} s "
        f"{value.messages:>3} messages  {found}"
    )


def _rules(rules: tuple[str, ...]) -> str:
    return f", {', '.join(rules)}" if rules else ""


def _same(value: Mutant) -> str:
    """That nobody can tell a mutant from another, where that is so."""
    return f" (equivalent to {value.equivalent_to})" if value.equivalent_to else ""


def listed(mutants: Iterable[Mutant]) -> Iterator[str]:
    """The names of mutants, with what each does wrong."""
    for value in mutants:
        yield f"{value.name:<36} {', '.join(value.breaks)}: {value.text}"
        if value.equivalent_to:
            yield f"{'':<36} equivalent to {value.equivalent_to}: {value.why}"


def list_document(mutants: Iterable[Mutant]) -> JsonObject:
    """`mutants --list --format json`."""
    return {"mutants": [_described(value) for value in mutants]}


def _described(value: Mutant) -> JsonObject:
    return {
        "name": value.name,
        "text": value.text,
        "breaks": list(value.breaks),
        "equivalent_to": value.equivalent_to or None,
        "why": value.why or None,
    }


def alarmed(alarm: Alarm) -> Iterator[str]:
    """What is said where the reporting cannot be believed."""
    if alarm.canary_missed:
        yield toned(f"the canary, a fault that must be reported, was not: {BROKEN}", "breach")
    if alarm.reference_blamed:
        yield toned(f"the reference itself was reported: {BROKEN}", "breach")


def mutants_finished(event: MutantsFinished) -> Iterator[str]:
    """The closing lines of `mutants`."""
    results = event.results
    caught = [result for result in results if result.caught]
    largest = max((result.messages or 0 for result in caught), default=0)
    yield (
        f"{len(caught)} of {counted(len(results), 'mutant')} caught in {event.seconds:.1f} s; "
        f"the largest shrunk fault has {counted(largest, 'message')} after set-up"
    )
    if event.missed:
        yield f"missed: {', '.join(event.missed)}"
    yield from alarmed(event.alarm)


def _alarm_document(alarm: Alarm) -> JsonObject:
    return {
        "canary_reported": not alarm.canary_missed,
        "reference_silent": not alarm.reference_blamed,
    }


def mutants_document(event: MutantsFinished) -> JsonObject:
    """`mutants --format json`."""
    return {
        "seconds": round(event.seconds, 3),
        "missed": list(event.missed),
        **_alarm_document(event.alarm),
        "mutants": [
            {
                **_described(MUTANTS[result.name]),
                "caught": result.caught,
                "cases": result.cases,
                "seconds": round(result.seconds, 3),
                "edition": result.edition,
                "oracle": result.oracle,
                "rules": list(result.rules),
                "messages": result.messages,
                "minimal": result.minimal,
            }
            for result in event.results
        ],
    }


# --- over many seeds -----------------------------------------------------------------------------


def measured(event: Measured) -> Iterator[str]:
    """Every mutant in every way, and what they come to."""
    yield f"{'mutant':<36} {'strategy':<13} {'cases':>6} {'90 %':>6} {'s':>7} {'90 %':>7}  missed"
    for name, row in event.rows.items():
        for way, value in row.items():
            line = (
                f"{name:<36} {way:<13} "
                f"{_cases(value.median_cases):>6} {_cases(value.p90_cases):>6} "
                f"{_seconds(value.median_s):>7} {_seconds(value.p90_s):>7}  "
                f"{value.missed} of {value.seeds}{_same(MUTANTS[name])}"
            )
            yield line if _fine(name, value) else toned(line, "breach")
    yield ""
    yield from conclusions(event)


def conclusions(event: Measured) -> Iterator[str]:
    """What the whole table comes to, a line for each way."""
    for way in event.plan.ways:
        values = {name: row[way] for name, row in event.rows.items() if way in row}
        told = [value for name, value in values.items() if not MUTANTS[name].undetectable]
        if not told:
            continue
        late = sum(not value.reached for value in told)
        missed = sum(value.missed for value in told)
        limit = event.plan.cases_of(way)
        middle = sorted(value.median_cases or limit for value in told)
        yield (
            f"{way}: {counted(len(told), 'mutant')}, half of the medians at most "
            f"{middle[(len(middle) - 1) // 2]} cases, the greatest {_greatest(told)}; "
            f"missed {missed} of {sum(value.seeds for value in told)} times in {limit} cases; "
            f"{late or 'none'} not within {CASES_AIM} cases and {SECONDS_AIM:g} s"
        )
    yield f"{event.units} of {event.planned} runs (a seed in one strategy) in {event.seconds:.0f} s"
    for done in event.alarms:
        yield f"{done.unit.way}, seed {done.unit.seed}:"
        yield from alarmed(done.alarm)


def _greatest(values: list[Soon]) -> str:
    if any(value.median_cases is None for value in values):
        return "beyond the limit"
    return str(max(value.median_cases or 0 for value in values))


def _fine(name: str, value: Soon) -> bool:
    return value.reached or MUTANTS[name].undetectable


def _cases(value: int | None) -> str:
    return "-" if value is None else str(value)


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def measured_rows(event: Measured) -> list[JsonObject]:
    """A flat row for each mutant in each way."""
    return [
        {
            "mutant": name,
            "strategy": way,
            "seeds": value.seeds,
            "missed": value.missed,
            "median_cases": value.median_cases,
            "p90_cases": value.p90_cases,
            "median_seconds": None if value.median_s is None else round(value.median_s, 3),
            "p90_seconds": None if value.p90_s is None else round(value.p90_s, 3),
            "breaks": list(MUTANTS[name].breaks),
            "equivalent_to": MUTANTS[name].equivalent_to or None,
        }
        for name, row in event.rows.items()
        for way, value in row.items()
    ]


def measured_document(event: Measured) -> JsonObject:
    """`mutants --seeds N --format json`."""
    plan = event.plan
    return {
        "seed": plan.seed,
        "seeds": plan.seeds,
        "editions": list(plan.editions),
        "cases_max": {way: plan.cases_of(way) for way in plan.ways},
        "runs": event.units,
        "runs_planned": event.planned,
        "seconds": round(event.seconds, 3),
        "missed": list(event.missed),
        "canary_reported": not any(done.alarm.canary_missed for done in event.alarms),
        "reference_silent": not any(done.alarm.reference_blamed for done in event.alarms),
        "rows": measured_rows(event),
    }


def measured_csv(event: Measured) -> str:
    """`mutants --seeds N --format csv`."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in measured_rows(event):
        writer.writerow({**row, "breaks": " ".join(row["breaks"])})
    return text.getvalue()


def measured_markdown(event: Measured, *, command: str, version: str) -> str:
    """The table as a document: how it came about, what it comes to, a row for each mutant."""
    plan = event.plan
    ways = [way for way in plan.ways if any(way in row for row in event.rows.values())]
    seeds = f"seeds {plan.seed} to {plan.seed + plan.seeds - 1}"
    how = f"acpsim {version}, edition {' and '.join(plan.editions)} in turn, {seeds}"
    lines = [
        f"<!-- {command} -->",
        f"<!-- {how} -->",
        "",
        "# How soon each seeded fault is caught",
        "",
        *(f"- {line}" if line else "" for line in conclusions(event)),
        "",
        "Cells: median/90th percentile of cases; the same in seconds of one core; misses.",
        "",
        "| mutant | breaks | " + " | ".join(ways) + " |",
        "|---|---|" + "---|" * len(ways),
    ]
    for name, row in event.rows.items():
        cells = " | ".join(_cell(row[way]) if way in row else "" for way in ways)
        lines.append(f"| {name}{_same(MUTANTS[name])} | {MUTANTS[name].breaks[0]} | {cells} |")
    return "\n".join(lines) + "\n"


def _cell(value: Soon) -> str:
    missed = f"; missed {value.missed}" if value.missed else ""
    return (
        f"{_cases(value.median_cases)}/{_cases(value.p90_cases)}; "
        f"{_seconds(value.median_s)}/{_seconds(value.p90_s)} s{missed}"
    )
