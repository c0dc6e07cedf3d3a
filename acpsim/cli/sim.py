"""`acpsim sim`: run a model, write its trace, say what it came to."""

from __future__ import annotations

from typing import Any

import click

from acpsim.cli.options import edition_default, edition_named, format_option, one_of, seed_option
from acpsim.cli.simulate import Wanted, answer
from acpsim.errors import UsageError
from acpsim.sim.model import load_model, shipped_models
from acpsim.sim.plan import Plan
from acpsim.sim.written import written
from acpsim.wire.edition import DRAFT

EPILOG = """\b
Examples:
  acpsim sim --list
  acpsim sim cancel-race --keys              every parameter, and what it means
  acpsim sim cancel-race --seed 7 --edition sdk-2.4 --observer client -o client.jsonl
  acpsim sim overload --set sessions=50 --replications 10 --jobs 2
  acpsim sim cancel-race --sweep link.latency.mean_s=0.01:1:10 --csv sweep.csv
  acpsim sim overload --sweep reconcile.service.mean_s=0.0002:0.002:7 --plot load.png
  acpsim sim overload --service mypackage.reducer:Reducer --plot session.png
  acpsim sim permission-storm --plot session.svg
"""
SOME = click.IntRange(min=1)


@click.command("sim", epilog=EPILOG)
@click.argument("model", required=False, metavar="MODEL", shell_complete=one_of(shipped_models))
@click.option("--list", "listed", is_flag=True, help="Name the shipped models.")
@click.option("--keys", is_flag=True, help="Print the model with all its parameters, as TOML.")
@click.option("-o", "--out", metavar="TRACE", help="Write the first run's trace; - is stdout.")
@click.option(
    "--observer",
    type=click.Choice(["wire", "client", "agent"]),
    default="wire",
    show_default=True,
    help="Where the trace's order is seen.",
)
@seed_option
@click.option(
    "--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a parameter; repeatable."
)
@click.option(
    "--service",
    metavar="TARGET",
    help="Measure how long this reducer takes for an update: module:attribute or reference.",
)
@click.option(
    "--misbehave", multiple=True, metavar="RULE", help="Make a party break a rule; repeatable."
)
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar="KEY=FROM:TO:STEPS",
    help="Vary a parameter; one or two.",
)
@click.option(
    "--replications",
    type=SOME,
    default=1,
    show_default=True,
    help="Runs of each point, each with a seed of its own.",
)
@click.option("--jobs", type=SOME, default=1, show_default=True, help="Processes.")
@click.option("--csv", "table", metavar="FILE", help="Write the figures as CSV.")
@click.option("--plot", metavar="FILE", help="Draw what was swept, else a session: .png .svg .pdf")
@click.option("--figure", metavar="NAME", help="The figure to draw.")
@click.option("--against", metavar="NAME", help="Over which figure or parameter to draw it.")
@edition_default("draft")
@format_option
def command(
    model: str | None, *, listed: bool, keys: bool, edition: str | None, **given: Any
) -> int:
    """Run a model for a seed and say what happened, with its figures.

    MODEL is the name of a shipped model or a .toml file. The same model, edition and seed give the
    same trace, byte by byte. A client with a service time (reconcile.service, or --service) has a
    queue, and its user acts on what it has reconciled; reconcile.acts = false only watches it.
    """
    if listed:
        for name in shipped_models():
            click.echo(f"{name:<26} {load_model(name).text}")
        return 0
    if model is None:
        raise UsageError("give a MODEL; --list names the shipped ones")
    asked = ("seed", "sets", "service", "misbehave", "sweeps", "replications")
    plan = Plan(
        name=model,
        edition=edition_named(edition) or DRAFT,
        **{key: given.pop(key) for key in asked},
    )
    if keys:
        click.echo("\n".join(written(plan.model())))
        return 0
    return answer(plan, Wanted(**given))
