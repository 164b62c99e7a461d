"""Bounds-check elimination: marks the indices that are proved not to be negative.

    for i in range(1, n):                   for i in range(1, n):
        x[i - 1] += 1.0            ->           x[at(i - 1)] += 1.0

That they cannot is proved from the ranges of the loops around, from extents, which are never
negative, and from the checks of positions that come before. A check that cannot fail, as these
tell, goes.

    check_range(0, 2, 2, n + 1)             check_range(0, 2, 2, n + 1)
    check_range(0, 1, 1, n + 1)      ->

Of others it is asked, before all passes that compare places: `y[-1]` and `y[n - 1]` are one place.
What can be told in the end is not.

    y[i - 1] *= b[i]                 ->     k = counted(i - 1, len(y))
                                            y[k] *= b[i]
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.analysis.operations import has_axes
from srcad.ir import (
    Block,
    For,
    Function,
    If,
    Op,
    Stmt,
    TupleType,
    Value,
)
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.kinds import index_parts
from srcad.ir.types import rank_of
from srcad.ir.walk import substitute, with_blocks, with_body, with_program
from srcad.native.helpers import check_range, counted
from srcad.native.loops.store_forwarding import pruned
from srcad.native.scalarize.loop_builder import INT
from srcad.native.scalarize.range_facts import Truths, learnt, wraps_nowhere
from srcad.native.vectorised import AT


def eliminate_bounds_checks(fn: Function) -> Function:
    """The function with its natural positions marked, without checks that cannot fail."""
    marker = _Marker(fn)
    return pruned(with_program(fn, marker.block(fn.body, marker.facts)))


def eliminate_negative_indices(fn: Function) -> Function:
    """The function with positions that may be negative counted from the end where they are."""
    if wraps_nowhere(fn.body, Forms(fn.body)):
        return fn
    counter = _Counter(fn)
    return with_program(fn, counter.block(fn.body, counter.facts))


class _Marker:
    def __init__(self, fn: Function) -> None:
        self.forms = Forms(fn.body, compiled=True)
        self.truths = Truths(self.forms)
        self.shapes: set[Value] = set()
        self.facts: list[Affine] = []
        self.known: dict[tuple[Affine, tuple[Affine, ...]], bool] = {}
        self.natural: dict[Value, Any] = {}  # what need not be counted from an end

    def block(self, block: Block, facts: list[Affine]) -> Block:
        """The block; `facts` are at least 0 in it, and more of them are found."""
        made: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.op(stmt, facts, made)
            else:
                made.append(self.region(stmt, facts))
        return with_body(block, made)

    def region(self, stmt: Stmt, facts: list[Affine]) -> Stmt:
        if isinstance(stmt, If):
            then = self.block(stmt.then, [*facts, *self.truths.of(stmt.cond)])
            return replace(stmt, then=then, orelse=self.block(stmt.orelse, [*facts]))
        inside = [*facts, *within([stmt], self.forms)] if isinstance(stmt, For) else facts
        return with_blocks(stmt, lambda block: self.block(block, [*inside]))

    def op(self, op: Op, facts: list[Affine], made: list[Stmt]) -> None:
        if op.fn is check_range and self.is_implied(op, facts):
            return
        if self.natural:
            op = replace(op, args=substitute(op.args, self.natural))
        if op.fn is counted and self.is_natural(op.args[0], facts):
            self.natural[op.out] = op.args[0]
            facts.append(Affine.of(op.out))
            return
        facts += learnt(op, self.forms, self.shapes)
        self.truths.note(op)
        if op.fn is operator.mul and all(self.is_natural(arg, facts) for arg in op.args):
            facts.append(Affine.of(op.out))
        elif (op.fn is operator.getitem or destroys(op)) and has_axes(op.args[0]):
            op = self.marked(op, facts, made)
        made.append(op)

    def is_implied(self, op: Op, facts: list[Affine]) -> bool:
        """Whether the positions that a check is for are surely natural and in the array."""
        _, least, greatest, n = (self.forms.of(arg) for arg in op.args)
        if least is None or greatest is None or n is None:
            return False
        known = [*facts, greatest - least]
        failures = (-least - 1, greatest - n)
        return all(are_impossible([*about(each, known), each]) for each in failures)

    def marked(self, op: Op, facts: list[Affine], made: list[Stmt]) -> Op:
        memory, index, *rest = op.args
        parts = index_parts(index)
        if not all(self.is_natural(part, facts) for part in parts):
            return op
        if all(type(part) is int for part in parts):
            return op
        place = Value("", TupleType((INT,) * len(parts)))
        made.append(Op(AT, tuple(parts), {}, (place,), op.loc))
        return replace(op, args=(memory, place, *rest))

    def is_natural(self, part: Any, facts: list[Affine]) -> bool:
        form = self.forms.of(part)
        if form is None:
            return False
        if form.number is not None:
            return form.number >= 0
        key = form, tuple(about(form, facts))
        if key not in self.known:
            self.known[key] = are_impossible([*key[1], -form - 1])
        return self.known[key]


class _Counter(_Marker):
    """Asks of the positions that cannot be marked, once where they are the same."""

    def __init__(self, fn: Function) -> None:
        super().__init__(fn)
        self.asked: dict[tuple[Value, int, Any], Value] = {}
        self.extents: dict[Any, Any] = {}  # by the position that was checked; None of several

    def block(self, block: Block, facts: list[Affine]) -> Block:
        around = dict(self.asked), dict(self.extents)
        made = super().block(block, facts)
        self.asked, self.extents = around
        return made

    def is_implied(self, op: Op, facts: list[Affine]) -> bool:
        _, least, greatest, n = op.args
        if least is greatest and self.extents.setdefault(least, n) is not n:
            self.extents[least] = None  # it is one of arrays or axes of other lengths, too
        return False

    def marked(self, op: Op, facts: list[Affine], made: list[Stmt]) -> Op:
        memory, index, *rest = op.args
        parts = index_parts(index)
        new = [
            part if self.is_natural(part, facts) else self.position(memory, axis, part, made)
            for axis, part in enumerate(parts)
        ]
        if new == [*parts]:
            return op
        return replace(op, args=(memory, tuple(new) if len(new) > 1 else new[0], *rest))

    def position(self, memory: Value, axis: int, part: Any, made: list[Stmt]) -> Value:
        """The position that `part` is along an axis, in a block where that was not asked yet."""
        key = memory, axis, self.forms.of(part) or part
        if key not in self.asked:
            n = self.extents.get(part)
            if n is None:
                n = self.extent(memory, axis, made)
            self.asked[key] = at = Value("k", INT)
            made.append(Op(counted, (part, n), {}, (at,)))
        return self.asked[key]

    def extent(self, memory: Value, axis: int, made: list[Stmt]) -> Value:
        shape = Value("", TupleType((INT,) * (rank_of(memory.type) or 0)))
        n = Value("n", INT)
        made.append(Op(np.shape, (memory,), {}, (shape,)))
        made.append(Op(operator.getitem, (shape, axis), {}, (n,)))
        return n


def about(form: Affine, facts: list[Affine]) -> list[Affine]:
    """The facts that have to do with a form: those that share a value with it, or with one such."""
    values = {value for value, _ in form.terms}
    found: list[Affine] = []
    rest = list(facts)
    while True:
        near = [f for f in rest if any(value in values for value, _ in f.terms)]
        if not near:
            return found
        found += near
        rest = [f for f in rest if f not in near]
        values |= {value for f in near for value, _ in f.terms}
