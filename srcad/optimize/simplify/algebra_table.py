"""The algebra table: what may stand for what, and in which class (`pattern`, beside this).

    law(lambda x: x * 1, lambda x: x)

A minus sign moves outwards until it meets another, an addition or a number. Scalars keep theirs:
`-(s * x)` is `(-s) * x`, one pass over the array instead of two.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.kinds import index_parts
from srcad.ir.types import dtype_of, shape_of
from srcad.optimize.simplify.pattern import ACCURATE, EXACT, FAST, Law, make_law, rank
from srcad.optimize.simplify.store_rules import STORES
from srcad.rules import call
from srcad.rules.arrays.distinct import names_all, only_adds_axes
from srcad.rules.core.staged import type_of

LAWS: list[Law] = []
_X = np.arange(-2.0, 4.0).reshape(2, 3)


def law(left: Any, right: Any, accuracy: str = EXACT, **about: Any) -> None:
    """Add a law to the table; earlier ones are tried first."""
    LAWS.append(make_law(left, right, accuracy, **about))


def _is_scaling(a: Any, b: Any) -> bool:
    """Whether `a` is a number and `b` an array, so that work is cheaper on `a`."""
    return rank(a) == 0 < rank(b)


def _is_no_scaling(a: Any, b: Any) -> bool:
    return not _is_scaling(a, b)


# ---- factors one, terms zero

law(lambda x: x * 1, lambda x: x, integers=True, complexes=False)
law(lambda x: 1 * x, lambda x: x, integers=True, complexes=False)
law(lambda x: x / 1, lambda x: x, complexes=False)
law(lambda x: x**1, lambda x: x, integers=True, complexes=False)
law(lambda x: x - 0, lambda x: x, integers=True)
law(lambda x: +x, lambda x: x, integers=True)
law(
    lambda x, i: x[i],
    lambda x, i: x,
    integers=True,
    when=lambda x, i: names_all(i) and len(index_parts(i)) == 1 and 0 < rank(x) < 99,
    cases=((_X, slice(None)), (_X, Ellipsis)),
)
law(lambda x: x * -1, lambda x: -x, complexes=False)
law(lambda x: -1 * x, lambda x: -x, complexes=False)

# Twice a number is exact, so that both sides round once.
law(lambda x: x + x + x, lambda x: 3 * x, complexes=False)

# ---- minus signs: a product of complex numbers is a sum, whose sign where it is zero they change

law(lambda x: -(-x), lambda x: x)  # noqa: B002 -- a law
law(lambda a, b: (-a) * (-b), lambda a, b: a * b)
law(lambda a, b: (-a) / (-b), lambda a, b: a / b, complexes=False)
law(lambda a, b: a + (-b), lambda a, b: a - b)
law(lambda a, b: (-a) + b, lambda a, b: b - a)
law(lambda a, b: a - (-b), lambda a, b: a + b)
law(lambda a, c: -(c * a), lambda a, c: -c * a, complexes=False)
law(lambda a, c: -(a * c), lambda a, c: -c * a, complexes=False)
law(lambda a, c: c * (-a), lambda a, c: -c * a, complexes=False)
law(lambda a, c: (-a) * c, lambda a, c: -c * a, complexes=False)
law(lambda a, b: -(a * b), lambda a, b: (-a) * b, when=_is_scaling, complexes=False)
law(lambda a, b: -(b * a), lambda a, b: b * (-a), when=_is_scaling, complexes=False)
law(lambda a, b: -(a / b), lambda a, b: (-a) / b, when=_is_scaling, complexes=False)
law(lambda a, b: -(b / a), lambda a, b: b / (-a), when=_is_scaling, complexes=False)
law(lambda a, b: (-a) * b, lambda a, b: -(a * b), when=_is_no_scaling, complexes=False)
law(lambda a, b: b * (-a), lambda a, b: -(b * a), when=_is_no_scaling, complexes=False)
law(lambda a, b: (-a) / b, lambda a, b: -(a / b), when=_is_no_scaling, complexes=False)
law(lambda a, b: b / (-a), lambda a, b: -(b / a), when=_is_no_scaling, complexes=False)
law(lambda x, a, b: x + (-a) * b, lambda x, a, b: x - a * b, complexes=False)
law(lambda x, a, b: x + b * (-a), lambda x, a, b: x - b * a, complexes=False)
law(lambda x, a, b: x - (-a) * b, lambda x, a, b: x + a * b, complexes=False)
law(lambda x, a, b: x - b * (-a), lambda x, a, b: x + b * a, complexes=False)
law(
    lambda x, a, c: x + c * a,
    lambda x, a, c: x - (-c) * a,
    when=lambda x, a, c: c < 0,
    complexes=False,
)
law(
    lambda x, a, c: x - c * a,
    lambda x, a, c: x + (-c) * a,
    when=lambda x, a, c: c < 0,
    complexes=False,
)

# A minus is cheaper on what is left of an array, and goes on outwards.
law(lambda x: np.transpose(-x), lambda x: -np.transpose(x))
law(lambda x, s: np.reshape(-x, s), lambda x, s: -np.reshape(x, s), cases=((_X, (3, 2)),))
law(lambda x, i: (-x)[i], lambda x, i: -(x[i]), cases=((_X, 1), (_X, (slice(None), 0))))
law(lambda x: np.sum(-x), lambda x: -np.sum(x), ACCURATE, derived=True)
law(
    lambda x, i: np.sum(-x, axis=i),
    lambda x, i: -np.sum(x, axis=i),
    ACCURATE,
    derived=True,
    cases=((_X, 0), (_X, (0, 1))),
)
law(
    lambda x, i, k: np.sum(-x, axis=i, keepdims=k),
    lambda x, i, k: -np.sum(x, axis=i, keepdims=k),
    ACCURATE,
    derived=True,
    cases=((_X, 1, True),),
)


def _is_along(x: Any, y: Any, i: Any, k: Any) -> bool:
    """Whether the terms of a sum, along the axes `i`, have one entry of `y` in common."""
    terms, factor = shape_of(type_of(x)), shape_of(type_of(y))
    axes = i if isinstance(i, tuple) else (i,)
    if k is not True or terms is None or factor is None or len(terms) != len(factor):
        return False
    return all(type(axis) is int and factor[axis] == 1 != terms[axis] for axis in axes)


# What is the same for all terms of a sum is taken out of it.
_ROWS = ((_X, np.array([[3.0], [-2.0]]), 1, True), (_X, np.array([[2.0]]), (0, 1), True))
_ALONG: dict[str, Any] = {"derived": True, "once": True, "when": _is_along, "cases": _ROWS}
law(
    lambda x, y, i, k: np.sum(x / y, axis=i, keepdims=k),
    lambda x, y, i, k: np.sum(x, axis=i, keepdims=k) / y,
    ACCURATE,
    **_ALONG,
)
law(
    lambda x, y, i, k: np.sum(x * y, axis=i, keepdims=k),
    lambda x, y, i, k: np.sum(x, axis=i, keepdims=k) * y,
    ACCURATE,
    **_ALONG,
)
law(
    lambda x, y, i, k: np.sum(y * x, axis=i, keepdims=k),
    lambda x, y, i, k: np.sum(x, axis=i, keepdims=k) * y,
    ACCURATE,
    **_ALONG,
)

# A sum that cancels is 0, whatever the signs: the user's is not -0.
law(lambda x: np.sum(-x), lambda x: 0.0 - np.sum(x))
law(
    lambda x, i: np.sum(-x, axis=i),
    lambda x, i: 0.0 - np.sum(x, axis=i),
    cases=((_X, 0), (_X, (0, 1))),
)
law(
    lambda x, i, k: np.sum(-x, axis=i, keepdims=k),
    lambda x, i, k: 0.0 - np.sum(x, axis=i, keepdims=k),
    cases=((_X, 1, True),),
)

# A sum of products has no defined order, and so no defined sign where it is zero.
law(lambda a, b: (-a) @ (-b), lambda a, b: a @ b, ACCURATE)
law(lambda a, b: (-a) @ b, lambda a, b: -(a @ b), ACCURATE)
law(lambda a, b: a @ (-b), lambda a, b: -(a @ b), ACCURATE)

# ---- scalar factors meet: a power of two rounds nowhere (but for overflow at its edge)


def _is_power_of_two(s: Any, x: Any, c: float) -> bool:
    return _is_scaling(s, x) and 2**-10 <= c <= 2**10 and math.frexp(c)[0] == 0.5


_POWER: dict[str, Any] = {"when": _is_power_of_two, "complexes": False}
law(lambda s, x, c: s * (c * x), lambda s, x, c: (c * s) * x, ACCURATE, **_POWER)
law(lambda s, x, c: (c * x) * s, lambda s, x, c: (c * s) * x, ACCURATE, **_POWER)
law(lambda s, x, c: s * (x * c), lambda s, x, c: (c * s) * x, ACCURATE, **_POWER)
law(lambda s, x, c: (x * c) * s, lambda s, x, c: (c * s) * x, ACCURATE, **_POWER)

law(
    lambda x, c, c2: c * (c2 / x),
    lambda x, c, c2: (c * c2) / x,
    ACCURATE,
    when=lambda x, c, c2: _is_power_of_two(1, _X, c),
    complexes=False,
)

# ---- shapes: the types say that nothing is left to do

_NAN = np.array([np.nan, -0.0, np.inf])

law(
    lambda x, s: np.broadcast_to(x, s),
    lambda x, s: x,
    integers=True,
    derived=True,  # what the user gets is read-only
    cases=((_X, (2, 3)),),
)
law(
    lambda x, s, t: np.broadcast_to(np.broadcast_to(x, s), t),
    lambda x, s, t: np.broadcast_to(x, t),
    integers=True,
    cases=((_NAN, (2, 3), (4, 2, 3)),),
)
law(lambda x, s: np.reshape(x, s), lambda x, s: x, integers=True, cases=((_X, (2, 3)),))
law(
    lambda x, s, t: np.reshape(np.reshape(x, s), t),
    lambda x, s, t: np.reshape(x, t),
    integers=True,
    cases=((_X, (6,), (3, 2)), (_X, (3, 2), (2, 3))),
)
law(
    lambda x, i, s: np.reshape(x[i], s),
    lambda x, i, s: np.reshape(x, s),
    integers=True,
    when=lambda x, i, s: only_adds_axes(i),
    cases=((_X, (slice(None), None), (6,)), (_X, (None,), (2, 3))),
)
law(lambda x: np.transpose(np.transpose(x)), lambda x: x, integers=True)
law(
    lambda x: np.transpose(x),
    lambda x: x,
    integers=True,
    when=lambda x: rank(x) < 2,
    cases=((_NAN,), (_X,)),
)
law(lambda x, d: np.astype(x, d), lambda x, d: x, integers=True, cases=((_X, np.float64),))
law(lambda x: np.copy(x), lambda x: x, integers=True)
law(lambda x: call(runtime.stop_gradient, x), lambda x: x, integers=True)
law(lambda x: call(runtime.own_dtype, x), lambda x: x, integers=True)
law(lambda x: call(np.asarray, x), lambda x: x, integers=True)
law(lambda x: np.sum(x), lambda x: x, ACCURATE, derived=True, cases=((np.float64(-0.0),),))
# NumPy adds a number to 0.
law(lambda x: np.sum(x), lambda x: x + 0.0, when=lambda x: rank(x) == 0 and _is_inexact(x))
law(
    lambda x: np.sum(x),
    lambda x: x,
    integers=True,
    when=lambda x: not _is_inexact(x),
    cases=((np.int64(3),),),
)
law(lambda m, x: np.where(m, x, x), lambda m, x: x, integers=True, cases=((_X > 0, _X),))

# ---- scatters, stores and identities

LAWS.extend(STORES)

# ---- the logistic function y = 1 / (1 + e): y * y * e is y * (1 - y), which outlives overflow of e

_E = np.exp(_X)
law(
    lambda g, e: (g * ((1 / (1 + e)) * (1 / (1 + e)))) * e,
    lambda g, e: g * ((1 / (1 + e)) * (1 - 1 / (1 + e))),
    ACCURATE,
    shared=True,
    cases=((_X, _E),),
)

# ---- functions that NumPy computes more slowly than by their parts

law(lambda x: np.mean(x), lambda x: np.sum(x) / np.size(x), ACCURATE, when=lambda x: _is_wide(x))
law(
    lambda z: np.logaddexp(0, z),
    lambda z: np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z))),
    ACCURATE,
    when=lambda z: _is_wide(z),
)


def _is_inexact(x: Any) -> bool:
    dtype = dtype_of(type_of(x))
    return dtype is None or dtype.kind in "fc"


def _is_wide(x: Any) -> bool:
    """Whether `x` is an array of float32 or float64, whose sums NumPy keeps in that dtype."""
    return rank(x) != 0 and dtype_of(type_of(x)) in (np.float32, np.float64)


def _is_square(a: Any, b: Any) -> bool:
    """Whether `a @ b` is a square matrix of real numbers for certain."""
    shapes = [shape_of(type_of(x)) or () for x in (a, b)]
    sides = [len(s) == 2 for s in shapes]
    return all(sides) and shapes[0][0] == shapes[1][1] and _is_wide(a) and _is_wide(b)


# Of the product only the diagonal: n**2 products of numbers, not n**3.
law(
    lambda a, b: np.trace(a @ b),
    lambda a, b: np.vdot(a, np.transpose(b)),
    ACCURATE,
    once=True,
    when=_is_square,
    cases=((_X, _X.T), (_X[:, :2], np.eye(2))),
)

# ---- true in real arithmetic only

law(lambda x: x + 0, lambda x: x, FAST)
law(lambda x: 0 + x, lambda x: x, FAST)
law(lambda x: x * 0, lambda x: np.zeros_like(x), FAST)
law(lambda x: 0 * x, lambda x: np.zeros_like(x), FAST)
law(lambda x: x - x, lambda x: np.zeros_like(x), FAST)
law(lambda x: x / x, lambda x: np.ones_like(x), FAST)
law(lambda a, b: -(a - b), lambda a, b: b - a, FAST)
law(lambda x, c: x / c, lambda x, c: (1 / c) * x, FAST, when=lambda x, c: c != 0)
law(
    lambda s, t, x: s * (t * x),
    lambda s, t, x: (s * t) * x,
    FAST,
    when=lambda s, t, x: _is_scaling(s, x) and rank(t) == 0,
)
law(
    lambda s, t, x: (t * x) * s,
    lambda s, t, x: (s * t) * x,
    FAST,
    when=lambda s, t, x: _is_scaling(s, x) and rank(t) == 0,
)
