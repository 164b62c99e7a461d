"""Broadcast sinking: elementwise operations broadcast and cast by themselves.

    t = broadcast_to(g, shape)            u = mul(g, y)
    u = mul(t, y)

    t = broadcast_to(g, shape)            s = mul(2.0, g)
    u = mul(2.0, t)                       u = broadcast_to(s, shape)

    t = broadcast_to(1.0, (n, m))         s = truediv(1.0, c)           c: f64[n, 1]
    u = truediv(t, c)                     u = broadcast_to(s, (n, m))

    t = float64(n)                        s = mul(2.0, n)               n: float
    u = mul(2.0, t)                       u = float64(s)

    u = add(float64(2.0), y)              u = add(2.0, y)               a constant

In these forms but the first the operation is done on what was broadcast or cast: fewer entries, and
the next operation may take that off again. Exact: each entry is made by the same operation of the
same numbers, in the same dtype: `x == float64(0.1)` of float32 stays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import SrcadError
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, dtype_of, rank_of
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import is_number, type_of


def sink_broadcasts(fn: Function) -> Function:
    """The program with broadcasts and casts dropped under elementwise ones, or moved after them."""
    return _Broadcasts().run(fn)


class _Broadcasts(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.made: dict[Value, Op] = {}

    def op(self, op: Op) -> None:
        if op.fn is np.broadcast_to or (row_of(op.fn).cast and _is_float(op.args[0])):
            self.made[op.out] = op
        elif row_of(op.fn).elementwise or op.fn is np.astype:
            if any(isinstance(a, np.floating) for a in op.args):
                op = self._with_numbers(op)
            if self.made and any(a in self.made for a in op.args if type(a) is Value):
                self._elementwise(op)
                return
        self.body.append(op)

    def _with_numbers(self, op: Op) -> Op:
        """`op` on Python numbers instead of constant NumPy scalars, if its type stays."""
        args = tuple(float(a) if isinstance(a, np.floating) else a for a in op.args)
        if not _is_array(op.out) or not _gives(op.out.type, op.fn, args):
            return op
        if _computed_in(args) != _computed_in(op.args):
            return op
        return Op(op.fn, args, op.kwargs, op.outs, op.loc)

    def _elementwise(self, op: Op) -> None:
        if op.kwargs:
            self.body.append(op)
            return
        op = self._without(op)
        if not self._moved(op):
            self.body.append(op)

    def _without(self, op: Op) -> Op:
        """`op` on what was broadcast, argument by argument, as long as its type stays."""
        for i, arg in enumerate(op.args):
            if type(arg) is Value and arg in self.made:
                made, dtype = self.made[arg], _computed_in(op.args)
                if row_of(made.fn).cast and not (_is_array(op.out) and _is_exact(made.fn, dtype)):
                    continue
                args = (*op.args[:i], made.args[0], *op.args[i + 1 :])
                if _gives(op.out.type, op.fn, args) and _computed_in(args) == dtype:
                    op = Op(op.fn, args, {}, op.outs, op.loc)
        return op

    def _moved(self, op: Op) -> bool:
        """Whether `op` was done before a broadcast or cast that all its arguments had in common."""
        made = [self.made[a] for a in op.args if type(a) is Value and a in self.made]
        rest = [a for a in op.args if not (type(a) is Value and a in self.made)]
        if not made or any(m.fn is not made[0].fn or m.args[1:] != made[0].args[1:] for m in made):
            return False
        by_itself = made[0].fn is np.broadcast_to or op.fn is np.astype
        if not by_itself and any(rank_of(type_of(a)) != 0 for a in rest):
            return False
        args = tuple(
            self.made[a].args[0] if type(a) is Value and a in self.made else a for a in op.args
        )
        inner = _infer(op.fn, args)
        if inner is None or not _may_move(op, made[0], inner):
            return False
        small, options = Value("", inner), made[0].args[1:]
        if not _gives(op.out.type, made[0].fn, (small, *options)):
            return False
        self.body.append(_cast_or(op, args, small))
        outer = Op(made[0].fn, (small, *options), {}, op.outs, op.loc)
        self.made[op.out] = outer
        self.body.append(outer)
        return True


def _cast_or(op: Op, args: tuple[Any, ...], out: Value) -> Op:
    """`op` on what was broadcast; a cast of a scalar by its class, for it may be a number."""
    if op.fn is np.astype and isinstance(out.type, ArrayType) and out.type.scalar:
        return Op(out.type.dtype.type, args[:1], {}, (out,), op.loc)
    return Op(op.fn, args, {}, (out,), op.loc)


def _is_array(x: Value) -> bool:
    """Whether `x` has axes. Among scalars a cast also decides what a division by zero does."""
    return rank_of(x.type) != 0


def _is_float(x: Any) -> bool:
    t = type_of(x)
    return isinstance(t, NumberType) and t.kind is float


def _may_move(op: Op, outer: Op, inner: Type) -> bool:
    """Whether the operation means the same before `outer`."""
    if outer.fn is np.broadcast_to:
        # Among Python numbers an operation might raise, and their types are weak.
        return isinstance(inner, ArrayType) and not is_number(outer.args[0])
    is_pythons = isinstance(inner, NumberType) and inner.kind is float
    return outer.fn is np.float64 and is_pythons and row_of(op.fn).of_ring


def _computed_in(args: tuple[Any, ...]) -> np.dtype[Any] | None:
    """The dtype in which an elementwise operation computes; None where NumPy has none in common."""
    types = [t for t in map(type_of, args) if isinstance(t, NumberType | ArrayType)]
    parts = [t.kind(0) if isinstance(t, NumberType) else dtype_of(t) for t in types]
    try:
        return np.result_type(*parts) if parts else None
    except TypeError:
        return None


def _is_exact(cast: Any, dtype: np.dtype[Any] | None) -> bool:
    """Whether a cast of a Python float leaves it what it is where it is computed with."""
    return np.dtype(cast) in (dtype, np.dtype(float))


def _gives(wanted: Type, fn: Any, args: tuple[Any, ...]) -> bool:
    """Whether an operation is known to give this type, its extents included."""
    found = _infer(fn, args)
    return found is not None and is_same_type(found, wanted)


def _infer(fn: Any, args: tuple[Any, ...]) -> Type | None:
    try:
        found = infer(fn, args, {})
    except SrcadError:
        return None
    return None if isinstance(found, list | tuple) else found
