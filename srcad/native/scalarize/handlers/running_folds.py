"""What a loop carries as a running sum, product or extremum, whose order is free.

for i in range(n):                     t: add
    t = add(t, x[i])                   m: larger
    m = larger(m, x[i])                c: none, since it is read
    c = c * x[i] + t
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from srcad.ir import Block, For, If, NumberType, Op, Stmt, Value
from srcad.ir.types import ArrayType, dtype_of
from srcad.ir.walk import inputs, reads, values_in
from srcad.ops import row_of

Fold = Literal["sum", "product", "largest", "smallest", "same"]


class _Readers(dict[Block, dict[Value, list[Stmt]]]):
    """Of each block, the statements in it that read a value."""

    def __missing__(self, block: Block) -> dict[Value, list[Stmt]]:
        found: dict[Value, list[Stmt]] = {}
        for stmt in block.body:
            for value in set(reads(stmt)):
                found.setdefault(value, []).append(stmt)
        self[block] = found
        return found


def folds_of(loop: For) -> list[Fold | None]:
    """How the iterations of a loop change each number that it carries; None if otherwise."""
    readers = _Readers()
    return [_fold(loop, k, readers) for k in range(len(loop.init))]


def _fold(loop: For, k: int, readers: _Readers) -> Fold | None:
    param = loop.carried[k]
    dtype = dtype_of(param.type)
    if not isinstance(param.type, NumberType | ArrayType) or dtype is None:
        return None
    found = _followed(param, loop.yielded[k], loop.body, readers)
    is_float = dtype in (np.float64, np.float32)
    is_fit = is_float or (dtype == np.int64 and found in ("sum", "product"))
    return found if found == "same" or is_fit else None


def _followed(value: Value, result: Any, block: Block, readers: _Readers) -> Fold | None:
    """The steps that lead in a block from a value to a result, which nothing else reads."""
    found: Fold = "same"
    while value is not result:
        found_in = readers[block].get(value, ())
        if len(found_in) != 1 or value in values_in(block.results):
            return None
        step = _step(value, found_in[0], readers)
        if step is None or found not in ("same", step[0]):
            return None
        found, value = step
    is_once = values_in(block.results).count(value) == 1
    return found if is_once and value not in readers[block] else None


def _step(value: Value, stmt: Any, readers: _Readers) -> tuple[Fold, Value] | None:
    """What the only statement that reads a value makes of it."""
    match stmt:
        case Op() if (fold := row_of(stmt.fn).folds) is not None:
            args = values_in((stmt.args, stmt.kwargs))
            if stmt.kwargs or args.count(value) != 1:
                return None
            if fold == "difference":
                return ("sum", stmt.out) if stmt.args[0] is value else None
            return fold, stmt.out
        case For() if not stmt.exits and values_in(inputs(stmt)).count(value) == 1:
            results = values_in(stmt.body.results)
            if value not in stmt.init or value in readers[stmt.body] or value in results:
                return None
            k = stmt.init.index(value)
            inner = _followed(stmt.carried[k], stmt.yielded[k], stmt.body, readers)
            return None if inner is None else (inner, stmt.outs[k])
        case If() if stmt.is_branch and value not in values_in(stmt.cond):
            return _of_branches(value, stmt, readers)
    return None


def _of_branches(value: Value, stmt: If, readers: _Readers) -> tuple[Fold, Value] | None:
    sides = (stmt.then, stmt.orelse)
    for k, out in enumerate(stmt.outs):
        found = {_followed(value, side.results[k], side, readers) for side in sides} - {"same"}
        fold = found.pop() if len(found) == 1 else None
        if fold is not None:
            return fold, out
    return None


def neutral(fold: Fold, value: Value, start: Any) -> Any:
    """What threads but the first start with, so that it changes nothing."""
    if fold in ("largest", "smallest", "same"):
        return start
    return literal(value, int(fold == "product"))


def literal(value: Value, number: int) -> Any:
    """A number of the type of a value: one of Python's where that is the same in compiled code."""
    dtype = dtype_of(value.type)
    assert dtype is not None
    typed = dtype.type(number)
    return typed.item() if dtype in (np.float64, np.int64, np.bool_) else typed
