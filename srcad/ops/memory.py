"""Which memory the results of an operation lie in: their own, the first argument's, or it depends.

    z = np.tanh(x)          fresh: a write to z changes nothing else
    y = np.transpose(x)     view: shares memory with x, or is x, in every call
    r = np.reshape(x, s)    either: a view of x, x itself, or a copy
    e = np.einsum(s, x)     unknown: may share with any argument, results with each other

The row of a function says it (`memory`), or how it depends on the call (`memory_at`).
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcad.ir.kinds import index_parts, is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, SeqType, TupleType, rank_of, shape_of
from srcad.ops.table import Memory, row_of
from srcad.rules.arrays.distinct import is_basic_index
from srcad.rules.core.call_facts import returns_argument
from srcad.rules.core.sequences import OnlyItem, whole
from srcad.rules.core.staged import type_of
from srcad.rules.draws import is_draw, writes_array
from srcad.runtime.effects import as_told, unwritten


def memory_of(op: Op) -> Memory:
    """Which memory the results of an operation lie in."""
    made = memory_of_function(op.fn)
    at = row_of(op.fn).memory_at
    if made == "unknown":
        return made if at is None else at(op)
    if made == "fresh":
        return "unknown" if _may_give_argument(op) else "fresh"
    if not op.args:
        return "unknown"
    if not is_array(op.args[0]):
        return "fresh" if _is_converted(op) and not row_of(op.fn).read_only else "unknown"
    return made if at is None else at(op)


def memory_of_function(fn: Any) -> Memory:
    """The same of a function in general: what it is called with may tell more."""
    made = row_of(whole(fn)).memory or "unknown"
    return "unknown" if isinstance(fn, OnlyItem) and made != "fresh" else made


def keeps_no_array(fn: Any) -> bool:
    """Whether a function gives new arrays or those that it was given, never one that it keeps: each
    one of which the table says something. What calls another function may give what that one keeps.
    """
    return whole(fn) not in (as_told, unwritten) and row_of(whole(fn)).memory is not None


def is_view(fn: Any) -> bool:
    """Whether results of a function lie in its first argument: a view, itself, or else a copy."""
    return row_of(fn).memory in ("view", "either")


def _may_give_argument(op: Op) -> bool:
    """Whether this call of a function with fresh results may return one of its arguments."""
    if is_draw(op.fn):
        return writes_array(op)
    if op.kwargs.get("copy", True) is not True or op.kwargs.get("out") is not None:
        return True
    return returns_argument(whole(op.fn), op.args, op.kwargs)


def _is_converted(op: Op) -> bool:
    """Whether NumPy makes an array of the first argument: of a number or a list.

    An item of a list or tuple is no array of NumPy's making.
    """
    x = op.args[0]
    if isinstance(x, Value):
        is_scalar = isinstance(x.type, ArrayType) and x.type.scalar
        is_list = isinstance(x.type, TupleType | SeqType) and op.fn is not operator.getitem
        return is_scalar or is_list or isinstance(x.type, NumberType)
    return op.fn is not operator.getitem and isinstance(
        x, list | tuple | int | float | complex | np.generic
    )


# Where it depends on the call --------------------------------------------------------------------


def of_index(op: Op) -> Memory:
    """An index of ints and slices takes a view, one with an array in it a copy."""
    index = op.args[1]
    if is_basic_index(index):
        return "view"
    return "fresh" if any(map(_copies, index_parts(index))) else "either"


def _copies(part: Any) -> bool:
    """Whether a part of an index makes it one that copies: an array, a list, a truth."""
    if isinstance(part, Value):
        t = part.type
        truth = isinstance(t, NumberType) and t.kind is bool
        return truth or (isinstance(t, ArrayType) and not is_basic_index(part))
    return isinstance(part, list | np.ndarray | bool | np.bool_)


def of_operands(op: Op) -> Memory:
    """`np.einsum` of one array may take a view of it; of two it computes their products."""
    is_several = isinstance(op.args[0], str) and len(op.args) > 2
    return "fresh" if is_several and op.kwargs.get("out") is None else "unknown"


def of_copy(op: Op) -> Memory:
    """`np.array` copies unless it shall do so only where it must."""
    return "fresh" if op.kwargs.get("copy", True) is True else "either"


def of_dtype(op: Op) -> Memory:
    """`np.asarray(x)` is x itself unless that has another dtype."""
    x, options = op.args[0], op.kwargs
    dtype = options.get("dtype", op.args[1] if len(op.args) > 1 else None)
    if dtype is not None and np.dtype(dtype) != x.type.dtype:
        return "fresh"
    return "view" if set(options) <= {"dtype"} else "either"


def of_shape(op: Op) -> Memory:
    """A reshape that only adds or drops axes of extent 1 needs no contiguous memory."""
    before, after = (shape_of(type_of(v)) for v in (op.args[0], op.out))
    if before is None or after is None or "order" in op.kwargs or "copy" in op.kwargs:
        return "either"
    moved = [e for e in before if e != 1] != [e for e in after if e != 1]
    return "either" if moved else "view"


def of_rank(op: Op) -> Memory:
    """`np.diag` takes the diagonal of a matrix, and makes a matrix of a vector."""
    made: dict[int | None, Memory] = {1: "fresh", 2: "view"}
    return made.get(rank_of(op.args[0].type), "either")


def of_rounding(op: Op) -> Memory:
    """Integers are rounded already: there are versions of NumPy that return them."""
    is_given = _RETURNS_INTS and op.args[0].type.dtype.kind in "iub"
    return "either" if is_given else "fresh"


_INTS = np.zeros(1, int)
_RETURNS_INTS = np.shares_memory(np.round(_INTS), _INTS)


__all__ = [
    "is_view",
    "keeps_no_array",
    "memory_of",
    "memory_of_function",
    "of_copy",
    "of_dtype",
    "of_index",
    "of_operands",
    "of_rank",
    "of_rounding",
    "of_shape",
]
