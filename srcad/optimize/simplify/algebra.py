"""Algebraic simplification by the laws of `srcad.optimize.simplify.algebra_table`.

t = neg(a)                      y = mul(1, x)             t = neg(a)
u = mul(t, b)                   return y                  u = truediv(t, x)
y = add(x, u)                                             return neg(u)
return y

y = sub(x, mul(a, b))           return x                  u = truediv(a, x)
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Any

import numpy as np

from srcad.analysis.operations import is_pure
from srcad.errors import SrcadError
from srcad.ir.keys import freeze
from srcad.ir.nodes import Block, Function, Op, Value
from srcad.ir.types import SeqType
from srcad.ir.walk import count_reads, values_in
from srcad.once import cached_property
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.optimize.simplify.algebra_table import LAWS
from srcad.optimize.simplify.pattern import EXACT, FAST, Law, Program, kinds, match
from srcad.rules.core.joined_kinds import JoinedKinds, joined_kinds
from srcad.rules.core.staged import Builder, type_of, unwrap


class _Table:
    """Laws in their order, found by the function of an operation and what makes its arguments."""

    def __init__(self, laws: list[Law]) -> None:
        self.of: dict[Any, list[Law]] = defaultdict(list)
        self._asked: dict[Any, set[Any]] = defaultdict(set)  # kinds of arguments that a law needs
        self._fitting: dict[tuple[Any, ...], tuple[Law, ...]] = {}
        for entry in laws:
            self.of[entry.pattern.fn].append(entry)
            self._asked[entry.pattern.fn].update(kind for _, kind in entry.needs)

    def fitting(self, op: Op, program: Program) -> tuple[Law, ...]:
        """The laws whose `needs` an operation meets; found once for each combination of kinds."""
        fn = op.fn
        if fn not in self.of:
            return ()
        asked = self._asked[fn]
        key = (fn, *[kind if kind in asked else None for kind in kinds(op, program)])
        found = self._fitting.get(key)
        if found is None:
            found = self._fitting[key] = tuple(e for e in self.of[fn] if _meets(key[1:], e))
        return found


def _meets(kinds: tuple[Any, ...], entry: Law) -> bool:
    return all(k < len(kinds) and kinds[k] is kind for k, kind in entry.needs)


_ALL = _Table(LAWS)
_SAFE = _Table([entry for entry in LAWS if entry.accuracy is not FAST])
# What is nothing but has a derivative of its own: dropped where no more is derived.
_LASTING = _Table([
    entry for entry in LAWS if entry.accuracy is not FAST and not row_of(entry.pattern.fn).is_mark
])  # fmt: skip


def apply_laws(
    fn: Function, *, fast_math: bool = False, again: bool = False, repeats: bool = False
) -> Function:
    """The program after the laws of the table; those of class FAST only with `fast_math`.

    Args:
        again: the program is to be differentiated: keep what is for its derivatives alone.
        repeats: the program computes the same twice: only laws that are exact to the bit.
    """
    table = _exact() if repeats else _LASTING if again else _ALL if fast_math else _SAFE
    return _Laws(table, fn).run(fn)


def _key(op: Op) -> Any:
    """The same for operations that do the same to the same."""
    return id(op.fn), freeze((op.args, op.kwargs))


@cache
def _exact() -> _Table:
    return _Table([entry for entry in LAWS if entry.accuracy is EXACT])


class _Laws(Rewriter):
    def __init__(self, table: _Table, fn: Function) -> None:
        super().__init__()
        self.table = table
        self.program = Program({}, count_reads(fn), set())
        self.fn = fn
        self.seen, self.twins = 0, dict[Any, list[Op]]()  # of the statements of `body`, how many
        self.fuel = 1000  # no law undoes another; should users' rules ever do it, this ends it

    @cached_property
    def joined(self) -> JoinedKinds:
        """Asked when a law fits, which few programs have."""
        return joined_kinds(self.fn)

    def block(self, block: Block) -> Block:
        outer = self.program.here, self.seen, self.twins
        self.program.here, self.seen, self.twins = set(), 0, {}
        block = super().block(block)
        self.program.here, self.seen, self.twins = outer
        return block

    def op(self, op: Op) -> None:
        is_open = len(op.outs) == 1 and self.fuel and not self._gives_axes(op)
        is_users = op.loc is None or not op.loc.part
        for entry in self.table.fitting(op, self.program) if is_open else ():
            if entry.derived and is_users:
                continue
            bound = match(entry, op, self.program)
            if bound is not None and self._apply(entry, op, bound):
                return
        self.program.here.update(op.outs)
        for out in op.outs:
            self.program.made[out] = op
        self.body.append(op)

    def _gives_axes(self, op: Op) -> bool:
        """Whether an operation reshapes the array of a list of rows: `np.array(rows)` has one axis
        where a loop has made no rows, whatever its type says.
        """
        if op.fn is not np.reshape:
            return False
        made = self.program.made.get(op.args[0]) if isinstance(op.args[0], Value) else None
        if made is None or made.fn is not np.array:
            return False
        rows = made.args[0]
        return isinstance(rows, Value) and isinstance(rows.type, SeqType)

    def _apply(self, entry: Law, op: Op, bound: dict[str, Any]) -> bool:
        """Put the right side in place of `op`, if its type is the same."""
        if entry.gives and not is_same_type(type_of(bound[entry.gives]), op.out.type):
            return False  # most sums are of arrays
        builder = Builder(loc=op.loc)
        try:
            new = unwrap(entry.right(**{k: builder.wrap(v) for k, v in bound.items()}))
        except SrcadError:
            return False
        old = op.out
        if not is_same_type(type_of(new), old.type):
            return False
        ops: list[Op] = [stmt for stmt in builder.body if isinstance(stmt, Op)]
        for made in ops:
            self.joined.note(made)
        if not self.joined.are_those_of(new, old):
            return False
        self.fuel -= 1
        # New uses count before old ones go: what both read stays in use throughout.
        if not ops:
            self._count(new, self.program.uses.get(old, 0))
            self._release(op)
            self.replace(old, new)
            return True
        last = ops[-1]
        assert last.out is new, entry
        last.outs = op.outs
        for made in ops:
            self._count((made.args, made.kwargs), 1)
        self._release(op)
        for made in ops[:-1]:
            self._new(self.substituted(made))
        self.op(self.substituted(last))
        return True

    def _new(self, op: Op) -> None:
        """Append an op of a law's right side, unless the program has it already.

        Else a law that looks how often a value is used would take it for used once.
        """
        twin = self._twin(op)
        if twin is None:
            self.op(op)
            return
        self._count(twin, self.program.uses.get(op.out, 0))
        self._release(op)
        self.replace(op.out, twin)

    def _twin(self, op: Op) -> Value | None:
        """The result of the same operation in the block under construction."""
        for stmt in self.body[self.seen :]:
            if isinstance(stmt, Op) and len(stmt.outs) == 1 and is_pure(stmt):
                self.twins.setdefault(_key(stmt), []).append(stmt)
        self.seen = len(self.body)
        for stmt in self.twins.get(_key(op), ()):
            if is_same_type(stmt.out.type, op.out.type):
                return stmt.out
        return None

    def _count(self, tree: Any, times: int) -> None:
        uses = self.program.uses
        for value in values_in(tree):
            uses[value] = uses.get(value, 0) + times

    def _release(self, op: Op) -> None:
        """Take back the uses that `op` made, and those of operations that have lost their last."""
        uses, made = self.program.uses, self.program.made
        for value in values_in((op.args, op.kwargs)):
            uses[value] -= 1
            if not uses[value] and value in made and len(made[value].outs) == 1:
                self._release(made[value])
