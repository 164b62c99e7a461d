"""Weak scalars: numbers that are Python's on one path and NumPy's on another.

    s = 0.0                          without iterations or positive entries, the result is the
    for i in range(n):               float that `s` starts as; else a NumPy scalar
        if x[i] > 0:
            s = s + x[i]
    return s

Compiled code has one type for both; where a function returns one, `weak_scalar_tags` adds a flag
that says which it is.

    return s / n          ->          return divide(s, n)

Python raises where it divides by zero; where a power has no finite float it raises, or the power
is complex. NumPy gives infinity or NaN. Compiled code assumes neither: `guarded` makes a call of
such an operation that refuses in all of these cases, whichever kind the numbers are, and NumPy runs
the program. Where nothing is refused both kinds give the same number, and no tag is needed for it.
The other operators give a float for floats and raise nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.ir import ArrayType, Block, For, Function, If, NumberType, Op, Stmt, Value, While
from srcad.ir.types import NUMBER_KINDS, dtype_of
from srcad.ir.walk import blocks, outputs, values_in, with_blocks
from srcad.native.helpers import (
    bounded,
    divide,
    divide_rest,
    divide_whole,
    finite_power,
    within,
)
from srcad.ops import row_of
from srcad.rules.core.joined_kinds import is_choice

# What Python's numbers may raise, and what refuses instead. Small powers are products (`powers`).
_RAISING: Final[dict[Any, Any]] = {
    operator.truediv: divide, operator.pow: finite_power,
    operator.floordiv: divide_whole, operator.mod: divide_rest,
}  # fmt: skip
GUARDED: Final = (*_RAISING.values(), bounded, within)
_SMALL: Final = (1, 2, 3, 4)
_SMALL_INT: Final = 2**20  # 2**33 of these sum up to what a float has room for
_SUMS: Final = (operator.add, operator.sub)
UNKNOWN: Final = object  # the kind of what compiled code does not compute as Python does


def is_weak_for(atom: Any, target: Value) -> bool:
    """Whether `atom` is another kind of number than the type of `target` says."""
    t = target.type
    own = atom.type if isinstance(atom, Value) else None
    if isinstance(t, ArrayType):
        return isinstance(own, NumberType) or type(atom) in NUMBER_KINDS
    kind = kind_of(atom)
    return isinstance(t, NumberType) and kind in NUMBER_KINDS and kind is not t.kind


def kind_of(atom: Any) -> type:
    """The type of a number of Python's."""
    own = atom.type if isinstance(atom, Value) else None
    return own.kind if isinstance(own, NumberType) else type(atom)


class Kinds:
    """Which values of a function may be another kind of number than their type says.

    Args:
        loose: those among what the function reads.
    """

    def __init__(self, fn: Function, loose: Iterable[Value] = ()) -> None:
        self.binder: dict[Value, Stmt] = {}
        self.starts: dict[Value, tuple[Any, Any]] = {}  # of what a loop carries, and its next one
        self.loose = set(loose)
        self.walk(fn.body)
        numbers = [v for v in (*self.binder, *self.starts) if _is_number(v)]
        before = -1
        while len(self.loose) != before:
            before = len(self.loose)
            self.loose.update(v for v in numbers if v not in self.loose and self._is_loose(v))

    def walk(self, block: Block) -> None:
        """Note which statement binds what."""
        for stmt in block.body:
            self.binder.update(dict.fromkeys(outputs(stmt), stmt))
            if isinstance(stmt, For | While):
                ends = list(zip(stmt.init, stmt.yielded, strict=True))
                self.starts.update(zip(stmt.carried, ends, strict=True))
                if isinstance(stmt, While):
                    self.starts.update(zip(stmt.test.params, ends, strict=True))
            for inner in blocks(stmt):
                self.walk(inner)

    def is_loose(self, value: Any) -> bool:
        """Whether a value may be another kind of number than its type says."""
        return isinstance(value, Value) and value in self.loose

    def _is_loose(self, value: Value) -> bool:
        stmt = self.binder.get(value)
        if is_listed(stmt) or _is_held(stmt):
            return True
        if isinstance(stmt, Op) and (row_of(stmt.fn).arithmetic or stmt.fn in GUARDED):
            strong = [v for v in values_in(stmt.args) if not is_weak_for(v, value)]
            return bool(strong) and all(map(self.is_loose, strong))
        return any(is_weak_for(a, value) or self.is_loose(a) for a in self.moved_to(value))

    def moved_to(self, value: Value) -> Sequence[Any]:
        """What a value is one of: a branch's sides, a loop's start and end, operands of `min`."""
        if value in self.starts:
            return self.starts[value]
        match self.binder.get(value):
            case If() as stmt:
                k = stmt.outs.index(value)
                return [side.results[k] for side in (stmt.then, stmt.orelse)]
            case (For() | While()) as stmt if value in stmt.outs:
                k = stmt.outs.index(value)
                return [stmt.init[k], stmt.yielded[k]]
            case Op() as stmt if is_choice(stmt):
                return stmt.args
        return ()

    def sources(self, value: Value) -> Sequence[Any]:
        """What a loose value is one of or is computed of."""
        stmt = self.binder.get(value)
        if is_listed(stmt) or _is_held(stmt):
            return ()
        if isinstance(stmt, Op) and not is_choice(stmt):
            return [v for v in values_in(stmt.args) if not is_weak_for(v, value)]
        return self.moved_to(value)

    def weak_kinds(self, value: Value, found: Mapping[Value, set[type]]) -> set[type]:
        """The kinds of Python's that a loose value may be, given those of its sources."""
        stmt = self.binder.get(value)
        if is_listed(stmt):
            return {float}
        if _is_held(stmt):
            return {bool, int, float, UNKNOWN}
        if isinstance(stmt, Op) and not is_choice(stmt):
            given = [_kinds(arg, value, found) for arg in stmt.args]
            counts = stmt.fn in _SUMS and any(map(self.is_small, stmt.args))
            return _computed(stmt, given, counts)
        return set().union(*(_kinds(atom, value, found) for atom in self.moved_to(value)))

    def is_small(self, atom: Any) -> bool:
        """Whether a number is a small constant where it is an int: sums of these are exact floats
        for as many iterations as there may be.
        """
        waiting, seen = [atom], {atom} if isinstance(atom, Value) else set()
        for x in waiting:
            if not isinstance(x, Value):
                if isinstance(x, int) and abs(x) > _SMALL_INT:
                    return False
            elif self.is_loose(x) or isinstance(x.type, NumberType):
                ends = self.moved_to(x)
                if not ends and (self.is_loose(x) or kind_of(x) is not float):
                    return False
                new = [y for y in ends if not isinstance(y, Value) or y not in seen]
                seen.update(y for y in new if isinstance(y, Value))
                waiting += new
        return True


