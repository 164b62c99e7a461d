"""Operations on values with an axis for the directions: for each function, its form.

mul(y_bar: f64[k], c)           mul(y_bar: f64[n, k], c)
sum(t: f64[k])                  sum(t: f64[n, k], axis=1)
matmul(w, t: f64[k])            matmul(t: f64[n, k], transpose(w))
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Op, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.ops.raising import raises_by_value
from srcad.transform.jacobians import batch_indexing, library_forms
from srcad.transform.jacobians.batch import (
    WHOLE,
    Batch,
    Form,
    NotBatched,
    aligned,
    extents_of,
    known_rank,
    moved_axis,
)


def form_of(op: Op) -> Form:
    """The form of an operation with the axis.

    Raises:
        NotBatched: there is none.
    """
    if op.fn in _FORMS:
        return _FORMS[op.fn]
    found = library_forms.form_of(op)
    if found is not None:
        return found
    if row_of(op.fn).elementwise:
        return _elementwise
    if isinstance(op.fn, type):
        return _cast
    raise NotBatched


def _elementwise(batch: Batch, op: Op) -> Any:
    rank = max(map(known_rank, op.args))
    args = tuple(aligned(batch, arg, rank) for arg in op.args)
    if any(batch.has_axis(v) for v in op.kwargs.values() if isinstance(v, Value)):
        raise NotBatched
    if op.fn is operator.truediv and raises_by_value(op) and not batch.has_axis(op.args[1]):
        _divide_by(batch, op.args[1])
    return batch.builder.emit(op.fn, args, op.kwargs)


def _divide_by(batch: Batch, divisor: Atom) -> None:
    """Raise where a number of Python's is divided by zero: an array, of all directions, warns."""
    builder, quotient = batch.builder, Value("", NumberType(float))
    args = (1.0, divisor)
    builder.body.append(Op(operator.truediv, args, {}, (quotient,), builder.loc, raises=True))


def _cast(batch: Batch, op: Op) -> Any:
    """`float(x)`, `np.float32(x)`."""
    dtype = dtype_of(op.out.type)
    if dtype is None or len(op.args) != 1 or op.kwargs:
        raise NotBatched
    return batch.builder.emit(np.astype, (batch.of(op.args[0]), dtype.type))


def _same(batch: Batch, op: Op) -> Any:
    """What looks at no axis, or makes zeros in a shape."""
    return batch.builder.emit(op.fn, (batch.of(op.args[0]), *op.args[1:]), op.kwargs)


def _reduce(batch: Batch, op: Op) -> Any:
    """`np.sum`, `np.mean`."""
    (x,) = op.args
    if set(op.kwargs) - {"axis", "keepdims"}:
        raise NotBatched
    rank = known_rank(x)
    axis = op.kwargs.get("axis")
    axis = tuple(range(1, rank + 1)) if axis is None else moved_axis(axis, rank)
    if axis == ():
        return batch.of(x)
    one = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    return batch.builder.emit(op.fn, (batch.of(x),), {**op.kwargs, "axis": one})


def _along_axis(batch: Batch, op: Op) -> Any:
    """`np.cumsum(x, axis=0)`, `np.flip(x, axis=1)`, `np.roll(x, 1, axis=0)`."""
    x, *rest = op.args
    axis, rank = op.kwargs.get("axis"), known_rank(x)
    if any(batch.has_axis(v) for v in values_in(rest)):
        raise NotBatched
    if axis is None and op.fn is np.flip:
        axis = tuple(range(rank))
    elif axis is None and rank == 1:
        axis = 0
    options = {**op.kwargs, "axis": moved_axis(axis, rank)}
    return batch.builder.emit(op.fn, (batch.of(x), *rest), options)


def _triangle(batch: Batch, op: Op) -> Any:
    """`np.tril` and `np.triu`, which look at the last two axes."""
    if known_rank(op.args[0]) < 2:
        raise NotBatched
    return _same(batch, op)


def _expand_dims(batch: Batch, op: Op) -> Any:
    (x,) = op.args[:1]
    axis = op.args[1] if len(op.args) > 1 else op.kwargs.get("axis")
    return batch.builder.emit(
        np.expand_dims, (batch.of(x),), {"axis": moved_axis(axis, known_rank(op.out))}
    )


def _reshape(batch: Batch, op: Op) -> Any:
    x, shape = op.args
    extents = extents_of(batch, shape)
    is_open = any(isinstance(each, int) and each < 0 for each in extents)
    if op.kwargs or (batch.count == 0 and is_open):  # of no entries, -1 would be anything
        raise NotBatched
    return batch.builder.emit(np.reshape, (batch.of(x), (batch.count, *extents)))


def _ravel(batch: Batch, op: Op) -> Any:
    if op.kwargs or len(op.args) != 1 or batch.count == 0:
        raise NotBatched
    return batch.builder.emit(np.reshape, (batch.of(op.args[0]), (batch.count, -1)))


def _exchange(batch: Batch, op: Op) -> Any:
    """`np.swapaxes`, `np.moveaxis`."""
    x, *axes = op.args
    if op.kwargs or len(axes) != 2:
        raise NotBatched
    moved = (moved_axis(tuple(a) if isinstance(a, list) else a, known_rank(x)) for a in axes)
    return batch.builder.emit(op.fn, (batch.of(x), *moved))


