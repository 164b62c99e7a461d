"""In-place tapes: an array that each iteration saves is updated in the next row of its tape.

    x[j] of the iteration is tape[i, j]; what the iteration makes of it is tape[i + 1, j].

                                              tape = np.empty((n + 1, m))
                                              for j in range(m): tape[0, j] = x[j]
    for i in range(n):                        for i in range(n):
        for j in range(m):
            tape[i, j] = x[j]
        for j in range(1, m - 1):      ->         for j in range(1, m - 1):
            x[j] = c * tape[i, j - 1]                 tape[i + 1, j] = c * tape[i, j - 1]
                                                  tape[i + 1, 0] = tape[i, 0], the last one likewise
        x[0] = x[1]                               tape[i + 1, 0] = tape[i + 1, 1]
                                              for j in range(m): x[j] = tape[n, j]

No other statement sees that the array is elsewhere meanwhile, as `srcad.native.tape.in_place_match`
has found. An array that one
block alone knows is on its tape in the whole block. A tape of less than no rows is refused, as it
was; so functions that write the caller's arrays, which may refuse nothing, stay as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir import Block, For, Function, Op, Stmt, Value
from srcad.ir.effects import destroys
from srcad.ir.forms import as_atom
from srcad.ir.inplace import index_set
from srcad.ir.types import dtype_of
from srcad.ir.walk import statements, with_blocks
from srcad.native.boundary.caller_statements import Caller
from srcad.native.helpers import check_natural, clipped, natural
from srcad.native.scalarize.loop_builder import INT, scalar
from srcad.native.tape.access_redirection import copying, moved
from srcad.native.tape.in_place_match import Saved, overwritten
from srcad.ops import row_of


def write_tapes_in_place(fn: Function, caller: Caller) -> Function:
    """The function with arrays on their tapes."""
    shapes = [op.args[0] for op in fn.body.body if isinstance(op, Op) and op.fn is np.empty]
    ops = (stmt for stmt in statements(fn.body) if isinstance(stmt, Op))
    is_writing = any(destroys(op) and op.args[0] in fn.params for op in ops)
    if is_writing or not any(isinstance(shape, tuple) and len(shape) > 1 for shape in shapes):
        return fn
    longer: dict[Value, int] = {}
    while (saved := next(overwritten(fn, caller, longer), None)) is not None:
        longer[saved.tape] = len(saved.prefix)
        fn = replace(fn, body=_rewritten(fn, saved))
    body = [new for stmt in fn.body.body for new in _lengthened(stmt, longer)]
    return replace(fn, body=Block(fn.params, body, fn.body.results)) if longer else fn


def _rewritten(fn: Function, saved: Saved) -> Block:
    """The function's body with an array on its tape, in the loop that saves it."""

    def inside(block: Block) -> Block:
        if saved.loop in block.body:
            return Block(block.params, _around(fn, saved, block.body), block.results)
        return Block(block.params, [with_blocks(s, inside) for s in block.body], block.results)

    return inside(fn.body)


def _around(fn: Function, saved: Saved, block: Sequence[Stmt]) -> list[Stmt]:
    """The block of the loop. What copies the array to its tape and back is there unless the array
    is on its tape in the whole block.
    """
    ops: list[Stmt] = []

    def op(fn: Any, args: tuple[Any, ...]) -> Value:
        ops.append(Op(fn, args, {}, (out := Value("", INT),)))
        return out

    loop, memory, tape = saved.loop, saved.memory, saved.tape
    prefix = [as_atom(form, op) for form in saved.prefix]
    first, last = (*prefix, 0), (*prefix, op(natural, (loop.stop,)))
    made, at = _iterations(fn, saved, prefix), block.index(loop)
    if saved.since is not None:
        before = [moved(stmt, {memory: (tape, first, 0)}) for stmt in block[saved.since : at]]
        after = [moved(stmt, {memory: (tape, last, 0)}) for stmt in block[at + 1 :]]
        return [*block[: saved.since], *ops, *before, made, *after]
    ranges = [(0, n) for n in _extents(fn, memory)]
    there = copying((memory, ()), (tape, first), ranges, loop.loc)
    back = copying((tape, last), (memory, ()), ranges, loop.loc)
    if saved.may_skip:
        once = op(clipped, (last[-1], 1))
        there, back = _once(there, once), _once(back, once)
    return [*block[:at], *ops, *there, made, *back, *block[at + 1 :]]


