"""What a simulated figure is worth: where its warm-up ends and how far it may be off.

Owns: the truncation rule MSER-5 (White 1997), non-overlapping batch means for one long run,
intervals over independent replications, and the paired interval for two variants that were run
with common random numbers. All intervals are Student's t, two-sided. Nothing here draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

MSER_BATCH: Final = 5
"""Observations in one batch of MSER: five, the value for which the rule was studied."""
BATCHES: Final = 20
"""Batches of the method of batch means: enough degrees of freedom, few enough to be long."""
CONFIDENCE: Final = 0.95

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval, in the unit of the observations.

    `half_width` is `nan` where one observation (or none) allows no statement.
    """

    mean: float
    half_width: float
    confidence: float
    count: int

    @property
    def low(self) -> float:
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        return self.mean + self.half_width

    def covers(self, value: float) -> bool:
        """Whether `value` lies inside; never for an interval that allows no statement."""
        return self.low <= value <= self.high


def warm_up(values: Sequence[float] | Numbers) -> int:
    """How many leading observations MSER-5 cuts off: shape (n,) in, 0 to n // 2 out.

    Batches of five are averaged; the cut is the one that minimises the standard error of what
    remains, searched over the first half only, since a minimum in the second half says that the
    run was too short rather than that it settled late.
    """
    series = np.asarray(values, dtype=np.float64)
    batches = len(series) // MSER_BATCH
    if batches < 2:
        return 0
    means = series[: batches * MSER_BATCH].reshape(batches, MSER_BATCH).mean(axis=1)
    # Sums over each tail, from the end, centred first so that squares do not cancel.
    means = means - means.mean()
    left = np.arange(batches, 0, -1, dtype=np.float64)
    sums = np.cumsum(means[::-1])[::-1]
    squares = np.cumsum((means**2)[::-1])[::-1]
    errors = (squares - sums**2 / left) / left**2
    return int(np.argmin(errors[: batches // 2 + 1])) * MSER_BATCH


def replications(values: Sequence[float] | Numbers, confidence: float = CONFIDENCE) -> Interval:
    """The interval of the mean of independent values, one of each replication; shape (n,)."""
    series = np.asarray(values, dtype=np.float64)
    count = len(series)
    if count == 0:
        return Interval(math.nan, math.nan, confidence, 0)
    mean = float(series.mean())
    if count == 1:
        return Interval(mean, math.nan, confidence, 1)
    error = float(series.std(ddof=1)) / math.sqrt(count)
    return Interval(mean, student_t(confidence, count - 1) * error, confidence, count)


def batch_means(
    values: Sequence[float] | Numbers, confidence: float = CONFIDENCE, batches: int = BATCHES
) -> Interval:
    """The interval of the steady-state mean of one correlated series (warm-up cut off before).

    The series is cut into `batches` equal runs whose means are taken as independent; observations
    that do not fill the last one are left out. A series shorter than two a batch is one
    observation: a mean, no statement.
    """
    series = np.asarray(values, dtype=np.float64)
    size = len(series) // batches
    if size < 2:
        mean = float(series.mean()) if len(series) else math.nan
        return Interval(mean, math.nan, confidence, min(len(series), 1))
    return replications(series[: size * batches].reshape(batches, size).mean(axis=1), confidence)


def paired(
    first: Sequence[float] | Numbers,
    second: Sequence[float] | Numbers,
    confidence: float = CONFIDENCE,
) -> Interval:
    """The interval of `second - first`, replication by replication under common random numbers.

    Raises `ValueError` where the two have not the same length.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} replications are no pairs")
    difference = np.asarray(second, dtype=np.float64) - np.asarray(first, dtype=np.float64)
    return replications(difference, confidence)


def student_t(confidence: float, freedom: int) -> float:
    """The two-sided quantile of Student's t: |T| stays below it with this probability.

    By bisection on the distribution function, whose tail is a regularised incomplete beta
    function; exact to about 1e-10, which no simulated figure can tell.
    """
    tail = 1.0 - confidence
    low, high = 0.0, 1.0
    while _two_sided_tail(high, freedom) > tail:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if _two_sided_tail(middle, freedom) > tail:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _two_sided_tail(t: float, freedom: int) -> float:
    return _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """I_x(a, b) by its continued fraction (Lentz), on the side where that converges fast."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1.0 - _incomplete_beta(b, a, 1.0 - x)
    log_front = a * math.log(x) + b * math.log1p(-x)
    log_front += math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    tiny = 1e-300
    c, d = 1.0, 1.0 / max(1.0 - (a + b) * x / (a + 1), tiny)
    result = d
    for m in range(1, 200):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1.0 / (1.0 + term * d or tiny)
            c = 1.0 + term / c or tiny
            result *= c * d
        if abs(c * d - 1.0) < 1e-14:
            break
    return math.exp(log_front) * result
