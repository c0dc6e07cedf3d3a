"""`acpsim fit`: a model whose delays are those of recorded conversations."""

from __future__ import annotations

from pathlib import Path

import click

from acpsim.cli import NOTHING_TESTED
from acpsim.cli.options import edition_named, edition_option, seed_unused
from acpsim.cli.output import explain
from acpsim.files import check_inputs, open_input, write_whole
from acpsim.sim.fit import DELAYS, Delays, fit
from acpsim.sim.fitted import Shape, goodness, model_text
from acpsim.sim.model import parse_model
from acpsim.views.escape import visible
from acpsim.wire.trace import read_trace

EPILOG = """\b
Examples:
  acpsim fit calls.jsonl -o mine.toml
  acpsim fit calls/*.jsonl                    prints the model
  acpsim sim mine.toml                        speaks at the pace of the recordings
  acpsim sim mine.toml --set link.latency.value_s=0.2
"""


@click.command("fit", epilog=EPILOG)
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...")
@click.option("-o", "--out", metavar="MODEL", help="Write the model; default: print it.")
@edition_option
@seed_unused
def command(traces: tuple[str, ...], out: str | None, edition: str | None) -> int:
    """Read recorded conversations and write a model whose delays are fitted to them.

    For each delay the best of several distributions is taken; where none is near enough, the
    values themselves. Beside it stands how many values there were and how far the fit is off. How
    often what happens is counted.
    """
    check_inputs(traces)
    delays, shape = Delays(), Shape()
    for path in traces:
        with open_input(path) as stream:
            events = read_trace(stream, edition=edition_named(edition)).events
        delays.read(events)
        shape.read(events)
    fits = {name: fit(values) for name, values in delays.values.items() if values}
    if not fits:
        explain("fit", "no delay was found in these traces")
        return NOTHING_TESTED
    text = model_text(fits, shape, sources=[visible(Path(path).name) for path in traces])
    parse_model(text, where="the fitted model")
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text.encode())
    for name, value in fits.items():
        click.echo(f"{name:<24} {goodness(value)} ({DELAYS[name]})", err=True)
    return 0
