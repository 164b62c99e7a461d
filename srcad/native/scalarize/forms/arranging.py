"""Entries in another order, or some of them: triangles, flat arrays, repetitions.

np.tril(a)            a[i, j] where j <= i, else 0
np.ravel(a)           row after row
np.reshape(v, s)      entry after entry
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.ir.kinds import index_parts
from srcad.ir.types import shape_of
from srcad.native.scalarize.forms.calls import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    KINDS,
    SINGLE,
    Choice,
    Chosen,
    Form,
    Formula,
    by_rank,
    is_any,
    is_array,
    of_floats,
    options,
    rank,
)
from srcad.rules.core.staged import type_of

_KINDS: Final = (*KINDS, BOOL)


def triangle(a: Any, k: Any, is_lower: bool) -> Any:
    """`np.tril(a, k)`, or `np.triu`."""
    n, m = a.shape
    out = np.zeros_like(a)
    for i in range(n):
        for j in range(m):
            if is_lower:
                if j <= i + k:
                    out[i, j] = a[i, j]
            elif j >= i + k:
                out[i, j] = a[i, j]
    return out


def triangles(a: Any, k: Any, is_lower: bool) -> Any:
    """`np.tril(a, k)` of each matrix of a stack, or `np.triu`."""
    out = np.zeros_like(a)
    for p in range(a.shape[0]):
        out[p] = triangle(a[p], k, is_lower)
    return out


def trace(a: Any) -> Any:
    """`np.trace(a)`."""
    total = np.float64(0.0)
    for i in range(min(a.shape[0], a.shape[1])):
        total += a[i, i]
    return total


def flat(a: Any) -> Any:
    """`np.ravel(a)` of a matrix."""
    n, m = a.shape
    out = np.empty(n * m, dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            out[i * m + j] = a[i, j]
    return out


def as_matrix(v: Any, n: Any, m: Any) -> Any:
    """`np.reshape(v, (n, m))` of a vector."""
    if n < 0 or m < 0 or n * m != len(v):
        raise ValueError("another number of entries")
    out = np.empty((n, m), dtype=v.dtype)
    for i in range(n):
        for j in range(m):
            out[i, j] = v[i * m + j]
    return out


def of_columns(v: Any, m: Any) -> Any:
    """`np.reshape(v, (-1, m))` of a vector."""
    return as_matrix(v, len(v) // m, m)


def of_rows(v: Any, n: Any) -> Any:
    """`np.reshape(v, (n, -1))` of a vector."""
    return as_matrix(v, n, len(v) // n)


def flat_of_three(a: Any) -> Any:
    """`np.ravel(a)` of three axes."""
    n, m, k = a.shape
    out = np.empty(n * m * k, dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            for c in range(k):
                out[(i * m + j) * k + c] = a[i, j, c]
    return out


def as_three(v: Any, n: Any, m: Any, k: Any) -> Any:
    """`np.reshape(v, (n, m, k))` of a vector."""
    if n < 0 or m < 0 or k < 0 or n * m * k != len(v):
        raise ValueError("another number of entries")
    out = np.empty((n, m, k), dtype=v.dtype)
    for i in range(n):
        for j in range(m):
            for c in range(k):
                out[i, j, c] = v[(i * m + j) * k + c]
    return out


def rows_of_three(a: Any, n: Any, m: Any) -> Any:
    """`np.reshape(a, (n, m))` of three axes."""
    return as_matrix(flat_of_three(a), n, m)


def three_of_rows(a: Any, n: Any, m: Any, k: Any) -> Any:
    """`np.reshape(a, (n, m, k))` of a matrix."""
    return as_three(flat(a), n, m, k)


def rows_of_rows(a: Any, n: Any, m: Any) -> Any:
    """`np.reshape(a, (n, m))` of a matrix."""
    return as_matrix(flat(a), n, m)


def repeated(v: Any, times: Any) -> Any:
    """`np.repeat(v, times)` of a vector."""
    n = len(v)
    out = np.empty(n * times, dtype=v.dtype)
    for i in range(n):
        for k in range(times):
            out[i * times + k] = v[i]
    return out


def kron_of_vectors(a: Any, b: Any) -> Any:
    """`np.kron(a, b)` of vectors."""
    n, m = len(a), len(b)
    out = np.empty(n * m)
    for i in range(n):
        for j in range(m):
            out[i * m + j] = a[i] * b[j]
    return out


def kron_of_matrices(a: Any, b: Any) -> Any:
    """`np.kron(a, b)` of matrices of one dtype."""
    n, m = a.shape
    p, q = b.shape
    out = np.empty((n * p, m * q), dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            for k in range(p):
                for c in range(q):
                    out[i * p + k, j * q + c] = a[i, j] * b[k, c]
    return out


def as_four(a: Any, n: Any, m: Any, p: Any, q: Any) -> Any:
    """`np.reshape(a, (n, m, p, q))` of a matrix."""
    rows, columns = a.shape
    if n < 0 or m < 0 or p < 0 or q < 0 or n * m * p * q != rows * columns:
        raise ValueError("another number of entries")
    out = np.empty((n, m, p, q), dtype=a.dtype)
    for i in range(n):
        for j in range(m):
            for k in range(p):
                for c in range(q):
                    at = ((i * m + j) * p + k) * q + c
                    out[i, j, k, c] = a[at // columns, at % columns]
    return out


def joined(a: Any, b: Any) -> Any:
    """`np.append(a, b)` of vectors."""
    n = len(a)
    out = np.empty(n + len(b))
    for i in range(n):
        out[i] = a[i]
    for i in range(len(b)):
        out[n + i] = b[i]
    return out


def lengthened(a: Any, b: Any) -> Any:
    """`np.append(a, b)` of a number."""
    out = np.empty(len(a) + 1)
    for i in range(len(a)):
        out[i] = a[i]
    out[len(a)] = b
    return out


def taken(v: Any, places: Any) -> Any:
    """`np.take(v, places)` of a vector."""
    return v[places]


def _triangle(is_lower: bool) -> Choice:
    def choose(op: Op) -> Chosen | None:
        found = options(op, 1, k=0)
        is_fit = is_any(op.args[0], (FLOAT, SINGLE, COMPLEX), 2, 3)
        if found is None or type(found[0]) is not int or not is_fit:
            return None
        return (triangle if rank(op.args[0]) == 2 else triangles), (op.args[0], found[0], is_lower)

    return choose


_RESHAPED: Final[dict[tuple[int, int], tuple[Form | None, bool]]] = {
    (2, 1): (flat, False), (1, 2): (as_matrix, True), (3, 1): (flat_of_three, False),
    (1, 3): (as_three, True), (3, 2): (rows_of_three, True), (2, 3): (three_of_rows, True),
    (2, 2): (rows_of_rows, True), (2, 4): (as_four, True),
}  # fmt: skip


def _reshaped(op: Op) -> Chosen | None:
    """A reshape that changes the order of axes that are longer than 1."""
    before, after = (shape_of(type_of(x)) or () for x in (op.args[0], op.out))
    long = [[n for n in extents if n != 1] for extents in (before, after)]
    if long[0] == long[1] or len(long[0]) == len(long[1]) == 1:
        return None  # the same entries in other axes
    form, takes_shape = _RESHAPED.get((len(before), len(after)), (None, False))
    if form is None or op.kwargs or not is_any(op.args[0], _KINDS, len(before)):
        return None
    if not takes_shape:
        return form, op.args[:1]
    parts = index_parts(op.args[1])
    if -1 in [part for part in parts if type(part) is int]:
        return _by_length(op.args[0], parts) if (len(before), len(after)) == (1, 2) else None
    count = len(parts) if len(parts) > 1 else len(getattr(type_of(parts[0]), "items", "1"))
    return (form, (op.args[0], *parts)) if count == len(after) else None


def _flat(op: Op) -> Chosen | None:
    form = {2: flat, 3: flat_of_three}.get(rank(op.args[0]))
    is_fit = len(op.args) == 1 and not op.kwargs and is_any(op.args[0], _KINDS, 2, 3)
    return (form, op.args) if form is not None and is_fit else None


def _by_length(v: Any, parts: tuple[Any, ...]) -> Chosen:
    """One of two extents follows from the other."""
    rows = parts[0] if type(parts[0]) is int else 0
    return (of_columns, (v, parts[1])) if rows == -1 else (of_rows, (v, parts[0]))


def _append(op: Op) -> Chosen | None:
    if op.kwargs or len(op.args) != 2 or not is_array(op.args[0], FLOAT, 1):
        return None
    if is_array(op.args[1], FLOAT, 0):
        return lengthened, op.args
    return (joined, op.args) if is_array(op.args[1], FLOAT, 1) else None


def _kron(op: Op) -> Chosen | None:
    is_fit = len(op.args) == 2 and not op.kwargs
    is_fit = is_fit and any(all(is_array(x, kind, 2) for x in op.args) for kind in (FLOAT, COMPLEX))
    return (kron_of_matrices, op.args) if is_fit else None


def _take(op: Op) -> Chosen | None:
    found = options(op, 2, axis=None)
    is_fit = found is not None and found[0] in (None, -1, 0) and rank(op.args[0]) == 1
    places = op.args[1]
    is_list = isinstance(places, list) and all(type(place) is int for place in places)
    is_fit = is_fit and (is_list or is_array(places, INT, 1, 2))
    return (Formula(taken), op.args[:2]) if is_fit else None


ARRANGING: Final[dict[Any, Choice]] = {
    np.tril: _triangle(True), np.triu: _triangle(False), np.trace: of_floats(trace, 2),
    np.ravel: _flat,
    np.reshape: _reshaped, 
    np.kron: by_rank({1: of_floats(kron_of_vectors, 1, 1), 2: _kron}), np.append: _append,
    np.take: _take,
}  # fmt: skip
