"""Sinks matrix products out of loops: a sum over iterations becomes one product after the loop.

    for t in reversed(range(n)):                 for t in reversed(range(n)):
        d = ...                                      d = ...
        w_bar = add(w_bar, matmul(h.T, d))   ->      x_bar = index_add(x_bar, t, d)
        x_bar = index_add(x_bar, t, d)           rows = array(h_tape)
                                                 w_bar = tensordot(rows, x_bar, axes)

The cotangent of a recurrent network's weights, and the same for outer products of vectors. No
iteration goes through `w_bar`, and where samples are rows, no sample has to do with others any
more: threads go through all iterations with rows of their own (`srcad.native.threads.spmd`).

For programs that are compiled, where what loops save is an array already; nothing more is saved:
the factors are elements of a tape, or what the loop stores in the rows of an array. Sums are taken
in another order.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from srcad.ir.nodes import Atom, Block, For, Function, Op, Value
from srcad.ir.types import ArrayType, Dim, Shape, dtype_of, rank_of, shape_of
from srcad.ir.walk import count_reads, defined_in, outputs
from srcad.ops import row_of
from srcad.optimize.prepare.iteration_slices import ALL, is_real
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.optimize.simplify.accumulate_to_store import adds_to, reaches_all
from srcad.rules.core.staged import Builder


def sink_matmuls(fn: Function) -> Function:
    """The program with such products after its loops; `fn` itself where there are none."""
    return _SummedProducts(fn).run(fn)


class _Sum(NamedTuple):
    """A carried sum, by its number, of products over the rows of two factors."""

    k: int
    factors: tuple[Value, Value]


class _SummedProducts(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.uses = count_reads(fn)
        self.made = {v: stmt for stmt in fn.body.body for v in outputs(stmt)}
        self.symbols = {n.symbol for p in fn.params for n in _extents(p) if isinstance(n, Dim)}

    def region(self, stmt: Any) -> None:
        is_outermost = isinstance(stmt, For) and any(self.made.get(v) for v in stmt.outs)
        if not is_outermost or stmt.exits:
            self.body.append(stmt)
            return
        ops = {v: op for v, op in defined_in(stmt.body).items() if isinstance(op, Op)}
        behind = Builder([], stmt.loc)
        totals = {
            s.k: total
            for s in _sums(stmt, ops, self.uses)
            if (total := self.total(behind, stmt, ops, s)) is not None
        }
        # What is carried and never changed is read no more, and goes with what it was added to.
        yielded = [stmt.carried[k] if k in totals else v for k, v in enumerate(stmt.yielded)]
        results = [*yielded, *stmt.written]
        body = Block(stmt.body.params, stmt.body.body, results) if totals else stmt.body
        self.body.append(replace(stmt, body=body) if totals else stmt)
        self.body += behind.body
        for k, total in totals.items():
            self.replace(stmt.outs[k], total)

    def total(self, builder: Builder, loop: For, ops: dict[Value, Op], s: _Sum) -> Atom | None:
        """The sum as one product; None where the factors are not there."""
        start, out = loop.init[s.k], loop.outs[s.k]
        stored = [self.stored(loop, ops, v) for v in s.factors]
        known = next((v for v in stored if v is not None), None)
        is_one_dtype = len({dtype_of(v.type) for v in (*s.factors, out)}) == 1
        if known is None or not is_one_dtype or not isinstance(start, Value):
            return None
        mark, rows = len(builder.body), []
        for axis, (factor, array) in enumerate(zip(s.factors, stored, strict=True)):
            rows.append(array or self.saved(builder, loop, factor, known, (start, axis)))
        axes = tuple(range(rank_of(s.factors[0].type) or 0))
        total = None
        if all(v is not None for v in rows):
            total = builder.emit(np.tensordot, tuple(rows), {"axes": (axes, axes)}, out.name)
            is_zero = isinstance(op := self.made.get(start), Op) and row_of(op.fn).makes_zeros
            total = total if is_zero else builder.emit(operator.add, (start, total), {}, out.name)
        if total is None or not is_same_type(total.type, out.type):
            del builder.body[mark:]
            return None
        return total

    def stored(self, loop: For, ops: dict[Value, Op], value: Value) -> Value | None:
        """The array of which every iteration fills its own row with a value."""
        for param, after, start, out in zip(
            loop.carried, loop.yielded, loop.init, loop.outs, strict=True
        ):
            op = ops.get(after) if isinstance(after, Value) else None
            zeros = self.made.get(start) if isinstance(start, Value) else None
            if (
                op is not None
                and adds_to(op, param, loop.index)
                and op.args[2] is value
                and self.uses[param] == 1
                and reaches_all(loop, param)
                and isinstance(zeros, Op)
                and row_of(zeros.fn).makes_zeros
                and _extents(param)[1:] == _extents(value)
                and dtype_of(param.type) == dtype_of(value.type)
            ):
                return out
        return None

    def saved(
        self, builder: Builder, loop: For, value: Value, like: Value, column: tuple[Value, int]
    ) -> Value | None:
        """The array of a tape's elements: with axes as `like` has but for the last, which is as
        long as an axis of `column`.
        """
        tapes = dict(zip(loop.elements, loop.ins, strict=True))
        tape = tapes.get(value)
        writer = self.made.get(tape) if isinstance(tape, Value) else None
        array, axis = column
        shape = (*_extents(like)[:-1], _extents(array)[axis])
        if not isinstance(writer, For) or writer.exits or _range(writer) != _range(loop):
            return None
        if self.row(writer, writer.written[writer.seqs.index(tape)]) != shape[1:]:
            return None
        dtype = np.dtype(dtype_of(value.type))
        rows = builder.emit(np.array, (tape,), {"dtype": dtype.type})
        rows.type = ArrayType(dtype, shape)  # an operation cannot tell that all are as long
        # Of no iterations there is no row to tell the other axes.
        lengths = [self.length(builder, like, k) for k in range(len(shape) - 1)]
        whole = (*lengths, self.length(builder, array, axis))
        made: Value = builder.emit(np.reshape, (rows, whole))
        return made

    def length(self, builder: Builder, array: Value, axis: int) -> Atom:
        """The extent of an axis."""
        n = _extents(array)[axis]
        if type(n) is int:
            return n
        return builder.emit(operator.getitem, (builder.emit(np.shape, (array,)), axis))

    def row(self, writer: For, value: Atom) -> Shape | None:
        """The shape of what a loop saves, if it is the same in all iterations: by the arguments'
        extents and by the matrices that it is multiplied with.
        """
        shape = list(_extents(value)) if isinstance(value, Value) else []
        for op in writer.body.body:
            if not isinstance(op, Op) or not row_of(op.fn).product or value not in op.args:
                continue
            k = op.args.index(value)
            other = op.args[1 - k]
            others = _extents(other) if isinstance(other, Value) else ()
            if others and self.is_fixed(extent := others[_contracted(others, 1 - k)]):
                shape[_contracted(shape, k)] = extent
        return tuple(shape) if all(map(self.is_fixed, shape)) else None

    def is_fixed(self, extent: Any) -> bool:
        """Whether an extent is the same in all iterations."""
        return type(extent) is int or extent.symbol in self.symbols


def _sums(loop: For, ops: dict[Value, Op], uses: Any) -> list[_Sum]:
    """What a loop adds up of `a.T @ b`, and does not read."""
    found = []
    for k, (param, after) in enumerate(zip(loop.carried, loop.yielded, strict=True)):
        op = ops.get(after) if isinstance(after, Value) else None
        if op is None or op.fn is not operator.add or uses[param] != 1 or uses[after] != 1:
            continue
        if param not in op.args or not is_same_type(after.type, param.type):
            continue
        term = op.args[1 - op.args.index(param)]
        product = ops.get(term) if isinstance(term, Value) and uses[term] == 1 else None
        factors = _factors(product, ops) if product is not None else None
        if factors is not None:
            found.append(_Sum(k, factors))
    return found


def _factors(op: Op, ops: dict[Value, Op]) -> tuple[Value, Value] | None:
    """The matrices of `a.T @ b`, or the vectors of `a[:, None] @ b[None]`."""
    if not row_of(op.fn).product or op.kwargs or len(op.args) != 2:
        return None
    if not all(isinstance(v, Value) and is_real(v) and rank_of(v.type) == 2 for v in op.args):
        return None
    x, y = (ops.get(v) for v in op.args)
    if x is not None and x.fn is np.transpose and len(x.args) == 1 and not x.kwargs:
        return x.args[0], op.args[1]
    if x is None or y is None or not (x.fn is y.fn is operator.getitem):
        return None
    are_vectors = x.args[1] == (ALL, None) and y.args[1] == (None, ALL)
    return (x.args[0], y.args[0]) if are_vectors else None


def _range(loop: For) -> tuple[Atom, Atom, Atom]:
    return loop.start, loop.stop, loop.step


def _contracted(shape: Sequence[Any], k: int) -> int:
    """The axis that a product sums over, of its first or its second factor."""
    return len(shape) - 1 if k == 0 else max(len(shape) - 2, 0)


def _extents(value: Value) -> Shape:
    return shape_of(value.type) or ()


__all__ = ["sink_matmuls"]
