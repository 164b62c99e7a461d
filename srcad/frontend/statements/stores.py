"""Writes into arrays: `x[i] = v`, `x[i] op= v`, `x op= v`, and what writes a whole array.

x[1:] = v        x_2 = index_update(x, 1:, v)
x[1:] += v       x_2 = index_add(x, 1:, v)           the index names no entry twice
x[rows] *= v     x_2 = index_update(x, rows, mul(getitem(x, rows), v))
x += v           x_2 = add(x, v)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import Grown, ListObj, form_of
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract, Range, describe, is_static
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails, raise_unless
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.objects.members import method_of
from srcad.frontend.statements.held_numbers import check_entry, too_deep
from srcad.frontend.statements.stores_by_dtype import by_dtype, has_dtypes
from srcad.ir.kinds import index_parts, is_array, is_int_scalar
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, dtype_of, rank_of, shape_of
from srcad.ops.raising import has_written
from srcad.rules.arrays.distinct import is_basic_index
from srcad.rules.core.staged import is_complex, type_of


def store(frame: Frame, x: Value, index: Abstract, values: Abstract, what: str) -> None:
    """`x[index] = values`, broadcast and cast as NumPy does."""
    if has_dtypes(frame, x, what):
        return by_dtype(frame, x, lambda each: store(frame, each, index, values, what))
    _check_target(frame, x, what)
    index = as_index(frame, index)
    _check_place(x, frame.session.atom(index), values, what)
    operand = _as_operand(frame, values, dtype_of(x.type), _axes_of_place(frame, x, index))
    if x in frame.session.memory.flat and is_int_scalar(frame.session.atom(index)):
        check_entry(frame, x, index, operand)
    if x in frame.session.memory.flat or _has_mask(frame.session.atom(index)):
        refuse_overlap(frame, x, operand, what)
    if x in frame.session.memory.flat and rank_of(type_of(operand)):
        if 0 in (shape_of(type_of(operand)) or ()):
            return  # there is nothing to start again with
        operand = _repeated(frame, x, index, operand)
    if is_complex(operand) and not is_complex(x):
        raise error("E132", None, what=f"{what} of complex values in a real array")
    new = frame.session.emit(runtime.index_update, (x, index, operand))
    _check_text(frame, x, values)
    frame.session.memory.write(x, new, what)


def update(
    frame: Frame,
    fn: Callable[..., Any],
    x: Value,
    index: Abstract,
    operand: Callable[[], Abstract],
    what: str,
) -> None:
    """`x[index] op= operand()`: of an entry named twice, the last result stays.

    What `x[index]` was is read before the operand is evaluated, which may write it.
    """
    if has_dtypes(frame, x, what):
        writes, values = frame.session.memory.writes, operand()
        if frame.session.memory.writes != writes:
            raise error("E116", None, what=f"{what}, of what writes an array,")
        return by_dtype(frame, x, lambda each: update(frame, fn, each, index, lambda: values, what))
    _check_target(frame, x, what)
    session = frame.session
    index = as_index(frame, index)
    read, before = session.atom((x, index)), _held(frame, (x, index))
    values = _as_operand(frame, operand())
    old = session.emit(operator.getitem, (x, index))
    is_view = is_basic_index(read[1])
    if _held(frame, (x, index)) != before and not (is_view and is_array(old)):
        old, is_view = session.builder.emit(operator.getitem, read), False
    new = session.emit(fn, (old, values))
    check_cast(new, x, what)
    assert isinstance(x.type, ArrayType)
    if is_view and (fn is operator.add or (fn is operator.sub and _keeps_minus(x.type, values))):
        added = values if fn is operator.add else session.emit(operator.neg, (values,))
        session.memory.write(x, session.emit(runtime.index_add, (x, index, added)), what)
    else:
        store(frame, x, index, new, what)
    if is_view and is_array(old):
        _note_written(frame, new)


def _axes_of_place(frame: Frame, x: Value, index: Abstract) -> int | None:
    """How many axes `x[index]` has, of a view: lists inside one another may be no more there."""
    parts = index_parts(frame.session.atom(index))
    rank = rank_of(x.type)
    if rank is None or x in frame.session.memory.flat or not all(map(is_basic_index, parts)):
        return None
    return rank - sum(map(is_int_scalar, parts)) + sum(part is None for part in parts)


def _repeated(frame: Frame, x: Value, index: Abstract, values: Abstract) -> Abstract:
    """The values for entries of `x.flat`: they start again where there are more entries, and the
    last are left out where there are fewer.
    """
    emit = frame.session.emit
    entries = emit(operator.getitem, (x, index))
    known = shape_of(type_of(entries))
    if known == () or (known is not None and known == shape_of(type_of(values))):
        return values
    order = emit(np.arange, (emit(np.size, (entries,)),))
    places = emit(operator.mod, (order, emit(np.size, (values,))))
    repeated: Abstract = emit(np.take, (emit(np.ravel, (values,)), places))
    return repeated


def _keeps_minus(target: ArrayType, x: Abstract) -> bool:
    """Whether to add `-x` is to subtract `x`: integers that are no wider wrap around before."""
    dtype = dtype_of(x.type) if isinstance(x, Value) and isinstance(x.type, ArrayType) else None
    if dtype is None:  # a number of Python's
        return target.dtype.kind != "u"
    return dtype.kind in "fc" or (dtype.kind == "i" and dtype == target.dtype)


def _check_place(x: Value, index: Any, values: Abstract, what: str) -> None:
    """Refuse more indices than axes, and a list where one entry is written, of which NumPy asks
    more than its length: a bool array takes its truth.
    """
    shape, dtype = shape_of(x.type), dtype_of(x.type)
    if shape is None or dtype is None:
        return
    if dtype.kind in "mM":
        raise error("E132", None, what=f"{what}, into an array of {dtype},")
    parts = index_parts(index)
    taken = [_axes_taken(part) for part in parts]
    if sum(taken) > len(shape):
        raise error("E405", None, what=f"{sum(taken)} indices for {len(shape)} axes in {what}")
    is_one = sum(taken) == len(shape) and all(p is Ellipsis or is_int_scalar(p) for p in parts)
    if is_one and isinstance(values, tuple | ListObj):
        raise error("E132", None, what=f"{what} of a list, as one entry,")


def _check_text(frame: Frame, x: Value, values: Abstract) -> None:
    """Raise what NumPy raises of a text that is no number, also where no entry is chosen."""
    dtype = dtype_of(x.type)
    if not isinstance(values, str | bytes) or dtype is None:
        return
    try:
        np.zeros(1, dtype)[0] = values
    except (TypeError, ValueError) as problem:
        raise fails(frame, problem) from None


def _axes_taken(part: Any) -> int:
    """How many axes a part of an index stands for."""
    if part is None or part is Ellipsis or isinstance(part, bool | np.bool_):
        return 0
    t = type_of(part) if isinstance(part, Value | np.ndarray | list) else None
    is_mask = isinstance(t, ArrayType) and t.dtype.kind == "b"
    return len(t.shape or ()) if is_mask and isinstance(t, ArrayType) else 1


def _held(frame: Frame, tree: Abstract) -> list[Any]:
    return list(map(frame.session.memory.held, values_of(tree)))


def overwrite(frame: Frame, x: Value, new: Abstract, what: str, casting: str = "same_kind") -> None:
    """Give `x` the content `new`, of its shape, cast to its dtype, as `x op= v` and `out=` do."""
    _check_target(frame, x, what)
    session = frame.session
    before, after = shape_of(x.type), shape_of(type_of(new))
    if before != after:
        if before is not None and after is not None and len(before) < len(after):
            raise error("E401", None, what=f"of {len(before)} and {len(after)} axes in {what}")
        if before is not None and after is not None and any(map(_differ, before, after)):
            raise error("E401", None, what=f"in {what}, which would need a larger array,")
        same = session.emit(operator.eq, (session.emit_shape(x), session.emit(np.shape, (new,))))
        if isinstance(same, Value):
            raise_unless(frame, same, ValueError, f"{what} would need a larger array")
        elif not same:
            raise error("E401", None, what=f"in {what}")
    check_cast(new, x, what, casting)
    computed = new
    if dtype_of(type_of(new)) != dtype_of(x.type):
        new = session.emit(np.astype, (new, dtype_of(x.type)))
    if isinstance(t := type_of(new), ArrayType) and t.scalar:
        new = session.emit(np.asarray, (new,))  # an array without axes stays an array
    session.memory.write(x, session.atom(new), what)
    _note_written(frame, computed)


def rebound(
    frame: Frame, fn: Callable[..., Any], name: str, x: Value, operand: Abstract
) -> Abstract | None:
    """What a `name` stands for after `name op= operand`, of what is an array on some paths only:
    where nothing else can see that array, a new one does as well. None where that is not known.
    """
    session = frame.session
    if not session.kinds.may_be_no_array(x) or not _is_own(frame, name, x):
        return None
    new = session.emit(fn, (x, operand))
    dtype = dtype_of(x.type)
    if dtype is None or dtype.kind != "f" or dtype_of(type_of(new)) != dtype:
        return None
    same = session.emit(operator.eq, (session.emit_shape(x), session.emit(np.shape, (new,))))
    is_number = session.emit(operator.eq, (session.emit(np.ndim, (x,)), 0))
    fits = session.emit(operator.or_, (is_number, same))
    raise_unless(frame, fits, ValueError, f"`{name}` would need a larger array")
    return new


def reshaped(frame: Frame, name: str, x: Value, shape: Abstract) -> Abstract | None:
    """What a `name` stands for after `name.shape = shape`, where nothing else can see the array and
    its entries lie in order. None where that is not known.
    """
    is_certain = frame.session.is_certain(x)
    if not is_certain or not _is_own(frame, name, x) or not frame.session.memory.is_in_order(x):
        return None
    made: Abstract = frame.session.emit(np.reshape, (x, shape))
    return made


def _is_own(frame: Frame, name: str, x: Value) -> bool:
    """Whether only a name of the frame leads to an array made here, or to what shares its memory;
    lists that grow may have had it in an earlier iteration.
    """
    memory = frame.session.memory
    if memory.is_from_outside(x):
        return False
    state = st.snapshot(frame)
    others = [y for owner, key, y in state.locations() if (owner, key) != (frame, name)]
    found = reachable(others)
    if any(isinstance(y, Grown | Open | Pieces) for y in found):
        return False
    return not any(memory.overlaps(x, y) for y in found)


def _differ(a: Extent, b: Extent) -> bool:
    """Whether two extents are known to be different ones."""
    if isinstance(a, int) and isinstance(b, int):
        return a != b
    return any(x == 1 and isinstance(y, Dim) and y.never_one for x, y in ((a, b), (b, a)))


def _note_written(frame: Frame, new: Abstract) -> None:
    """Tell a `try` that what computed `new` in place may raise when it has written: what
    `np.errstate` and filters of warnings tell it to.
    """
    session = frame.session
    op = session.memory.producers.get(new) if isinstance(new, Value) else None
    if op is not None:
        for watch in session.watchers:
            watch(Op(has_written, (), {}, (), op.loc))


def refuse_overlap(frame: Frame, x: Value, values: Abstract, what: str) -> None:
    """Refuse writes that NumPy does entry by entry if what is read changes on the way."""
    if any(frame.session.memory.overlaps(x, v) for v in values_of(values)):
        fix = "write a copy of what is read from the array"
        raise error("E116", None, what=f"{what}, of what shares memory with it,", fix=fix)


def _has_mask(index: Any) -> bool:
    parts = index_parts(index)
    dtypes = [dtype_of(type_of(p)) for p in parts if isinstance(p, Value | np.ndarray)]
    return any(dtype is not None and dtype.kind == "b" for dtype in dtypes)


def _check_target(frame: Frame, x: Value, what: str) -> None:
    """Refuse writes into what is no array, or on one path only."""
    if not is_array(x):
        raise error("E132", None, what=f"{what} into {describe(x)}")
    kinds = frame.session.kinds
    if kinds.may_be_no_array(frame.session.memory.root(x)) or kinds.may_be_no_array(x):
        raise error("E116", None, what=f"{what}, into what is an array on one path only,")
    if rank_of(x.type) is None and frame.session.memory.root(x) is not x:
        raise error("E116", None, what=f"{what}, into what may be a number of an array,")
    if not kinds.is_known(x) or kinds.is_unsure(x):
        raise error("E116", None, what=f"{what}, into what has another dtype on each path,")


def check_cast(new: Abstract, x: Abstract, what: str, casting: Any = "same_kind") -> None:
    """Refuse results that NumPy does not cast to the dtype of the array by this rule."""
    t, target = type_of(new), dtype_of(type_of(x))
    source = dtype_of(t)
    assert source is not None
    assert target is not None
    if isinstance(t, NumberType):  # in the precision of the array
        source = np.result_type(target, t.kind())
    if not np.can_cast(source, target, casting):
        raise error("E132", None, what=f"{what}, from {source} to {target},")


def as_index(frame: Frame, index: Abstract) -> Abstract:
    """An index whose lists of run-time ints and ranges are arrays."""
    if type(index) is tuple:
        return tuple(as_index(frame, part) for part in index)
    method = method_of(frame, index, "__array__")
    if method is not None:  # a Series
        return call(frame, method, ())
    if isinstance(index, ListObj) and index.form is None and values_of(index):
        return frame.session.emit(np.array, (index,))
    if isinstance(index, range | Range):
        return frame.session.emit(np.arange, (index.start, index.stop, index.step))
    form = form_of(index)
    if isinstance(form, Grown) and form.item == 0 and not isinstance(form.kinds[0], Named):
        return form.columns[0]
    return index


def _as_operand(
    frame: Frame, x: Abstract, stored: np.dtype | None = None, axes: int | None = None
) -> Abstract:
    """What is stored, as an operand: lists and tuples of numbers become arrays.

    Args:
        stored: the dtype of the array into which they go. NumPy converts ints to it one by one, and
            refuses those that it does not hold; what has to be cast at a time is left as it is.
        axes: how many axes their place has, where they may have no more.
    """
    if isinstance(x, Value) and isinstance(x.type, ArrayType):
        return x
    if isinstance(x, Value) or (is_static(x) and isinstance(x, bool | int | float | complex)):
        return x
    if isinstance(x, np.generic):
        return x
    made: Abstract = frame.session.emit(np.array, (x,))
    rank = rank_of(type_of(made))
    if axes is not None and rank is not None and rank > axes and isinstance(x, tuple | ListObj):
        raise fails(frame, too_deep(axes))
    if stored is None or stored.kind not in "iu" or dtype_of(type_of(made)) != np.dtype(int):
        return made
    return (
        frame.session.emit(np.array, (x,), {"dtype": stored}) if stored != np.dtype(int) else made
    )


__all__ = [
    "as_index", "check_cast", "overwrite", "rebound", "refuse_overlap", "reshaped", "store",
    "update",
]  # fmt: skip
