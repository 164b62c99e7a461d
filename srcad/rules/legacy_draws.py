"""NumPy's older functions of random numbers, which share one hidden generator: what they give.

np.random.rand(n, 3)        f64[n, 3]          np.random.randint(10)       int
np.random.normal()          float              np.random.choice(x, n)      x's dtype, [n]

`np.random.seed` and the draws are effects: made once for each run of the statement, in the order of
the program, on the generator that all of the process share.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, NumberType, Type
from srcad.rules.core.facts import UncoveredError, shape_from
from srcad.rules.draws import TYPES, Given

_SAME = """beta binomial chisquare exponential f gamma geometric gumbel hypergeometric laplace
    logistic lognormal logseries negative_binomial noncentral_chisquare noncentral_f normal pareto
    permutation poisson power random rayleigh standard_cauchy standard_exponential standard_gamma
    standard_normal standard_t triangular uniform vonmises wald weibull zipf"""


def _of_dims(given: Given) -> Type:
    """`rand(2, 3)`: the arguments are the shape."""
    dims = given["args"]
    return ArrayType(np.dtype(float), shape_from(dims)) if dims else NumberType(float)


def _randint(given: Given) -> Type:
    if given["dtype"] is not int:
        raise UncoveredError("a `dtype`")
    if given["size"] is None:
        if not all(isinstance(given[k], int | NumberType | None) for k in ("low", "high")):
            raise UncoveredError("bounds that are arrays")
        return NumberType(int)
    return ArrayType(np.dtype(int), shape_from(given["size"]))


def _choice(given: Given) -> Type:
    return TYPES["choice"]({**given, "axis": 0})


_OWN: dict[str, Callable[[Given], Type]] = {
    "rand": _of_dims, "randn": _of_dims, "randint": _randint, "choice": _choice,
    "random_sample": TYPES["random"], "ranf": TYPES["random"], "sample": TYPES["random"],
}  # fmt: skip
_TYPES = {**{name: TYPES[name] for name in _SAME.split()}, **_OWN}

# The functions of the module, with the type of what each gives.
LEGACY: dict[Any, Callable[[Given], Type]] = {
    getattr(np.random, name): type_of for name, type_of in _TYPES.items()
}


# The methods of a `RandomState`, by name: they draw as those do.
STATE_METHODS = {
    name: getattr(np.random.RandomState, name)
    for name in _TYPES
    if hasattr(np.random.RandomState, name)
}


def type_of_legacy(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Type:
    """The type of `np.random.name(*args, **kwargs)`; arguments are constants and types.

    Raises:
        TypeError: the function does not take these arguments.
        SrcadError: shapes do not fit, or it is not known what it gives.
    """
    bound = inspect.signature(fn).bind(*args, **kwargs)
    bound.apply_defaults()
    return LEGACY[fn](bound.arguments)


__all__ = ["LEGACY", "STATE_METHODS", "type_of_legacy"]
