"""Numbers that are Python's on one path and NumPy's on another, as far as somebody sees which.

    s = 0.0                          without turns, or if no entry is positive, the result is the
    for i in range(n):               float that `s` starts as; else a NumPy scalar
        if x[i] > 0:
            s = s + x[i]
    return s

Compiled code has one type for both. Where it cannot tell, it refuses, and NumPy runs the program.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, If, NumberType, Op, Stmt, Value, While
from srcad.ir.types import dtype_of
from srcad.ir.walk import blocks, free_values, outputs, statements, values_in

_OPERATORS: Final = frozenset(
    {
        operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg,
        operator.pos, operator.abs, abs,
    }
)  # fmt: skip


@dataclass
class Exposed:
    """Where to refuse. `turns`: loops that must make a turn, for what they carry in these places;
    `changed`: carried numbers that must differ from those they started as; `sides`: branches that
    must not be taken.
    """

    turns: dict[Stmt, set[int]] = field(default_factory=dict)
    changed: dict[Stmt, set[int]] = field(default_factory=dict)
    sides: dict[Stmt, set[int]] = field(default_factory=dict)


def is_weak_for(atom: Any, target: Value) -> bool:
    """Whether `atom` is another kind of number than the type of `target` says."""
    t = target.type
    own = atom.type if isinstance(atom, Value) else None
    if isinstance(t, ArrayType):
        return isinstance(own, NumberType) or type(atom) in (bool, int, float)
    kind = own.kind if isinstance(own, NumberType) else type(atom)
    return isinstance(t, NumberType) and kind in (bool, int, float) and kind is not t.kind


def find_exposed(fn: Function) -> Exposed:
    """What the results of a function show."""
    search = Kinds(fn)
    for value in values_in(fn.body.results):
        search.expose(value)
    return search.found


class Kinds:
    """Which values of a function may be another kind of number than their type says."""

    def __init__(self, fn: Function) -> None:
        self.binder: dict[Value, Stmt] = {}
        self.starts: dict[Value, Any] = {}
        self.known: dict[Value, bool] = {}  # whether it is loose
        self.seen: set[Value] = set()
        self.found = Exposed()
        self.walk(fn.body)

    def walk(self, block: Block) -> None:
        """Note who binds what."""
        for stmt in block.body:
            self.binder.update(dict.fromkeys(outputs(stmt), stmt))
            if isinstance(stmt, For | While):
                params = stmt.carried if isinstance(stmt, For) else stmt.body.params
                self.starts.update(zip(params, stmt.init, strict=True))
            for inner in blocks(stmt):
                self.walk(inner)

    def is_loose(self, value: Any) -> bool:
        """Whether a value may be another kind of number than its type says."""
        if not isinstance(value, Value) or not _is_number(value):
            return False
        if value not in self.known:
            self.known[value] = False  # while it is being found out
            self.known[value] = self._is_loose(value)
        return self.known[value]

    def _is_loose(self, value: Value) -> bool:
        if value in self.starts:
            start = self.starts[value]
            return is_weak_for(start, value) or self.is_loose(start)
        match self.binder.get(value):
            case Op() as op if op.fn in _OPERATORS:
                strong = [v for v in values_in(op.args) if not is_weak_for(v, value)]
                return bool(strong) and all(map(self.is_loose, strong))
            case If() as stmt:
                k = stmt.outs.index(value)
                ends = [side.results[k] for side in (stmt.then, stmt.orelse)]
                return any(is_weak_for(a, value) or self.is_loose(a) for a in ends)
            case (For() | While()) as stmt if value in stmt.outs:
                k = stmt.outs.index(value)
                ends = [stmt.init[k], stmt.turned[k]]
                return any(is_weak_for(a, value) or self.is_loose(a) for a in ends)
        return False

    def expose(self, value: Any) -> None:
        """Note where to refuse so that `value` is what its type says."""
        if not self.is_loose(value) or value in self.seen or value not in self.binder:
            return
        self.seen.add(value)
        match self.binder[value]:
            case Op() as op:
                for operand in values_in(op.args):
                    self.expose(operand)
            case If() as stmt:
                k = stmt.outs.index(value)
                for number, side in enumerate((stmt.then, stmt.orelse)):
                    if is_weak_for(side.results[k], value):
                        self.found.sides.setdefault(stmt, set()).add(number)
                    self.expose(side.results[k])
            case (For() | While()) as stmt:
                self.loop(stmt, stmt.outs.index(value), value)

    def loop(self, stmt: For | While, k: int, value: Value) -> None:
        """Note where to refuse what a loop carries."""
        init, turned = stmt.init[k], stmt.turned[k]
        params = stmt.carried if isinstance(stmt, For) else stmt.body.params
        is_kept = turned is params[k] or self.is_loose(turned) or is_weak_for(turned, value)
        if is_weak_for(init, value):
            is_counted = isinstance(stmt, For) and not is_kept
            where = self.found.turns if is_counted else self.found.changed
            where.setdefault(stmt, set()).add(k)
            return
        self.expose(init)
        self.expose(turned)


def _is_number(value: Value) -> bool:
    t = value.type
    if dtype_of(t) == np.bool_:
        return False  # a truth is as good as another
    return isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.shape == ())


def has_single(body: Sequence[Stmt]) -> bool:
    """Whether something is computed in single precision, where the kind of a number decides."""
    block = Block([], list(body), [])
    made = (out for stmt in statements(block) for out in outputs(stmt))
    return any(dtype_of(value.type) == np.float32 for value in (*free_values(block), *made))
