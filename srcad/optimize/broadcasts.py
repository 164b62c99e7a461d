"""Broadcasting that elementwise operations do anyway is left to them.

    t = broadcast_to(g, shape)            u = mul(g, y)
    u = mul(t, y)

    t = broadcast_to(g, shape)            s = mul(2.0, g)
    u = mul(2.0, t)                       u = broadcast_to(s, shape)

In the second form the operation is done on what was broadcast: fewer entries, and the next operation may take
the broadcast off again. Exact: each entry is made by the same operation of the same numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import SrcadError
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of
from srcad.optimize.operations import is_elementwise
from srcad.optimize.rewrite import Rewriter
from srcad.rules.staged import infer, type_of


def broadcasts(fn: Function) -> Function:
    """The program with `broadcast_to` dropped under elementwise operations, or moved behind them."""
    return _Broadcasts().run(fn)


class _Broadcasts(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.made: dict[Value, Op] = {}

    def op(self, op: Op) -> None:
        if op.fn is np.broadcast_to:
            self.made[op.out] = op
        elif self.made and any(a in self.made for a in op.args if type(a) is Value):
            self._elementwise(op)
            return
        self.body.append(op)

    def _elementwise(self, op: Op) -> None:
        if not (is_elementwise(op.fn) or op.fn is np.astype) or op.kwargs:
            self.body.append(op)
            return
        op = self._without(op)
        if not self._moved(op):
            self.body.append(op)

    def _without(self, op: Op) -> Op:
        """`op` on what was broadcast, argument by argument, as long as its type stays."""
        for i, arg in enumerate(op.args):
            if type(arg) is Value and arg in self.made:
                args = (*op.args[:i], self.made[arg].args[0], *op.args[i + 1 :])
                if _infer(op, args) == op.out.type:
                    op = Op(op.fn, args, {}, op.outs, op.loc)
        return op

    def _moved(self, op: Op) -> bool:
        """Whether `op` was done before a broadcast that all its arguments had in common."""
        made = [self.made[a] for a in op.args if type(a) is Value and a in self.made]
        rest = [a for a in op.args if not (type(a) is Value and a in self.made)]
        if not made or any(m.args[1] != made[0].args[1] for m in made[1:]):
            return False
        if op.fn is not np.astype and any(rank_of(type_of(a)) != 0 for a in rest):
            return False
        args = tuple(
            self.made[a].args[0] if type(a) is Value and a in self.made else a for a in op.args
        )
        inner = _infer(op, args)
        # Among Python numbers the operation might raise, and their types are weak.
        if not isinstance(inner, ArrayType) or any(
            isinstance(type_of(m.args[0]), NumberType) for m in made
        ):
            return False
        shape = made[0].args[1]
        if _infer_call(np.broadcast_to, (inner, shape)) != op.out.type:
            return False
        small = Value("", inner)
        self.body.append(Op(op.fn, args, {}, (small,), op.loc))
        self.body.append(spread := Op(np.broadcast_to, (small, shape), {}, op.outs, op.loc))
        self.made[op.out] = spread
        return True


def _infer(op: Op, args: tuple[Any, ...]) -> Type | None:
    return _infer_call(op.fn, args)


def _infer_call(fn: Any, args: tuple[Any, ...]) -> Type | None:
    try:
        found = infer(fn, args, {})
    except SrcadError:
        return None
    return None if isinstance(found, tuple) else found
