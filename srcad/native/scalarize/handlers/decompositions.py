"""Decompositions of matrices in loops: calls of the LAPACK that NumPy calls.

    w, v = eigh(s)               for i: for j: a[j, i] = s[i, j]
                                 eigen_into(a, w, True)                 v is a.T

LAPACK's matrices lie by columns: what is decomposed is written transposed, which is a copy anyway,
and vectors are read transposed. As NumPy does, all is computed in double precision and rounded to
the dtype of the result. Values, signs and order are NumPy's to the last bit.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of
from srcad.kernels.lapack import find_lapack
from srcad.native.decompositions import (
    CHOLESKY,
    EIGEN,
    FULL,
    LEAST_SQUARES,
    NONE,
    ORTHOGONAL,
    REDUCED,
    REFLECTORS,
    SINGULAR,
    SOLVED,
)
from srcad.native.scalarize.arrays import (
    Array,
    Entries,
    Extents,
    Index,
    View,
    cast_entries,
    permuted,
    remapped,
)
from srcad.native.scalarize.loop_builder import Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only, option
from srcad.native.scalarize.scalars import precision
from srcad.native.scalarize.scalars.choice import select

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class _Columns:
    """A matrix as LAPACK has it: `memory` holds its columns as rows."""

    s: Lowering
    memory: View

    @property
    def value(self) -> Any:
        """The memory's."""
        return self.memory.memory.value

    @property
    def kind(self) -> str:
        """Of its dtype."""
        return self.memory.dtype.kind

    def result(self, op: Op, k: int) -> Array:
        """The matrix as result `k` of an operation."""
        return _rounded(permuted(self.memory, (1, 0)), op, k)


def _columns(s: Lowering, array: Array, rows: Affine | None = None) -> _Columns:
    """A copy to be overwritten; with so many rows if that is more."""
    if array.rank != 2:
        raise Unsuited("decompositions of stacks of matrices")
    if not find_lapack():
        raise Unsuited("a decomposition: NumPy's LAPACK has no names that are known")
    n, m = array.extents
    dtype = np.dtype(np.complex128 if array.dtype.kind == "c" else np.float64)
    made = s.room_to_pass(dtype, (m, n if rows is None else rows))
    part = made if rows is None else remapped(made, (m, n), lambda index: index)
    assert isinstance(part, View)
    s.fill(part, permuted(_cast(array, dtype), (1, 0)))
    return _Columns(s, made)


def _cast(array: Array, dtype: np.dtype) -> Array:
    return array if array.dtype == dtype else cast_entries(array, dtype, is_trivial=True)


def _rounded(array: Array, op: Op, k: int) -> Array:
    """The array with the dtype of result `k` of an operation."""
    return _cast(array, np.dtype(dtype_of(op.outs[k].type)))


def _room(s: Lowering, dtype: Any, *extents: Affine) -> _Columns:
    return _Columns(s, s.room_to_pass(np.dtype(dtype), extents))


def _smaller(s: Lowering, n: Affine, m: Affine) -> Affine:
    """The smaller one of two extents."""
    if n == m:
        return n
    most = n if s.code.is_natural(n) and s.code.is_natural(m) else None
    return s.code.derived(min, (n, m), most)


def _eigen(s: Lowering, op: Op, x: Array, with_vectors: bool) -> tuple[_Columns, _Columns]:
    only(op, "UPLO")
    triangle = option(op, "UPLO", 1, "L")
    if triangle not in ("L", "U"):
        raise Unsuited("a triangle that is not known")
    s.code.equal(*x.extents)
    # The upper triangle of a matrix is the lower one of its transpose, conjugated.
    a = _columns(s, x if triangle == "L" else permuted(_conjugated(x), (1, 0)))
    w = _room(s, np.float64, x.extents[0])
    s.code.effect(EIGEN[a.kind], a.value, w.value, with_vectors)
    return a, w


def _conjugated(array: Array) -> Array:
    if array.dtype.kind == "c":
        raise Unsuited("the upper triangle of a complex matrix")
    return array


