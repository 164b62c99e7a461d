"""Writing in place: into a part of an array, at places that other arrays tell, under a mask.

x[1:] += v          for i in range(n - 1): x[i + 1] += v[i]
x[rows] = v         for i in range(m): x[rows[i]] = v[i]
x[x < 0] = 0.0      for i in range(n):
                        if x[i] < 0: x[i] = 0.0
"""

from __future__ import annotations

import math
import operator
from typing import Any, Final

import numpy as np

from srcad.ir import ArrayType, NumberType, Op, Value
from srcad.ir.affine import Affine
from srcad.ir.inplace import (
    index_iadd,
    index_iadd_at,
    index_imul,
    index_isub,
    index_itruediv,
    index_set,
)
from srcad.native.python_semantics import COMPILED_AS
from srcad.native.scalarize.arrays import Array, Entries, Index, View, permuted
from srcad.native.scalarize.handlers.gathers import (
    Places,
    basic_first,
    count_true,
    find_places,
    first_axes,
    is_gather,
    is_mask,
    mask_beside,
    mask_of,
    masked_places,
)
from srcad.native.scalarize.handlers.indexing import subscript
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.scalars import precision
from srcad.native.scalarize.scalars.arithmetic import as_float
from srcad.ops import row_of

# What changes of entries that may be named twice compute, from what was there before all of them.
CHANGES: Final[dict[Any, Any]] = {
    index_isub: operator.sub,
    index_imul: operator.mul,
    index_itruediv: operator.truediv,
}


def write(s: Lowering, op: Op) -> View:
    """`x[index] = v`, `x[index] += v`, `x += v`; returns x."""
    base = s.owned(op.args[0], op.out.name)
    by_entry = row_of(op.fn).by_entry
    if by_entry is not None:
        _fill(s, base, op.args[1], by_entry)
        return base
    _, index, values = op.args
    fn = index_iadd if op.fn is index_iadd_at else op.fn
    if is_gather(index):
        write_at(s, base, index, values, fn)
    else:
        _fill(s, _view(subscript(s.code, base, index, s.whole)), values, fn)
    return base


def write_at(s: Lowering, base: View, index: Any, values: Any, fn: Any) -> None:
    """`base[index] = values`, or `+=`, of index arrays and masks."""
    part, index = basic_first(s, base, index)
    base = _view(part)
    if is_mask(index):
        _under_mask(s, base, index, values, fn)
    elif mask_beside(index) is not None:
        _beside(s, base, index, values, fn)
    else:
        _scatter(s, base, index, values, fn)


def _view(target: Array) -> View:
    if not isinstance(target, View):
        raise Unsuited("a write to entries")
    return target


def _fill(s: Lowering, target: View, values: Any, fn: Any) -> None:
    memory = target.memory.value
    copy = s.code.frames[-1].copies.get(memory)
    s.before_writing(target.memory)
    given = s.unstored(values, target.memory) or s.array(values)
    if fn is index_set and not given.rank and _is_number(values):
        given = _as_integer(s.code, given, target.dtype)
    source = s.spread(given, target.extents)
    if not target.is_injective:
        raise Unsuited("a write to repeated entries")
    if not s.reads_elsewhere(source, target):
        s.fill(target, source, fn)
    elif copy is not None:  # of what is there before
        with s.code.reading(memory, copy):
            s.fill(target, source, fn)
    else:
        s.fill(target, s.materialised(source), fn)
    # Of other blocks it is not known whether the write is done.
    is_here = isinstance(values, Value) and s.born.get(values) == len(s.code.frames) - 1
    if fn is index_set and is_here:
        s.stored(values, target)


def _is_number(x: Any) -> bool:
    """Whether an atom is a number, no array without axes."""
    return not (isinstance(x, Value) and isinstance(x.type, ArrayType)) or x.type.scalar


def _as_integer(code: Code, given: Array, dtype: np.dtype) -> Array:
    """A number that is stored as an integer: NumPy raises of a float that has none."""
    if given.dtype.kind != "f" or dtype.kind not in "iu":
        return given
    number = given.entry(code, ())
    if isinstance(number, Value):
        trunc = COMPILED_AS[math.trunc]
        whole: Any = code.op(trunc, (as_float(code, number),), NumberType(int))
    elif not abs(number) < 2**63:
        raise Unsuited("a large float stored as an integer")
    else:
        whole = int(number)
    return Entries(np.dtype(np.int64), (), lambda code, _: whole)


