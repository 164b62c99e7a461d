"""Values of a primal block that its reversed form reads for their shape alone.

    np.zeros_like(t)  ->  np.zeros_like(x)       x: an array from outside, same dtype and shape
    np.shape(t)       ->  np.shape(x)
    np.shape(t)       ->  shape                  saved: a tuple of ints, not the array

Extents that are the same symbol are the same number, in all iterations if the symbol comes from the
signature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.ir.nodes import Block, Op, Value
from srcad.ir.types import SeqType, dtype_of, shape_of
from srcad.ir.walk import blocks, defined_in, fresh_like, inputs, statements, values_in
from srcad.ops import row_of
from srcad.rules.core.staged import Builder
from srcad.transform.conform import is_lasting_array
from srcad.transform.prune import replace_in
from srcad.transform.reverse.scope import Scope


def settle_shapes(reverse: Block, scope: Scope, is_within_reach: Callable[[Value], bool]) -> None:
    """Change in place the ops of `reverse` that read a value of `scope.block` for its shape.

    What `is_within_reach` is left alone. A shape that must be saved becomes a value of the primal
    block.
    """
    for value, ops in _read_for_shape(reverse, defined_in(scope.block)).items():
        if value.partial or is_within_reach(value):
            continue
        scope.settled.clear()
        witness = _witness(value, scope)
        for op in ops:
            if witness is not None and _serves(op, witness, value):
                op.args = (witness, *op.args[1:])
            else:
                _read_shape(op, value, witness, reverse, scope)


def _read_for_shape(block: Block, local: Any) -> dict[Value, list[Op]]:
    """The values of `local` that `block` reads for their shape alone, with the ops that do."""
    found: dict[Value, list[Op]] = {}
    others = set(values_in(block.results))
    for stmt in statements(block):
        read = inputs(stmt)
        if isinstance(stmt, Op) and row_of(stmt.fn).shape_only and isinstance(stmt.args[0], Value):
            found.setdefault(stmt.args[0], []).append(stmt)
            read = (stmt.args[1:], stmt.kwargs)
        others.update(values_in(read))
        for inner in blocks(stmt):
            others.update(values_in(inner.results))
    return {v: ops for v, ops in found.items() if v in local and v not in others}


def _witness(value: Value, scope: Scope) -> Value | None:
    """An array from outside with the shape of `value`, of its dtype if there is one."""
    shape = shape_of(value.type)
    if not shape or scope.parent is None:
        return None
    fits = [v for v in scope.parent.visible() if is_lasting_array(v) and shape_of(v.type) == shape]
    same_dtype = [v for v in fits if dtype_of(v.type) == dtype_of(value.type)]
    return next(iter([*same_dtype, *fits]), None)


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
