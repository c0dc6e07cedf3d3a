"""`acpsim fit`: a model whose delays are those of recorded conversations."""

from __future__ import annotations

import click

from acpsim.cli import NOTHING_TESTED
from acpsim.cli.options import edition_named, edition_option
from acpsim.files import open_input, write_whole
from acpsim.sim.fit import DELAYS, Delays, fit, model_text
from acpsim.sim.model import parse_model
from acpsim.views.escape import visible
from acpsim.views.text import counted
from acpsim.wire import methods
from acpsim.wire.trace import read_trace

EPILOG = """\b
Examples:
  acpsim fit calls.jsonl -o mine.toml
  acpsim sim mine.toml --set link.latency.value_s=0.2
"""


@click.command("fit", epilog=EPILOG)
@click.argument("traces", nargs=-1, required=True, metavar="TRACE...")
@click.option("-o", "--out", metavar="MODEL", help="Write the model; default: print it.")
@edition_option
def command(traces: tuple[str, ...], out: str | None, edition: str | None) -> int:
    """Read recorded conversations and write a model whose delays are fitted to them.

    For each delay the best of several distributions is taken; beside it stands how many values
    there were and how far the fit is off.
    """
    delays, prompts, sessions = Delays(), 0, 0
    for path in traces:
        with open_input(path) as stream:
            events = read_trace(stream, edition=edition_named(edition)).events
        delays.read(events)
        prompts += sum(isinstance(event.message, methods.PromptRequest) for event in events)
        sessions += sum(isinstance(event.message, methods.NewSessionRequest) for event in events)
    fits = {name: fit(values) for name, values in delays.values.items() if values}
    if not fits:
        click.echo("acpsim fit: no delay was found in these traces", err=True)
        return NOTHING_TESTED
    named = [visible(path) for path in traces]
    text = model_text(fits, sources=named, prompts=round(prompts / max(sessions, 1)))
    parse_model(text, where="the fitted model")
    if out is None:
        click.echo(text, nl=False)
    else:
        write_whole(out, text.encode())
    for name, value in fits.items():
        kind = value.spec["kind"]
        click.echo(
            f"{name:<24} {counted(value.count, 'value'):>12}, mean {value.mean_s:.4g} s: {kind}, "
            f"distance {value.distance:.3f} ({DELAYS[name]})",
            err=True,
        )
    return 0
