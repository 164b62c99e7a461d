"""Whether compiled code computes in the precision that its IR says, without compiling it.

Python's `np.float32(x) * 0.1` is single, Numba's is double: a number of Python's beside a single
one must have been made single before.
"""

from __future__ import annotations

import operator

import numpy as np

from srcad.ir import Function, Op, Value
from srcad.ir.types import dtype_of
from srcad.ir.walk import statements

ARITHMETIC = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.lt,
    operator.le, operator.gt, operator.ge, np.maximum, np.minimum, np.fmax, np.fmin, np.arctan2,
    np.hypot,
}  # fmt: skip


def verify_precision(fn: Function) -> None:
    """Assert that no single number meets a double one."""
    for stmt in statements(fn.body):
        if isinstance(stmt, Op) and stmt.fn in ARITHMETIC:
            dtypes = {_dtype(arg) for arg in stmt.args}
            out = dtype_of(stmt.outs[0].type)
            if out == np.float32:
                assert dtypes == {np.dtype(np.float32)}, (stmt.fn, stmt.args, stmt.outs)
            elif out == np.bool_ and np.dtype(np.float32) in dtypes:
                assert not any(type(arg) is float for arg in stmt.args), (stmt.fn, stmt.args)


def _dtype(atom: object) -> np.dtype:
    if isinstance(atom, Value):
        return np.dtype(dtype_of(atom.type))
    return np.dtype(type(atom)) if not isinstance(atom, np.generic) else atom.dtype
