"""Factors and products of matrices, and what runs along them.

np.linalg.cholesky(a)            column after column
np.linalg.multi_dot([a, b, c])   in the order that costs less
np.hypot.reduce(v)               np.hypot of the entries, one after the other
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.native.scalarize.forms import pointwise
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    Choice,
    Chosen,
    Form,
    is_array,
    options,
    rank,
)
from srcad.native.scalarize.forms.rows import (
    array_of_each,
    number_of_each,
    two_numbers_of_each,
)
from srcad.native.scalarize.loop_forms import (
    check_square,
    cofactors,
    determinant,
    most_by_loops,
    sign_and_logarithm,
)


def cholesky(a: Any, most: int | None) -> Any:
    """`np.linalg.cholesky(a)`, which reads what is below the diagonal."""
    n = len(a)
    if most is not None and n > most:
        return np.linalg.cholesky(a)
    check_square(a, n)
    out = np.zeros((n, n))
    for j in range(n):
        square = a[j, j]
        for k in range(j):
            square -= out[j, k] * out[j, k]
        if not square > 0.0:
            raise ValueError("a matrix that is not positive")
        out[j, j] = np.sqrt(square)
        for i in range(j + 1, n):
            total = a[i, j]
            for k in range(j):
                total -= out[i, k] * out[j, k]
            out[i, j] = total / out[j, j]
    return out


def product_of_three(a: Any, b: Any, c: Any) -> Any:
    """`np.linalg.multi_dot([a, b, c])`, in the order that costs less."""
    n, m = a.shape
    k, p = c.shape
    first = n * m * k + n * k * p
    last = m * k * p + n * m * p
    if first < last:
        return (a @ b) @ c
    return a @ (b @ c)


def recurrence(a: Any, b: Any) -> Any:
    """`runtime.recurrence(a, b)` of vectors."""
    out = b.copy()
    for k in range(1, len(b)):
        out[k] += a[k] * out[k - 1]
    return out


def recurrence_in_rows(a: Any, b: Any) -> Any:
    """`runtime.recurrence(a, b, axis=1)` of matrices."""
    out = b.copy()
    for i in range(b.shape[0]):
        for k in range(1, b.shape[1]):
            out[i, k] += a[i, k] * out[i, k - 1]
    return out


def recurrence_in_columns(a: Any, b: Any) -> Any:
    """`runtime.recurrence(a, b, axis=0)` of matrices."""
    out = b.copy()
    for k in range(1, b.shape[0]):
        for j in range(b.shape[1]):
            out[k, j] += a[k, j] * out[k - 1, j]
    return out


def logarithm_of_sum(v: Any) -> Any:
    """`np.logaddexp.reduce(v)` of a vector."""
    total = np.float64(-np.inf)
    for k in range(len(v)):
        total = np.logaddexp(total, v[k])
    return total


def logarithm_of_sum_to_two(v: Any) -> Any:
    """`np.logaddexp2.reduce(v)` of a vector."""
    total = np.float64(-np.inf)
    for k in range(len(v)):
        total = pointwise.logarithm_of_sum(total, v[k])
    return total


def length(v: Any) -> Any:
    """`np.hypot.reduce(v)` of a vector."""
    total = np.float64(0.0)
    for k in range(len(v)):
        total = np.hypot(total, v[k])
    return total


def _cholesky(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 1 and not op.kwargs and is_array(op.args[0], FLOAT, 2)
    return (cholesky, (op.args[0], most_by_loops())) if is_fit else None


def _multi_dot(op: Op) -> Chosen | None:
    items = op.args[0]
    is_fit = isinstance(items, list | tuple) and len(items) == 3 and not op.kwargs
    if not is_fit or not all(is_array(x, FLOAT, 2) for x in items):
        return None
    return product_of_three, tuple(items)


def _recurrence(op: Op) -> Chosen | None:
    found = options(op, 2, axis=-1)
    if found is None or type(found[0]) is not int:
        return None
    forms = {
        (1, -1): recurrence, (1, 0): recurrence, (2, -1): recurrence_in_rows,
        (2, 1): recurrence_in_rows, (2, 0): recurrence_in_columns,
    }  # fmt: skip
    n = rank(op.args[0])
    form = forms.get((n, found[0])) if all(is_array(x, FLOAT, n) for x in op.args[:2]) else None
    return None if form is None else (form, op.args[:2])


def _of_rows(form: Form) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, axis=0)
        if found is None or not is_array(op.args[0], FLOAT, 1, 2):
            return None
        if rank(op.args[0]) == 1:
            return (form, op.args[:1]) if found[0] in (-1, 0) else None
        return (number_of_each, (op.args[0], form)) if found[0] in (-1, 1) else None

    return choose


def _of_stack(of_each: Form, form: Form) -> Choice:
    def choose(op: Op) -> Chosen | None:
        is_fit = len(op.args) == 1 and not op.kwargs and is_array(op.args[0], FLOAT, 3)
        return (of_each, (op.args[0], form)) if is_fit else None

    return choose


MATRICES: Final[dict[Any, Choice]] = {
    np.linalg.cholesky: _cholesky,
    np.linalg.multi_dot: _multi_dot,
    runtime.recurrence: _recurrence,
    np.logaddexp.reduce: _of_rows(logarithm_of_sum),
    np.logaddexp2.reduce: _of_rows(logarithm_of_sum_to_two),
    np.hypot.reduce: _of_rows(length),
    np.linalg.det: _of_stack(number_of_each, determinant),
    runtime.cofactors: _of_stack(array_of_each, cofactors),
    np.linalg.slogdet: _of_stack(two_numbers_of_each, sign_and_logarithm),
}
