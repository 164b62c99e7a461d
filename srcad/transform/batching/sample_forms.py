"""Operations on all samples at once: forms that a linear program does not need.

argmax(t: f64[k])               argmax(t: f64[n, k], axis=1)
matmul(a, b)                    matmul(a, b)                        both with the axis
inv(a: f64[k, k])               inv(a: f64[n, k, k])
table[i: i64]                   table[i: i64[n]]
"""

from __future__ import annotations

import operator
import string
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, rank_of, shape_of
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.rules import RULES
from srcad.rules.core.declaration.probing import is_entrywise
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.infer import types_in
from srcad.rules.core.staged import type_of
from srcad.transform.batching import kernel_forms, table_forms
from srcad.transform.jacobians import batch_forms
from srcad.transform.jacobians.batch import (
    Batch,
    Form,
    NotBatched,
    aligned,
    extents_of,
    known_rank,
    moved_axis,
)

_WHOLE = slice(None)


def form_of(op: Op) -> Form:
    """The form of an operation with the axis.

    Raises:
        NotBatched: there is none.
    """
    if op.fn in _FORMS:
        return _FORMS[op.fn]
    is_elementwise = row_of(op.fn).elementwise
    has_rule = op.fn in RULES and RULES[op.fn].kind == "elementwise"
    if (is_elementwise or has_rule) and not _takes_arrays(op.fn):
        raise NotBatched
    if has_rule and not is_elementwise:
        return _by_rule
    return batch_forms.form_of(op)


def _by_rule(batch: Batch, op: Op) -> Any:
    """What has an elementwise rule: `np.clip(x, None, 1.0)`."""
    given = [x for x in op.args if x is not None]
    rank = max(map(known_rank, given))
    if any(map(batch.has_axis, values_in(op.kwargs))):
        raise NotBatched
    if op.fn in of_users and not _takes_samples(batch, op, rank):
        raise NotBatched
    args = tuple(x if x is None else aligned(batch, x, rank) for x in op.args)
    return batch.builder.emit(op.fn, args, op.kwargs)


def _takes_samples(batch: Batch, op: Op, rank: int) -> bool:
    """Whether a function of the user's gives of all samples what it gives of each."""
    mapped = [isinstance(x, Value) and batch.has_axis(x) for x in op.args]
    try:
        return is_entrywise(op.fn, types_in(op.args), types_in(op.kwargs), mapped, rank)
    except (SrcadError, UncoveredError):  # it is not to be tried
        return False


def _takes_arrays(fn: Any) -> bool:
    """Whether an elementwise function of Python takes arrays as well: `abs`, operators."""
    is_pythons = getattr(fn, "__module__", "") in ("math", "cmath")
    return not is_pythons and fn not in (min, max, round, pow, divmod)


def _reshape(batch: Batch, op: Op) -> Any:
    """`np.reshape(x, (2, -1))`, `np.ravel(x)`: an extent of -1 would be anything for no samples."""
    x, *rest = op.args
    if op.kwargs or len(rest) > 1:
        raise NotBatched
    extents = extents_of(batch, rest[0]) if rest else [-1]
    if any(isinstance(each, int) and each < 0 for each in extents):
        emit, made = batch.builder.emit, batch.of(x)
        shape = emit(np.shape, (made,))
        own = (emit(operator.getitem, (shape, k + 1)) for k in range(known_rank(x)))
        total = reduce(_times(batch), own, 1)
        others = reduce(_times(batch), (each for each in extents if not _is_open(each)), 1)
        rest_of = total if others == 1 else emit(operator.floordiv, (total, others))
        extents = [rest_of if _is_open(each) else each for each in extents]
    return batch.builder.emit(np.reshape, (batch.of(x), (batch.count, *extents)))


def _is_open(extent: Any) -> bool:
    return isinstance(extent, int) and extent < 0


