"""Constant folding: evaluates operations on known operands while compiling.

    n = getitem(shape(x), 0)        3                    x: f64[3, x1]
    k = add(n, 1)                   4
    if True: taken else: other      taken
    for i in range(2, 2): ...       what it starts with
    for ...: yield y leaving False  for ...: yield y        a loop that never exits

What leaves a value unbound stays where it is, as long as something reads it.

Operators on Python numbers only, and never one that raises: `1 / 0` stays where it is.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.analysis.operations import extent_value
from srcad.ir.nodes import (
    UNDEFINED,
    Atom,
    Block,
    Closure,
    For,
    Function,
    If,
    Op,
    Stmt,
    Value,
    While,
)
from srcad.ir.types import ArrayType, Shape
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.rules.core.staged import type_of

_LARGE = 1e6  # bounds what `2 ** k` and `1 << k` may cost here

_NOTHING = object()


def fold_constants(fn: Function) -> Function:
    """The program with known results, branches and empty loops replaced by what they are."""
    return _Fold().run(fn)


class _Fold(Rewriter):
    def op(self, op: Op) -> None:
        if len(op.outs) == 1 and not op.effect:
            known = _known(op)
            if known is not _NOTHING and is_same_type(type_of(known), op.out.type):
                self.replace(op.out, known)
                return
        self.body.append(op)

    def structure(self, stmt: Stmt) -> None:
        if isinstance(stmt, If) and stmt.is_branch:
            cond = self.sub(stmt.cond)
            if not isinstance(cond, Value):
                taken = stmt.then if cond else stmt.orelse
                if _is_bound(taken.results):
                    self.statements(taken.body)
                    self._bind(stmt.outs, self.sub(taken.results))
                    return
        if isinstance(stmt, For) and not stmt.seqs and _is_bound(stmt.init):
            bounds = self.sub((stmt.start, stmt.stop, stmt.step))
            if all(type(b) is int for b in bounds) and bounds[2] and not len(range(*bounds)):
                self._bind(stmt.outs, self.sub(stmt.init))
                if stmt.count is not None:
                    self.replace(stmt.count, 0)
                return
        super().structure(stmt)

    def region(self, stmt: If | For | While | Closure) -> None:
        never = isinstance(stmt, For | While) and stmt.exits and stmt.leaves == [False]
        if isinstance(stmt, For | While) and never and stmt.count is None:
            body = Block(stmt.body.params, stmt.body.body, stmt.body.results[:-1])
            stmt = replace(stmt, body=body, exits=False)
        self.body.append(stmt)

    def _bind(self, outs: tuple[Value, ...], atoms: list[Atom]) -> None:
        for out, atom in zip(outs, atoms, strict=True):
            self.replace(out, atom)


def _is_bound(atoms: list[Atom]) -> bool:
    """Whether there is something in the place of each; a read of what is not there shall raise."""
    return not any(atom is UNDEFINED for atom in atoms)


def _known(op: Op) -> Any:
    """The constant that `op` computes, or `_NOTHING`."""
    args = op.args
    extent = extent_value(op.out.type)
    if extent is not None:
        return extent
    if op.fn is np.shape:
        return _known_shape(args[0])
    if op.fn is operator.getitem:
        x, index = args
        return x[index] if type(x) is tuple and type(index) is int else _NOTHING
    if op.kwargs or not _is_folded(op.fn) or not all(map(_is_number, args)):
        return _NOTHING
    return _computed(op.fn, args)


def _known_shape(x: Any) -> Any:
    t = type_of(x)
    shape: Shape | None = t.shape if isinstance(t, ArrayType) else None
    known = shape is not None and all(isinstance(e, int) for e in shape)
    return shape if known else _NOTHING


def _is_folded(fn: Any) -> bool:
    """Whether calls of a function on known numbers are computed here."""
    row = row_of(fn)
    return row.is_operator or row.cast or fn in (float, operator.not_, operator.truth)


def _is_number(a: Any) -> bool:
    return type(a) in (int, float, complex, bool) or isinstance(a, np.number)


def _computed(fn: Any, args: tuple[Any, ...]) -> Any:
    if fn in (operator.pow, operator.lshift) and any(abs(a) > _LARGE for a in args):
        return _NOTHING
    try:
        with np.errstate(all="raise"):
            result = fn(*args)
    except (ArithmeticError, TypeError, ValueError):
        return _NOTHING
    return _NOTHING if isinstance(result, int) and result.bit_length() > 64 else result
