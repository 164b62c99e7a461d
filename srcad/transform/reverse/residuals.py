"""Saved values: what a reversed branch or loop reads of its primal, and where it comes from.

    for i in range(n):                   for i in reversed(range(n)):
        a = x[i]                             a = x[i]           # computed again: it is cheap
        h = np.tanh(a * h)                   h = h_tape[i]      # saved
        n_h = np.size(h)                     ...

The reversed body is built first, as if the primal's values were at hand; what it still reads after
pruning decides. A value is computed again if `recompute` says so of its op and what that op reads
is at hand (the index, elements of sequences, values from outside, saved values). Else it is saved.
An array is never saved for its shape alone. What a branch reads of an array that a loop around it
stores into is saved, not each version of that array:

    for i in range(n):                   for i in reversed(range(n)):
        if i != k:                           if i != k:
            t = a[k]                             t = t_tape[i]      # not a_tape[i][k]
            a[i] = a[i] * t                      ...
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from srcad.ir.kinds import index_parts
from srcad.ir.nodes import Atom, Block, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Dim, NumberType, Type, rank_of, shape_of
from srcad.ir.walk import copy_statements, defined_in, inputs, values_in
from srcad.ops import row_of
from srcad.transform.prune import free_in, prune, replace_in
from srcad.transform.reverse.scope import LoopScope, RegionScope, Scope
from srcad.transform.reverse.shape_reads import settle_shapes

Effort = Literal["chain", "step", "save"]
Recompute = Callable[[Op], Effort]
Supply = Callable[[Value], Atom]


def supply_values(
    reverse: Block,
    scope: Scope,
    at_hand: set[Value],
    supply: Supply,
    recompute: Recompute,
) -> None:
    """Make `reverse`, the reversed `scope.block`, read nothing that is bound in `scope.block`.

    Args:
        reverse: changed in place.
        scope: of the primal block, whose statements may be added to.
        at_hand: values of the primal block that `supply` has without saving (index, elements).
        supply: gives the atom by which the reversed block reads a value, saving it where needed.
        recompute: whether an op is computed again rather than saved.
    """
    read_outside = prune(reverse, scope.settled)
    plan = _Plan(scope, at_hand, recompute)
    if any(v in plan.local and not _is_scalar(v) for v in read_outside):
        settle_shapes(reverse, scope, plan.is_within_reach)
        prune(reverse, scope.settled)
        plan = _Plan(scope, at_hand, recompute)
    needed = [v for v in free_in(reverse, scope.settled) if v in plan.local]
    again = plan.choose(needed)
    made = {out for op in again for out in op.outs}
    read = [*needed, *(v for op in again for v in values_in(inputs(op)) if v in plan.local)]
    env: dict[Value, Any] = {v: supply(v) for v in dict.fromkeys(read) if v not in made}
    copies = copy_statements(list(again), env)
    for op in again:
        op.raises = False  # the copy tells
    replace_in(reverse, env, scope.settled)
    reverse.body[:0] = copies


def _is_scalar(value: Value) -> bool:
    """Whether a value has no shape to be read."""
    t = value.type
    return isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.scalar)


class _Plan:
    """Which values of a block are saved and which are computed again."""

    def __init__(
        self,
        scope: Scope,
        at_hand: set[Value],
        recompute: Recompute,
    ) -> None:
        self.scope = scope
        self.block = scope.block
        self.local: Mapping[Value, Stmt | None] = defined_in(scope.block)
        self.at_hand = set(at_hand)
        self.recompute = recompute

    def effort(self, value: Value) -> Effort:
        """What to do for the value if it is needed."""
        op = self.local[value]
        return self.recompute(op) if isinstance(op, Op) and not op.effect else "save"

    def is_within_reach(self, value: Value) -> bool:
        """Whether `value` is at hand or can be computed again from what is, by a chain of ops."""
        if value not in self.local or value in self.at_hand:
            return True
        return self.effort(value) == "chain" and self.has_inputs(value)

    def has_inputs(self, value: Value) -> bool:
        """Whether what the op of `value` reads is within reach."""
        op = self.local[value]
        if op is None or self._is_part_of_version(op):
            return False
        return all(self.is_within_reach(v) for v in values_in(inputs(op)))

    def _is_part_of_version(self, op: Stmt) -> bool:
        """Whether a branch reads an entry or a row of an array that a loop around stores into."""
        if not isinstance(op, Op) or op.fn is not operator.getitem:
            return False
        array = op.args[0]
        if not isinstance(array, Value) or (rank_of(op.out.type) or 0) >= (
            rank_of(array.type) or 0
        ):
            return False
        scope: Scope | None = self.scope
        while isinstance(scope, RegionScope) and array not in scope.local:
            scope = scope.parent
        if not isinstance(scope, LoopScope) or scope is self.scope or array not in scope.local:
            return False
        return scope.binding.is_stored_into(array)

    def choose(self, needed: list[Value]) -> list[Op]:
        """The ops to compute again, in program order, so that all that is `needed` is at hand.

        What can be had neither by a chain of ops nor by one step becomes at hand by being saved.
        """
        self.at_hand.update(v for v in needed if self.effort(v) == "save")
        order = {value: at for at, value in enumerate(self.local)}
        again: set[Stmt] = set()
        for value in sorted(needed, key=order.__getitem__):
            if value in self.at_hand:
                continue
            if self.has_inputs(value):
                self._repeat(value, again)
            self.at_hand.add(value)
        return [stmt for stmt in self.block.body if isinstance(stmt, Op) and stmt in again]

    def _repeat(self, value: Value, again: set[Stmt]) -> None:
        op = self.local.get(value)
        if op is None or value in self.at_hand:
            return
        again.add(op)
        for v in values_in(inputs(op)):
            self._repeat(v, again)


def effort_of(op: Op) -> Effort:
    """The policy: "chain" for views, shapes and arithmetic of ints, "step" for that of numbers.

    "chain": computed again together with what it reads, "step": computed again if all it reads is
    at hand, "save": kept.
    """
    fn = op.fn
    if isinstance(fn, Function):
        return "save"
    row = row_of(fn)
    if row.measures or row.memory == "view" or row.by_layout:
        return "chain"
    types = [v.type for v in values_in(inputs(op))]
    if fn is operator.getitem:
        index = op.args[1]
        basic = _is_basic(index) and all(map(_is_index, (v.type for v in values_in(index))))
        if not basic and _is_ragged(op.out.type):
            return "step"
        return "chain" if basic else "save"
    if row.negation is not None and all(rank_of(t) == 0 for t in types):
        return "chain"
    if row.is_repeated:
        if all(map(_is_index, types)):
            return "chain"
        return "step" if all(rank_of(t) == 0 for t in types) else "save"
    return "save"


def _is_ragged(t: Type) -> bool:
    """Whether the length of such arrays may differ by iteration: a tape of them is long."""
    return any(isinstance(n, Dim) and n.symbol.startswith("?") for n in shape_of(t) or ())


def _is_index(t: Type) -> bool:
    """Whether values of this type are single ints or bools."""
    if isinstance(t, NumberType):
        return t.kind in (int, bool)
    return isinstance(t, ArrayType) and t.scalar and t.dtype.kind in "iub"


def _is_basic(index: Any) -> bool:
    """Whether an index has no arrays or lists in it: it selects a view or an entry."""
    parts = index_parts(index)
    return not any(isinstance(part, list | np.ndarray) for part in parts)
