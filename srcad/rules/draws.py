"""Methods of random generators: what they give. Parameters of distributions have no derivatives.

rng.standard_normal((n, 3))      f64[n, 3]         rng.integers(10, size=n)     i64[n]
rng.normal()                     float             rng.choice(x, n)             x's dtype, [n, ...]

A draw is an effect: made once for each run of the statement, in the order of the program. It is a
constant of the gradient. For a derivative by a distribution's parameters, write the draw
as a function of them: `mu + sigma * rng.standard_normal(n)`.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.ir.kinds import is_integer
from srcad.ir.nodes import Op
from srcad.ir.types import ArrayType, NumberType, ObjectType, Shape, Type, dtype_of, shape_of
from srcad.rules.core.facts import UncoveredError, as_type, broadcast_shapes, shape_from
from srcad.runtime import python_draws

GENERATOR, RANDOM_STATE = ObjectType("Generator"), ObjectType("RandomState")
PYTHON_RANDOM = ObjectType("Random")

_REAL = """beta chisquare exponential f gamma gumbel laplace logistic lognormal noncentral_chisquare
    noncentral_f normal pareto power random rayleigh standard_cauchy standard_exponential
    standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull"""
_COUNTS = "binomial geometric hypergeometric logseries negative_binomial poisson zipf"
_OPTIONS = ("self", "size", "dtype", "out", "endpoint", "method")

Given = Mapping[str, Any]


def _drawn(given: Given, dtype: Any, number: type | None) -> Type:
    """The type of draws from one distribution; of a single one, that of a number."""
    size = given.get("size")
    parameters = [as_type(x) for name, x in given.items() if name not in _OPTIONS and x is not None]
    shape: Shape | None = ()
    if size is not None:
        shape = shape_from(size)
    else:
        for t in parameters:
            own = shape_of(t)
            shape = None if shape is None or own is None else broadcast_shapes(shape, own)
    if size is None and shape == ():
        return ArrayType(dtype, (), scalar=True) if number is None else NumberType(number)
    return ArrayType(dtype, shape)


def _real(given: Given) -> Type:
    return _drawn(given, np.dtype(given.get("dtype", np.float64)), float)


def _count(given: Given) -> Type:
    return _drawn(given, np.dtype(np.int64), int)


def _integers(given: Given) -> Type:
    return _drawn(given, np.dtype(given["dtype"]), None)


def _of_range(x: object) -> bool:
    """Whether an array is meant by its length: `rng.permutation(5)`."""
    return is_integer(x) or isinstance(x, NumberType)


def _permutation(given: Given) -> Type:
    x = given["x"]
    return ArrayType(np.dtype(np.int64), shape_from(x)) if _of_range(x) else _like(x)


def _permuted(given: Given) -> Type:
    return _like(given["x"])


def _like(x: object) -> ArrayType:
    t = as_type(x)
    if not isinstance(t, ArrayType):
        raise UncoveredError("what is no array")
    return ArrayType(t.dtype, t.shape)


def _choice(given: Given) -> Type:
    a, size = given["a"], given["size"]
    if _of_range(a):
        return _drawn({"size": size}, np.dtype(np.int64), int)
    t = _like(a)
    outer = () if size is None else shape_from(size)
    if given["axis"] != 0 or t.shape is None or outer is None:
        return ArrayType(t.dtype, None)
    shape = (*outer, *t.shape[1:])
    return ArrayType(t.dtype, shape, scalar=size is None and not shape)


def _vectors(given: Given) -> Type:
    """One vector for each draw, as long as the first parameter."""
    first = next(x for name, x in given.items() if name != "self")
    own = shape_of(as_type(first))
    outer = () if given["size"] is None else shape_from(given["size"])
    shape = None if own is None or outer is None else (*outer, *own)
    return ArrayType(np.dtype(np.float64), shape)


TYPES: dict[str, Callable[[Given], Type]] = {
    **dict.fromkeys(_REAL.split(), _real),
    **dict.fromkeys(_COUNTS.split(), _count),
    "integers": _integers,
    "permutation": _permutation,
    "permuted": _permuted,
    "choice": _choice,
    "dirichlet": _vectors,
    "multivariate_normal": _vectors,
}

# The methods by name, and all of them.
METHODS = {name: getattr(np.random.Generator, name) for name in TYPES}
DRAWS = frozenset(METHODS.values())
_OF_STATES = frozenset(fn for fn in vars(np.random.RandomState).values() if callable(fn))
_NAMES = [name for name in dir(random.Random) if not name.startswith("_")]
_OF_PYTHON = frozenset(getattr(random.Random, name) for name in _NAMES)
_OF_MODULE = frozenset(getattr(random, name) for name in _NAMES if hasattr(random, name))
_PLACES = (python_draws.choices, python_draws.sample, python_draws.shuffle)


def is_draw(fn: object) -> bool:
    """Whether a function is a method of a generator."""
    return getattr(fn, "__module__", None) == "numpy.random._generator" and fn in DRAWS


def is_draw_of_state(fn: object) -> bool:
    """Whether a function is a method of NumPy's older generators, or of Python's."""
    return is_shared_draw(fn) and (fn in _OF_STATES or fn in _OF_PYTHON)


def is_shared_draw(fn: object) -> bool:
    """Whether a function draws from the generator that NumPy's older functions share, is such a
    method, or draws from one of Python's.
    """
    if getattr(fn, "__module__", None) == "numpy.random":
        return True
    try:
        return fn in _OF_PYTHON or fn in _OF_MODULE or fn in _PLACES
    except TypeError:  # it has no hash
        return False


def writes_array(op: Op) -> bool:
    """Whether a draw is given an array to write to."""
    bound = inspect.signature(METHODS[getattr(op.fn, "__name__", "")]).bind(*op.args, **op.kwargs)
    return bound.arguments.get("out") is not None


def type_of_draw(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Type:
    """The type of `rng.name(*args, **kwargs)`; arguments are constants and types.

    Raises:
        TypeError: the method does not take these arguments.
        SrcadError: shapes do not fit, or it is not known what it gives.
    """
    bound = inspect.signature(METHODS[name]).bind(None, *args, **kwargs)
    bound.apply_defaults()
    return TYPES[name](bound.arguments)


_FIXES = {
    "normal": "write `mu + sigma * rng.standard_normal(n)`",
    "uniform": "write `low + (high - low) * rng.random(n)`",
    "exponential": "write `scale * rng.standard_exponential(n)`",
    "gamma": "write `scale * rng.standard_gamma(shape, n)` with a constant shape",
    "permutation": "write `x[rng.permutation(len(x))]`",
    "choice": "write `x[rng.choice(len(x), n)]`",
}
_DETACH = "keep its parameters constant, or use `srcad.stop_gradient` on them"


def check_varied(op: Op) -> None:
    """Refuse a draw by numbers that vary where the draw itself, an integer, hides it."""
    dtypes = [dtype_of(out.type) for out in op.outs]
    if any(dtype is None or dtype.kind not in "fc" for dtype in dtypes):
        raise missing_rule(op)


def missing_rule(op: Op) -> SrcadError:
    """The error for a function of varied arguments that has no rule."""
    if not is_draw(op.fn) and not is_shared_draw(op.fn):
        from srcad.rules.scipy.refused import without_rule  # here: most programs need it not

        return without_rule(op.fn).located(op.loc)
    name = getattr(op.fn, "__name__", "")
    fix = _FIXES.get(name, _DETACH)
    if is_shared_draw(op.fn) and not is_draw_of_state(op.fn):
        fix = fix.replace("rng.", "np.random.")
    return error("E205", op.loc, what=f"`{name}` of a random generator", fix=fix)


__all__ = [
    "DRAWS",
    "GENERATOR",
    "METHODS",
    "PYTHON_RANDOM",
    "RANDOM_STATE",
    "TYPES",
    "Given",
    "check_varied",
    "is_draw",
    "is_draw_of_state",
    "is_shared_draw",
    "missing_rule",
    "type_of_draw",
]