def is_listed(stmt: Stmt | None) -> bool:
    """Whether it reads a float beside which an array has whether it is NumPy's."""
    return isinstance(stmt, Op) and stmt.fn is runtime.as_listed


def _is_held(stmt: Stmt | None) -> bool:
    """Whether it reads a number of which an item of a list tells the class."""
    return isinstance(stmt, Op) and stmt.fn is runtime.as_held


def _kinds(atom: Any, target: Value, found: Mapping[Value, set[type]]) -> set[type]:
    own = found.get(atom, set()) if isinstance(atom, Value) else set()
    return {kind_of(atom), *own} if is_weak_for(atom, target) else own


def _computed(op: Op, given: Sequence[set[type]], counts: bool) -> set[type]:
    """What an operation makes of kinds; UNKNOWN where a float of compiled code may not be it:
    integers grow beyond what one has room for, and a power of floats may raise.

    Args:
        counts: whether the integers are counted up by small ones.
    """
    if not all(given):
        return set()
    if {complex} in given:
        return {float} if row_of(op.fn).is_real else {complex}
    if op.fn is divide:
        return {float}
    if is_integral(op.out):
        return {int}  # `bounded`
    is_float = op.fn is not operator.truediv and any(kinds == {float} for kinds in given)
    is_total = op.fn is not operator.pow or _is_small_power(op)
    if is_float and is_total:
        return {float}
    found = set().union(*given)
    return found if counts and found <= {int, float} else {int, UNKNOWN}


def _is_small_power(op: Op) -> bool:
    return type(op.args[1]) in (int, float) and op.args[1] in _SMALL


def guarded(run: Sequence[Stmt], kinds: Kinds) -> list[Stmt]:
    """The statements with calls that refuse where operations on Python's numbers raise, or make
    integers that no number of NumPy's has room for.
    """
    return [made for stmt in run for made in _guarded(stmt, kinds)]


def _guarded(stmt: Stmt, kinds: Kinds) -> list[Stmt]:
    if not isinstance(stmt, Op):
        made = with_blocks(stmt, lambda block: replace(block, body=guarded(block.body, kinds)))
        return [made]
    if len(stmt.outs) != 1 or stmt.kwargs:
        return [stmt]
    if not row_of(stmt.fn).arithmetic or not kinds.is_loose(stmt.out):
        return [stmt]
    if is_integral(stmt.out):
        return _of_integers(stmt)
    if dtype_of(stmt.out.type) == np.float32 and stmt.fn is operator.truediv:
        return [replace(stmt, fn=divide)]
    if stmt.fn not in _RAISING or dtype_of(stmt.out.type) != np.float64:
        return [stmt]
    return [replace(stmt, fn=_RAISING[stmt.fn])]


def _of_integers(op: Op) -> list[Stmt]:
    """An operation of integers, refused where NumPy's, perhaps of few bits, would not do what
    Python's do.
    """
    dtype = np.dtype(dtype_of(op.out.type))
    wide = Value("", ArrayType(np.dtype(np.int64), (), scalar=True))
    fn = _RAISING.get(op.fn, op.fn)
    if dtype == np.int64:
        return [replace(op, fn=fn, outs=(wide,)), replace(op, fn=bounded, args=(wide,))]
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    made: list[Stmt] = []
    args: list[Any] = []
    for arg in op.args:
        if is_weak_for(arg, op.out):
            args.append(Value("", wide.type))
            made.append(Op(within, (arg, low, high), {}, (args[-1],), op.loc))
        else:
            args.append(arg)
    made.append(replace(op, fn=fn, args=tuple(args), outs=(wide,)))
    return [*made, replace(op, fn=within, args=(wide, low, high))]


def is_integral(value: Value) -> bool:
    """Whether a value is one of NumPy's integers, by its type."""
    dtype = dtype_of(value.type)
    return isinstance(value.type, ArrayType) and dtype is not None and dtype.kind in "iu"


def _is_number(value: Value) -> bool:
    t = value.type
    return isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.shape == ())
