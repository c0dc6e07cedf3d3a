"""`acpsim mutants`: the fuzzer measured on faults that were seeded on purpose."""

from __future__ import annotations

import click

from acpsim.cli.mutant_measure import measure_them
from acpsim.cli.mutant_runs import Wanted, list_them, try_them
from acpsim.cli.options import edition_default, edition_named, one_of, seed_option
from acpsim.errors import UsageError
from acpsim.fuzz.measuring import CASES_MAX
from acpsim.fuzz.ways import ALL, WAYS, ways_named
from acpsim.targets.mutants import MUTANTS
from acpsim.wire.edition import EDITIONS

EPILOG = """\b
Examples:
  acpsim mutants                                  one seed: what each fault is shrunk to
  acpsim mutants --only echo-doubled --only null-as-omitted
  acpsim mutants --seeds 30 --jobs 2              how soon, over 30 seeds
  acpsim mutants --seeds 30 --strategies all -o mutants.md
\b
Strategies:
  default: what acpsim fuzz does: known kinds of trouble first, then portfolio
  portfolio: all sources of scenarios, each order by one of the next at random
  uniform, priorities-2, priorities-3, delays-1, delays-3: all sources, orders by this one
  generated, simulated, recorded, known: this source alone, orders by portfolio
"""


@click.command("mutants", epilog=EPILOG)
@click.option("--list", "listed", is_flag=True, help="Only name them, with what each breaks.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAME",
    shell_complete=one_of(lambda: MUTANTS),
    help="Only this one; repeatable.",
)
@seed_option
@click.option("--seeds", type=click.IntRange(min=1), help="So many seeds from --seed on: a table.")
@click.option(
    "--strategy",
    "--strategies",
    "strategies",
    multiple=True,
    metavar="NAME",
    shell_complete=one_of(lambda: (*WAYS, ALL)),
    help="How cases are made (see below); repeatable; all: the first seven. Default: default.",
)
@click.option(
    "--cases",
    type=click.IntRange(min=1),
    help=f"When a fault counts as missed. Default: {CASES_MAX}; 3000 for strategy default.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Processes (a table)."
)
@edition_default("both, in turn")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "csv", "markdown"]),
    help="json, csv and markdown print one document and nothing else. Default: text.",
)
@click.option("-o", "--out", metavar="FILE", help="Write the table there; format by its suffix.")
def command(
    *,
    listed: bool,
    only: tuple[str, ...],
    seed: int,
    seeds: int | None,
    strategies: tuple[str, ...],
    cases: int | None,
    jobs: int,
    edition: str | None,
    form: str | None,
    out: str | None,
) -> int:
    """Run the fuzzer on every seeded fault and say which it caught, how soon: 1 if some missed.

    With --seeds or --strategy: cases and seconds to the first catch, median and 90th percentile,
    and misses. A canary, a fault that must be reported, is run with them.
    """
    given = edition_named(edition)
    wanted = Wanted(
        only=only,
        editions=tuple(EDITIONS.values()) if given is None else (given,),
        seed=seed,
        seeds=seeds,
        strategies=ways_named(strategies),
        cases=cases,
        jobs=jobs,
        form=form,
        out=out,
    )
    if listed:
        return list_them(wanted)
    if seeds is not None or strategies:
        return measure_them(wanted)
    if out is not None or form in ("csv", "markdown"):
        raise UsageError("a table is of several seeds; give --seeds, such as --seeds 30")
    return try_them(wanted)
