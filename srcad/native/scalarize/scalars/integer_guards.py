"""Integers that may turn out to be floats: `2 ** n` is one where n is negative.

    s = k ** n                         s = k ** n
    y = loss_1(x, s)           ->      y = loss_1(x, operator.index(s))

Compiled code takes what it is given as the type that it was declared for, and what stands after
the point is gone. `operator.index` refuses a float, and NumPy runs the program. What a program is
called with is known by its guards, extents and numbers of iterations are integers; the rest is
asked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, If, NumberType, Op, Stmt, TupleType, Value
from srcad.ir.nodes import While
from srcad.ir.types import dtype_of
from srcad.ir.walk import blocks, outputs, settled, values_in

# What makes integers of anything, and what makes them of integers.
from srcad.ops import row_of


def find_doubtful(fn: Function, is_program: bool) -> set[Value]:
    """The integers of `fn`, and tuples of them, that may be something else.

    Args:
        is_program: whether the function's parameters have been looked at before it is called.
    """
    found = set() if is_program else {param for param in fn.params if _is_whole(param.type)}
    return settled(found, lambda: _walk(fn.body, found))


def _walk(block: Block, found: set[Value]) -> None:
    for stmt in block.body:
        for inner in blocks(stmt):
            _walk(inner, found)
        for value, sources in _sources(stmt):
            if _is_whole(value.type) and (
                sources is None or not found.isdisjoint(values_in(sources))
            ):
                found.add(value)


def _sources(stmt: Stmt) -> Iterable[tuple[Value, list[Any] | None]]:
    """What each value of a statement is made of; None if that does not tell what it is."""
    match stmt:
        case Op():
            return [(out, _operands(stmt.fn, stmt.args)) for out in stmt.outs]
        case If():
            ends = zip(stmt.then.results, stmt.orelse.results, strict=True)
            return zip(stmt.outs, map(list, ends), strict=False)
        case For() | While():
            moved = [list(ends) for ends in zip(stmt.init, stmt.yielded, strict=True)]
            found: list[tuple[Value, list[Any] | None]] = [
                *zip(stmt.carried, moved, strict=False),
                *zip(stmt.outs, moved, strict=False),
            ]
            if isinstance(stmt, For):
                return [*found, *((element, None) for element in stmt.elements)]
            return [*found, *zip(stmt.test.params, moved, strict=False)]
    return [(out, None) for out in outputs(stmt)]


def _operands(fn: Callable[..., Any] | Function, args: tuple[Any, ...]) -> list[Any] | None:
    if fn is operator.getitem:
        is_tuple = isinstance(args[0], Value) and isinstance(args[0].type, TupleType)
        return [args[0]] if is_tuple else None
    integer = row_of(fn).integer
    return [] if integer == "always" else list(args) if integer == "kept" else None


def _is_whole(t: Any) -> bool:
    """Whether a type is that of an integer, or of a tuple of integers."""
    if isinstance(t, TupleType):
        return any(map(_is_whole, t.items))
    is_number = isinstance(t, NumberType) or (isinstance(t, ArrayType) and t.shape == ())
    return is_number and dtype_of(t) == np.int64
