"""Functions that destroy their first argument; the last pass puts them in place of pure ones.

    W_bar_2 = add(W_bar, g)             iadd(W_bar, g)              emitted: W_bar += g
    x_bar_2 = index_add(x_bar, i, g)    index_iadd(x_bar, i, g)     emitted: x_bar[i] += g

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
        index_iadd_at,
    }
)

__all__ = ["DESTROYS", "index_iadd", "index_iadd_at", "index_set"]
