"""Products with vectors, in the order in which the matrix lies in memory.

    a @ x                  (i)      ->  a[i, 0] * x[0] + a[i, 1] * x[1] + ...
    a.T @ x, x @ a         for i: for j: y[j] += a[i, j] * x[i]
    u[:, None] @ v[None]   (i, j)   ->  u[i] * v[j]

Products of two matrices are BLAS's (`matrix_products`), but for small ones of complex numbers or of
integers.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import index_iadd
from srcad.ir.types import dtype_of
from srcad.native.scalarize.arrays import Array, Entries, Index, View, permuted
from srcad.native.scalarize.handlers.matrix_products import matrix_product
from srcad.native.scalarize.handlers.stacks import by_rows, product_of_stacks
from srcad.native.scalarize.loop_builder import INT, NARROW, Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.scalars import precision
from srcad.native.vectorised import ADD

_FEW = 32  # rows of a matrix that loops multiply about as fast as NumPy is called


def product(s: Lowering, op: Op) -> Any:
    """`a @ b` of a vector and a vector or matrix, or of a column and a row."""
    if op.kwargs:
        raise Unsuited("options of a product")
    a, b = (s.array(arg) for arg in op.args)
    if not a.rank or not b.rank:
        raise Unsuited("a product with a number")
    is_outer = a.rank == b.rank == 2 and a.extents[1].number == b.extents[0].number == 1
    dtype = _dtype(op)
    if op.fn is np.dot and b.rank > 2:
        raise Unsuited("`np.dot` of stacks of matrices")
    s.code.equal(a.extents[-1], b.extents[-2] if b.rank > 1 else b.extents[0])
    if b.rank > 2 or (b.rank == 1 and a.rank > 2):
        return product_of_stacks(s, a, b, dtype)
    if a.rank + b.rank > 3 and not is_outer:
        return _of_few(s, a, b, dtype) or matrix_product(s, op, a, b)
    if is_outer:
        return _times(s, a, b, dtype)
    if a.rank == b.rank == 1:
        return _row(a, b, dtype)(s.code, ())
    matrix, vector = (a, b) if a.rank == 2 else (permuted(b, (1, 0)), a)
    vector = _read_often(s, vector)
    if _lies_across(s, matrix):
        return _added_up(s, matrix, vector, dtype)
    return s.materialised(Entries(dtype, matrix.extents[:1], _row(matrix, vector, dtype)))


def _of_few(s: Lowering, a: Array, b: Array, dtype: np.dtype) -> View | None:
    """The product of two small matrices of numbers that BLAS is not called for."""
    sizes = [n.number for n in (*a.extents, *b.extents)]
    is_few = all(n is not None and n <= _FEW for n in sizes)
    if dtype.kind not in "ci" or not is_few or not a.rank == b.rank == 2:
        return None
    a, b = _read_often(s, a), _read_often(s, b)
    return by_rows(s, s.zeros(dtype, (a.extents[0], b.extents[1])), a, b)


def outer(s: Lowering, op: Op) -> Any:
    """`np.outer(a, b)` of two vectors."""
    a, b = (s.array(arg) for arg in op.args)
    if op.kwargs or a.rank != 1 or b.rank != 1:
        raise Unsuited("an outer product of matrices")
    dtype = _dtype(op)
    a, b = _read_often(s, a), _read_often(s, b)

    def entry(code: Code, index: Index) -> Any:
        return _multiplied(code, a.entry(code, index[:1]), b.entry(code, index[1:]), dtype)

    return Entries(dtype, (a.extents[0], b.extents[0]), entry)


def _dtype(op: Op) -> np.dtype:
    dtype = np.dtype(dtype_of(op.out.type))
    if dtype == np.bool_ or dtype in NARROW:
        raise Unsuited("products of truths, or of integers of few bits")
    return dtype


def _times(s: Lowering, a: Array, b: Array, dtype: np.dtype) -> Array:
    """A column times a row."""
    a, b = _read_often(s, a), _read_often(s, b)

    def entry(code: Code, index: Index) -> Any:
        i, j = index
        return _multiplied(code, a.entry(code, (i, i * 0)), b.entry(code, (j * 0, j)), dtype)

    return Entries(dtype, (a.extents[0], b.extents[1]), entry)


def _multiplied(code: Code, a: Any, b: Any, dtype: np.dtype) -> Any:
    return code.op(operator.mul, precision.alike(code, (a, b), dtype), scalar(dtype))


def _row(matrix: Array, vector: Array, dtype: np.dtype) -> Any:
    """The code of the sum of the products of a row, or of a vector, with a vector."""

    def fold(code: Code, index: Index) -> Any:
        def step(total: Any, inner: Index) -> Any:
            operands = matrix.entry(code, (*index, *inner)), vector.entry(code, inner)
            term = _multiplied(code, *operands, dtype)
            return code.op(add, (total, term), scalar(dtype))

        add = ADD if dtype.kind == "f" else ADD.of
        return code.fold(vector.extents, dtype.type(0).item(), step, scalar(dtype))

    return fold


def _added_up(s: Lowering, matrix: Array, vector: Array, dtype: np.dtype) -> View:
    """Columns times entries of the vector, added up: they are what lies together."""
    n, m = matrix.extents
    made = s.zeros(dtype, (n,))
    with s.code.loops((m, n)) as (k, i):
        operands = matrix.entry(s.code, (i, k)), vector.entry(s.code, (k,))
        term = _multiplied(s.code, *operands, dtype)
        s.code.store(index_iadd, made.memory.value, made.place((i,)), term)
    return made


def _read_often(s: Lowering, array: Array) -> Array:
    """An array, in memory unless its entries are had for next to nothing."""
    if isinstance(array, View) or s.is_cheap(array, 1):
        return array
    return s.materialised(array)


def _lies_across(s: Lowering, matrix: Array) -> bool:
    """Whether what follows in memory is along the first axis."""
    down, along = (Affine.of(Value(name, INT)) for name in "ij")
    ((first, _),), ((second, _),) = down.terms, along.terms
    last = [place[-1] for _, place in s.accesses(matrix, (down, along)) if place]
    return any(at.coefficient(first) for at in last) and not any(
        at.coefficient(second) for at in last
    )
