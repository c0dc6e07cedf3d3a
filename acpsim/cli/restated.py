"""A saved fault in other words: a vector, or a test function."""

from __future__ import annotations

import click

from acpsim.files import write_whole
from acpsim.oracles.counterexample import Counterexample
from acpsim.oracles.restate import of_vector, restated, vector_of
from acpsim.targets.target import Target
from acpsim.views.escape import json_escaped
from acpsim.views.pyfunction import function_file
from acpsim.wire.vector import Vector, encode_vector


def write_as(
    other: str,
    output: str | None,
    found: Counterexample | Vector,
    *,
    tested: Target,
    reference: Target,
    address: str,
) -> None:
    """Write it as `vector` or `pytest` to a file, or to standard output."""
    if other == "pytest":
        told = (
            of_vector(found)
            if isinstance(found, Vector)
            else restated(found, tested, reference=reference)
        )
        text = function_file(told, address)
    else:
        vector = (
            found if isinstance(found, Vector) else vector_of(found, tested, reference=reference)
        )
        text = json_escaped(encode_vector(vector).decode())
    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text.encode())