def _once(body: list[Stmt], once: Value) -> list[Stmt]:
    """Statements that are run once or not at all."""
    return [For(0, once, 1, False, [], [], Block([Value("k", INT)], body, []), (), (), None)]


def _extents(fn: Function, memory: Value) -> Sequence[Any]:
    ops = (stmt for stmt in fn.body.body if isinstance(stmt, Op))
    extents: Sequence[Any] = next(op.args[0] for op in ops if op.outs == (memory,))
    return extents


def _iterations(fn: Function, saved: Saved, prefix: Sequence[Any]) -> Stmt:
    """The loop, with the rows of its tape in the place of the array."""
    loop, following = saved.loop, Value("", INT)
    rows = (*prefix, loop.index), (*prefix, following)
    body: list[Stmt] = [Op(operator.add, (loop.index, 1), {}, (following,))]
    for k, stmt in enumerate(loop.body.body):
        row = rows[k > saved.at]
        if k == saved.at:
            (stmt,) = _changed(Block([], [stmt], []), lambda op: [op][op is saved.store :]).body
        elif k == saved.first:
            (stmt,) = _changed(Block([], [stmt], []), lambda op: _apart(op, saved, rows[0])).body
        body.append(moved(stmt, {saved.memory: (saved.tape, row, 0)}))
        if k == saved.first:
            body += _border(saved, _extents(fn, saved.memory), rows)
    return replace(loop, body=Block(loop.body.params, body, loop.body.results))


def _border(saved: Saved, extents: Sequence[Any], rows: tuple[Any, Any]) -> list[Stmt]:
    """What copies the border of a row to the next one."""
    made: list[Stmt] = []

    def op(fn: Any, args: tuple[Any, ...]) -> Value:
        made.append(Op(fn, args, {}, (out := Value("", INT),)))
        return out

    ends = [tuple(as_atom(end, op) for end in pair) for pair in saved.box]
    for axis, (pair, width) in enumerate(zip(saved.box, saved.widths, strict=True)):
        lower = [*range(width[0])]
        upper = [as_atom(pair[1] + k, op) for k in range(width[1])]
        rest = [(0, n) for n in extents[axis + 1 :]]
        if lower or upper:
            source, target = (saved.tape, rows[0]), (saved.tape, rows[1])
            index = [*ends[:axis], [*lower, *upper], *rest]
            made += copying(source, target, index, saved.loop.loc)
    return made


def _apart(op: Op, saved: Saved, row: Sequence[Any]) -> list[Op]:
    """An operation, where it adds to an entry as one that sets it: what was there is elsewhere."""
    if not op.args or op.args[0] is not saved.memory or row_of(op.fn).computes is None:
        return [op]
    memory, index, value = op.args
    entry, total = (Value("", scalar(dtype_of(memory.type))) for _ in range(2))
    load = Op(operator.getitem, (memory, index), {}, (entry,), op.loc)
    there = moved(load, {memory: (saved.tape, tuple(row), 0)})
    assert isinstance(there, Op)
    made = Op(row_of(op.fn).computes, (entry, value), {}, (total,), op.loc)
    return [there, made, replace(op, fn=index_set, args=(memory, index, total))]


def _changed(block: Block, change: Callable[[Op], Sequence[Op]]) -> Block:
    """The block with other operations."""
    body: list[Stmt] = []
    for stmt in block.body:
        if isinstance(stmt, Op):
            body += change(stmt)
        else:
            body.append(with_blocks(stmt, lambda inner: _changed(inner, change)))
    return Block(block.params, body, block.results)


def _lengthened(stmt: Stmt, longer: dict[Value, int]) -> list[Stmt]:
    """The memory of a tape, with a row more."""
    if not isinstance(stmt, Op) or stmt.fn is not np.empty or stmt.out not in longer:
        return [stmt]
    extents, axis = list(stmt.args[0]), longer[stmt.out]
    n, extents[axis] = extents[axis], Value("", INT)
    check = Op(check_natural, (n, n), {}, (), stmt.loc, effect=True)
    more = Op(operator.add, (n, 1), {}, (extents[axis],), stmt.loc)
    return [check, more, replace(stmt, args=(tuple(extents), *stmt.args[1:]))]


__all__ = ["write_tapes_in_place"]
