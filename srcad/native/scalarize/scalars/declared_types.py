"""Numbers in the type of the value that they are moved to: what a loop carries, a branch yields.

s = 0 carried as a float          0.0
s = 0, or one of NumPy's          0, refused where it is large
UNDEFINED                         0.0, since it is not read (`bound_flags`)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir import UNDEFINED, ArrayType, Value
from srcad.ir.kinds import is_python_int
from srcad.ir.types import dtype_of
from srcad.native.helpers import check_size
from srcad.native.scalarize.loop_builder import NARROW, Unsuited
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.narrow_integers import in_bounds
from srcad.native.scalarize.scalars.precision import cast
from srcad.native.scalarize.scalars.single_precision import is_single
from srcad.native.scalarize.scalars.weak_scalars import is_integral, is_weak_for
from srcad.rules.core.masks import is_zero


def declared(s: Lowering, atom: Any, target: Value) -> Any:
    """What is moved to `target`; zero where nothing is bound, since it is not read."""
    if atom is not UNDEFINED:
        own = atom.type if isinstance(atom, Value) else None
        if isinstance(own, ArrayType) and own.dtype == np.bool_ != dtype_of(target.type):
            raise Unsuited("one of NumPy's truths where a number may be")
        return _as_declared(s, s.number(atom), target)
    dtype = dtype_of(target.type)
    assert dtype is not None
    return np.float32(0) if dtype == np.float32 else dtype.type(0).item()


def _as_declared(s: Lowering, number: Any, target: Value) -> Any:
    """A number in the precision of the value that it is moved to."""
    if is_weak_for(number, target):
        if s.meets_single or (is_single(target) and not is_zero(number)):
            raise Unsuited("numbers of several precisions")
        if is_single(target):
            return np.float32(number)
    if is_integral(target) and is_weak_for(number, target):
        return _weak_integer(s, number, np.dtype(dtype_of(target.type)))
    if dtype_of(target.type) == np.complex128:
        return cast(s.code, number, np.dtype(np.complex128))
    if not isinstance(number, Value):
        if isinstance(number, np.generic) and number.dtype != dtype_of(target.type):
            raise Unsuited("numbers of several precisions")
        is_whole = isinstance(number, int) and not isinstance(number, bool)
        return float(number) if is_whole and not is_python_int(target) else number
    own, dtype = dtype_of(number.type), dtype_of(target.type)
    is_strong = isinstance(number.type, ArrayType) and isinstance(target.type, ArrayType)
    if own != dtype and (is_strong or np.dtype(np.float32) in (own, dtype)):
        raise Unsuited("numbers of several precisions")
    return number


def _weak_integer(s: Lowering, number: Any, dtype: np.dtype) -> Any:
    """A number of Python's where one of NumPy's integers may be: small, since it may grow."""
    if dtype in NARROW and type(number) is not bool:
        return in_bounds(s.code, number, dtype)
    if isinstance(number, Value):
        s.code.effect(check_size, number)
    elif type(number) is not int or abs(number) >= 2**31:
        raise Unsuited("a large integer, or a truth, where one of NumPy's may be")
    return number
