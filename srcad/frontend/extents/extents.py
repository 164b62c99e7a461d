"""Extents that must be equal are made one: what a program computes tells how its inputs fit
together.

    def loss(w: f64[s0_0], x: f64[s1_0, s1_1], y: f64[s2_0]):
        z = x @ w
        e = z - y                 ->      w: f64[s0_0], x: f64[s1_0, s0_0], y: f64[s1_0]

`x @ w` fails unless s1_1 is s0_0, and `z - y` unless s1_0 is s2_0 (neither is 1, the signature
says). That the inputs fit becomes a guard, so it is checked at each call, also where the derivative
no longer has the operation that would fail. Operations inside branches and loops prove nothing:
they may not run. What the program itself refuses otherwise is known likewise (`refusals`).

Inputs that do not fit are refused, unless the program may have left before:

    if len(x) != len(y):                  the program for these inputs: NumPy raises what it raises
        raise ValueError("lengths")       at `x - y`, if it comes there
    return np.sum(x - y)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.frontend.extents.refusals import equal_behind
from srcad.frontend.reading.capture import Inputs
from srcad.ir.calls import called
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.types import (
    ArrayType,
    Dim,
    Extent,
    NumberType,
    SeqType,
    Shape,
    TupleType,
    Type,
    shape_of,
)
from srcad.ir.walk import blocks, outputs, statements
from srcad.ops import row_of
from srcad.ops.fitting import summed_over
from srcad.rules import RULES
from srcad.rules.core.facts import broadcast_shapes, type_of_constant


def unify_extents(fn: Function, inputs: Inputs) -> None:
    """Rewrite the types of `fn`; add guards to `inputs`.

    Raises:
        ShapeError: E401 or E402 at an operation whose operands do not fit in this call.
    """
    classes = _Classes(inputs)
    ops = {stmt.out: stmt for stmt in fn.body.body if isinstance(stmt, Op) and len(stmt.outs) == 1}
    may_have_left = False
    for stmt in fn.body.body:
        if isinstance(stmt, Op):
            pairs = list(_equal_extents(stmt))
            misfit = next((pair for pair in pairs if classes.differ_now(*pair)), None)
            if misfit is not None:
                if not may_have_left:
                    raise classes.misfit(stmt)
                stmt.raises = True
                classes.guard_misfit(*misfit)
                break
            for a, b in pairs:
                classes.unite(a, b)
        may_have_left = may_have_left or not isinstance(stmt, Op) or stmt.effect or stmt.raises
        for a, b in equal_behind(stmt, ops):
            if classes.are_equal_now(a, b):
                classes.unite(a, b)
    if classes.parent:
        classes.guard_inputs()
        _rewrite(fn, classes)


def _equal_extents(op: Op) -> Iterator[tuple[Extent, Extent]]:
    shapes = [_shape(a) for a in op.args]
    if _is_elementwise(op):
        known = [s for s in shapes if s]
        for a, b in itertools.pairwise(known):
            yield from zip(reversed(a), reversed(b), strict=False)
    elif row_of(op.fn).product and len(shapes) == 2:
        first, second = shapes
        if first and second and (op.fn is not np.dot or max(len(first), len(second)) <= 2):
            yield summed_over(first, second)


def _is_elementwise(op: Op) -> bool:
    rule = None if isinstance(op.fn, Function) else RULES.get(op.fn)
    return row_of(op.fn).elementwise or (rule is not None and rule.kind == "elementwise")


def _shape(a: Any) -> Shape | None:
    return shape_of(a.type if isinstance(a, Value) else type_of_constant(a))


def _is_firm(extent: Extent) -> bool:
    """Whether broadcasting against another firm extent proves both equal."""
    return extent != 1 if isinstance(extent, int) else extent.never_one and extent.minus == 0


class _Classes:
    """Symbols known to be one number, and that number where it is known."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.parent: dict[str, str | int] = {}
        self.places: dict[str, str] = {}
        for place, symbol in inputs.extents.items():
            self.places.setdefault(symbol, place)

    def find(self, extent: str | int) -> str | int:
        while isinstance(extent, str) and extent in self.parent:
            extent = self.parent[extent]
        return extent

    def root(self, extent: Extent) -> str | int:
        return self.find(extent if isinstance(extent, int) else extent.symbol)

    def are_equal_now(self, a: Extent, b: Extent) -> bool:
        """Whether two extents are the same number in this call."""
        sizes = [self.size(self.root(e)) for e in (a, b)]
        return None not in sizes and sizes[0] == sizes[1]

    def differ_now(self, a: Extent, b: Extent) -> bool:
        """Whether two extents that an operation wants equal are not so in this call."""
        sizes = [self.size(self.root(e)) for e in (a, b)]
        return _is_firm(a) and _is_firm(b) and None not in sizes and sizes[0] != sizes[1]

    def unite(self, a: Extent, b: Extent) -> None:
        """Two extents are one."""
        if not (_is_firm(a) and _is_firm(b)):
            return
        first, second = self.root(a), self.root(b)
        if first == second:
            return
        # The root is the number if it is known, else the symbol that comes first in the signature.
        root, other = sorted((first, second), key=self.rank)
        assert isinstance(other, str)
        self.parent[other] = root

    def rank(self, symbol: str | int) -> tuple[int, int]:
        """Inputs' symbols come first, in the order of the signature; numbers before all."""
        if isinstance(symbol, int):
            return (-1, 0)
        order = list(self.places)
        return (0, order.index(symbol)) if symbol in self.places else (1, 0)

    def size(self, symbol: str | int) -> int | None:
        """The number in this call."""
        if isinstance(symbol, int):
            return symbol
        place = self.places.get(symbol)
        return None if place is None else self.inputs.sizes[place]

    def misfit(self, op: Op) -> Exception:
        shapes = " and ".join(self.in_numbers(s) for s in map(_shape, op.args) if s)
        code = "E402" if row_of(op.fn).product else "E401"
        return error(code, op.loc, what=shapes)

    def in_numbers(self, shape: Shape) -> str:
        def text(e: Extent) -> str:
            size = e if isinstance(e, int) else self.size(self.find(e.symbol))
            return "?" if size is None else str(size if isinstance(e, int) else size - e.minus)

        return f"({', '.join(map(text, shape))}{',' if len(shape) == 1 else ''})"

    def guard_misfit(self, a: Extent, b: Extent) -> None:
        """Guard that two extents differ."""
        first, second = (
            str(e if isinstance(e, int) else self.places[e]) for e in map(self.root, (a, b))
        )
        self.inputs.guard(f"{first} == {second}", "equals", False)

    def guard_inputs(self) -> None:
        for symbol, place in self.places.items():
            root = self.find(symbol)
            if root == symbol:
                continue
            other = str(root) if isinstance(root, int) else self.places[root]
            self.inputs.guard(f"{place} == {other}", "equals", True)