def _eigh(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.eigh(x)`."""
    a, w = _eigen(s, op, x, True)
    return [_rounded(w.memory, op, 0), a.result(op, 1)]


def _eigvalsh(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.eigvalsh(x)`."""
    return [_rounded(_eigen(s, op, x, False)[1].memory, op, 0)]


def _svd(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.svd(x)`, with as many vectors as values, with all, or with none."""
    only(op, "full_matrices", "compute_uv", "hermitian")
    full, with_vectors = option(op, "full_matrices", 1, True), option(op, "compute_uv", 2, True)
    hermitian = option(op, "hermitian", 3, False)
    if type(full) is not bool or type(with_vectors) is not bool or hermitian is not False:
        raise Unsuited("options of singular values")
    a = _columns(s, x)
    n, m = a.memory.extents
    few = _smaller(s, m, n)
    values = _room(s, np.float64, few)
    if not with_vectors:
        s.code.effect(SINGULAR[a.kind], a.value, a.value, values.value, a.value, NONE)
        return [_rounded(values.memory, op, 0)]
    u = _room(s, a.memory.dtype, m if full else few, m)
    v = _room(s, a.memory.dtype, n, n if full else few)
    job = FULL if full else REDUCED
    s.code.effect(SINGULAR[a.kind], a.value, u.value, values.value, v.value, job)
    return [u.result(op, 0), _rounded(values.memory, op, 1), v.result(op, 2)]


def _svdvals(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.svdvals(x)`."""
    only(op)
    a = _columns(s, x)
    values = _room(s, np.float64, _smaller(s, a.memory.extents[1], a.memory.extents[0]))
    s.code.effect(SINGULAR[a.kind], a.value, a.value, values.value, a.value, NONE)
    return [_rounded(values.memory, op, 0)]


def _qr(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.qr(x)`, the factor that is orthogonal by `dorgqr`."""
    only(op, "mode")
    mode = option(op, "mode", 1, "reduced")
    if mode not in ("reduced", "r"):
        raise Unsuited("all columns of an orthogonal factor")
    a = _columns(s, x)
    n, m = a.memory.extents
    few = _smaller(s, m, n)
    scales = _room(s, a.memory.dtype, few)
    s.code.effect(REFLECTORS[a.kind], a.value, scales.value)
    whole = permuted(a.memory, (1, 0))
    upper = _triangle(remapped(whole, (few, n), lambda index: index), is_lower=False)
    if mode == "r":
        return [_rounded(upper, op, 0)]
    q = _room(s, a.memory.dtype, few, m)
    s.fill(q.memory, remapped(a.memory, (few, m), lambda index: index))
    s.code.effect(ORTHOGONAL[a.kind], q.value, scales.value)
    return [q.result(op, 0), _rounded(upper, op, 1)]


def _triangle(array: Array, is_lower: bool) -> Array:
    """The entries on one side of the diagonal and on it, else 0."""
    t = scalar(array.dtype)
    zero = array.dtype.type(0).item()

    def entry(code: Code, index: Index) -> Any:
        row, column = (code.whole(k) for k in (index if is_lower else reversed(index)))
        is_kept = code.op(np.less_equal, (column, row), scalar(bool))
        return select(code, is_kept, array.entry(code, index), zero, t)

    return Entries(array.dtype, array.extents, entry)


def _lstsq(s: Lowering, op: Op) -> Any:
    """`np.linalg.lstsq(x, y)`; the sums of squares that remain are as many as the rank lets."""
    only(op, "rcond")
    x, y, least = *map(s.array, op.args[:2]), option(op, "rcond", 2, None)
    if s.uses[op.outs[1]]:
        raise Unsuited("what least squares leave, in an array whose length the rank tells")
    if "c" in (x.dtype.kind, y.dtype.kind) or x.rank != 2 or y.rank not in (1, 2):
        raise Unsuited("least squares of complex numbers")
    (m, n), columns = x.extents, y
    s.code.equal(m, y.extents[0])
    if y.rank == 1:
        columns = remapped(y, (m, Affine(1)), lambda index: index[:1])
    a = _columns(s, x)
    few = _smaller(s, m, n)
    longest = s.code.derived(max, (m, n), None) if m != n else m
    b = _columns(s, columns, longest)
    values, rank = _room(s, np.float64, few), _room(s, np.int32, Affine(1))
    if least is None:
        least = s.code.op(np.multiply, (s.code.whole(longest), _EPS), scalar(float))
    else:
        least = precision.cast(s.code, s.number(least), np.dtype(np.float64))
    s.code.effect(LEAST_SQUARES, a.value, b.value, values.value, rank.value, least)
    found = permuted(b.memory, (1, 0))
    of_vector = y.rank == 1
    found = remapped(
        found, (n,) if of_vector else (n, y.extents[1]),
        lambda index: (index[0], Affine() if of_vector else index[1]),
    )  # fmt: skip
    return [
        _rounded(found, op, 0), None, rank.memory.entry(s.code, (Affine(),)),
        _rounded(values.memory, op, 3),
    ]  # fmt: skip


def _cholesky(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.cholesky(x)`."""
    only(op, "upper")
    if option(op, "upper", 1, False) is not False:
        raise Unsuited("the upper factor")
    s.code.equal(*x.extents)
    a = _columns(s, x)
    s.code.effect(CHOLESKY[a.kind], a.value)
    return [_rounded(_triangle(permuted(a.memory, (1, 0)), is_lower=True), op, 0)]


def _solve(s: Lowering, op: Op) -> Any:
    """`np.linalg.solve(x, y)` of a vector, or of the columns of a matrix; of stacks of them."""
    only(op)
    x, y = map(s.array, op.args[:2])
    if y.rank == 1 or x.rank == y.rank == 2:
        return _of_each(lambda s, op, a: _solved(s, op, a, y))(s, op)
    y = s.in_memory(y)
    if x.rank != y.rank:
        raise Unsuited("solutions of stacks of several lengths")
    s.code.equal_all(x.extents[:-2], y.extents[:-2])
    return _of_each(lambda s, op, a, at: _solved(s, op, a, _matrix(y, at)), True)(s, op)


def _solved(s: Lowering, op: Op, x: Array, y: Array) -> list[Array]:
    """The solution of a system, or of several with one matrix."""
    s.code.equal(*x.extents)
    s.code.equal(x.extents[0], y.extents[0])
    dtype = np.result_type(x.dtype, y.dtype, np.float64)
    columns = y if y.rank == 2 else remapped(y, (y.extents[0], Affine(1)), lambda i: i[:1])
    a, b = (_columns(s, _cast(each, dtype)) for each in (x, columns))
    s.code.effect(SOLVED[a.kind], a.value, b.value)
    found = permuted(b.memory, (1, 0))
    if y.rank == 1:
        found = remapped(found, y.extents, lambda index: (index[0], Affine()))
    return [_rounded(found, op, 0)]


def _inverse(s: Lowering, op: Op, x: Array) -> list[Array]:
    """`np.linalg.inv(x)`: the solutions for the columns of the identity, as NumPy has it."""
    only(op)
    t = scalar(x.dtype)
    zero, one = (x.dtype.type(number).item() for number in (0, 1))

    def entry(code: Code, index: Index) -> Any:
        is_one = code.op(operator.eq, [code.whole(k) for k in index], NumberType(bool))
        return select(code, is_one, one, zero, t)

    return _solved(s, op, x, Entries(x.dtype, x.extents, entry))


# Stacks ------------------------------------------------------------------------------------------


def _of_each(core: Callable[..., list[Array]], takes_place: bool = False) -> Handler:
    """What is done to a matrix, or to each matrix of a stack; results lie one after the other.

    core: is given the matrix, and where it is in the stack if it `takes_place`.
    """

    def handler(s: Lowering, op: Op) -> Any:
        x = s.array(op.args[0])
        if x.rank < 2:
            raise Unsuited("a decomposition of something else than matrices")
        if x.rank == 2:
            results = core(s, op, x)
            return results if len(results) > 1 else results[0]
        x, made = s.in_memory(x), []
        with s.code.loops(x.extents[:-2]) as at:
            for part in core(s, op, _matrix(x, at), *((at,) if takes_place else ())):
                whole = s.room_for(part.dtype, (*x.extents[:-2], *part.extents))
                target = _part(whole, at, part.extents)
                assert isinstance(target, View)
                s.fill(target, part)
                made.append(whole)
        return made if len(made) > 1 else made[0]

    return handler


def _matrix(stack: Array, at: Index) -> Array:
    return _part(stack, at, stack.extents[-2:])


def _part(stack: Array, at: Index, extents: Extents) -> Array:
    """What stands at a place of a stack."""
    return remapped(stack, extents, lambda index: (*at, *index))


DECOMPOSITIONS: Final[dict[Any, Handler]] = {
    np.linalg.eigh: _of_each(_eigh), np.linalg.eigvalsh: _of_each(_eigvalsh),
    np.linalg.svd: _of_each(_svd), np.linalg.qr: _of_each(_qr), np.linalg.lstsq: _lstsq,
    np.linalg.cholesky: _of_each(_cholesky), np.linalg.solve: _solve,
    np.linalg.inv: _of_each(_inverse),
}  # fmt: skip
if hasattr(np.linalg, "svdvals"):
    DECOMPOSITIONS[np.linalg.svdvals] = _of_each(_svdvals)

__all__ = ["DECOMPOSITIONS"]
