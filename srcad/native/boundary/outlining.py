"""Outlining: statements that can be compiled become functions, called in their place.

    y = matmul(x, w)                    y = matmul(x, w)
    t = add(y, b)               ->      h, s = loss_1(y, b)
    h = tanh(t)
    s = sum(h)

A run is as long as possible; one that saves nothing stays NumPy. Where a loop has no form as a
whole, runs inside its body are looked for; so in branches and functions that are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.analysis.operations import has_axes
from srcad.ir import Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.calls import called, copy_program
from srcad.ir.effects import destroys
from srcad.ir.passes import Stage
from srcad.ir.types import shape_of
from srcad.ir.walk import blocks, outputs, reads, statements, values_in
from srcad.native.boundary import length
from srcad.native.boundary.call_boundary import CallBoundary
from srcad.native.boundary.length import TooLong, count_in_loops, has_loop, is_long, too_long
from srcad.native.boundary.listed_ints import has_items_as_floats, ints_as_floats
from srcad.native.boundary.raise_before_commit import is_safe, kept
from srcad.native.boundary.reasons import Reason
from srcad.native.boundary.tapes_passed import join_tapes
from srcad.native.scalarize.bound_flags import answered
from srcad.native.scalarize.handlers.called import NUMPYS_OWN
from srcad.native.scalarize.handlers.decompositions import DECOMPOSITIONS
from srcad.native.scalarize.handlers.table import HANDLERS
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.native.scalarize.lowered_forms import Read
from srcad.native.scalarize.scalars import scalar_ops
from srcad.native.scalarize.written_arrays import written_in
from srcad.ops import row_of
from srcad.rules.core.staged import type_of

# The same entries in other axes, and the shapes that this takes.
_TRANSPOSING = (
    *(np.transpose, np.swapaxes, np.moveaxis, np.squeeze, np.expand_dims),
    *(np.reshape, np.ravel, np.shape),
)


def outline(
    fn: Function, *, stages: tuple[Stage, Stage], left: list[Reason], read: Read
) -> Function:
    """The program with compiled functions in the place of what has a form as loops.

    What writes the caller's arrays stays NumPy where a compiled function could refuse its arguments
    after the first write (`srcad.native.boundary.raise_before_commit`).

    Args:
        stages: what makes loops of each function, and what moves work to its caller.
        left: gets what stays NumPy, and why.
        read: makes a program of a plain function, for calls that become loops.
    """
    count = sum(map(count_in_loops, (fn, *called(fn))))
    if count > length.MOST_OF_A_LOOP:
        unrolled = "loops over lists, which are unrolled, make them so many"
        why = f"Numba would take minutes for {count:,} statements in loops: {unrolled}"
        left.append(Reason(why, False))
        return fn
    as_floats = ints_as_floats(fn)
    program = _outlined(as_floats, stages, left, read)
    if as_floats is not fn and any(map(has_items_as_floats, (program, *called(program)))):
        program = _outlined(fn, stages, left, read)
    else:
        fn = as_floats
    if not is_safe(program):
        program = _outlined(kept(fn), stages, left, read)
    return program


def _outlined(
    fn: Function, stages: tuple[Stage, Stage], left: list[Reason], read: Read
) -> Function:
    """The program with runs outlined. Those that are too long stay, but for their loops; if a loop
    stays without the lines around it, they are compiled as they are.
    """
    for is_whole in (False, True):
        left.clear()
        program = copy_program(fn)
        callees = called(program)
        outliners = []
        for each in (*(callees if not any(map(_tries, (*callees, program))) else ()), program):
            each.body = answered(each)
            boundary = CallBoundary(each, program, stages, read)
            outliners.append(_Outliner(each, boundary, left, is_whole))
            each.body = outliners[-1].run()
            each.body = join_tapes(each).body
        if not any(outliner.has_lost for outliner in outliners):
            break
    return program


class _Outliner:
    """Makes calls of the runs in a function.

    Args:
        is_whole: runs with loops are compiled however long they are.
    """

    def __init__(
        self, fn: Function, boundary: CallBoundary, left: list[Reason], is_whole: bool
    ) -> None:
        self.fn, self.boundary, self.left, self.is_whole = fn, boundary, left, is_whole
        self.has_lost = False  # a loop, without the lines around it

    def run(self) -> Block:
        return self.block(self.fn.body)

    def block(self, block: Block) -> Block:
        made = _Runs(self, block).made
        return Block(block.params, made, block.results)

    def within(self, stmt: Stmt) -> Stmt:
        """A statement that stays, with runs inside it outlined."""
        match stmt:
            case For():
                return replace(stmt, body=self.block(stmt.body))
            case While():
                return replace(stmt, body=self.block(stmt.body))
            case If() if stmt.is_branch:
                then, orelse = self.block(stmt.then), self.block(stmt.orelse)
                return replace(stmt, then=then, orelse=orelse)
        # Not a closure: it is called when the program, which could run NumPy instead, has ended.
        # Nor a `try`: it would catch what compiled code raises to leave a call to NumPy.
        return stmt


class _Runs:
    """The statements of a block, with calls of functions in the place of runs."""

    def __init__(self, outliner: _Outliner, block: Block) -> None:
        self.outliner, self.stmts = outliner, block.body
        self.made: list[Stmt] = []
        # The number of the last statement that reads a value.
        self.last: dict[Value, int] = {}
        for k, stmt in enumerate(self.stmts):
            self.last.update(dict.fromkeys(reads(stmt), k))
        self.last.update(dict.fromkeys(values_in(block.results), len(self.stmts)))
        start, has_products = 0, any(map(_loops_over_products, block.body))
        for k, stmt in enumerate(self.stmts):
            if not _is_candidate(stmt, has_products):
                self.outlined(start, k)
                self.made.append(outliner.within(stmt))
                start = k + 1
        self.outlined(start, len(self.stmts))

    def outlined(self, start: int, stop: int) -> None:
        """A run as a call; without the statement that has no form if one has none."""
        run = self.stmts[start:stop]
        if not _is_work(run):
            self.made += run
            return
        is_kept = self.outliner.is_whole and any(map(has_loop, run))
        if len(run) > 1 and not is_kept and is_long(run):
            self.left_long(too_long(run), start, stop)
            return
        outs = [v for stmt in run for v in outputs(stmt) if self.last.get(v, -1) >= stop]
        transposed = _transposed_for_others(run, outs)
        kept = [stmt for stmt in run if stmt not in transposed]
        bound = {v for stmt in kept for v in outputs(stmt)}
        outs = [v for v in outs if v in bound]
        boundary = self.outliner.boundary
        try:
            told = boundary.given_back.kept(kept, outs)
            self.made += [*told.called(boundary.call(told.stmts, told.outs)), *transposed]
        except TooLong as why:
            self.left_long(why, start, stop)
        except Unsuited as why:
            self.outliner.left.append(Reason.of(why, kept[why.at]))
            at = start + run.index(kept[why.at])
            self.outlined(start, at)
            self.made.append(self.outliner.within(self.stmts[at]))
            self.outlined(at + 1, stop)

    def left_long(self, why: TooLong, start: int, stop: int) -> None:
        """A run that is too long stays, but for its loops."""
        left = self.outliner.left
        first = next(stmt for stmt in self.stmts[start:stop] if not has_loop(stmt))
        left.append(Reason.of(why, first))
        for k in range(start, stop):
            if not has_loop(self.stmts[k]):
                self.made.append(self.stmts[k])
                continue
            told = len(left)
            self.outlined(k, k + 1)
            self.outliner.has_lost |= len(left) > told


def _tries(fn: Function) -> bool:
    """Whether a function has a `try` or a `with`."""
    return any(isinstance(stmt, If) and not stmt.is_branch for stmt in statements(fn.body))


def _loops_over_products(stmt: Stmt) -> bool:
    """Whether a loop multiplies matrices."""
    if not isinstance(stmt, For | While):
        return False
    ops = (op for block in blocks(stmt) for op in statements(block) if isinstance(op, Op))
    return any(_is_product(op) and not _is_of_vectors(op) for op in ops)


def _is_candidate(stmt: Stmt, has_products: bool) -> bool:
    """Whether a statement may be part of a run, as far as can be seen without trying.

    Products of matrices may where loops make them too: what loops save stays in compiled code.
    """
    match stmt:
        case For() | While():
            return True
        case If():
            return stmt.is_branch
        case Op():
            if (stmt.effect and not stmt.raises) or stmt.key is None:
                return False
            if _is_product(stmt) and not _is_of_vectors(stmt) and not has_products:
                return False  # that is BLAS
            if stmt.key in DECOMPOSITIONS or stmt.key in NUMPYS_OWN:
                return False  # outside of loops that is LAPACK, or NumPy itself
            return stmt.fn in HANDLERS or destroys(stmt) or scalar_ops.is_elementwise(stmt)
    return False


def _transposed_for_others(run: Sequence[Stmt], outs: Sequence[Value]) -> list[Stmt]:
    """Views for what comes after a run that are the same entries in other axes, of arrays that are
    there: BLAS and kernels take them as they are, and in the run they would be copies. Copies that
    were wanted too, unless the run writes: they might have been made before.
    """
    functions = _TRANSPOSING if any(map(written_in, run)) else (*_TRANSPOSING, np.copy)
    transposed = [stmt for stmt in run if _is_call(stmt, functions)]
    while True:
        kept = [stmt for stmt in run if stmt not in transposed]
        read = {v for stmt in kept for v in reads(stmt)}
        inner = {v for stmt in kept for v in outputs(stmt)}.difference(outs)
        left = [
            stmt
            for stmt in transposed
            if inner.isdisjoint(reads(stmt)) and read.isdisjoint(outputs(stmt))
        ]
        if len(left) == len(transposed):
            return transposed
        transposed = left


def _is_call(stmt: Stmt, functions: Sequence[Any]) -> bool:
    return isinstance(stmt, Op) and stmt.key in functions


def _is_product(op: Op) -> bool:
    return row_of(op.fn).product or op.fn is np.tensordot


def _is_of_vectors(product: Op) -> bool:
    """Whether a vector takes part, or the factors are a column and a row."""
    shapes = [shape_of(type_of(arg)) for arg in product.args]
    if any(shape is not None and len(shape) == 1 for shape in shapes):
        return True
    return all(shape is not None and len(shape) == 2 and 1 in shape for shape in shapes)


def _is_work(run: Sequence[Stmt]) -> bool:
    """Whether a run has a loop, in a branch perhaps, or several passes over arrays."""
    if any(map(has_loop, run)):
        return True
    passes = [stmt for stmt in run if _is_pass(stmt)]
    return len(passes) > 1


def _is_pass(stmt: Stmt) -> bool:
    if isinstance(stmt, If):
        return any(_is_pass(inner) for inner in (*stmt.then.body, *stmt.orelse.body))
    if not isinstance(stmt, Op) or not stmt.outs:
        return False
    return has_axes(stmt.outs[0]) and (scalar_ops.is_elementwise(stmt) or destroys(stmt))
