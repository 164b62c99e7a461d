"""Factors and powers of matrices.

np.linalg.cholesky(a)         column after column
np.linalg.matrix_power(a, 3)  a @ a @ a
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import Op
from srcad.native.scalarize.forms.calls import (
    FLOAT,
    Choice,
    Chosen,
    Formula,
    is_array,
    options,
    rank,
)
from srcad.native.scalarize.loop_forms import (
    check_square,
    cofactors,
    determinant,
    most_by_loops,
    sign_and_logarithm,
)

_LARGEST_POWER = 1 << 16


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


def power(a: Any, times: str) -> Any:
    """`np.linalg.matrix_power(a, n)`: that of NumPy for 2 and 3 factors."""
    y = a @ a
    for _ in times:
        y = y @ a
    return y


def binary_power(a: Any, bits: str) -> Any:
    """`np.linalg.matrix_power(a, n)`: the product of the squares that the bits of n name."""
    y = None
    for bit in reversed(bits):
        if bit == "1":
            y = a if y is None else y @ a
        a = a @ a
    return y


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


def largest_so_far(v: Any) -> Any:
    """`np.maximum.accumulate(v)` of a vector."""
    out = v.copy()
    for k in range(1, len(v)):
        out[k] = np.maximum(out[k - 1], v[k])
    return out


def smallest_so_far(v: Any) -> Any:
    """`np.minimum.accumulate(v)` of a vector."""
    out = v.copy()
    for k in range(1, len(v)):
        out[k] = np.minimum(out[k - 1], v[k])
    return out


def logarithm_of_sum(v: Any) -> Any:
    """`np.logaddexp.reduce(v)` of a vector."""
    total = np.float64(-np.inf)
    for k in range(len(v)):
        total = np.logaddexp(total, v[k])
    return total


def logarithms_of_sums(a: Any) -> Any:
    """`np.logaddexp.reduce(a, axis=1)` of a matrix."""
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = logarithm_of_sum(a[i])
    return out


def length(v: Any) -> Any:
    """`np.hypot.reduce(v)` of a vector."""
    total = np.float64(0.0)
    for k in range(len(v)):
        total = np.hypot(total, v[k])
    return total


def lengths(a: Any) -> Any:
    """`np.hypot.reduce(a, axis=1)` of a matrix."""
    out = np.empty(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = length(a[i])
    return out


def determinants(a: Any) -> Any:
    """`np.linalg.det(a)` of a stack."""
    out = np.empty(a.shape[0])
    for p in range(a.shape[0]):
        out[p] = determinant(a[p])
    return out


def all_cofactors(a: Any) -> Any:
    """`runtime.cofactors(a)` of a stack."""
    out = np.empty(a.shape)
    for p in range(a.shape[0]):
        out[p] = cofactors(a[p])
    return out


def signs_and_logarithms(a: Any) -> Any:
    """`np.linalg.slogdet(a)` of a stack."""
    signs, logarithms = np.empty(a.shape[0]), np.empty(a.shape[0])
    for p in range(a.shape[0]):
        sign, logarithm = sign_and_logarithm(a[p])
        signs[p], logarithms[p] = sign, logarithm
    return signs, logarithms


def weighted_mean(v: Any, weights: Any) -> Any:
    """`np.average(v, weights=weights)` of vectors."""
    if len(v) != len(weights):
        raise ValueError("other weights")
    total, whole = np.float64(0.0), np.float64(0.0)
    for k in range(len(v)):
        total += v[k] * weights[k]
        whole += weights[k]
    if whole == 0.0:
        raise ZeroDivisionError("weights without a sum")
    return total / whole


def _cholesky(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 1 and not op.kwargs and is_array(op.args[0], FLOAT, 2)
    return (cholesky, (op.args[0], most_by_loops())) if is_fit else None


def _power(op: Op) -> Chosen | None:
    n = op.args[1] if len(op.args) == 2 else op.kwargs.get("n")
    if type(n) is not int or not 2 <= n <= _LARGEST_POWER or not is_array(op.args[0], FLOAT, 2):
        return None
    if n < 4:
        return Formula(power), (op.args[0], "*" * (n - 2))
    return Formula(binary_power), (op.args[0], f"{n:b}")


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


def _of_rows(of_vector: Any, of_matrix: Any) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, axis=0)
        if found is None or not is_array(op.args[0], FLOAT, 1, 2):
            return None
        if rank(op.args[0]) == 1:
            return (of_vector, op.args[:1]) if found[0] in (-1, 0) else None
        return (of_matrix, op.args[:1]) if found[0] in (-1, 1) else None

    return choose


def _average(op: Op) -> Chosen | None:
    found = options(op, 1, axis=None, weights=None)
    if found is None or found[0] not in (None, 0, -1) or not is_array(op.args[0], FLOAT, 1):
        return None
    return (weighted_mean, (op.args[0], found[1])) if is_array(found[1], FLOAT, 1) else None


def _of_stack(form: Any) -> Choice:
    def choose(op: Op) -> Chosen | None:
        is_fit = len(op.args) == 1 and not op.kwargs and is_array(op.args[0], FLOAT, 3)
        return (form, op.args) if is_fit else None

    return choose


MATRICES: Final[dict[Any, Choice]] = {
    np.linalg.cholesky: _cholesky,
    np.linalg.matrix_power: _power,
    np.linalg.multi_dot: _multi_dot,
    runtime.recurrence: _recurrence,
    np.logaddexp.reduce: _of_rows(logarithm_of_sum, logarithms_of_sums),
    np.hypot.reduce: _of_rows(length, lengths),
    np.average: _average,
    np.linalg.det: _of_stack(determinants),
    runtime.cofactors: _of_stack(all_cofactors),
    np.linalg.slogdet: _of_stack(signs_and_logarithms),
}
