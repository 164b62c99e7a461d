"""Slices whose bounds are computed are as long as the loops around them say.

    for i in range(x.shape[0] - k + 1):                     k = w.shape[0]: int=s1_0
        t: f64[?7] = getitem(x, i:i+k)              ->          t: f64[s1_0] = getitem(x, i:i+k)

`x[a:b]` is b - a long if 0 <= a <= b <= len(x). With the ranges of the loops, with what the program
refuses otherwise, and since no extent is negative, these are inequalities between whole numbers,
which are proved or not.
"""

from __future__ import annotations

import operator
from typing import Any

from srcad.frontend.extents.bounds import Bounds, is_input
from srcad.frontend.extents.extents import rewrite_extents, settle_meetings
from srcad.ir.affine import Affine
from srcad.ir.calls import called
from srcad.ir.inequalities import are_impossible
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, shape_of


def measure_windows(fn: Function) -> None:
    """Rewrite the types of `fn` where the length of a slice can be proved."""
    for each in (*called(fn), fn):
        lengths = _Lengths(each, each is fn)
        lengths.visit(each.body, ())
        if lengths.found:
            rewrite_extents(fn, lengths.found)
            settle_meetings(fn)


class _Lengths(Bounds):
    """`found`: for the symbol of a slice's extent what it is."""

    def __init__(self, fn: Function, is_program: bool) -> None:
        super().__init__(fn, is_program)
        self.found: dict[str, Extent] = {}

    def operation(self, op: Op, facts: tuple[Affine, ...]) -> None:
        """Look at the slices of an operation."""
        self.slices(op, facts)

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
                    iterations = facts if _is_computed(part) else ()
                    self.measure(length, shape[axis], part, (*self.checks, *iterations))
            place += part is None or isinstance(part, slice)
            axis += part is not None

    def measure(self, length: Dim, extent: Extent, part: slice, facts: tuple[Affine, ...]) -> None:
        whole = self.extent(extent) if isinstance(extent, int) or is_input(extent) else None
        start = self.form(0 if part.start is None else part.start)
        stop = whole if part.stop is None else self.form(part.stop)
        if whole is None or start is None or stop is None:
            return
        found = self.as_extent(stop - start, facts)
        if found is None:
            return
        known = [*facts, *self.extents_of_inputs()]
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
