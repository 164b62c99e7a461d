"""Functions that destroy their first argument; the last pass puts them in place of pure ones.

    W_bar_2 = add(W_bar, g)             iadd(W_bar, g)              emitted: W_bar += g
    x_bar_2 = index_add(x_bar, i, g)    index_iadd(x_bar, i, g)     emitted: x_bar[i] += g
    x_2 = index_update(x, i, v)         index_set(x, i, v)          emitted: x[i] = v

The result is the changed argument itself, whose old value nothing reads any more; both have one
name in the emitted text. `operator.iadd` and its like are for arrays whose type the result has.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def index_set(a: Any, index: Any, values: Any) -> Any:
    """`a[index] = values`."""
    a[index] = values
    return a


def index_iadd(a: Any, index: Any, values: Any) -> Any:
    """`a[index] += values`, for an index that names no entry twice."""
    a[index] += values
    return a


def index_isub(a: Any, index: Any, values: Any) -> Any:
    """`a[index] -= values`."""
    a[index] -= values
    return a


def index_imul(a: Any, index: Any, values: Any) -> Any:
    """`a[index] *= values`."""
    a[index] *= values
    return a


def index_itruediv(a: Any, index: Any, values: Any) -> Any:
    """`a[index] /= values`."""
    a[index] /= values
    return a


def index_sub(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` after `a[index] -= values`; like the next two, put in place as a rule."""
    return index_isub(a.copy(), index, values)


def index_mul(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` after `a[index] *= values`."""
    return index_imul(a.copy(), index, values)


def index_truediv(a: Any, index: Any, values: Any) -> Any:
    """A copy of `a` after `a[index] /= values`."""
    return index_itruediv(a.copy(), index, values)


def index_iadd_at(a: Any, index: Any, values: Any) -> Any:
    """`np.add.at(a, index, values)`: repeated indices add up."""
    np.add.at(a, index, values)
    return a


DESTROYS = frozenset(
    {
        operator.iadd,
        operator.isub,
        operator.imul,
        operator.itruediv,
        index_set,
        index_iadd,
        index_isub,
        index_imul,
        index_itruediv,
        index_iadd_at,
    }
)

__all__ = [
    "DESTROYS",
    "index_iadd",
    "index_iadd_at",
    "index_imul",
    "index_isub",
    "index_itruediv",
    "index_mul",
    "index_set",
    "index_sub",
    "index_truediv",
]
