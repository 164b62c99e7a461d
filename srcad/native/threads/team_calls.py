"""Team calls: calls of functions that threads can share become calls by several threads.

    y, s = loss_1(x, w)         ->      y, s = kernels.together(loss_1, 9 * x.shape[0], x, w)

How many there are is decided at each call, by what there is to gain. Behind the border from which
the caller's arrays are written, nothing may fail that has begun: what is half written cannot be run
again. So there threads share what needs no memory of their own, and where none can be started the
caller's does it alone (`srcad.kernels.teams`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from srcad.ir import Block, Function, Op, Stmt, Value
from srcad.ir.calls import called, copy_program
from srcad.ir.types import TupleType
from srcad.ir.walk import statements, with_blocks
from srcad.kernels.teams import together, together_multiplying
from srcad.native.scalarize.loop_builder import INT
from srcad.native.threads.spmd import threaded
from srcad.native.threads.work_estimate import as_atom
from srcad.native.vectorised import MATMUL_ROWS
from srcad.runtime.effects import commit


def share_among_threads(program: Function) -> Function:
    """The program with calls by several threads."""
    made = copy_program(program)
    for fn in (*called(made), made):
        if not fn.native:
            fn.body = _block(fn.body)
    return made


def _block(block: Block, is_committed: bool = False) -> Block:
    made: list[Stmt] = []
    for stmt in block.body:
        is_committed |= isinstance(stmt, Op) and stmt.fn is commit
        if isinstance(stmt, Op) and isinstance(stmt.fn, Function) and stmt.fn.native:
            made += _call(stmt, is_committed)
        else:
            made.append(with_blocks(stmt, partial(_block, is_committed=is_committed)))
    return Block(block.params, made, block.results)


def _call(op: Op, is_committed: bool) -> list[Stmt]:
    assert isinstance(op.fn, Function)
    found = threaded(op.fn)
    if found is None or (is_committed and _allocates(found.function)):
        return [op]
    before: list[Stmt] = []

    def operation(fn: Any, args: Any, type_: Any) -> Value:
        out = Value("", TupleType((INT,) * len(args[0].type.shape)) if type_ is None else type_)
        before.append(Op(fn, args, {}, (out,)))
        return out

    given = dict(zip(op.fn.params, op.args, strict=True))
    work = as_atom(found.gain, found.extents, operation, given)
    args = (found.function, work, *op.args)
    begin = together_multiplying if _multiplies(found.function) else together
    return [*before, Op(begin, args, {}, op.outs, op.loc, op.effect)]


def _multiplies(fn: Function) -> bool:
    return any(isinstance(stmt, Op) and stmt.fn is MATMUL_ROWS for stmt in statements(fn.body))


def _allocates(fn: Function) -> bool:
    return any(isinstance(stmt, Op) and stmt.fn is np.empty for stmt in statements(fn.body))
