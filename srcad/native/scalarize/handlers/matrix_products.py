"""Products of matrices in compiled functions: one call for each, of BLAS or of loops over tiles.

    z = matmul(h, transpose(w))      matmul_into(z, h, (0, 0), False, w, (0, 0), True, k)

A factor is memory and where in it the factor begins: rows of a tape, a transposed matrix, columns
of another are not copied. What is not computed yet is computed first, into memory of its own.
Leading axes of one factor are rows of one matrix. A whole loop of a recurrent network, its tapes,
and the products after it are one compiled function so; a product outside of loops gains nothing.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir import Op, Value
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of
from srcad.kernels.lapack import find_lapack
from srcad.kernels.products.blas import find_gemm
from srcad.native.decompositions import COMPLEX_PRODUCT
from srcad.native.scalarize.arrays import Array, Axis, View, permuted
from srcad.native.scalarize.loop_builder import INT, Unsuited
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.written_arrays import written_in
from srcad.native.vectorised import MATMUL_INTO


def matrix_product(s: Lowering, op: Op, a: Array, b: Array) -> View:
    """`a @ b` of a matrix, or rows of matrices, and a matrix."""
    if dtype_of(op.out.type) == np.complex128 and a.rank == b.rank == 2 and find_lapack():
        return _complex_product(s, a, b)
    left, right = _Factor(s, op.args[0], a), _Factor(s, op.args[1], _lying_by_rows(s, b))
    return _multiplied(s, op, left, right, a.extents[-1], a.extents[:-1])


def _complex_product(s: Lowering, a: Array, b: Array) -> View:
    """`a @ b` of complex matrices, or of one that is, by `zgemm`; as they lie in memory."""
    factors = [_complex_rows(s, x) for x in (a, b)]
    made = s.room_to_pass(np.dtype(np.complex128), (a.extents[0], b.extents[1]))
    s.code.effect(COMPLEX_PRODUCT, made.memory.value, *(x.memory.value for x in factors))
    return made


def _complex_rows(s: Lowering, array: Array) -> View:
    if isinstance(array, View) and array.is_all and array.dtype == np.complex128:
        return array
    made = s.room_to_pass(np.dtype(np.complex128), array.extents)
    s.fill(made, array)
    return made


def multiplied_into(s: Lowering, target: View, x: View, y: View) -> bool:
    """`target[...] = x @ y` of matrices by BLAS; whether it can be called."""
    if target.dtype not in (np.float32, np.float64) or not find_gemm():
        return False
    left, right = _Factor(s, None, x), _Factor(s, None, y)
    made = s.room_to_pass(target.dtype, target.extents)
    k = s.code.whole(x.extents[1])
    s.code.effect(MATMUL_INTO, made.memory.value, *left.args(s), *right.args(s), k)
    s.fill(target, made)
    return True


def tensordot(s: Lowering, op: Op) -> View:
    """`np.tensordot(a, b, axes)` over one axis of a matrix, or over all axes but the last of
    arrays as long: `a.T @ b` of their rows.
    """
    a, b = (s.array(arg) for arg in op.args[:2])
    axes = op.kwargs.get("axes", op.args[2] if len(op.args) > 2 else None)
    leading = tuple(range(a.rank - 1))
    if axes == (leading, leading) and a.rank == b.rank >= 2:
        s.code.equal_all(a.extents[:-1], b.extents[:-1])
        k = _product_of(s, a.extents[:-1])
        left, right = _Factor(s, op.args[0], a, is_transposed=True), _Factor(s, op.args[1], b)
        return _multiplied(s, op, left, right, k, a.extents[-1:])
    match axes:
        case ((int(i),), (int(j),)) if b.rank == 2 and (a.rank == 2 or i % a.rank == a.rank - 1):
            a = a if i % a.rank == a.rank - 1 else permuted(a, (1, 0))
            b = b if j % 2 == 0 else permuted(b, (1, 0))
            s.code.equal(a.extents[-1], b.extents[0])
            return matrix_product(s, op, a, b)
    raise Unsuited("a product over other axes")


def _lying_by_rows(s: Lowering, array: Array) -> Array:
    """A transposed matrix that loops multiply with, copied before them: BLAS is a third faster."""
    code = s.code
    if not isinstance(array, View) or not _is_transposed(array) or not _is_given(s, array):
        return array
    if array in s.copies or len(code.frames) == 1:
        return s.copies.get(array, array)
    level, code.level = code.level, {v: k for v, k in code.level.items() if k == 0}
    with code.outside(0):
        made = s.copies[array] = s.materialised(array)
    code.level = level | code.level
    return made


def _is_given(s: Lowering, view: View) -> bool:
    """Whether a view is of an argument that is not written, and the same in all loops."""
    given = set(s.fn.params).difference(*map(written_in, s.fn.body.body))
    starts = (axis.start for axis in view.axes)
    return view.memory.value in given and not s.code.outermost(*starts, *view.extents)


class _Factor:
    """A matrix in memory that BLAS can read: of the rows of an array, if it has more axes."""

    def __init__(self, s: Lowering, atom: Any, array: Array, is_transposed: bool = False) -> None:
        self.view = _computed(s, atom, array)
        lies_transposed = array.rank == 2 and bool(_is_transposed(self.view))
        self.is_transposed = lies_transposed != is_transposed
        self.dtype, self.columns = array.dtype, array.extents[-1]

    def args(self, s: Lowering) -> tuple[Any, ...]:
        """The memory, where in it the matrix begins, whether it is transposed."""
        start = s.code.position(tuple(axis.start for axis in self.view.axes))
        return self.view.memory.value, start, self.is_transposed


def _computed(s: Lowering, atom: Any, array: Array) -> View:
    """The array in memory, which those that read it later in the block read too."""
    if isinstance(array, View):
        is_matrix = array.rank == 2 and _is_transposed(array) is not None
        if is_matrix or (array.rank > 2 and array.is_all):
            return array
    made = s.materialised(array)
    is_same = isinstance(atom, Value) and s.reps[atom] is array
    if is_same and s.born.get(atom) == len(s.code.frames) - 1:  # an argument is not born here
        s.reps[atom] = made
        s.pending.pop(atom, None)
    return made


def _is_transposed(view: View) -> bool | None:
    """Whether a matrix lies in memory by columns; None if in no order that BLAS knows."""
    *outer, row, column = view.axes if len(view.axes) > 1 else (Axis(Affine()),) * 2
    if any(axis.of is not None for axis in outer) or row.step != 1 or column.step != 1:
        return None
    transposed: dict[tuple[int | None, int | None], bool] = {(0, 1): False, (1, 0): True}
    return transposed.get((row.of, column.of))


def _multiplied(
    s: Lowering, op: Op, a: _Factor, b: _Factor, k: Affine, rows: tuple[Affine, ...]
) -> View:
    dtype = np.dtype(dtype_of(op.out.type))
    if {a.dtype, b.dtype} != {dtype} or dtype not in (np.float32, np.float64):
        raise Unsuited("a product of matrices in other precision")
    if not find_gemm():
        raise Unsuited("a product of matrices")
    made = s.room_to_pass(dtype, (*rows, b.columns), op.out.name)
    s.code.effect(MATMUL_INTO, made.memory.value, *a.args(s), *b.args(s), s.code.whole(k))
    return made


def _product_of(s: Lowering, extents: tuple[Affine, ...]) -> Affine:
    """How many entries there are."""
    total: Value | int = 1
    for n in map(s.code.whole, extents):
        total = n if total == 1 else s.code.op(operator.mul, (total, n), INT)
    return Affine.of(total) if isinstance(total, Value) else Affine(int(total))


__all__ = ["matrix_product", "multiplied_into", "tensordot"]
