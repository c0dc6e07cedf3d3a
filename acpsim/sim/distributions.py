"""Random durations by name: what a model writes as `{kind = "exponential", mean_s = 0.05}`.

Owns: `KINDS`, the table of distributions with their parameters, and `sampler`, which turns one
specification and one generator into a function that draws. Draws come from numpy in blocks, so
that a draw costs a list pop and not a call into numpy; a block belongs to one purpose, so that no
other purpose's draws move when its size changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from acpsim.errors import UsageError

BLOCK: Final = 64
"""Draws taken from numpy at once: enough to hide the call, few enough for 10,000 sessions."""

Draws: TypeAlias = Callable[[], float]
"""A function that gives the next duration in seconds."""
Numbers: TypeAlias = NDArray[np.float64]
Spec: TypeAlias = Mapping[str, object]
"""A distribution as a model writes it: `kind` and that kind's parameters."""
_Block: TypeAlias = Callable[[np.random.Generator, Mapping[str, float], int], Numbers]


@dataclass(frozen=True, slots=True)
class Kind:
    """One distribution: its parameters with their lower bound, its draws and its mean."""

    text: str
    parameters: Mapping[str, float]
    block: _Block
    mean: Callable[[Mapping[str, float]], float]
    above: frozenset[str] = frozenset()
    """Parameters that have to lie above their bound and not on it."""


def _uniform(generator: np.random.Generator, p: Mapping[str, float], n: int) -> Numbers:
    return generator.uniform(p["min_s"], p["max_s"], n)


def _lognormal(generator: np.random.Generator, p: Mapping[str, float], n: int) -> Numbers:
    return generator.lognormal(math.log(p["median_s"]), p["sigma"], n)


def _gamma(generator: np.random.Generator, p: Mapping[str, float], n: int) -> Numbers:
    return generator.gamma(p["shape"], p["mean_s"] / p["shape"], n)


def _pareto(generator: np.random.Generator, p: Mapping[str, float], n: int) -> Numbers:
    return p["min_s"] * (1.0 + generator.pareto(p["alpha"], n))


KINDS: Final[dict[str, Kind]] = {
    "constant": Kind(
        text="always the same",
        parameters={"value_s": 0.0},
        block=lambda _, p, n: np.full(n, p["value_s"]),
        mean=lambda p: p["value_s"],
    ),
    "uniform": Kind(
        text="anything between two bounds, alike",
        parameters={"min_s": 0.0, "max_s": 0.0},
        block=_uniform,
        mean=lambda p: (p["min_s"] + p["max_s"]) / 2,
    ),
    "exponential": Kind(
        text="memoryless",
        parameters={"mean_s": 0.0},
        block=lambda g, p, n: g.exponential(p["mean_s"], n),
        mean=lambda p: p["mean_s"],
    ),
    "lognormal": Kind(
        text="a median and a long tail; sigma is the deviation of the logarithm",
        parameters={"median_s": 0.0, "sigma": 0.0},
        block=_lognormal,
        mean=lambda p: p["median_s"] * math.exp(p["sigma"] ** 2 / 2),
        above=frozenset({"median_s"}),
    ),
    "gamma": Kind(
        text="a mean and a shape: 1 is exponential, larger is narrower",
        parameters={"mean_s": 0.0, "shape": 0.0},
        block=_gamma,
        mean=lambda p: p["mean_s"],
        above=frozenset({"shape"}),
    ),
    "pareto": Kind(
        text="a minimum and a power-law tail; the mean is infinite for alpha up to 1",
        parameters={"min_s": 0.0, "alpha": 0.0},
        block=_pareto,
        mean=lambda p: p["min_s"] * p["alpha"] / (p["alpha"] - 1) if p["alpha"] > 1 else math.inf,
        above=frozenset({"min_s", "alpha"}),
    ),
}
"""Every distribution that is given by parameters; `empirical` draws from measured values."""

EMPIRICAL: Final = "empirical"


