"""Final value: the entry that a loop stores last is carried out of it, not read from the array.

    for t in range(n) carrying h, states:         for t in range(n) carrying h:
        h = tanh(z[t] + h @ w)                        h = tanh(z[t] + h @ w)
        states[t] = h                                 ...
    y = states[-1]                                if n == 0: raise IndexError(...)
                                                  y = h

For the program before it is differentiated: the cotangent of `states` would be an array of its
size, zero but for the last row, which the reverse loop adds up row by row. An array that nothing
else reads goes. Without an iteration there is no last entry, and the program says so as it did.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcad.ir.nodes import Block, For, Function, If, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType
from srcad.ir.walk import count_reads, statements
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.optimize.simplify.dce import dce
from srcad.rules.core.staged import Builder
from srcad.runtime import index_update
from srcad.runtime.effects import raise_

_EMPTY = "index -1 is out of bounds for axis 0 with size 0"


def peel_final_iteration(fn: Function) -> Function:
    """The program that reads what loops carry in place of the last entry that they stored."""
    if not any(isinstance(s, For) for s in statements(fn.body)):
        return fn
    changed = _LastTurn(fn).run(fn)
    return fn if changed is fn else dce(changed)


class _LastTurn(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.loops: dict[Value, For] = {}  # by what they carry out

    def region(self, stmt: Any) -> None:
        self.body.append(stmt)
        if isinstance(stmt, For):
            self.loops.update(dict.fromkeys(stmt.outs, stmt))

    def op(self, op: Op) -> None:
        loop = self.loops.get(op.args[0]) if _is_last_entry(op) else None
        last = None if loop is None else self._carried(loop, op)
        if loop is None or last is None:
            self.body.append(op)
            return
        if isinstance(loop.stop, Value):
            self._refuse_empty(loop.stop, op)
        self.replace(op.out, last)

    def _carried(self, loop: For, op: Op) -> Value | None:
        """What `loop` carries out beside the array, if it is the last entry of the array."""
        stored = _stored_last(loop, op)
        places = [at for at, value in enumerate(loop.yielded) if value is stored]
        for k in places:
            if is_same_type(loop.outs[k].type, op.out.type):
                return loop.outs[k]
            if not self.uses[loop.outs[k]]:
                return self._narrowed(loop, k, op.out)
        return None

    def _narrowed(self, loop: For, k: int, as_read: Value) -> Value | None:
        """What the loop carries out, not read so far, with the type that iterations give it."""
        if loop not in self.body:
            return None
        before = loop.outs[k]
        out = Value(before.name, as_read.type)
        made = replace(loop, outs=(*loop.outs[:k], out, *loop.outs[k + 1 :]))
        self.body[self.body.index(loop)] = made
        self.loops.update(dict.fromkeys(made.outs, made))
        return out

    def _refuse_empty(self, iterations: Value, op: Op) -> None:
        is_empty = Builder(self.body, op.loc).emit(operator.eq, (iterations, 0))
        refusal: list[Stmt] = [Op(raise_, (IndexError, _EMPTY), {}, (), op.loc, effect=True)]
        self.body.append(If(is_empty, Block([], refusal, []), Block([], [], []), (), op.loc))


def _is_last_entry(op: Op) -> bool:
    """Whether `op` is `array[-1]`."""
    is_last = op.fn is operator.getitem and type(op.args[1]) is int and op.args[1] == -1
    return is_last and isinstance(op.args[0], Value)


def _stored_last(loop: For, op: Op) -> Value | None:
    """The value that the last iteration of `loop` stores, if it is what `op` reads of the array."""
    k = loop.outs.index(op.args[0])
    array = loop.outs[k]
    if loop.exits or loop.reverse or (loop.start, loop.step) != (0, 1):
        return None
    if not isinstance(array.type, ArrayType) or not array.type.shape:
        return None
    if _iterations(loop.stop) != array.type.shape[0] or loop.stop == 0:
        return None
    stored = _stored(loop, k)
    return stored if stored is not None and is_same_type(stored.type, op.out.type) else None


def _iterations(stop: Any) -> Any:
    """The number of iterations of a loop that begins with 0, as an extent."""
    if isinstance(stop, Value):
        return stop.type.extent if isinstance(stop.type, NumberType) else None
    return stop


def _stored(loop: For, k: int) -> Value | None:
    """The value that each iteration stores at its index into the k-th carried array, and last
    of all.
    """
    update = next(
        (s for s in loop.body.body if isinstance(s, Op) and loop.yielded[k] in s.outs), None
    )
    if update is None or update.fn is not index_update:
        return None
    _, index, value = update.args
    return value if index is loop.index and isinstance(value, Value) else None


__all__ = ["peel_final_iteration"]
