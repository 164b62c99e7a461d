"""Distributions of Python's `random` as functions of a draw without parameters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any


def uniform(u: float, a: float, b: float) -> float:
    """Between `a` and `b`, of `random()`."""
    return a + (b - a) * u


def triangular(u: float, low: float, high: float, mode: float | None) -> float:
    """A triangle's density, of `random()`."""
    if mode is None:
        c = 0.5
    else:
        if high - low == 0:
            return low
        c = (mode - low) / (high - low)
    if u > c:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - c))
    return low + (high - low) * math.sqrt(u * c)


def expovariate(u: float, lambd: float) -> float:
    """Exponential of a rate, of `random()`."""
    return -math.log(1.0 - u) / lambd


def paretovariate(u: float, alpha: float) -> Any:
    """Pareto, of `random()`."""
    return (1.0 - u) ** (-1.0 / alpha)


def weibullvariate(u: float, alpha: float, beta: float) -> Any:
    """Weibull of a scale and a shape, of `random()`."""
    return alpha * (-math.log(1.0 - u)) ** (1.0 / beta)


def normal(z: float, mu: float, sigma: float) -> float:
    """Normal, of a standard one."""
    return mu + z * sigma


def lognormal(z: float, mu: float, sigma: float) -> float:
    """The exponential of a normal, of a standard one."""
    return math.exp(mu + z * sigma)


def choice(randrange: Callable[[int], int], seq: Any, count: int) -> Any:
    """An item of a sequence."""
    if count == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[randrange(count)]


def taken(population: Any, places: Any) -> Any:
    """The items at drawn places."""
    return [population[i] for i in places]


def rearrange(x: Any, places: Any) -> None:
    """The items at drawn places, in the sequence itself."""
    x[:] = [x[i] for i in places]