def _times(batch: Batch) -> Callable[[Any, Any], Any]:
    def product(a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        return b if a == 1 else a if b == 1 else batch.builder.emit(operator.mul, (a, b))

    return product


def _reduce(batch: Batch, op: Op) -> Any:
    """`np.max(x, axis=0)`, `np.any(x)`, `np.std(x, ddof=1)`: over all axes but the samples'."""
    x, *rest = op.args
    if rest or set(op.kwargs) - {"axis", "keepdims", "ddof"}:
        raise NotBatched
    return batch_forms.form_of(Op(np.sum, (x,)))(batch, op)


def _argument(batch: Batch, op: Op) -> Any:
    """`np.argmax(x, axis=0)`, `np.argmin(x)`."""
    x, *rest = op.args
    if rest or set(op.kwargs) - {"axis"}:
        raise NotBatched
    rank, axis = known_rank(x), op.kwargs.get("axis")
    if type(axis) is int:
        return batch.builder.emit(op.fn, (batch.of(x),), {"axis": moved_axis(axis, rank)})
    if axis is not None or rank != 1:
        raise NotBatched
    return batch.builder.emit(op.fn, (batch.of(x),), {"axis": 1})


def _sorted(batch: Batch, op: Op) -> Any:
    """`np.sort(x)`, `np.cumprod(x, axis=0)`: along one axis, the last one where none is given."""
    x, *rest = op.args
    last = None if op.fn is np.cumprod and known_rank(x) != 1 else -1
    axis = op.kwargs.get("axis", last)
    if rest or type(axis) is not int:
        raise NotBatched
    options = {**op.kwargs, "axis": axis % known_rank(x) + 1}
    return batch.builder.emit(op.fn, (batch.of(x),), options)


def _same(batch: Batch, op: Op) -> Any:
    """What looks at no axis, or at the last one: `abs(x)`, `np.nan_to_num(x)`, `np.diff(x)`."""
    x, *rest = op.args
    if rest or "axis" in op.kwargs or (known_rank(x) == 0 and op.fn is np.diff):
        raise NotBatched
    return batch.builder.emit(op.fn, (batch.of(x),), op.kwargs)


def _extreme(batch: Batch, op: Op) -> Any:
    """`max(a, b)` of two numbers: Python takes the second one if it is greater."""
    if len(op.args) != 2 or op.kwargs or any(known_rank(x) != 0 for x in op.args):
        raise NotBatched
    a, b = map(batch.of, op.args)
    compare = operator.gt if op.fn is max else operator.lt
    emit = batch.builder.emit
    return emit(np.where, (emit(compare, (b, a)), b, a))


def _trace(batch: Batch, op: Op) -> Any:
    """`np.trace(a)` of a matrix."""
    if len(op.args) != 1 or op.kwargs or known_rank(op.args[0]) != 2:
        raise NotBatched
    return batch.builder.emit(np.trace, (batch.of(op.args[0]),), {"axis1": 1, "axis2": 2})


def _norm(batch: Batch, op: Op) -> Any:
    """`np.linalg.norm(x)`, of a vector, of a matrix, or along axes."""
    if len(op.args) != 1 or set(op.kwargs) - {"axis", "keepdims"} or known_rank(op.args[0]) > 2:
        raise NotBatched
    return _reduce(batch, op)


def _matrices(batch: Batch, op: Op) -> Any:
    """`np.linalg.inv(a)`, which takes stacks of matrices."""
    if len(op.args) != 1 or known_rank(op.args[0]) != 2 or op.kwargs:
        raise NotBatched
    return batch.builder.emit(op.fn, (batch.of(op.args[0]),))


def _solve(batch: Batch, op: Op) -> Any:
    a, b = op.args
    if op.kwargs or known_rank(a) != 2 or known_rank(b) not in (1, 2):
        raise NotBatched
    if not batch.has_axis(a):
        return batch_forms.form_of(op)(batch, op)
    emit = batch.builder.emit
    if known_rank(b) == 2:
        return emit(np.linalg.solve, (batch.of(a), batch.of(b)))
    columns = emit(operator.getitem, (batch.of(b), (_WHOLE, _WHOLE, None)))
    solved = emit(np.linalg.solve, (batch.of(a), columns))
    return emit(operator.getitem, (solved, (_WHOLE, _WHOLE, 0)))


def measured(batch: Batch, op: Op) -> Op:
    """What reads the shape of one sample alone, of the shape of all."""
    emit, x = batch.builder.emit, batch.with_axis[op.args[0]]
    rank = rank_of(x.type)
    if rank is None or rank < 2 or len(op.args) != 1 or op.kwargs:
        raise NotBatched
    whole = emit(np.shape, (x,))
    if op.fn is np.shape:
        return Op(operator.getitem, (whole, slice(1, None)), {}, op.outs, op.loc)
    if op.fn is len:
        return Op(operator.getitem, (whole, 1), {}, op.outs, op.loc)
    if op.fn is not np.size:
        raise NotBatched
    *extents, last = (emit(operator.getitem, (whole, k)) for k in range(1, rank))
    product = reduce(lambda n, k: emit(operator.mul, (n, k)), extents) if extents else 1
    return Op(operator.mul, (product, last), {}, op.outs, op.loc)


def _matmul(batch: Batch, op: Op) -> Any:
    a, b = op.args
    ranks = known_rank(a), known_rank(b)
    if not (batch.has_axis(a) and batch.has_axis(b)) or 0 in ranks:
        return batch_forms.form_of(op)(batch, op)
    if max(ranks) > 2 and op.fn is not operator.matmul:
        raise NotBatched
    emit = batch.builder.emit
    x, y = batch.of(a), batch.of(b)
    if ranks == (1, 1):
        return emit(np.sum, (emit(operator.mul, (x, y)),), {"axis": 1})
    if ranks[0] == 1:
        row = emit(operator.getitem, (x, _with_axes(ranks[1] - 2, (None, _WHOLE))))
        return emit(operator.getitem, (emit(operator.matmul, (row, y)), (Ellipsis, 0, _WHOLE)))
    if ranks[1] == 1:
        column = emit(operator.getitem, (y, _with_axes(ranks[0] - 2, (_WHOLE, None))))
        return emit(operator.getitem, (emit(operator.matmul, (x, column)), (Ellipsis, 0)))
    rank = max(ranks)
    x, y = (aligned(batch, each, rank) for each in (a, b))
    columns = shape_of(type_of(a))
    is_outer = columns is not None and columns[-1] == 1  # a column by a row: one term each
    return emit(operator.mul if is_outer else operator.matmul, (x, y))


def _with_axes(missing: int, last: tuple[Any, ...]) -> tuple[Any, ...]:
    return (_WHOLE, *[None] * missing, *last)


def _getitem(batch: Batch, op: Op) -> Any:
    """`table[i]`, with a number for each sample; a place with no axis is as in linear programs."""
    x, index = op.args
    if not isinstance(type_of(x), ArrayType) or not table_forms.has_own_places(batch, index):
        return _of_linear(batch, op, index)
    if not batch.has_axis(x):
        own = table_forms.own_places(batch, index)
        places = own if isinstance(index, tuple) else own[0]
        return batch.builder.emit(operator.getitem, (x, places))
    places = table_forms.places_of(batch, index)
    return batch.builder.emit(operator.getitem, (batch.of(x), places))


def _of_linear(batch: Batch, op: Op, index: Any) -> Any:
    is_known = not isinstance(index, Value) or isinstance(index.type, ArrayType | NumberType)
    if isinstance(index, Value) and not (is_known and isinstance(type_of(op.args[0]), ArrayType)):
        raise NotBatched
    return batch_forms.form_of(op)(batch, op)


def _einsum(batch: Batch, op: Op) -> Any:
    """`np.einsum("ij,j->i", a, x)`: one more letter."""
    subscripts, *operands = op.args
    if not isinstance(subscripts, str) or "->" not in subscripts or "." in subscripts or op.kwargs:
        raise NotBatched
    letter = next((c for c in string.ascii_letters if c not in subscripts), None)
    given, made = subscripts.replace(" ", "").split("->")
    terms = given.split(",")
    if letter is None or len(terms) != len(operands):
        raise NotBatched
    has_axis = [batch.has_axis(x) for x in operands]
    terms = [letter + t if has else t for t, has in zip(terms, has_axis, strict=True)]
    arrays = [batch.of(x) if has else x for x, has in zip(operands, has_axis, strict=True)]
    return batch.builder.emit(np.einsum, (f"{','.join(terms)}->{letter}{made}", *arrays))


def _as_it_is(batch: Batch, op: Op) -> Any:
    """`np.asarray(x)` of what is an array of samples already."""
    if len(op.args) != 1 or op.kwargs or not isinstance(op.args[0], Value):
        raise NotBatched
    return batch.of(op.args[0])


_FORMS: dict[Any, Form] = {
    **kernel_forms.FORMS,
    **table_forms.FORMS,
    **dict.fromkeys((np.max, np.min, np.prod, np.any, np.all, np.std, np.var, np.ptp), _reduce),
    **dict.fromkeys((np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanprod), _reduce),
    **dict.fromkeys((np.nanstd, np.nanvar, np.median, np.count_nonzero), _reduce),
    **dict.fromkeys((abs, np.nan_to_num, np.diff, runtime.stop_gradient), _same),
    **dict.fromkeys((max, min), _extreme),
    np.asarray: _as_it_is,
    np.trace: _trace,
    **dict.fromkeys((np.ravel, np.reshape), _reshape),
    **dict.fromkeys((np.argmax, np.argmin), _argument),
    **dict.fromkeys((np.sort, np.argsort, np.cumprod), _sorted),
    **dict.fromkeys((np.linalg.inv, np.linalg.det, np.linalg.cholesky), _matrices),
    np.linalg.norm: _norm,
    np.linalg.solve: _solve,
    operator.matmul: _matmul,
    np.dot: _matmul,
    np.einsum: _einsum,
    operator.getitem: _getitem,
}

__all__ = ["form_of", "measured"]