def _rewrite(fn: Function, classes: _Classes) -> None:
    def unified(e: Extent) -> Extent:
        if isinstance(e, int):
            return e
        root = classes.find(e.symbol)
        if isinstance(root, int):
            return max(0, root - e.minus)
        return e if root == e.symbol else Dim(root, e.minus, e.never_one, e.least)

    for value in _values(fn):
        value.type = _changed(value.type, unified)


def rewrite_extents(fn: Function, known: Mapping[str, Extent]) -> None:
    """Rewrite the types of `fn` with what symbols of extents are known to be."""

    def replaced(e: Extent) -> Extent:
        if isinstance(e, int) or e.symbol not in known:
            return e
        found = known[e.symbol]
        if isinstance(found, int):
            return max(0, found - e.minus)
        return found.lengthened(-e.minus) if e.minus < 0 else found.shortened(e.minus)

    for value in _values(fn):
        value.type = _changed(value.type, replaced)


def settle_meetings(fn: Function) -> None:
    """Rewrite the types of `fn` where extents that met in an operation are known to be one now."""
    while True:
        known: dict[str, Extent] = {}
        for each in (fn, *called(fn)):
            for op in statements(each.body):
                if isinstance(op, Op) and len(op.outs) == 1 and _is_elementwise(op):
                    known.update(_settled(op))
        if not known:
            return
        rewrite_extents(fn, known)


def _settled(op: Op) -> Iterator[tuple[str, Extent]]:
    """What symbols of extents that met are, since both are the same now."""
    try:
        shape = broadcast_shapes(*map(_shape, op.args)) or ()
    except SrcadError:  # it raises where it runs, if it does
        return
    for old, new in zip(_shape(op.out) or (), shape, strict=False):
        if _is_met(old) and not _is_met(new):
            assert isinstance(old, Dim)
            yield old.symbol, new


def _is_met(extent: Extent) -> bool:
    return isinstance(extent, Dim) and extent.minus == 0 and bool(extent.parts)


def _values(fn: Function) -> Iterator[Value]:
    for each in (fn, *called(fn)):
        yield from each.params
        for stmt in statements(each.body):
            yield from outputs(stmt)
            for block in blocks(stmt):
                yield from block.params


def _changed(t: Type, change: Callable[[Extent], Extent]) -> Type:
    match t:
        case ArrayType() if t.shape:
            shape = tuple(map(change, t.shape))
            return t if shape == t.shape else ArrayType(t.dtype, shape, t.scalar)
        case NumberType() if isinstance(t.extent, Dim):
            return NumberType(t.kind, change(t.extent))
        case TupleType():
            return TupleType(tuple(_changed(item, change) for item in t.items))
        case SeqType():
            return SeqType(_changed(t.elem, change))
        case _:
            return t
