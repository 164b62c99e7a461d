"""Whether compiled code computes in the precision that its IR says, without compiling it.

Python's `np.float32(x) * 0.1` is single, Numba's is double: a number of Python's beside a single
one must have been made single before. `float(x)` is single in Numba where `x` is, and a product of
two integers that is to be a float is an integer that wraps around.
"""

from __future__ import annotations

import operator

import numpy as np

from srcad.ir import Function, Op, Value
from srcad.ir.types import dtype_of
from srcad.ir.walk import statements
from srcad.native import python_semantics
from srcad.native.vectorised import Twin
from srcad.rules.core.staged import type_of

ARITHMETIC = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.lt,
    operator.le, operator.gt, operator.ge, np.maximum, np.minimum, np.fmax, np.fmin, np.arctan2,
    np.hypot,
}  # fmt: skip


def verify_precision(fn: Function) -> None:
    """Assert that no single number meets a double one, and that what is double is made of such."""
    for stmt in statements(fn.body):
        if isinstance(stmt, Op) and stmt.outs and dtype_of(stmt.outs[0].type) == np.float64:
            verify_double(stmt)
        if isinstance(stmt, Op) and stmt.fn in ARITHMETIC:
            dtypes = {_dtype(arg) for arg in stmt.args}
            out = dtype_of(stmt.outs[0].type)
            if out == np.float32:
                assert dtypes == {np.dtype(np.float32)}, (stmt.fn, stmt.args, stmt.outs)
            elif out == np.bool_ and np.dtype(np.float32) in dtypes:
                assert not any(type(arg) is float for arg in stmt.args), (stmt.fn, stmt.args)


def verify_double(op: Op) -> None:
    """Assert that compiled code computes a double number in double precision."""
    is_of_python = getattr(op.fn, "__module__", "") == python_semantics.__name__
    if op.fn in ARITHMETIC or op.fn is float or is_of_python or isinstance(op.fn, Twin):
        dtypes = {_dtype(arg) for arg in op.args if dtype_of(type_of(arg)) is not None}
        assert np.dtype(np.float32) not in dtypes or np.dtype(np.float64) in dtypes, op
        if op.fn in ARITHMETIC and op.fn is not operator.truediv:
            assert np.dtype(np.float64) in dtypes, (op.fn, op.args, op.outs)


def _dtype(atom: object) -> np.dtype:
    if isinstance(atom, Value):
        return np.dtype(dtype_of(atom.type))
    return np.dtype(type(atom)) if not isinstance(atom, np.generic) else atom.dtype