def _scatter(s: Lowering, base: View, index: Any, values: Any, fn: Any) -> None:
    """`base[rows] = values`, or `+=`: in their order, as NumPy does.

    `x[rows] -= v` counts once where a row is named twice, as `x[rows] = x[rows] - v` does;
    `index_iadd` never sees such rows.
    """
    places = find_places(s, base, index)
    code, source = s.code, s.spread(s.array(values), places.extents)
    if fn in CHANGES and not places.are_apart:
        source, fn = _changed(s, base, places, source, CHANGES[fn]), index_set
    source = _apart(s, source, base)
    with code.loops(places.extents) as at:
        entry = source.entry(code, at)
        code.store(fn, base.memory.value, base.place(places.place(code, at)), entry)


def _changed(s: Lowering, base: View, places: Places, given: Array, change: Any) -> View:
    """What `base[rows] * given` is, say, before any of it is stored."""
    if "c" in (base.dtype.kind, given.dtype.kind):
        raise Unsuited("changes of complex entries that may be named twice")

    def entry(code: Code, at: Index) -> Any:
        operand = given.entry(code, at)
        dtype = base.dtype if precision.weak(operand) else np.result_type(base.dtype, given.dtype)
        before = base.entry(code, places.place(code, at))
        made = code.op(change, precision.alike(code, (before, operand), dtype), scalar(dtype))
        return precision.cast(code, made, base.dtype)

    return s.materialised(Entries(base.dtype, places.extents, entry))


def _apart(s: Lowering, source: Array, base: View) -> Array:
    """`source` in other memory than that of `base`."""
    s.before_writing(base.memory)
    probe = tuple(Affine.of(Value("k", INT)) for _ in source.extents)
    if any(m is base.memory.value for m, _ in s.accesses(source, probe)):
        return s.materialised(source)
    return source


def _under_mask(s: Lowering, base: View, index: Any, values: Any, fn: Any) -> None:
    _under(s, base, s.in_memory(mask_of(s, base, index)), s.array(values), fn)


def _under(s: Lowering, base: View, mask: Array, given: Array, fn: Any) -> None:
    if given.rank:
        _taken_in_turn(s, base, mask, _apart(s, given, base), fn)
        return
    code = s.code
    number = given.entry(code, ())
    s.before_writing(base.memory)
    with code.loops(mask.extents) as at:
        masked_places(code, mask, at, lambda: _set(s, base, at, number, fn))


def _beside(s: Lowering, base: View, index: Any, values: Any, fn: Any) -> None:
    """`base[:, mask] = values`: the axes under the mask first."""
    found = mask_beside(index)
    assert found is not None
    k, mask = found
    order = first_axes(k, len(mask.type.shape), base.rank)
    moved = permuted(base, order)
    given = s.array(values)
    rows = base.rank - len(mask.type.shape) + 1  # axes of what is under the mask
    if not isinstance(moved, View) or given.rank not in (0, rows):
        raise Unsuited("a mask beside other indices")
    if given.rank:
        given = _apart(s, permuted(given, [k, *range(k), *range(k + 1, rows)]), base)
    _under(s, moved, s.in_memory(mask_of(s, moved, mask)), given, fn)


def _taken_in_turn(s: Lowering, base: View, mask: Array, values: Array, fn: Any) -> None:
    """`base[mask] = values`: the next value, or row, where the mask is true."""
    code, rest, values = s.code, base.extents[mask.rank :], s.in_memory(values)
    count = count_true(code, mask, lambda at, position: None)
    values = s.spread(values, (count, *rest))

    def store(at: Any, position: Affine) -> None:
        with code.loops(rest) as inner:
            entry = values.entry(code, (position, *inner))
            code.store(fn, base.memory.value, base.place((*at, *inner)), entry)

    count_true(code, mask, store)


def _set(s: Lowering, base: View, at: Any, number: Any, fn: Any) -> None:
    rest = base.extents[len(at) :]
    with s.code.loops(rest) as inner:
        s.code.store(fn, base.memory.value, base.place((*at, *inner)), number)
