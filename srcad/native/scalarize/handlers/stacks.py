"""Products of stacks of matrices, matrix after matrix.

    a @ b, (k, n, m) and (m, p)         for i in range(k): y[i] = a[i] @ b

Axes ahead of the last two broadcast. Matrices of few entries are multiplied by loops, larger ones
by BLAS, one call for each.
"""

from __future__ import annotations

import operator

import numpy as np

from srcad.ir.affine import Affine
from srcad.ir.inplace import index_iadd
from srcad.native.scalarize.arrays import Array, Entries, Index, View, remapped, without_axes
from srcad.native.scalarize.handlers.matrix_products import multiplied_into
from srcad.native.scalarize.loop_builder import scalar
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.scalars import precision

_FEW = 16  # rows of a matrix that loops multiply faster than BLAS is called


def product_of_stacks(s: Lowering, a: Array, b: Array, dtype: np.dtype) -> Array:
    """`a @ b` where one of them has more than two axes; a vector is a row or a column."""
    a, b = s.in_memory(a), s.in_memory(b)
    rows = a if a.rank > 1 else remapped(a, (Affine(1), *a.extents), lambda i: i[1:])
    columns = b if b.rank > 1 else remapped(b, (*b.extents, Affine(1)), lambda i: i[:-1])
    code = s.code
    code.equal(rows.extents[-1], columns.extents[-2])
    lead = code.broadcast([rows.extents[:-2], columns.extents[:-2]])
    made = s.room_for(dtype, (*lead, rows.extents[-2], columns.extents[-1]))
    is_few = _is_few(rows, columns) or {rows.dtype, columns.dtype} != {dtype}
    with code.loops(lead) as at:
        x, y = (_matrix(stack, at) for stack in (rows, columns))
        target = _matrix(made, at)
        if is_few or not multiplied_into(s, target, x, y):
            zero = dtype.type(0).item()
            s.fill(target, Entries(dtype, target.extents, lambda code, _: zero, is_trivial=True))
            by_rows(s, target, x, y)
    gone = (a.rank == 1) * (made.rank - 2,) + (b.rank == 1) * (made.rank - 1,)
    return without_axes(made, gone)


def _is_few(a: Array, b: Array) -> bool:
    """Whether matrices are known to be small; a vector takes part as such."""
    sizes = [n.number for n in (*a.extents[-2:], *b.extents[-2:])]
    return 1 in sizes or all(n is not None and n <= _FEW for n in sizes)


def _matrix(stack: Array, at: Index) -> View:
    """The matrix of a stack that stands at a place of all that it is broadcast to."""
    own = at[len(at) - stack.rank + 2 :] if stack.rank > 2 else ()
    pairs = zip(stack.extents, own, strict=False)
    place = tuple(Affine() if n.number == 1 else k for n, k in pairs)
    made = remapped(stack, stack.extents[-2:], lambda index: (*place, *index))
    assert isinstance(made, View)
    return made


def by_rows(s: Lowering, target: View, x: Array, y: Array) -> View:
    """Add to zeros the rows of `x` times the columns of `y`, row by row of `y`."""
    code, dtype = s.code, target.dtype
    with code.loops((x.extents[0], x.extents[1], y.extents[1])) as (i, k, j):
        factors = precision.alike(code, (x.entry(code, (i, k)), y.entry(code, (k, j))), dtype)
        term = code.op(operator.mul, factors, scalar(dtype))
        code.store(index_iadd, target.memory.value, target.place((i, j)), term)
    return target


__all__ = ["by_rows", "product_of_stacks"]