def check_spec(spec: Spec, where: str) -> None:
    """Raise `UsageError` beginning with `where` unless `spec` names a distribution rightly."""
    kind = spec.get("kind")
    if kind == EMPIRICAL:
        _check_values(spec, where)
        return
    if not isinstance(kind, str) or kind not in KINDS:
        known = ", ".join([*KINDS, EMPIRICAL])
        raise UsageError(f"{where}.kind: {kind!r} is no distribution; one of {known}")
    definition = KINDS[kind]
    for name in spec:
        if name != "kind" and name not in definition.parameters:
            takes = ", ".join(definition.parameters)
            raise UsageError(f"{where}.{name}: {kind} has no such parameter; it takes {takes}")
    for name, least in definition.parameters.items():
        value = spec.get(name)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(float(value)):  # type: ignore[arg-type]
            raise UsageError(f"{where}.{name}: {value!r} is no finite number; {kind} needs one")
        low = float(value)  # type: ignore[arg-type]
        if low < least or (low == least and name in definition.above):
            bound = "above" if name in definition.above else "at least"
            raise UsageError(f"{where}.{name}: {value!r} is too small; {bound} {least:g}")
    if kind == "uniform" and float(spec["min_s"]) > float(spec["max_s"]):  # type: ignore[arg-type]
        raise UsageError(f"{where}.min_s: is larger than max_s")


def _check_values(spec: Spec, where: str) -> None:
    values = spec.get("values_s")
    if set(spec) != {"kind", "values_s"} or not isinstance(values, list | tuple) or not values:
        raise UsageError(
            f"{where}: empirical takes a list values_s that is not empty, or the name of a file"
        )
    for at, value in enumerate(values):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not (0 <= float(value) < math.inf):
            raise UsageError(f"{where}.values_s[{at}]: {value!r} is no duration in seconds")


def mean_s(spec: Spec) -> float:
    """The mean of a checked specification, in seconds; infinite where it has none."""
    if spec["kind"] == EMPIRICAL:
        return float(np.mean(spec["values_s"]))  # type: ignore[call-overload]
    return KINDS[str(spec["kind"])].mean(_parameters(spec))


def with_mean(spec: Spec, value_s: float) -> dict[str, object]:
    """The same distribution stretched so that its mean is `value_s`; its form stays.

    One whose mean is nothing, or infinite, has no form to stretch: it becomes a constant.
    """
    before_s = mean_s(spec)
    if not 0 < before_s < math.inf:
        return {"kind": "constant", "value_s": value_s}
    factor = value_s / before_s
    if spec["kind"] == EMPIRICAL:
        values: Numbers = np.asarray(spec["values_s"], dtype=np.float64) * factor
        return {**spec, "values_s": values.tolist()}
    stretched = {
        name: value * factor for name, value in _parameters(spec).items() if name.endswith("_s")
    }
    return {**spec, **stretched}


def shares(values: Sequence[float] | Numbers, count: int) -> list[float]:
    """At most `count` values for many: the sorted ones in equal shares, and each share's mean."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    parts = np.array_split(ordered, min(count, len(ordered)))
    return [float(f"{part.mean():.6g}") for part in parts]


def read_values(text: str, where: str) -> list[float]:
    """The durations in a file's text: numbers, apart by spaces, commas or lines; `#` comments.

    Raises `UsageError` beginning with `where` for anything else, and for none at all.
    """
    found: list[float] = []
    for number, line in enumerate(text.splitlines(), 1):
        for word in line.partition("#")[0].replace(",", " ").split():
            try:
                value = float(word)
            except ValueError:
                value = math.nan
            if not 0 <= value < math.inf:
                raise UsageError(f"{where}: line {number}: {word!r} is no duration in seconds")
            found.append(value)
    if not found:
        raise UsageError(f"{where}: holds no duration; give one number in seconds a line")
    return found


def sampler(spec: Spec, generator: np.random.Generator) -> Draws:
    """A function that draws from a checked specification; all its randomness is `generator`'s."""
    if spec["kind"] == "constant":
        value = _parameters(spec)["value_s"]
        return lambda: value
    if spec["kind"] == EMPIRICAL:
        values: Numbers = np.asarray(spec["values_s"], dtype=np.float64)
        return _blocks(lambda: generator.choice(values, BLOCK))
    block, parameters = KINDS[str(spec["kind"])].block, _parameters(spec)
    return _blocks(lambda: block(generator, parameters, BLOCK))


def _parameters(spec: Spec) -> dict[str, float]:
    return {key: float(value) for key, value in spec.items() if key != "kind"}  # type: ignore[arg-type]


def _blocks(take: Callable[[], Numbers]) -> Draws:
    drawn: list[float] = []
    pop = drawn.pop

    def draw() -> float:
        if not drawn:
            drawn.extend(take()[::-1].tolist())
        return pop()

    return draw
