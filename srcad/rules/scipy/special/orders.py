"""For functions with orders or parameters that are not varied: `jv(v, x)` in `x`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.rules.core.table import Body, Case


def at(*parameters: Any) -> tuple[Case, ...]:
    """Cases `f(*parameters, x)` with arrays and a scalar for `x`; each parameter is a number."""
    return tuple(Case(*parameters, x) for x in ((3, 4), (), (0, 3)))


def at_each(*parameters: Any) -> tuple[Case, ...]:
    """As `at`, and with the first parameter an array of values near it."""

    def spread(rng: Any) -> Any:
        return rng.integers(0, 3, (3, 1)) + parameters[0]

    return (*at(*parameters), Case(Case.made(spread), *parameters[1:], (4,)))


def signed_exp(sign: int, log: Callable[..., Any]) -> Body:
    """The partial `sign * exp(log(y, *inputs))`: densities, and their reciprocals for inverses."""

    @functools.wraps(log)
    def partial(*args: Any) -> Any:
        found = np.exp(log(*args))
        return found if sign == 1 else -found

    return partial
