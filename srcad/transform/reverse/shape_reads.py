"""Values of a primal block that its reversed form reads for their shape alone.

    np.zeros_like(t)  ->  np.zeros_like(x)       x: an array from outside, same dtype and shape
    np.shape(t)       ->  np.shape(x)
    np.shape(t)       ->  shape                  saved: a tuple of ints, not the array

Extents that are the same symbol are the same number, in all iterations if the symbol comes from the
signature.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np

from srcad.ir.nodes import Block, Op, Stmt, Value
from srcad.ir.types import SeqType, dtype_of, shape_of
from srcad.ir.walk import blocks, defined_in, fresh_like, inputs, values_in
from srcad.ops import row_of
from srcad.rules.core.staged import Builder
from srcad.transform.conform import is_lasting_array
from srcad.transform.prune import Settled, replace_in
from srcad.transform.reverse.scope import Scope


def settle_shapes(reverse: Block, scope: Scope, is_within_reach: Callable[[Value], bool]) -> None:
    """Change in place the ops of `reverse` that read a value of `scope.block` for its shape.

    What `is_within_reach` is left alone. A shape that must be saved becomes a value of the primal
    block.
    """
    reads = _Reads(defined_in(scope.block), scope.settled)
    reads.block(reverse)
    for value, ops in reads.for_shape.items():
        if value in reads.others or value.partial or is_within_reach(value):
            continue
        witness = _witness(value, scope)
        for op in ops:
            if witness is not None and _serves(op, witness, value):
                op.args = (witness, *op.args[1:])
            else:
                _read_shape(op, value, witness, reverse, scope)


class _Reads:
    """The values of `local` that a block reads, with the ops that do it for their shape alone.

    Branches that read such a value are settled no longer; others are not gone through.
    """

    def __init__(self, local: Container[Value], settled: Settled) -> None:
        self.local = local
        self.settled = settled
        self.for_shape: dict[Value, list[Op]] = {}
        self.others: set[Value] = set()

    def block(self, block: Block) -> None:
        self.others.update(values_in(block.results))
        for stmt in block.body:
            known = self.settled.get(stmt)
            if known is not None and not any(v in self.local for v in known):
                continue
            self.settled.pop(stmt, None)
            self.stmt(stmt)
            for inner in blocks(stmt):
                self.block(inner)

    def stmt(self, stmt: Stmt) -> None:
        read = inputs(stmt)
        if isinstance(stmt, Op) and row_of(stmt.fn).shape_only and isinstance(stmt.args[0], Value):
            if stmt.args[0] in self.local:
                self.for_shape.setdefault(stmt.args[0], []).append(stmt)
            read = (stmt.args[1:], stmt.kwargs)
        self.others.update(values_in(read))


def _witness(value: Value, scope: Scope) -> Value | None:
    """An array from outside with the shape of `value`, of its dtype if there is one."""
    shape = shape_of(value.type)
    if not shape or scope.parent is None:
        return None
    first = None
    for v in scope.parent.visible():
        if shape_of(v.type) == shape and is_lasting_array(v):
            if dtype_of(v.type) == dtype_of(value.type):
                return v
            first = first or v
    return first


def _serves(op: Op, witness: Value, value: Value) -> bool:
    """Whether `op` gives for the witness what it gives for `value`."""
    return row_of(op.fn).of_shape is None or dtype_of(witness.type) == dtype_of(value.type)


def _read_shape(op: Op, value: Value, witness: Value | None, reverse: Block, scope: Scope) -> None:
    """Make `op` read the shape, a constant or a saved tuple, instead of `value`."""
    if row_of(op.fn).of_shape is None:
        replace_in(reverse, {op.out: _fact(op, value, scope)}, scope.settled)
        return
    shape = shape_of(value.type)
    if shape is not None and all(isinstance(e, int) for e in shape):
        known: Any = shape
    elif witness is not None:
        ahead = Builder([], op.loc)
        known = ahead.emit(np.shape, (witness,))
        reverse.body[:0] = ahead.body
    else:
        known = _fact(Op(np.shape, (value,), loc=op.loc), value, scope)
    dtype = dtype_of(op.out.type)
    options = dict(op.kwargs)
    if dtype is not None and (dtype != np.float64 or len(op.args) > 1):  # `full` has its number's
        options.setdefault("dtype", dtype.type)
    op.fn, op.args, op.kwargs = row_of(op.fn).of_shape, (known, *op.args[1:]), options


def _fact(op: Op, value: Value, scope: Scope) -> Value:
    """What `op` says of `value`, as a value of the primal block (added if it is not there)."""
    body = scope.block.body
    for stmt in body:
        if isinstance(stmt, Op) and (stmt.fn, stmt.args, stmt.kwargs) == (
            op.fn,
            op.args,
            op.kwargs,
        ):
            return stmt.out
    ahead = Builder([], op.loc)
    if isinstance(value.type, SeqType):  # of which `len` has no rule
        fact = fresh_like(op.out)
        ahead.body.append(Op(op.fn, op.args, op.kwargs, (fact,), op.loc))
    else:
        fact = ahead.emit(op.fn, op.args, op.kwargs)
    made_by = defined_in(scope.block)[value]
    at = 0 if made_by is None else body.index(made_by) + 1
    body[at:at] = ahead.body
    return fact
