"""Functions of Python's `statistics` that add numbers exactly, of arrays in place of lists."""

from __future__ import annotations

from typing import Any


def exact_mean(x: Any) -> float:
    """`statistics.mean` of the entries of a vector."""
    from statistics import mean  # here: it imports `decimal` and `fractions`

    return float(mean(x.tolist()))


def exact_variance(x: Any, ddof: int) -> float:
    """`statistics.variance` of the entries of a vector, or `pvariance` where `ddof` is 0."""
    from statistics import pvariance, variance

    return float(variance(x.tolist()) if ddof else pvariance(x.tolist()))


def exact_deviation(x: Any, ddof: int) -> float:
    """`statistics.stdev` of the entries of a vector, or `pstdev` where `ddof` is 0."""
    from statistics import pstdev, stdev

    return float(stdev(x.tolist()) if ddof else pstdev(x.tolist()))
