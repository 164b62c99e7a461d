"""Reduced axes: putting them back, counting along them.

x: f64[n, k]      y = np.sum(x, axis=1)      restore(y, 1, False, x)  ->  y[:, None]
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from srcad.ir.types import Dim, shape_of
from srcad.rules.core.compose import known
from srcad.rules.core.facts import is_zero, normalize_axes
from srcad.rules.core.staged import is_number, rank_or_none, shape_of_value, type_of


def restore(g: Any, axis: Any, keepdims: bool, x: Any) -> Any:
    """`g`, which has the shape of a reduction of `x`, with axes that broadcast against `x`."""
    if axis is None or keepdims:
        return g
    rank = rank_or_none(x)
    if rank is None:
        return np.expand_dims(g, axis)
    axes = normalize_axes(axis, rank)
    if rank == 0 or axes == tuple(range(len(axes))):
        return g  # leading axes come back by broadcasting
    index = tuple(None if i in axes else slice(None) for i in range(axes[-1] + 1))
    return g[index]


def count(x: Any, axis: Any) -> Any:
    """The number of entries of `x` along `axis`."""
    if axis is None:
        return np.size(x)
    rank = rank_or_none(x)
    shape = shape_of_value(x)
    if rank == 0:
        return 1
    axes = normalize_axes(axis, rank) if rank is not None else _tuple(axis)
    return functools.reduce(operator.mul, [shape[i] for i in axes]) if axes else 1


def divisor(x: Any, axis: Any, ddof: Any = 0) -> Any:
    """The number of entries along `axis` less `ddof`, by which the sum of their tangents is
    divided: of no entries it is 0, as their cotangents are, and not 0 / 0.
    """
    n = count(x, axis)
    return of_some(n, ddof) if may_be_empty(x, axis) else n - ddof


def of_some(n: Any, ddof: Any = 0) -> Any:
    """`n - ddof`, and 1 where `n` is 0."""
    if isinstance(ddof, int) and ddof == 0:
        return n + (n == 0)
    return n - ddof + (1 + ddof) * (n == 0) if is_number(n) else np.where(n == 0, 1, n - ddof)


def may_be_empty(x: Any, axis: Any) -> bool:
    """Whether there may be no entries along `axis`, other than of an argument without any."""
    shape = shape_of(type_of(x))
    if shape is None:
        return True
    axes = range(len(shape)) if axis is None else normalize_axes(axis, len(shape))
    return any(_may_be_zero(shape[k]) for k in axes)


def _may_be_zero(extent: Any) -> bool:
    if not isinstance(extent, Dim):
        return bool(extent == 0)
    is_whole = extent.minus == 0 and extent.symbol.isidentifier()  # as an argument has it
    return extent.floor < 1 and not is_whole


def is_one(x: Any, axis: int) -> bool:
    """Whether an extent is 1; programs are specialised to it where that is not known."""
    extent = (shape_of(type_of(x)) or ())[axis]
    if isinstance(extent, Dim) and not extent.never_one:
        extent = known(x.shape[axis], "the number of entries along an axis")
    return extent == 1


def is_empty(x: Any, axis: int) -> bool:
    """Whether an extent is 0; programs are specialised to that."""
    return is_zero((shape_of(type_of(x)) or ())[axis])


def one_axis(axis: Any) -> Any:
    """An axis, or a tuple of one, as ufuncs accumulate along."""
    if not isinstance(axis, tuple):
        return axis
    if len(axis) != 1:
        raise ValueError("it runs along one axis")
    return axis[0]


def _tuple(axis: Any) -> tuple[int, ...]:
    return tuple(axis) if isinstance(axis, tuple) else (axis,)
