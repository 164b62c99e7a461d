"""Tapes that come from another function, or go there, as arrays.

tape_items(a)           the tape whose item i is a[i]
tape_array(tape)        the memory of a tape, as far as the loop has written it
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from srcad.ir import Op, SeqType, Value
from srcad.ir.affine import Affine
from srcad.ir.types import Type
from srcad.ir.walk import values_in
from srcad.native.scalarize.arrays import Array, Entries, Extents, Index, View, whole
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited
from srcad.native.scalarize.lowering import Handler, Lowering
from srcad.native.scalarize.tapes import Iterations, Plan
from srcad.native.scalarize.tapes_read import Tape
from srcad.runtime.saved import tape_array, tape_column, tape_items, tape_numbers, tape_tuples


def _taken(s: Lowering, op: Op) -> Tape:
    """The tape of an array: a position in each loop is one along an axis."""
    (array,) = values_in(op.args)
    return Tape(_plan(s, op.out.type, array))


def _taken_tuples(s: Lowering, op: Op) -> Tape:
    """The tape of tuples whose items are in one array each."""
    columns = [_plan(s, op.out.type, array) for array in values_in(op.args)]
    plan = Plan("tape", all_loops=columns[0].all_loops, items=tuple(columns))
    plan.length = columns[0].length
    return Tape(plan)


def _plan(s: Lowering, t: Type, array: Value) -> Plan:
    view, loops = s.array(array), 0
    while isinstance(t, SeqType):
        t, loops = t.elem, loops + 1
    assert isinstance(view, View)
    counts = view.extents[:loops]
    iterations = tuple(Iterations(Value("i", INT), Affine(), 1, count) for count in counts)
    plan = Plan("tape", memory=view.memory, extents=view.extents[loops:], all_loops=iterations)
    plan.length = counts[0]
    return plan


def _given(s: Lowering, op: Op) -> Array:
    """The array of a tape that loops here have written."""
    plan, extents = _written(s, op.args[0])
    if plan.known is not None or plan.items:
        return _computed(s, plan, extents, None)
    if plan.memory is None:
        raise Unsuited("a tape that nothing was written to")
    return replace(whole(plan.memory), extents=extents)


def _given_column(s: Lowering, op: Op) -> Array:
    """The array of an item of each tuple on a tape."""
    return _computed(s, *_written(s, op.args[0]), op.args[1])


def _written(s: Lowering, atom: Any) -> tuple[Plan, Extents]:
    """How a tape was written, and the extents of the array that it is."""
    tape = s.rep(atom)
    if not isinstance(tape, Tape) or tape.prefix:
        raise Unsuited("a list of another kind, given to another loop")
    plan = tape.plan
    counts = tuple(iteration.count for iteration in plan.all_loops)
    varies = bool(plan.extents and plan.lengths) or plan.rows is not None
    if varies or plan.length is None or plan.growing not in (None, 0):
        raise Unsuited("items of several lengths on a tape for another loop")
    indices = [iteration.index for iteration in plan.all_loops]
    varies = any(n.coefficient(index) for n in (*counts, *plan.extents) for index in indices)
    if varies or any(s.code.depth_of(value) for count in counts[1:] for value, _ in count.terms):
        raise Unsuited("loops of several lengths with a tape for another loop")
    return plan, (plan.length, *counts[1:], *plan.extents)


def _computed(s: Lowering, plan: Plan, extents: Extents, item: int | None) -> View:
    """Integers that the indices of loops tell, or items of tuples, written out."""

    def entry(code: Code, at: Index) -> Any:
        tape: Any = Tape(plan)
        for position in at:
            tape = tape.element(s, position)
        return code.whole(tape if item is None else tape[item])

    return s.materialised(Entries(np.dtype(np.int64), extents, entry))


TAPES: Final[dict[Any, Handler]] = {
    tape_array: _given, tape_column: _given_column, tape_items: _taken, tape_numbers: _taken,
    tape_tuples: _taken_tuples,
}  # fmt: skip

__all__ = ["TAPES"]
