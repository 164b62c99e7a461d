"""Functions of Python's `statistics` that its own source computes with fractions.

statistics.stdev([x, 2.0, y])       exact_deviation(array([x, 2.0, y]), 1)

The others (`fmean`, `median`, `correlation`, `linear_regression`...) are followed in their source.
"""

from __future__ import annotations

import inspect
import statistics
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref, describe, is_static
from srcad.frontend.calls.handled import check_fits
from srcad.frontend.dispatch import Args, Kwargs, call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.loops.iteration import items_of
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of
from srcad.runtime.exact_statistics import exact_deviation, exact_mean, exact_variance

# What computes it, the options, and whether the result is of the class of the numbers.
_EXACT: dict[str, tuple[Any, tuple[int, ...], bool]] = {
    "mean": (exact_mean, (), True),
    "variance": (exact_variance, (1,), True),
    "pvariance": (exact_variance, (0,), True),
    "stdev": (exact_deviation, (1,), False),
    "pstdev": (exact_deviation, (0,), False),
}


def is_exact(fn: Any) -> bool:
    """Whether a function of `statistics` computes with fractions."""
    name = getattr(fn, "__name__", "")
    return name in _EXACT and fn is getattr(statistics, name)


def call_exact(frame: Frame, fn: Any, args: Args, kwargs: Kwargs) -> Abstract:
    """`statistics.mean(data)`, or a variance or standard deviation.

    Raises:
        UnsupportedSyntax: E131, the arguments do not fit; E121, a mean is given, or the numbers are
            not floats.
    """
    name = f"`statistics.{fn.__name__}`"
    check_fits(fn, f"statistics.{fn.__name__}", args, kwargs)
    data, *mean = inspect.signature(fn).bind(*args, **kwargs).arguments.values()
    if any(each is not None for each in mean):
        fix = "leave it out: it is computed from the data"
        raise error("E121", None, what=f"{name} of a mean that is given", fix=fix)
    exact, options, keeps_class = _EXACT[fn.__name__]
    if isinstance(data, Value) and rank_of(data.type) == 1:
        if dtype_of(data.type) != np.float64:
            raise _no_floats(name, data)
        x, is_numpys = data, True
    else:
        items = tuple(items_of(frame, data, f"what {name} takes"))
        if is_static(items):
            try:
                return fn(items)
            except (ValueError, TypeError) as problem:  # `StatisticsError`
                raise fails(frame, problem) from None
        is_numpys = _are_numpys(frame, items, name)
        x = frame.session.emit(np.array, (items,))
    found = frame.session.emit(exact, (x, *options))
    return call(frame, Ref(np.float64, ""), (found,)) if keeps_class and is_numpys else found


def _are_numpys(frame: Frame, items: tuple[Abstract, ...], name: str) -> bool:
    """Whether one of the numbers is NumPy's; all are floats, or ints beside one."""
    classes = [_class_of(frame, x) for x in items]
    if None in classes or not any(issubclass(cls, float) for cls in classes if cls):
        raise _no_floats(name, items[classes.index(None) if None in classes else 0])
    return np.float64 in classes


def _no_floats(name: str, x: Abstract) -> SrcadError:
    return error("E121", None, what=f"{name} of {describe(x)}", fix="give it a list of floats")


def _class_of(frame: Frame, x: Abstract) -> type | None:
    """The class of a float or int; None for anything else."""
    if not isinstance(x, Value):
        return type(x) if type(x) in (int, float, np.float64) else None
    if not frame.session.is_certain(x):
        return None
    if isinstance(x.type, ArrayType):
        is_float = x.type.scalar and x.type.dtype == np.float64
        return np.float64 if is_float else None
    if isinstance(x.type, NumberType) and x.type.kind in (int, float):
        return x.type.kind
    return None


__all__ = ["call_exact", "is_exact"]
