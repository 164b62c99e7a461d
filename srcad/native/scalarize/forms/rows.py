"""The form of a vector for each row of a matrix, that of a matrix for each of a stack.

np.hypot.reduce(a, axis=1)             np.hypot.reduce(a[i]) at [i]
np.maximum.accumulate(a, axis=1)       np.maximum.accumulate(a[i]) at [i, :]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.native.scalarize.forms.calls import Form


def number_of_each(a: Any, form: Form) -> Any:
    """A number for each row, or each matrix."""
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = form(a[i])
    return out


def array_of_each(a: Any, form: Form) -> Any:
    """An array of its own shape for each row, or each matrix."""
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        out[i] = form(a[i])
    return out


def two_numbers_of_each(a: Any, form: Form) -> Any:
    """Two numbers for each row, or each matrix."""
    first, second = np.empty(a.shape[0]), np.empty(a.shape[0])
    for i in range(a.shape[0]):
        one, other = form(a[i])
        first[i], second[i] = one, other
    return first, second


def so_far(fn: Form) -> Form:
    """`fn.accumulate` of a function of two numbers, along the first axis."""

    def accumulated(a: Any) -> Any:
        out = a.copy()
        for k in range(1, a.shape[0]):
            out[k] = fn(out[k - 1], a[k])
        return out

    return accumulated
