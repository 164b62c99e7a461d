"""What two paths store into one array: their index sets are stored, no arrays of them are joined.

    y_from[i] = a         on one path                  y_from[i] = a | b
    y_from[i] = b         on the other

    y_from[i] = a                                      y_from[i] = y_from[i] | a
    y_from[j] = b                                      y_from[j] = y_from[j] | b

A loop over entries then takes as long as they are many, not as long as the array is each time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, If, Op, Stmt, Value
from srcad.ir.types import ArrayType
from srcad.rules.core.staged import Builder
from srcad.runtime import index_update
from srcad.runtime.index_sets import added_places

ANY_SETS = ArrayType(np.dtype(object), None)  # of any shape


@dataclass(frozen=True, slots=True)
class _Stored:
    """The array that stands before stores, and these, the first first; `is_line`: all of them are
    made, none in a branch.
    """

    base: Atom
    ops: list[Op]
    is_line: bool


def push_either(
    builder: Builder,
    a: Atom,
    b: Atom,
    like: Value,
    body: list[Stmt],
    key: Callable[[Any], Any],
) -> Atom:
    """The sets of `a` and of `b`, which the statements of both paths make.

    Args:
        like: which the sets are where both paths meet.
        key: of an index; two that are computed alike have one.
    """
    if a is b:
        return a
    one, two = _stored(a, body), _stored(b, body)
    if one.base is not two.base or not (one.is_line or two.is_line):
        return _push(builder, operator.or_, a, b, out=like)
    base: Atom = one.base
    if not (one.is_line and two.is_line):
        line, (base, others) = (one, (b, two.ops)) if one.is_line else (two, (a, one.ops))
        for op in others:  # what stood there stays
            op.fn = added_places
        return _push_stores(builder, base, line.ops)
    if key([op.args[1] for op in one.ops]) != key([op.args[1] for op in two.ops]):
        return _push_stores(builder, base, one.ops + two.ops)
    for op, other in zip(one.ops, two.ops, strict=True):
        either = _push(builder, operator.or_, op.args[2], other.args[2])
        fn = op.fn if op.fn is other.fn else added_places
        base = _push(builder, fn, base, op.args[1], either, out=op.out)
    return base


def push_again(builder: Builder, atom: Atom, body: list[Stmt]) -> Atom:
    """An array by the stores that make it, made once more."""
    stored = _stored(atom, body)
    if not stored.is_line:
        return atom
    base = stored.base
    for op in stored.ops:
        base = _push(builder, op.fn, base, *op.args[1:], out=op.out)
    return base


def _push_stores(builder: Builder, base: Atom, ops: list[Op]) -> Atom:
    """An array with what is stored beside what stands there."""
    for op in ops:
        base = _push(builder, added_places, base, *op.args[1:], out=op.out)
    return base


def _stored(atom: Atom, body: list[Stmt]) -> _Stored:
    """The stores among statements that make an array."""
    made_by: dict[Any, Op | If] = {}
    for stmt in body:
        if isinstance(stmt, Op) and stmt.fn in (index_update, added_places):
            made_by[stmt.out] = stmt
        elif isinstance(stmt, If) and stmt.is_branch:
            made_by.update(dict.fromkeys(stmt.outs, stmt))
    ops: list[Op] = []
    is_line = True
    while isinstance(atom, Value) and atom in made_by:
        maker = made_by[atom]
        if isinstance(maker, Op):
            ops.insert(0, maker)
            atom = maker.args[0]
            continue
        at = maker.outs.index(atom)
        ends = [_stored(block.results[at], block.body) for block in (maker.then, maker.orelse)]
        if ends[0].base is not ends[1].base:
            break
        ops[:0] = ends[0].ops + ends[1].ops
        atom, is_line = ends[0].base, False
    return _Stored(atom, ops, is_line)


def _push(builder: Builder, fn: Any, *args: Any, out: Value | None = None) -> Value:
    made = Value(out.name, out.type) if out else Value("", ANY_SETS)
    builder.body.append(Op(fn, args, {}, (made,), builder.loc))
    return made


__all__ = ["ANY_SETS", "push_again", "push_either"]
