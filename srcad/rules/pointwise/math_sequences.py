"""Functions of `math` that take sequences of numbers: `fsum`, `dist`, and `fma`.

The frontend makes arrays of the lists, of which these functions take the numbers one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.types import ArrayType, NumberType, Type
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.kinks import nonzero
from srcad.rules.core.product import spread, times
from srcad.rules.core.registry import elementwise, linear, rule
from srcad.rules.core.staged import call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.pointwise.python_math import float_type


def _float_of_vectors(*args: object) -> Type:
    types = [as_type(a) for a in args]
    if not all(isinstance(t, ArrayType) and len(t.shape or ()) == 1 for t in types):
        raise UncoveredError("anything but sequences of numbers")
    return NumberType(float)


linear(
    math.fsum,
    seq=lambda g, y, seq: cast_like(spread(g, seq), seq),
    type_of=_float_of_vectors,
    cases=(Case((4,)), Case((1,))),
)


def _dist_jvp(ts: Any, y: Any, p: Any, q: Any) -> Any:
    away = (p - q) / nonzero(y)
    terms = (np.sum(times(t, s * away)) for t, s in zip(ts, (1, -1), strict=True) if t is not ZERO)
    return call(float, sum(terms, start=ZERO))


rule(
    math.dist,
    jvp=_dist_jvp,
    p=lambda g, y, p, q: cast_like(g * ((p - q) / nonzero(y)), p),
    q=lambda g, y, p, q: cast_like(g * ((q - p) / nonzero(y)), q),
    type_of=_float_of_vectors,
    cases=(Case((3,), (3,)), Case((2,), np.array([0.5, 3.0]))),
    note="0 at equal points",
)

# Python 3.13 brings it.
_fma: Callable[..., Any] | None = getattr(math, "fma", None)
if _fma is not None:
    elementwise(
        _fma,
        lambda y, a, b, c: b,
        lambda y, a, b, c: a,
        lambda y, a, b, c: 1,
        type_of=float_type,
        cases=(Case(float, float, float), Case(2.0, float, float)),
    )