def _squeeze(batch: Batch, op: Op) -> Any:
    x, axis = op.args[0], op.kwargs.get("axis")
    if len(op.args) > 1:
        raise NotBatched
    return batch.builder.emit(np.squeeze, (batch.of(x),), {"axis": moved_axis(axis, known_rank(x))})


def _array(batch: Batch, op: Op) -> Any:
    """`np.array([a, b])`, of numbers or arrays; the dtype is seen to afterwards."""
    if isinstance(op.args[0], Value):
        if not isinstance(op.args[0].type, ArrayType | NumberType):
            raise NotBatched
        return batch.builder.emit(np.copy, (batch.of(op.args[0]),))
    return _stacked(batch, op.args[0])


def _stacked(batch: Batch, tree: Any) -> Any:
    if isinstance(tree, list | tuple):
        if not tree:
            raise NotBatched
        return batch.builder.emit(np.stack, ([_stacked(batch, t) for t in tree],), {"axis": 1})
    return batch.of(tree)


def _broadcast_to(batch: Batch, op: Op) -> Any:
    x, shape = op.args
    extents = extents_of(batch, shape)
    x = aligned(batch, x, len(extents))
    return batch.builder.emit(np.broadcast_to, (x, (batch.count, *extents)))


def _transpose(batch: Batch, op: Op) -> Any:
    x, rank = op.args[0], known_rank(op.args[0])
    axes = op.args[1] if len(op.args) > 1 else op.kwargs.get("axes")
    if rank < 2:
        return batch.of(x)
    moved = (0, *(range(rank, 0, -1) if axes is None else (moved_axis(a, rank) for a in axes)))
    return batch.builder.emit(np.transpose, (batch.of(x),), {"axes": moved})


def _matmul(batch: Batch, op: Op) -> Any:
    a, b = op.args
    ranks = known_rank(a), known_rank(b)
    emit = batch.builder.emit
    if op.fn is np.dot and max(ranks) > 2:
        raise NotBatched
    if 0 in ranks:
        return _elementwise(batch, Op(operator.mul, op.args, {}, op.outs))
    if batch.has_axis(a) and batch.has_axis(b):
        raise NotBatched
    if batch.has_axis(a):
        if ranks[0] == 1 and ranks[1] > 2:
            raise NotBatched
        return emit(operator.matmul, (aligned(batch, a, ranks[1]) if ranks[0] > 1 else
                                      batch.of(a), b))  # fmt: skip
    if ranks[1] > 1:
        return emit(operator.matmul, (a, aligned(batch, b, ranks[0])))
    if ranks[0] > 2:
        raise NotBatched
    # A matrix times vectors: the vectors are rows.
    return emit(operator.matmul, (batch.of(b), emit(np.transpose, (a,)) if ranks[0] == 2 else a))


def _outer(batch: Batch, op: Op) -> Any:
    a, b = op.args
    if (known_rank(a), known_rank(b)) != (1, 1):
        raise NotBatched
    emit = batch.builder.emit
    left = (batch.of(a), (Ellipsis, None)) if batch.has_axis(a) else (a, (WHOLE, None))
    right = (batch.of(b), (WHOLE, None, WHOLE)) if batch.has_axis(b) else (b, (None, WHOLE))
    pair = (emit(operator.getitem, left), emit(operator.getitem, right))
    return emit(operator.mul, pair)


def _solve(batch: Batch, op: Op) -> Any:
    a, b = op.args
    if batch.has_axis(a) or known_rank(a) != 2 or op.kwargs or known_rank(b) not in (1, 2):
        raise NotBatched
    emit = batch.builder.emit
    if known_rank(b) == 2:
        return emit(np.linalg.solve, (a, batch.of(b)))
    columns = emit(np.transpose, (batch.of(b),))
    return emit(np.transpose, (emit(np.linalg.solve, (a, columns)),))


def _join(batch: Batch, op: Op) -> Any:
    """`np.concatenate`, `np.stack`."""
    (arrays,) = op.args
    if not isinstance(arrays, tuple | list) or set(op.kwargs) - {"axis"}:
        raise NotBatched
    axis = op.kwargs.get("axis", 0)
    parts = [batch.of(x) for x in arrays]
    return batch.builder.emit(op.fn, (parts,), {"axis": moved_axis(axis, known_rank(op.out))})


_FORMS: dict[Any, Form] = {
    **batch_indexing.FORMS,
    np.sum: _reduce,
    np.mean: _reduce,
    np.cumsum: _along_axis,
    np.flip: _along_axis,
    np.roll: _along_axis,
    np.tril: _triangle,
    np.triu: _triangle,
    np.expand_dims: _expand_dims,
    np.squeeze: _squeeze,
    np.swapaxes: _exchange,
    np.moveaxis: _exchange,
    np.ravel: _ravel,
    np.array: _array,
    np.reshape: _reshape,
    np.broadcast_to: _broadcast_to,
    np.transpose: _transpose,
    operator.matmul: _matmul,
    np.dot: _matmul,
    np.outer: _outer,
    np.linalg.solve: _solve,
    np.concatenate: _join,
    np.stack: _join,
    np.zeros_like: _same,
    np.ones_like: _same,
    np.astype: _same,
    np.real: _same,
    np.imag: _same,
    np.copy: _same,
}

__all__ = ["form_of"]
