"""Saved values: what the reversed body of a branch or a loop reads of its primal, and where it comes from.

    for i in range(n):                   for i in reversed(range(n)):
        a = x[i]                             a = x[i]           # computed again: it is cheap
        h = np.tanh(a * h)                   h = h_tape[i]      # saved
        n_h = np.size(h)                     ...

The reversed body is built first, as if the primal's values were at hand; what it still reads after pruning decides.
A value is computed again if `recompute` says so of its op and what that op reads is at hand (the index, elements
of sequences, values from outside, saved values). Else it is saved. An array is never saved for its shape alone.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Block, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of
from srcad.ir.walk import copy_statements, defined_in, free_values, inputs, values_in
from srcad.transform.prune import prune, replace_in
from srcad.transform.scope import Scope
from srcad.transform.shapes import settle_shapes

Recompute = Callable[[Op], bool]
Supply = Callable[[Value], Atom]


def supply_values(
    reverse: Block, scope: Scope, at_hand: set[Value], supply: Supply, recompute: Recompute
) -> None:
    """Make `reverse`, the reversed form of `scope.block`, read nothing that is bound in `scope.block`.

    Args:
        reverse: changed in place.
        scope: of the primal block, whose statements may be added to.
        at_hand: values of the primal block that `supply` has without saving (index, elements).
        supply: gives the atom by which the reversed block reads a value, saving it where needed.
        recompute: whether an op is computed again rather than saved.
    """
    prune(reverse)
    plan = _Plan(scope, at_hand, recompute)
    settle_shapes(reverse, scope, plan.is_within_reach)
    prune(reverse)
    plan = _Plan(scope, at_hand, recompute)
    needed = [v for v in free_values(reverse) if v in plan.local]
    again = plan.choose(needed)
    made = {out for op in again for out in op.outs}
    read = [*needed, *(v for op in again for v in values_in(inputs(op)) if v in plan.local)]
    env: dict[Value, Any] = {v: supply(v) for v in dict.fromkeys(read) if v not in made}
    copies = copy_statements(list(again), env)
    replace_in(reverse, env)
    reverse.body[:0] = copies


class _Plan:
    """Which values of a block are saved and which are computed again."""

    def __init__(self, scope: Scope, at_hand: set[Value], recompute: Recompute) -> None:
        self.block = scope.block
        self.local: Mapping[Value, Stmt | None] = defined_in(scope.block)
        self.at_hand = set(at_hand)
        self.recompute = recompute

    def is_within_reach(self, value: Value) -> bool:
        """Whether `value` is at hand or can be computed again from what is."""
        if value not in self.local or value in self.at_hand:
            return True
        op = self.local[value]
        if op is None or not self.may_repeat(op):
            return False
        return all(self.is_within_reach(v) for v in values_in(inputs(op)))

    def may_repeat(self, stmt: Stmt | None) -> bool:
        """Whether the statement is an op that may be computed again."""
        return isinstance(stmt, Op) and not stmt.effect and self.recompute(stmt)

    def choose(self, needed: list[Value]) -> list[Op]:
        """The ops to compute again, in program order; what is `needed` else becomes at hand: saved."""
        self.at_hand.update(v for v in needed if not self.may_repeat(self.local[v]))
        order = {value: at for at, value in enumerate(self.local)}
        wanted = sorted(needed, key=order.__getitem__)
        again: set[Stmt] = set()
        for value in wanted:
            if value in self.at_hand or value not in self.local:
                continue
            if not self.is_within_reach(value):
                self.at_hand.add(value)
                continue
            op = self.local[value]
            assert isinstance(op, Op)
            again.add(op)
            wanted.extend(values_in(inputs(op)))
        return [stmt for stmt in self.block.body if isinstance(stmt, Op) and stmt in again]


_VIEWS = {
    np.transpose,
    np.reshape,
    np.expand_dims,
    np.squeeze,
    np.swapaxes,
    np.moveaxis,
    np.broadcast_to,
    np.ravel,
    np.real,
    np.imag,
}
_FACTS = {np.shape, np.size, np.ndim, len}
_SCALAR_OPS = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.floordiv,
    operator.mod,
    operator.neg,
    operator.pos,
    operator.not_,
    operator.and_,
    operator.or_,
    operator.xor,
    min,
    max,
    int,
    bool,
    float,
}
_COMPARISONS = {
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
}


def is_cheap(op: Op) -> bool:
    """Whether computing `op` again costs less than keeping its result: views, shapes, arithmetic of ints."""
    fn = op.fn
    if isinstance(fn, Function):
        return False
    if fn in _FACTS or fn in _VIEWS:
        return True
    types = [v.type for v in values_in(inputs(op))]
    if fn is operator.getitem:
        index = op.args[1]
        return _is_basic(index) and all(map(_is_index, (v.type for v in values_in(index))))
    if fn in _COMPARISONS:
        return all(rank_of(t) == 0 for t in types)
    return fn in _SCALAR_OPS and all(map(_is_index, types))


def _is_index(t: Type) -> bool:
    """Whether values of this type are single ints or bools."""
    if isinstance(t, NumberType):
        return t.kind in (int, bool)
    return isinstance(t, ArrayType) and t.scalar and t.dtype.kind in "iub"


def _is_basic(index: Any) -> bool:
    """Whether an index has no arrays or lists in it: it selects a view or an entry."""
    parts = index if isinstance(index, tuple) else (index,)
    return not any(isinstance(part, list | np.ndarray) for part in parts)
