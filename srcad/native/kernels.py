"""Kernels of NumPy become compiled ones, where there are such.

    y = kernels.conv2d(x, w)            y = compiled.conv2d(x, w)

for images in single or double precision. In compiled functions there are none of them: the kernels
stay in between, and find their own way through memory and threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir.calls import called, copy_program
from srcad.ir.nodes import Function, Op, Stmt, Value
from srcad.ir.types import ArrayType
from srcad.ir.walk import statements
from srcad.optimize.rewrite import Rewriter

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


def compiled_kernels(fn: Function) -> tuple[Function, tuple[str, ...]]:
    """The program with compiled kernels, and which these are: `conv2d[float32]`. Needs Numba."""
    if not any(_is_kernel(s) for each in (*called(fn), fn) for s in statements(each.body)):
        return fn, ()
    walk, made = _Kernels(), copy_program(fn)
    for callee in called(made):
        callee.body = walk.run(callee).body
    made.body = walk.run(made).body
    return (made, tuple(walk.names)) if walk.names else (fn, ())


class _Kernels(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        from srcad.kernels.compiled import COMPILED

        self.table = COMPILED
        self.names: dict[str, None] = {}

    def op(self, op: Op) -> None:
        fast = None if isinstance(op.fn, Function) else self.table.get(op.fn)
        dtype = _dtype(op) if fast is not None else None
        if fast is not None and dtype is not None:
            self.names[f"{fast.__name__}[{dtype}]"] = None
            op = Op(fast, op.args, op.kwargs, op.outs, op.loc, op.effect)
        self.body.append(op)


def _is_kernel(stmt: Stmt) -> bool:
    return isinstance(stmt, Op) and getattr(stmt.fn, "__module__", "").startswith("srcad.kernels.")


def _dtype(op: Op) -> Any:
    """The dtype of the floats that an operation is given, if compiled kernels take it."""
    types = [a.type for a in op.args if isinstance(a, Value)]
    dtypes = {t.dtype for t in types if isinstance(t, ArrayType) and t.dtype.kind == "f"}
    return next((dtype for dtype in _DTYPES if dtypes == {dtype}), None)


__all__ = ["compiled_kernels"]
