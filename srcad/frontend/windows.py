"""Slices whose bounds are computed are as long as the loops around them say.

    for i in range(x.shape[0] - k + 1):                     k = w.shape[0]: int=s1_0
        t: f64[?7] = getitem(x, i:i+k)              ->          t: f64[s1_0] = getitem(x, i:i+k)

`x[a:b]` is b - a long if 0 <= a <= b <= len(x). With the ranges of the loops, with what the program
refuses otherwise, and since no extent is negative, these are inequalities between whole numbers,
which are proved or not.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from typing import Any

from srcad.frontend.extents import rewrite_extents, settle_meetings
from srcad.frontend.refusals import known_behind
from srcad.ir.affine import Affine
from srcad.ir.calls import called
from srcad.ir.forms import Forms, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.nodes import Block, For, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, shape_of
from srcad.ir.walk import blocks, outputs, statements


def measure_windows(fn: Function) -> None:
    """Rewrite the types of `fn` where the length of a slice can be proved."""
    for each in (*called(fn), fn):
        lengths = _Lengths(each, each is fn)
        lengths.visit(each.body, ())
        if lengths.found:
            rewrite_extents(fn, lengths.found)
            settle_meetings(fn)


class _Lengths:
    """`found`: for the symbol of a slice's extent what it is; `checks`: what is at least 0 behind
    what the program has refused so far.
    """

    def __init__(self, fn: Function, is_program: bool) -> None:
        self.program = fn.body if is_program else None
        self.checks: tuple[Affine, ...] = ()
        self.forms = Forms(fn.body)
        self.ops = {
            op.out: op for op in statements(fn.body) if isinstance(op, Op) and len(op.outs) == 1
        }
        self.found: dict[str, Extent] = {}
        self.names: dict[str, Value] = {}
        for value in _numbers(fn):
            extent = value.type.extent  # type: ignore[union-attr]
            if isinstance(extent, Dim) and extent.minus == 0:
                self.names.setdefault(extent.symbol, value)

    def visit(self, block: Block, facts: tuple[Affine, ...]) -> None:
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.slices(stmt, facts)
            turns = within([stmt], self.forms) if isinstance(stmt, For) else []
            inner = (*facts, *map(self.renamed, turns))
            for each in blocks(stmt):
                self.visit(each, inner)
            if block is self.program:  # elsewhere a check may not run
                self.checks += tuple(self.refused(stmt))

    def refused(self, stmt: Stmt) -> Iterator[Affine]:
        """What is at least 0 behind a statement, since the program raises otherwise."""
        known = known_behind(stmt, self.ops)
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

    def slices(self, op: Op, facts: tuple[Affine, ...]) -> None:
        """Look at the slices of an operation that reads a part of an array."""
        if op.fn is not operator.getitem or not isinstance(op.args[0], Value):
            return
        shape = shape_of(op.args[0].type) if isinstance(op.args[0].type, ArrayType) else None
        result = shape_of(op.out.type) if isinstance(op.out.type, ArrayType) else None
        parts = op.args[1] if isinstance(op.args[1], tuple) else (op.args[1],)
        if shape is None or result is None or any(not _is_simple(part) for part in parts):
            return
        axis = place = 0
        for part in parts:
            if isinstance(part, slice):
                length = result[place]
                if isinstance(length, Dim) and _is_open(length):
                    # One of numbers alone has its name outside of the loops too.
                    turns = facts if _is_computed(part) else ()
                    self.measure(length, shape[axis], part, (*self.checks, *turns))
            place += part is None or isinstance(part, slice)
            axis += part is not None

    def measure(self, length: Dim, extent: Extent, part: slice, facts: tuple[Affine, ...]) -> None:
        whole = self.extent(extent) if isinstance(extent, int) or _is_input(extent) else None
        start = self.form(0 if part.start is None else part.start)
        stop = whole if part.stop is None else self.form(part.stop)
        if whole is None or start is None or stop is None:
            return
        found = self.as_extent(stop - start, facts)
        if found is None:
            return
        inputs = (Affine.of(v) for s, v in self.names.items() if _is_input(Dim(s)))
        known = [*facts, *inputs]
        for never in (-start - 1, start - stop - 1, stop - whole - 1):
            if not are_impossible([*known, never]):
                return
        self.found[length.symbol] = found

    def as_extent(self, form: Affine, facts: tuple[Affine, ...]) -> Extent | None:
        """The extent that a sum is, with what is equal in its place if it is none."""
        found = self.named_by(form)
        zeros = [fact for fact in facts if -fact in facts] if found is None else []
        for zero in zeros:
            for value, k in zero.terms:
                if found is None and abs(k) == 1:
                    found = self.named_by(form.replaced({value: Affine.of(value) - zero * k}))
        return found

    def named_by(self, form: Affine) -> Extent | None:
        if form.number is not None:
            return form.number
        if len(form.terms) != 1 or form.terms[0][1] != 1:
            return None
        value = form.terms[0][0]
        named = value.type.extent if isinstance(value.type, NumberType) else None
        if not isinstance(named, Dim):
            return None
        return named.lengthened(form.const) if form.const >= 0 else named.shortened(-form.const)


def _is_input(extent: Dim) -> bool:
    """Whether it is that of an input; `?1` may be an index, which may be negative."""
    return re.fullmatch(r"s\d+_\d+", extent.symbol) is not None


def _numbers(fn: Function) -> Iterator[Value]:
    for stmt in statements(fn.body):
        for value in (*outputs(stmt), *(p for block in blocks(stmt) for p in block.params)):
            if isinstance(value.type, NumberType) and value.type.kind is int:
                yield value


def _is_simple(part: Any) -> bool:
    if isinstance(part, slice):
        return part.step is None or part.step == 1
    number = isinstance(part, Value) and isinstance(part.type, NumberType)
    return part is None or type(part) is int or number


def _is_computed(part: slice) -> bool:
    return any(isinstance(bound, Value) for bound in (part.start, part.stop))


def _is_open(length: Dim) -> bool:
    """Whether the extent has a symbol of its own, since a bound may lie outside."""
    return length.minus == 0 and (length.symbol.startswith("?") or length.symbol.endswith(":1]"))
