"""Which operations of a program are computed for what they may raise, though nothing reads them.

    for i in range(n):              n is an argument: x[i] raises where n is too large
        s += x[i]

    for i in range(x.shape[0]):     x[i] cannot raise
        s += x[i]

Those are marked that may raise by the values that they get (`srcad.ops.raising`), unless
what is known of the program's whole numbers proves that they do not; in a `with` in which
floating-point errors or warnings are exceptions, all that may raise at all.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from srcad.frontend.extents.bounds import Bounds
from srcad.ir.affine import Affine
from srcad.ir.calls import called, calls
from srcad.ir.effects import is_noticed
from srcad.ir.inequalities import are_impossible
from srcad.ir.nodes import Block, Function, If, Op, Value
from srcad.ir.raising import is_strict
from srcad.ir.regions import Context
from srcad.ir.types import Dim, Extent, NumberType, shape_of
from srcad.ir.walk import blocks, count_reads, statements
from srcad.ops import row_of
from srcad.ops.constant_calls import raises_as_it_is
from srcad.ops.fitting import may_misfit
from srcad.ops.narrow_integers import is_large, may_overflow
from srcad.ops.raising import has_two_dots, is_harmless, may_raise, raises_by_value
from srcad.ops.subscripts import Told
from srcad.rules.core.joined_kinds import joined_kinds
from srcad.rules.core.staged import type_of


def mark_raising(fn: Function) -> None:
    """Mark the operations of `fn`, and of what it calls, that may raise."""
    functions = (*called(fn), fn)
    for each in functions:
        _Marker(each, each is fn).visit(each.body, ())
        _leave_told(each.body, count_reads(each))
        _mark_strict(each.body)
    while any(_mark_calls(each) for each in functions):
        pass


class _Marker(Bounds):
    def __init__(self, fn: Function, is_program: bool) -> None:
        super().__init__(fn, is_program)
        self.others: dict[str, Value] = {}
        self.kinds = joined_kinds(fn)
        self.large: set[Value] = set()  # ints that may have more than 64 bits

    def operation(self, op: Op, facts: tuple[Affine, ...]) -> None:
        """Mark an operation that may raise."""
        raises = any(map(raises_by_value, self.kinds.variants(op) or [op]))
        by_value = not op.effect and raises and not self.is_in_range(op, facts)
        if is_large(op, self.large):
            self.large.add(op.out)
        holds = op.effect or not may_overflow(op, self.large)
        op.raises = by_value or not holds or may_misfit(op) or raises_as_it_is(op)

    def is_in_range(self, op: Op, facts: tuple[Affine, ...]) -> bool:
        """Whether an operation is a subscript each position of which is proved."""
        if row_of(op.fn).raises != "subscript":
            return False
        index, shape = op.args[1], shape_of(type_of(op.args[0]))
        parts = list(index) if isinstance(index, tuple) else [index]
        if shape is None or any(_is_of_several(part) for part in parts) or has_two_dots(parts):
            return False
        parts = [part for part in parts if part is not None]
        if Ellipsis in parts:
            at = parts.index(Ellipsis)
            parts[at : at + 1] = [slice(None)] * (len(shape) - len(parts) + 1)
        known = [*self.checks, *facts, *self.extents_of_inputs()]
        return all(
            is_harmless(part) or self.is_below(part, extent, known)
            for part, extent in zip(parts, shape, strict=False)
        )

    def is_below(self, part: Any, extent: Extent, known: list[Affine]) -> bool:
        """Whether a position is one of an axis."""
        at, end = self.form(part), self.end(extent)
        if at is None:
            return False
        known = [*known, end]
        if are_impossible([*known, -at - 1]):
            return are_impossible([*known, at - end])
        return are_impossible([*known, at]) and are_impossible([*known, -at - end - 1])

    def end(self, extent: Extent) -> Affine:
        """An extent, also one that is no integer of the program."""
        found = self.extent(extent)
        if found is not None:
            return found
        assert isinstance(extent, Dim)
        name = str(extent)
        return Affine.of(self.others.setdefault(name, Value("", NumberType(int))))


def _is_of_several(part: Any) -> bool:
    """Whether a part of an index is more than one position or slice."""
    if part is None or part is Ellipsis or isinstance(part, slice | int):
        return isinstance(part, bool)
    return not (isinstance(part, Value) and isinstance(part.type, NumberType))


def _leave_told(block: Block, uses: Counter[Value]) -> None:
    """Unmark what nothing reads if a subscript raises where it does, `y[i] += v`: one before it, or
    after it before anything else is noticed.
    """
    told = Told()
    unread: list[Op] = []
    for stmt in block.body:
        if unread and is_noticed(stmt):
            _unmark(unread, told)
        if isinstance(stmt, Op):
            told.see(stmt)
            if stmt.effect or (stmt.raises and any(uses[out] for out in stmt.outs)):
                told.note(stmt)  # it stays, also if only what goes reads it
            elif stmt.raises:
                unread.append(stmt)
        for inner in blocks(stmt):
            _leave_told(inner, uses)
    _unmark(unread, told)


def _unmark(unread: list[Op], told: Told) -> None:
    for op in unread:
        op.raises = not told.tells(op)
        told.note(op)
    unread.clear()


def _mark_strict(block: Block) -> None:
    """Mark what may raise in a `with` that makes exceptions of errors and warnings."""
    for stmt in block.body:
        if isinstance(stmt, If) and isinstance(stmt.cond, Context) and is_strict(stmt):
            for each in statements(stmt.then):
                if isinstance(each, Op):
                    each.raises = not each.effect and may_raise(each)
        for inner in blocks(stmt):
            _mark_strict(inner)


def _mark_calls(fn: Function) -> bool:
    """Mark calls of functions with marked operations; whether there were any."""
    found = False
    for op in calls(fn.body):
        assert isinstance(op.fn, Function)
        inside = (s for s in statements(op.fn.body) if isinstance(s, Op))
        if not (op.raises or op.effect) and any(s.raises or s.effect for s in inside):
            op.raises = found = True
    return found


__all__ = ["mark_raising"]
