"""Views: how an array is derived from another whose memory it shares, and how a write goes back.

    y = x[1:]          reading y after x was written:   y = getitem(x, 1:)
                       writing y:                       x = index_update(x, 1:, y)

What an operation makes, `srcad.ops.memory` says. What may share memory with its arguments or not,
as `reshape` does, is asked again when it matters: contiguous arrays have views.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.kinds import index_parts, is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.ops.memory import memory_of
from srcad.rules import RULES
from srcad.rules.arrays.distinct import is_basic_index

Emit = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class View:
    """`out = fn(base, *rest, **options)`, a view of `base`; both are handles."""

    fn: Any
    base: Value
    rest: tuple[Any, ...]
    options: dict[str, Any]
    out: Value

    def is_same(self, other: View) -> bool:
        """Whether another one shows the same entries, by the same function."""
        way = (self.fn, self.rest, self.options)
        return self.base is other.base and way == (other.fn, other.rest, other.options)


def derived(emit: Emit, view: View, base: Value) -> Value:
    """The view of another content of its base."""
    found: Value = emit(view.fn, (base, *view.rest), view.options)
    found.type = view.out.type
    found.name = view.out.name
    return found


def put_back(emit: Emit, view: View, base: Value, new: Value) -> Value:
    """The content of the base when the view's is `new`."""
    found: Value = _INVERSES[view.fn](emit, view, base, new)
    return found


def is_read_only(view: View) -> bool:
    """Whether NumPy refuses to write into such a view."""
    return view.fn not in _INVERSES or (view.fn is np.imag and not _is_complex(view.base))


def _is_complex(x: Value) -> bool:
    return isinstance(x.type, ArrayType) and x.type.dtype.kind == "c"


# Contiguous memory -------------------------------------------------------------------------------


def may_be_view(op: Op) -> bool:
    """Whether `op` makes a view if its argument is contiguous, and `ravel` a copy if it is not."""
    of_array = bool(op.args) and is_array(op.args[0])  # a number has no memory
    return of_array and row_of(op.fn).by_layout and op.kwargs.get("order", "C") == "C"


def is_contiguous(op: Op | None, known: Callable[[Value], bool]) -> bool:
    """Whether what `op` made lies in memory row by row; `known` says so of its arguments."""
    if op is None:
        return False
    layout = row_of(op.fn).layout
    if layout == "rows":
        return "order" not in op.kwargs
    arrays = [a for a in values_in(op.args) if rank_of(a.type) != 0]
    rule = RULES.get(op.fn)
    if layout == "kept" or (rule is not None and rule.kind == "elementwise"):
        is_line = rank_of(op.outs[0].type) == 1 and memory_of(op) == "fresh"
        return "order" not in op.kwargs and (is_line or all(map(known, arrays)))
    if op.fn is operator.getitem:
        return _is_leading(op.args[1]) and known(op.args[0])
    return may_be_view(op) and all(map(known, arrays))


def _is_leading(index: Any) -> bool:
    """Whether an index takes whole rows: `x[i]`, `x[i, j]`, `x[a:b]`."""
    parts = index_parts(index)
    *ints, last = parts or (slice(None),)
    ends = not isinstance(last, slice) or last.step is None
    return (
        is_basic_index(index)
        and ends
        and last not in (None, Ellipsis)
        and not any(isinstance(p, slice) or p is None or p is Ellipsis for p in ints)
    )


# Writing through ---------------------------------------------------------------------------------


def _reshaped(emit: Emit, view: View, base: Value, new: Value) -> Any:
    return emit(np.reshape, (new, emit(np.shape, (base,))))


def _again(emit: Emit, view: View, base: Value, new: Value) -> Any:
    """The function undoes itself."""
    return emit(view.fn, (new, *view.rest), view.options)


def _transposed(emit: Emit, view: View, base: Value, new: Value) -> Any:
    axes = view.rest[0] if view.rest else view.options.get("axes")
    rank = rank_of(view.out.type) or 1
    back = None if axes is None else tuple(int(i) for i in np.argsort([a % rank for a in axes]))
    return emit(np.transpose, (new,), {} if back is None else {"axes": back})


def _moved_back(emit: Emit, view: View, base: Value, new: Value) -> Any:
    source, target, *_ = (*view.rest, *view.options.values())
    return emit(np.moveaxis, (new, target, source))


def _turned_back(emit: Emit, view: View, base: Value, new: Value) -> Any:
    k = view.options.get("k", view.rest[0] if view.rest else 1)
    axes = {name: x for name, x in view.options.items() if name != "k"}
    return emit(np.rot90, (new,), {"k": -k, **axes})


def _real_part(emit: Emit, view: View, base: Value, new: Value) -> Any:
    if not _is_complex(base):
        return new
    return emit(runtime.with_real, (base, new))


def _imaginary_part(emit: Emit, view: View, base: Value, new: Value) -> Any:
    return emit(runtime.with_imag, (base, new))


def _whole(emit: Emit, view: View, base: Value, new: Value) -> Any:
    return new


_INVERSES: dict[Callable[..., Any], Callable[[Emit, View, Value, Value], Any]] = {
    operator.getitem: lambda emit, view, base, new: emit(
        runtime.index_update, (base, *view.rest, new)
    ),
    np.transpose: _transposed,
    np.matrix_transpose: _again,
    np.linalg.matrix_transpose: _again,
    np.swapaxes: _again,
    np.moveaxis: _moved_back,
    np.flip: _again,
    np.fliplr: _again,
    np.flipud: _again,
    np.rot90: _turned_back,
    np.squeeze: _reshaped,
    np.expand_dims: _reshaped,
    np.reshape: _reshaped,
    np.ravel: _reshaped,
    np.atleast_1d: _reshaped,
    np.atleast_2d: _reshaped,
    np.atleast_3d: _reshaped,
    np.asarray: _whole,
    runtime.own_dtype: _whole,
    runtime.as_tried: _whole,
    np.asanyarray: _whole,
    np.ascontiguousarray: _whole,
    np.real: _real_part,
    np.imag: _imaginary_part,
}

__all__ = [
    "View",
    "derived",
    "is_contiguous",
    "is_read_only",
    "may_be_view",
    "put_back",
]
