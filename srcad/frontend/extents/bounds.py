"""What is known of the whole numbers of a program where each of its operations stands.

    for i in range(1, x.shape[0]):          i - 1 >= 0,  n - i - 1 >= 0
        if i != k and j < i: ...            i - j - 1 >= 0

The ranges of the loops around, the conditions of the branches around, what the program has refused
before, and that no extent is negative: as sums that are at least 0 (`srcad.ir.inequalities`).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from typing import Any

from srcad.frontend.extents.refusals import Comparison, known_behind, known_inside
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, within
from srcad.ir.nodes import Block, For, Function, If, Op, Value
from srcad.ir.types import Dim, Extent, NumberType
from srcad.ir.walk import blocks, outputs, statements


class Bounds:
    """`checks`: what is at least 0 after what the program has refused so far; `names`: for the
    symbol of an extent an integer of the program that it is.
    """

    def __init__(self, fn: Function, is_program: bool) -> None:
        self.program = fn.body if is_program else None
        self.checks: tuple[Affine, ...] = ()
        self.forms = Forms(fn.body)
        self.ops = {
            op.out: op for op in statements(fn.body) if isinstance(op, Op) and len(op.outs) == 1
        }
        self.names: dict[str, Value] = {}
        for value in _numbers(fn):
            assert isinstance(value.type, NumberType)
            extent = value.type.extent
            if isinstance(extent, Dim) and extent.minus == 0:
                self.names.setdefault(extent.symbol, value)

    def visit(self, block: Block, facts: tuple[Affine, ...]) -> None:
        """Look at the operations of a block, where `facts` are at least 0."""
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.operation(stmt, facts)
            iterations = within([stmt], self.forms) if isinstance(stmt, For) else []
            inner = (*facts, *map(self.renamed, iterations))
            for k, each in enumerate(blocks(stmt)):
                chosen = known_inside(stmt, k == 0, self.ops) if isinstance(stmt, If) else None
                self.visit(each, (*inner, *self.compared(chosen)))
            if block is self.program:  # elsewhere a check may not run
                self.checks += tuple(self.compared(known_behind(stmt, self.ops)))

    def operation(self, op: Op, facts: tuple[Affine, ...]) -> None:
        """What is to be done with an operation."""
        raise NotImplementedError

    def compared(self, known: Comparison | None) -> Iterator[Affine]:
        """What is at least 0 where a comparison holds."""
        if known is None:
            return
        fn, a, b = known[0], self.form(known[1]), self.form(known[2])
        if a is None or b is None:
            return
        if fn in (operator.eq, operator.ge, operator.gt):
            yield a - b - (fn is operator.gt)
        if fn in (operator.eq, operator.le, operator.lt):
            yield b - a - (fn is operator.lt)

    def form(self, atom: Any) -> Affine | None:
        """The sum of an integer."""
        form = self.forms.of(atom)
        return None if form is None else self.renamed(form)

    def renamed(self, form: Affine) -> Affine:
        """The sum in which one extent has one name."""
        return form.replaced({value: self.named(value) for value, _ in form.terms})

    def named(self, value: Value) -> Affine:
        """A value, or the extent that it is."""
        extent = value.type.extent if isinstance(value.type, NumberType) else None
        known = self.extent(extent)
        return Affine.of(value) if known is None else known

    def extent(self, extent: Extent | None) -> Affine | None:
        """An extent as a sum, if it is that of an integer in the program."""
        if isinstance(extent, int):
            return Affine(extent)
        if extent is None or extent.symbol not in self.names:
            return None
        if extent.floor < 0:  # it may be cut off
            return None
        return Affine.of(self.names[extent.symbol]) - extent.minus

    def extents_of_inputs(self) -> list[Affine]:
        """The extents of inputs that are integers of the program: they are at least 0."""
        return [Affine.of(v) for s, v in self.names.items() if is_input(Dim(s))]


def is_input(extent: Dim) -> bool:
    """Whether it is that of an input; `?1` may be an index, which may be negative."""
    return re.fullmatch(r"s\d+_\d+", extent.symbol) is not None


def _numbers(fn: Function) -> Iterator[Value]:
    for stmt in statements(fn.body):
        for value in (*outputs(stmt), *(p for block in blocks(stmt) for p in block.params)):
            if isinstance(value.type, NumberType) and value.type.kind is int:
                yield value


__all__ = ["Bounds", "is_input"]
