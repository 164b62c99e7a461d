"""Mean, variance and standard deviation of Python's `statistics`, whose sums are exact.

The derivative of the standard deviation is 0 where all numbers are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, NumberType, Type
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.product import spread, times
from srcad.rules.core.registry import linear, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.runtime.exact_statistics import exact_deviation, exact_mean, exact_variance


def _float_of_vector(x: object, ddof: object = 0) -> Type:
    t = as_type(x)
    if not isinstance(t, ArrayType) or len(t.shape or ()) != 1:
        raise UncoveredError("anything but a sequence of floats")
    return NumberType(float)


def _centered(x: Any) -> Any:
    return x - np.mean(x)


def _of_variance(y: Any, x: Any, ddof: int) -> Any:
    return 2 / (call(np.size, x) - ddof)


def _of_deviation(y: Any, x: Any, ddof: int) -> Any:
    return 1 / (nonzero(y) * (call(np.size, x) - ddof))


linear(
    exact_mean,
    x=lambda g, y, x: cast_like(spread(g / call(np.size, x), x), x),
    type_of=_float_of_vector,
    cases=(Case((4,)), Case((1,))),
)
for _fn, _scale in ((exact_variance, _of_variance), (exact_deviation, _of_deviation)):
    rule(
        _fn,
        jvp=lambda ts, y, x, ddof, scale=_scale: call(
            float, np.sum(times(ts[0], _centered(x))) * scale(y, x, ddof)
        ),
        x=lambda g, y, x, ddof, scale=_scale: cast_like(
            spread(g * scale(y, x, ddof), x) * _centered(x), x
        ),
        type_of=_float_of_vector,
        cases=(Case((4,), 1), Case((3,), 0)),
        note="0 at equal numbers" if _fn is exact_deviation else "",
    )
