"""Which function copies an array: one that keeps its order in memory, where a caller can see that.

    u[0] = 1.0              u_2 = array(u)              columns stay columns
    return 2.0 * u          u_3 = index_set(u_2, 0, 1.0)
                            return mul(2.0, u_3)

What NumPy computes lies in memory as its arguments do, so the order of a copy is that of the
results. A function that is run as it is returns arrays in the order of Python's. Elsewhere, and
where an array has one axis, it is `x.copy()`, which makes rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.nodes import Function
from srcad.ir.types import Type, rank_of

Copier = Callable[[Type], Any]


def copier_in(fn: Function) -> Copier:
    """The function that copies an array of a type in this program."""
    keeps_order = fn.interface is not None and fn.interface.is_primal
    return lambda t: np.array if keeps_order and rank_of(t) != 1 else np.copy


__all__ = ["Copier", "copier_in"]
