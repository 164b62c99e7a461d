"""Ranges of numbers, whose entries are computed where they are read.

np.arange(k, n)      (i)  ->  k + i
"""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from srcad.ir import NumberType, Op
from srcad.ir.affine import Affine
from srcad.ir.types import dtype_of
from srcad.native.helpers import count_iterations
from srcad.native.scalarize.arrays import Array, Entries, Index, cast_entries, counted
from srcad.native.scalarize.handlers.indexing import is_int
from srcad.native.scalarize.loop_builder import Code, Unsuited, scalar
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.options import only
from srcad.native.scalarize.scalars import precision
from srcad.rules.core.staged import type_of


def _arange(s: Lowering, op: Op) -> Any:
    """The integers up to an extent, which is not negative; or floats, evenly spaced as the program
    says.
    """
    only(op, "dtype")
    dtype = np.dtype(dtype_of(op.out.type))
    t = type_of(op.args[0])
    is_extent = len(op.args) == 1 and isinstance(t, NumberType) and t.extent is not None
    if is_extent and dtype == np.int64:
        return counted(s.whole(op.args[0]))
    if dtype == np.int64 and all(map(is_int, op.args)):
        return _integers(s, op)
    if dtype == np.float64 and not is_extent and all(map(is_int, op.args)):
        return cast_entries(_integers(s, op), dtype)
    told = all(type(arg) in (int, float) for arg in op.args)
    if dtype != np.float64 or not (is_extent or told):
        raise Unsuited("a range of other numbers")
    n = s.whole(op.args[0]) if is_extent else Affine(len(np.arange(*op.args)))
    # NumPy adds multiples of what lies between the first two.
    start, _, step = (0, 0, 1) if is_extent or len(op.args) == 1 else (*op.args, 1)[:3]
    first, apart = float(start), float(start + step) - float(start)

    def entry(code: Code, index: Index) -> Any:
        made = precision.cast(code, code.whole(index[0]), dtype)
        if apart != 1.0:
            made = code.op(operator.mul, (made, apart), scalar(dtype))
        return made if first == 0.0 else code.op(operator.add, (first, made), scalar(dtype))

    return Entries(dtype, (n,), entry)


def _integers(s: Lowering, op: Op) -> Array:
    """`np.arange(start, stop, step)` of integers."""
    given = [s.whole(arg) for arg in op.args]
    start, stop = given[:2] if len(given) > 1 else (Affine(), given[0])
    step = given[2].number if len(given) > 2 else 1
    if not step:
        raise Unsuited("a range with a step that is not known")
    distance = s.code.settled((stop - start) if step > 0 else (start - stop))
    whole = _divided(distance + (abs(step) - 1), abs(step))
    if whole is not None and s.code.is_natural(whole):
        distance = whole
    else:
        most = _at_most(s.code, distance)
        distance = s.code.derived(count_iterations, (start, stop, Affine(step)), most)

    def entry(code: Code, index: Index) -> Any:
        return code.whole(start + index[0] * step)

    return Entries(np.dtype(np.int64), (distance,), entry, is_trivial=True)


def _divided(number: Affine, by: int) -> Affine | None:
    """The quotient, rounded down, if all but the constant is a multiple of `by`."""
    if any(k % by for _, k in number.terms):
        return None
    return Affine(number.const // by, tuple((value, k // by) for value, k in number.terms))


def _at_most(code: Code, number: Affine) -> Affine | None:
    """What is never less than a number, nor negative; known before all loops, if it is known."""
    if code.is_natural(number):
        return number
    found = code.extremes(number)
    if found is None:
        return None
    if found[1].number is not None:
        return Affine(max(found[1].number, 0))
    most = code.derived(max, (found[1], Affine()), None)
    code.naturals.update(value for value, _ in most.terms)
    return most


RANGES: Final[dict[Any, Handler]] = {np.arange: _arange}

__all__ = ["RANGES"]
