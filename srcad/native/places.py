"""Positions that cannot be negative are marked, so that nothing asks whether they are.

    for i in range(1, n):                   for i in range(1, n):
        x[i - 1] += 1.0            ->           x[at(i - 1)] += 1.0

That they cannot is proved from the ranges of the loops around, from extents, which are never
negative, and from the checks of positions that come before. A check that cannot fail, as these
tell, goes.

    check_range(0, 2, 2, n + 1)             check_range(0, 2, 2, n + 1)
    check_range(0, 1, 1, n + 1)      ->
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

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
from srcad.ir.forms import Forms, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.inplace import DESTROYS
from srcad.ir.walk import with_blocks
from srcad.native.code import INT
from srcad.native.forwarding import pruned
from srcad.native.helpers import check_range
from srcad.native.told import Truths, learnt
from srcad.native.vectorised import AT
from srcad.optimize.operations import has_axes


def marked(fn: Function) -> Function:
    """The function with its natural positions marked, without checks that cannot fail."""
    marker = _Marker(fn)
    return pruned(replace(fn, body=marker.block(fn.body, marker.facts)))


class _Marker:
    def __init__(self, fn: Function) -> None:
        self.forms = Forms(fn.body)
        self.truths = Truths(self.forms)
        self.shapes: set[Value] = set()
        self.facts: list[Affine] = []
        self.known: dict[tuple[Affine, tuple[Affine, ...]], bool] = {}

    def block(self, block: Block, facts: list[Affine]) -> Block:
        """The block; `facts` are at least 0 in it, and more of them are found."""
        made: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.op(stmt, facts, made)
            else:
                made.append(self.region(stmt, facts))
        return Block(block.params, made, block.results)

    def region(self, stmt: Stmt, facts: list[Affine]) -> Stmt:
        if isinstance(stmt, If):
            then = self.block(stmt.then, [*facts, *self.truths.of(stmt.cond)])
            return replace(stmt, then=then, orelse=self.block(stmt.orelse, [*facts]))
        inside = [*facts, *within([stmt], self.forms)] if isinstance(stmt, For) else facts
        return with_blocks(stmt, lambda block: self.block(block, [*inside]))

    def op(self, op: Op, facts: list[Affine], made: list[Stmt]) -> None:
        if op.fn is check_range and self.is_implied(op, facts):
            return
        facts += learnt(op, self.forms, self.shapes)
        self.truths.note(op)
        if op.fn is operator.mul and all(self.is_natural(arg, facts) for arg in op.args):
            facts.append(Affine.of(op.out))
        elif (op.fn is operator.getitem or op.fn in DESTROYS) and has_axes(op.args[0]):
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
        parts = index if isinstance(index, tuple) else (index,)
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
