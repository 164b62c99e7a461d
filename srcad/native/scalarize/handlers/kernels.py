"""Kernels of NumPy become compiled ones, where there are such.

    y = kernels.conv2d(x, w)            y = compiled.conv2d(x, w)

for images in single or double precision. In compiled functions there are none of them: the kernels
stay in between, and find their own way through memory and threads.

    x_bar = kernels.conv2d_input(g, w, x.shape)         x_bar = compiled.conv2d_input(g, w, x)

where x is read after it as well: its cotangent then lies in memory as x does.

    y = matmul(x, w)                    y = compiled.product(x, w)

by loops where they are faster than BLAS, in memory of dead arrays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from srcad import kernels
from srcad.ir.calls import called, copy_program
from srcad.ir.nodes import Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, dtype_of, shape_of
from srcad.ir.walk import reads, statements, values_in
from srcad.kernels import recycled, teams
from srcad.kernels.recycled import product
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.staged import type_of

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
_SHAPE_AT = {kernels.conv2d_input: 2, kernels.conv_pool2d_input: 3}  # which argument it is
_NO_KERNELS = (recycled.__name__, teams.__name__)  # memory and threads of compiled functions


def compile_kernels(fn: Function, *, kernels: list[str]) -> Function:
    """The program with compiled kernels. Needs Numba.

    Args:
        kernels: gets their names: `conv2d[float32]`.
    """
    if not any(_is_kernel(s) for each in (*called(fn), fn) for s in statements(each.body)):
        return fn
    walk, made = _Kernels(), copy_program(fn)
    for callee in called(made):
        callee.body = walk.run(callee).body
    made.body = walk.run(made).body
    kernels += walk.names
    return made if walk.names else fn


def keep_product_buffers(fn: Function, *, kernels: list[str], has_compiler: bool) -> Function:
    """The program with its products of matrices in memory that was used before, where something of
    it is compiled.

    Args:
        kernels: which kernels are compiled; gets the names of products that are.
    """
    if not kernels and not any(each.native for each in called(fn)):
        return fn
    plain = (each for each in (*called(fn), fn) if not each.native)
    ops = (s for each in plain for s in statements(each.body) if isinstance(s, Op))
    if not any(map(_is_product, ops)):
        return fn
    walk, made = _Products(has_compiler), copy_program(fn)
    for each in (*called(made), made):
        if not each.native:
            each.body = walk.run(each).body
    kernels += walk.names
    return made


class _Products(Rewriter):
    def __init__(self, is_compiled: bool) -> None:
        super().__init__()
        self.is_compiled = is_compiled
        self.names: dict[str, None] = {}

    def op(self, op: Op) -> None:
        if _is_product(op):
            made = product
            if self.is_compiled:
                from srcad.kernels.compiled import COMPILED

                made = COMPILED[product]
                self.names[f"product[{dtype_of(type_of(op.args[0]))}]"] = None
            op = Op(made, op.args, {}, op.outs, op.loc)
        self.body.append(op)


class _Kernels(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        from srcad.kernels.compiled import COMPILED

        self.table = COMPILED
        self.names: dict[str, None] = {}
        self.images: dict[Value, Value] = {}  # which array a shape is of, if it is there anyway
        self.unread: set[Value] = set()  # shapes that are asked for only beside the array itself

    def run(self, fn: Function) -> Function:
        """The program with compiled kernels."""
        self.shapes = {
            stmt.out: stmt.args[0]
            for stmt in statements(fn.body)
            if isinstance(stmt, Op) and stmt.fn is np.shape and isinstance(stmt.args[0], Value)
        }
        self.readers = Counter(v for stmt in statements(fn.body) for v in reads(stmt))
        self.readers.update(values_in(fn.body.results))
        return super().run(fn)

    def statements(self, body: list[Stmt]) -> None:
        """Rewrite the statements of a block."""
        behind: set[Value] = set()
        for stmt in reversed(body):
            shape = _asked_for(stmt) if isinstance(stmt, Op) else None
            if shape in self.shapes and self.shapes[shape] in behind:
                self.images[shape] = self.shapes[shape]
                if self.readers[shape] == 1:
                    self.unread.add(shape)
            behind.update(reads(stmt))
        super().statements(body)

    def op(self, op: Op) -> None:
        if op.outs and op.outs[0] in self.unread:
            return
        fast = None if isinstance(op.fn, Function) else self.table.get(op.fn)
        dtype = _dtype(op) if fast is not None else None
        if fast is not None and dtype is not None:
            self.names[f"{fast.__name__}[{dtype}]"] = None
            shape = _asked_for(op)
            args = [self.images[a] if a is shape and a in self.images else a for a in op.args]
            op = replace(op, fn=fast, args=tuple(args))
        self.body.append(op)


def _asked_for(op: Op) -> Value | None:
    """The shape that a compiled kernel is given which takes the array as well."""
    at = None if isinstance(op.fn, Function) else _SHAPE_AT.get(op.fn)
    shape = op.args[at] if at is not None and _dtype(op) is not None else None
    return shape if isinstance(shape, Value) else None


def _is_product(op: Op) -> bool:
    """Whether an operation multiplies matrices of one dtype that is a kernel's."""
    if not row_of(op.fn).product:
        return False
    types = [type_of(arg) for arg in op.args]
    ranks = [len(shape_of(t) or ()) for t in types]
    dtypes = [dtype_of(t) for t in types]
    return not op.kwargs and ranks == [2, 2] and dtypes[0] == dtypes[1] and dtypes[0] in _DTYPES


def _is_kernel(stmt: Stmt) -> bool:
    # A method of a ufunc is of no module.
    module: str = (isinstance(stmt, Op) and getattr(stmt.fn, "__module__", None)) or ""
    return module.startswith("srcad.kernels.") and module not in _NO_KERNELS


def _dtype(op: Op) -> Any:
    """The dtype of the floats that an operation is given, if compiled kernels take it."""
    types = [a.type for a in op.args if isinstance(a, Value)]
    dtypes = {t.dtype for t in types if isinstance(t, ArrayType) and t.dtype.kind == "f"}
    return next((dtype for dtype in _DTYPES if dtypes == {dtype}), None)


__all__ = ["compile_kernels"]
