"""Diagonals: ones on one, the entries of one, a matrix of one.

np.eye(n)          (i, j)  ->  1.0 if i == j else 0.0
np.diag(a)         (i)     ->  a[i, i]
np.diag(v)         (i, j)  ->  v[i] if i == j else 0.0
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of, shape_of
from srcad.native.helpers import clipped
from srcad.native.scalarize.arrays import Array, Entries, Index, remapped
from srcad.native.scalarize.loop_builder import Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only, option
from srcad.native.scalarize.scalars.choice import select
from srcad.rules.core.staged import type_of


def _eye(s: Lowering, op: Op) -> Any:
    """`np.eye(n, m, k)`: ones on a diagonal."""
    only(op, "M", "k", "dtype")
    columns = option(op, "M", 1, None)
    n = s.whole(op.args[0])
    m, shift = n if columns is None else s.whole(columns), s.whole(option(op, "k", 2, 0))
    for extent in (n, m):
        s.code.check_natural(extent)
    dtype, t = np.dtype(dtype_of(op.out.type)), scalar(dtype_of(op.out.type))
    zero, one = (dtype.type(number).item() for number in (0, 1))

    def entry(code: Code, index: Index) -> Any:
        places = [code.whole(at) for at in (index[0] + shift, index[1])]
        return select(code, code.op(operator.eq, places, NumberType(bool)), one, zero, t)

    return Entries(dtype, (n, m), entry)


def _diag(s: Lowering, op: Op) -> Any:
    """The main diagonal of a matrix, or the matrix of one."""
    x = s.array(op.args[0])
    ranks = (2,) if op.fn is np.diagonal else (1, 2)
    if len(op.args) > 1 or op.kwargs or x.rank not in ranks:
        raise Unsuited("other diagonals")
    if x.rank == 2:
        return remapped(x, (_length(s, op, x),), lambda index: (index[0], index[0]))
    x = s.owned(op.args[0])
    zero, t = x.dtype.type(0).item(), scalar(x.dtype)

    def entry(code: Code, index: Index) -> Any:
        is_there = code.op(operator.eq, [code.whole(at) for at in index], NumberType(bool))
        return select(code, is_there, x.entry(code, index[:1]), zero, t)

    return Entries(x.dtype, (x.extents[0], x.extents[0]), entry)


def _length(s: Lowering, op: Op, x: Array) -> Affine:
    """How long a diagonal is: as the matrix, if that is square as far as the program tells."""
    n, m = x.extents
    told = shape_of(op.out.type)
    if told is not None and told[0] in (shape_of(type_of(op.args[0])) or ()):
        s.code.equal(n, m)
        return n
    return s.code.derived(clipped, (n, m), m)


DIAGONALS: Final[dict[Any, Handler]] = {np.eye: _eye, np.diag: _diag, np.diagonal: _diag}
