"""`acpsim sim`: run a model, write its trace, say what it came to."""

from __future__ import annotations

from typing import Any

import click

from acpsim.cli.options import edition_default, edition_named, format_option, one_of, seed_option
from acpsim.cli.simulate import Wanted, answer
from acpsim.errors import UsageError
from acpsim.sim.model import load_model, shipped_models
from acpsim.sim.plan import Plan
from acpsim.wire.edition import DRAFT

EPILOG = """\b
Examples:
  acpsim sim --list
  acpsim sim cancel-race -o trace.jsonl
  acpsim sim cancel-race --seed 7 --edition sdk-2.4 --observer client -o client.jsonl
  acpsim sim overload --set sessions=50 --replications 10 --jobs 2
  acpsim sim cancel-race --sweep link.latency.mean_s=0.01:1:10 --csv sweep.csv
  acpsim sim overload --sweep reconcile.service.mean_s=0.0002:0.002:7 --plot load.png
  acpsim sim overload --service reference --sweep sessions=50:400:4 --plot real.svg
  acpsim sim permission-storm --plot session.svg
"""
SOME = click.IntRange(min=1)


@click.command("sim", epilog=EPILOG)
@click.argument("model", required=False, metavar="MODEL", shell_complete=one_of(shipped_models))
@click.option("--list", "listed", is_flag=True, help="Name the shipped models.")
@click.option("-o", "--out", metavar="TRACE", help="Write the first run's trace; - is stdout.")
@click.option(
    "--observer",
    type=click.Choice(["wire", "client", "agent"]),
    default="wire",
    show_default=True,
    help="Where the trace's order is seen.",
)
@seed_option
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a parameter.")
@click.option("--service", metavar="TARGET", help="Reconcile as slowly as this reducer, measured.")
@click.option("--misbehave", multiple=True, metavar="RULE", help="Make a party break a rule.")
@click.option("--sweep", "sweeps", multiple=True, metavar="KEY=FROM:TO:STEPS", help="One or two.")
@click.option("--replications", type=SOME, default=1, show_default=True, help="Runs of each point.")
@click.option("--jobs", type=SOME, default=1, show_default=True, help="Processes.")
@click.option("--csv", "table", metavar="FILE", help="Write the figures as CSV.")
@click.option("--plot", metavar="FILE", help="Draw what was swept, or else a session: .png .svg …")
@click.option("--figure", metavar="NAME", help="The figure to draw.")
@click.option("--against", metavar="NAME", help="Over which figure or parameter to draw it.")
@edition_default("draft")
@format_option
def command(model: str | None, *, listed: bool, edition: str | None, **given: Any) -> int:
    """Run a model for a seed and say what happened, with its figures.

    MODEL is the name of a shipped model or a .toml file. The same model, edition and seed give the
    same trace, byte by byte.
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
    return answer(plan, Wanted(**given))
