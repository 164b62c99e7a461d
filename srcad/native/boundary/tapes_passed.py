"""What a compiled loop saves for another compiled function goes there as an array.

    a = loss_1(x)
    h_tape = tape_items(a)        ->        a = loss_1(x)
    b = tape_array(h_tape)                  x_bar = loss_2(a, g)
    x_bar = loss_2(b, g)

The tape of loops inside loops has an axis for each. Between compiled functions it stays an array;
only what stays NumPy gets the items, as it would have saved them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from srcad.ir import ArrayType, Function, NumberType, Op, SeqType, Stmt, TupleType, Value
from srcad.ir.types import Type, dtype_of, shape_of
from srcad.ir.walk import count_reads, values_in
from srcad.native.scalarize.scalars import scalar_ops
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.facts import unknown_extent
from srcad.runtime.saved import tape_array, tape_column, tape_items, tape_numbers, tape_tuples


def arrays_of(t: Type) -> list[ArrayType]:
    """The types of the arrays that have a tape's items: of tuples of integers one for each; none
    for tapes of other things.
    """
    t, loops = _item_of(t)
    counts = tuple(unknown_extent() for _ in range(loops))
    if not loops:
        return []
    if isinstance(t, TupleType):
        are_integers = all(isinstance(each, NumberType) and each.kind is int for each in t.items)
        return [ArrayType(np.dtype(np.int64), counts)] * len(t.items) if are_integers else []
    dtype, shape = dtype_of(t), shape_of(t) or ()
    if dtype is None or not scalar_ops.is_number_type(t):
        return []
    if isinstance(t, ArrayType) and not shape and not t.scalar:
        return []  # of arrays without axes
    return [ArrayType(dtype, (*counts, *shape))]


def is_of_one_length(t: Type) -> bool:
    """Whether all items of a tape surely have one shape, by their type."""
    item, loops = _item_of(t)
    return loops == 1 and all(isinstance(n, int) for n in shape_of(item) or ())


def _item_of(t: Type) -> tuple[Type, int]:
    """The type of the items of a tape, and how many loops around save them."""
    loops = 0
    while isinstance(t, SeqType):
        t, loops = t.elem, loops + 1
    return t, loops


def as_arrays(tape: Value, body: list[Stmt]) -> list[Value]:
    """The arrays of a tape; appends the operations that make them."""
    arrays = [Value(tape.name, t) for t in arrays_of(tape.type)]
    item, loops = _item_of(tape.type)
    for k, array in enumerate(arrays):
        if isinstance(item, TupleType):
            body.append(Op(tape_column, (tape, k, loops), {}, (array,)))
        else:
            body.append(Op(tape_array, (tape, dtype_of(array.type)), {}, (array,)))
    return arrays


def as_tape(arrays: Sequence[Value], tape: Value) -> Op:
    """The operation that makes a tape of its arrays."""
    t, loops = _item_of(tape.type)
    if isinstance(t, TupleType):
        return Op(tape_tuples, (loops, *arrays), {}, (tape,))
    if isinstance(t, NumberType):
        return Op(tape_numbers, tuple(arrays), {}, (tape,))
    return Op(tape_items, (*arrays, loops), {}, (tape,))


def join_tapes(fn: Function) -> Function:
    """The program in which arrays go from one compiled function to the next as they are."""
    walk = _Joining()
    joined = walk.run(fn)
    return joined if joined is fn else _Unread(joined).run(joined)


class _Joining(Rewriter):
    def __init__(self) -> None:
        super().__init__()
        self.arrays: dict[Value, tuple[Value, ...]] = {}  # by the tape that has their items

    def op(self, op: Op) -> None:
        if op.fn in _MADE:
            self.arrays[op.out] = tuple(values_in(op.args))
        if op.fn in (tape_array, tape_column) and op.args[0] in self.arrays:
            k = op.args[1] if op.fn is tape_column else 0
            return self.replace(op.out, self.arrays[op.args[0]][k])
        super().op(op)


class _Unread(Rewriter):
    """Without lists that nothing reads."""

    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.reads = count_reads(fn)

    def op(self, op: Op) -> None:
        if op.fn not in _MADE or self.reads[op.out]:
            super().op(op)


_MADE = (tape_items, tape_numbers, tape_tuples)

__all__ = ["arrays_of", "as_arrays", "as_tape", "is_of_one_length", "join_tapes"]
